"""Which expressions decide whether, and how often, a thread comes to a statement of a kernel: control dependence.

Conditions and extents of loops around it, and the same of each jump that may cut it off. Must not judge them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from croqc.sema.model import Kernel
from croqc.sema.nesting import Around, statements
from croqc.syntax import ast
from croqc.text.record import record

SYNCHRONOUS: Final = frozenset({False})
_LOOPS = (ast.Foreach, ast.While)


@record
class Placed:
    """A statement of a kernel: its number in source order, and what is around it, the kernel outermost."""

    number: int
    node: ast.Node
    around: Around

    @property
    def chain(self) -> tuple[ast.Node, ...]:
        return self.around.chain

    @property
    def head(self) -> Placed:
        """Where the condition of a `while` stands, which is asked in each of its turns; of others the same place."""
        return (
            Placed(self.number, self.node, self.around.inside(self.node)) if isinstance(self.node, ast.While) else self
        )

    @property
    def loop(self) -> ast.Node | None:
        """The innermost loop around it."""
        return next((one for one in reversed(self.chain) if isinstance(one, _LOOPS)), None)


class Deciding:
    """Answers for one kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.placed = [
            Placed(number, node, around)
            for number, (node, around) in enumerate(statements(kernel.node.body, Around((kernel.node,))))
        ]
        self.jumps = [one for one in self.placed if isinstance(one.node, ast.Jump)]

    def before(
        self, place: Placed, inside: Sequence[ast.Node] = (), regions: Collection[bool] = SYNCHRONOUS
    ) -> Iterator[ast.Node]:
        """The expressions for a statement; with `inside`, the outermost of what is around it, those within it alone:
        whoever jumps out of that counts no more. `regions`: which of them count, by
        whether they are asynchronous: the threads of such a one are paths."""
        yield from _conditions(place.chain[len(inside) :], regions)
        waiting, met = [place], set[int]()
        while waiting:
            here = waiting.pop()
            for jump in self.jumps:
                depth = self._cuts(jump, here)
                if jump.number in met or depth is None or (inside and depth <= len(inside)):
                    continue
                met.add(jump.number)
                waiting.append(jump)
                yield from _conditions(jump.chain[depth:], regions)

    @staticmethod
    def _cuts(jump: Placed, place: Placed) -> int | None:
        """Whether a jump may keep a thread from a statement: the depth of what both stand in, None if it does not."""
        assert isinstance(jump.node, ast.Jump)
        if jump.node.word == "yield":
            shared = sum(a is b for a, b in zip(jump.chain, place.chain, strict=False))
            again = any(isinstance(one, _LOOPS) for one in place.chain[:shared])
            return 0 if jump.number < place.number or again else None
        depth = next((at + 1 for at, one in enumerate(place.chain) if one is jump.loop), None)
        if depth is None or (jump.node.word == "continue" and jump.number > place.number):
            return None
        return depth


def _conditions(chain: Sequence[ast.Node], regions: Collection[bool]) -> Iterator[ast.Node]:
    """What decides over the bodies of these."""
    for one in chain:
        match one:
            case ast.If(cond=cond) | ast.While(cond=cond):
                yield cond
            case ast.InThreads(is_async=is_async, cond=cond) if is_async in regions:
                yield cond
            case ast.Foreach(bindings=bindings, ranges=ranges):
                yield from (binding.extent for binding in bindings)
                for each in ranges:
                    yield from (each.name, *(part for part in (each.lo, each.hi, each.step) if part is not None))
