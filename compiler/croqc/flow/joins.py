"""Whether leaving a `parallel` joins its paths, which paths of unlike `parallel`s come after which, and which waits are
the block's (credit-flow, section 1): the one answer for verifier, lowering and simulator. Must not run paths."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from croqc.flow.arrivals import slot_arrivals
from croqc.flow.paths import Path, comes_to, divides, enters, outermost
from croqc.flow.touches import Touch, Touches
from croqc.sema.masks import UNIT_THREADS
from croqc.sema.model import Kernel, Model, Symbol, Unit
from croqc.sema.nesting import statements
from croqc.sema.types import Fragment, Future, Scalar
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of, nodes_of_kind, walk
from croqc.text.span import Span

_ONCE = (ast.With, ast.InThreads)
_LOOPS = (ast.Foreach, ast.While)


def joins_on_exit(model: Model, node: ast.Parallel) -> bool:
    """True iff a statement outside every inner `parallel`, reached before the paths re-enter one, conflicts with
    an access of `node`'s paths. The kernel's own `parallel` never joins: its end is the kernel's end."""
    kernel = next((one for one in model.kernels if node in nodes_of(one.node)), None)
    if kernel is None or node is kernel.node or not divides(model, node):
        return False
    touches = Touches(model)
    inside = Touch()
    for stmt, _ in statements(node.body):
        inside |= touches.of(stmt)
    if not inside:
        return False
    return any(inside.conflicts(touches.of(stmt)) for stmt in _reached_after(model, kernel, node))


def _reached_after(model: Model, kernel: Kernel, node: ast.Parallel) -> Iterator[ast.Node]:
    """The block-level statements that may run after `node` is left and before an inner `parallel` is entered."""
    chain = next((around.chain for stmt, around in statements(kernel.node.body) if stmt is node), ())
    here: ast.Node = node
    for outer in (*reversed(chain), kernel.node):
        body = _body_of(outer, here)
        behind = body[_position(body, here) + 1 :]
        if (yield from _until_parallel(model, behind)):
            return
        if isinstance(outer, _LOOPS):
            # The next iteration comes to `node` again, and the statements in front of it are outside, too.
            yield from _until_parallel(model, body[: _position(body, here)])
        here = outer


def _body_of(outer: ast.Node, inner: ast.Node) -> tuple[ast.Node, ...]:
    """The statements of the block of `outer` that holds `inner`."""
    blocks: Iterable[ast.Block] = (outer.then, outer.other or outer.then) if isinstance(outer, ast.If) else ()
    if isinstance(outer, ast.Parallel | ast.With | ast.Foreach | ast.While | ast.InThreads | ast.Apply):
        blocks = (outer.body,)
    for block in blocks:
        flat = _flat(block)
        if any(stmt is inner for stmt in flat):
            return flat
    return (inner,)


def _flat(block: ast.Block) -> tuple[ast.Node, ...]:
    found: list[ast.Node] = []
    for stmt in block.stmts:
        found += _flat(stmt) if isinstance(stmt, ast.Block) else [stmt]
    return tuple(found)


def _position(body: tuple[ast.Node, ...], inner: ast.Node) -> int:
    return next(at for at, stmt in enumerate(body) if stmt is inner)


def _until_parallel(model: Model, body: Iterable[ast.Node]) -> Generator[ast.Node, None, bool]:
    """The statements up to the first that surely enters an inner `parallel`; tells whether there was one."""
    for stmt in body:
        if isinstance(stmt, ast.Parallel):
            if divides(model, stmt):
                return True
            continue
        yield stmt
        if isinstance(stmt, ast.If):
            entered = []
            for block in (stmt.then, stmt.other):
                entered.append(block is not None and (yield from _until_parallel(model, _flat(block))))
            if all(entered):
                return True
        elif isinstance(stmt, (*_ONCE, *_LOOPS)) and (yield from _until_parallel(model, _flat(stmt.body))):
            return True
    return False


# --- parallels that are divided in unlike ways ------------------------------------------------------

Job = tuple[int, ast.Parallel]  # the number of a path, and what it runs


@lru_cache(maxsize=8)
def predecessors(paths: tuple[Path, ...]) -> Mapping[Job, tuple[Job, ...]]:
    """For each path and outermost `parallel` that it runs: what other paths must have ended of, before it begins, as
    units of threads meet at the ends of one of both. Empty where all `parallel`s are divided alike."""
    jobs = [(number, node) for number, path in enumerate(paths) for node in path.met]
    met = {node: unit_met(paths, node) for node in _tops(paths)}
    units = {(number, unit): _units(path, unit) for number, path in enumerate(paths) for unit in set(met.values())}

    def meet(one: Job, other: Job) -> bool:
        unit = max(met[one[1]], met[other[1]])
        return not units[one[0], unit].isdisjoint(units[other[0], unit])

    return {one: tuple(other for other in jobs if one[0] != other[0] and meet(one, other)) for one in jobs}


