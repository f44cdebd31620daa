"""Where elements and tiles lie: addresses in C++. Must not print statements."""

from __future__ import annotations

from croqc.codegen import registers
from croqc.codegen.own import Own
from croqc.codegen.words import spell, type_word
from croqc.pipe import ir
from croqc.pipe.exprs import (
    ZERO,
    Expr,
    Held,
    Lit,
    Read,
    Space,
    Tensor,
    Tile,
    Var,
    add,
    divide,
    modulo,
    multiply,
    product,
    total,
)
from croqc.pipe.wide import is_small, widened
from croqc.sema.elements import ELEMENTS


class Places:
    """Addresses for one kernel."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.shared = {item.tensor.name: item for item in kernel.shared}
        self.tiles = {tile.name: tile for tile in kernel.accumulators}
        self.own = Own(kernel)

    def spell(self, expr: Expr, binding: int = 0) -> str:
        return spell(expr, self.read, binding)

    def read(self, read: Read | Held) -> str:
        return self.held(read) if isinstance(read, Held) else self.element(read.tile, read.index)

    def held(self, element: Held) -> str:
        """The value of an element that is in the thread's registers."""
        tile = self.tiles[element.name]
        return registers.element(tile, self.registers(tile, element.slot), self._number(element))

    def put(self, element: Held, value: str) -> str:
        """The statement that gives such an element a value."""
        tile = self.tiles[element.name]
        return registers.put(tile, self.registers(tile, element.slot), self._number(element), value)

    def registers(self, tile: ir.Accumulator, index: Expr) -> str:
        """The thread's registers of a tile, of an array of tiles those of one."""
        return tile.name if tile.count == 1 else f"{tile.name}[{self.spell(index)}]"

    def _number(self, element: Held) -> str:
        assert element.register is not None
        return self.spell(element.register)

    def element(self, tile: Tile, index: tuple[Expr, ...]) -> str:
        """The element of a tile as an lvalue."""
        tensor = tile.tensor
        at = list(tile.origin)
        for value, dim, step in zip(index, tile.dims, tile.steps, strict=True):
            at[dim] = add(at[dim], multiply(value, step))
        item = self.shared.get(tensor.name)
        if item is not None and item.swizzle:
            at = _as_declared(at, tensor, item.tensor)
            rows, row, column = item.tensor.extents[0], self.spell(at[0]), self.spell(at[1])
            return (
                f"at<{type_word(tensor.elem)}, {rows}, {item.swizzle}>({self.slot(tensor, tile.slot)}, {row}, {column})"
            )
        if tensor.space is Space.GLOBAL:
            slot = ""
            if tensor.slots > 1 and tile.slot != ZERO:
                slot = f"s64({self.spell(tile.slot)}) * {self._stride(product(tensor.shape))} + "
            return f"{tensor.name}[{slot}{self._wide(tensor, at)}]"
        offset = total(tuple(multiply(value, stride) for value, stride in zip(at, strides(tensor), strict=True)))
        if tensor.slots > 1:
            return (
                f"({self.slot(tensor, tile.slot)})[{self.spell(offset)}]" if item else self._local(tensor, tile, offset)
            )
        return f"{tensor.name}[{self.spell(offset)}]"

    def _local(self, tensor: Tensor, tile: Tile, offset: Expr) -> str:
        size = product(tensor.shape)
        return f"{tensor.name}[{self.spell(add(multiply(tile.slot, size), offset))}]"

    def _wide(self, tensor: Tensor, at: list[Expr]) -> str:
        """An offset into global memory, in 64 bits as soon as two extents are multiplied or one is a product."""
        extents = tensor.shape
        at = [value if is_small(extent) else widened(value) for value, extent in zip(at, extents, strict=True)]
        if len(at) == 1:
            return self.spell(at[0])
        terms = []
        for value, stride in zip(at, strides(tensor), strict=True):
            if value == ZERO:
                continue
            if stride == Lit(1):
                terms.append(self.spell(value, 10))
            else:
                wide = self.spell(value, 11) if value.elem == "s64" else f"s64({self.spell(value)})"
                terms.append(f"{wide} * {self._stride(stride)}")
        return " + ".join(terms) or "0"

    def _stride(self, stride: Expr) -> str:
        return self.spell(stride, 12) if isinstance(stride, Lit | Var) else f"({self.spell(widened(stride))})"

    def slot(self, tensor: Tensor, slot: Expr) -> str:
        """A pointer to the first element of a slot."""
        if tensor.slots == 1:
            return tensor.name
        item = self.shared[tensor.name]
        elements = item.slot_stride * 8 // ELEMENTS[tensor.elem].bits
        return f"{tensor.name} + {self.spell(multiply(slot, Lit(elements)), 10)}"

    def offset(self, tile: Tile, depth: Expr, k_major: bool = True) -> str:
        """Bytes from the start of a swizzled tensor to some depth in K of an operand, without the permutation of its
        swizzle: to a column or, where K goes down, to a row."""
        tensor, item = tile.tensor, self.shared[tile.tensor.name]
        size = tensor.elem_bytes
        row, first = tile.origin[0], tile.origin[-1]
        row, first = (row, add(first, depth)) if k_major else (add(row, depth), first)
        slot = multiply(tile.slot, Lit(item.slot_stride))
        if row == ZERO and first == ZERO:
            return self.spell(slot)
        inside = f"tile_start<{tensor.extents[0]}, {item.swizzle}, {size}>({self.spell(row)}, {self.spell(first)})"
        return inside if slot == ZERO else f"{self.spell(slot, 10)} + {inside}"

    def pointer(self, tile: Tile, start: tuple[int, ...]) -> str:
        """A pointer to an element of a tile, which lies in all dimensions of its tensor, without the permutation of its
        swizzle."""
        tensor = tile.tensor
        item = self.shared[tensor.name]
        base = self.slot(tensor, tile.slot)
        at = [add(first, Lit(each)) for first, each in zip(tile.origin, start, strict=True)]
        if item.swizzle and len(at) == 2:
            if at == [ZERO, ZERO]:
                return base
            size = tensor.elem_bytes
            shape = f"{tensor.extents[0]}, {item.swizzle}, {size}"
            scale = f" / {size}" if size > 1 else ""
            return f"{base} + tile_start<{shape}>({self.spell(at[0])}, {self.spell(at[1])}){scale}"
        offset = total(tuple(multiply(value, stride) for value, stride in zip(at, strides(tensor), strict=True)))
        return base if offset == ZERO else f"{base} + {self.spell(offset, 10)}"


def _as_declared(at: list[Expr], tensor: Tensor, declared: Tensor) -> list[Expr]:
    """The row and column of an element in a tensor's own shape, which decides where it lies; `span_as` gives another
    shape to the same elements in the same order (reference, 3.5)."""
    if tensor.shape == declared.shape:
        return at
    flat = total(tuple(multiply(value, stride) for value, stride in zip(at, strides(tensor), strict=True)))
    columns = declared.shape[-1]
    return [divide(flat, columns), modulo(flat, columns)]


def strides(tensor: Tensor) -> tuple[Expr, ...]:
    """Row-major strides in elements."""
    return tuple(product(tensor.shape[dim + 1 :]) for dim in range(len(tensor.shape)))
