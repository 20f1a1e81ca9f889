"""Which simulator made a record: the text of a run function given in place of `simulate`, and every value it leans on."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import pickle
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import StudyError
from core.simulation import simulate
from core.studies.fingerprint import covered_by_code, source_of

PLAIN = (bool, int, float, complex, str, bytes, types.NoneType)


def hook_fingerprint(run: Callable[..., Any]) -> str:
    """Hash of a run function; "" for `simulate` itself, which the fingerprint of the code covers.

    It holds the source (of an imported module the whole text), and by value what the function closes over, its
    defaults, what a `partial` or an object carries, and the names of its module that it uses: a mission or a trace given
    there is part of it. Of a path the file's content counts. What it reads by itself while it runs nobody can see.

    Raises:
        StudyError: it has no source, or holds something that cannot be told from another one.
    """
    return "" if run is simulate else _hash(run)


def text_of_module(run: Callable[..., Any]) -> str:
    """Hash of the text of the module that a worker imports a run function from; "" where it is sent by value."""
    own = run.func if isinstance(run, functools.partial) else run
    module = getattr(own, "__module__", "") or type(own).__module__
    if module in ("", "__main__") or module not in sys.modules or covered_by_code(module):
        return ""
    try:
        return hashlib.sha256(inspect.getsource(sys.modules[module]).encode()).hexdigest()[:16]
    except (OSError, TypeError):
        return ""


def _hash(run: Callable[..., Any]) -> str:
    digest = hashlib.sha256()
    try:
        for part in _parts(run, set()):
            digest.update(part + b"\0")
    except (OSError, TypeError, AttributeError, pickle.PicklingError) as error:
        raise StudyError(
            f"The run function {run!r} cannot be told from a changed one ({error}); define it in a file or in a notebook "
            "cell, and give it plain values, arrays and dataclasses only."
        ) from error
    return digest.hexdigest()[:16]


def _parts(value: Any, seen: set[int]) -> Iterator[bytes]:
    """Text and values of anything a run function may be or hold, depth first; what was met before is not repeated."""
    if isinstance(value, PLAIN):
        yield repr(value).encode()
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    yield type(value).__qualname__.encode()
    if isinstance(value, types.ModuleType):
        yield value.__name__.encode()
    elif isinstance(value, functools.partial):
        yield from _each((value.func, value.args, value.keywords), seen)
    elif isinstance(value, types.MethodType):
        yield from _each((value.__func__, value.__self__), seen)
    elif isinstance(value, types.FunctionType):
        yield from _function(value, seen)
    elif isinstance(value, type):
        yield from _class(value, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes() if value.dtype != object else pickle.dumps(value.tolist())
    elif isinstance(value, Path):
        yield value.read_bytes() if value.is_file() else str(value).encode()
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _each((key, item), seen)
    elif isinstance(value, (list, tuple)):
        yield from _each(value, seen)
    elif isinstance(value, (set, frozenset)):
        yield from _each(sorted(value, key=repr), seen)
    elif dataclasses.is_dataclass(value):
        yield from _each((type(value), *(getattr(value, f.name) for f in dataclasses.fields(value))), seen)
    elif hasattr(value, "__dict__") and not isinstance(value, types.BuiltinFunctionType):
        yield from _each((type(value), vars(value)), seen)
    else:
        yield pickle.dumps(value)


def _each(values: Any, seen: set[int]) -> Iterator[bytes]:
    for value in values:
        yield from _parts(value, seen)


def _function(function: types.FunctionType, seen: set[int]) -> Iterator[bytes]:
    yield f"{function.__module__}.{function.__qualname__}".encode()
    if not _own(function.__module__):
        return
    yield source_of(function).encode()
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    yield from _each((cells, function.__defaults__, function.__kwdefaults__), seen)
    used = sorted(_names(function.__code__) & function.__globals__.keys())
    yield from _each([function.__globals__[name] for name in used], seen)


def _class(cls: type, seen: set[int]) -> Iterator[bytes]:
    yield f"{cls.__module__}.{cls.__qualname__}".encode()
    for base in (c for c in cls.__mro__ if _own(c.__module__)):
        yield source_of(base).encode()
        yield from _each([v for v in vars(base).values() if isinstance(v, types.FunctionType)], seen)


def _own(module: str) -> bool:
    """Whether a module is the user's: neither the simulator, which has its fingerprint, nor an installed library."""
    if module.partition(".")[0] in sys.stdlib_module_names or covered_by_code(module):
        return module == "__main__"
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return "site-packages" not in Path(file).parts


def _names(code: types.CodeType) -> set[str]:
    """Names that a function looks up in its module, those of the functions inside it included."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))
