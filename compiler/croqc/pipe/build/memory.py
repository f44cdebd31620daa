"""What a kernel declares in shared and local memory: buffers, and the data of futures (reference, 3.6, 3.7, 5.4). Must
not place it.

Futures that are rotated, and buffers or futures of which one is selected, are slots of one tensor: which of them is
meant is then a number. Where the copies of such futures name buffers, these are the slots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from croqc.pipe import ir
from croqc.pipe.build.context import Context
from croqc.pipe.build.scalars import printable
from croqc.pipe.build.tiles import static
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit, Space, Tensor, whole
from croqc.sema.elements import canonical
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.types import Data, Future, Storage
from croqc.syntax import ast
from croqc.text.record import record
from croqc.text.span import Span


@record
class Memory:
    """`handles`: each future with the tensor whose slot it names, and the slot that it names at first; one whose copies
    name their buffers gets its slot at each of them."""

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
        chosen = list(self._chosen())
        symbols = self.c.model.symbols
        futures = self._grouped([each for each in symbols if self._is_transfer(each)], chosen)
        named = [self._named_by(group) for group in futures]
        for group in self._grouped([each for each in symbols if self._is_buffer(each)], [*chosen, *named]):
            self._buffers(group)
        handles = tuple(each for pair in zip(futures, named, strict=True) for each in self._handles(*pair))
        return Memory(tuple(self.shared), tuple(self.local), handles)

    def _is_buffer(self, symbol: Symbol) -> bool:
        return symbol.kind is SymbolKind.BUFFER and symbol.decl in self.inside and isinstance(symbol.type, Data)

    def _buffers(self, group: list[Symbol]) -> None:
        first = group[0]
        assert isinstance(first.type, Data)
        counts = [prod(symbol.type.array) for symbol in group if isinstance(symbol.type, Data)]
        swizzle = max(self.swizzles.get(symbol, 0) for symbol in group)
        tensor = self._made(self.c.name_of(first), first.type, sum(counts), first.name_span, swizzle)
        for number, symbol in enumerate(group):
            self.c.tensors[symbol] = tensor
            if len(group) > 1:
                self.c.tiles[symbol] = whole(tensor, Lit(sum(counts[:number])))

    def _handles(self, group: list[Symbol], named: list[Symbol]) -> Iterator[tuple[str, str, int]]:
        """Futures whose copies go to memory that the compiler allocates, or to buffers of which any may be meant."""
        copies = [copy for copy in self._copies(group) if isinstance(copy.dest, ast.StorageDest)]
        if not (copies or named):
            return
        tensor = self.c.tensors[named[0]] if named else self._data(group, copies)
        for slot, symbol in enumerate(group):
            self.c.handles[symbol] = self.c.name_of(symbol), tensor
            yield self.c.name_of(symbol), tensor.name, 0 if named else slot

    def _data(self, group: list[Symbol], copies: list[ast.Copy]) -> Tensor:
        """The memory of a group of futures, a slot for each. Raises LoweringError where some copies name buffers."""
        for copy in self._copies(group) if len(group) > 1 else ():
            if copy not in copies:
                reason = f"'{group[0].name}' and '{group[1].name}' may stand for each other"
                way = "let all their copies name buffers, or none ('=> shared')"
                raise LoweringError(f"{reason}, and this copy names its buffer, others do not: {way}", copy.span)
        info = [self.c.model.copies[copy] for copy in copies]
        swizzle = max(self.swizzles.get(each.dest.base, 0) for each in info)
        name = self.c.names.fresh(f"{group[0].name}_data")
        return self._made(name, info[0].dest.data, len(group), copies[0].span, swizzle)

    def _named_by(self, group: list[Symbol]) -> list[Symbol]:
        """The buffers that the copies of several futures name; none where one names a part, or they are not alike."""
        copies = self._copies(group)
        if len(group) == 1 or not all(isinstance(copy.dest, ast.Name | ast.Chain) for copy in copies):
            return []
        views = [self.c.model.copies[copy].dest for copy in copies]
        found = list(dict.fromkeys(view.base for view in views))
        kinds = {
            (canonical(each.type.elem), each.type.storage, static(self.c, each.type.shape, each.name_span))
            for each in found
            if isinstance(each.type, Data) and self._is_buffer(each)
        }
        whole_ones = all(not view.ops and self._is_buffer(view.base) for view in views)
        return found if whole_ones and len(kinds) == 1 else []

    def _copies(self, group: list[Symbol]) -> list[ast.Copy]:
        """The copies whose future is one of a group."""
        found = [node for node in self.nodes if isinstance(node, ast.Copy) and node in self.c.model.copies]
        return [node for node in found if node.target is not None and self.c.model.uses.get(node.target) in group]

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

    def _grouped(self, symbols: list[Symbol], chosen: Sequence[Sequence[Symbol]]) -> list[list[Symbol]]:
        """The symbols, with those together that `chosen` names together."""
        groups = {symbol: [symbol] for symbol in symbols}
        for names in chosen:
            together = [symbol for symbol in names if symbol in groups]
            for other in together[1:]:
                if groups[other] is not groups[together[0]]:
                    groups[together[0]].extend(groups[other])
                    for symbol in groups[other]:
                        groups[symbol] = groups[together[0]]
        unique = {id(group): group for group in groups.values()}
        return [sorted(group, key=symbols.index) for group in unique.values()]

    def _chosen(self) -> Iterator[list[Symbol]]:
        """The symbols that are rotated, or that a choice is made between."""
        for node in self.nodes:
            match node:
                case ast.Rotate(names=names):
                    yield [self.c.model.uses[name] for name in names if name in self.c.model.uses]
                case ast.Select(options=options):
                    names = tuple(option for option in options if isinstance(option, ast.Name))
                    yield [self.c.model.uses[name] for name in names if name in self.c.model.uses]
