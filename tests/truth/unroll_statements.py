"""What each kind of statement adds to a path's operations (credit-flow, sections 2 and 3). See `unroll`."""

from __future__ import annotations

from typing import Any

from croqc.sema.model import OperandKind, Symbol, Unit
from croqc.sema.types import Event, Storage
from croqc.syntax import ast
from tests.truth.evaluate import UnsupportedError
from tests.truth.ops import HIDDEN, Kind, Touch
from tests.truth.unroll import Events, Future, Handler, LeftError, Path, Tile, _parallel_body, register

# --- names and control -----------------------------------------------------------------------------


def _assign(path: Path, node: ast.Assign) -> None:
    for part in node.parts:
        touches = path.reads(part.value)
        target = path.model.views.get(part.target)
        if target is not None and target.element is not None:
            tile = path.view(target)
            if tile is not None:
                touches += [Touch(tile.buffer, tile.box, False)] * (part.op != "=")
                touches.append(Touch(tile.buffer, tile.box, True))
        elif isinstance(part.target, ast.Name):
            _set(path, part)
        path.touch(node, touches)


def _set(path: Path, part: ast.AssignPart) -> None:
    assert isinstance(part.target, ast.Name)
    symbol = path.env.symbol(part.target)
    if isinstance(part.value, ast.Select):
        index = path.env.integer(part.value.index)
        path.env.values[symbol] = path.env.value(part.value.options[index])
        return
    view = path.model.views.get(part.value)
    if view is not None and view.element is None:
        tile = path.view(view)
        if tile is not None:
            path.env.values[symbol] = tile
        return
    try:
        value = path.env.value(part.value)
    except UnsupportedError:
        path.env.values.pop(symbol, None)  # data: whoever needs the value gives up there
        return
    old = path.env.values.get(symbol, 0)
    path.env.values[symbol] = (
        {"=": value, "+=": old + value, "-=": old - value}.get(part.op) if part.op != "=" else value
    )


def _scalars(path: Path, node: ast.ScalarDecl) -> None:
    for init in node.inits:
        if init.value is not None:
            path.touch(node, path.reads(init.value))
            try:
                path.env.values[path.env.symbol(init.name)] = path.env.value(init.value)
            except UnsupportedError:
                path.env.values.pop(path.env.symbol(init.name), None)


def _foreach(path: Path, node: ast.Foreach) -> None:
    loops: list[tuple[list[tuple[Symbol, int]], range]] = []
    for binding in node.bindings:
        for name, extent in zip(binding.names, path.env.integers(binding.extent), strict=True):
            loops.append(([(path.env.symbol(name), extent)], range(extent)))
    for each in node.ranges:
        symbol = path.env.symbol(each.name)
        bound = path.env.bounds[symbol]
        lo = 0 if each.lo is None else path.env.integer(each.lo)
        hi = bound if each.hi is None else path.env.integer(each.hi)
        step = 1 if each.step is None else path.env.integer(each.step)
        if hi < 0 or (each.hi is not None and hi <= 0):
            hi += bound
        local = [] if each.local is None else [(path.env.symbol(each.local), bound)]
        loops.append(([(symbol, bound), *local], range(lo, hi, step)))
    _nest(path, node, loops)


def _nest(path: Path, node: ast.Foreach, loops: list[tuple[list[tuple[Symbol, int]], range]]) -> None:
    if not loops:
        path.block(node.body)
        return
    (names, values), inner = loops[0], loops[1:]
    for value in values:
        for symbol, bound in names:
            path.env.values[symbol], path.env.bounds[symbol] = value, bound
        try:
            _nest(path, node, inner)
        except LeftError as left:
            if left.args[0] == "break" and not inner:
                break
            if left.args[0] != "continue":
                raise


def _with(path: Path, node: ast.With) -> None:
    for binding in node.bindings:
        for name, extent in zip(binding.names, path.env.integers(binding.extent), strict=True):
            symbol = path.env.symbol(name)
            path.env.values[symbol], path.env.bounds[symbol] = 0, extent
    path.block(node.body)


def _if(path: Path, node: ast.If) -> None:
    if path.env.value(node.cond):
        path.block(node.then)
    elif node.other is not None:
        path.block(node.other)


def _region(path: Path, node: ast.InThreads) -> None:
    if path.env.value(node.cond):
        before, path.in_role = path.in_role, True
        path.block(node.body)
        path.in_role = before


def _jump(path: Path, node: ast.Jump) -> None:
    raise LeftError(node.word)


# --- declarations ----------------------------------------------------------------------------------


def _round(path: Path, name: ast.Name) -> int:
    """Which instance of a declaration: passing it again makes a new event, but names the same memory."""
    path.rounds[name] = path.rounds.get(name, 0) + 1
    return path.rounds[name]


