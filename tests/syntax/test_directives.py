"""Directive lines (reference, 1.2.1, 1.2.2, 1.2.7 to 1.2.9, 1.2.11; rows P1 to P7)."""

from __future__ import annotations

import pytest

from croqc.syntax.preprocess import preprocess
from tests.syntax.preprocessing import body_of, findings_of, in_function, only_function, reported

EMPTY = "__co__ void f() {}\n"


def test_v61_conditionals_in_host_text_and_function() -> None:
    text = (
        "#define ROWS_T 24\n#ifdef ROWS_T\n#define HALF_T (ROWS_T / 2)\n#endif\n"
        "__co__ void uses(f32 [ROWS_T, 4] m) {\n#if HALF_T * 2 == ROWS_T && !defined(OFF)\n"
        "  parallel p by HALF_T { m.at(p, 0) = 1.0f; }\n#else\n  this text is never parsed ***\n#endif\n}\n"
    )
    assert reported(text) == []
    assert body_of(text) == "parallel p by ( 24 / 2 ) { m .at ( p , 0 ) = 1.0f ; }"
    function = only_function(text)
    assert [function.text[span.start : span.end] for span in function.dead] == ["  this text is never parsed ***\n"]
    assert [line.text for line in function.directives] == [
        "#if HALF_T * 2 == ROWS_T && !defined(OFF)",
        "#else",
        "#endif",
    ]


@pytest.mark.parametrize(
    ("body", "line", "column", "message"),
    [
        ("  #endif", 2, 3, "'#endif' without '#if'"),
        ("#else", 2, 1, "'#else' without '#if'"),
        ("#elif 1", 2, 1, "'#elif' without '#if'"),
        ("#if 1\n#else\n#elif 1\n#endif", 4, 1, "'#elif' after '#else'"),
        ("#if 1\n#else\n#else\n#endif", 4, 1, "'#else' after '#else'"),
        (" #if 1\n x = 1;", 2, 2, "missing '#endif'"),
        ("#ifdef\n#endif", 2, 7, "macro name missing"),
        ("#ifndef // none\n#endif", 2, 8, "macro name missing"),
        ("# define", 2, 9, "macro name missing"),
        ("#undef 7", 2, 7, "macro name missing"),
        (" #error tile too large", 2, 2, "#error: tile too large"),
        ('#error "tile // large" // note', 2, 1, '#error: "tile // large"'),
        ('#include "x.h"', 2, 1, "'#include' is not allowed inside a '__co__' function"),
        ("#pragma unroll", 2, 1, "unknown directive '#pragma unroll' inside a '__co__' function"),
        ("#warning x", 2, 1, "unknown directive '#warning' inside a '__co__' function"),
        ("x = 1;\n#endfi", 3, 1, "unknown directive '#endfi' inside a '__co__' function"),
        ("#if 1 +\n#endif", 2, 8, "malformed #if expression"),
        ("#if // nothing\n#endif", 2, 4, "malformed #if expression"),
        ("#define 3x 4", 2, 8, "macro name missing"),
        ("#define F(a, 1) a", 2, 10, "malformed parameter list of macro 'F'"),
        ("#define F(a", 2, 10, "malformed parameter list of macro 'F'"),
        ("#define M(a, b) a\n#define M(a, b) b", 3, 9, "redefinition of macro 'M'"),
        ("#define K 1\n#define K(a) a", 3, 9, "redefinition of macro 'K'"),
        ("#pragma croq intrinsic namespace croq", 2, 34, "'croq' is reserved for built-in functions"),
        ("#pragma croq intrinsic prefix croq::x", 2, 31, "'croq' is reserved for built-in functions"),
        ("#pragma cuda intrinsic prefix x_", 2, 9, "expected 'croq' or 'choreo', found 'cuda'"),
        ("#pragma croq intrinsics prefix x_", 2, 14, "expected 'intrinsic', found 'intrinsics'"),
        ("#pragma croq intrinsic prefx x_", 2, 24, "expected 'prefix' or 'namespace', found 'prefx'"),
        ("#pragma croq intrinsic prefix", 2, 30, "expected a name after 'prefix'"),
        ("#pragma croq intrinsic", 2, 23, "expected 'prefix' or 'namespace'"),
    ],
)
def test_one_error_in_a_function(body: str, line: int, column: int, message: str) -> None:
    text = in_function(body)
    assert reported(text) == [(line, column, "error", message)]
    assert findings_of(preprocess(text))[0].code == ("preprocessor-error")


