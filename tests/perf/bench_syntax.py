"""From text to tree, and an edit in one function, as an editor makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from croqc.service.check import check_text
from croqc.syntax.parser import parse_file
from croqc.syntax.preprocess import preprocess
from tests.perf.kernels import fifty_lines, host_text, hundred_lines
from tests.perf.timing import Figure, best


def edits(text: str, inserted: str) -> Iterator[str]:
    """Versions of a text, each with another line before the end of its last function."""
    end = text.rfind("}")
    for number in count():
        yield f"{text[:end]}{inserted.format(number)}\n{text[end:]}"


def per_line(text: str, read: Callable[[str], object]) -> float:
    """Seconds a line of texts that differ in each function in each round: nothing is remembered from the one before."""
    number = count()
    return best(lambda: read(text.replace(" : block {", f" : block {{ // {next(number)}"))) / text.count("\n")


def figures() -> Iterator[Figure]:
    whole = hundred_lines()
    yield Figure("text to typed tree, a line", per_line(whole, parse_file), 0.1e-3)
    yield Figure("host text, a line", per_line(host_text() + whole, preprocess))
    text = fifty_lines()
    before = parse_file(text)
    lines = before.functions[0].source.text.count("\n") + 1
    good, bad = edits(text, "x{} = 1;"), edits(text, "x{} = ")
    what = f"edit in a function of {lines} lines: to the tree"
    yield Figure(what, best(lambda: parse_file(next(good), previous=before)), 5e-3)
    yield Figure("the same, with a mistake", best(lambda: parse_file(next(bad), previous=before)), 5e-3)
    checked = check_text(text)
    yield Figure("the same edit: to the diagnostics", best(lambda: check_text(next(good), previous=checked)))
