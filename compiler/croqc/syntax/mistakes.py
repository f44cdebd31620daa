"""What the scanner says about text that is no token, and the token that it puts in its place.

Each mistake has one finding; the replacement keeps the parser from adding a second. Must not read on by itself:
every function here looks at one place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from croqc.syntax.reports import lexical, preprocessing
from croqc.syntax.tokens import Kind, Token
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit
from croqc.text.record import replace
from croqc.text.span import Span

_LEGAL = re.compile(r"[0-9]+\.[0-9]+[fF]?|(?:0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)(?P<suffix>[uU]?(?:[lL]{1,2})?)")
_DIGITS_OF_REAL = re.compile(r"\.[0-9]+[fF]?")
_SWAPPED_SUFFIX = re.compile(r"(.*?)(l{1,2}|L{1,2})([uU])\Z")
_EXPONENT = re.compile(r"([0-9]+(?:\.[0-9]*)?)[eE]([0-9]{1,3})([fF]?)")
_MOST_ZEROS = 40  # behind which no f32 is left
_LINE_REST = re.compile(r"[^\r\n]*")
_MULTI_LINE_STRING = re.compile(r'"(?:[^"\\]|\\[\s\S])*"')
_QUOTED = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*"?')
_STATEMENT_TAIL = re.compile(r"[\s),;\]}]*\Z")
_SEPARATED = re.compile(r"(?:'[0-9a-fA-F]+)+[uUlLfF]*")  # the rest of a C++ number with digit separators
_CHARACTER = re.compile(r"'((?:[^'\\\r\n]|\\[^\r\n])*)'")

LARGEST = 9223372036854775807
LARGEST_UNSIGNED = 18446744073709551615

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


def number(text: str, start: int, before: Token | None) -> tuple[Kind | None, str, tuple[Diagnostic, ...]]:
    """The kind of a number, its legal text and what is wrong with it (1.3.5, 1.3.6).

    `before` is the token directly before it, no blank between. The kind is None where no value can stand.
    """
    if text.startswith("."):
        finding = lexical(
            f"unknown member '{text}'", start, start + len(text), "a number needs a digit before the point"
        )
        operand = before is not None and (before.kind is not Kind.OP or before.text in (")", "]"))
        return (None if operand else Kind.REAL), f"0{_digits(text)}", (finding,)
    found = _LEGAL.match(text)
    assert found is not None
    legal, kind = found[0], Kind.REAL if "." in found[0] else Kind.INT
    if legal == text:
        return kind, text, _range(text, found["suffix"], start) if kind is Kind.INT else ()
    rest, at = text[len(legal) :], start + len(legal)
    if rest == ".":
        finding = lexical("a number needs a digit behind the point", at, at + 1, f"write '{legal}.0'")
        return Kind.REAL, f"{legal}.0", (finding,)
    finding = lexical(f"invalid suffix '{rest}' on number", at, start + len(text), _suffix_hint(text, rest))
    if digits := _without_exponent(text):
        edits = (Edit(Span(start, start + len(text)), digits),)
        finding = replace(finding, fixes=(Fix(f"Write '{digits}'", edits, safe=False),))
    return kind, legal, (finding,)


def _without_exponent(text: str) -> str:
    """The digits of a number with an exponent, `100000.0` for `1e5`; empty for another or a very long one."""
    found = _EXPONENT.fullmatch(text)
    if found is None or int(found[2]) > _MOST_ZEROS:
        return ""
    whole, _, part = found[1].partition(".")
    zeros = int(found[2])
    digits, rest = whole + part[:zeros].ljust(zeros, "0"), part[zeros:] or "0"
    return f"{digits.lstrip('0') or '0'}.{rest}{found[3]}"


def _digits(text: str) -> str:
    found = _DIGITS_OF_REAL.match(text)
    return found[0] if found else ".0"


def _suffix_hint(text: str, rest: str) -> str:
    if text[0] == "0" and rest[0].isdigit():
        return "octal literals do not exist"
    if rest[0] in "bB" and text[0] == "0":
        return "binary literals do not exist; write it in decimal or as '0x...'"
    if swapped := _SWAPPED_SUFFIX.match(text):
        return f"write '{swapped[1]}{swapped[3]}{swapped[2]}'"
    if rest[0] in "eE":
        digits = _without_exponent(text)
        written = f"write '{digits}'" if digits else "write all digits"
        return f"numbers have no exponent; {written}, or 'inf' for infinity"
    if "." in text and "." not in rest:
        return "the only suffix of a number with a point is 'f'"
    return ""


def _range(text: str, suffix: str, start: int) -> tuple[Diagnostic, ...]:
    digits = text[: len(text) - len(suffix)]
    unsigned = suffix[:1] in ("u", "U")
    largest = LARGEST_UNSIGNED if unsigned else LARGEST
    hexadecimal = digits[:2] in ("0x", "0X")
    significant = digits[2:].lstrip("0") if hexadecimal else digits
    # A very long numeral is not converted: Python refuses, since it takes quadratic time.
    value = int(significant or "0", 16 if hexadecimal else 10) if len(significant) <= 20 else LARGEST_UNSIGNED + 1
    if value <= largest:
        return ()
    fits_unsigned = value <= LARGEST_UNSIGNED
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    return (
        lexical(
            f"integer literal '{shown}' is out of range [0, {largest}]",
            start,
            start + len(text),
            "the suffix 'u' doubles the range" if fits_unsigned and not unsigned else "",
        ),
    )


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
