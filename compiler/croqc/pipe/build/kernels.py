"""One kernel as IR: what it declares, its grid and its body (reference, 4.1 to 4.4). Must not decide for a target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any

from croqc.flow.arrivals import arrival_counts
from croqc.flow.joins import joins_on_exit
from croqc.flow.paths import Path, enters, kernel_paths
from croqc.pipe import ir
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.control import CONTROL
from croqc.pipe.build.fragments import FRAGMENTS
from croqc.pipe.build.movement import MOVEMENT
from croqc.pipe.build.multiplies import MULTIPLIES, collect
from croqc.pipe.build.scalars import EXPRESSIONS, printable
from croqc.pipe.build.scales import SCALES
from croqc.pipe.build.tiles import static
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Expr, Lit, Space, Tensor, Var
from croqc.sema.elements import canonical
from croqc.sema.masks import UNIT_THREADS, Masks, axis_extents, members, regions
from croqc.sema.model import THREADS, Kernel, Level, Model, Symbol, SymbolKind, Unit
from croqc.sema.types import Bounded, Data, Event, Future, Scalar, Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk

_OUTER = (Level.TERM, Level.DEVICE)
# What threads of a unit do together, or one of them for all.
_TOGETHER = (ast.Copy, ast.Wait, ast.Trigger, ast.Sync, ast.Mma, ast.MmaLoad, ast.MmaFill, ast.MmaStore, ast.MmaCommit)


def build_kernel(model: Model, kernel: Kernel, name: str, sizes: Mapping[str, int] | None = None) -> ir.Kernel:
    """The kernel for any sizes or, with `sizes`, for these alone: extents that depend on them become numbers.

    Raises SizesNeededError where the kernel can be lowered for given sizes only, LoweringError for the first
    construct that is not lowered.
    """
    building = _Building(model, kernel, name, sizes or {})
    return building.kernel_of(kernel.threads or building.block_size())


class _Building:
    def __init__(self, model: Model, kernel: Kernel, name: str, sizes: Mapping[str, int]) -> None:
        self.model, self.kernel, self.name = model, kernel, name
        self.nodes = list(walk(kernel.node))
        self.inside = set(self.nodes)
        loops = [node for node in self.nodes if isinstance(node, ast.Foreach | ast.While)]
        self.looped = {inner for loop in loops for inner in walk(loop)}
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
        self.c = Context(model, kernel, statements, EXPRESSIONS)
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
        self.swizzles = {info.symbol: info.swizzle for info in model.buffers}
        self.entered: int | None = None  # how many threads of a unit run the region around, None outside of regions

    def kernel_of(self, threads: int) -> ir.Kernel:
        self.masks = Masks(self.model, self.kernel.node, threads)
        self.c.threads = threads
        scalars = tuple(self._scalars())
        self.c.per_thread = any(self.model.levels.get(axis) is Level.THREAD for axis in self.kernel.node.axes)
        tensors = tuple(self._globals())
        grid_names, grid = self._grid()
        self._place_indices()
        shared, local = self._buffers()
        handles = tuple(self._handles(shared))
        events = tuple(self._events())
        collect(self.c, [node for node in self.nodes if isinstance(node, ast.Mma)])
        body = (*self._host_values(), *self.c.body(self.kernel.node.body))
        return ir.Kernel(
            self.name,
            self.kernel.node.span,
            grid,
            grid_names,
            threads,
            tuple(self.indices),
            tensors,
            tuple(symbol.name for symbol in self.c.tensors if self.c.tensors[symbol] in tensors),
            scalars,
            tuple(shared),
            tuple(local),
            events,
            tuple(dict.fromkeys(self.c.accumulators.values())),
            handles,
            body,
            fixed=tuple((name, value) for name, value in self.fixed if name in {each for each, _ in scalars}),
            renamed=tuple(self.renamed),
        )

    def block_size(self) -> int:
        """The threads of a block whose bounds hang on sizes: the widest level decides (4.1)."""
        widths: dict[Level, int] = {}
        for axis in (axis for node in self.nodes if isinstance(node, ast.Parallel) for axis in node.axes):
            level = self.model.levels.get(axis)
            if level not in UNIT_THREADS:
                continue
            assert level is not None
            shape = tuple(self.model.values[bound] for bound in axis.bounds)
            widths[level] = widths.get(level, 1) * prod(static(self.c, shape, axis.span))
        return max((count * UNIT_THREADS[level] for level, count in widths.items()), default=1)

    # --- arguments --------------------------------------------------------------------------------

    def _scalars(self) -> Iterator[tuple[str, str]]:
        for symbol in self.model.symbols:
            if symbol.kind is SymbolKind.DIMENSION:
                elem = "s32"
            elif symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, Scalar):
                elem = printable(canonical(symbol.type.elem), symbol.name_span)
            else:
                continue
            name = self.c.name_of(symbol)
            if name != symbol.name:
                self.renamed.append((name, symbol.name))
                self.c.sizes.setdefault(symbol.atom or symbol.name, Var(name, elem))
            yield name, elem

    def _globals(self) -> Iterator[Tensor]:
        """Array parameters, and buffers that the host declares, as far as the kernel uses them."""
        used = {self.model.uses.get(node) for node in self.nodes if isinstance(node, ast.Name)}
        for symbol in self.model.symbols:
            if symbol.kind not in (SymbolKind.PARAM, SymbolKind.BUFFER) or symbol.decl in self.inside:
                continue
            if isinstance(symbol.type, Data) and symbol in used:
                shape = tuple(self.c.integer(extent, symbol.name_span) for extent in symbol.type.shape)
                yield self._tensor(symbol, symbol.type.elem, shape, Space.GLOBAL, 1)

    def _tensor(self, symbol: Symbol, elem: str, shape: tuple[Expr, ...], space: Space, slots: int) -> Tensor:
        known = printable(canonical(elem), symbol.name_span)
        made = Tensor(self.c.name_of(symbol), known, shape, space, slots)
        self.c.tensors[symbol] = made
        return made

    def _grid(self) -> tuple[tuple[str, ...], tuple[Expr, ...]]:
        names: list[str] = []
        extents: list[Expr] = []
        for axis in self.kernel.block_axes:
            if axis.tuple_name is not None or self.model.levels.get(axis) in _OUTER:
                raise LoweringError("blocks have named indices: write 'parallel {a, b} by [M, N] : block'", axis.span)
            for position, bound in enumerate(axis.bounds):
                symbol = self.model.uses.get(axis.names[position]) if position < len(axis.names) else None
                value = self.model.values.get(bound)
                if value is None:
                    raise LoweringError(
                        "the number of blocks is not known at the launch: use sizes of parameters", bound.span
                    )
                names.append(self.c.name_of(symbol) if symbol is not None else self.c.names.fresh("block"))
                extents.append(self.c.integer(value, bound.span))
        return tuple(names), tuple(extents)

    def _host_values(self) -> Built:
        """Scalars that the host computes in front of the launch, as far as the kernel needs them."""
        needed = {self.model.uses.get(node) for node in self.nodes if isinstance(node, ast.Name)}
        found: Built = []
        before: list[ast.Stmt] = []
        for stmt in self.model.function.body.stmts:
            if stmt in self.inside or self.kernel.node in set(walk(stmt)):
                break
            before.append(stmt)
        for stmt in reversed(before):
            defined = self._defined(stmt)
            if defined & needed:
                needed |= {self.model.uses.get(node) for node in walk(stmt) if isinstance(node, ast.Name)}
                found = [*self.c.stmt(stmt), *found]
        return found

    def _defined(self, stmt: ast.Node) -> set[Symbol | None]:
        match stmt:
            case ast.ScalarDecl(inits=inits):
                names = [init.name for init in inits]
            case ast.Assign(parts=parts):
                names = [part.target for part in parts if isinstance(part.target, ast.Name)]
            case _:
                return set()
        symbols = {self.model.uses.get(name) for name in names}
        return {symbol for symbol in symbols if symbol is not None and isinstance(symbol.type, Scalar | Bounded)}

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

    def _placed(self, axis: ast.Axis) -> Iterator[tuple[Symbol, int, int]]:
        """Each index of an axis inside the block with its unit and bound, the last name fastest (4.1)."""
        level = self.model.levels[axis]
        shape = axis_extents(self.model, axis)
        if any(extent is None for extent in shape):
            raise LoweringError(
                "a bound here is not known at the launch: use a size of a parameter, or a number", axis.span
            )
        extents = static(self.c, tuple(extent for extent in shape if extent is not None), axis.span)
        unit = UNIT_THREADS[level]
        for name, extent in zip(reversed(axis.names), reversed(extents), strict=False):
            symbol = self.model.uses.get(name)
            if symbol is not None:
                yield symbol, unit, extent
            unit *= extent

    def _buffers(self) -> tuple[list[ir.Shared], list[Tensor]]:
        shared: list[ir.Shared] = []
        local: list[Tensor] = []
        for symbol in self.model.symbols:
            if symbol.kind is not SymbolKind.BUFFER or symbol.decl not in self.inside:
                continue
            if not isinstance(symbol.type, Data):
                continue
            shape = tuple(Lit(extent) for extent in static(self.c, symbol.type.shape, symbol.name_span))
            slots = prod(symbol.type.array)
            if symbol.type.storage is Storage.SHARED:
                tensor = self._tensor(symbol, symbol.type.elem, shape, Space.SHARED, slots)
                shared.append(ir.Shared(tensor, tensor.slot_bytes, symbol.name_span, self.swizzles.get(symbol, 0)))
            else:
                local.append(self._tensor(symbol, symbol.type.elem, shape, Space.LOCAL, slots))
        return shared, local

    def _handles(self, shared: list[ir.Shared]) -> Iterator[tuple[str, str, int]]:
        """Futures whose copies go to memory that the compiler allocates: handles that rotate share a tensor."""
        for group in self._rotating():
            copies = [node for node in self.nodes if isinstance(node, ast.Copy) and self._names(node, group)]
            if not copies:
                continue
            data = self.model.copies[copies[0]].dest.data
            shape = tuple(Lit(extent) for extent in static(self.c, data.shape, copies[0].span))
            space = Space.SHARED if data.storage is Storage.SHARED else Space.LOCAL
            name = self.c.names.fresh(f"{group[0].name}_data")
            elem = printable(canonical(data.elem), copies[0].span)
            tensor = Tensor(name, elem, shape, space, len(group))
            swizzle = max(self.swizzles.get(self.model.copies[copy].dest.base, 0) for copy in copies)
            shared.append(ir.Shared(tensor, tensor.slot_bytes, copies[0].span, swizzle))
            for slot, symbol in enumerate(group):
                self.c.handles[symbol] = self.c.name_of(symbol), tensor
                yield self.c.name_of(symbol), name, slot

    def _names(self, node: ast.Copy, group: list[Symbol]) -> bool:
        target = None if node.target is None else self.model.uses.get(node.target)
        return isinstance(node.dest, ast.StorageDest) and target in group

    def _rotating(self) -> list[list[Symbol]]:
        futures = [s for s in self.model.symbols if isinstance(s.type, Future) and s.decl in self.inside]
        groups = {symbol: [symbol] for symbol in futures if not self._is_multiply(symbol)}
        for node in self.nodes:
            if not isinstance(node, ast.Rotate):
                continue
            first, *rest = (self.c.symbol(name) for name in node.names)
            if any(symbol not in groups for symbol in (first, *rest)):
                raise LoweringError(
                    f"'{node.word}' takes futures of copies: name those of 'f = dma.copy … => shared;'", node.span
                )
            for other in rest:
                if groups[other] is not groups[first]:
                    groups[first].extend(groups[other])
                    for symbol in groups[other]:
                        groups[symbol] = groups[first]
        unique = {id(group): group for group in groups.values()}
        return [sorted(group, key=futures.index) for group in unique.values()]

    def _is_multiply(self, symbol: Symbol) -> bool:
        return isinstance(symbol.type, Future) and symbol.type.multiply

    def _events(self) -> Iterator[ir.Event]:
        counts = arrival_counts(self.model, self.paths)
        for symbol in self.model.symbols:
            if not isinstance(symbol.type, Event) or symbol.decl not in self.inside:
                continue
            if symbol.decl in self.looped:
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
        if joins_on_exit(self.model, node):
            body.append(ir.Sync(node.span, self._joining(node)))
        return body

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
        saved = c.unit, self.entered
        chain = self.chains[node]
        mask = self.masks.of_regions(chain)
        if mask is None:
            raise LoweringError(
                "the threads of this region are not known when compiling: compare indices with numbers", node.span
            )
        c.unit, threads = _unit_of(members(mask), node)
        self.entered = threads
        paths = [path for path in self.paths if enters(path, node)]
        groups = tuple(sorted({thread // THREADS[Unit.GROUP4] for thread in members(mask)}))
        cond, body = c.expr(node.cond), c.body(node.body)
        found: Built = [ir.Role(node.span, _title(paths), cond, body, c.unit, threads, groups)]
        c.unit, self.entered = saved
        if not node.is_async and len(chain) == 1:
            found.append(ir.Sync(node.span, Unit.BLOCK))
        return found


def _title(paths: list[Path]) -> str:
    return ", ".join(path.name for path in paths)


def _unit_of(threads: tuple[int, ...], node: ast.InThreads) -> tuple[Unit, int]:
    """Who runs a region, from the threads that enter it: whole warpgroups, whole warps, or single threads."""
    for unit in (Unit.GROUP4, Unit.GROUP):
        groups = {thread // THREADS[unit] for thread in threads}
        if threads and len(threads) == len(groups) * THREADS[unit]:
            return unit, THREADS[unit]
    per_group = Counter(thread // THREADS[Unit.GROUP4] for thread in threads)
    if set(per_group.values()) == {1}:
        return Unit.THREAD, 1
    together = next((stmt for stmt in walk(node.body) if isinstance(stmt, _TOGETHER)), None)
    if together is not None:
        raise LoweringError(
            "only whole warps, or one thread, do this together: let all of a warp enter, or one", together.span
        )
    return Unit.THREAD, len(threads)
