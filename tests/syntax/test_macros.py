"""Macro expansion on tokens (reference, 1.2.4 to 1.2.6): what is produced, and where it stands."""

from __future__ import annotations

import pytest

from croqc.syntax.preprocess import preprocess
from croqc.syntax.tokens import Kind
from tests.syntax.preprocessing import body_of, in_function, only_function, reported


def expanded(defines: str, body: str) -> str:
    """The body after expansion under definitions, one `name text` or `name(params) text` a line."""
    lines = "".join(f"#define {line}\n" for line in defines.split("\n") if line)
    return body_of(in_function(body, lines))


@pytest.mark.parametrize(
    ("defines", "body", "expected"),
    [
        ("K 8", "K + K1 + #K + _K", "8 + K1 + # 8 + _K"),
        ("K", "K", "1"),
        ("K a + b // note", "K * 2", "a + b * 2"),
        ("K /* c */ 3 /* d */", "K", "3"),
        ("A B\nB C\nC 5", "A", "5"),
        ("A A + 1", "A", "A + 1"),
        ("A B\nB A", "A B", "A B"),
        ("parallel foreach", "parallel i", "foreach i"),
        ("K 8", '"K" R"(K)" /* K */ K', '"K" R"(K)" 8'),
        ("S 128", "dma.copy.swiz<S>", "dma .copy .swiz < 128 >"),
        ("at span", "x.at(0)", "x .span ( 0 )"),
        ("K at", "x.K(0)", "x .at ( 0 )"),
        ("K at", "x. K", "x . at"),
        ("K 5", "x.K", "x . 5"),
        ("K .at", "x K(0) xK", "x .at ( 0 ) xK"),
        ("M x.", "M at", "x . at"),
        ("M(a) x.a", "M(at)(0)", "x .at ( 0 )"),
        ("M(a) a.at", "M(x)", "x .at"),
        ("F(x) x.", "F(y)at", "y .at"),
        ("BOTH(p, q) ((p) + (q))", "BOTH(n, 1)", "( ( n ) + ( 1 ) )"),
        ("BOTH(p, q) ((p) + (q))", "BOTH(BOTH(n, 1), 2)", "( ( ( ( n ) + ( 1 ) ) ) + ( 2 ) )"),
        ("max(a, b) (a > b ? a : b)", "max(x, y) max a", "( x > y ? x : y ) max a"),
        ("M(a) max(a)", "M(1)", "max ( 1 )"),
        ("M(a) [a]", "M((1, 2)) M(f(1, 2))", "[ ( 1 , 2 ) ] [ f ( 1 , 2 ) ]"),
        ("M(a, b) a b", "M([1, 2]) M({x, y})", "[ 1 2 ] { x y }"),
        ("M(a) a", 'M("x, y")', '"x, y"'),
        ("M(a) a", "M  (\n  3\n)", "3"),
        ("M() 7", "M() + M( )", "7 + 7"),
        ("M(a) [a]", "M()", "[ ]"),
        ("M(a) a", "M", "M"),
        ("M(a) a", "M + (1)", "M + ( 1 )"),
        ("F G\nG(x) x + 1", "F(3)", "3 + 1"),
        ("G(x) x + 1\nF G", "F", "G"),
        ("F(x) F(x)", "F(1)", "F ( 1 )"),
        ("F(x) x(x)", "F(F)", "F ( F )"),
        ("A(x) B(x)\nB(x) A(x)", "A(1)", "A ( 1 )"),
        ("K 3\nM(a) a * K", "M(K)", "3 * 3"),
        ("a 9\nM(b) b + a", "M(a)", "9 + 9"),
        ("CAT(a, b) a##b", "CAT(x, y)", "x # # y"),
        ("M (a) a", "M", "( a ) a"),
        ("JOIN 1 \\\n  + 2", "JOIN", "1 + 2"),
        ("MANY(a, \\\n b) a + b", "MANY(1, 2)", "1 + 2"),
    ],
)
def test_expansion(defines: str, body: str, expected: str) -> None:
    text = "".join(f"#define {line}\n" for line in defines.replace("\\\n", "\0").split("\n")).replace("\0", "\\\n")
    assert body_of(in_function(body, text)) == expected
    assert reported(in_function(body, text)) == []


def test_parameter_lists_are_expanded_too() -> None:
    function = only_function("#define R 24\n__co__ void f(f32 [R, 4] m) {}")
    assert " ".join(token.text for token in function.tokens) == "void f ( f32 [ 24 , 4 ] m ) { }"


def test_produced_tokens_stand_at_the_use() -> None:
    text = "#define M(a) (a + 1)\n#define K 8\n__co__ void f() {\n\tx = K * M(K); }"
    function = only_function(text)
    source = function.text
    made = [(t.text, source[t.start : t.end], t.macro) for t in function.tokens if t.macro]
    assert made == [("8", "K", "K"), *((part, "M(K)", "M") for part in ("(", "8", "+", "1", ")"))]
    behind = function.tokens[-2]
    assert (behind.text, source[behind.start : behind.end], behind.macro) == (";", ";", None)
    assert [(source[span.start : span.end], name) for span, name in function.macro_uses] == [
        ("K", "K"),
        ("M", "M"),
        ("K", "K"),
    ]


