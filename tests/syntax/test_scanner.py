"""Tokens of function text (reference, 1.3) and the one message for each mistake (2.11, I2 to I8, P10, P11)."""

from __future__ import annotations

import pytest

from croqc.syntax.tokens import Kind
from tests.syntax.preprocessing import body_of, in_function, only_function, reported


def tokens(body: str) -> list[tuple[Kind, str]]:
    read = only_function(f"__co__ void f() {{{body}}}").tokens
    return [(token.kind, token.text) for token in read[5:-1]]


def texts(body: str) -> list[str]:
    return [text for _, text in tokens(body)]


def mistakes(statement: str) -> list[tuple[int, str]]:
    """Column in the statement and message, as the table of invalid snippets counts."""
    found = reported(in_function(statement))
    assert all(line == 2 and severity == "error" for line, _, severity, _ in found)
    return [(column, message) for _, column, _, message in found]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a->b", "a - > b"),
        ("a=>b", "a => b"),
        ("a>=b", "a >= b"),
        ("a#-1", "a #- 1"),
        ("a##b", "a # # b"),
        ("#+ #- #* #/ #%", "#+ #- #* #/ #%"),
        ("a <-> b", "a <-> b"),
        ("a<<=b", "a << = b"),
        ("a>>=b", "a >> = b"),
        ("a&=b|=c^=d", "a & = b | = c ^ = d"),
        ("a+=b-=c*=d/=e%=f", "a += b -= c *= d /= e %= f"),
        ("a + = 3", "a + = 3"),
        ("i++ + ++j--", "i ++ + ++ j --"),
        ("||a||", "|| a ||"),
        ("[[2, 3]]", "[ [ 2 , 3 ] ]"),
        ("[?, ??]", "[ ? , ?? ]"),
        ("a::b(1::2)", "a :: b ( 1 :: 2 )"),
        ("a==b!=c<=d&&!e", "a == b != c <= d && ! e"),
        ("group-4 group - 4", "group - 4 group - 4"),
        ("a ** b", "a * * b"),
        ("a <=> b", "a <= > b"),
        ("~a%b^c", "~ a % b ^ c"),
        ("-1.5f", "- 1.5f"),
        ("n -1.5", "n - 1.5"),
        ("x#/*c*/y", "x # y"),
        ("x/ /*c*/y//z", "x / y"),
    ],
)
def test_operators_longest_match_first(source: str, expected: str) -> None:
    assert " ".join(texts(source + "\n")) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x.at(0)", "x .at ( 0 )"),
        ("x . at", "x . at"),
        ("x .at", "x .at"),
        ("x. at", "x . at"),
        ("1.at", "1 .at"),
        ("1.5.at", "1.5 .at"),
        ("f.data.span_as", "f .data .span_as"),
        ("mma.fill.f16", "mma .fill .f16"),
        ("dma.copyx", "dma .copyx"),
        ("dma.copy.swiz<64>\n  weights\n    .subspan(32)", "dma .copy .swiz < 64 > weights .subspan ( 32 )"),
    ],
)
def test_dotted_words(source: str, expected: str) -> None:
    assert " ".join(texts(source)) == expected
    kinds = {text: kind for kind, text in tokens(source)}
    assert all((kind is Kind.DOTTED) == (len(text) > 1 and text[0] == ".") for text, kind in kinds.items())


INTEGERS = "0 7 2147483648 9223372036854775807 18446744073709551615u 0xF0u 0x7fffFFFFffffFFFF 5ull 5uLL 5l 5LL 5U 0X1ul"


@pytest.mark.parametrize("number", INTEGERS.split())
def test_integers(number: str) -> None:
    assert tokens(number) == [(Kind.INT, number)]
    assert mistakes(f"x = {number};") == []


@pytest.mark.parametrize("number", ["0.5", "1.5f", "10.25F", "007.25", "123456789012345678901234567890.5"])
def test_reals(number: str) -> None:
    assert tokens(number) == [(Kind.REAL, number)]
    assert mistakes(f"x = {number};") == []


