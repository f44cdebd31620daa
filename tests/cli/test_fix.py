"""What `croq fix` says of findings that it leaves, and its exit status."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Croq
from tests.cli.seeds import PIPELINE
from tests.rules.mending import without
from tests.rules.pumps import BOOTSTRAP, RING

NO_KERNEL = "int main() {}\n"
LOOSE = """__co__ void add(global f32 [N] x, global f32 [N] y) {
  parallel p by N : thread {
    y.at(p) = x.at(p) + lost;
  }
}
"""
UNSURE = LOOSE.replace("lost", "1").replace("by N", "by cdiv(N, TILE)")


def test_a_finding_without_a_fix_is_named(croq: Croq) -> None:
    Path("k.co").write_text(LOOSE)
    shown = croq("fix", "k.co")
    assert (shown.status, shown.out, shown.err) == (1, "", "k.co: 1 finding has no fix: undeclared-name at 3:25\n")
    written = croq("fix", "--write", "k.co")
    assert (written.status, written.out, written.err) == (1, "k.co: 0 fixes applied\n", shown.err)


def test_a_finding_with_an_unsafe_fix_alone_is_told_apart(croq: Croq) -> None:
    Path("k.co").write_text(UNSURE)
    shown = croq("fix", "k.co")
    told = "1 finding has a fix that may change meaning (--unsafe): undeclared-name at 2:25"
    assert (shown.status, shown.err) == (1, f"k.co: {told}\n")
    applied = croq("fix", "--unsafe", "k.co")
    assert (applied.status, applied.err) == (0, "")


def test_places_are_those_of_the_text_after_the_fixes(croq: Croq) -> None:
    """The missing `;` is mended in the line in front of the name that nothing declares."""
    Path("k.co").write_text(LOOSE.replace("+ lost;", "+ 1\n    y.at(p) = lost;"))
    written = croq("fix", "--write", "k.co")
    assert (written.status, written.out) == (1, "k.co: 1 fix applied\n")
    assert written.err == "k.co: 1 finding has no fix: undeclared-name at 4:15\n"


def test_many_are_counted(croq: Croq) -> None:
    lines = "".join(f"    y.at(p) = lost{number};\n" for number in range(7))
    Path("k.co").write_text(LOOSE.replace("    y.at(p) = x.at(p) + lost;\n", lines))
    told = croq("fix", "k.co").err
    assert told.startswith("k.co: 7 findings have no fix: undeclared-name at 3:15, ")
    assert told.endswith("undeclared-name at 7:15 and 2 more\n")


def test_only_the_rule_that_was_asked_for_is_told(croq: Croq) -> None:
    Path("k.co").write_text(LOOSE)
    other = croq("fix", "--rule", "syntax-error", "k.co")
    assert (other.status, other.err) == (0, "")


def test_a_warning_is_named_but_no_failure(croq: Croq) -> None:
    Path("k.co").write_text(NO_KERNEL)
    assert " warning: " in croq("check", "k.co").out
    shown = croq("fix", "k.co")
    assert shown.status == 0
    assert shown.err.startswith("k.co: 1 finding ")


DIVIDED = """__co__ void f(global s32 [N] x) {
  parallel p by N : thread {
    mutable int i = p;
    i = i // 2;
    i = (i + p) // (p + 2) - 1;
    x.at(p) = i;
  }
}
"""


def test_the_divisor_of_a_person_from_python_is_not_made_a_comment(croq: Croq) -> None:
    Path("k.co").write_text(DIVIDED)
    shown = croq("fix", "k.co")
    told = "2 findings have fixes that may change meaning (--unsafe): syntax-error at 4:11, syntax-error at 5:17"
    assert (shown.status, shown.out, shown.err) == (1, "", f"k.co: {told}\n")
    croq("fix", "--unsafe", "--write", "k.co")
    assert Path("k.co").read_text() == DIVIDED.replace("//", "/")


def test_a_comment_behind_a_missing_semicolon_is_a_comment(croq: Croq) -> None:
    for comment in ("// the next one", "// old; new;", "// i is even;", "// 2"):
        Path("k.co").write_text(DIVIDED.replace("i // 2;", f"i {comment}").replace(" // (p", " / (p"))
        croq("fix", "--write", "k.co")
        assert f"i = i; {comment}\n" in Path("k.co").read_text()


def test_a_range_of_one_number_has_no_fix(croq: Croq) -> None:
    """`(n)` may be its end as well as its start."""
    Path("k.co").write_text(LOOSE.replace("lost", "1").replace("y.at", "foreach p(1) y.at"))
    shown = croq("fix", "k.co")
    assert (shown.status, shown.out, shown.err) == (1, "", "k.co: 1 finding has no fix: syntax-error at 3:16\n")


def test_a_named_barrier_stands_without_call(croq: Croq) -> None:
    text = LOOSE.replace("y.at(p) = x.at(p) + lost;", "call __bar_sync(2, 32);\n    call __atomic_add(x.at(p), 1.0f);")
    Path("k.co").write_text(text)
    assert "'__bar_sync' is built in and no function of C++ [syntax-error]" in croq("check", "k.co").out
    croq("fix", "--write", "k.co")
    assert Path("k.co").read_text() == text.replace("call ", "")


def test_a_fix_of_several_lines_says_so(croq: Croq) -> None:
    """Two lines are left out, the credit at start and the trigger of the data: one fix brings both back."""
    broken = without(without(RING, BOOTSTRAP), "          trigger full[k % 2];\n")
    Path("k.co").write_text(broken)
    assert croq("fix", "--write", "--unsafe", "k.co").out == "k.co: 1 fix applied in 2 lines\n"
    assert Path("k.co").read_text() == RING


def test_a_guess_that_ends_in_a_deadlock_is_left_to_a_person(croq: Croq) -> None:
    wrong = PIPELINE.replace("inthreads.async (p1 == 0)", "inthread (p1 == 0)", 1)
    Path("k.co").write_text(wrong, encoding="utf-8")
    assert wrong != PIPELINE
    assert '"safe": true' not in croq("check", "k.co", "--json").out
    croq("fix", "k.co", "--write")
    assert Path("k.co").read_text(encoding="utf-8") == wrong
