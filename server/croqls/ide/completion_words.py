"""Words of the language that fit at a place: keywords by terminal, operations behind their head. Must not rank names.

The words come from the tables of syntax, builtins and targets; nothing is listed here twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from croqc.builtins import ROWS
from croqc.builtins import lookup as row_of
from croqc.builtins.row import Row
from croqc.syntax.keywords import ELEMENT_TYPES, LEVELS, MMA_SUFFIXES, MODIFIERS, OPERATIONS
from croqc.syntax.terminals import WORDS
from croqc.targets.table import Target
from croqls.ide.items import ItemKind

Word = tuple[str, ItemKind, str]  # the word, what it is, the key of its row

_SHARED_BY = {
    "LEVEL": LEVELS,
    "FRAGOP": ("copy", "reduce_max", "reduce_sum", "all_reduce_sum"),
    "APPLY": ("apply",),
}
_KINDS = {
    **dict.fromkeys(("ELEM", "SCALAR", "VOID", "AUTO", "STREAM", "MDSPAN", "ITUPLE", "EVENT"), ItemKind.TYPE),
    **dict.fromkeys(("MATH", "CDIV", "TO", "ATOMIC", "BARRIER", "PRINT", "ASSERT", "CPP", "FRAGOP"), ItemKind.FUNCTION),
    **dict.fromkeys(("TRUTH", "INF", "NULLPTR"), ItemKind.CONSTANT),
    **dict.fromkeys(("ENGINE", "MMA"), ItemKind.OPERATION),
}
_NEVER = frozenset({"RESERVED", "SOFT", "GOTO", "VOLATILE", "COOPERATIVE", "__asm__"})  # only in forms of their own
_TMA_ONLY = frozenset({"evict_first", "evict_last", "multicast", "promote"})
_LONG = frozenset({"swizzle"})  # spells what a shorter word spells


@cache
def _words() -> dict[str, tuple[str, ...]]:
    """The words of each terminal; of an element type its canonical names alone."""
    found: dict[str, list[str]] = {}
    for word, terminal in WORDS.items():
        if terminal not in _NEVER and word not in _NEVER and ELEMENT_TYPES.get(word, word) == word:
            found.setdefault(terminal, []).append(word)
    return {terminal: tuple(words) for terminal, words in found.items()} | _SHARED_BY


def words_of(terminals: Iterable[str], target: Target) -> Iterator[Word]:
    """The words that have one of the terminals and that the target knows."""
    table = _words()
    for terminal in sorted(terminals):
        for word in table.get(terminal, ()):
            row = row_of(word)
            if row is None or row.needs <= target.features:
                yield word, _KINDS.get(terminal, ItemKind.KEYWORD), row.word if row else ""


def operations(head: tuple[str, ...], target: Target) -> Iterator[Word]:
    """What may follow the dot behind the words of an operation, in the order of the reference (1.4)."""
    names = _following(head, target)
    for name in names:
        if name in ELEMENT_TYPES:
            yield name, ItemKind.TYPE, name
            continue
        row = _row(head, name)
        if row is None or row.needs <= target.features:
            kind = ItemKind.OPERATION if len(head) == 1 else ItemKind.MEMBER
            yield name, kind, row.word if row else ""


def _row(head: tuple[str, ...], name: str) -> Row | None:
    for key in (".".join((*head, name)), f"{head[0]}.{name}" if len(head) == 1 else f".{name}"):
        if key in ROWS:
            return ROWS[key]
    return row_of(name)


def _following(head: tuple[str, ...], target: Target) -> tuple[str, ...]:
    engine, words = head[0], head[1:]
    if engine == "frag" and not words:
        return accumulators(target)
    if not words:
        known = OPERATIONS.get(engine, ())
        return tuple(word for word in known if not (engine == "tma" and word in ("transp", "pad")))  # TMA has neither
    if engine in ("dma", "tma"):
        return _modifiers(engine, words)
    return _multiply(words, target) if engine == "mma" else ()


def _modifiers(engine: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The modifiers behind those that are written, in their legal order (1.4.1)."""
    if words[0] == "any":
        return ()
    order = list(MODIFIERS)
    at = max((order.index(word) for word in words[1:] if word in order), default=-1)
    rest = [word for word in order[at + 1 :] if word not in _LONG]
    loads = engine == "tma" and words[0] == "load"
    return tuple(
        word for word in rest if word not in _TMA_ONLY or (engine == "tma" and (loads or not word.startswith("evict")))
    )


def _multiply(words: tuple[str, ...], target: Target) -> tuple[str, ...]:
    """The suffixes of `mma` (1.4.2)."""
    first, rest = words[0], words[1:]
    if first == "fill":
        return () if rest else accumulators(target)
    if first in ("row", "col"):
        if not rest:
            return MMA_SUFFIXES[first]
        return () if rest[1:] else MMA_SUFFIXES["layout"]
    return tuple(word for word in MMA_SUFFIXES.get(first, ()) if word not in rest and word not in _LONG)


@cache
def accumulators(target: Target) -> tuple[str, ...]:
    """The element types that multiplies of the target gather in."""
    return tuple(dict.fromkeys(name for row in target.mma for name in row.acc))


@cache
def operand_types(target: Target) -> frozenset[str]:
    """The element types that multiplies of the target take or give."""
    return frozenset(name for row in target.mma for pair in row.types for name in pair) | set(accumulators(target))
