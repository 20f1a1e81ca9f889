"""Plug-ins: files of the user's own that register policies and metrics, read alike by every way to start this program.

A plug-in is one Python file, or a module of an installed package. It is named by `--plugins my_file.py` (every command), by
the environment variable SAFE_EXPLORER_PLUGINS (several are separated as in PATH), by `core.load_plugins("my_file.py")`, or
by the package's entry point in the group `safe_explorer.plugins`. The text of a file goes to Dask's workers, which need not
have it; what a file imports must be installed wherever it runs.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import linecache
import os
import re
import sys
import threading
import types
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import PluginError
from core.own_code import told

VARIABLE = "SAFE_EXPLORER_PLUGINS"
GROUP = "safe_explorer.plugins"
MAX_BYTES = 1_000_000
"""A file of Python is smaller; what is larger was given by mistake."""

Registers = tuple[dict[str, Any], ...]


class Plugin(NamedTuple):
    """What it takes to load a plug-in in any process.

    Args:
        module: name that Python knows it by.
        file: where it was read; "" for an installed one.
        text: its source when it was read; "" for an installed one.
    """

    module: str
    file: str = ""
    text: str = ""

    @property
    def name(self) -> str:
        """How messages call it."""
        return Path(self.file).name if self.file else self.module


def load_plugins(*files: str | Path) -> tuple[Plugin, ...]:
    """Load files, those that SAFE_EXPLORER_PLUGINS names, and installed plug-ins; what is loaded already stays as it is.

    A file that has changed since is loaded anew, and what it registered before is replaced.

    Args:
        files: of the user's own.

    Returns:
        Every plug-in in use.

    Raises:
        PluginError: a file cannot be loaded; nothing of it stays registered. A broken installed one is a warning.
    """
    errors = try_plugins(*files)
    for plugin, error in errors:
        if plugin:
            raise error
        warnings.warn(str(error), stacklevel=2)
    return in_use()


def try_plugins(*files: str | Path) -> list[tuple[str, PluginError]]:
    """As `load_plugins`, but what is broken does not keep the rest from being loaded.

    Returns:
        The file ("" for an installed plug-in) and what is wrong with it, of each that was not loaded.
    """
    found = []
    for plugin in _installed():
        try:
            _use(plugin)
        except PluginError as error:
            found.append(("", error))
    named = [name for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name.strip()]
    for file in dict.fromkeys(Path(name).expanduser().absolute() for name in (*named, *files)):
        try:
            _use(read(file))
        except PluginError as error:
            found.append((str(file), error))
    return found


def in_use() -> tuple[Plugin, ...]:
    """The plug-ins that are loaded, in their order."""
    return tuple(_loaded)


def environment() -> dict[str, str]:
    """What another process of this machine needs to load the same files."""
    return {VARIABLE: os.pathsep.join(p.file for p in in_use() if p.file)}


def use_exactly(plugins: Iterable[Plugin]) -> None:
    """Have these plug-ins in use and no others: what a worker does for the study that it works for."""
    wanted = tuple(plugins)
    with _lock:
        for plugin in [p for p in _loaded if p not in wanted]:
            _forget(plugin)
        for plugin in wanted:
            _use(plugin)


def plugin_of(cls: type) -> Plugin | None:
    """The plug-in that a class is written in; None for any other class."""
    return next((p for p in _loaded if p.module == cls.__module__), None)


def read(file: str | Path) -> Plugin:
    """A plug-in from its file, not loaded yet; PluginError when it cannot be read."""
    path = Path(file).expanduser().absolute()
    try:
        path = path.resolve()
        if path.is_dir():
            raise PluginError(f"The plug-in {path} is a folder; give the name of a Python file.")
        if path.suffix != ".py":
            raise PluginError(f"The plug-in {path} is no Python file; its name must end with .py.")
        content = path.read_bytes()
        if len(content) > MAX_BYTES:
            raise PluginError(f"The plug-in {path} has {len(content)} bytes; at most {MAX_BYTES} are read.")
        text = content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise PluginError(f"There is no plug-in {path}; check the name and the folder.") from error
    except OSError as error:
        raise PluginError(f"The plug-in {path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise PluginError(f"The plug-in {path} is not UTF-8 text.") from error
    stem = re.sub(r"\W", "_", path.stem)
    return Plugin(f"plugin_{stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}", str(path), text)


_lock = threading.RLock()
_loaded: dict[Plugin, None] = {}
_registered: dict[Plugin, Registers] = {}
"""What each plug-in ever loaded here has registered: an installed one registers only when it is imported first."""


def _registers() -> Registers:
    """Everything that a plug-in may add to; a new register of `core` is one more here."""
    from core.simulation import METRICS, POLICIES

    return POLICIES, METRICS


def _installed() -> Iterator[Plugin]:
    for point in importlib.metadata.entry_points(group=GROUP):
        yield Plugin(point.value.partition(":")[0].strip())


def _use(plugin: Plugin) -> None:
    with _lock:
        if plugin in _loaded:
            return
        for older in [p for p in _loaded if p.module == plugin.module]:
            _forget(older)
        registers = _registers()
        before = tuple(dict(r) for r in registers)
        try:
            if plugin in _registered:
                for register, own in zip(registers, _registered[plugin], strict=True):
                    register.update(own)
            elif plugin.file:
                _run(plugin)
            else:
                importlib.import_module(plugin.module)
            added = _added(plugin, before, registers)
        except BaseException as error:
            for register, kept in zip(registers, before, strict=True):
                register.clear()
                register.update(kept)
            if plugin.file and plugin not in _registered:
                sys.modules.pop(plugin.module, None)
            if isinstance(error, (KeyboardInterrupt, PluginError)):
                raise
            raise PluginError(_words(plugin, error)) from error
        _registered.setdefault(plugin, added)
        _loaded[plugin] = None


def _run(plugin: Plugin) -> None:
    """Run a file's text as a module; tracebacks and fingerprints see the text that runs, whatever becomes of the file."""
    # an entry without a time is never compared with the disk: a file edited later must not pass for what is running
    linecache.cache[plugin.file] = (len(plugin.text), None, plugin.text.splitlines(True), plugin.file)
    module = types.ModuleType(plugin.module)
    module.__file__ = plugin.file
    sys.modules[plugin.module] = module
    exec(compile(plugin.text, plugin.file, "exec"), module.__dict__)


