"""Rules of views, storage, functions, loops and events: words that depend on the finding; one fault, one finding."""

import pytest

from croqc.service.check import check_text
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.edits import apply_edits


def diagnostics(text: str) -> list[Diagnostic]:
    return list(check_text(text).diagnostics)


def only(text: str, rule: str) -> Diagnostic:
    (found,) = [item for item in diagnostics(text) if item.code == rule]
    return found


def kernel(body: str, params: str = "global f32 [64, 64] x, f32 [M, N] z, int n", before: str = "") -> str:
    return f"{before}__co__ void f({params}) {{\n  parallel p by 8 : block, t by 32 : thread {{\n{body}\n  }}\n}}\n"


MESSAGES = [
    ("index-out-of-range", "a = x.at(p - 1, 0);", "index reaches -1 in dimension 0 of 'x', the extent is 64"),
    ("index-out-of-range", "a = x.at(0, 64);", "index is 64 in dimension 1 of 'x', the extent is 64"),
    ("index-out-of-range", "v = x.subspan(64, 8).at(1, 0);", "tile number is 1 in dimension 0 of 'x', there is 1 tile"),
    ("index-out-of-range", "shared f32 [4] r[2][3]; a = r[1].at(0);", "'r' is an array: it needs 2 subscripts, got 1"),
    (
        "window-start",
        "v = x.view(8, 8).from(p * 16, 0);",
        "the window starts outside: at element 112, dimension 0 has 64",
    ),
    (
        "chunk-remainder",
        "foreach i in 6 { v = x.chunkat(i, _); }",
        "4 trailing elements are never visited: dimension 0 has 64, cut into 6 chunks",
    ),
    ("view-item-count", "v = x.subspan(8, 8).at(p);", "'at' needs 2 items, got 1"),
    ("atomic-operands", "__atomic_sub(x.at(0, 0), 1.0f);", "'__atomic_sub' does not exist for 'f32'"),
    ("call-argument", "call g({1, 2});", "'tuple {1, 2}' cannot be passed to 'g'"),
    ("loop-variable", "foreach n { a = 1; }", "'n' is 's32', no loop runs over it"),
]


@pytest.mark.parametrize(("rule", "body", "message"), MESSAGES)
def test_messages_name_place_and_numbers(rule: str, body: str, message: str) -> None:
    assert only(kernel(body), rule).message == message


FOLLOWERS = [
    ("shared f32 [8, 8] s; dma.copy x.subspan(8, 128).at(p, 0) => s;", ["tile-too-large"]),
    ("v = x.chunk(0, 8).at(p, 0);", ["zero-tile"]),
    ("v = x.chunk(128, 8).at(p, 0).at(5, 0);", ["too-many-chunks"]),
    ("f32 [8, 64] s; dma.copy x.chunkat(p, _) => s;", ["storage-at-device"]),
    ("dma.copy x.chunkat(p, _) => global;", ["storage-at-device"]),
    ("a = __max(1.0f);", ["syntax-error"]),
    ("__atomic_add(x.at(0, 0));", ["syntax-error"]),
]


@pytest.mark.parametrize(("body", "codes"), FOLLOWERS)
def test_one_fault_is_one_finding(body: str, codes: list[str]) -> None:
    found = [item.code for item in diagnostics(kernel(body)) if item.severity is not Severity.INFORMATION]
    assert found == codes


def test_a_return_inside_the_kernel_is_not_a_missing_one() -> None:
    text = "__co__ f32 [64] f(f32 [64] x) {\n  parallel p by 64 : thread {\n    return x;\n  }\n}\n"
    assert [item.code for item in diagnostics(text)] == ["return-in-parallel"]


PROVED = [
    ("v = x.chunkat(_, p).span_as(512);", Severity.ERROR),
    ("v = z.chunk(1, 2).at(0, 0).span_as(M * (N / 2));", Severity.WARNING),
]


@pytest.mark.parametrize(("body", "severity"), PROVED)
def test_gaps_are_an_error_only_where_they_are_proved(body: str, severity: Severity) -> None:
    assert only(kernel(body), "reshape-gaps").severity is severity


def test_a_template_argument_of_the_run_is_a_warning() -> None:
    assert only(kernel("call g<n>(x);"), "template-argument").severity is Severity.WARNING
    assert only(kernel("call g<x>(x);"), "template-argument").severity is Severity.ERROR


def test_what_a_macro_wrote_is_not_edited_at_its_use() -> None:
    before = "#define PLACE shared\n#define PICK [0]\n"
    assert only(kernel("r = dma.copy x.chunkat(t, _) => PLACE;", before=before), "thread-tile-in-shared").fixes == ()
    assert only(kernel("a = v PICK;", "f32 [8] v", before), "index-out-of-range").fixes == ()


def test_brackets_become_at_only_where_they_name_one_element() -> None:
    text = kernel("a = v[3];", "f32 [8] v")
    assert "a = v.at(3);" in apply_edits(text, only(text, "index-out-of-range").fixes[0].edits)
    assert only(kernel("a = x[p];"), "index-out-of-range").fixes == ()


ROLES = """__co__ void f(global f32 [64, 64] x, global f32 [64, 64] y) {
  parallel p by 8 : block {
    shared f32 [8, 64] s;
    shared event<%s> one, all;
    parallel w by 3 : group-4 {
      inthreads.async (w == 0) { dma.copy x.chunkat(p, _) => s; trigger one; wait all; }
      inthreads.async (w > 0) { wait one; y.at(p, 0) = s.at(0, 0); trigger all; }
    }
  }
}
"""


@pytest.mark.parametrize(
    ("count", "told"),
    [
        ("1", []),
        ("2", []),
        ("128", [("128 written, 1 or 2 computed", 0)]),
        ("256", [("256 written, 1 or 2 computed", 0)]),
        ("384", [("384 written, 1 or 2 computed", 0)]),
    ],
)
def test_explicit_counts_in_threads_are_told(count: str, told: list[tuple[str, int]]) -> None:
    found = [item for item in diagnostics(ROLES % count) if item.code == "explicit-count"]
    assert [(item.message.split(":")[0], len(item.fixes)) for item in found] == told
