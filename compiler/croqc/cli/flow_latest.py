"""The flow of a file as it is now, worked out once for each state of the file and its `croq.toml`. Must not serve."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from croqc.service.files import FileError, demand_file
from croqc.service.flow import FlowResult, RequestError
from croqc.service.json_text import to_compact_json
from croqc.service.settings import SettingsError, find_project_file


@dataclass(frozen=True, slots=True)
class State:
    """`tag` names a state of the files. `data` is the flow as JSON; empty where `error` says why there is none."""

    tag: str
    data: str = ""
    error: str = ""


class Latest:
    """`now` may be called by several threads: one works, the others wait for what it finds."""

    def __init__(self, path: Path, result: Callable[[], FlowResult]) -> None:
        self._path, self._result = path, result
        self._lock = threading.Lock()
        self._state = State("")

    def now(self) -> State:
        with self._lock:
            tag = self._tag()  # before the files are read: what is written meanwhile has another
            if tag != self._state.tag:
                self._state = self._made(tag)
            return self._state

    def _made(self, tag: str) -> State:
        try:
            demand_file(self._path)  # whoever waits for a pipe to be written lets all others wait
            return State(tag, data=to_compact_json(self._result()))
        except (FileError, OSError, RequestError, SettingsError) as error:
            return State(tag, error=str(error))

    def _tag(self) -> str:
        """Times and sizes of what is read. A file that is missing or replaced by another has its own tag."""
        found = hashlib.sha256()
        for path in (self._path, find_project_file(self._path)):
            found.update(_written(path).encode("utf-8", "surrogateescape"))
        return found.hexdigest()[:32]


def _written(path: Path | None) -> str:
    try:
        known = path.stat() if path else None
    except OSError as error:
        return f"{path} {error.errno};"
    return f"{path} {known.st_mtime_ns} {known.st_size} {known.st_ino};" if known else ";"
