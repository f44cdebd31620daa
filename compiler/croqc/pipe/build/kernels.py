"""One kernel as IR: what it declares, its grid and its body (reference, 4.1 to 4.4). Must not decide for a target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

from croqc.flow.arrivals import arrival_counts
from croqc.flow.joins import block_waits, joins_on_exit, not_followed, unit_met
from croqc.flow.paths import Path, enters, kernel_paths, outermost
from croqc.pipe import ir
from croqc.pipe.build.block_size import UNKNOWN_BOUND, block_size
from croqc.pipe.build.bounds import bounds_of
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.control import CONTROL
from croqc.pipe.build.effects import VALUES
from croqc.pipe.build.flattened import flattened
from croqc.pipe.build.fragments import FRAGMENTS
from croqc.pipe.build.grid import cluster_of, grid_of, name_tuple
from croqc.pipe.build.host import HostPart, array_data, is_value, value_elem
from croqc.pipe.build.host_data import array_tensor
from croqc.pipe.build.memory import declared_memory
from croqc.pipe.build.movement import MOVEMENT
from croqc.pipe.build.multiplies import MULTIPLIES, collect
from croqc.pipe.build.scalars import EXPRESSIONS
from croqc.pipe.build.scales import SCALES
from croqc.pipe.build.tiles import static
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit, Tensor, Var
from croqc.pipe.mentioned import foreign_words, mentioned
from croqc.pipe.sums import kept
from croqc.sema.masks import UNIT_THREADS, Masks, axis_extents, defining_value, members, regions
from croqc.sema.model import MAX_THREADS, THREADS, Kernel, Level, Model, Symbol, SymbolKind, Unit
from croqc.sema.types import Data, Event
from croqc.syntax import ast
from croqc.syntax.visit import walk

# What threads of a unit do together, or one of them for all.
_TOGETHER = (ast.Copy, ast.Wait, ast.Trigger, ast.Sync, ast.Mma, ast.MmaLoad, ast.MmaFill, ast.MmaStore, ast.MmaCommit)


def build_kernel(
    model: Model, kernel: Kernel, name: str, host: HostPart, sizes: Mapping[str, int] | None = None
) -> ir.Kernel:
    """The kernel for any sizes or, with `sizes`, for these alone: extents that depend on them become numbers.
    `host`: what the values and arrays of the host part are called.

    Raises SizesNeededError where the kernel can be lowered for given sizes only, LoweringError for the first
    construct that is not lowered.
    """
    building = _Building(model, kernel, name, host, sizes or {})
    foreign = not_followed(model, kernel, building.paths)
    if foreign is not None:
        raise LoweringError(foreign[1], foreign[0])
    threads = kernel.threads or block_size(building.c, kernel.node)
    if threads > MAX_THREADS:
        reason = f"a block would have {threads} threads; {MAX_THREADS} are possible"
        raise LoweringError(f"{reason}: use a smaller size, or more blocks", kernel.node.span)
    return building.kernel_of(threads, bounds_of(model, kernel, threads))


class _Building:
    def __init__(self, model: Model, kernel: Kernel, name: str, host: HostPart, sizes: Mapping[str, int]) -> None:
        self.model, self.kernel, self.name, self.host = model, kernel, name, host
        self.nodes = list(walk(kernel.node))
        self.inside = set(self.nodes)
        loops = [node for node in self.nodes if isinstance(node, ast.Foreach | ast.While)]
        self.paths = kernel_paths(model, kernel)
        statements: dict[type, Callable[[Context, Any], Built]] = {
            **CONTROL,
            **MOVEMENT,
            **MULTIPLIES,
            **FRAGMENTS,
            **SCALES,
        }
        statements[ast.Parallel] = self._parallel
        statements[ast.InThreads] = self._region
        self.c = Context(model, kernel, statements, {**EXPRESSIONS, **VALUES})
        self.c.block_waits = block_waits(model, kernel, self.paths)
        self.c.looped = {inner for loop in loops for inner in walk(loop)}
        self.c.known.update(host.names)
        self.c.tuples.update(host.tuples)
        for taken in host.names.values():
            self.c.names.reserve(taken)
        for node in self.nodes:
            if isinstance(node, ast.Call):
                self.c.names.reserve(node.callee.rpartition("::")[2])
        self.fixed = tuple(sorted(sizes.items()))
        self.renamed: list[tuple[str, str]] = []
        self.c.sizes = {
            symbol.atom or symbol.name: Lit(sizes[symbol.name])
            for symbol in model.symbols
            if symbol.kind in (SymbolKind.DIMENSION, SymbolKind.PARAM) and symbol.name in sizes
        }
        self.chains = {chain[-1]: chain for chain in regions(kernel.node)}
        self.indices: list[ir.Index] = []
        self.entered: int | None = None  # how many threads of a unit run the region around, None outside of regions

    def kernel_of(self, threads: int, bounds: ir.Bounds) -> ir.Kernel:
        self.masks = Masks(self.model, self.kernel.node, threads)
        self.c.threads = threads
        scalars = tuple(self._sizes())
        self.c.per_thread = any(self.model.levels.get(axis) is Level.THREAD for axis in self.kernel.node.axes)
        arrays = tuple(self._globals())
        tensors = tuple(tensor for tensor, _ in arrays)
        launch = [node for node in self.nodes if isinstance(node, ast.Parallel)]
        grid_names, grid = grid_of(self.c, launch)
        cluster = cluster_of(self.c, launch)
        self._place_indices()
        memory = declared_memory(self.c, self.nodes)
        events = tuple(self._events())
        collect(self.c, [node for node in self.nodes if isinstance(node, ast.Mma)])
        body, shared = flattened(self.c.body(self.kernel.node.body), memory.shared)
        scalars += tuple(self._values((*body, *grid, *tensors)))
        return ir.Kernel(
            self.name,
            self.kernel.node.span,
            grid,
            grid_names,
            threads,
            tuple(self.indices),
            tensors,
            tuple(source for _, source in arrays),
            scalars,
            shared,
            memory.local,
            events,
            tuple(dict.fromkeys(self.c.accumulators.values())),
            memory.handles,
            body,
            fixed=tuple((name, value) for name, value in self.fixed if name in {each for each, _ in scalars}),
            renamed=tuple(self.renamed),
            given=kept(self.host.host.body),
            cluster=cluster,
            bounds=bounds,
            own_registers=not self.model.context.register_functions.isdisjoint(foreign_words(body)),
        )

    # --- arguments --------------------------------------------------------------------------------

    def _sizes(self) -> Iterator[tuple[str, str]]:
        """Sizes and scalar parameters, and how the model's integers spell the values of the host part."""
        for name, source, elem in self.host.host.scalars:
            if name != source:
                self.renamed.append((name, source))
            yield name, elem
        for symbol, name in self.host.names.items():
            if symbol.atom and (is_value(symbol) or symbol.kind is SymbolKind.DIMENSION):
                self.c.sizes.setdefault(symbol.atom, Var(name, value_elem(symbol)))

    def _values(self, made: tuple[object, ...]) -> Iterator[tuple[str, str]]:
        """Values of the host part, beside sizes and parameters, that the kernel takes."""
        used = mentioned(made)
        for symbol, name in self.host.names.items():
            if not is_value(symbol) or symbol.kind in (SymbolKind.PARAM, SymbolKind.DIMENSION):
                continue
            if name in used or symbol in self.model.mentioned:
                yield name, value_elem(symbol)

    def _globals(self) -> Iterator[tuple[Tensor, str]]:
        """Arrays of the host part, as far as the kernel uses them, and what the source calls them."""
        used = self._used()
        for symbol, (_, source) in self.host.tensors.items():
            data = array_data(symbol)
            if data is not None and symbol in used:
                made = self.c.tensors[symbol] = array_tensor(self.c, symbol, data)
                yield made, source

    def _used(self) -> set[Symbol]:
        """What the kernel names, and what stands behind views that the host part has named."""
        islands = [self.model.islands.get(node, {}) for node in self.nodes if isinstance(node, ast.Cpp)]
        found = {symbol for named in islands for symbol in named.values()}
        nodes = [node for node in self.nodes if isinstance(node, ast.Name)]
        while nodes:
            symbol = self.model.uses.get(nodes.pop())
            if symbol is None or symbol in found:
                continue
            found.add(symbol)
            defined = defining_value(symbol) if isinstance(symbol.type, Data) else None
            nodes += [node for node in walk(defined) if isinstance(node, ast.Name)] if defined is not None else []
        return found

    # --- declarations -----------------------------------------------------------------------------

    def _place_indices(self) -> None:
        known: dict[tuple[str, int, int], str] = {}
        for node in self.nodes:
            for axis in node.axes if isinstance(node, ast.Parallel) else ():
                if self.model.levels.get(axis) not in UNIT_THREADS:
                    continue
                for symbol, unit, extent in self._placed(axis):
                    key = symbol.name, unit, extent
                    if key not in known:
                        known[key] = self.c.name_of(symbol)
                        self.indices.append(ir.Index(known[key], unit, extent))
                    self.c.known[symbol] = known[key]
                name_tuple(self.c, axis, [self.c.known[self.c.symbol(name)] for name in axis.names])

    def _placed(self, axis: ast.Axis) -> Iterator[tuple[Symbol, int, int]]:
        """Each index of an axis inside the block with its unit and bound, the last name fastest (4.1)."""
        level = self.model.levels[axis]
        shape = axis_extents(self.model, axis)
        if any(extent is None for extent in shape):
            raise LoweringError(UNKNOWN_BOUND, axis.span)
        extents = static(self.c, tuple(extent for extent in shape if extent is not None), axis.span)
        unit = UNIT_THREADS[level]
        for name, extent in zip(reversed(axis.names), reversed(extents), strict=False):
            symbol = self.model.uses.get(name)
            if symbol is not None:
                yield symbol, unit, extent
            unit *= extent

    def _events(self) -> Iterator[ir.Event]:
        counts = arrival_counts(self.model, self.paths)
        for symbol in self.model.symbols:
            if not isinstance(symbol.type, Event) or symbol.decl not in self.inside:
                continue
            if symbol.decl in self.c.looped:
                raise LoweringError(
                    "an event belongs to the whole block: declare it in front of the loop", symbol.name_span
                )
            slots = prod(symbol.type.array)
            arrivals = tuple(max(counts.get((symbol, slot), 1), 1) for slot in range(slots))
            yield ir.Event(self.c.name_of(symbol), slots, arrivals, symbol.type.ready, symbol.name_span)

    # --- levels and regions -----------------------------------------------------------------------

    def _parallel(self, c: Context, node: ast.Parallel) -> Built:
        levels = {self.model.levels.get(axis) for axis in node.axes}
        saved = c.unit, c.per_thread
        c.per_thread = c.per_thread or Level.THREAD in levels
        if Level.GROUP4 in levels:
            c.unit = Unit.GROUP4
        elif Level.GROUP in levels:
            c.unit = Unit.GROUP
        body: Built = [ir.Scope(node.span, c.body(node.body))]
        c.unit, c.per_thread = saved
        meets = [ir.Sync(node.span, unit) for unit in self._meeting(node)]
        body = [*meets, *body, *meets]
        if joins_on_exit(self.model, node):
            body.append(ir.Sync(node.span, self._joining(node)))
        return body

    def _meeting(self, node: ast.Parallel) -> Iterator[Unit]:
        """Whose threads meet at both ends of a `parallel`, where others divide the block in another way: what a unit
        does together is over before a part of it goes on, and the other way round."""
        if self.kernel.threads is None:  # there are no paths then
            unlike = [top for top in outermost(self.model, self.kernel) if self._widest(top) is Level.GROUP]
            yield from [Unit.GROUP4] if unlike and self._widest(node) is Level.GROUP4 else []
            return
        met = unit_met(self.paths, node)
        yield from (unit for unit, size in THREADS.items() if met > 1 and size == met)

    def _widest(self, node: ast.Parallel) -> Level | None:
        levels = {self.model.levels.get(axis) for axis in node.axes}
        return next((level for level in (Level.GROUP4, Level.GROUP) if level in levels), None)

    def _joining(self, node: ast.Parallel) -> Unit:
        """Whose paths meet behind a `parallel`: in a region its unit's, for no others come there (4.4)."""
        if self.entered is None:
            return Unit.BLOCK
        if self.c.unit is Unit.THREAD and self.entered > 1:
            reason = "the threads of this region are no whole warps, and no barrier joins them behind this 'parallel'"
            raise LoweringError(f"{reason}: let whole warps enter the region", node.span)
        return self.c.unit

    def _region(self, c: Context, node: ast.InThreads) -> Built:
        """A region of some threads; behind an outermost one without `.async` stands a barrier of the block (4.4)."""
        saved = c.unit, c.in_team, c.first, c.threads, self.entered
        chain = self.chains[node]
        mask = self.masks.of_regions(chain)
        if mask is None:
            raise LoweringError(
                "the threads of this region are not known when compiling: compare indices with numbers", node.span
            )
        joined: Built = [] if node.is_async or len(chain) > 1 else [ir.Sync(node.span, Unit.BLOCK)]
        inside = members(mask)
        if not inside:
            return joined
        paths = [path for path in self.paths if enters(path, node)]
        c.unit, threads = unit_of([sorted(set(inside) & set(path.numbers)) for path in paths] or [inside], node)
        self.entered, c.in_team = threads, c.unit is Unit.BLOCK
        if c.in_team:
            c.first, c.threads = inside[0], threads
        groups = tuple(sorted({thread // THREADS[Unit.GROUP4] for thread in inside}))
        cond, body = c.expr(node.cond), c.body(node.body)
        role = ir.Role(node.span, _title(paths), cond, body, c.unit, threads, groups, c.first, len(paths) > 1)
        c.unit, c.in_team, c.first, c.threads, self.entered = saved
        return [role, *joined]


def _title(paths: list[Path]) -> str:
    return ", ".join(path.name for path in paths)


def unit_of(paths: Sequence[Sequence[int]], node: ast.InThreads) -> tuple[Unit, int]:
    """Who runs a region, and how many threads of a unit do, from the threads of each path that enters it: warpgroups,
    warps, single threads; or BLOCK for one path of some neighbouring warps. Threads that do nothing together may be
    any: each is a unit then.

    Raises LoweringError for what some other number of threads should do together.
    """
    for unit, size in ((Unit.GROUP4, THREADS[Unit.GROUP4]), (Unit.GROUP, THREADS[Unit.GROUP]), (Unit.THREAD, 1)):
        if all(len(path) == size and path[0] % size == 0 and path[-1] == path[0] + size - 1 for path in paths):
            return unit, size
    together = next((stmt for stmt in walk(node.body) if isinstance(stmt, _TOGETHER)), None)
    if together is None:
        return Unit.THREAD, sum(map(len, paths))
    warp = THREADS[Unit.GROUP]
    whole = [path for path in paths if path[0] % warp == len(path) % warp == 0 and path[-1] == path[0] + len(path) - 1]
    if len(paths) == 1 and whole:
        return Unit.BLOCK, len(paths[0])
    if len(paths) == len(whole):
        raise LoweringError("paths of several sizes come here: give each a region of its own", together.span)
    raise LoweringError(
        "only whole warps, or one thread, do this together: let all of a warp enter, or one", together.span
    )
