"""An `if` over warps around waits: the hint and the fix name the region that is meant."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.service.fix import fix_text
from croqc.text.diagnostics import Severity
from tests.rules.mending import instead, report_of, shown
from tests.rules.pumps import RING

GUARDED = RING.replace("inthreads.async (w", "if (w")


def hints(text: str) -> set[str]:
    codes = ("event-outside-role", "divergent-collective")
    return {item.hint for item in check_text(text).diagnostics if item.code in codes}


def test_roles_that_are_written_as_conditions_become_roles() -> None:
    assert {item.code for item in shown(GUARDED)} == {"divergent-collective", "event-outside-role"}
    assert hints(GUARDED) == {f"an 'if' makes no role: write 'inthreads.async (w == {number})'" for number in (0, 1)}
    fixed = fix_text(report_of(GUARDED), lambda text, _: report_of(text), None, unsafe=True)
    assert fixed.text == RING
    assert (
        fix_text(report_of(GUARDED), lambda text, _: report_of(text)).text == GUARDED
    )  # who comes in is another matter


@pytest.mark.parametrize(
    ("cond", "hint"),
    [
        ("(w == 0) || (w == 2)", "inthreads.async ((w == 0) || (w == 2))"),
        ("w == 0 && w < 5", "inthreads.async (w == 0 && w < 5)"),
        ("w == 0 && M > 3", ""),
        ("M > 3", ""),
        ("b == 0", ""),
    ],
)
def test_only_a_condition_on_warps_alone_can_be_a_role(cond: str, hint: str) -> None:
    text = instead(GUARDED, "if (w == 0)", f"if ({cond})")
    told = {one for one in hints(text) if "(w == 1)" not in one}
    assert (f"an 'if' makes no role: write '{hint}'" in told) == bool(hint)
    assert any("makes no role" in one for one in told) == bool(hint)


def test_the_other_branch_becomes_the_role_of_all_others() -> None:
    text = instead(GUARDED, "      if (w == 1)", "      else").replace("}\n      else", "} else")
    assert " else {" in text
    both = "inthreads.async (w == 0) { … } inthreads.async (!(w == 0))"
    assert hints(text) == {f"an 'if' makes no role: write '{both}'"}
    assert [item.code for item in shown(text)] == ["event-outside-role", "divergent-collective"]  # once for both
    fixed = fix_text(report_of(text), lambda text, _: report_of(text), None, unsafe=True).text
    assert fixed == text.replace("if (w == 0)", "inthreads.async (w == 0)").replace(
        " else {", " inthreads.async (!(w == 0)) {"
    )
    assert shown(fixed) == []


def test_a_condition_without_braces_or_with_more_branches_is_not_rewritten() -> None:
    head = "    parallel w by 2 : group-4 {\n"
    for more in ("if (w == 0) trigger full[0];", "if (w == 0) { trigger full[0]; } else if (w == 1) { n = 1; }"):
        text = instead(RING, head, f"{head}      {more}\n")
        assert not any("(w == 0)" in one for one in hints(text))
        assert hints(text)


def test_a_condition_inside_a_role_is_no_matter_of_roles() -> None:
    text = instead(RING, "          wait empty[k % 2];", "          if (w == 0) { wait empty[k % 2]; }")
    assert hints(text) == set()
    assert not any(item.severity is Severity.ERROR for item in check_text(text).diagnostics)
