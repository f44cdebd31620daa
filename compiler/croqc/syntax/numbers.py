"""What the scanner says about numbers that are none here, and the number that was meant (reference, 1.3.5, 1.3.6).

Must not read on by itself: it is handed the characters of one number.
"""

from __future__ import annotations

import re

from croqc.syntax.reports import lexical
from croqc.syntax.tokens import Kind, Token
from croqc.text.diagnostics import Diagnostic, Fix
from croqc.text.edits import Edit
from croqc.text.record import replace
from croqc.text.span import Span

_LEGAL = re.compile(r"[0-9]+\.[0-9]+[fF]?|(?:0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)(?P<suffix>[uU]?(?:[lL]{1,2})?)")
_SWAPPED_SUFFIX = re.compile(r"(.*?)(l{1,2}|L{1,2})([uU])\Z")
_REAL_OF_C = re.compile(r"([0-9]*)(\.?)([0-9]*)(?:[eE]([-+]?[0-9]{1,3}))?([fF]?)")
_INFINITE = ", or 'inf' for infinity"
_HUGE = 20  # powers of ten from here on mostly stand for infinity
_MOST_ZEROS = 40  # behind which, or between which and the point, no f32 is left

LARGEST = 9223372036854775807
LARGEST_UNSIGNED = 18446744073709551615


def number(text: str, start: int, before: Token | None) -> tuple[Kind | None, str, tuple[Diagnostic, ...]]:
    """The kind of a number, its legal text and what is wrong with it (1.3.5, 1.3.6).

    `before` is the token directly before it, no blank between. The kind is None where no value can stand.
    """
    meant = _meant(text)
    if text.startswith(".") and before is not None and before.text == ".":
        return (
            None,
            text,
            (lexical("there is no '..'", before.start, start + 1, "a loop counts from 0: 'foreach i in n'"),),
        )
    if text.startswith("."):
        finding = lexical(
            f"unknown member '{text}'", start, start + len(text), "a number needs a digit before the point"
        )
        if before is not None and (before.kind is not Kind.OP or before.text in (")", "]")):
            return None, text, (finding,)
        return Kind.REAL, meant or "0.0", (_mended(finding, text, start, meant),)
    found = _LEGAL.match(text)
    assert found is not None
    legal, kind = found[0], Kind.REAL if "." in found[0] else Kind.INT
    if legal == text:
        return kind, text, _range(text, found["suffix"], start) if kind is Kind.INT else ()
    rest, at = text[len(legal) :], start + len(legal)
    if rest in (".", ".f", ".F"):
        finding = lexical("a number needs a digit behind the point", at, at + 1, f"write '{meant}'")
    else:
        finding = lexical(f"invalid suffix '{rest}' on number", at, start + len(text), _suffix_hint(text, rest))
    return (Kind.REAL if meant else kind), meant or legal, (_mended(finding, text, start, meant),)


def _meant(text: str) -> str:
    """How a real number of C++ is written here: `0.001f` for `1e-3f`, `1.0f` for `1.f`, `1f`; empty for what is none,
    and for very long ones."""
    found = _REAL_OF_C.fullmatch(text)
    if found is None or not (found[1] or found[3]):
        return ""
    whole, point, part, exponent, suffix = found.groups()
    if not (point or exponent or suffix) or abs(int(exponent or 0)) > _MOST_ZEROS or (not point and _octal(whole)):
        return ""
    if exponent is not None:
        places = len(whole) + int(exponent)
        digits = "0" * -places + whole + part
        places = max(places, 0)
        digits = digits.ljust(places, "0")
        whole, part = digits[:places].lstrip("0"), digits[places:].rstrip("0")
    return f"{whole or '0'}.{part or '0'}{suffix}"


def _octal(whole: str) -> bool:
    return len(whole) > 1 and whole[0] == "0"


def _mended(finding: Diagnostic, text: str, start: int, meant: str) -> Diagnostic:
    """The finding with the number that was meant as its fix, which has the same value; for a huge one `inf`, too."""
    place = Span(start, start + len(text))
    same = (Fix(f"Write '{meant}'", (Edit(place, meant),)),) if meant else ()
    huge = (Fix("Write 'inf'", (Edit(place, "inf"),), safe=False),) if _is_huge(text) else ()
    return replace(finding, fixes=same + huge)


def _is_huge(text: str) -> bool:
    found = _REAL_OF_C.fullmatch(text)
    return found is not None and int(found[4] or 0) >= _HUGE


def _suffix_hint(text: str, rest: str) -> str:
    if rest[0] in "eE":
        meant = _meant(text)
        written = f"write '{meant}'" if meant else "write all digits"
        return f"numbers have no exponent; {written}{_INFINITE if _is_huge(text) else ''}"
    if text[0] == "0" and rest[0].isdigit():
        return "octal literals do not exist"
    if rest[0] in "bB" and text[0] == "0":
        return "binary literals do not exist; write it in decimal or as '0x...'"
    if swapped := _SWAPPED_SUFFIX.match(text):
        return f"write '{swapped[1]}{swapped[3]}{swapped[2]}'"
    if rest in ("f", "F"):
        return f"write '{_meant(text)}'"
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
