"""Pass scales: scaled multiplies go into a tile of their own, whose elements join the accumulator (reference, 6.7).

`mma.scale` has one an accumulator, for all multiplies since the last scale; what it holds is part of the accumulator,
and whoever reads that in between finds it joined. The `.scale` form has another one, for itself alone.

A tile is cleared in front of its first multiply: registers that were cleared a turn earlier would be carried round the
loop, and the assembler would serialise the multiplies. Only where a multiply may be the first one or not, as the turns
go, the tile is kept clear from the start and behind each join.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.dataflow import Dataflow
from croqc.pipe.env import Env
from croqc.pipe.exprs import ZERO, Cast, Expr, Held, Lit, Op, Var
from croqc.pipe.held import held_in
from croqc.pipe.walk import Body, statements
from croqc.text.record import record, replace

Names = frozenset[str]
Tiles = dict[str, ir.Accumulator]
_NONE: Names = frozenset()


def scales(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    found = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Scale)]
    if not found:
        return kernel
    sums = {stmt.acc.name: _tile(stmt.acc, "_unscaled") for stmt in found if not stmt.single}
    products = {stmt.acc.name: _tile(stmt.acc, "_unscaled_one") for stmt in found if stmt.single}
    placing = _Placing({stmt.acc.name: stmt.acc for stmt in found}, sums, products)
    placing.placed(kernel.body)  # learns which tiles have to be kept clear
    body = placing.placed(kernel.body)
    return replace(kernel, body=body, accumulators=(*kernel.accumulators, *sums.values(), *products.values()))


def _tile(acc: ir.Accumulator, ending: str) -> ir.Accumulator:
    """Sums of 16-bit floats are kept wide until they are scaled."""
    return replace(acc, name=acc.name + ending, elem="f32" if acc.elem == "f16" else acc.elem)


@record
class _Waiting:
    """The accumulators with multiplies that have not joined: those that may have some, and those that have."""

    may: Names
    must: Names

    def but(self, names: Names) -> _Waiting:
        return _Waiting(self.may - names, self.must - names)


_START = _Waiting(_NONE, _NONE)


def _either(one: _Waiting, other: _Waiting) -> _Waiting:
    return _Waiting(one.may | other.may, one.must & other.must)


class _Placing:
    """The accumulators that are scaled, and the tiles of both forms by the accumulator that they join."""

    def __init__(self, accumulators: Tiles, sums: Tiles, products: Tiles) -> None:
        self.accumulators, self.sums, self.products = accumulators, sums, products
        self.kept_clear: set[str] = set()

    def placed(self, body: Body) -> Body:
        nowhere = _Waiting(_NONE, frozenset(self.accumulators))
        return Dataflow(self._behind, _either, nowhere).changed(body, _START, self._stmt)

    def _behind(self, stmt: ir.Stmt, following: Body, waiting: _Waiting) -> _Waiting:
        waiting = waiting.but(_reads(stmt))
        match stmt:
            case ir.Multiply() if stmt.acc.name in self.sums and not _is_single(following):
                return _Waiting(waiting.may | {stmt.acc.name}, waiting.must | {stmt.acc.name})
            case ir.Scale() if not stmt.single:
                return waiting.but(_whole(stmt.acc))
            case ir.Fill():
                return waiting.but(frozenset((stmt.acc.name,)) if stmt.declares else _whole(stmt.acc))
        return waiting

    def _stmt(self, stmt: ir.Stmt, following: Body, waiting: _Waiting) -> Body:
        read = _reads(stmt) & waiting.may
        self._watch(read, waiting)
        joined = (each for name in sorted(read) for each in self._read(stmt, name))
        return (*joined, *self._itself(stmt, _is_single(following), waiting.but(read)))

    def _itself(self, stmt: ir.Stmt, single: bool, waiting: _Waiting) -> Body:
        match stmt:
            case ir.Fill() if stmt.acc.name in self.accumulators:
                return self._filled(stmt, waiting)
            case ir.Multiply() if single or stmt.acc.name in self.sums:
                return self._multiplied(stmt, single, waiting)
            case ir.Scale() if not stmt.single and stmt.acc.name not in waiting.may:
                return ()  # nothing came since the last one
            case ir.Scale():
                self._watch(frozenset((stmt.acc.name,)), waiting)
                return self._joined(stmt)
        return (stmt,)

    def _watch(self, names: Names, waiting: _Waiting) -> None:
        """What joins or is added to in some turns only has to be clear in the others."""
        self.kept_clear |= names & (waiting.may - waiting.must)

    def _filled(self, stmt: ir.Fill, waiting: _Waiting) -> Body:
        name = stmt.acc.name
        if stmt.declares:
            tiles = [table[name] for table in (self.sums, self.products) if name in table]
            return (stmt, *(replace(_cleared(stmt, tile, ZERO), declares=True) for tile in tiles))
        clears = name in waiting.may and name in self.kept_clear
        return (stmt, _cleared(stmt, self.sums[name], stmt.index)) if clears else (stmt,)

    def _multiplied(self, stmt: ir.Multiply, single: bool, waiting: _Waiting) -> Body:
        name = stmt.acc.name
        tile = (self.products if single else self.sums)[name]
        if not single:
            self._watch(frozenset((name,)), waiting)
        if not single and tile.count > 1:
            self.kept_clear.add(name)
        first = single or (name not in waiting.may and tile.count == 1)
        clear = (_cleared(stmt, tile, stmt.index),) if first else ()
        return (*clear, replace(stmt, acc=tile))

    def _read(self, stmt: ir.Stmt, name: str) -> Body:
        """In front of a statement that reads an accumulator: what waits for a scale is part of it, as it is."""
        acc = self.accumulators[name]
        made = ir.Scale(stmt.span, acc, ZERO, ("i", "j"), f"{self.sums[name].name}_r")
        return tuple(each for at in range(acc.count) for each in self._joined(replace(made, index=Lit(at))))

    def _joined(self, stmt: ir.Scale) -> Body:
        """`acc += tile * factor`, element by element."""
        acc = stmt.acc
        tile = (self.products if stmt.single else self.sums)[acc.name]
        place = tuple(Var(name) for name in stmt.names)
        old = Held(acc.name, acc.elem, stmt.index, place)
        part: Expr = Held(tile.name, tile.elem, stmt.index, place)
        wide = acc.elem if stmt.factor is None and acc.elem == tile.elem else "f32"
        if stmt.factor is not None:
            part = Op("*", (_cast(part, "f32"), stmt.factor), "f32")
        total = Op("+", (_cast(old, wide), _cast(part, wide)), wide)
        put: ir.Stmt = ir.Put(stmt.span, old, _cast(total, acc.elem))
        if stmt.guard is not None:
            put = ir.If(stmt.span, stmt.guard, (put,))
        visit = ir.Visit(stmt.span, acc, stmt.index, stmt.names, stmt.counter, (put,))
        clears = acc.name in self.kept_clear and not stmt.single
        return (ir.Commit(stmt.span), visit, *((_cleared(stmt, tile, stmt.index),) if clears else ()))


def _whole(acc: ir.Accumulator) -> Names:
    """The accumulator, of which nothing waits behind a scale; of an array others may."""
    return frozenset((acc.name,)) if acc.count == 1 else _NONE


def _is_single(following: Body) -> bool:
    """Whether a multiply is of the form that scales itself, as the statement behind it says."""
    return any(isinstance(stmt, ir.Scale) and stmt.single for stmt in following)


def _reads(stmt: ir.Stmt) -> Names:
    """The tiles whose elements a statement itself reads."""
    match stmt:
        case ir.Multiply():
            return frozenset((stmt.a_registers, stmt.b_registers))
        case ir.Visit():
            return frozenset(each.name for inner in statements(stmt.body) for each in held_in(inner))
        case ir.Reduce():
            return frozenset((stmt.source.name,))
        case ir.StoreTile():
            return frozenset((stmt.acc.name,))
    return _NONE


def _cast(value: Expr, elem: str) -> Expr:
    return value if value.elem == elem else Cast(value, elem)


def _cleared(stmt: ir.Stmt, tile: ir.Accumulator, index: Expr) -> ir.Fill:
    return ir.Fill(stmt.span, tile, index, Lit(0.0, "f32") if tile.elem == "f32" else Lit(0, tile.elem))
