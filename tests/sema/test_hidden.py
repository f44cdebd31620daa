"""Inner names that hide an outer one where an assignment was surely meant; nothing is said where they are of use."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames as rules
from croqc.service.check import check_text
from croqc.text.edits import apply_edits
from tests.sema.study import study

HEAD = "__co__ void f(global f32 [8, 64] x, global f32 [8, 64] y, int n) { parallel b by 8 : block {\n"


def told(body: str) -> list[str]:
    """The text of each name that hides another, and in front of it the number of its line in the body."""
    found = study(f"{HEAD}{body}\n}} }}\n")
    hidden = [item for item in found.analysis.findings if item.rule == rules.SHADOWED_ASSIGNMENT]
    return [f"{found.source.text.count(chr(10), 0, item.span.start)}:{found.text(item)}" for item in hidden]


COPY = "dma.copy x.subspan(1, 64).at({}, 0) => shared;"
FIRST, SECOND = f"g = {COPY.format('b')}", f"g = {COPY.format('0')}"
USE = "dma.copy g.data => y.subspan(1, 64).at(b, 0);"


@pytest.mark.parametrize(
    ("body", "names"),
    [
        # a future whose outer one is used behind
        (f"{FIRST}\nif (n > 3) {{\n{SECOND} }}\n{USE}", ["3:g"]),
        (f"{FIRST}\nif (n > 3) {{\n{SECOND} {USE} }}\n{USE}", ["3:g"]),
        (f"{FIRST}\nforeach k in 4 {{\n{SECOND} }}\n{USE}", ["3:g"]),
        (f"{FIRST.replace('copy', 'copy.async')}\nif (n > 3) {{\n{SECOND} }}\nwait g; {USE}", ["3:g"]),
        # a value that nobody reads
        ("best = 0;\nforeach k in 4 {\nif (k > n) { best = k; } }\ny.at(b, best) = 1.0f;", ["3:best"]),
        ("int last = 0;\nforeach k in 4 {\nif (k > last) { last = k; } }", ["3:last"]),
        ("ok = n > 3;\nif (n > 5) {\nok = false; }\nif (ok) { y.at(b, 0) = 1.0f; }", ["3:ok"]),
        ("a = 1;\nif (n > 3) {\na = a + 1; }", ["3:a"]),
    ],
)
def test_what_looks_like_an_assignment(body: str, names: list[str]) -> None:
    assert told(body) == names


@pytest.mark.parametrize(
    "body",
    [
        f"g = dma.any;\n{FIRST}\nif (n > 3) {{\n{SECOND} }}\n{USE}",  # a placeholder takes it
        f"{FIRST}\n{USE}\nif (n > 3) {{\n{SECOND} {USE} }}",  # the outer one is done
        f"if (n > 3) {{ {FIRST} {USE} }}\n{SECOND} {USE}",
        "best = 0;\nforeach k in 4 {\nbest = k; y.at(b, best) = 1.0f; }\ny.at(b, best) = 1.0f;",  # of use itself
        "best = 0;\nforeach k in 4 {\nbest = k; }",  # nobody reads either
        "mutable best = 0;\nforeach k in 4 {\nbest = k; }\ny.at(b, best) = 1.0f;",
        "best = 0;\nforeach k in 4 {\nint best = k; }\ny.at(b, best) = 1.0f;",  # declared by its type
        "c = 0;\nforeach k in 4 {\nc = n > 3 ? k : 0; __cpp__(\"int z = c;\"); }\ny.at(b, c) = 1.0f;",
    ],
)  # fmt: skip
def test_what_is_of_use_is_left_alone(body: str) -> None:
    assert told(body) == []


def test_the_fix_makes_a_placeholder_of_the_outer_future() -> None:
    text = f"{HEAD}{FIRST}\nif (n > 3) {{\n{SECOND} }}\n{USE}\n}} }}\n"
    (item,) = (one for one in check_text(text).found if one.code == rules.SHADOWED_ASSIGNMENT)
    (fix,) = item.fixes
    after = apply_edits(text, fix.edits)
    assert after == text.replace(FIRST, f"g = dma.any;\n{FIRST}", 1)
    assert not fix.safe  # the copies of the inner one go elsewhere from then on
    assert rules.SHADOWED_ASSIGNMENT not in [one.code for one in check_text(after).found]
