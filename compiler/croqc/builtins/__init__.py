"""What a person is told about the words of the language: one row a word. Must not analyse."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType
from typing import Final

from croqc.builtins.functions import EFFECTS, MATHS
from croqc.builtins.members import MEMBERS
from croqc.builtins.movement import MODIFIERS, MOVEMENT
from croqc.builtins.multiply import FRAGMENTS, MULTIPLY
from croqc.builtins.row import Row
from croqc.builtins.statements import STRUCTURE, SYNC
from croqc.builtins.words import CONSTANTS, LEVELS, OLDER, STORAGE, TYPES

# Earlier tables win where a word has two meanings without its context.
GROUPS: Final[tuple[tuple[str, tuple[Row, ...]], ...]] = (
    ("copies", MOVEMENT),
    ("multiplies", MULTIPLY),
    ("modifiers of copies", MODIFIERS),
    ("fragments", FRAGMENTS),
    ("views and members", MEMBERS),
    ("structure", STRUCTURE),
    ("synchronisation", SYNC),
    ("mathematics", MATHS),
    ("effects", EFFECTS),
    ("levels", LEVELS),
    ("storage", STORAGE),
    ("types", TYPES),
    ("constants", CONSTANTS),
    ("older words", OLDER),
)
_TABLES: Final = tuple(rows for _, rows in GROUPS)

ROWS: Final[Mapping[str, Row]] = MappingProxyType({row.word: row for row in chain(*reversed(_TABLES))})

_BY_NAME: Final[Mapping[str, Row]] = MappingProxyType({row.name: row for row in chain(*reversed(_TABLES))})


def lookup(word: str, after: str = "") -> Row | None:
    """The row of a word; `after` is the word in front of its dot, as `dma` in `dma.copy`. None if there is none.

    A word that only exists behind a dot is also found without it, so that a hover needs no context.
    """
    exact = (f"{after}.{word}", f".{word}") if after else ()
    for key in (*exact, word, f".{word}"):
        if key in ROWS:
            return ROWS[key]
    return _BY_NAME.get(word)


def operation(word: str, behind: str) -> Row | None:
    """The row of `behind` behind the dot of `word` alone, as that of `mma.load`; None if there is none of its own."""
    return ROWS.get(f"{word}.{behind}")


def completions(after: str) -> tuple[Row, ...]:
    """The rows of the operations that may follow `after` and a dot (`dma`, `tma`, `mma`, `sync` …), by name."""
    return tuple(sorted((row for key, row in ROWS.items() if key.rpartition(".")[0] == after), key=lambda r: r.name))