def _buffers(path: Path, node: ast.BufferDecl) -> None:
    if node.storage not in ("shared", "local") or node.shape is None:
        return
    for each in node.names:
        symbol = path.env.symbol(each.name)
        array = tuple(path.env.integer(extent) for extent in each.array)
        shape = tuple(path.env.integer(extent) for extent in node.shape)
        key = (path.shared.number(each.name), 0 if node.storage == "shared" else hash(path.place.name))
        box = tuple((0, extent) for extent in (*array, *shape))
        path.env.values[symbol] = Tile(key, box, len(array) if not array else 0)
        if each.fill is not None:
            path.touch(node, [Touch(key, box, True)], True)


def _events(path: Path, node: ast.EventDecl) -> None:
    for each in node.names:
        symbol = path.env.symbol(each.name)
        extents = tuple(path.env.integer(extent) for extent in each.array)
        events = Events(path.shared.number(each.name), _round(path, each.name), extents, symbol)
        path.env.values[symbol] = events
        total = 1
        for extent in extents:
            total *= extent
        for index in range(total):
            slot = (events.number, events.instance, index)
            if each.ready:
                path.shared.ready.add(slot)
            if isinstance(symbol.type, Event) and symbol.type.count is not None:
                path.shared.written[slot] = symbol.type.count


# --- events ----------------------------------------------------------------------------------------


def _wait(path: Path, node: ast.Wait) -> None:
    for ref in node.refs:
        found = path.slots(ref)
        if isinstance(found, Future):
            _wait_future(path, node, found)
            continue
        for slot, order in found:
            count = path.waits.get(slot, 0)
            path.waits[slot] = count + 1
            path.emit(Kind.WAIT, node, slot=slot, parity=(count if order is None else order) & 1)


def _wait_future(path: Path, node: ast.Node, future: Future) -> None:
    for flight in (*future.reads, *([future.flight] if future.flight is not None else [])):
        path.shared.settled[flight] = path.shared.settled.get(flight, 0) + 1
    if future.flight is not None:
        path.emit(Kind.LANDED, node, flights=(future.flight,))
    if future.reads:
        path.emit(Kind.CLOSE, node, flights=future.reads)
        path.reading = [each for each in path.reading if each[0] not in future.reads]


def _trigger(path: Path, node: ast.Trigger) -> None:
    if node.cluster:
        raise UnsupportedError("clusters")
    after = [path.slots(each) for each in node.after]
    flights = [each.flight for each in after if isinstance(each, Future) and each.flight is not None]
    for flight in flights:
        path.shared.settled[flight] += 1
    for ref in node.refs:
        found = path.slots(ref)
        if isinstance(found, Future):
            raise UnsupportedError("a future is triggered")
        for slot, order in found:
            mine = (*path.bound.pop(slot, []), *flights)
            path.emit(Kind.ARRIVE, node, slot=slot, flights=mine, parity=-1 if order is None else order & 1)


def _sync(path: Path, node: ast.Sync) -> None:
    if node.kind == "shared" and path.paths > 1:
        path.outside_of_siblings()
        path.emit(Kind.BARRIER, node)


# --- copies and handles ----------------------------------------------------------------------------


def _copy(path: Path, node: ast.Copy) -> None:
    info = path.model.copies.get(node)
    if info is None or node.after is not None or isinstance(node.dest, ast.Select):
        raise UnsupportedError("a copy")
    source = path.tile(node.source) if info.source_storage in (Storage.SHARED, Storage.LOCAL) else None
    dest = _destination(path, node, source) if info.dest_storage in (Storage.SHARED, Storage.LOCAL) else None
    touches = [Touch(source.buffer, source.box, False)] if source else []
    touches += [Touch(dest.buffer, dest.box, True)] if dest else []
    future = Future(dest)
    if node.is_async or node.event is not None or node.old_async:
        future.flight = path.shared.flight()
        path.emit(Kind.START, node, flights=(future.flight,), touches=tuple(touches))
        if node.event is not None:
            slots = path.slots(node.event)
            assert not isinstance(slots, Future)
            path.bound.setdefault(slots[0][0], []).append(future.flight)
            path.shared.settled[future.flight] += 1
    else:
        path.touch(node, touches, info.unit is Unit.BLOCK)
    if node.target is not None:
        path.env.values[path.env.symbol(node.target)] = future


def _destination(path: Path, node: ast.Copy, source: Tile | None) -> Tile | None:
    """Named, or the buffer that the handle has already, else one that no other handle has (reference, 3.7)."""
    if not isinstance(node.dest, ast.StorageDest):
        return path.tile(node.dest)
    held = path.env.values.get(path.env.symbol(node.target)) if node.target is not None else None
    if isinstance(held, Future) and held.tile is not None:
        return held.tile
    view = path.model.views[node.source]
    shape = [dim.evaluate(path.env.dims()) for dim in view.data.shape]
    if any(extent is None for extent in shape):
        raise UnsupportedError("a shape")
    others = {value.tile.buffer for value in path.env.values.values() if isinstance(value, Future) and value.tile}
    count = 0
    while (key := (path.shared.number(node), count)) in others:
        count += 1
    return Tile(key, tuple((0, int(extent or 0)) for extent in shape), 0)


