"""Which simulator made a record: the text of a run function given in place of `simulate`, and every value it leans on."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import pickle
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    module = _module(run.func if isinstance(run, functools.partial) else run)
    if module == "__main__" or module not in sys.modules or covered_by_code(module):
        return ""
    try:
        return hashlib.sha256(inspect.getsource(sys.modules[module]).encode()).hexdigest()[:16]
    except (OSError, TypeError):
        return ""


def _hash(run: Callable[..., Any]) -> str:
    digest = hashlib.sha256()
    try:
        for part in _Reader(run).parts(run):
            digest.update(part + b"\0")
    except (OSError, TypeError, AttributeError, pickle.PicklingError) as error:
        raise StudyError(
            f"The run function {run!r} cannot be told from a changed one ({error}); define it in a file or in a notebook "
            "cell, and give it plain values, arrays and dataclasses only."
        ) from error
    return digest.hexdigest()[:16]


class _Reader:
    """Reads text and values of a run function, depth first; what was met before is not repeated.

    Args:
        run: what is read follows the names of its own package and of anything that is no installed library.
    """

    def __init__(self, run: Callable[..., Any]) -> None:
        self._seen: set[int] = set()
        self._kept: list[Any] = []
        self._home = _module(run.func if isinstance(run, functools.partial) else run).partition(".")[0]

    def parts(self, value: Any) -> Iterator[bytes]:
        """Everything that tells a value from another one."""
        if isinstance(value, PLAIN):
            yield repr(value).encode()
            return
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        self._kept.append(value)  # an id is free again when its object is gone
        yield type(value).__qualname__.encode()
        if isinstance(value, types.ModuleType):
            yield value.__name__.encode()
        elif isinstance(value, functools.partial):
            yield from self._each((value.func, value.args, value.keywords))
        elif isinstance(value, types.MethodType):
            yield from self._each((value.__func__, value.__self__))
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, np.ndarray):
            yield f"{value.dtype} {value.shape}".encode()
            yield np.ascontiguousarray(value).tobytes() if value.dtype != object else pickle.dumps(value.tolist())
        elif isinstance(value, Path):
            yield value.read_bytes() if value.is_file() else str(value).encode()
        elif isinstance(value, Mapping):
            yield from self._each(value.items())
        elif isinstance(value, (list, tuple)):
            yield from self._each(value)
        elif isinstance(value, (set, frozenset)):
            yield from self._each(sorted(value, key=repr))
        elif dataclasses.is_dataclass(value):
            yield from self._each((type(value), *(getattr(value, f.name) for f in dataclasses.fields(value))))
        elif hasattr(value, "__dict__") and not isinstance(value, types.BuiltinFunctionType):
            yield from self._each((type(value), vars(value)))
        else:
            yield pickle.dumps(value)

    def _each(self, values: Iterable[Any]) -> Iterator[bytes]:
        for value in values:
            yield from self.parts(value)

    def _function(self, function: types.FunctionType) -> Iterator[bytes]:
        yield f"{function.__module__}.{function.__qualname__}".encode()
        if not self._followed(function.__module__):
            return
        yield source_of(function).encode()
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        yield from self._each((cells, function.__defaults__, function.__kwdefaults__))
        used = sorted(_names(function.__code__) & function.__globals__.keys())
        yield from self._each([function.__globals__[name] for name in used])

    def _class(self, cls: type) -> Iterator[bytes]:
        yield f"{cls.__module__}.{cls.__qualname__}".encode()
        for base in (c for c in cls.__mro__ if self._followed(c.__module__)):
            yield source_of(base).encode()
            yield from self._each([v for v in vars(base).values() if isinstance(v, types.FunctionType)])

    def _followed(self, module: str) -> bool:
        """Whether a module is the user's: neither the simulator, which has its fingerprint, nor an installed library."""
        package = module.partition(".")[0]
        if covered_by_code(module) or package in sys.stdlib_module_names:
            return False
        file = getattr(sys.modules.get(module), "__file__", None) or ""
        return package in ("__main__", self._home) or "site-packages" not in Path(file).parts


def _module(value: Any) -> str:
    return str(getattr(value, "__module__", None) or type(value).__module__)


def _names(code: types.CodeType) -> set[str]:
    """Names that a function looks up in its module, those of the functions inside it included."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))
