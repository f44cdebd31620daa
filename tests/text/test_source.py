"""Lines, offsets and LSP columns of a source, by examples and against a naive reference."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croqc.text.source import Encoding, Position, Source
from croqc.text.span import Span

EMOJI = "😀"  # U+1F600: 4 bytes in UTF-8, 2 units in UTF-16, 1 code point
UNIT_BYTES = {Encoding.UTF8: 1, Encoding.UTF16: 2, Encoding.UTF32: 4}
CODECS = {Encoding.UTF8: "utf-8", Encoding.UTF16: "utf-16-le", Encoding.UTF32: "utf-32-le"}

texts = st.text(alphabet=st.sampled_from("ab\t\r\n é中\u2028\x0b" + EMOJI), max_size=30)
encodings = st.sampled_from(list(Encoding))


def naive_units(text: str, encoding: Encoding) -> int:
    return len(text.encode(CODECS[encoding], "surrogatepass")) // UNIT_BYTES[encoding]


def naive_lines(text: str) -> list[tuple[int, str]]:
    """Start and content of each line, from a regular expression instead of an index."""
    lines, start = [], 0
    for end in re.finditer(r"\r\n|\r|\n", text):
        lines.append((start, text[start : end.start()]))
        start = end.end()
    return [*lines, (start, text[start:])]


@given(texts)
def test_lines_agree_with_the_reference(text: str) -> None:
    source = Source(text)
    lines = naive_lines(text)
    assert list(source.line_starts) == [start for start, _ in lines]
    assert [source.line_text(number) for number in range(len(lines))] == [content for _, content in lines]


@given(texts, st.integers(-3, 35), encodings)
def test_position_agrees_with_the_reference(text: str, offset: int, encoding: Encoding) -> None:
    inside = min(max(offset, 0), len(text))
    begun = [(number, line) for number, line in enumerate(naive_lines(text)) if line[0] <= inside]
    number, (start, content) = begun[-1]
    expected = Position(number, naive_units(content[: inside - start], encoding))
    assert Source(text).position(offset, encoding) == expected


@given(texts, st.integers(0, 30), encodings)
def test_an_offset_outside_a_line_end_survives_the_round_trip(text: str, offset: int, encoding: Encoding) -> None:
    source = Source(text)
    offset = min(offset, len(text))
    inside_crlf = text[offset - 1 : offset + 1] == "\r\n" if offset else False
    assert source.offset(source.position(offset, encoding), encoding) == offset - inside_crlf


@given(texts, st.integers(-2, 12), st.integers(-2, 40), encodings)
def test_any_position_gives_an_offset_of_its_line(text: str, line: int, column: int, encoding: Encoding) -> None:
    lines = naive_lines(text)
    offset = Source(text).offset(Position(line, column), encoding)
    if line < 0:
        assert offset == 0
    elif line >= len(lines):
        assert offset == len(text)
    else:
        start, content = lines[line]
        assert start <= offset <= start + len(content)
        before = naive_units(content[: offset - start], encoding)
        assert before >= min(max(column, 0), naive_units(content, encoding))
        assert offset == start or naive_units(content[: offset - start - 1], encoding) < column


@pytest.mark.parametrize(
    ("encoding", "column"), [(Encoding.UTF8, 4 + 2 + 1), (Encoding.UTF16, 2 + 1 + 1), (Encoding.UTF32, 3)]
)
def test_columns_behind_an_emoji(encoding: Encoding, column: int) -> None:
    source = Source(f"x\n{EMOJI}é= 1")
    assert source.position(5, encoding) == Position(1, column)
    assert source.offset(Position(1, column), encoding) == 5


def test_a_column_inside_a_character_goes_behind_it() -> None:
    source = Source(f"{EMOJI}b")
    assert source.offset(Position(0, 1), Encoding.UTF16) == 1
    assert source.offset(Position(0, 3), Encoding.UTF8) == 1


def test_a_lone_surrogate_has_columns_too() -> None:
    source = Source("\ud800b")
    assert source.position(1, Encoding.UTF16) == Position(0, 1)
    assert source.position(1, Encoding.UTF8) == Position(0, 3)


def test_the_three_line_ends_mix() -> None:
    source = Source("a\r\nb\rc\nd\n\re")
    assert source.line_starts == (0, 3, 5, 7, 9, 10)
    assert [source.line_text(line) for line in range(6)] == ["a", "b", "c", "d", "", "e"]


def test_only_lf_crlf_and_cr_end_a_line() -> None:
    assert Source("a\x0bb\x0cc\u2028d\u0085e").line_starts == (0,)


def test_inside_a_crlf_the_column_is_that_of_the_line_end() -> None:
    source = Source("ab\r\ncd")
    assert source.position(3) == Position(0, 2)
    assert source.offset(Position(0, 99)) == 2


def test_a_text_that_ends_with_a_line_end_has_an_empty_last_line() -> None:
    source = Source("ab\n")
    assert source.position(3) == Position(1, 0)
    assert source.line_text(1) == ""
    assert source.offset(Position(1, 0)) == 3


def test_the_empty_text_has_one_empty_line() -> None:
    source = Source("")
    assert source.line_starts == (0,)
    assert source.position(7) == Position(0, 0)
    assert source.offset(Position(3, 3)) == 0


@pytest.mark.parametrize(("offset", "line"), [(-1, 0), (0, 0), (1, 0), (2, 1), (3, 1), (99, 1)])
def test_line_of_is_clamped(offset: int, line: int) -> None:
    assert Source("a\nb").line_of(offset) == line


@pytest.mark.parametrize("line", [-1, 2])
def test_there_is_no_text_outside_the_lines(line: int) -> None:
    assert Source("a\nb").line_text(line) == ""


def test_messages_count_lines_and_characters_from_one() -> None:
    assert Source(f"x\n{EMOJI}b").line_column(3) == (2, 2)


def test_slice_takes_only_what_is_there() -> None:
    source = Source("abcdef")
    assert source.slice(Span(2, 4)) == "cd"
    assert source.slice(Span(4, 99)) == "ef"
    assert source.slice(Span(-3, 2)) == "ab"
    assert source.slice(Span(-3, -1)) == ""


@pytest.mark.parametrize(
    ("text", "newline"),
    [
        ("", "\n"),
        ("a", "\n"),
        ("a\nb\r\n", "\n"),
        ("a\r\nb\n", "\r\n"),
        ("\r\nb", "\r\n"),
        ("a\rb\n", "\r"),
        ("\nb", "\n"),
    ],
)
def test_newline_is_the_first_one_used(text: str, newline: str) -> None:
    assert Source(text).newline == newline


def test_the_path_does_not_make_two_sources_differ() -> None:
    assert Source("a", "one.co") == Source("a", "two.co")
    assert Source("a") != Source("b")