def _placeholder(path: Path, node: ast.AnyFuture) -> None:
    path.env.values[path.env.symbol(node.target)] = Future(None)


def _rotate(path: Path, node: ast.Rotate) -> None:
    symbols = [path.env.symbol(name) for name in node.names]
    values = [path.env.values[symbol] for symbol in symbols]
    for symbol, value in zip(symbols, [*values[1:], values[0]], strict=True):
        path.env.values[symbol] = value


# --- tensor cores ----------------------------------------------------------------------------------


def _load(path: Path, node: ast.MmaLoad) -> None:
    tile = path.tile(node.source)
    target = node.target if isinstance(node.target, ast.Name) else None
    if target is None:
        raise UnsupportedError("an array of operands")
    shared = path.model.loads.get(node) is OperandKind.SHARED
    path.env.values[path.env.symbol(target)] = tile if shared and tile else "registers"
    if tile is not None and not shared:
        path.touch(node, [Touch(tile.buffer, tile.box, False)])


def _operand(path: Path, node: ast.Expr) -> list[Touch]:
    value: Any = path.env.values.get(path.env.symbol(node)) if isinstance(node, ast.Name) else None
    if value == "registers":
        return []
    tile = value if isinstance(value, Tile) and value.slots == len(value.box) - 2 else path.tile(node)
    return [] if tile is None else [Touch(tile.buffer, tile.box, False)]


def _accumulator(path: Path, node: ast.Expr) -> Symbol | None:
    base = node.base if isinstance(node, ast.Chain) else node
    return path.model.uses.get(base) if isinstance(base, ast.Name) else None


def _multiply(path: Path, node: ast.Mma) -> None:
    info = path.model.multiplies.get(node)
    if info is None or node.form == "sp":
        raise UnsupportedError("a multiply")
    touches = (*_operand(path, node.a), *_operand(path, node.b))
    goes_on = info.instruction in ("wgmma", "tcgen05") and not (path.model.ends_at_statement and node.form != "async")
    if not touches or not goes_on or node.form == "scale":
        path.touch(node, touches)
        return
    flight = path.shared.flight()
    path.emit(Kind.OPEN, node, flights=(flight,), touches=touches)
    path.reading.append((flight, _accumulator(path, node.acc)))
    if node.target is None:
        del path.shared.settled[flight]
    if node.target is not None:
        path.env.values[path.env.symbol(node.target)] = Future(None, reads=(flight,))


def _store(path: Path, node: ast.MmaStore) -> None:
    path.close(node, _accumulator(path, node.acc))
    tile = path.tile(node.dest)
    if tile is not None:
        path.touch(node, [Touch(tile.buffer, tile.box, True)])


def _nothing(path: Path, node: Any) -> None:
    """No effect on what is checked."""


def _nested(path: Path, node: ast.Parallel) -> None:
    crossing = path.crossing
    if crossing is None or node not in crossing.every:
        _parallel_body(path, node)
    elif not crossing.passes(node):
        for slot in crossing.taken():
            path.emit(Kind.WAIT, node, slot=slot)
        turn = crossing.turn
        _parallel_body(path, node)
        path.emit(Kind.ARRIVE, node, slot=(HIDDEN, turn, crossing.number), parity=-1)


HANDLERS: dict[type, Handler] = {
    ast.Assign: _assign,
    ast.ScalarDecl: _scalars,
    ast.Foreach: _foreach,
    ast.With: _with,
    ast.If: _if,
    ast.InThreads: _region,
    ast.Jump: _jump,
    ast.Parallel: _nested,
    ast.BufferDecl: _buffers,
    ast.EventDecl: _events,
    ast.Wait: _wait,
    ast.Trigger: _trigger,
    ast.Sync: _sync,
    ast.Copy: _copy,
    ast.AnyFuture: _placeholder,
    ast.Rotate: _rotate,
    ast.MmaFill: _nothing,
    ast.MmaLoad: _load,
    ast.Mma: _multiply,
    ast.MmaCommit: lambda path, node: path.close(node),
    ast.MmaScale: lambda path, node: path.close(node, _accumulator(path, node.acc)),
    ast.MmaStore: _store,
    ast.Assert: _nothing,
    ast.Print: _nothing,
    ast.SetReg: _nothing,
    ast.LaunchBounds: _nothing,
}
register(HANDLERS)
