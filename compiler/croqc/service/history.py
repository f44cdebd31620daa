"""What came of earlier runs, kept in the user's state folder from one start of the server to the next.

Figures and verdicts alone, never source text or what a kernel printed; of what was run, a hash. Must not fail because
nothing can be kept: then one line of the log says so. Must not run or judge.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from croqc.text.record import record

if TYPE_CHECKING:
    from sqlite3 import Connection

KEPT: Final = 100  # runs of a document
_MOST: Final = 20_000  # runs in all
_LONGEST: Final = 4096  # characters of an entry
_PATIENCE: Final = 2.0  # seconds for another process that writes
_FIELDS: Final = {
    "function": str,
    "name": str,
    "verdict": str,
    "engine": str,
    "arch": str,
    "sizes": dict,
    "seed": int,
    "schedule": int,
    "time": float,
    "compileTime": float,
    "timing": dict | None,
}
_OVERLOAD: Final = "overload"  # of a run that was kept before there was one it is 0
_LIKENESS: Final = "likeness"  # beside the fields of the entry
_TABLE = "create table if not exists runs (number integer primary key, document text, at text, run text)"
_INDEX = "create index if not exists of_document on runs (document, number)"
_LOG = logging.getLogger(__name__)


@record
class Kept:
    """An earlier run: when it ended (UTC, ISO 8601), its entry as in `croq run --json`, as far as it is kept, and a
    hash of what was run, empty where it is not known. The entries of one run have one time."""

    at: str
    run: Mapping[str, Any]
    likeness: str = ""


def state_folder() -> Path:
    """The user's folder for what is worth keeping and can be lost (XDG Base Directory Specification 0.8)."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/.local/state")
    return Path(base) / "croqtile"


def kept_part(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an entry of `croq run --json` that are kept."""
    return {name: entry[name] for name in (*_FIELDS, _OVERLOAD) if name in entry}


class History:
    """The runs of all documents in one database, which several processes may use at once.

    Documents are told apart by a hash of their address: the file names none.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or state_folder() / "runs-1.sqlite"
        self._said: set[str] = set()

    def read(self, document: str) -> list[Kept]:
        """The last runs of a document, oldest first; none where nothing can be read."""
        query = "select at, run from runs where document = ? order by number desc limit ?"
        rows: list[tuple[Any, Any]] = []
        if os.path.exists(self.path):
            self._with(lambda base: rows.extend(base.execute(query, (_hashed(document), KEPT))))
        found = [kept for at, text in reversed(rows) if (kept := _decoded(at, text)) is not None]
        return found

    def add(self, document: str, runs: Sequence[Kept]) -> None:
        """Keeps some runs of a document, and drops the oldest that are too many."""
        texts = [
            (one.at, json.dumps({**kept_part(one.run), _LIKENESS: one.likeness}, separators=(",", ":"))) for one in runs
        ]
        name = _hashed(document)
        rows = [(name, at, text) for at, text in texts if len(text) <= _LONGEST]

        def write(base: Connection) -> None:
            base.executemany("insert into runs (document, at, run) values (?, ?, ?)", rows)
            older = "select number from runs where document = ? order by number desc limit -1 offset ?"
            base.execute(f"delete from runs where number in ({older})", (name, KEPT))
            base.execute("delete from runs where number <= (select max(number) from runs) - ?", (_MOST,))

        if rows:
            self._with(write)

    def _with(self, work: Callable[[Connection], object]) -> None:
        """Works on the database; one that is damaged is set aside, and the next work begins a new one."""
        try:
            import sqlite3  # here: some Pythons are built without it
        except ImportError as error:
            self._say(f"runs are not kept: {error}")
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as base, base:
                base.execute(_TABLE)
                base.execute(_INDEX)
                work(base)
        except (OSError, sqlite3.Error) as error:
            # Else there is no right, no room, or it is in use for too long.
            damaged = getattr(error, "sqlite_errorname", "") in ("SQLITE_CORRUPT", "SQLITE_NOTADB")
            if not damaged:
                self._say(f"runs are not kept in {self.path}: {error}")
                return
            self._say(f"{self.path} is damaged and set aside: {error}")
            with suppress(OSError):
                self.path.replace(self.path.with_suffix(".damaged"))

    def _say(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            _LOG.warning("%s", text)


def _hashed(document: str) -> str:
    return sha256(document.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _decoded(at: Any, text: Any) -> Kept | None:
    """A row of the database; None for one that is none of ours."""
    try:
        data = json.loads(text)
        fits = isinstance(data, dict) and isinstance(at, str)
        if not fits or any(not _fits(data[name], kind) for name, kind in _FIELDS.items()):
            return None
        if not _fits(data.setdefault(_OVERLOAD, 0), int):
            return None
        likeness = data.pop(_LIKENESS, "")
        return Kept(at, data, likeness if isinstance(likeness, str) else "")
    except (ValueError, KeyError, TypeError):
        return None


def _fits(value: Any, kind: Any) -> bool:
    return isinstance(value, int | float if kind is float else kind) and not isinstance(value, bool)
