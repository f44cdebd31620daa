"""The macros that fit at a place: those whose text begins with what the parser takes there. Must not know LSP types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from croqc.syntax.acceptable import Acceptable, terminal_at
from croqc.syntax.macros import body_of
from croqc.syntax.tokens import FunctionText, Kind, Macro, Token
from croqls.ide.snapshot import Snapshot

_NUMBERS = (Kind.INT, Kind.REAL)


def macros_before(snapshot: Snapshot, offset: int) -> tuple[Macro, ...]:
    """The macros defined in front of a place, the last definition of each."""
    pre = snapshot.report.tree.pre
    return tuple({one.name: one for one in pre.macros if one.span is None or one.span.start < offset}.values())


def fitting_macros(
    macros: tuple[Macro, ...], source: FunctionText, place: int, known: Acceptable, names: bool
) -> Iterator[Macro]:
    """Those that may stand at a place of a function; `names`: whether a name of something known is due there.

    Of a text the first token decides; one that begins with an argument, or is not known, counts as a name. One that
    begins with a sign stands for a value: `(` fits where a call's arguments are due, too.
    """
    table = {one.name: one for one in macros}
    terminals: dict[tuple[Kind, str], str] = {}
    for macro in macros:
        first = _first(macro, table)
        if first is None:
            fits = names
        else:
            key = (first.kind, "" if first.kind in _NUMBERS else first.text)
            terminal = terminals.get(key) or terminals.setdefault(key, terminal_at(source, place, first))
            named = terminal == "NAME" or first.kind is Kind.OP
            fits = terminal in known.terminals and (names or not named)
        if fits:
            yield macro


def _first(macro: Macro, table: Mapping[str, Macro]) -> Token | None:
    """The first token of what a macro stands for, a sign in front of a number left out; None if the use decides."""
    seen: set[str] = set()
    while macro.name not in seen:
        seen.add(macro.name)
        tokens = body_of(macro.body).tokens
        if macro.opaque or not tokens or tokens[0].text in (macro.params or ()):
            return None
        first = tokens[1] if tokens[0].text == "-" and len(tokens) > 1 and tokens[1].kind in _NUMBERS else tokens[0]
        inner = table.get(first.text) if first.kind is Kind.WORD else None
        if inner is None:
            return first
        macro = inner
    return None
