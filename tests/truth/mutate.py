"""Mutations of source text at places that the tree names: the edits, and the list of all mutants of a program.

The operators themselves stand in `operators` and `operators_values`. A mutant need not be wrong, nor even valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from croqc.sema.model import Model
from croqc.syntax import ast
from croqc.syntax.parser import parse_file
from croqc.syntax.visit import walk
from tests.truth.program import Program
from tests.truth.simulated import analysis_in

Edit = tuple[int, int, str]
"""Start and end in the function's text, and what stands there instead."""


@dataclass(frozen=True, slots=True)
class Place:
    """A statement, the statements around it in order, and the loops and regions that hold it, outermost first."""

    stmt: ast.Node
    index: int
    siblings: tuple[ast.Node, ...]
    around: tuple[ast.Node, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """A program that is to be changed. `text` is that of the function, `places` its statements in source order."""

    program: Program
    text: str
    base: int
    model: Model
    places: tuple[Place, ...]

    def of(self, node: ast.Node) -> str:
        return self.text[node.span.start : node.span.end]

    def all(self, *kinds: type) -> Iterator[Place]:
        return (place for place in self.places if isinstance(place.stmt, kinds))

    def nodes(self, *kinds: type) -> Iterator[ast.Node]:
        """Nodes of these kinds that stand in the text themselves (a macro's nodes carry the place of its use)."""
        return (node for node in walk(self.model.function) if isinstance(node, kinds) and node.span.length)

    def line(self, offset: int) -> int:
        return self.program.text.count("\n", 0, self.base + offset) + 1


def subject(program: Program) -> Subject | None:
    """None for a text that does not parse."""
    tree = parse_file(program.text, program.defines)
    analysis = analysis_in(tree)
    if analysis is None:
        return None
    source = tree.functions[0].source
    places = tuple(_places(analysis.model.function.body, ()))
    return Subject(program, source.text, source.base, analysis.model, places)


def _places(block: ast.Block, around: tuple[ast.Node, ...]) -> Iterator[Place]:
    for index, stmt in enumerate(block.stmts):
        yield Place(stmt, index, block.stmts, around)
        for name in ("body", "then", "other"):
            inner = getattr(stmt, name, None)
            if isinstance(inner, ast.Block):
                yield from _places(inner, (*around, stmt))


Operator = Callable[[Subject], Iterator[tuple[Edit, ...]]]
OPERATORS: dict[str, Operator] = {}


def operator(name: str) -> Callable[[Operator], Operator]:
    """Registers an operator under its public name."""

    def register(function: Operator) -> Operator:
        OPERATORS[name] = function
        return function

    return register


def apply(text: str, base: int, edits: tuple[Edit, ...]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[: base + start] + new + text[base + end :]
    return text


def mutants(program: Program) -> Iterator[Program]:
    """Every mutant of every operator, each text once, labelled "operator, line n"."""
    found = subject(program)
    if found is None:
        return
    seen = {program.text}
    for name, function in operators().items():
        for edits in function(found):
            text = apply(program.text, found.base, edits)
            if text not in seen:
                seen.add(text)
                line = found.line(min(start for start, _, _ in edits))
                yield program.with_text(text, f"{name}, line {line}")


def operators() -> dict[str, Operator]:
    """All operators by name."""
    from tests.truth import operators as _statements
    from tests.truth import operators_values as _values

    assert _statements and _values
    return OPERATORS
