"""Where a function could not be read as it stands, so that what analysis finds there may only follow from that.

One mistake has one message: analysis says nothing of a statement that has a syntax error, nor that a name is missing
which such a statement may have been meant to declare. Must not report anything itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from croqc.syntax.tokens import Kind, Token
from croqc.text.record import record
from croqc.text.span import Span


@record(eq=False)
class Doubts:
    """`spans` are statements with a syntax error, in order and apart; `names` the words in them, each with the offset
    from which it may be declared."""

    spans: tuple[Span, ...]
    names: Mapping[str, int]

    def covers(self, offset: int) -> bool:
        """Whether a statement in doubt stands at a place."""
        index = bisect_right(self.spans, offset, key=lambda span: span.start) - 1
        return index >= 0 and self.spans[index].contains(offset)

    def may_declare(self, name: str, offset: int) -> bool:
        """Whether a name at a place may be declared by a statement in doubt."""
        return self.names.get(name, offset + 1) <= offset


def statement_ends(tokens: Sequence[Token], added: Iterable[int]) -> list[int]:
    """Where statements and headers end, in order: what closes them, and what recovery put in (`added`)."""
    following: list[Token | None] = [*tokens[1:], None]
    written = [
        token.end
        for token, after in zip(tokens, following, strict=False)
        if token.type == "_SEMI" or (token.type in ("_LBRACE", "_RBRACE") and (after is None or after.line_first))
    ]
    return sorted([*written, *added])


def doubts(ends: Sequence[int], tokens: Iterable[Token], wrong: Iterable[int], length: int) -> Doubts | None:
    """The doubts of a function of `length` characters with syntax errors at the places `wrong`; None without any."""
    places = sorted({bisect_right(ends, offset) for offset in wrong})
    if not places:
        return None
    bounds = [0, *ends, length]
    found = Doubts(tuple(Span(bounds[index], bounds[index + 1]) for index in places), {})
    names: dict[str, int] = {}
    for token in tokens:
        if token.kind is Kind.WORD and found.covers(token.start):
            names.setdefault(token.text, token.start)
    return Doubts(found.spans, names)
