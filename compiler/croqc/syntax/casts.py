"""Casts of C++ in a function that does not parse: `(float)x`, `static_cast<int>(x)`, `float(x)` become `__to<f32>(x)`
(reference, 3.1). Works on tokens, since a type word in an expression fits no grammar. Must not touch good text: a type
between two parentheses, or in front of one, stands nowhere in the language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from croqc.syntax.keywords import CONVERSION, ELEMENT_TYPES
from croqc.syntax.tokens import Kind, Token
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit
from croqc.text.record import record
from croqc.text.span import Span

STATIC_CAST: Final = "static_cast"
_CODE: Final = "syntax-error"
TYPES_OF_C: Final[Mapping[str, str]] = {
    "int8_t": "s8", "int16_t": "s16", "int32_t": "s32", "int64_t": "s64", "short": "s16", "signed": "s32",
    "uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "uint64_t": "u64", "unsigned": "u32", "uint": "u32",
    "size_t": "u64", "__half": "f16", "__nv_bfloat16": "bf16", "nv_bfloat16": "bf16",
}  # fmt: skip
_RESERVED: Final[Mapping[str, str]] = {**ELEMENT_TYPES, "int": "s32"}
_TYPES: Final[Mapping[str, str]] = {**_RESERVED, **TYPES_OF_C}
_MOST: Final = 500  # in a function: each looks for the end of its operand
_CLOSERS: Final = frozenset({")", "]", "}", ";"})


@record
class _Cast:
    """Tokens `first` to `last` (not included) stand for the conversion of what follows; `bare` if that has no
    parentheses of its own."""

    first: int
    last: int
    elem: str
    bare: bool
    message: str


def without_casts(tokens: Sequence[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens with each cast as the conversion that it means, and what is said of it."""
    out, found = list(tokens), list[Diagnostic]()
    for index in range(len(tokens) - 1, -1, -1):  # from the right: the operand of a cast may be a cast
        cast = _cast(out, index)
        if cast is not None and len(found) < _MOST:
            found.append(_rewrite(out, cast))
    return out, found[::-1]


def _cast(tokens: Sequence[Token], index: int) -> _Cast | None:
    """The cast that begins with token `index`."""
    texts = [token.text for token in tokens[index : index + 5]]
    if len(texts) < 5:
        return None
    match texts:
        case [word_of_c, "<", word, ">", "("] if word_of_c == STATIC_CAST and word in _TYPES:
            return _Cast(index, index + 4, _TYPES[word], False, f"there is no '{STATIC_CAST}'")
        case ["(", word, ")", _, _] if word in _TYPES and _operand_due(tokens, index):
            bare = texts[3] != "("
            if not bare or _starts_operand(tokens[index + 3]):
                return _Cast(index, index + 3, _TYPES[word], bare, "there are no casts as in C")
        case [word, "(", _, _, _] if word in _RESERVED and _operand_due(tokens, index):
            return _Cast(index, index + 1, _RESERVED[word], False, f"'{word}' is no function")
    return None


def _operand_due(tokens: Sequence[Token], index: int) -> bool:
    """Whether a value begins at `index`: behind an operator, an opening bracket or another cast."""
    before = tokens[index - 1] if index else None
    if index > 3 and [token.text for token in tokens[index - 3 : index : 2]] == ["(", ")"]:
        return tokens[index - 2].text in _TYPES
    if before is None or before.text in _CLOSERS:
        return False
    return before.kind is Kind.OP or before.text == "return"


def _starts_operand(token: Token) -> bool:
    return token.kind in (Kind.WORD, Kind.INT, Kind.REAL)


def _operand_end(tokens: Sequence[Token], index: int) -> int:
    """The index behind the operand that begins at `index`: a value with its members, subscripts and arguments."""
    index += 1
    while index < len(tokens):
        text = tokens[index].text
        if text in ("(", "["):
            index = _behind_bracket(tokens, index)
        elif text == "<" and tokens[index - 1].text == CONVERSION:
            index += 3
        elif tokens[index].kind is Kind.DOTTED:
            index += 1
        else:
            break
    return index


def _behind_bracket(tokens: Sequence[Token], index: int) -> int:
    depth = 0
    while index < len(tokens):
        text = tokens[index].text
        if text in (";", "{", "}"):
            return index
        depth += (text in ("(", "[")) - (text in (")", "]"))
        index += 1
        if not depth:
            return index
    return index


def _rewrite(tokens: list[Token], cast: _Cast) -> Diagnostic:
    """Put the conversion in place of a cast; what is said of it."""
    span = Span(tokens[cast.first].start, tokens[cast.last - 1].end)
    behind = _operand_end(tokens, cast.last) if cast.bare else cast.last
    end = tokens[behind - 1].end
    head = tokens[cast.first]
    typed = all(token.macro is None for token in tokens[cast.first : behind])  # else the text there is the macro's use
    words = [(Kind.WORD, CONVERSION), (Kind.OP, "<"), (Kind.WORD, cast.elem), (Kind.OP, ">")]
    made = [
        Token(kind, text, span.start, span.end, head.macro, head.line_first, head.spaced) for kind, text in words[:1]
    ]
    made += [Token(kind, text, span.end, span.end, head.macro) for kind, text in words[1:]]
    written = f"__to<{cast.elem}>"
    edits: tuple[Edit, ...] = (Edit(span, written),)
    if cast.bare:
        made.append(Token(Kind.OP, "(", span.end, span.end))
        tokens.insert(behind, Token(Kind.OP, ")", end, end))
        edits = (Edit(span, f"{written}("), Edit(Span(end, end), ")"))
    tokens[cast.first : cast.last] = made
    fixes = (Fix(f"Convert with '{written}'", edits),) if typed else ()
    return Diagnostic(_CODE, Severity.ERROR, cast.message, span, f"write '{written}(…)'", (), fixes)
