"""A fix that is called safe was tried out: it mends its finding, brings no other, and loses no statement."""

from __future__ import annotations

import re
from functools import partial

import pytest

from croqc.service.check import FileReport, check_text
from croqc.service.fix import choose_edits, fix_text
from croqc.service.safe_trials import with_tried_fixes
from croqc.syntax.keywords import KEYWORDS, MEMBERS, OPERATION_WORDS
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit, apply_edits
from croqc.text.record import replace
from croqc.text.span import Span
from tests.effort import effort
from tests.rules.mending import example

KERNEL = """__co__ void k(global f32 [R, C] src, global f32 [R, C] dst) {
  parallel b by 4 : block, t by 32 : thread {
    %s
  }
}
"""


def safely(text: str) -> str:
    """The text after the safe fixes, without a look at its credit flow."""
    return fix_text(check_text(text), lambda new, before: check_text(new, previous=before)).text


def safe_fixes(report: FileReport) -> list[Fix]:
    return [fix for item in with_tried_fixes(report).found for fix in item.fixes if fix.safe]


# --- what is meant -----------------------------------------------------------------------------------

STORE = "dst.at(b, t) = 1.0f;"
MENDED = [
    *((f"{word} (t < 8) {STORE}", f"if (t < 8) {STORE}") for word in ("iff", "If", "IF", "ifs", "iif")),
    (f"iff (t < 8)\n      {STORE}", f"if (t < 8)\n      {STORE}"),
    (f"whle (t < 0) {STORE}", f"while (t < 0) {STORE}"),
    (f"inthread (t == 0) {STORE}", f"inthreads (t == 0) {STORE}"),
    *((f"if (t == 0) {STORE} {word} (t == 1) {STORE}", f"if (t == 0) {STORE} else if (t == 1) {STORE}")
      for word in ("elif", "elsif", "elseif")),
    *((f"if (t == 0) {{ {STORE} }} {word} {{ {STORE} }}", f"if (t == 0) {{ {STORE} }} else {{ {STORE} }}")
      for word in ("els", "esle", "Else")),
    (f"if (t == 0 and b == 0) {STORE}", f"if (t == 0 && b == 0) {STORE}"),
    (f"if (t == 0 or b == 0) {STORE}", f"if (t == 0 || b == 0) {STORE}"),
    (f"if (t == 0 AND not (b == 0)) {STORE}", f"if (t == 0 && !(b == 0)) {STORE}"),
    ("prnt(t);", "print(t);"),
    ("prntln(t);", "println(t);"),
    ('__cp__("int x;");', '__cpp__("int x;");'),
    (f"if (t == 0) forech i in 4 {STORE}", f"if (t == 0) foreach i in 4 {STORE}"),
    (f"foreach j in 2\n      forech i in 4 {STORE}", f"foreach j in 2\n      foreach i in 4 {STORE}"),
    ("unsigned int x = 3;", "u32 x = 3;"),
    ("mutable unsigned char x = 3;", "mutable u8 x = 3;"),
    ("long long x = 3;", "s64 x = 3;"),
    ("dst.ta(b, t) = 1.0f;", "dst.at(b, t) = 1.0f;"),
    (f"foreach i in range(4) {STORE}", f"foreach i in 4 {STORE}"),
    ("foreach i in 4 { if (i == 2) brek; }", "foreach i in 4 { if (i == 2) break; }"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "meant"), MENDED)
def test_what_was_meant_is_written(typed: str, meant: str) -> None:
    assert safely(KERNEL % typed) == KERNEL % meant


UNSURE = [
    *(f"{word} (t < 8) {STORE}" for word in ("unless", "when", "until", "forall", "repeat", "guarded")),
    *(f"{word} (t < 8) {{ {STORE} }}" for word in ("unless", "when", "until", "forall", "repeat")),
    "emit(t);",
    "emit(t)\n    " + STORE,
    "printl(t);",  # print or println
    f"foreach i in 0..4 {STORE}",
    f"foreach i in 1..2 {STORE}",
    f"foreach i in range(1, 4) {STORE}",
    f"foreach i in total(4) {STORE}",
    f"if (not t == 1) {STORE}",  # of C++ it is '(!t) == 1', of Python '!(t == 1)'
    "int x = NULL;",
    "int i = 0; i++;",
    "wit src;",  # wait or with
]


