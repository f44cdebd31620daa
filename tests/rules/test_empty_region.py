"""A region that no thread of its block enters is told, once, and as a note where macros may have it otherwise."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.text.diagnostics import Severity

TEXT = """#define ROLES {roles}
__co__ void f(global s32 [256] y, int n) {{
  parallel b by 1 : block {{
    parallel w by {warps} : group-4, t by 128 : thread {{
      inthreads.async ({cond}) {{
        {inner}
        y.at(t) = 1;
      }}
    }}
  }}
}}
"""


def found(cond: str, warps: str = "2", inner: str = "", roles: int = 2) -> list[tuple[str, Severity, str]]:
    text = TEXT.format(cond=cond, warps=warps, inner=inner, roles=roles)
    told = check_text(text).diagnostics
    place = [(text[item.span.start : item.span.end], item) for item in told if item.code == "empty-region"]
    return [(span, item.severity, item.message) for span, item in place]


NONE = "none of the 256 threads of the block enters this region"


@pytest.mark.parametrize("cond", ["w == 2", "w > 1", "w == 0 && t == 128", "w < 0", "w == 0 && w == 1"])
def test_a_region_of_threads_that_the_block_has_not(cond: str) -> None:
    assert found(cond) == [(cond, Severity.WARNING, NONE)]


@pytest.mark.parametrize("cond", ["w == 1", "w >= 1 && t == 127", "w == 0 || w == 2", "w == n", "w == n + 2"])
def test_a_region_that_some_thread_enters_or_may_enter(cond: str) -> None:
    assert found(cond) == []


def test_what_a_macro_decides_is_a_note() -> None:
    assert found("w == ROLES") == [("w == ROLES", Severity.INFORMATION, NONE)]
    assert found("w == 2", "ROLES") == [("w == 2", Severity.INFORMATION, NONE)]
    assert found("w == ROLES", roles=1) == []
    assert found("w == 2", "ROLES", roles=3) == []


def test_a_region_inside_an_empty_one_is_not_told_again() -> None:
    inner = "inthreads (t == 0) { y.at(0) = 2; }"
    assert [place for place, *_ in found("w == 2", inner=inner)] == ["w == 2"]
    assert [place for place, *_ in found("w == 1", inner="inthreads (w == 0) { y.at(0) = 2; }")] == ["w == 0"]


def test_a_block_of_one_thread() -> None:
    body = "parallel b by 1 : block, t by 1 : thread { inthreads (t == 1) { y.at(0) = 1; } }"
    text = f"__co__ void f(global s32 [1] y) {{ {body} }}\n"
    (item,) = (one for one in check_text(text).diagnostics if one.code == "empty-region")
    assert item.message == "the one thread of the block does not enter this region"
