"""The barrier that `unsynced-read` and `unsynced-write` offer: the text after it has neither, nor anything new."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.service.safe_trials import with_tried_fixes
from croqc.text.edits import apply_edits

RULES = ("unsynced-read", "unsynced-write")


def kernel(body: str) -> str:
    return (
        "__co__ void f(global f32 [K, 128] x, global f32 [K, 128] y) {\n"
        "  parallel b by 4 : block, t by 128 : thread {\n    shared f32 [128] s;\n"
        f"    s.at(t) = 0.0f;\n    sync.shared;\n{body}    y.at(b, t) = s.at(t);\n  }}\n}}\n"
    )


def mended(body: str) -> str:
    """The body after the fixes of one check, which are all safe; nothing is found then."""
    text = kernel(body)
    report = with_tried_fixes(check_text(text))
    found = [item for item in report.found if item.code in RULES]
    assert found
    assert all(fix.safe for item in found for fix in item.fixes)
    after = apply_edits(text, [edit for item in found for fix in item.fixes for edit in fix.edits])
    assert [item.code for item in check_text(after).found] == [
        item.code for item in report.found if item.code not in RULES
    ]
    return after[len(kernel("").split("    y.at(b")[0]) : after.index("    y.at(b, t) = s.at(t);")]


@pytest.mark.parametrize(
    ("body", "after"),
    [
        (
            "    v = s.at(127 - t);\n    s.at(t) = v;\n",
            "    v = s.at(127 - t);\n    sync.shared;\n    s.at(t) = v;\n",
        ),
        ("    v = s.at(127 - t); s.at(t) = v;\n", "    v = s.at(127 - t); sync.shared; s.at(t) = v;\n"),
        (  # in front of the condition: not all threads come inside
            "    v = s.at(0);\n    if (t == 99) {\n      s.at(0) = v;\n    }\n",
            "    v = s.at(0);\n    sync.shared;\n    if (t == 99) {\n      s.at(0) = v;\n    }\n    sync.shared;\n",
        ),
        (  # in front of the loop that does not read, once
            "    v = s.at(127 - t);\n    foreach i in 4 {\n      s.at(t) = v;\n    }\n",
            "    v = s.at(127 - t);\n    sync.shared;\n    foreach i in 4 {\n      s.at(t) = v;\n    }\n",
        ),
        (  # in each turn of the loop that does
            "    foreach k in K {\n      s.at(t) = x.at(k, t);\n      sync.shared;\n      v = s.at(127 - t);\n    }\n",
            "    foreach k in K {\n      sync.shared;\n      s.at(t) = x.at(k, t);\n      sync.shared;\n"
            "      v = s.at(127 - t);\n    }\n",
        ),
        (
            "    s.at(t) = x.at(b, t);\n    v = s.at(127 - t);\n",
            "    s.at(t) = x.at(b, t);\n    sync.shared;\n    v = s.at(127 - t);\n",
        ),
        (  # in front of the conditions of threads that need not come
            "    i = b * 128 + t;\n    if (i < K) {\n      s.at(t) = 1.0f;\n    }\n"
            "    if (i < K) { v = s.at(127 - t); }\n",
            "    i = b * 128 + t;\n    if (i < K) {\n      s.at(t) = 1.0f;\n    }\n    sync.shared;\n"
            "    if (i < K) { v = s.at(127 - t); }\n",
        ),
        (  # between the turns, where one statement does both
            "    foreach k in 6 {\n      if (t < 64 - 8 * k) { s.at(t) += s.at(t + 64 - 8 * k); }\n    }\n",
            "    foreach k in 6 {\n      sync.shared;\n"
            "      if (t < 64 - 8 * k) { s.at(t) += s.at(t + 64 - 8 * k); }\n    }\n",
        ),
        (  # what the turn before has written at its end
            "    foreach k in 4 {\n      v = s.at(127 - t);\n      sync.shared;\n      s.at(t) = x.at(k, t);\n    }\n"
            "    sync.shared;\n",
            "    foreach k in 4 {\n      sync.shared;\n      v = s.at(127 - t);\n      sync.shared;\n"
            "      s.at(t) = x.at(k, t);\n    }\n    sync.shared;\n",
        ),
    ],
)
def test_a_barrier_parts_them(body: str, after: str) -> None:
    assert mended(body) == after


@pytest.mark.parametrize(
    "body",
    [
        "    s.at(t) = s.at(127 - t);\n",  # one statement
        "    if (t > 63) { v = s.at(127 - t); } else { s.at(t) = 1.0f; }\n",  # a barrier would part threads
        "    if (t > 63) { s.at(t) = 1.0f; } else { v = s.at(127 - t); }\n",
        "    foreach i in 4 s.at(t) = s.at(127 - t);\n",  # nor between the turns: there are no braces
    ],
)
def test_where_no_barrier_helps_none_is_offered(body: str) -> None:
    found = [item for item in check_text(kernel(body)).found if item.code in RULES]
    assert found
    for item in found:
        assert item.fixes == ()
        assert "into a variable first" in item.hint


def alone(body: str) -> str:
    """With the body as the last of the kernel."""
    return kernel(body).replace("    y.at(b, t) = s.at(t);\n", "")


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        (
            "    y.at(0, 0) += 1.0f;\n",
            "threads change this element of 'y' at once: all changes but one may be lost",
            "write '__atomic_add(y.at(0, 0), 1.0f)'",
        ),
        (
            "    s.at(t % 64) += 1.0f;\n",
            "threads change this element of 's' at once: all changes but one may be lost",
            "write '__atomic_add(s.at(t % 64), 1.0f)'",
        ),
        (
            "    s.at(t % 64) *= 2.0f;\n",
            "threads change this element of 's' at once: all changes but one may be lost",
            "let one thread do it: 'if (t == 0) …'",
        ),
        (
            "    if (t > 0) { y.at(b, t) = y.at(b, t - 1); }\n",
            "another thread may not have read this element of 'y' yet",
            "write to another array; 'sync.shared' holds up the threads of one block only",
        ),
        (
            "    y.at(1, t) = 1.0f;\n    v = y.at(1, 127 - t);\n",
            "this element of 'y' is written by another thread, which may not have come so far",
            "pass it on in shared memory; 'sync.shared' holds up the threads of one block only",
        ),
    ],
)
def test_where_a_barrier_is_no_way_out_another_one_is_told(body: str, message: str, hint: str) -> None:
    (item,) = (item for item in check_text(alone(body)).found if item.code in RULES)
    assert (item.message, item.hint) == (message, hint)


def test_an_addition_of_many_threads_becomes_an_atomic_one() -> None:
    text = alone("    y.at(0, 0) += x.at(b, t);\n")
    (item,) = (item for item in with_tried_fixes(check_text(text)).found if item.code in RULES)
    (fix,) = item.fixes
    after = apply_edits(text, fix.edits)
    assert after == text.replace("y.at(0, 0) += x.at(b, t);", "__atomic_add(y.at(0, 0), x.at(b, t));")
    assert [one.code for one in check_text(after).found if one.code in RULES] == []
