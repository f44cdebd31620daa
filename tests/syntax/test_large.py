"""Large texts take work in proportion to their length, counted in calls and copied entries. No times."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from croqc.service.check import check_text
from croqc.syntax import parser
from croqc.syntax.acceptable import acceptable_at
from croqc.syntax.lalr import Machine
from croqc.syntax.parser import parse_file
from croqc.syntax.preprocess import preprocess
from tests.effort import effort

GROWTH = 2.6  # twice the text, at most this much work: 2 is linear, 4 quadratic


def host(value: str) -> str:
    return f"__co__ void f(int n) {{ int a = {value}; }}\n"


def events(count: int) -> str:
    names = [f"e{number}" for number in range(count)]
    gives, takes = ("".join(f"{word} {name}; " for name in names) for word in ("trigger", "wait"))
    return (
        f"__co__ void f() {{ parallel b by 1 : block {{ shared event {', '.join(names)}; parallel p by 2 : group-4 {{ "
        f"inthreads.async (p == 0) {{ {gives}}} inthreads.async (p == 1) {{ {takes}}} }} }} }}\n"
    )


NESTED: dict[str, Callable[[int], str]] = {
    "signs": lambda size: host("!" * size + "true"),
    "parentheses": lambda size: host("(" * size + "n" + ")" * size),
    "choices": lambda size: host("n > 1 ? 1 : " * size + "0"),
    "lines of parentheses": lambda size: host("(\n" * size + "n" + ")" * size),
    "parentheses that are left open": lambda size: host("(" * size + "n"),
}
LONG: dict[str, Callable[[int], str]] = {
    "sum of numbers": lambda size: host("+".join(["1"] * size)),
    "sum of names": lambda size: host("+".join(["n"] * size)),
    "extents": lambda size: f"__co__ void f(global f32 [{', '.join(['1'] * size)}] o) {{ }}\n",
    "events": lambda size: events(size // 4),
}


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, those written in C too."""
    count = 0

    def seen(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", [*NESTED, *LONG])
def test_twice_the_text_takes_twice_the_calls(name: str) -> None:
    text = (NESTED | LONG)[name]
    check_text(text(10))  # tables and modules are loaded
    small, large = (calls(lambda size=size: check_text(text(size))) for size in (800, 1600))  # type: ignore[misc]
    assert large < GROWTH * small


class Stack(list[Any]):
    """A list that counts the entries that are copied out of it."""

    copied = 0

    def __getitem__(self, key: Any) -> Any:
        found = list.__getitem__(self, key)
        if isinstance(key, slice):
            Stack.copied += len(found)
        return found


@pytest.mark.parametrize("name", NESTED)
def test_the_stack_is_not_copied_for_each_token_of_a_deep_nest(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted(Machine):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            self.states = Stack(self.states)

    monkeypatch.setattr(parser, "Machine", Counted)
    copied = []
    for size in (2000, 4000):
        Stack.copied = 0
        parse_file(NESTED[name](size))
        copied.append(Stack.copied)
    assert copied[0] > 0
    assert copied[1] < GROWTH * copied[0]


def test_a_mistake_deep_inside_is_mended_as_a_shallow_one() -> None:
    """The states before the mistake are kept there, too."""
    shallow, deep = (parse_file(host("(" * size + "n +" + ")" * size)).findings for size in (3, 3000))
    assert [item.message for item in deep] == [item.message for item in shallow]
    assert len(deep) == 1


@pytest.mark.parametrize("junk", ["#define A {}\n__co__ void f() {{ A }}\n", "__co__ void f() {{ {} }}\n"])
def test_words_that_are_no_kernel_are_read_so_far_and_no_further(junk: str) -> None:
    """One finding says so, and what is behind the function is read; the rest takes time by its length."""
    good = "__co__ void g(int n) { int b = zz; }\n"
    small, large = (
        calls(lambda size=size: check_text(junk.format("x " * size) + good))  # type: ignore[misc]
        for size in (3000, 6000)
    )
    assert large < GROWTH * small
    text = junk.format("x " * 3000) + good
    found = check_text(text).found
    assert "over 1,000 mistakes in this function; what follows is not read" in [item.message for item in found]
    assert "undeclared-name" in [item.code for item in found if item.span.start > text.index(good)]


def test_many_mistakes_below_the_limit_are_all_told() -> None:
    text = "__co__ void f(int n) {\n" + "  int a = ;\n" * 300 + "}\n"
    assert len(parse_file(text).findings) == 300


def test_what_fits_behind_a_deep_nest_takes_time_by_its_length() -> None:
    """Four times the text takes four times the time; with a copied stack at each bracket, sixteen times."""

    def seconds(size: int) -> float:
        text = "__co__ void f() { " + "(" * size
        function = preprocess(text).functions[0]
        assert "NAME" in acceptable_at(function, len(text)).terminals
        return effort(lambda: acceptable_at(function, len(text)), 3)

    assert seconds(160_000) < 9 * seconds(40_000)
