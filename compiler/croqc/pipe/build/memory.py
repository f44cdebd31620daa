"""What a kernel declares in shared and local memory: buffers, and the data of futures (reference, 3.6, 3.7, 5.4). Must
not place it.

Futures that are rotated, and buffers or futures of which one is selected, are slots of one tensor: which of them is
meant is then a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from croqc.pipe import ir
from croqc.pipe.build.context import Context
from croqc.pipe.build.scalars import printable
from croqc.pipe.build.tiles import static
from croqc.pipe.exprs import Lit, Space, Tensor, whole
from croqc.sema.elements import canonical
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.types import Data, Future, Storage
from croqc.syntax import ast
from croqc.text.record import record
from croqc.text.span import Span


@record
class Memory:
    """`handles`: each future with the tensor whose slot it names, and the slot that it names at first."""

    shared: tuple[ir.Shared, ...]
    local: tuple[Tensor, ...]
    handles: tuple[tuple[str, str, int], ...]


def declared_memory(c: Context, nodes: Sequence[ast.Node]) -> Memory:
    """The memory of a kernel's `nodes`, known to the context from here on. Raises LoweringError."""
    return _Declared(c, nodes).memory()


class _Declared:
    def __init__(self, c: Context, nodes: Sequence[ast.Node]) -> None:
        self.c, self.nodes, self.inside = c, nodes, set(nodes)
        self.swizzles = {info.symbol: info.swizzle for info in c.model.buffers}
        self.shared: list[ir.Shared] = []
        self.local: list[Tensor] = []

    def memory(self) -> Memory:
        for group in self._grouped([each for each in self.c.model.symbols if self._is_buffer(each)]):
            self._buffers(group)
        handles = tuple(self._handles())
        return Memory(tuple(self.shared), tuple(self.local), handles)

    def _is_buffer(self, symbol: Symbol) -> bool:
        return symbol.kind is SymbolKind.BUFFER and symbol.decl in self.inside and isinstance(symbol.type, Data)

    def _buffers(self, group: list[Symbol]) -> None:
        first = group[0]
        assert isinstance(first.type, Data)
        slots = prod(first.type.array) if len(group) == 1 else len(group)
        swizzle = max(self.swizzles.get(symbol, 0) for symbol in group)
        tensor = self._made(self.c.name_of(first), first.type, slots, first.name_span, swizzle)
        for slot, symbol in enumerate(group):
            self.c.tensors[symbol] = tensor
            if len(group) > 1:
                self.c.tiles[symbol] = whole(tensor, Lit(slot))

    def _handles(self) -> Iterator[tuple[str, str, int]]:
        """Futures whose copies go to memory that the compiler allocates."""
        for group in self._grouped([each for each in self.c.model.symbols if self._is_transfer(each)]):
            copies = [node for node in self.nodes if isinstance(node, ast.Copy) and self._goes_to(node, group)]
            if not copies:
                continue
            info = [self.c.model.copies[copy] for copy in copies]
            swizzle = max(self.swizzles.get(each.dest.base, 0) for each in info)
            name = self.c.names.fresh(f"{group[0].name}_data")
            tensor = self._made(name, info[0].dest.data, len(group), copies[0].span, swizzle)
            for slot, symbol in enumerate(group):
                self.c.handles[symbol] = self.c.name_of(symbol), tensor
                yield self.c.name_of(symbol), name, slot

    def _made(self, name: str, data: Data, slots: int, span: Span, swizzle: int) -> Tensor:
        shape = tuple(Lit(extent) for extent in static(self.c, data.shape, span))
        space = Space.SHARED if data.storage is Storage.SHARED else Space.LOCAL
        tensor = Tensor(name, printable(canonical(data.elem), span), shape, space, slots)
        if space is Space.SHARED:
            self.shared.append(ir.Shared(tensor, tensor.slot_bytes, span, swizzle))
        else:
            self.local.append(tensor)
        return tensor

    def _is_transfer(self, symbol: Symbol) -> bool:
        return isinstance(symbol.type, Future) and symbol.decl in self.inside and not symbol.type.multiply

    def _goes_to(self, node: ast.Copy, group: list[Symbol]) -> bool:
        target = None if node.target is None else self.c.model.uses.get(node.target)
        return isinstance(node.dest, ast.StorageDest) and target in group

    def _grouped(self, symbols: list[Symbol]) -> list[list[Symbol]]:
        """The symbols, with those together that are rotated or that a choice is made between."""
        groups = {symbol: [symbol] for symbol in symbols}
        for names in self._chosen():
            together = [symbol for symbol in map(self.c.model.uses.get, names) if symbol in groups]
            for other in together[1:]:
                if groups[other] is not groups[together[0]]:
                    groups[together[0]].extend(groups[other])
                    for symbol in groups[other]:
                        groups[symbol] = groups[together[0]]
        unique = {id(group): group for group in groups.values()}
        return [sorted(group, key=symbols.index) for group in unique.values()]

    def _chosen(self) -> Iterator[Sequence[ast.Name]]:
        for node in self.nodes:
            if isinstance(node, ast.Rotate):
                yield node.names
            elif isinstance(node, ast.Select):
                yield [option for option in node.options if isinstance(option, ast.Name)]
