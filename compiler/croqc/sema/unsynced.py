"""Reads of shared elements that threads of another warp have just written, with nothing between that makes them wait.

Looks at statements that follow each other in one block, executed by all threads of the kernel; silent about all else:
indices over anything but indices of loops, blocks and threads, conditions, roles, views, arrays of buffers.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.masks import Mask, Masks, Numbers, kernel_masks, place_axis
from croqc.sema.model import THREADS, Symbol, SymbolKind, Unit
from croqc.sema.nesting import Around, statements
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, Data, Storage
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.diagnostics import Related
from croqc.text.record import record

_WARP = THREADS[Unit.GROUP]
_PLAIN = (ast.Block, ast.Parallel, ast.Foreach)
_CHOICES = ("&&", "||")


@record
class _Element:
    """`tile.at(ty, tx)` in each thread: `places[t]` are the indices in thread t."""

    buffer: Symbol
    node: ast.Chain
    places: tuple[tuple[int, ...], ...]


class _Writes:
    """Of each place of one buffer the last statement that wrote it, and the mask of the threads that did there.

    Plain numbers: a kernel may have a thousand such statements of a thousand threads.
    """

    def __init__(self) -> None:
        self.nodes: dict[tuple[int, ...], ast.Chain] = {}
        self.threads: dict[tuple[int, ...], Mask] = {}

    def add(self, element: _Element) -> None:
        made: dict[tuple[int, ...], Mask] = {}
        for thread, place in enumerate(element.places):
            made[place] = made.get(place, 0) | 1 << thread
        self.threads.update(made)
        self.nodes.update(dict.fromkeys(made, element.node))

    def of_another_warp(self, read: _Element) -> ast.Chain | None:
        """The write of what a thread reads and has not written itself, but a thread of another warp has."""
        for thread, place in enumerate(read.places):
            writers = self.threads.get(place, 0)
            own = ((1 << _WARP) - 1) << thread // _WARP * _WARP
            if writers & ~own and not writers >> thread & 1:
                return self.nodes[place]
        return None


def check_unsynced(builder: Builder) -> None:
    jumps = (*nodes_of_kind(builder.function.body, ast.Jump), *nodes_of_kind(builder.function.body, ast.Return))
    if jumps:  # who left before is not followed
        return
    masks = kernel_masks(builder, builder.kernels)
    atoms = {symbol.atom: symbol for symbol in builder.symbols if symbol.atom}
    body: tuple[ast.Node, ...] | None = None
    written: dict[Symbol, _Writes] = {}
    for node, around in statements(builder.function.body):
        if around.chain != body or not isinstance(node, ast.Assign | ast.ScalarDecl):
            body, written = around.chain, {}
        kernel = None if around.on_host else masks.get(around.parallels[0])
        if kernel is None or not isinstance(node, ast.Assign | ast.ScalarDecl) or not _by_all(builder, kernel, around):
            continue
        if any(call.kind != "lib" for call in nodes_of_kind(node, ast.Call)):
            written = {}
        named = ((chain, _element(builder, kernel, atoms, chain)) for chain in nodes_of_kind(node, ast.Chain))
        elements = {chain: element for chain, element in named if element is not None}
        targets = [part.target for part in node.parts if part.op == "="] if isinstance(node, ast.Assign) else []
        for chain, read in elements.items():
            if chain not in targets and not _chooses(node):
                _check(builder, read, written)
        for target in targets:
            if isinstance(target, ast.Chain) and target in elements:
                written.setdefault(elements[target].buffer, _Writes()).add(elements[target])


def _check(builder: Builder, read: _Element, written: dict[Symbol, _Writes]) -> None:
    if read.buffer in written and (write := written[read.buffer].of_another_warp(read)) is not None:
        place = Related("other threads write it here", write.span)
        builder.report(rules.UNSYNCED_READ, read.node.span, (place,), name=read.buffer.name)


def _by_all(builder: Builder, kernel: Masks, around: Around) -> bool:
    """Whether all threads of the kernel come here, in the same turn of the loops around."""
    if not all(isinstance(one, _PLAIN) for one in around.chain[around.chain.index(around.parallels[0]) :]):
        return False
    if any(isinstance(one, ast.Foreach) and one.ranges for one in around.chain):
        return False
    placed = [item for axis in around.axes for item in place_axis(builder, axis)]
    return max((item.unit * item.bound for item in placed), default=0) == kernel.threads


def _chooses(node: ast.Node) -> bool:
    """Whether some operand is read by some threads only."""
    return any(nodes_of_kind(node, ast.Cond)) or any(one.op in _CHOICES for one in nodes_of_kind(node, ast.Binary))


def _element(builder: Builder, kernel: Masks, atoms: dict[str, Symbol], chain: ast.Chain) -> _Element | None:
    """The element that a plain `buffer.at(…)` of shared memory is in each thread, in the first turns and block."""
    symbol = builder.uses.get(chain.base) if isinstance(chain.base, ast.Name) else None
    if symbol is None or symbol.kind is not SymbolKind.BUFFER or len(chain.suffixes) != 1:
        return None
    data, at = symbol.type, chain.suffixes[0]
    if not isinstance(data, Data) or data.storage is not Storage.SHARED or data.array:
        return None
    if not isinstance(at, ast.Member) or at.name != "at" or at.strides or len(at.args) != len(data.shape):
        return None
    columns = list(_columns(builder, kernel, atoms, at))
    known = [column for column in columns if column is not None]
    return _Element(symbol, chain, tuple(zip(*known, strict=True))) if len(known) == len(columns) else None


def _columns(builder: Builder, kernel: Masks, atoms: dict[str, Symbol], at: ast.Member) -> Iterator[Numbers | None]:
    """Each index in every thread; None for one that is not followed."""
    threads = {item.symbol for item in kernel.placements}
    for arg in at.args:
        value = builder.values.get(arg)
        if value is None:
            yield None
            continue
        uniform = [atoms.get(atom) for atom in value.names()]
        outer = {one.atom: Int.of(0) for one in uniform if one is not None and one not in threads and _counts(one)}
        yield kernel.numbers(value.substitute(outer))


def _counts(symbol: Symbol) -> bool:
    """An index of blocks or loops, which begins at 0 and is the same for all threads."""
    return symbol.kind in (SymbolKind.PARALLEL, SymbolKind.LOOP) and isinstance(symbol.type, Bounded)
