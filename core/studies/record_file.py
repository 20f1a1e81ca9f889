"""One record on disk: a Parquet file with one row, which is read back whole or not at all."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from core.errors import StudyError
from core.folders import write_atomically
from core.studies.record import Row

DIGEST = b"digest"
"""Key of the fingerprint in a file's metadata; records of earlier versions have none."""
ADVICE = "Delete that file and run the study again."
REMEMBERED = 20_000
"""Records whose rows a process keeps: a table is read again after every new record of a study that runs."""


def write_record(path: Path, row: Row, attrs: Mapping[str, Any]) -> None:
    """Write one row so that it is there whole or not at all.

    Args:
        path: its place.
        row: plain values by column.
        attrs: what `pandas.read_parquet` is to find in `.attrs`.
    """
    # PANDAS_ATTRS is where pandas keeps DataFrame.attrs in a Parquet file.
    metadata = {"PANDAS_ATTRS": json.dumps(attrs, ensure_ascii=False)}
    fields = [pa.field(name, _arrow_type(value)) for name, value in row.items()]
    table = pa.Table.from_pylist([row], schema=pa.schema(fields, metadata=metadata))
    write_table(path, table)


def write_table(path: Path, table: pa.Table) -> None:
    """Write a small table with checksums and the fingerprint of its content."""
    signed = table.replace_schema_metadata({**(table.schema.metadata or {}), DIGEST: _digest(table)})
    sink = pa.BufferOutputStream()
    # One row needs neither statistics nor dictionaries, which would double its size.
    pyarrow.parquet.write_table(
        signed, sink, compression="none", write_statistics=False, use_dictionary=False, write_page_checksum=True
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, sink.getvalue().to_pybytes())


def read_table(path: Path) -> pa.Table:
    """The table of a file; StudyError when it is damaged."""
    try:
        with pyarrow.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read()
        said, found = (table.schema.metadata or {}).get(DIGEST), _digest(table)
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError, MemoryError) as error:
        raise StudyError(f"{path} cannot be read as a record: {_first_line(error)}. {ADVICE}") from error
    if said is not None and said != found:
        raise StudyError(f"{path} is damaged: its content is not what was written. {ADVICE}")
    return table


def read_record(path: Path) -> Row:
    """The row of a record; StudyError when the file is damaged or has another number of rows than one."""
    stat = path.stat()
    return dict(_read(path, stat.st_mtime_ns, stat.st_size))


@functools.lru_cache(maxsize=REMEMBERED)
def _read(path: Path, _changed: int, _size: int) -> Row:
    table = read_table(path)
    if table.num_rows != 1:
        raise StudyError(f"{path} holds {table.num_rows} rows where a record has one. {ADVICE}")
    row: Row = table.to_pylist()[0]
    return row


def _digest(table: pa.Table) -> bytes:
    """Fingerprint of column names, values and metadata."""
    metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items() if k != DIGEST}
    text = json.dumps([table.to_pylist(), metadata], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest().encode()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _arrow_type(value: object) -> pa.DataType:
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int):
        return pa.int64()
    return pa.float64() if isinstance(value, float) else pa.string()
