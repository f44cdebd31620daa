"""What the files of the workspace declare, kept as long as they do not change. Must not know requests.

Used beside the loop, by several threads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock

from croqc.service.files import FileError, read_text
from croqc.text.record import record
from croqls.ide.declared import Declared, declared

_MOST_FILES = 5000
_MOST_FOLDERS = 20_000  # looked through, for a home folder as the workspace
_SKIPPED = ("node_modules", "__pycache__", "venv")  # and hidden folders


@record
class Indexed:
    """A text, and what it declares."""

    text: str
    found: tuple[Declared, ...]


class SymbolIndex:
    """One entry a file, by its size and time of change; of an open document by its text."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, Indexed]] = {}
        self._lock = Lock()

    def files(self, folders: Iterable[Path]) -> Iterator[Path]:
        """The `.co` files below some folders in a fixed order, each once; links to folders are not followed.

        What is no file is left out: nobody may ever write to a pipe.
        """
        seen: set[Path] = set()
        looked = 0
        for folder in folders:
            for place, below, names in os.walk(folder):
                looked += 1
                below[:] = sorted(name for name in below if name[0] != "." and name not in _SKIPPED)
                for name in sorted(names):
                    path = Path(place, name)
                    if name.endswith(".co") and path not in seen and os.path.isfile(path):
                        seen.add(path)
                        yield path
                if len(seen) >= _MOST_FILES or looked >= _MOST_FOLDERS:
                    return

    def file(self, path: Path) -> Indexed | None:
        """A file of the disk; None if it cannot be read."""
        try:
            state = path.stat()
            known = self._known.get(str(path))
            stamp = (state.st_mtime_ns, state.st_size)
            return (
                known[1] if known is not None and known[0] == stamp else self._keep(str(path), stamp, read_text(path))
            )
        except (OSError, FileError):
            return None

    def text(self, uri: str, text: str) -> Indexed:
        """An open document."""
        known = self._known.get(uri)
        return known[1] if known is not None and known[0] == text else self._keep(uri, text, text)

    def _keep(self, name: str, stamp: object, text: str) -> Indexed:
        made = Indexed(text, declared(text))
        with self._lock:
            self._known.pop(name, None)
            self._known[name] = stamp, made
            while len(self._known) > 2 * _MOST_FILES:
                self._known.pop(next(iter(self._known)))
        return made
