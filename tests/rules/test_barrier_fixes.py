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