def _added(plugin: Plugin, before: Registers, after: Registers) -> Registers:
    """What a plug-in has registered; PluginError when it replaced what was there, or did nothing at all."""
    for old, new in zip(before, after, strict=True):
        if taken := [name for name in old if new.get(name) is not old[name]]:
            raise PluginError(
                f"{plugin.name} replaces {taken[0]}, which is there already; choose another name for yours."
            )
    added = tuple({n: v for n, v in new.items() if n not in old} for old, new in zip(before, after, strict=True))
    if plugin.file and not any(added):
        raise PluginError(
            f"{plugin.name} registers nothing; put @register above a policy, or @register_metric(…) above a metric "
            "(docs/EXTENDING.md)."
        )
    return added


def _forget(plugin: Plugin) -> None:
    for register, own in zip(_registers(), _registered[plugin], strict=True):
        for name, value in own.items():
            if register.get(name) is value:
                del register[name]
    del _loaded[plugin]


def _words(plugin: Plugin, error: BaseException) -> str:
    said = told(error, {plugin.file} if plugin.file else _files_of(plugin.module))
    if isinstance(error, SystemExit):
        said += " A plug-in must not end the program."
    elif isinstance(error, ModuleNotFoundError) and plugin.file:
        said += " A plug-in is one file: what it imports must be installed."
    return f"The plug-in {plugin.name} cannot be loaded. {said}"


def _files_of(module: str) -> set[str]:
    """Source files of an installed package, as far as Python can tell without running it."""
    try:
        spec = importlib.util.find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        return set()
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    found = {str(p) for place in places for p in Path(place).rglob("*.py")}
    return found | ({spec.origin} if spec is not None and spec.origin else set())
