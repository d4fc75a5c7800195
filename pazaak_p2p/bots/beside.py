"""Modules that lie beside the files of Python bots: each bot gets its own, also of the same name.

Two versions of a bot lie in two folders, say, and each imports its ``strategy``. To Python there is
one module of a name. So while a bot is loaded, what lies beside it goes by its name; after that,
names that several have are refused: who imports one only when it is asked fails, and does not play
with another's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import all_suffixes
from pathlib import Path
from types import ModuleType
from typing import Any, Final

_PROGRAM: Final = Path(__file__).parents[1]
"""This program's own package. There may be copies of it beside bots, as in a clone."""

_SUFFIXES: Final = tuple(all_suffixes())
"""Of all that Python imports: sources, and what is compiled."""

_OF: Final[dict[Path, dict[str, ModuleType]]] = {}
"""Of each folder from which bots were loaded, the modules that came from there."""


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    """Meanwhile, and as long as no other bot has any of the same name, modules are found in
    *folder* too.
    """
    ours = _OF.setdefault(folder, {})
    names, others = _names(folder), [other for other in _OF if other != folder]
    shared = names & {name for other in others for name in _names(other)}
    loaded: dict[str, Any] = sys.modules
    for name, module in list(loaded.items()):
        if _top(name) in shared and any(_is_in(other, module) for other in others):
            del loaded[name]
    loaded.update(ours)
    _look_in(folder)
    if _REFUSED not in sys.meta_path:
        sys.meta_path.insert(0, _REFUSED)
    refused, _REFUSED.names = _REFUSED.names, set()
    before = set(loaded)
    try:
        yield
    finally:
        came = {name for name in loaded if name not in before and _top(name) in names}
        ours |= {name: loaded[name] for name in came if _is_in(folder, loaded[name])}
        for name in [name for name in ours if _top(name) in shared]:
            loaded.pop(name, None)
        _REFUSED.names = refused | shared


class _Refused(MetaPathFinder):
    """Finds nothing, and has Python look no further for *names*."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        if name in self.names:
            raise ImportError(f"other bots have a module {name} too; import it at the top")


_REFUSED: Final = _Refused()


def _look_in(folder: Path) -> None:
    """Look in *folder* right after Python's own modules.

    So before the folders of other bots, of which a process that was started from here may have
    inherited some; but never before this program, of which there may be another version.
    """
    library = os.path.dirname(os.__file__)
    own = [library, os.path.join(library, "lib-dynload")]
    if (folder / _PROGRAM.name).exists():
        own.append(str(_PROGRAM.parent))
    rest = [where for where in sys.path if where != str(folder)]
    last = max((at for at, where in enumerate(rest) if where in own), default=-1)
    sys.path[:] = [*rest[: last + 1], str(folder), *rest[last + 1 :]]


def _names(folder: Path) -> set[str]:
    """What can be imported from *folder* that is no part of Python, nor of this program."""
    try:
        found = {
            path.name if path.is_dir() else _top(path.name)
            for path in folder.iterdir()
            if path.name.endswith(_SUFFIXES) or path.is_dir()
        }
    except OSError:
        return set()
    ours = {*sys.stdlib_module_names, _PROGRAM.name}
    return {name for name in found if name.isidentifier()} - ours


def _top(name: str) -> str:
    return name.partition(".")[0]


def _is_in(folder: Path, module: Any) -> bool:
    try:
        where = module.__file__ or next(iter(module.__path__))
        return folder in Path(where).parents
    except Exception:  # it may be anything
        return False
