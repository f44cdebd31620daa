"""Fixes keep their promise: a safe one removes its finding and brings no other; none is a guess at another place."""

import pytest

from croqc.rules.page import page_text, parse_page
from croqc.rules.table import all_rules
from croqc.service.check import FileReport, check_text
from croqc.text.diagnostics import Diagnostic
from croqc.text.edits import apply_edits


def kernel(body: str, before: str = "") -> str:
    return (
        f"{before}__co__ void f(f32 [64] x, f16 [64]& y, int n) {{\n  parallel p by 64 : thread {{\n{body}\n  }}\n}}\n"
    )


def only(text: str, rule: str) -> Diagnostic:
    found = [item for item in check_text(text).diagnostics if item.code == rule]
    assert len(found) == 1
    return found[0]


def test_safe_fixes_on_the_pages_remove_their_finding_and_bring_no_other() -> None:
    tried = 0
    for rule in all_rules():
        for example in parse_page(page_text(rule.name) or "").examples:
            if example.option("arch") or example.option("defines") or example.option("dialect"):
                continue
            report = check_text(example.text)
            for item in report.diagnostics:
                for fix in item.fixes:
                    if fix.safe:
                        tried += 1
                        before, after = _codes(report), _codes(check_text(apply_edits(example.text, fix.edits)))
                        assert after.count(item.code) < before.count(item.code), (rule.name, fix.title)
                        assert set(after) <= set(before), (rule.name, fix.title)
    assert tried > 5


def _codes(report: FileReport) -> list[str]:
    """What is found; the note on the dialect is about the file, and a fix may be the first form that votes."""
    return sorted(item.code for item in report.diagnostics if item.code != "dialect-note")


def test_a_conversion_inside_a_macro_is_not_edited_at_its_use() -> None:
    whole = only(kernel("y.at(p) = PART;", "#define PART x.at(p) * 3.0f\n"), "lossy-conversion")
    assert whole.fixes == ()
    named = only(kernel("f32 part = 1.0f;\ny.at(p) = NAME;", "#define NAME part\n"), "lossy-conversion")
    assert named.fixes == ()


def test_a_conversion_of_a_plain_name_is_edited() -> None:
    text = kernel("f32 part = 1.0f;\ny.at(p) = part;")
    assert "y.at(p) = __to<f16>(part);" in apply_edits(text, only(text, "lossy-conversion").fixes[0].edits)


@pytest.mark.parametrize(
    ("body", "hint", "fixes"),
    [
        ("int k = 1;\nk = 2;", "declare it 'mutable'", 1),
        ("k = 1;\nk = 2;", "declare it 'mutable'", 1),
        ("int k = 1, l = 2;\nk = 2;", "declare it 'mutable'", 0),  # it would make 'l' mutable, too
        ("k = {1, 2};\nk = {2, 3};", "use another name", 0),
        ("n += 1;", "copy it into a 'mutable' variable", 0),
        ("p = 1;", "the hardware sets it; copy it into a 'mutable' variable", 0),
    ],
)
def test_mutable_is_offered_for_single_scalar_declarations(body: str, hint: str, fixes: int) -> None:
    found = [item for item in check_text(kernel(body)).diagnostics if item.code == "immutable-assignment"]
    assert [(item.hint, len(item.fixes)) for item in found] == [(hint, fixes)]


def test_mutable_goes_in_front_of_the_declaration() -> None:
    text = kernel("    k = 1;\n    k = 2;")
    fixed = apply_edits(text, only(text, "immutable-assignment").fixes[0].edits)
    assert "    mutable k = 1;\n    k = 2;" in fixed
    assert "immutable-assignment" not in _codes(check_text(fixed))


@pytest.mark.parametrize(
    ("condition", "fixed"),
    [("n", "n != 0"), ("n + 1", "(n + 1) != 0"), ("x.at(p)", "x.at(p) != 0.0f"), ("(n)", "(n) != 0")],
)
def test_a_number_as_condition_is_compared_with_zero(condition: str, fixed: str) -> None:
    text = kernel(f"if ({condition}) y.at(p) = 0.5f;")
    after = apply_edits(text, only(text, "non-bool-condition").fixes[0].edits)
    assert f"if ({fixed})" in after
    assert _codes(check_text(after)) == []


def test_a_shape_in_brackets_may_become_a_shape_or_a_tuple() -> None:
    text = kernel("s = [2, 3];")
    shape, tuple_ = only(text, "shape-brackets").fixes
    assert "s : [2, 3];" in apply_edits(text, shape.edits)
    assert "s = {2, 3};" in apply_edits(text, tuple_.edits)
    both = kernel("s = [2, 3], k = 1;")
    assert [fix.title for fix in only(both, "shape-brackets").fixes] == ["Write a tuple"]


def test_the_define_goes_above_the_function_with_its_line_end() -> None:
    text = kernel("y.at(p) = 0.5f;\nint k = n % TILE;").replace("\n", "\r\n")
    after = apply_edits(text, only(text, "undeclared-name").fixes[0].edits)
    first, rest = after.split("\r\n", 1)
    assert first.startswith("#define TILE ")
    assert rest == text


def test_a_sum_of_floats_that_begins_anew_is_made_to_go_on() -> None:
    text = kernel("s = 0.0f;\nforeach {k} in [4] { s = s + 1.5f; }")
    mended = apply_edits(text, only(text, "shadowed-assignment").fixes[0].edits)
    assert "\nmutable s = 0.0f;\n" in mended
    assert not check_text(mended).diagnostics
