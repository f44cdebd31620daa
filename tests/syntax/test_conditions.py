"""Expressions of `#if` (reference, 1.2.8): values, what leaves them undecided, what is malformed."""

from __future__ import annotations

import pytest

from croqc.syntax.conditions import Condition, evaluate
from croqc.syntax.tokens import Macro


def judge(text: str, host: bool = True, **macros: str) -> Condition:
    table = {name: Macro(name, None, body, None) for name, body in macros.items()}
    return evaluate(text, 0, len(text), table, host)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", True),
        ("0", False),
        ("010 == 8", True),
        ("0x1F == 31", True),
        ("0b101 == 5", True),
        ("5ULL == 5", True),
        ("1 + 2 * 3 == 7", True),
        ("(1 + 2) * 3 == 9", True),
        ("10 - 4 - 3 == 3", True),
        ("-7 / 2 == -3", True),
        ("-7 % 2 == -1", True),
        ("7 % -2 == 1", True),
        ("1 << 3 == 8", True),
        ("1 + 1 << 1 == 4", True),
        ("-16 >> 2 == -4", True),
        ("3 > 2 > 0", True),
        ("1 == 1 & 2", False),
        ("(4 ^ 6 & 3) == 6", True),
        ("1 | 2 ^ 3 & 0", True),
        ("0 && 1 || 1", True),
        ("1 || 0 && 0", True),
        ("!0 && ~0 == -1", True),
        ("- - 3 == + 3", True),
        ("1 ? 0 : 1", False),
        ("0 ? 1 : 0 ? 1 : 2", True),
        ("9223372036854775807 + 1 < 0", True),
        ("0xFFFFFFFFFFFFFFFF == -1", True),
        ("1 << 64", False),
        ("1 << -1", False),
        ("A == 24 && B == 12", True),
        ("B", True),
        ("defined A && defined(B) && !defined C", True),
        ("SELF", False),
        ("EMPTY", True),
        ("1 /* one */ + /* two */ 1 == 2 // end", True),
        ("1 + \\\n 1 == 2", True),
    ],
)
def test_values(text: str, value: bool) -> None:
    result = judge(text, A="24", B="(A / 2)", SELF="SELF", EMPTY="")
    assert result.findings == ()
    assert result.value is value


@pytest.mark.parametrize("text", ["4 / 0", "4 % 0", "1 + 5 / (2 - 2) == 2"])
def test_division_by_zero(text: str) -> None:
    (finding,) = judge(text).findings
    assert (finding.message, finding.severity.value) == ("division by zero in #if", "warning")
    assert text[finding.span.start] in "/%"
    assert judge(text).value is False


@pytest.mark.parametrize("text", ["0 && 1 / 0", "1 || 1 / 0", "1 ? 1 : 1 / 0"])
def test_what_is_not_evaluated_is_not_reported(text: str) -> None:
    assert judge(text).findings == ()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("1 +", 3),
        ("(1", 2),
        ("1)", 1),
        ("1 2", 2),
        ("* 1", 0),
        ("1 = 1", 2),
        ("A(1)", 1),
        ("'a' == 1", 0),
        ('"a"', 0),
        ("1 ? 2", 5),
        ("defined", 0),
        ("defined(1)", 8),
        ("defined(A", 8),
        ("09", 1),
        ("12ab", 2),
        ("0x", 1),
        ("1.5", 1),
        ("1 @ 2", 2),
    ],
)
def test_malformed(text: str, wrong: int) -> None:
    result = judge(text)
    assert [finding.message for finding in result.findings] == ["malformed #if expression"]
    assert result.findings[0].span.start == wrong
    assert result.value is False


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("X", "X"),
        ("X > 2 || Y", "X"),
        ("0 && X", None),
        ("defined(X)", None),
        ("defined(X) && X > 2", None),
        ("defined(__X)", "__X"),
        ("defined(__KNOWN)", None),
        ("KNOWN > 2", None),
        ("VIA > 2", "HIDDEN"),
        ("__has_include(<cuda.h>)", "__has_include"),
        ("!__has_include(<cuda.h>) && KNOWN", "__has_include"),
    ],
)
def test_undecided_in_host_text(text: str, unknown: str | None) -> None:
    result = judge(text, KNOWN="3", __KNOWN="3", VIA="HIDDEN")
    assert (result.unknown, result.findings) == (unknown, ())


def test_every_condition_in_a_function_is_decided() -> None:
    assert judge("X || defined(__Y)", host=False) == Condition(False)
    assert [finding.span.start for finding in judge("__has_include(<a>)", host=False).findings] == [13]


@pytest.mark.parametrize("text", ["(" * 3000 + "1" + ")" * 3000, "1 ? " * 3000, "!" * 3000 + "1", "1+" * 3000 + "1"])
def test_deep_and_long_conditions_end(text: str) -> None:
    assert {finding.message for finding in judge(text).findings} <= {"malformed #if expression"}


def test_macros_that_double_end() -> None:
    macros = {f"A{n}": f"A{n + 1} + A{n + 1}" for n in range(50)}
    assert [finding.message for finding in judge("A0", **macros).findings] == ["malformed #if expression"]