def test_a_dotted_word_made_by_a_macro() -> None:
    function = only_function("#define K at\n__co__ void f() { y = x.K(0); }")
    (dotted,) = [token for token in function.tokens if token.kind is Kind.DOTTED]
    assert (dotted.text, dotted.macro) == (".at", "K")
    assert function.text[dotted.start : dotted.end] == ".K"


def test_a_name_left_alone_is_no_macro_token() -> None:
    function = only_function("#define M(a) a\n__co__ void f() { x.M = M; }")
    assert [token.macro for token in function.tokens] == [None] * len(function.tokens)
    assert function.macro_uses == ()
    assert [token.text for token in function.tokens][4:] == ["{", "x", ".M", "=", "M", ";", "}"]


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("M(1)", "macro 'M' takes 2 arguments, 1 given; it is not expanded"),
        ("M(1, 2, 3)", "macro 'M' takes 2 arguments, 3 given; it is not expanded"),
        ("ONE(1, 2)", "macro 'ONE' takes 1 argument, 2 given; it is not expanded"),
        ("NONE(1)", "macro 'NONE' takes 0 arguments, 1 given; it is not expanded"),
    ],
)
def test_wrong_number_of_arguments(use: str, message: str) -> None:
    text = f"#define M(a, b) a b\n#define ONE(a) a\n#define NONE() 1\n__co__ void f() {{ x = {use}; }}"
    assert reported(text) == [(4, 23, "warning", message)]
    assert body_of(text).replace(" ", "") == f"x={use};".replace(" ", "")


def test_variadic_macros() -> None:
    text = "#define LOG(fmt, ...) printf(fmt, __VA_ARGS__)\n__co__ void f() {\n#ifdef LOG\n  LOG(1, 2);\n#endif\n}"
    assert reported(text) == [(4, 3, "error", "variadic macro 'LOG' cannot be used in a '__co__' function")]


def test_a_use_ends_before_a_directive_line() -> None:
    assert body_of(in_function("M(1\n#if 1\n)\n#endif", "#define M(a) [a]\n")) == "M ( 1 )"


def test_a_body_is_examined_only_when_used() -> None:
    text = "#define BAD 1 $ 'x' 08\n__co__ void f() { x = 1; }"
    assert reported(text) == []
    used = reported(text.replace("x = 1", "x = BAD"))
    assert [(line, column) for line, column, _, _ in used] == [(2, 23)] * 3
    assert {message for *_, message in used} == {
        "unexpected character '$'",
        "unexpected character '''",
        "invalid suffix '8' on number",
    }


def test_a_wrong_body_is_told_once() -> None:
    text = "#define BAD $ 1\n__co__ void f() { x = BAD; y = BAD; }"
    assert len(reported(text)) == 1
    assert body_of(text) == "x = 1 ; y = 1 ;"


def test_a_wrong_macro_within_a_macro_is_told_at_the_use() -> None:
    text = "#define BAD $ 1\n#define OUTER (BAD)\n#define TWO(a, b) a\n#define IN TWO(1)\n"
    text += "__co__ void f() {\n x = OUTER + IN; }"
    assert [(row[:2], row[3]) for row in reported(text)] == [
        ((6, 6), "unexpected character '$'"),
        ((6, 14), "macro 'TWO' takes 2 arguments, 1 given; it is not expanded"),
    ]


def test_exponential_macros_end_with_an_error() -> None:
    lines = "".join(f"#define A{n} A{n + 1} A{n + 1}\n" for n in range(40))
    text = f"{lines}__co__ void f() {{ x = A0; y = A1; }}"
    assert reported(text) == [(41, 23, "error", "the expansion of macro 'A0' is too large")]
    assert body_of(text) == "x = A0 ; y = A1 ;"


def test_exponential_macros_that_stand_for_nothing_end() -> None:
    lines = "".join(f"#define A{n} A{n + 1} A{n + 1}\n" for n in range(40))
    text = f"{lines}__co__ void f() {{ x = A0; }}"
    assert len(reported(text, A40=None)) == 1


def test_long_chains_and_deep_arguments_end() -> None:
    chain = "".join(f"#define A{n} A{n + 1}\n" for n in range(1000))
    assert [row[3] for row in reported(f"{chain}__co__ void f() {{ x = A0; }}")] == [
        "the expansion of macro 'A0' is too large"
    ]
    deep = "#define M(a) a\n__co__ void f() { x = " + "M(" * 2000 + "1" + ")" * 2000 + "; }"
    assert [row[2] for row in reported(deep)] == ["error"]


def test_macros_of_one_function_do_not_spend_the_budget_of_another() -> None:
    lines = "".join(f"#define A{n} A{n + 1} A{n + 1}\n" for n in range(40))
    text = f"{lines}#define K 3\n__co__ void f() {{ x = A0; }}\n__co__ void g() {{ x = K; }}"
    assert len(reported(text)) == 1
    assert [token.text for token in preprocess(text).functions[1].tokens][5:] == ["x", "=", "3", ";", "}"]
