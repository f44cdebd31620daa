"""Mistyped words of the language: what was meant, its fix, and a statement that is read all the same."""

import numpy as np
import pytest

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.simulate import SimOptions, simulate
from croqc.service.check import check_text
from croqc.syntax.parser import parse_file
from croqc.text.edits import apply_edits
from tests.syntax.parsing import findings, parse, tree_of, wrapped

# snippet, the place and the mistyped word, what was meant, the class of the statement
WORDS = [
    ("forech k in 4 { x = k; }", "1:1", "foreach", "Foreach"),
    ("paralel p by 4 : block { y = p; }", "1:1", "parallel", "Parallel"),
    ("paralel {p, q} by [4, 4] { y = p; }", "1:1", "parallel", "Parallel"),
    ("paralel.async p by 4 { y = p; }", "1:1", "parallel", "Parallel"),
    ("foreach k im 4 { x = k; }", "1:11", "in", "Foreach"),
    ("foreach {k, l} im [4, 2] { x = k; }", "1:16", "in", "Foreach"),
    ("parallel p bu 4 { x = p; }", "1:12", "by", "Parallel"),
    ("parallel x = {p, q} bu [4, 4] { y = p; }", "1:21", "by", "Parallel"),
    ("for i in 4 { x = i; }", "1:1", "foreach", "Foreach"),
    ("wiat e;", "1:1", "wait", "Wait"),
    ("triger e[0];", "1:1", "trigger", "Trigger"),
    ("shard f16 [4] y;", "1:1", "shared", "BufferDecl"),
    ("flot z = 1.0f;", "1:1", "float", "ScalarDecl"),
    ("f16x2 [4] z;", "1:1", "f16", "BufferDecl"),
    ("shared f16x2 [4] z;", "1:8", "f16", "BufferDecl"),
    ("mutble int z = 3;", "1:1", "mutable", "ScalarDecl"),
    ("iff (n > 1) { a = 2; }", "1:1", "if", "If"),
    ("retrun n;", "1:1", "return", "Return"),
    ("synk.shared;", "1:1", "sync", "Sync"),
]


@pytest.mark.parametrize(("snippet", "place", "word", "kind"), WORDS)
def test_a_mistyped_word(snippet: str, place: str, word: str, kind: str) -> None:
    [(where, said)] = findings(snippet)
    assert where == place
    assert word in said.partition("; ")[2]
    assert [type(stmt).__name__ for stmt in tree_of(snippet).body.stmts] == [kind]
    text, _ = wrapped(snippet)
    [finding] = parse(snippet).findings
    assert parse_file(apply_edits(text, finding.fixes[0].edits)).findings == ()


def test_every_word_of_a_function_is_set_right_in_one_go() -> None:
    text = "parallel p by 4 {\n  forech k in 4 { x = k; }\n  wiat e;\n  y = (2;\n  triger e;\n}"
    assert [place for place, _ in findings(text)] == ["2:3", "3:3", "4:9", "5:3"]