def meetings(before: Mapping[Job, Sequence[Job]]) -> list[list[int]]:
    """The paths that come after each other by `predecessors`, directly or through others, together."""
    found: dict[int, list[int]] = {}
    for (number, _), others in before.items():
        own = found.setdefault(number, [number])
        for other, _ in others:
            theirs = found.setdefault(other, [other])
            if theirs is not own:
                own += theirs
                found |= dict.fromkeys(theirs, own)
    return [sorted(group) for number, group in sorted(found.items()) if number == min(group)]


def unit_met(paths: Sequence[Path], node: ast.Parallel) -> int:
    """How many threads a unit has that meets at both ends of a `parallel`, before and behind those that are divided in
    another way; 1: none has to. Of two unlike ones, that of the larger units sees to it."""
    units = {top: unit for path in paths for top, unit in path.met.items()}
    if node not in units:
        return 1
    own = {path for path in paths if node in path.met}
    unlike = (top for top in units if {path for path in paths if top in path.met} != own)
    return max((units[node] for top in unlike if units[top] <= units[node]), default=1)


def _units(path: Path, unit: int) -> set[int]:
    return {number // unit for number in path.numbers}


def _share_threads(one: Path, other: Path) -> bool:
    return not _units(one, 1).isdisjoint(_units(other, 1))


# --- copies of the whole block --------------------------------------------------------------------


def meets_block(node: ast.Copy, unit: Unit) -> bool:
    """Whether threads of the whole block move the data, so that nobody has it before all of them have waited. TMA tells
    its waiters by an mbarrier."""
    return node.engine == "dma" and node.event is None and unit is Unit.BLOCK


def block_waits(model: Model, kernel: Kernel, paths: Sequence[Path]) -> frozenset[ast.Wait]:
    """The waits of paths behind which the block meets. In a region those who run it have the data, and no others."""
    if len(paths) < 2:
        return frozenset()
    shared = _of_the_block(model, kernel)
    return frozenset(
        stmt
        for stmt, around in statements(kernel.node.body)
        if isinstance(stmt, ast.Wait)
        and not around.regions
        and any(divides(model, node) for node in (kernel.node, *around.parallels))
        and not shared.isdisjoint(_futures(model, stmt.refs))
    )


def _of_the_block(model: Model, kernel: Kernel) -> set[Symbol]:
    """The futures that may stand for a copy of the whole block: its own, or one that they are exchanged with."""
    found: set[Symbol] = set()
    exchanges: list[set[Symbol]] = []
    for stmt, _ in statements(kernel.node.body):
        match stmt:
            case ast.Copy(target=ast.Name() as target) if stmt in model.copies:
                if meets_block(stmt, model.copies[stmt].unit):
                    found |= set(_futures(model, (target,)))
            case ast.Rotate(names=names):
                exchanges.append(set(_futures(model, names)))
            case ast.Assign(parts=parts):
                for part in parts:
                    options = part.value.options if isinstance(part.value, ast.Select) else (part.value,)
                    exchanges.append(set(_futures(model, (part.target, *options))))
    while more := [names for names in exchanges if not names.isdisjoint(found) and not names <= found]:
        found.update(*more)
    return found


def _futures(model: Model, names: Sequence[ast.Node]) -> Iterator[Symbol]:
    for name in names:
        symbol = model.uses.get(name) if isinstance(name, ast.Name) else None
        if symbol is not None and isinstance(symbol.type, Future):
            yield symbol


# --- what is not followed there ---------------------------------------------------------------------


def not_followed(model: Model, kernel: Kernel, paths: tuple[Path, ...]) -> tuple[Span, str] | None:
    """What no tool follows where `parallel`s of a block are divided in unlike ways: its place, and why."""
    tops = _tops(paths)
    for one, other in combinations(paths, 2) if tops else ():
        if 0 in (*one.met.values(), *other.met.values()) and _share_threads(one, other):
            names = f"{one.name} and {other.name}"
            place = max(*one.met, *other.met, key=lambda top: top.span.start)
            return place.axes[0].span, f"{names} share threads, and no unit holds both: divide the block alike"
    for top in tops:
        for node in walk(top):
            if isinstance(node, ast.Jump) and node.word == "yield":
                return node.span, f"'yield' is not followed {_UNLIKE}: let an 'if' hold the rest of the body"
            symbol = model.uses.get(node) if isinstance(node, ast.Name) else None
            if symbol is not None and isinstance(symbol.type, Fragment | Future) and _is_carried(kernel, top, symbol):
                return node.span, _not_carried(symbol)
    return (_shared_event(model, paths) if tops else None) or _of_a_divided_unit(model, kernel, paths)


_DONE_BY_UNITS = (
    *(ast.Copy, ast.Wait, ast.Trigger, ast.Sync, ast.Mma, ast.MmaLoad, ast.MmaFill, ast.MmaStore, ast.MmaCommit),
    *(ast.CallStmt, ast.Print, ast.Cpp, ast.Asm),
)


def _of_a_divided_unit(model: Model, kernel: Kernel, paths: tuple[Path, ...]) -> tuple[Span, str] | None:
    """What a unit of threads does once (reference, 4.3), where regions of its threads are paths of their own: none of
    these is the one to do it."""
    touches = Touches(model)
    for node in nodes_of_kind(kernel.node, ast.Parallel):
        levels = {model.levels.get(axis) for axis in node.axes}
        size = min((threads for level, threads in UNIT_THREADS.items() if level in levels), default=1)
        if size == 1:
            continue
        for stmt, around in statements(node.body):
            done = isinstance(stmt, _DONE_BY_UNITS) or touches.of(stmt).writes
            meets = isinstance(stmt, ast.Sync) and stmt.kind == "shared"
            if around.parallels or not done or meets:
                continue
            doing = [path for path in paths if all(enters(path, region) is not False for region in around.regions)]
            for one, other in combinations((path for path in doing if comes_to(path, (node,))), 2):
                if not _units(one, size).isdisjoint(_units(other, size)):
                    names = f"{one.name} and {other.name}"
                    return stmt.span, f"{names} divide the unit that does this once: let one of them do it"
    return None


def not_run(model: Model, kernel: Kernel, paths: tuple[Path, ...]) -> tuple[Span, str] | None:
    """What is not followed by those who run paths one by one; generated threads keep the block's scalars themselves."""
    return not_followed(model, kernel, paths) or _changes_variable(model, kernel, paths)


def _changes_variable(model: Model, kernel: Kernel, paths: tuple[Path, ...]) -> tuple[Span, str] | None:
    """A scalar of the block that one of several unlike `parallel`s changes: paths of others would have to learn it."""
    for top in _tops(paths):
        for node in walk(top):
            target = node.target if isinstance(node, ast.AssignPart) else None
            name = node.name if isinstance(node, ast.IncDec) else target
            symbol = model.uses.get(name) if isinstance(name, ast.Name) else None
            if symbol is not None and isinstance(symbol.type, Scalar) and _is_carried(kernel, top, symbol):
                return node.span, _not_carried(symbol)
    return None


def carried_future(model: Model, kernel: Kernel, paths: tuple[Path, ...]) -> tuple[Span, str] | None:
    """A use of a copy of the block in what its paths run, which the verifier does not follow: each path has futures of
    its own there."""
    tops = outermost(model, kernel) if len(paths) > 1 else ()
    own: set[Symbol] = set()
    for stmt, around in statements(kernel.node.body):
        if isinstance(stmt, ast.Copy) and stmt.target is not None and set(tops).isdisjoint(around.parallels):
            own |= set(_futures(model, (stmt.target,)))
    for node in (node for top in tops for node in walk(top)):
        if isinstance(node, ast.Name) and model.uses.get(node) in own:
            reason = f"'{node.id}', a copy of the block, is not followed into its paths"
            return node.span, f"{reason}: wait for it in front of them, and use its buffer by name"
    return None


_UNLIKE = "where 'parallel's divide a block in unlike ways"


def _not_carried(symbol: Symbol) -> str:
    return f"'{symbol.name}' is not followed into others {_UNLIKE}: declare it inside the one that uses it"


def _tops(paths: Sequence[Path]) -> list[ast.Parallel]:
    return list(dict.fromkeys(top for path in paths for top in path.met))


def _is_carried(kernel: Kernel, top: ast.Parallel, symbol: Symbol) -> bool:
    return symbol.decl in nodes_of(kernel.node) and symbol.decl not in nodes_of(top)


def _shared_event(model: Model, paths: tuple[Path, ...]) -> tuple[Span, str] | None:
    """An event on which some thread arrives, or waits, as a part of two paths: how often is not settled."""
    for (event, _), arrivals in slot_arrivals(model, paths).items():
        for numbers in (arrivals.steady | arrivals.bootstrap, arrivals.waiting):
            for one, other in combinations(sorted(numbers - {-1}), 2):
                if _share_threads(paths[one], paths[other]):
                    names = f"{paths[one].name} and {paths[other].name}"
                    return event.name_span, f"{names} share threads, and both use '{event.name}': give each an event"
    return None
