"""A name that nothing declares is told with the macro, the built-in or the constant that is nearest, and a fix."""

from __future__ import annotations

import pytest

from croqc.service.check import FileReport, check_text
from croqc.service.fix import fix_text
from croqc.text.diagnostics import Diagnostic
from croqc.text.edits import apply_edits
from tests.rules.mending import instead, report_of, without
from tests.rules.pumps import RING as PUMP
from tests.rules.pumps import STORES

RING = """#define STAGES 3
#define TILE(n) (n * 16)
__co__ void f(global f32 [64] x, global f32 [64] y) {
  parallel p by 64 : thread {
    y.at(p) = x.at(p %% %s) * 2.0f;
  }
}
"""
SUM = """__co__ void f(global f32 [64] x, global f32 [64] y) {
  parallel p by 64 : thread {
    mutable f32 v = %s;
    y.at(p) = v + x.at(p);
  }
}
"""
LOOP = """__co__ void f(global f32 [64] x) {
  parallel p by 2 : block {
    foreach {k} in [4] {
    }
  }
}
"""


def only(text: str) -> Diagnostic:
    (item,) = check_text(text).diagnostics
    return item


def fixed(text: str) -> str:
    return fix_text(check_text(text), lambda new, _: check_text(new), None, unsafe=True).text


def test_the_nearest_macro_is_meant() -> None:
    broken = RING % "STAGE"
    assert only(broken).hint == "did you mean 'STAGES'?"
    titles = [(fix.title, fix.safe) for fix in only(broken).fixes]
    assert titles == [("Change to 'STAGES'", False), ("Define 'STAGE' above the function", False)]
    assert fixed(broken) == RING % "STAGES"


def test_a_macro_like_none_is_defined() -> None:
    broken = RING % "OTHER"
    assert only(broken).hint == "define it as a macro, or pass -D on the command line"
    assert "#define OTHER " in fixed(broken)


@pytest.mark.parametrize(("missing", "there"), [("TILE_M", "TILE_N"), ("TM", "TN"), ("WARP_M2", "WARP_N2")])
def test_another_member_of_a_family_is_not_meant(missing: str, there: str) -> None:
    broken = (RING % missing).replace("STAGES", there)
    assert only(broken).hint == "define it as a macro, or pass -D on the command line"


def test_a_macro_with_arguments_is_no_value() -> None:
    assert only(RING % "TILES").hint == "define it as a macro, or pass -D on the command line"


def test_a_macro_that_is_defined_below_is_not_suggested_for_itself() -> None:
    text = (RING % "STAGES").replace("#define STAGES 3\n", "") + "#define STAGES 3\n"
    assert only(text).hint == "define it as a macro, or pass -D on the command line"


def test_a_macro_that_is_renamed_changes_the_suggestion_in_functions_that_stay() -> None:
    """Functions are taken over from the report before, but not what depends on the names of macros."""
    before: FileReport = check_text(RING % "STAGE")
    after = check_text((RING % "STAGE").replace("STAGES 3", "SLOTS 3"), previous=before)
    assert [item.hint for item in after.diagnostics] == ["define it as a macro, or pass -D on the command line"]


@pytest.mark.parametrize(("typed", "meant"), [("exp(v0)", "__exp(v0)"), ("sqrtf(v0)", "__sqrt(v0)"),
                                              ("-INFINITY", "-inf"), ("HUGE_VALF", "inf")])  # fmt: skip
def test_words_of_c_are_told_as_what_they_are_here(typed: str, meant: str) -> None:
    text = (SUM % typed).replace("    mutable", "    v0 = x.at(p);\n    mutable")
    assert only(text).hint == f"did you mean '{meant.lstrip('-').partition('(')[0]}'?"
    assert fixed(text) == (SUM % meant).replace("    mutable", "    v0 = x.at(p);\n    mutable")


def test_a_plain_name_is_no_function() -> None:
    assert only(SUM % "exp").hint == "declare it, or check the scope"