@pytest.mark.parametrize(
    ("snippet", "said"),
    [
        ("weight y = 3;", "unknown type 'weight'; "),
        ("shared foo [4] y;", "unknown type 'foo'; "),
        ("foreach k in 4: {\n}", "expected a loop hint behind ':'; use unroll or vectorize"),
        ("x = 1'000;", "unexpected character '''; write the digits of a number together"),
        ("x = 1'000'000u;", "unexpected character '''; write the digits of a number together"),
        ("for (int q = 0; q < 3; q++) { x = q; }", "there is no 'for'; use 'foreach q in 3'"),
        ("for (int q = 0; q < cdiv(n, 4); ++q) { x = q; }", "there is no 'for'; use 'foreach q in [cdiv(n, 4)]'"),
        ("for (int  i   = 0; i < n; i += 1) { x = i; }", "there is no 'for'; use 'foreach i in n'"),
        ("for (int q = 0; q < 8; q += 2) { x = 1; }", "there is no 'for'; use 'with q in [8] foreach q(::2)'"),
        ("parallel r in n : block { x = r; }", "expected 'by' before 'in'; did you mean 'by'?"),
        ("parallel {r, s} in [n, 4] : block { x = r; }", "expected 'by' before 'in'; did you mean 'by'?"),
        ("sync;", "'sync' needs to say what it synchronises; 'sync.shared' is the barrier of the block"),
        ("f32 a = mma.fill.f32 0.0f;", "an accumulator has no type in front; write 'a = mma…'"),
        ("foreach r by n { x = r; }", "expected 'in' before 'by'; did you mean 'in'?"),
        ("for (int q = 1; q < 9; q++) { x = q; }", "there is no 'for'; use 'with q in [9] foreach q(1:)'"),
        ("for (int q = 3; q <= 9; q += 2) { x = q; }", "there is no 'for'; use 'with q in [10] foreach q(3::2)'"),
        ("for (int q = n - 1; q <= n; q++) { x = q; }", "there is no 'for'; use 'with q in [n + 1] foreach q(n - 1:)'"),
        ("for (int q = 9; q > 0; q--) { x = 1; }", "there is no 'for'; use 'foreach i in n'"),
        ("for (int q = 0; q < n; q += s) { x = 1; }", "there is no 'for'; use 'foreach i in n'"),
    ],
)
def test_words_without_a_near_one(snippet: str, said: str) -> None:
    assert [words for _, words in findings(snippet)] == [said]


@pytest.mark.parametrize(
    "text", ["__co__", "__co__ void", "__co__ void f(", "__co__ void f(s32 n)", "__co__ void f() {"]
)
def test_a_function_cut_short_has_one_message(text: str) -> None:
    assert len(parse_file(text).findings) == 1


def test_a_brace_is_inserted_directly_behind_a_tuple() -> None:
    [finding] = parse("w = {n, 1;").findings
    text, _ = wrapped("w = {n, 1;")
    assert "w = {n, 1};" in apply_edits(text, finding.fixes[0].edits)


def test_a_macro_that_is_not_expanded_is_one_error() -> None:
    text = "#define F(a, b) a\n#define G(a) a\n__co__ void f(s32 n) {\n  x = F(1);\n  y = n;\n  G(2, 3);\n}\n"
    said = [(item.severity.name, item.message) for item in parse_file(text).findings]
    assert said == [
        ("ERROR", "macro 'F' takes 2 arguments, 1 given; it is not expanded"),
        ("ERROR", "macro 'G' takes 1 argument, 2 given; it is not expanded"),
    ]


def test_a_for_loop_from_a_start_takes_the_same_turns() -> None:
    header = "for (int i = 3; i <= 9; i += 2)"
    text = f"__co__ void f(global s32 [12] y) {{ parallel p by 1 : thread {{ {header} {{ y.at(i) = i; }} }} }}\n"
    [found] = check_text(text).diagnostics
    report = check_text(apply_edits(text, found.fixes[0].edits))
    assert report.diagnostics == ()
    assert report.functions[0].analysis is not None
    data = {"y": np.full(12, -1, np.int32)}
    result = simulate(report.functions[0].analysis.model, LaunchArgs(data, {}), SimOptions())
    assert [int(value) for value in result.outputs["y"]] == [-1, -1, -1, 3, -1, 5, -1, 7, -1, 9, -1, -1]


def test_the_joiner_of_an_inner_loop_is_its_own() -> None:
    text = (
        "__co__ void f(global s32 [N] y) { parallel p by 1 : block, t by 1 : thread foreach k in N { y.at(k) = k; } }\n"
    )
    assert check_text(text).diagnostics == ()


def test_a_level_that_is_nearly_one_is_told() -> None:
    text = "__co__ void f(global s32 [N] y) { parallel p by N : threads { y.at(p) = 1; } }\n"
    [found] = check_text(text).diagnostics
    assert found.hint.startswith("did you mean 'thread'? use block, group, ")
    assert apply_edits(text, found.fixes[0].edits) == text.replace("threads", "thread")