@pytest.mark.parametrize("typed", UNSURE)
def test_what_may_mean_another_thing_is_left(typed: str) -> None:
    assert any(item.severity is Severity.ERROR for item in check_text(KERNEL % typed).diagnostics)
    assert safely(KERNEL % typed) == KERNEL % typed


@pytest.mark.parametrize(("typed", "hint"), [
    ("unless (t < 8)", "write 'if (!(…))'"),
    ("forall (t < 8)", "write 'foreach i in n'"),
    ("guarded (t < 8)", "write 'if (…)' for a condition, 'call guarded (t < 8);' for a call"),
])  # fmt: skip
def test_a_condition_without_its_word_is_told(typed: str, hint: str) -> None:
    (item,) = check_text(KERNEL % f"{typed} {STORE}").diagnostics
    assert (item.hint, item.fixes) == (hint, ())


@pytest.mark.parametrize(("example_name", "right", "wrong"), [
    ("row_sum", "        if (t < width)\n", "        iff (t < width)\n"),
    ("row_sum", "assert(", "ansert("),
    ("matmul_ragged", "after lf, rf", "afteer lf, rf"),
    ("rotate_triple", "rotate(", "rotatte("),
    ("add", "parallel j", "paralell j"),
    ("swap_f16", "mma.store", "mmi.store"),
    ("swap_f16", "mma.fill", "mmaa.fill"),
    ("add_tiled", ".data.at(i, j);", ".data.ta(i, j);"),
])  # fmt: skip
def test_a_word_of_an_example_is_restored(example_name: str, right: str, wrong: str) -> None:
    text = example(example_name)
    assert right in text
    assert safely(text.replace(right, wrong, 1)) == text


# --- functions of the file ---------------------------------------------------------------------------

DEVICE = "__device__ void emit(int x) {}\n"


def test_a_call_without_its_word_is_safe_where_the_file_has_the_function() -> None:
    assert safely(DEVICE + KERNEL % "emit(t);") == DEVICE + KERNEL % "call emit(t);"


def test_a_function_of_the_file_is_not_taken_for_a_mistyped_word() -> None:
    text = DEVICE.replace("emit", "print2") + KERNEL % "print2(t);"
    assert safely(text) == text


# --- the guard itself --------------------------------------------------------------------------------

TWO = KERNEL % "forech i in 4 { dst.at(b, i) = 1.0f; }\n    dst.at(b, t) = 2.0f;"


def with_other_fix(text: str, edits: tuple[Edit, ...]) -> FileReport:
    """The report whose one finding has a fix that is called safe and makes these edits, too."""
    report = check_text(text)
    (item,) = (one for one in report.found if one.code != "assumed-size")  # the indices have no guard
    other = replace(item.fixes[0], edits=(*item.fixes[0].edits, *edits), safe=True)
    return replace(report, found=(item.with_fixes((other,)),))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dst.at(b, t) = 2.0f;", ""),
        ("dst.at(b, t) = 2.0f;", "print(t);"),
        ("  parallel b by 4", "  foreach b in 4 { } parallel b by 4"),
    ],
)
def test_the_fixes_own_edits_may_change_what_they_touch(old: str, new: str) -> None:
    at = TWO.index(old)
    report = with_other_fix(TWO, (Edit(Span(at, at + len(old)), new),))
    assert len(safe_fixes(report)) == 1


def test_a_fix_that_takes_a_statement_beside_it_into_a_comment_is_not_safe() -> None:
    at = TWO.index("}\n    dst")
    report = with_other_fix(TWO, (Edit(Span(at + 1, at + 1), " /*"), Edit(Span(len(TWO) - 6, len(TWO) - 6), "*/")))
    assert safe_fixes(report) == []
    assert choose_edits(report, None, unsafe=False) == ([], 0)


def test_a_fix_that_leaves_its_finding_or_brings_another_is_not_safe() -> None:
    report = check_text(TWO)
    item = report.found[0]
    for word in ("forech", "while", "parallel"):
        fix = Fix("Try", (Edit(item.span, word),))
        assert safe_fixes(replace(report, found=(item.with_fixes((fix,)),))) == []


def test_of_several_fixes_a_bad_one_does_not_take_the_others_along() -> None:
    text = KERNEL % "forech i in 4 { dst.at(b, i) = 1.0f; }\n    int i = 0;\n    i++;"
    assert safely(text) == text.replace("forech", "foreach")


