"""Renaming: through macros, dimensions and directives; refused where it would capture. `|` is the cursor."""

from __future__ import annotations

import re

import pytest

from croqc.service.check import check_text
from croqc.text.edits import apply_edits
from croqls.ide.rename import Refused, renamable, rename
from croqls.ide.snapshot import Snapshot
from tests.ide.marked import marked
from tests.ide.test_names import KERNEL, MACROS, PIPELINE


def renamed(text: str, new: str) -> str:
    snapshot, offset = marked(text)
    assert not isinstance(renamable(snapshot, offset), Refused)
    edits = rename(snapshot, offset, new)
    assert not isinstance(edits, Refused), edits.reason
    return apply_edits(snapshot.text, edits)


def refused(text: str, new: str = "other") -> str:
    snapshot, offset = marked(text)
    edits = rename(snapshot, offset, new)
    assert isinstance(edits, Refused)
    return edits.reason


def test_a_dimension_with_its_directives() -> None:
    assert renamed(KERNEL.replace("[M, 64] src", "[|M, 64] src", 1), "Rows") == (
        KERNEL.replace("[M, 64]", "[Rows, 64]")
        .replace("run M=64", "run Rows=64")
        .replace("src * M", "src * Rows")
        .replace("in [M]", "in [Rows]")
    )


def test_an_array_from_its_expectation() -> None:
    expected = KERNEL.replace("dst", "target")
    assert renamed(KERNEL.replace("expect dst", "expect d|st"), "target") == expected


def test_a_macro_in_code_conditions_other_macros_and_host_text() -> None:
    assert renamed(KERNEL.replace("return x + TILE", "return x + TILE|"), "EDGE") == (
        KERNEL.replace("TILE", "EDGE").replace("m and EDGE in", "m and TILE in").replace('"scale EDGE', '"scale TILE')
    )


def test_a_function_in_calls_and_host_text() -> None:
    expected = KERNEL.replace("scale(", "grow(")
    assert renamed(KERNEL.replace("call scale", "call |scale"), "grow") == expected


def test_a_device_function_with_its_model() -> None:
    assert renamed(KERNEL.replace("call twice", "call twi|ce"), "double_of") == KERNEL.replace("twice", "double_of")


def test_names_inside_macros() -> None:
    assert renamed(MACROS.replace("tile[2]", "ti|le[2]"), "ring") == MACROS.replace("tile", "ring")
    assert renamed(MACROS.replace("full[2]", "|full[2]"), "ready_s") == MACROS.replace("full", "ready_s")


def test_every_name_of_the_course_kernel_can_be_renamed_and_back() -> None:
    """The renamed kernel has the findings of the old one, and renaming back gives the old text byte for byte."""
    before = check_text(PIPELINE)
    for word in ("MATMUL_STAGES", "block_m", "lhs_load_s", "full", "iv_k", "mc", "p1", "K", "lhs", "matmul", "stage"):
        found = re.compile(rf"\b{word}\b").search(PIPELINE, before.functions[0].base)
        assert found is not None
        new = renamed(PIPELINE[: found.start()] + "|" + PIPELINE[found.start() :], "renamed")
        assert [item.code for item in check_text(new).diagnostics] == [item.code for item in before.diagnostics]
        place = re.compile(r"\brenamed\b").search(new, before.functions[0].base - 100)
        assert place is not None
        assert renamed(new[: place.start()] + "|" + new[place.start() :], word) == PIPELINE


SCOPES = """#define SIZE 8
__co__ void f(global f32 [N] x, global f32 [N] y) {
  foreach {i} in [N] {
    f32 t = x.at(i);
    foreach {j} in [SIZE] {
      f32 u = t + x.at(j);
      y.at(i) = u;
    }
  }
}
"""


@pytest.mark.parametrize(
    ("mark", "new", "reason"),
    [
        ("|t = x", "2x", "'2x' is not a name: letters, digits and '_', no digit first"),
        ("|t = x", "naïve", "'naïve' is not a name: letters, digits and '_', no digit first"),
        ("|t = x", "foreach", "'foreach' is a word of the language"),
        ("|t = x", "f16", "'f16' is a word of the language"),
        ("|t = x", "_", "'_' is a placeholder and names nothing"),
        ("|t = x", "__lib_t", "names that begin with '__lib_' are library calls"),
        ("|t = x", "SIZE", "'SIZE' is a macro, line 1: it would stand in the place of the name"),
        ("|t = x", "u", "'u' is already the variable of line 6: one would hide the other"),
        ("|j} in", "i", "'i' is already the loop index of line 3: one would hide the other"),
        ("|x, global", "y", "'y' is already the parameter of line 2: one would hide the other"),
        ("|N] x", "t", "'t' is already the variable of line 4: one would hide the other"),
        ("|SIZE 8", "u", "'u' already stands in line 6"),
        ("|f(global", "x", "'x' already stands in line 2"),
        ("f|oreach {i}", "other", "there is no name to rename here"),
        ("for|each {j}", "other", "there is no name to rename here"),
    ],
)
def test_what_is_refused_and_why(mark: str, new: str, reason: str) -> None:
    assert refused(SCOPES.replace(mark.replace("|", ""), mark, 1), new) == reason


CPP = """#define WIDTH 8
__device__ int next(int q) { return q + WIDTH; }
__co__ void fill(global s32 [WIDTH] o) {
  parallel p by WIDTH : thread { int b = call next(p); o.at(p) = b; }
}
void host(int *p) { fill(p); }
"""
REACHING = ("|WIDTH 8", "|next(int", "|fill(global", "call ne|xt", "fi|ll(p)")


