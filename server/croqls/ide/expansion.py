"""What a use of a macro becomes, through all the macros inside it. Must not expand (see `croqc.syntax.macros`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from croqc.service.check import FunctionReport
from croqc.syntax.tokens import Token
from croqc.text.span import Span
from croqls.ide.macro_links import definition
from croqls.ide.snapshot import Snapshot

_STEP = "  "
_BEHIND_BLOCK = frozenset({";", ",", ")"})  # stands on the line of the brace before it


@dataclass(frozen=True, slots=True)
class Expansion:
    """`span`: the use with its arguments, absolute. `defined`: the macro's name in its `#define`, None where that
    stands in no file. `text` may be empty."""

    name: str
    span: Span
    defined: Span | None
    text: str


def expansion_at(snapshot: Snapshot, offset: int) -> Expansion | None:
    """Of the use that an absolute offset touches; of uses in another one's arguments, that of the outer one. None where
    there is none, and for one that cannot be expanded, which is a finding of its own."""
    function = snapshot.function_at(offset)
    if function is None:
        return None
    found = [one for one in _uses(function) if one[1].touches(offset - function.base)]
    if not found:
        return None
    name, span, tokens = max(found, key=lambda one: one[1].length)
    here = span.shift(function.base)
    macro = definition(snapshot.report, name, here.start)
    return Expansion(name, here, macro.span if macro else None, laid_out(tokens))


def _uses(function: FunctionReport) -> Iterator[tuple[str, Span, list[Token]]]:
    """Each use with the tokens that it became."""
    source = function.parsed.source
    made: dict[int, list[Token]] = {}
    kept = {token.start for token in source.tokens if token.macro is None}
    for token in source.tokens:
        if token.macro is not None:
            made.setdefault(token.start, []).append(token)
    for use, name in source.macro_uses:
        dotted = made.get(use.start - 1, [])  # a word that was joined with the dot in front of the use
        own = made.get(use.start, [])
        if dotted and dotted[0].text.startswith(".") and dotted[0].macro == name:
            own = [_undotted(dotted[0]), *own]
        end = max((token.end for token in own), default=use.end)
        if use.start not in kept:
            yield name, Span(use.start, end), own


def _undotted(token: Token) -> Token:
    return Token(token.kind, token.text[1:], token.start + 1, token.end, token.macro)


def laid_out(tokens: Sequence[Token]) -> str:
    """The tokens with the blanks of the replacement text; a line for each statement, and blocks indented."""
    blocks = _blocks(tokens)
    lines, line, depth, around = list[str](), "", 0, 0
    for index, token in enumerate(tokens):
        opens, closes = index in blocks and token.text == "{", index in blocks and token.text == "}"
        if closes:
            lines += [line] if line.strip() else []
            depth = max(0, depth - 1)
            line = _STEP * depth
        line += (" " if token.spaced and line.strip() else "") + token.text
        depth += opens
        around += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.text, 0)
        behind = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if opens or (closes and behind not in _BEHIND_BLOCK) or (token.text == ";" and around <= 0):
            lines.append(line)
            line = _STEP * depth
    return "\n".join([*lines, line] if line.strip() else lines)


def _blocks(tokens: Sequence[Token]) -> set[int]:
    """The braces around statements, those without a partner among them; braces of an index list are none."""
    found, opened = set[int](), list[tuple[int, bool]]()
    for index, token in enumerate(tokens):
        if token.text == "{":
            opened.append((index, False))
        elif token.text == "}":
            start, block = opened.pop() if opened else (index, True)
            found |= {start, index} if block else set()
        elif token.text == ";":
            opened = [(start, True) for start, _ in opened]
    return found | {start for start, _ in opened}
