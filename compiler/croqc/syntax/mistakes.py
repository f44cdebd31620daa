"""What the scanner says about text that is no token, and the token that it puts in its place.

Each mistake has one finding; the replacement keeps the parser from adding a second. Must not read on by itself:
every function here looks at one place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from croqc.syntax.reports import lexical, preprocessing
from croqc.syntax.tokens import Kind, Token
from croqc.text.diagnostics import Diagnostic, Severity

_LINE_REST = re.compile(r"[^\r\n]*")
_MULTI_LINE_STRING = re.compile(r'"(?:[^"\\]|\\[\s\S])*"')
_QUOTED = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*"?')
_STATEMENT_TAIL = re.compile(r"[\s),;\]}]*\Z")
_SEPARATED = re.compile(r"(?:'[0-9a-fA-F]+)+[uUlLfF]*")  # the rest of a C++ number with digit separators
_CHARACTER = re.compile(r"'((?:[^'\\\r\n]|\\[^\r\n])*)'")

_MEANT = {
    "\u00a0": "a no-break space; write a blank",
    "\u200b": "a zero-width space; delete it",
    "\ufeff": "a byte-order mark; delete it",
    "\u201c": "write '\"'",
    "\u201d": "write '\"'",
    "\u2013": "write '-'",
    "\u2212": "write '-'",
    "\u00d7": "write '*'",
    "\u2264": "write '<='",
    "\u2265": "write '>='",
    "\u2260": "write '!='",
    "\u2192": "write '=>'",
    "\u21d2": "write '=>'",
}


class Slip(NamedTuple):
    """The token that stands for a mistake: kind, text, end offset, and the finding."""

    kind: Kind
    text: str
    end: int
    findings: tuple[Diagnostic, ...]


def other(whole: str, text: str, start: int) -> Slip:
    """A quote without its partner, a character literal, or characters that start no token."""
    if text in ('"', "R"):
        return _string(whole, start)
    if text == "'" and whole[start - 1].isdigit() and (found := _SEPARATED.match(whole, start)):
        finding = lexical("unexpected character '''", start, start + 1, "write the digits of a number together")
        return Slip(Kind.BAD, found[0], found.end(), (finding,))
    if text == "'" and (found := _CHARACTER.match(whole, start)):
        finding = lexical("unexpected character '''", start, found.end(), "character literals do not exist")
        if len(found[1].lstrip("\\")) == 1:
            return Slip(Kind.INT, "0", found.end(), (finding,))
        return Slip(Kind.STRING, '"' + found[1].replace('"', '\\"') + '"', found.end(), (finding,))
    end = start + len(text)
    plural = "" if len(text) == 1 else "s"
    hint = _MEANT.get(text[0], "character literals do not exist" if text == "'" else "")
    finding = lexical(f"unexpected character{plural} '{_shown(text)}'", start, end, hint)
    return Slip(Kind.BAD, text, end, (finding,))


def _shown(text: str) -> str:
    shown = "".join(ch if ch.isprintable() else f"U+{ord(ch):04X}" for ch in text[:20])
    return shown + ("..." if len(text) > 20 else "")


def _string(whole: str, start: int) -> Slip:
    """A string over several lines (1.3.7), or one whose closing quote is missing.

    The next quote, lines below, closes it if the rest of that line pairs its own quotes; otherwise the
    quote was forgotten, and what closes the statement on the first line is left to the statement.
    """
    if whole[start] == '"' and (found := _MULTI_LINE_STRING.match(whole, start)):
        rest = _LINE_REST.match(whole, found.end())
        if rest and all(len(quoted) > 1 and quoted[-1] == '"' for quoted in _QUOTED.findall(rest[0])):
            return Slip(Kind.STRING, found[0], found.end(), ())
    line = _LINE_REST.match(whole, start)
    assert line is not None
    tail = _STATEMENT_TAIL.search(line[0])
    end = max(start + (tail.start() if tail else 1), start + 1)
    opening = 2 if whole[start] == "R" else 1
    finding = lexical("unterminated string literal", start, start + opening, "add the closing quote")
    content = whole[start + opening : end].replace("\\", "")
    return Slip(Kind.STRING, f'"{content}"', max(end, start + opening), (finding,))


def blank_before_line_end(text: str, start: int) -> tuple[Diagnostic, ...]:
    """The warning about blanks between a backslash and the line end that it joins (1.2.2)."""
    if len(text.rstrip("\r\n")) == 1:
        return ()
    end = start + len(text.rstrip("\r\n"))
    return (
        preprocessing("backslash and newline separated by space", start, end, "delete the blanks", Severity.WARNING),
    )


def without_bad(tokens: list[Token], hits: list[int]) -> tuple[list[Token], list[int]]:
    """The tokens without those that are none. Between two operands, equally far from both, an unknown
    character was meant as an operator: then `+` stands for it, so that `n @ 2` is one mistake, not two. Where
    a value is missing without it, 0 stands for it."""
    kept: list[Token] = []
    new_hits: list[int] = []
    wanted = set(hits)
    for index, token in enumerate(tokens):
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.kind is not Kind.BAD:
            if index in wanted:
                new_hits.append(len(kept))
            kept.append(token)
        elif after and kept and _ends_operand(kept[-1]) and _starts_operand(after) and token.spaced == after.spaced:
            kept.append(Token(Kind.OP, "+", token.start, token.end, None, token.line_first, token.spaced))
        elif after and kept and _wants_operand(kept[-1]) and after.text in (";", ",", ")", "]"):
            kept.append(Token(Kind.INT, "0", token.start, token.end, None, token.line_first, token.spaced))
    return kept, new_hits


def _ends_operand(token: Token) -> bool:
    return token.kind in (Kind.WORD, Kind.INT, Kind.REAL) or token.text in (")", "]")


def _wants_operand(token: Token) -> bool:
    return token.kind is Kind.OP and token.text not in (")", "]", "{", "}", ";", ".", "++", "--")


def _starts_operand(token: Token) -> bool:
    return token.kind in (Kind.WORD, Kind.INT, Kind.REAL) or token.text == "("