@pytest.mark.parametrize("mark", REACHING)
@pytest.mark.parametrize(
    ("new", "reason"),
    [
        *(
            (new, "belongs to C++, where")
            for new in ("template", "class", "new", "sizeof", "struct", "namespace", "this")
        ),
        *((new, "belongs to C++, where") for new in ("and", "or_eq", "compl", "co_await", "main", "NULL", "std")),
        *((new, "belongs to the preprocessor") for new in ("defined", "__LINE__", "__FILE__", "__global__")),
        *((new, "is a name of the headers") for new in ("threadIdx", "sinf", "EOF", "INT_MAX", "cudaMalloc")),
    ],
)
def test_a_name_that_stands_in_cpp_is_none_of_its_words(mark: str, new: str, reason: str) -> None:
    text = CPP.replace(mark.replace("|", ""), mark, 1)
    assert refused(text, new).startswith(f"'{new}' {reason}")


@pytest.mark.parametrize("mark", REACHING)
@pytest.mark.parametrize("new", ["klass", "defined_", "LINE", "_PRIVATE", "news", "Class", "load_stage", "smap_map"])
def test_a_name_that_stands_in_cpp_may_be_any_other(mark: str, new: str) -> None:
    assert new in renamed(CPP.replace(mark.replace("|", ""), mark, 1), new)


@pytest.mark.parametrize("new", ["template", "class", "and", "defined", "sinf", "threadIdx"])
def test_a_name_that_only_croqtile_reads_may_be_a_word_of_cpp(new: str) -> None:
    assert f"int {new} = call next(p); o.at(p) = {new};" in renamed(CPP.replace("int b =", "int |b ="), new)


def test_names_that_never_meet_may_be_equal() -> None:
    text = SCOPES.replace("  }\n}\n", "  }\n  foreach {k} in [N]\n    y.at(k) = 0.0f;\n}\n")
    assert renamed(text.replace("{k} in", "{|k} in"), "i") == text.replace("{k}", "{i}").replace("at(k)", "at(i)")


def test_a_name_that_a_macro_brings_along_for_two_things_is_refused() -> None:
    text = "#define SUM(a) total + (a)\n" + "".join(
        f"__co__ void {name}(global f32 [N] x) {{\n  f32 tot{mark}al = x.at(0);\n  x.at(1) = SUM(2);\n}}\n"
        for name, mark in (("f", "|"), ("g", ""))
    )
    assert refused(text) == "'total' in line 4 comes from the macro 'SUM', which means other things too"


def test_a_macro_of_the_settings_is_refused() -> None:
    from croqc.service.settings import Settings

    snapshot = Snapshot("file:///k.co", 1, "__co__ void f(global f32 [T] x) {}\n", below=Settings(defines={"T": "8"}))
    told = rename(snapshot, snapshot.text.index("T]"), "U")
    assert told == Refused("'T' is defined in the settings or on the command line, not in this file")


def test_a_name_in_text_that_is_not_read_is_refused() -> None:
    text = '__co__ void f(global f32 [N] x) {\n  f32 |t = x.at(0);\n  __cpp__("t += 1;");\n  x.at(1) = t;\n}\n'
    assert refused(text) == "'t' also stands in C++ text, which is not read; rename it by hand"


def test_a_broken_function_that_may_hold_the_name_elsewhere_is_refused() -> None:
    text = "__co__ void f(global f32 [N] x) {\n  f32 |t = x.at(0);\n  x.at(1) = t t t;\n  x.at(2) = t;\n}\n"
    assert refused(text, "v") == "line 3 holds 't' and could not be read; mend the syntax error first"
    other = text.replace("t t t", "2 2 2").replace("|", "")
    assert renamed(other.replace("t = x", "|t = x"), "v") == other.replace("t = x", "v = x").replace("= t", "= v")


def test_the_same_name_changes_nothing() -> None:
    snapshot, offset = marked(SCOPES.replace("|t", "t").replace("t = x", "|t = x"))
    assert rename(snapshot, offset, "t") == ()


RETURNS = """// croq: run M=8
// croq: expect o == x + y * M
__co__ auto f(global s32 [M] x, global s32 [M] y, s32 z) {
  global s32 [M] o;
  parallel p by M : thread { o.at(p) = x.at(p) + y.at(p) * M + z * 0; }
  return o;
}
"""


@pytest.mark.parametrize("mark", ["|x +", "|y *", "M] |x", "|M=8", "* |M\n"])
def test_no_name_of_an_expectation_becomes_that_of_the_returned_value(mark: str) -> None:
    text = RETURNS.replace(mark.replace("|", ""), mark, 1)
    assert refused(text, "result") == (
        "with this name a '// croq: expect' line would mean something else: 'result' is the returned value"
    )


def test_what_is_returned_may_be_called_result() -> None:
    """It is what the expectation is about before and after; and what no expectation names may be called anything."""
    assert renamed(RETURNS.replace("[M] o", "[M] |o"), "result") == re.sub(r"\bo\b", "result", RETURNS)
    assert "s32 result)" in renamed(RETURNS.replace("s32 z", "s32 |z"), "result")


def test_a_function_that_returns_nothing_has_no_result() -> None:
    text = RETURNS.replace("  return o;\n", "").replace("expect o", "expect x").replace("__co__ auto", "__co__ void")
    assert "expect result == result + y * M" in renamed(text.replace("[M] x", "[M] |x"), "result")


def test_a_parameter_called_result_is_not_the_result() -> None:
    """In the expectation the returned value goes before it: that name stays."""
    text = RETURNS.replace("x", "result").replace("eresultpect o", "expect result").replace("== result +", "== o +")
    after = renamed(text.replace("[M] result", "[M] |result"), "input")
    assert after == text.replace("[M] result", "[M] input").replace("= result.at", "= input.at")
    assert "expect result == o" in after
