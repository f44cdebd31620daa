"""Reads of shared elements that threads of another warp have just written, with nothing between that makes them wait.

Looks at statements that follow each other in one block, executed by all threads of the kernel; silent about all else:
indices over anything but indices of loops, blocks and threads, conditions, roles, views, arrays of buffers.
"""

from __future__ import annotations

from collections.abc import Sequence

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.masks import Mask, place_axis
from croqc.sema.model import Symbol
from croqc.sema.nesting import Around, statements
from croqc.sema.shared_elements import (
    Element,
    Elements,
    Place,
    calls_out,
    chooses,
    symbols_by_atom,
    units_apart,
    warp_of,
)
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.diagnostics import Related

_PLAIN = (ast.Block, ast.Parallel, ast.Foreach)


class _Writes:
    """Of each place of one buffer the last statement that wrote it, and the mask of the threads that did there.

    Plain numbers: a kernel may have a thousand such statements of a thousand threads.
    """

    def __init__(self) -> None:
        self.nodes: dict[Place, ast.Chain] = {}
        self.threads: dict[Place, Mask] = {}

    def add(self, element: Element) -> None:
        made = element.by_place()
        self.threads.update(made)
        self.nodes.update(dict.fromkeys(made, element.node))

    def of_another_warp(self, read: Element, units: Sequence[Mask]) -> ast.Chain | None:
        """The write of what a thread reads and has not written itself, but a thread of another warp of its unit has."""
        size = units[0].bit_length()
        for thread, place in enumerate(read.places):
            writers = self.threads.get(place, 0)
            if writers & ~warp_of(thread) & units[thread // size] and not writers >> thread & 1:
                return self.nodes[place]
        return None


def check_unsynced(builder: Builder) -> None:
    jumps = (*nodes_of_kind(builder.function, ast.Jump), *nodes_of_kind(builder.function, ast.Return))
    if jumps:  # who left before is not followed
        return
    atoms = symbols_by_atom(builder)
    elements_of = {node: Elements(builder, kernel, atoms) for node, kernel in builder.masks.items()}
    body: tuple[ast.Node, ...] | None = None
    written: dict[Symbol, _Writes] = {}
    for node, around in statements(builder.function.body):
        if around.chain != body or not isinstance(node, ast.Assign | ast.ScalarDecl):
            body, written = around.chain, {}
        known = None if around.on_host else elements_of.get(around.parallels[0])
        if known is None or not isinstance(node, ast.Assign | ast.ScalarDecl):
            continue
        if not _by_all(builder, known, around):
            continue
        if calls_out(node):
            written = {}
        named = ((chain, known.at(chain)) for chain in nodes_of_kind(node, ast.Chain))
        elements = {chain: element for chain, element in named if element is not None}
        targets = [part.target for part in node.parts if part.op == "="] if isinstance(node, ast.Assign) else []
        for chain, read in elements.items():
            if chain not in targets and not chooses(node):
                _check(builder, read, written, units_apart(builder, around.parallels, known.kernel.threads))
        for target in targets:
            if isinstance(target, ast.Chain) and target in elements:
                written.setdefault(elements[target].buffer, _Writes()).add(elements[target])


def _check(builder: Builder, read: Element, written: dict[Symbol, _Writes], units: Sequence[Mask]) -> None:
    if read.buffer in written and (write := written[read.buffer].of_another_warp(read, units)) is not None:
        place = Related("other threads write it here", write.span)
        builder.report(rules.UNSYNCED_READ, read.node.span, (place,), name=read.buffer.name)


def _by_all(builder: Builder, elements: Elements, around: Around) -> bool:
    """Whether all threads of the kernel come here, in the same turn of the loops around."""
    if not all(isinstance(one, _PLAIN) for one in around.chain[around.chain.index(around.parallels[0]) :]):
        return False
    if not all(elements.turns_alike(one) for one in around.chain if isinstance(one, ast.Foreach)):
        return False
    placed = [item for axis in around.axes for item in place_axis(builder, axis)]
    return max((item.unit * item.bound for item in placed), default=0) == elements.kernel.threads
