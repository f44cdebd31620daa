"""Indices that their own expression, a variable or a jump guards (3.9): one side of `?:`, `&&`, `||` is evaluated."""

from __future__ import annotations

import pytest

from tests.sema.study import Study, study

OUT = "index-out-of-range"


def threads(body: str) -> Study:
    """128 threads, `t`, over `x` and `y` of 128 elements."""
    return study(
        "__co__ void f(global s32 [128] x, global s32 [128] y, int n) {\n"
        f"  parallel t by 128 : thread {{ local s32 [4] l; {body} }}\n}}\n"
    )


@pytest.mark.parametrize(
    "body",
    [
        # the sides of ?:
        "y.at(t) = t == 0 ? 0 : x.at(t - 1);",
        "y.at(t) = (t > 0 && t < 127) ? x.at(t - 1) + x.at(t + 1) : 0;",
        "y.at(t) = t == 0 ? x.at(t + 1) : t == 127 ? x.at(t - 1) : x.at(t - 1) + x.at(t + 1);",
        "y.at(t) += t > 0 ? x.at(t - 1) : 0;",
        "y.at(t) = x.at(t > 0 ? t - 1 : 0);",
        "__atomic_add(y.at(t), t > 0 ? x.at(t - 1) : 0);",
        # the right sides of && and ||
        "if (t > 0 && x.at(t - 1) > 0) { y.at(t) = 1; }",
        "if (x.at(t) > 0 && t > 0 && t < 127 && x.at(t - 1) > x.at(t + 1)) { y.at(t) = 1; }",
        "if (t == 0 || t == 127 || x.at(t - 1) > x.at(t + 1)) { y.at(t) = 1; }",
        "if (t > 0 && x.at(t - 1) > 0 || t == 0) { y.at(t) = 1; }",
        "if (!(t == 0) && ((x.at(t - 1) > 0))) { y.at(t) = 1; }",
        "mutable int i = 0; while (t < 127 && x.at(t + 1) > i) { i += 1; }",
        "if (t < 127 ? x.at(t + 1) > 0 : false) { y.at(t) = 1; }",
        # what a variable holds
        "bool ok = t < 127; if (ok) { y.at(t) = x.at(t + 1); }",
        "bool last = t == 127; if (last) { y.at(t) = 0; } else { y.at(t) = x.at(t + 1); }",
        "lo = t > 0; hi = t < 127; mid = lo && hi; y.at(t) = mid ? x.at(t + 1) + x.at(t - 1) : 0;",
        "bool ok = t < 127; if (!ok) yield; y.at(t) = x.at(t + 1);",
        "bool ok = t < 127; if (ok == true) { y.at(t) = x.at(t + 1); }",
        "mutable bool ok = true; if (t == 127) { ok = false; } if (ok) { y.at(t) = x.at(t + 1); }",
        "mutable int d = 1; if (t == 127) { d = 0; } if (d == 1) { y.at(t) = x.at(t + 1); }",
        "int last = t == 127 ? 1 : 0; if (last == 0) { y.at(t) = x.at(t + 1); }",
        "int last = t == 127 ? 1 : 0; int more = last + 1; if (more == 1) { y.at(t) = x.at(t + 1); }",
        "l.at(0) = t == 127 ? 1 : 0; if (l.at(0) == 0) { y.at(t) = x.at(t + 1); }",
        # values that an index does not take, and sides that nobody takes
        "if (t != 125 && t != 126 && t != 127) { y.at(t) = x.at(t + 3); }",
        "if (t != 126 && t < 127) { y.at(t) = x.at(t + 2); }",
        "y.at(t) = 2 > 1 ? 0 : x.at(128);",
        "if (t >= 128) { y.at(t) = x.at(t); }",
        # jumps
        "foreach k in 200 { if (k == 128) break; y.at(k) = 1; }",
        "foreach k in 200 { y.at(k) = 1; if (k == 127) break; }",
        "foreach k in 200 { foreach m in 3 { if (k == 128) yield; } y.at(k) = 1; }",
        "foreach k in 128 { if (k < 127) { y.at(k) = 0; } else { continue; } y.at(k) = x.at(k + 1); }",
        "foreach k in 128 { if (k > 3) { if (k == 127) continue; } y.at(k) = x.at(k + 1); }",
        "foreach k in 128 { if (k == 127) { if (n > 0) { continue; } else { continue; } } y.at(k) = x.at(k + 1); }",
        "foreach k in 4 { if (t == 127) yield; y.at(t) = k; } y.at(t) = x.at(t + 1);",
    ],
)
def test_what_is_guarded_is_no_error(body: str) -> None:
    assert threads(body).told == []


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("y.at(t) = t > 5 ? x.at(t + 1) : 0;", "t + 1"),
        ("y.at(t) = t == 0 ? x.at(t - 1) : 0;", "t - 1"),
        ("y.at(t) = (t > 0 ? x.at(t - 1) : 0) + x.at(t + 1);", "t + 1"),
        ("y.at(t) = x.at(0) > 0 ? x.at(t + 1) : 0;", "t + 1"),
        ("if (t > 0 && x.at(t + 1) > 0) { y.at(t) = 1; }", "t + 1"),
        ("if (t > 0 || x.at(t - 1) > 0) { y.at(t) = 1; }", "t - 1"),
        ("if ((t < 127 && x.at(t) > 0) == (x.at(t + 1) > 0)) { y.at(t) = 1; }", "t + 1"),
        ("bool ok = t < 127; y.at(t) = ok ? 0 : x.at(t + 1);", "t + 1"),
        ("bool ok = t > 3; if (ok) { y.at(t) = x.at(t + 1); }", "t + 1"),
        ("bool ok = n > 3; if (ok) { y.at(t) = x.at(t + 1); }", "t + 1"),
        ("if (t != 5) { y.at(t) = x.at(t + 1); }", "t + 1"),
        ("if (1 < 2) { y.at(t) = x.at(128); }", "128"),
        ("foreach k in 200 { if (n > 3) continue; y.at(k) = 1; }", "k"),
        ("foreach k in 200 { foreach m in 3 { if (m == 1) break; } y.at(k) = 1; }", "k"),
    ],
)
def test_what_no_guard_keeps_inside_is_still_an_error(body: str, place: str) -> None:
    assert threads(body).told == [(OUT, place)]


def test_conditions_made_of_one_another_are_followed_so_far() -> None:
    """Each variable names the one before twice: all of them would be 2^60 conditions."""
    chain = "b0 = t < 127; " + " ".join(f"b{i} = b{i - 1} && b{i - 1};" for i in range(1, 60))
    assert threads(chain + " y.at(t) = b59 ? x.at(t + 1) : 0;").told == []