@pytest.mark.parametrize(
    ("typed", "digits"),
    [
        ("1e5", "100000.0"),
        ("1e5f", "100000.0f"),
        ("2.5e3f", "2500.0f"),
        ("1.25e1", "12.5"),
        ("0.5e0f", "0.5f"),
        ("1e+2f", "100.0f"),
        ("12e-1f", "1.2f"),
        ("1.5e-3f", "0.0015f"),
        ("0.025E-2", "0.00025"),
        ("1e-41f", None),
        ("1E38f", "1" + "0" * 38 + ".0f"),
        ("1e99", None),
    ],
)
def test_a_number_with_an_exponent_is_written_out(typed: str, digits: str | None) -> None:
    item = next(one for one in check_text(SUM % typed).diagnostics if one.code == "syntax-error")
    written = f"write '{digits}'" if digits else "write all digits"
    huge = float(typed.removesuffix("f")) >= 1e20
    infinite = ", or 'inf' for infinity" if huge else ""
    assert item.hint == f"numbers have no exponent; {written}{infinite}"
    assert [fix.title for fix in item.fixes if not fix.safe] == (["Write 'inf'"] if huge else [])
    if digits is not None:
        assert [fix.safe for fix in item.fixes][:1] == [True]
        assert float(digits.removesuffix("f")) == float(typed.removesuffix("f"))
        assert fixed(SUM % typed) == SUM % digits


def test_a_huge_number_may_be_infinity() -> None:
    text = SUM % "-1e30f"
    (item,) = (one for one in check_text(text).diagnostics if one.code == "syntax-error")
    assert [apply_edits(text, fix.edits) for fix in item.fixes][1:] == [SUM % "-inf"]
    assert check_text(SUM % "-inf").diagnostics == ()


@pytest.mark.parametrize(("typed", "meant"), [("0.f", "0.0f"), ("1.F", "1.0F"), ("3.", "3.0"), (".5f", "0.5f"),
                                              ("2f", "2.0f")])  # fmt: skip
def test_the_short_numbers_of_c_get_their_digits_safely(typed: str, meant: str) -> None:
    item = next(one for one in check_text(SUM % typed).diagnostics if one.code == "syntax-error")
    assert [(fix.title, fix.safe) for fix in item.fixes] == [(f"Write '{meant}'", True)]
    assert fixed(SUM % typed) == SUM % meant


def test_a_number_of_c_in_a_macro_is_told_with_the_way_out() -> None:
    item = only("#define EPS 1e-3f\n" + SUM % "EPS")
    assert item.hint == "in the macro 'EPS': numbers have no exponent; write '0.001f'"
    assert item.fixes == ()


@pytest.mark.parametrize(("typed", "word"), [("forech", "foreach"), ("foreeach", "foreach")])
def test_a_word_that_can_mean_one_thing_is_set_right_safely(typed: str, word: str) -> None:
    text = LOOP.replace("foreach", typed)
    item = next(one for one in check_text(text).diagnostics if one.code == "syntax-error")
    assert [(fix.title, fix.safe) for fix in item.fixes] == [(f"Write '{word}'", True)]


def test_a_loop_of_c_is_not_rewritten_unasked() -> None:
    item = next(one for one in check_text(LOOP.replace("foreach", "for")).diagnostics if one.code == "syntax-error")
    assert [fix.safe for fix in item.fixes] == [False]


# --- safe where one macro alone can be meant ---------------------------------------------------------

STAGED = instead(PUMP.replace("% 2", "% STAGES").replace("[2]", "[STAGES]"), "__co__", "#define STAGES 2\n__co__", 1)


def safely(text: str) -> str:
    """The text after the safe fixes."""
    return fix_text(report_of(text), lambda new, _: report_of(new)).text


@pytest.mark.parametrize("number", range(1, STAGED.count("STAGES")))
def test_each_use_of_a_mistyped_macro_is_mended_alone_and_safely(number: int) -> None:
    """The one edit is at the word that is wrong."""
    parts = STAGED.split("STAGES")
    broken = "STAGES".join(parts[: number + 1]) + "STAGE" + "STAGES".join(parts[number + 1 :])
    (item,) = (one for one in report_of(broken).diagnostics if one.code == "undeclared-name")
    assert (item.fixes[0].title, item.fixes[0].safe) == ("Change to 'STAGES'", True)
    assert [edit.span for edit in item.fixes[0].edits] == [item.span]
    assert safely(broken) == STAGED


def test_a_name_that_is_mistyped_everywhere_is_mended_everywhere_at_once() -> None:
    broken = STAGED.replace("% STAGES", "% STAGE")
    (item,) = (one for one in report_of(broken).diagnostics if one.code == "undeclared-name")
    assert len(item.fixes[0].edits) == STAGED.count("% STAGES")
    assert safely(broken) == STAGED