@pytest.mark.parametrize(
    ("row", "statement", "column", "message", "left"),
    [
        ("I2", "x = 1e5;", 6, "invalid suffix 'e5' on number", "x = 100000.0 ;"),
        ("I3", "x = .5;", 5, "unknown member '.5'", "x = 0.5 ;"),
        ("I4", "x = 012;", 6, "invalid suffix '12' on number", "x = 0 ;"),
        ("I5", "x = 5lu;", 7, "invalid suffix 'u' on number", "x = 5l ;"),
        (
            "I6",
            "x = 99999999999999999999;",
            5,
            "integer literal '99999999999999999999' is out of range [0, 9223372036854775807]",
            "x = 99999999999999999999 ;",
        ),
        ("I7", "x = 'q';", 5, "unexpected character '''", "x = 0 ;"),
        ("I8", "x = n @ 2;", 7, "unexpected character '@'", "x = n + 2 ;"),
        ("", "x = 007;", 6, "invalid suffix '07' on number", "x = 0 ;"),
        ("", "x = 0b11;", 6, "invalid suffix 'b11' on number", "x = 0 ;"),
        ("", "x = 12ab;", 7, "invalid suffix 'ab' on number", "x = 12 ;"),
        ("", "x = 0x;", 6, "invalid suffix 'x' on number", "x = 0 ;"),
        ("", "x = 0xFg;", 8, "invalid suffix 'g' on number", "x = 0xF ;"),
        ("", "x = 1.5h;", 8, "invalid suffix 'h' on number", "x = 1.5 ;"),
        ("", "x = 1.5e3;", 8, "invalid suffix 'e3' on number", "x = 1500.0 ;"),
        ("", "x = 1.5E-2f;", 8, "invalid suffix 'E-2f' on number", "x = 0.015f ;"),
        ("", "x = 1e-n;", 6, "invalid suffix 'e' on number", "x = 1 - n ;"),
        ("", "x = 1.f;", 6, "a number needs a digit behind the point", "x = 1.0f ;"),
        ("", "x = 2f;", 6, "invalid suffix 'f' on number", "x = 2.0f ;"),
        ("", "x = 1.;", 6, "a number needs a digit behind the point", "x = 1.0 ;"),
        ("", "x = y.5;", 6, "unknown member '.5'", "x = y ;"),
        (
            "",
            "x = 18446744073709551616u;",
            5,
            "integer literal '18446744073709551616u' is out of range [0, 18446744073709551615]",
            "x = 18446744073709551616u ;",
        ),
        (
            "",
            "x = 0x8000000000000000;",
            5,
            "integer literal '0x8000000000000000' is out of range [0, 9223372036854775807]",
            "x = 0x8000000000000000 ;",
        ),
        ("", "x = $y;", 5, "unexpected character '$'", "x = y ;"),
        ("", "x = a@b;", 6, "unexpected character '@'", "x = a + b ;"),
        ("", "x = `y`;", 5, "unexpected character '`'", "x = y ;"),
        ("", "x = y \\ ;", 7, "unexpected character '\\'", "x = y ;"),
        ("", "x = длина;", 5, "unexpected characters 'длина'", "x = 0 ;"),
        ("", "x =\u00a0y;", 4, "unexpected character 'U+00A0'", "x = y ;"),
        ("", "x = \x00y;", 5, "unexpected character 'U+0000'", "x = y ;"),
        ("", "println('ab');", 9, "unexpected character '''", 'println ( "ab" ) ;'),
        ("", "x = y';", 6, "unexpected character '''", "x = y ;"),
        ("P10", 'println("abc);', 9, "unterminated string literal", 'println ( "abc" ) ;'),
        ("", 'x = R"(abc;', 5, "unterminated string literal", 'x = "(abc" ;'),
    ],
)
def test_one_message_for_one_mistake(row: str, statement: str, column: int, message: str, left: str) -> None:
    if statement.count("`") == 2:
        assert mistakes(statement) == [(5, message), (7, message)]
    else:
        assert mistakes(statement) == [(column, message)]
    assert body_of(in_function(statement)) == left


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("x = 012;", "octal literals do not exist"),
        ("x = 5lu;", "write '5ul'"),
        ("x = 'q';", "character literals do not exist"),
        ("x = .5;", "a number needs a digit before the point"),
        ("x = 18446744073709551615;", "the suffix 'u' doubles the range"),
        ("x = 99999999999999999999;", ""),
        ("x = “y”;", "write '\"'"),
    ],
)
def test_the_way_out(statement: str, hint: str) -> None:
    (finding, *_) = only_function(in_function(statement)).findings
    assert finding.hint == hint
    assert finding.code == "syntax-error"