@pytest.mark.parametrize(
    ("host", "line", "column", "message"),
    [
        ("#endif\n", 1, 1, "'#endif' without '#if'"),
        ("int a;\n  # if 1\n", 2, 3, "missing '#endif'"),
        ("#define MIN(a, b) ((a) < (b))\n#define MIN(a, b) (a)\n", 2, 9, "redefinition of macro 'MIN'"),
        ("#if 2 > 1\n#error tile too large\n#endif\n", 2, 1, "#error: tile too large"),
        ("#error can't /* never */ do\n", 1, 1, "#error: can't   do"),
        ("#define A /* open\n", 1, 11, "unterminated comment"),
    ],
)
def test_one_error_in_host_text(host: str, line: int, column: int, message: str) -> None:
    assert reported(EMPTY.rstrip() + " " * 0 + "\n" + host) == [(line + 1, column, "error", message)]


@pytest.mark.parametrize(
    "host",
    [
        "#include <a.h>\n#pragma once\n#pragma unroll\n#warning x\n#foo\n#\n#line 7\n#import <x>\n",
        "#if 0\n#error never\n#define\n#if\n#endif\n#endif\n#if 1\n#elif\n#endif\n",
        "#if(1)\n#endif\n#if!0\n#endif\n",
        "#ifdef A // no\n#endif /* end */\n#ifndef A /* no */\n#endif\n#define A\n#undef A // gone\n",
        "#define M(a, b) a\n#define M(a,  b)  a // same\n",
        "#define X 1\n#define X 2\n",
        "#define LOG(...) printf(__VA_ARGS__)\n#define S(x) #x\n#define C '\"'\n#define MANY do { \\\n } while(0)\n",
        "int a; #if not first\n",
    ],
)
def test_what_host_text_may_hold(host: str) -> None:
    assert reported(host + EMPTY) == []


def test_a_missing_endif_in_a_dead_branch_is_one_error() -> None:
    text = "__co__ void f() {\n#if 0\n  x = 1;\n}\n__co__ void g() {}\n"
    assert reported(text) == [(2, 1, "error", "missing '#endif'")]
    assert [function.text[:16] for function in preprocess(text).functions] == ["__co__ void f() ", "__co__ void g() "]


def test_branches() -> None:
    body = "#if A == 1\na\n#elif A == 2\nb\n#elif A / 0\nc\n#else\nd\n#endif"
    assert body_of(in_function(body, "#define A 1\n")) == "a"
    assert body_of(in_function(body, "#define A 2\n")) == "b"
    assert body_of(in_function(body, "#define A 3\n")) == "d"
    # The condition behind the taken branch is not evaluated, so its division is not seen.
    assert reported(in_function(body, "#define A 2\n")) == []
    assert [row[3] for row in reported(in_function(body, "#define A 3\n"))] == ["division by zero in #if"]


def test_nested_branches_and_stray_text_in_dead_ones() -> None:
    body = "#if 0\n can't \" #if\n#if 1\nx\n#else\ny\n#endif\n/* #endif\n */ }}} // }\n#else\nz\n#endif"
    assert body_of(in_function(body)) == "z"
    assert reported(in_function(body)) == []


def test_a_conditional_may_cut_anywhere() -> None:
    assert body_of(in_function("x = a +\n#if 1\nb\n#else\nc\n#endif\n* 2;")) == "x = a + b * 2 ;"


def test_scope_of_macros() -> None:
    text = (
        "__co__ void a() { x = K; }\n#define K 1\n__co__ void b() {\n x = K;\n#define K 2\n y = K;\n#undef K\n"
        "#define L 5\n z = K; }\n__co__ void c() { x = K + L; }\n#undef K\n__co__ void d() { x = K; }\n"
    )
    bodies = [" ".join(token.text for token in function.tokens[4:]) for function in preprocess(text).functions]
    assert bodies == ["{ x = K ; }", "{ x = 1 ; y = 2 ; z = K ; }", "{ x = 1 + L ; }", "{ x = K ; }"]


def test_definitions_are_listed_in_file_order_with_their_places() -> None:
    text = "#define A 1\n__co__ void f() {\n#define B(x) x\n}\n#if 0\n#define C\n#endif\n#define D(...) 1\n#define E\n"
    macros = preprocess(text, {"Z": "3"}).macros
    assert [(macro.name, macro.params, macro.body, macro.opaque) for macro in macros] == [
        ("Z", None, "3", False),
        ("A", None, "1", False),
        ("B", ("x",), "x", False),
        ("D", (), "1", True),
        ("E", None, "1", False),
    ]
    assert macros[0].span is None
    assert [text[macro.span.start : macro.span.end] for macro in macros if macro.span] == ["A", "B", "D", "E"]


