"""The guard that `assumed-size` offers: the note is gone behind it, and nothing new comes."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.text.edits import apply_edits


def kernel(body: str) -> str:
    head = "__co__ void f(global f32 [N] x, global f32 [M, N] y) {\n  parallel b by 8 : block, t by 128 : thread "
    return head + body + "\n}\n"


def noted(text: str) -> list[str]:
    return [item.code for item in check_text(text).found]


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("{ x.at(b # t) = 1.0f; }", "{ if (b # t < N) x.at(b # t) = 1.0f; }"),
        ("{ i = b # t; x.at(i) += x.at(i); }", "{ i = b # t; if (i < N) x.at(i) += x.at(i); }"),
        ("\n    x.at(b # t) = 1.0f;", "\n    if (b # t < N) x.at(b # t) = 1.0f;"),
        ("{ if (b < M) { y.at(b, t) = 1.0f; } }", "{ if (b < M) { if (t < N) y.at(b, t) = 1.0f; } }"),
        (  # one guard for two statements
            "{ if (b < M) { x.at(t) = 1.0f; y.at(b, t) = 2.0f; } }",
            "{ if (b < M && t < N) { x.at(t) = 1.0f; y.at(b, t) = 2.0f; } }",
        ),
        (
            "{ if (b < M || b == 9) { x.at(t) = 1.0f; y.at(0, t) = 2.0f; } }",
            "{ if ((b < M || b == 9) && t < N) { x.at(t) = 1.0f; y.at(0, t) = 2.0f; } }",
        ),
        (  # in front of the loop, where all its uses are
            "{ mutable f32 s = 0.0f; foreach k in M { s += y.at(k, t); s += x.at(t); } }",
            "{ mutable f32 s = 0.0f; if (t < N) foreach k in M { s += y.at(k, t); s += x.at(t); } }",
        ),
    ],
)
def test_a_guard_keeps_the_index_inside(body: str, after: str) -> None:
    text = kernel(body)
    (item,) = (one for one in check_text(text).found if one.code == "assumed-size")
    (fix,) = item.fixes
    assert not fix.safe  # callers may keep to such sizes
    assert apply_edits(text, fix.edits) == kernel(after)
    assert noted(kernel(after)) == [code for code in noted(text) if code != "assumed-size"]


@pytest.mark.parametrize(
    "body",
    [
        "{ v = x.at(b # t); x.at(b # t) = v + 1.0f; }",  # a declaration is not for a guard alone
        "{ v = x.at(b # t); }",
        "{ x.at(t) = 1.0f; x.at(t) = 2.0f; }",  # two statements
        "{ foreach k in 128 { x.at(k) = 1.0f; x.at(k) += 2.0f; } }",  # the index is declared inside
        "{ if (b < M) x.at(t) = 1.0f; else y.at(0, 0) = 1.0f; }",  # the `else` would go to the new `if`
    ],
)
def test_where_a_guard_is_not_simple_none_is_offered(body: str) -> None:
    fixes = [one.fixes for one in check_text(kernel(body)).found if one.code == "assumed-size"]
    assert fixes
    assert not any(fixes)