def test_a_very_long_numeral_is_out_of_range() -> None:
    ((column, message),) = mistakes(f"x = {'9' * 5000};")
    assert column == 5
    assert "is out of range" in message
    assert len(message) < 120


STRINGS = ('"a"', '""', r'"a\"b"', r'"\\"', '"// no comment"', '"/* none */"', r'"\n\t\q"', '"two\nlines"', '"{"')
RAW_STRINGS = ('R"(a"b)"', 'R"t(a)"b)t"', 'R"(two\nlines)"', 'R"({)"')


@pytest.mark.parametrize("string", [*STRINGS, *RAW_STRINGS])
def test_strings(string: str) -> None:
    assert tokens(f"x = {string};")[2:] == [(Kind.STRING, string), (Kind.OP, ";")]
    assert reported(f"__co__ void f() {{ x = {string}; }}") == []


def test_adjacent_strings_stay_apart() -> None:
    assert texts('"a" R"(b)" "c"') == ['"a"', 'R"(b)"', '"c"']
    assert texts('R x R1 "c"') == ["R", "x", "R1", '"c"']


def test_an_unterminated_string_ends_with_its_line() -> None:
    body = 'println("abc);\nprintln("x", "y");\nz = 1;'
    assert [row[:2] for row in reported(in_function(body))] == [(2, 9)]
    assert body_of(in_function(body)) == 'println ( "abc" ) ; println ( "x" , "y" ) ; z = 1 ;'


def test_p11_unterminated_comment() -> None:
    text = "__co__ void f() {\n  x = 1; /* open\n}\n__co__ void g() {}\n"
    assert reported(text) == [(2, 10, "error", "unterminated comment")]
    assert body_of(text) == "x = 1 ;"


def test_comments_are_kept_aside() -> None:
    function = only_function("__co__ void f() { // one\n x /* two */ = 1; }")
    assert [comment.text for comment in function.comments] == ["// one", "/* two */"]
    assert [token.text for token in function.tokens][5:] == ["x", "=", "1", ";", "}"]


def test_joined_lines_are_one_blank() -> None:
    assert body_of(in_function("x = \\\n 1;")) == "x = 1 ;"
    assert reported(in_function("x = \\ \n 1;")) == [(2, 5, "warning", "backslash and newline separated by space")]


def test_blanks_at_the_end_of_the_file_are_no_tokens() -> None:
    assert [row[3] for row in reported("__co__ void f() {  ")] == ["'__co__' function is not terminated"]


def test_line_first_and_spaced() -> None:
    function = only_function("__co__ void f() {\n\tx.at = /* c */y+\n  z ;\n}")
    assert [token.text for token in function.tokens if token.line_first] == ["x", "z", "}"]
    assert [token.text for token in function.tokens if token.spaced] == ["void", "f", "{", "x", "=", "y", "z", ";", "}"]


def test_a_hash_that_opens_a_line_is_no_directive_in_an_expression() -> None:
    assert body_of(in_function("x = outer\n  # inner;")) == "x = outer # inner ;"
    assert body_of(in_function("x =\n  #inner;")) == "x = # inner ;"


def test_offsets_are_relative_to_the_function() -> None:
    text = "int a;\n__co__ void f() { x = 1; }"
    function = only_function(text)
    assert function.base == 7
    assert all(text[function.base + token.start : function.base + token.end] == token.text for token in function.tokens)
