"""How deep each line of a function stands (house style of `croq fmt`), from the tree alone.

Two blanks a level; a statement without braces stands one level below its header. The second and further lines
of a statement stand two blanks deeper than its first; those of a header four, so that they stand out from its
body. Must not know what stands on a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from croqc.syntax import ast as a
from croqc.syntax.layout_atoms import Braces
from croqc.text.span import Span

LEVEL = 2
CONTINUATION = 2
HEADER_CONTINUATION = 4


@dataclass(frozen=True, slots=True)
class _Place:
    """A statement's owner (the start of the statement around it, -1 for the function) and whether braces
    enclose it."""

    owner: int
    braced: bool


@dataclass(slots=True)
class Indents:
    """Where the statements and bodies of one function start and end; all offsets relative to it.

    `column` must be called for the statements in order, since each builds on the one around it.
    """

    places: dict[int, _Place] = field(default_factory=dict)
    opens: dict[int, int] = field(default_factory=dict)  # `{` -> the statement that owns the body
    closes: dict[int, int] = field(default_factory=dict)  # behind `}` -> the same
    bodies: dict[int, int] = field(default_factory=dict)  # behind `}` -> its `{`
    empty: set[int] = field(default_factory=set)  # `;` that is a whole body
    elses: dict[int, int] = field(default_factory=dict)  # end of the branch before -> the `if`
    headers: set[int] = field(default_factory=set)  # statements that own a body; -1 for the function
    attributes: set[int] = field(default_factory=set)  # behind each `[[…]]`: the statement itself follows
    ranges: list[Span] = field(default_factory=list)
    _columns: dict[int, int] = field(default_factory=lambda: {-1: 0})

    @property
    def braces(self) -> Braces:
        return Braces(frozenset(self.opens), frozenset(self.closes))

    def start(self, offset: int, opens_line: bool) -> int:
        """The column of the statement at `offset`, which is remembered for what it owns."""
        place = self.places[offset]
        column = self._columns[place.owner]
        if place.braced or opens_line:
            column += LEVEL
        self._columns[offset] = column
        return column

    def continuation(self, statement: int) -> int:
        """The column of the further lines of a statement."""
        return self.of(statement) + (HEADER_CONTINUATION if statement in self.headers else CONTINUATION)

    def of(self, statement: int) -> int:
        """The column of a statement that has started, -1 for the function."""
        return self._columns.get(statement, 0)


def indents_of(tree: a.Function) -> Indents:
    found = Indents()
    for owner, block in _blocks(tree):
        found.headers.add(owner)
        if block.braced:
            found.opens[block.span.start] = owner
            found.closes[block.span.end] = owner
            found.bodies[block.span.end] = block.span.start
        elif not block.stmts:
            found.empty.add(block.span.start)
        for stmt in block.stmts:
            found.places.setdefault(stmt.span.start, _Place(owner, block.braced))
            _note(found, stmt)
    return found


def _note(found: Indents, stmt: a.Stmt) -> None:
    """What of a statement's header matters for its lines and colons."""
    match stmt:
        case a.If() if stmt.other:
            found.elses[stmt.then.span.end] = stmt.span.start
        case a.Parallel():
            found.attributes.update(one.span.end for one in stmt.attributes)
        case a.Mma() if stmt.schedule:
            found.attributes.add(stmt.schedule.span.end)
        case a.Foreach():
            found.ranges += [one.span for one in stmt.ranges]
        case _:
            pass


def _blocks(tree: a.Function) -> Iterator[tuple[int, a.Block]]:
    """Every body with the start of the statement that owns it, outer ones first."""
    stack: list[tuple[int, a.Block]] = [(-1, tree.body)]
    while stack:
        owner, block = stack.pop()
        yield owner, block
        for stmt in block.stmts:
            bodies = (getattr(stmt, name, None) for name in ("body", "then", "other"))
            stack.extend((stmt.span.start, body) for body in bodies if isinstance(body, a.Block))
