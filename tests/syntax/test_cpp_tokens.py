"""Comments and literals of C++ are none of its words, and numbers with quotes open no literal."""

from __future__ import annotations

import pytest

from croqc.syntax.cpp_tokens import WORD, blanked, silenced, uncommented


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a // b\nc", ["a", "c"]),
        ("a /* b\n// c */ d", ["a", "d"]),
        ('a "b // c" d', ["a", "d"]),
        ('a "b \\" c" d', ["a", "d"]),
        ("a 'b' c", ["a", "c"]),
        ("a '\\'' b '\"' c", ["a", "b", "c"]),
        ("1'000 a 2'000 b", ["a", "b"]),
        ("0xff'ff + a", ["xff", "ff", "a"]),
        ("case'x': a u8'y' b", ["case", "a", "u8", "b"]),
        ('a R"(b " c)" d', ["a", "d"]),
        ('a R"x(b )" c)x" d', ["a", "d"]),
        ("a 'b", ["a", "b"]),  # no literal: it does not end
    ],
)
def test_what_stays(text: str, words: list[str]) -> None:
    assert WORD.findall(silenced(text)) == words


def test_what_is_blanked_leaves_the_rest_where_it_stood() -> None:
    assert blanked('a "}" b // }\n}') == "a     b     \n}"


def test_strings_stay_where_comments_alone_go() -> None:
    assert uncommented("a /* b */ \"bar.sync // 0\" '/' c // d") == "a   \"bar.sync // 0\" '/' c  "
