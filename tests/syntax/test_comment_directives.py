"""Comment directives: what is read, to whom it belongs, where each complaint points."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croqc.syntax.comment_directives import FileDirectives, file_directives
from croqc.syntax.expectation import Expectation, names_in
from croqc.syntax.preprocess import preprocess
from croqc.syntax.tree import FileTree

BODY = "__co__ void f(f32 [M] x) { }\n"


def read(text: str) -> FileDirectives:
    return file_directives(FileTree(text, preprocess(text), (), ()))


def complaints(text: str) -> list[tuple[str, str, str]]:
    """The marked text, the message and the hint of each finding."""
    return [(text[d.span.start : d.span.end], d.message, d.hint) for d in read(text).findings]


def test_a_run_line() -> None:
    text = f'// croq: run M=512 N = 0x40 alpha=-0.5 flag=true seed=7 arch=sm_90a name="small one"\n{BODY}'
    found = read(text)
    assert found.findings == ()
    (run,) = found.functions[0].runs
    assert [(v.name, v.value, text[v.span.start : v.span.end]) for v in run.sizes] == [
        ("M", 512, "M=512"),
        ("N", 64, "N = 0x40"),
        ("alpha", -0.5, "alpha=-0.5"),
        ("flag", True, "flag=true"),
    ]
    assert (run.seed, run.arch, run.name) == (7, "sm_90a", "small one")
    assert text[run.span.start : run.span.end] == text.splitlines()[0]


def test_an_empty_run_line_takes_all_defaults() -> None:
    (run,) = read(f"//croq: run\n{BODY}").functions[0].runs
    assert (run.sizes, run.seed, run.arch, run.name) == ((), None, None, None)


def test_an_expect_line() -> None:
    text = f"  // croq: expect out ~= lhs @ rhs.T rtol=1e-3 atol=0.5 \n{BODY}"
    (expect,) = read(text).functions[0].expects
    assert isinstance(expect.expr, Expectation)
    assert (expect.text, expect.rtol, expect.atol) == ("out ~= lhs @ rhs.T", 1e-3, 0.5)
    spans = [ref.span.shift(expect.base) for ref in names_in(expect.expr)]
    assert [text[span.start : span.end] for span in spans] == ["out", "lhs", "rhs"]


def test_an_axis_is_no_tolerance() -> None:
    (expect,) = read(f"// croq: expect s ~= sum(x, axis=0)\n{BODY}").functions[0].expects
    assert (expect.text, expect.rtol, expect.atol) == ("s ~= sum(x, axis=0)", None, None)


def test_expect_auto() -> None:
    (expect,) = read(f"// croq: expect auto\n{BODY}").functions[0].expects
    assert (expect.expr, expect.text) == (None, "auto")


def test_a_model_line() -> None:
    text = f"// croq: model ns::gelu(x, y) = x * sigmoid(1.702 * y)\n{BODY}"
    (model,) = read(text).functions[0].models
    assert (model.name, model.params) == ("ns::gelu", ("x", "y"))
    spans = [ref.span.shift(model.base) for ref in names_in(model.body)]
    assert [text[span.start : span.end] for span in spans] == ["x", "y"]


def test_allowances_keep_their_line() -> None:
    text = f"{BODY}int a; // croq: allow unused-name, shadowed-name\n"
    (allow,) = read(text).allows
    assert [(name, text[span.start : span.end]) for name, span in allow.names] == [
        ("unused-name", "unused-name"),
        ("shadowed-name", "shadowed-name"),
    ]
    assert allow.line == 1


def test_target_and_dialect_belong_to_the_file() -> None:
    found = read(f"// croq: arch sm_80\n{BODY}// croq: dialect current\n")
    assert found.arch is not None
    assert found.dialect is not None
    assert (found.arch.value, found.dialect.value) == ("sm_80", "current")


def test_owners() -> None:
    text = (
        "// croq: run M=1\n// croq: expect auto\n__co__ void f() {\n  // croq: run M=2\n  x = 1; // croq: allow a\n}\n"
        "// croq: run M=3\n__co__ void g() {\n  // croq: model h(x) = x\n}\n"
    )
    found = read(text)
    assert found.findings == ()
    first, second = found.functions
    assert [run.sizes[0].value for run in first.runs] == [1, 2]
    assert [run.sizes[0].value for run in second.runs] == [3]
    assert (len(first.expects), len(second.expects)) == (1, 0)
    assert (len(first.models), len(second.models)) == (0, 1)
    assert found.allows[0].line == 4


def test_only_comments_count() -> None:
    text = (
        "const char* s = \"// croq: run M=1\"; /* // croq: run M=2 */ char c = '\"'; int n = 1'000; // croq: run M=3\n"
        'auto r = R"x( // croq: run M=4 )x"; // plain croq: run M=5\n'
        f"/// croq: run M=6\n__device__ void d() {{ // croq: run M=7\n}}\n{BODY}"
    )
    assert [run.sizes[0].value for run in read(text).functions[0].runs] == [3]


def test_strings_inside_functions_do_not_count() -> None:
    text = '__co__ void f() { println("// croq: run M=1"); __cpp__(R"(\n// croq: run M=2\n)"); }\n'
    assert read(text).functions[0].runs == ()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends(newline: str) -> None:
    found = read(f'// croq: run M=4 name="a"{newline}// croq: allow b{newline}{BODY}')
    assert found.findings == ()
    assert found.functions[0].runs[0].name == "a"
    assert found.allows[0].line == 1


@pytest.mark.parametrize(
    ("line", "marked", "message", "hint"),
    [
        ("// croq: rnu M=1", "rnu", "unknown directive 'rnu'", "did you mean 'run'?"),
        ("// croq: xyz", "xyz", "unknown directive 'xyz'", "known: allow, arch, dialect, expect, model, run"),
        ("// croq:", "// croq:", "a directive needs a word", "known: allow, arch, dialect, expect, model, run"),
        ("// croq: run M", "M", "expected '=' behind 'M'", "write NAME=VALUE, as in M=512"),
        ("// croq: run M=", "M=", "'' is not a value for 'M'", "write a number, true or false"),
        ("// croq: run M=abc", "M=abc", "'abc' is not a value for 'M'", "write a number, true or false"),
        ("// croq: run M=4, N=8", ",", "expected NAME=VALUE", "separate the values by blanks"),
        ("// croq: run M=4 M=8", "M=8", "'M' is given twice", ""),
        ("// croq: run seed=1 seed=2", "seed=2", "'seed' is given twice", ""),
        ("// croq: run 4=M", "4=M", "'4' is not a name", "write NAME=VALUE, as in M=512"),
        ("// croq: run seed=-1", "seed=-1", "the seed is an integer from 0 to 2^64 - 1", "as in seed=7"),
        ("// croq: run arch=hopper", "arch=hopper", "'hopper' is not an architecture", "as in arch=sm_90a"),
        ("// croq: run name=small", "name=small", "the name of a run stands in quotes", 'as in name="small"'),
        ("// croq: run M=18446744073709551616", "M=18446744073709551616",
         "'18446744073709551616' is not a value for 'M'", "write a number, true or false"),
        ("// croq: expect y ~= x tol=1", "tol=1", "unknown option 'tol'", "did you mean 'atol'?"),
        ("// croq: expect y ~= x rtol=a", "rtol=a", "'rtol' is a number from 0 on", "as in rtol=1e-3"),
        ("// croq: expect y ~= x rtol=-1", "rtol=-1", "'rtol' is a number from 0 on", "as in rtol=1e-3"),
        ("// croq: expect y ~= x rtol=1 rtol=2", "rtol=1", "'rtol' is given twice", ""),
        ("// croq: expect y ~= x +", "", "expected a value at the end", ""),
        ("// croq: expect y ~= rellu(x)", "rellu", "unknown function 'rellu'", "did you mean 'relu'?"),
        ("// croq: expect", "", "expected a value at the end", ""),
        ("// croq: model f = 3", "// croq: model f = 3", "expected NAME(parameters) = expression",
         "as in 'model twice(x) = x + x'"),
        ("// croq: model f(x, x) = x", "x, x", "the parameters of a model are different names", ""),
        ("// croq: model f(x) = x + xs", "xs", "'xs' is no parameter of 'f'", "did you mean 'x'?"),
        ("// croq: model f(x) = ", "", "expected a value at the end", ""),
        ("// croq: allow", "// croq: allow", "'allow' needs the name of a rule", "as in 'allow unused-name'"),
        ("// croq: allow a b", "a", "names of rules are separated by commas", ""),
        ("// croq: allow T01", "T01", "'T01' is not the name of a rule", "as in 'unused-name'"),
        ("// croq: arch", "// croq: arch", "'arch' takes one word", "as in 'arch sm_90a'"),
        ("// croq: arch h100", "h100", "'h100' is not an architecture", "as in 'arch sm_90a'"),
        ("// croq: dialect curent", "curent", "unknown dialect 'curent'", "did you mean 'current'?"),
    ],
)  # fmt: skip
def test_complaints(line: str, marked: str, message: str, hint: str) -> None:
    assert complaints(f"{line}\n{BODY}") == [(marked, message, hint)]
    assert all(d.code == "run-directive" for d in read(f"{line}\n{BODY}").findings)


def test_a_run_without_a_function() -> None:
    assert complaints(f"{BODY}// croq: run M=1\n") == [
        ("// croq: run M=1", "no '__co__' function follows", "write it above the kernel that it concerns")
    ]


def test_a_second_target() -> None:
    assert complaints(f"// croq: arch sm_80\n// croq: arch sm_89\n{BODY}") == [
        ("// croq: arch sm_89", "'arch' stands in this file already", "keep one of them")
    ]


_PIECES = st.sampled_from(
    ["// croq: ", "run ", "expect ", "model ", "allow ", "arch ", "M=4 ", "y ~= x ", "f(x) = x ", "\n", BODY, "=", ",",
     '"', "'", "/*", "*/", "auto", "name=\"a\" ", "é", "seed=", "rtol=1 "]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=25).map("".join))
def test_any_text(text: str) -> None:
    found = read(text)
    assert len(found.functions) == len(preprocess(text).functions)
    assert all(0 <= d.span.start <= d.span.end <= len(text) for d in found.findings)