def test_what_follows_from_a_guess_is_not_mended() -> None:
    """`fs2` is read as `s2`, which takes no number with a point."""
    guessed = KERNEL % "local fs2 [4] x;\n    x.at(0) = 1.0f;"
    assert any(fix.safe for item in check_text(guessed).found if item.code == "lossy-conversion" for fix in item.fixes)
    assert safely(guessed) == guessed
    certain = KERNEL % "forech i in 4 { dst.at(b, i) = 1.0f; }\n    local s2 [4] x;\n    x.at(0) = 1.0f;"
    assert safely(certain) == certain.replace("forech", "foreach").replace("= 1.0f;\n  }", "= __to<s2>(1.0f);\n  }")


def test_two_mistakes_of_one_statement_are_mended_one_behind_the_other() -> None:
    text = KERNEL % "static constexpr int S = 3; dst.at(b, t) = 1.0f;"
    assert safely(text) == text.replace("static constexpr ", "")


def test_a_report_is_tried_once_and_a_clean_one_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[str] = []

    def counted(text: str, *rest: object) -> FileReport:
        trials.append(text)
        return check_text(text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("croqc.service.safe_trials.check_text", counted)
    with_tried_fixes(check_text(KERNEL % STORE))
    assert trials == []
    tried = with_tried_fixes(check_text(TWO))
    assert trials == [TWO.replace("forech", "foreach")]
    assert with_tried_fixes(tried) is tried


def test_many_mistakes_are_tried_in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The effort grows as their number does; and where all together do not mend, few texts of a long file are tried."""
    spent = []
    for count in (250, 1000):
        report = check_text(KERNEL % ("forech i in 4 { dst.at(b, i) = 1.0f; }\n    " * count))
        spent.append(effort(partial(with_tried_fixes, report), 3))
        assert len(safe_fixes(report)) == count
    assert spent[1] < 8 * spent[0]  # it was 16 times as much, and more
    texts: list[str] = []

    def counted(text: str, *rest: object) -> FileReport:
        texts.append(text)
        return check_text(text, *rest)  # type: ignore[arg-type]

    report = check_text(KERNEL % ("dst.at(b, t) = 1.f;\n    int i = 0; i++;\n    " * 1000))
    monkeypatch.setattr("croqc.service.safe_trials.check_text", counted)
    with_tried_fixes(report)
    assert 0 < len(texts) <= 4


# --- every word, mistyped ----------------------------------------------------------------------------

WORDS = frozenset(KEYWORDS) | MEMBERS | OPERATION_WORDS
SOURCES = ("matmul_ragged", "row_sum", "rotate_triple", "swap_f16", "add", "matmul_scalar")


def places() -> list[tuple[str, int, str]]:
    """The first place of each word of the language in each example."""
    found = []
    for name in SOURCES:
        text, seen = example(name), set[str]()
        for place in re.finditer(r"//[^\n]*|(?<!\w)[A-Za-z_]\w*", text):
            if place[0] in WORDS - seen and place.start() > text.index("__co__"):
                seen.add(place[0])
                found.append((name, place.start(), place[0]))
    return found


def slips(word: str) -> list[str]:
    """A letter twice, one left out, another one, two exchanged, and capitals."""
    middle = len(word) // 2
    changed = [word[:middle] + word[middle:][:1] * 2 + word[middle + 1 :], word[:middle] + word[middle + 1 :],
               word[:middle] + "q" + word[middle + 1 :], word[1:2] + word[0] + word[2:], word.upper()]  # fmt: skip
    return [one for one in dict.fromkeys(changed) if one.isidentifier() and one not in WORDS]


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_each_safe_fix_of_a_mistyped_word_restores_the_text(name: str) -> None:
    text, tried, mended = example(name), 0, 0
    whole = check_text(text)
    for source, at, word in places():
        for slip in slips(word) if source == name else ():
            broken = text[:at] + slip + text[at + len(word) :]
            report = check_text(broken, previous=whole)
            fixes = safe_fixes(report)
            tried += 1
            mended += bool(fixes)
            for fix in fixes:
                assert apply_edits(broken, fix.edits) == text, (word, slip, fix.title)
    assert tried >= 35
    assert mended >= tried // 4