def test_directive_lines_of_host_text_are_listed() -> None:
    text = f"#define A \\\n 1\n#if 0\n  # error x // y\n#endif\n{EMPTY}"
    lines = preprocess(text).directives
    assert [line.text for line in lines] == ["#define A \\\n 1", "#if 0", "# error x // y", "#endif"]
    assert all(text[line.start : line.end] == line.text for line in lines)


def test_undecided_error_is_left_to_the_cpp_compiler() -> None:
    text = f"#if CUDA_VERSION < 12000\n#error old\n#endif\n{EMPTY}"
    assert reported(text) == [(2, 1, "information", "#error: old")]
    (finding,) = findings_of(preprocess(text))
    assert finding.hint.startswith("left to the C++ compiler")
    assert "'CUDA_VERSION'" in finding.hint


def test_else_of_an_undecided_condition_is_undecided() -> None:
    text = f"#ifdef __CUDA_ARCH__\n#elif 0\n#else\n#error host\n#endif\n{EMPTY}"
    assert [row[2] for row in reported(text)] == ["information"]


def test_an_error_in_a_function_is_always_decided() -> None:
    assert [row[2] for row in reported(in_function("#ifndef __CUDA__\n#error x\n#endif"))] == ["error"]


def test_the_guard_idiom_is_decided() -> None:
    text = f"#ifndef TILE\n#define TILE 64\n#endif\n#if TILE != 128\n#error tile\n#endif\n{EMPTY}"
    assert reported(text) == [(5, 1, "error", "#error: tile")]


@pytest.mark.parametrize(
    ("opening", "unknown"),
    [
        ("#if X > 2", "X"),
        ("#ifdef __CUDA__", "__CUDA__"),
        ("#if defined(__CUDA__)", "__CUDA__"),
        ("#if 1\n#if X", "X"),
        ("#if X\n#if 0", "X"),
        ("#if !X\n#else", "X"),
        ("#if 0 && X", None),
        ("#ifdef X", None),
        ("#if 0\n#if X", None),
        ("#if 1\n#elif X", None),
        ("#if X\n#elif 0", None),
    ],
)
def test_dead_functions_because_of_undecided_conditions(opening: str, unknown: str | None) -> None:
    text = f"{opening}\n__co__ auto mine() {{}}\n" + "#endif\n" * opening.count("#if")
    line = text.splitlines().index("__co__ auto mine() {}") + 1
    message = f"'mine' is not compiled: condition depends on '{unknown}', which is unknown here"
    assert reported(text) == ([(line, 1, "warning", message)] if unknown else [])


def test_v63_intrinsics() -> None:
    text = "#pragma croq intrinsic prefix hw_ namespace vend;\n" + EMPTY
    function = only_function(text)
    assert (function.intrinsic_prefixes, function.intrinsic_namespaces) == (("hw_",), ("vend",))
    assert reported(text) == []


def test_intrinsics_of_a_function_end_with_it() -> None:
    text = "#pragma choreo intrinsic prefix a_ // c\n__co__ void f() {\n#pragma croq intrinsic prefix b_\n}\n" + EMPTY
    first, second = preprocess(text).functions
    assert (first.intrinsic_prefixes, second.intrinsic_prefixes) == (("a_", "b_"), ("a_",))


def test_duplicate_intrinsics() -> None:
    text = EMPTY + "#pragma croq intrinsic prefix a_ prefix a_ namespace a_\n"
    assert reported(text) == [(2, 41, "warning", "duplicate intrinsic prefix 'a_'")]


def test_backslash_and_blanks() -> None:
    text = "#define K 1 + \\ \n 2\n__co__ void f() { x = K; }"
    assert reported(text) == [(1, 15, "warning", "backslash and newline separated by space")]
    assert body_of(text) == "x = 1 + 2 ;"


def test_a_joined_line_does_not_move_later_lines() -> None:
    text = "#define K 1 \\\n + 2\n__co__ void f() {\n x = @;\n}"
    assert [row[:2] for row in reported(text)] == [(4, 6)]


def test_command_line_macros() -> None:
    text = "#if FLAG\n__co__ void f() { x = FLAG N; }\n#endif\n"
    assert body_of(text, FLAG=None, N="4 + 1") == "x = 4 + 1 ;"
    assert body_of("#ifdef N\n__co__ void f() { x = N; }\n#endif", N="") == "x = ;"
    assert body_of("#define N 2\n__co__ void f() { x = N; }", N="7") == "x = 2 ;"
    assert body_of("#define N(a) a\n__co__ void f() { x = N(3); }", N="7") == "x = 3 ;"