def test_with_two_macros_near_or_another_mistake_nothing_is_safe() -> None:
    broken = instead(STAGED, "=> ring[k % STAGES]", "=> ring[k % STAGE]")
    two = instead(broken, "#define STAGES 2\n", "#define STAGES 2\n#define STAGED 2\n")
    other = instead(broken, "trigger full[k % STAGES];", "trigger full[k % STAGES]; nothing += 1;")
    hangs = without(broken, "          trigger full[k % STAGES];\n")
    for text in (two, other, hangs):
        found = [one for one in report_of(text).diagnostics if one.code == "undeclared-name"]
        assert found
        assert not any(fix.safe for item in found for fix in item.fixes)
        assert safely(text) == text


def test_a_line_beside_is_left_alone() -> None:
    """`c` is a column modulo 64, and right as it is."""
    staged = instead(STORES.replace("% 3", "% STAGES").replace("[3]", "[STAGES]"), "__co__",
                     "#define STAGES 3\n__co__", 1)  # fmt: skip
    broken = instead(staged, "= ring[k % STAGES]", "= ring[k % STAGE]")
    for unsafe in (False, True):
        mended = fix_text(report_of(broken), lambda new, _: report_of(new), "undeclared-name", unsafe)
        assert mended.text == staged


def test_what_a_macro_made_is_not_overwritten() -> None:
    """The name stands in the macro; its place is that of the use."""
    text = (RING % "STAGE").replace("p % STAGE", "SLOT(p)")
    text = text.replace("#define TILE", "#define SLOT(k) (k % STAGE)\n#define TILE")
    assert only(text).hint == "did you mean 'STAGES'?"
    assert only(text).fixes == ()


@pytest.mark.parametrize("typed", ["STAEGS", "STAGE", "stages", "STAGESS"])
def test_a_mistyped_definition_is_renamed_and_its_uses_stay(typed: str) -> None:
    broken = instead(STAGED, "#define STAGES", f"#define {typed}")
    (item,) = (one for one in report_of(broken).diagnostics if one.code == "undeclared-name")
    assert (item.fixes[0].title, item.fixes[0].safe) == (f"Rename the macro '{typed}' to 'STAGES'", True)
    assert safely(broken) == STAGED


def test_a_definition_that_something_uses_keeps_its_name() -> None:
    broken = STAGED.replace("% STAGES", "% STAGE")
    assert broken.count("% STAGE") > 1
    assert safely(broken) == STAGED


@pytest.mark.parametrize("other", ["STEP_K 1", "TILE_KIND 2", "TILE_M 2"])
def test_a_letter_typed_twice_is_no_other_member_of_the_family(other: str) -> None:
    two = instead(STAGED, "#define STAGES 2\n", f"#define TILE_K 2\n#define {other}\n").replace("STAGES", "TILE_K")
    broken = instead(two, "=> ring[k % TILE_K]", "=> ring[k % TILE_KK]")
    assert safely(broken) == two


def test_a_sibling_that_is_one_letter_away_is_no_way_to_another_macro() -> None:
    """`TILE_P` may be a new member of the family; `TILES` is not the only one near."""
    two = instead(STAGED, "#define STAGES 2\n", "#define TILES 2\n#define TILE_K 1\n").replace("STAGES", "TILES")
    broken = instead(two, "=> ring[k % TILES]", "=> ring[k % TILE_P]")
    assert safely(broken) == broken


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("iff (p == 0) x.at(p) = 1.0f;", "if (p == 0) x.at(p) = 1.0f;"),
        ("if (p == 0) x.at(p) = 1.0f; elif (p == 1) x.at(p) = 2.0f;",
         "if (p == 0) x.at(p) = 1.0f; else if (p == 1) x.at(p) = 2.0f;"),
        ("whle (p < 0) x.at(p) = 1.0f;", "while (p < 0) x.at(p) = 1.0f;"),
        ("prnt(p);", "print(p);"),
        ("rotatte(p, p);", "rotatte(p, p);"),
    ],
)  # fmt: skip
def test_a_mistyped_statement_is_not_made_a_call_unasked(typed: str, meant: str) -> None:
    """The text would be free of findings then, and the guard gone. No index can be rotated, so that is left."""
    text = LOOP.replace("foreach {k} in [4] {\n    }", "%s")
    assert fix_text(check_text(text % typed), lambda new, _: check_text(new)).text == text % meant
