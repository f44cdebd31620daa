"""One kernel as a C++ function: parameters, shared memory, barriers, body. Must not decide anything."""

from __future__ import annotations

from math import prod

from croqc.codegen.copies import blocks_of, map_name
from croqc.codegen.report import Sites, counter, report_name
from croqc.codegen.statements import Statements
from croqc.codegen.units import number_of
from croqc.codegen.words import UnsupportedTypeError, type_word
from croqc.codegen.writer import Line, Writer
from croqc.pipe import ir
from croqc.pipe.alive import overlapping
from croqc.pipe.exprs import Expr, Lit, multiply
from croqc.pipe.ir_declared import SWIZZLED
from croqc.pipe.walk import statements
from croqc.sema.model import Unit
from croqc.text.record import record

_GRID = ("blockIdx.x", "blockIdx.y", "blockIdx.z")


@record
class KernelText:
    """`functions`: helper functions by name; `headers`: the PTX headers used, without their suffix."""

    lines: tuple[Line, ...]
    functions: tuple[tuple[str, tuple[str, ...]], ...]
    headers: frozenset[str]


def kernel_text(kernel: ir.Kernel, sites: Sites | None = None, delays: bool = False) -> KernelText:
    """`sites` collects the waits of a kernel that reports where they stand; `delays`: it dawdles.

    Raises UnsupportedTypeError for an element type that is not generated.
    """
    printer = _Kernel(kernel, sites, delays)
    try:
        printer.print()
    except UnsupportedTypeError as error:
        raise UnsupportedTypeError(error.message, printer.w.place) from error
    functions = tuple((name, tuple(lines)) for name, lines in printer.statements.multiplies.functions.items())
    return KernelText(tuple(printer.w.lines), functions, frozenset(printer.statements.headers))


class _Kernel:
    def __init__(self, kernel: ir.Kernel, sites: Sites | None, delays: bool) -> None:
        self.kernel, self.sites = kernel, sites
        self.w = Writer()
        self.statements = Statements(self.w, kernel, sites, delays)
        self.over = _over(kernel)
        copies = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy)]
        self.vectors = {side.tensor.name for copy in copies if copy.vector for side in (copy.source, copy.dest)}
        if kernel.events:
            self.statements.headers.add("mbarrier")
        if sites is not None:
            sites.begin()
            self.statements.headers |= {"clock", "mbarrier", "report"}
        if delays:
            self.statements.headers.add("delay")

    def print(self) -> None:
        kernel = self.kernel
        with self.w.at(kernel.span):
            for name, value in kernel.fixed:
                self.w.line(f"// Made for {name} == {value}; the host checks it.")
            for name, divisor in kernel.assumed:
                self.w.line(f"// Made for {name} % {divisor} == 0; the host checks it.")
            dims = f"__cluster_dims__({blocks_of(kernel)}, 1, 1) " if kernel.cluster else ""
            self.w.line(f'extern "C" __global__ void {dims}{self._bounds()}')
            params = ",\n".join(" " * (len(kernel.name) + 1) + text for text in self._parameters())
            head = f"{kernel.name}({params.lstrip()})"
            first, *rest = head.split("\n")
            self.w.line(first)
            for line in rest[:-1]:
                self.w.line(line)
            if rest:
                self.w.lines.append(Line(rest[-1] + " {", kernel.span))
            else:
                self.w.lines[-1] = Line(first + " {", kernel.span)
            with self.w.indented():
                self._prologue()
                waits = int(kernel.dependent)  # probes write to global memory, behind the wait
                self.statements.body(kernel.body[:waits])
                self._on_demand()
                self.statements.body(kernel.body[waits:])
                if self.statements.over_blocks:
                    self.w.line("cluster_sync();  // other blocks may still arrive here")
                if self.statements.probes is not None:
                    self.w.line(self.statements.probes.end())
                if kernel.tensor_memory is not None:
                    self._free(kernel.tensor_memory)
            self.w.line("}")

    def _bounds(self) -> str:
        """CUDA takes one of both (C++ programming guide, launch bounds)."""
        kernel, bounds = self.kernel, self.kernel.bounds
        if bounds.registers:
            return f"__maxnreg__({bounds.registers})"
        # One block a multiprocessor will do: left alone, the assembler spills what comes from tensor memory.
        blocks = bounds.blocks or int(kernel.tensor_memory is not None)
        given = [kernel.threads, blocks, 0 if kernel.cluster else bounds.cluster]
        while not given[-1]:
            given.pop()
        return f"__launch_bounds__({', '.join(map(str, given))})"

    def _parameters(self) -> list[str]:
        kernel = self.kernel
        maps = [f"const __grid_constant__ TensorMap {map_name(kernel, number)}" for number in range(len(kernel.maps))]
        elems = {tensor.name: type_word(tensor.elem) for tensor in kernel.tensors}
        tensors = [
            f"{elems[pointer.name]}* {'__restrict__ ' if pointer.restricted else ''}{pointer.name}"
            for pointer in kernel.pointers
        ]
        scalars = [f"{type_word(elem)} {name}" for name, elem in kernel.scalars]
        report = [] if self.sites is None else [f"const __grid_constant__ WaitReport {report_name(kernel)}"]
        probes = [] if self.statements.probes is None else [self.statements.probes.parameter]
        delays = [self.statements.delays.parameter] if self.statements.delays.wanted else []
        return [*maps, *tensors, *scalars, *report, *probes, *delays]

    # --- prologue ---------------------------------------------------------------------------------

    def _prologue(self) -> None:
        """What comes before the launches in front are waited for: it must touch no global memory."""
        kernel = self.kernel
        if kernel.shared_bytes:
            self.w.line(f"extern __shared__ __align__({SWIZZLED}) u8 smem[];  // {kernel.shared_bytes} bytes")
        for item in kernel.shared:
            self._tensor(item)
        at = kernel.barriers_at
        for event in kernel.events:
            self.w.line(f"u64* const {event.name} = reinterpret_cast<u64*>(smem + {at});{_slots_note(event)}")
            at += 8 * event.slots
        for tensor in kernel.locals:
            align = "alignas(16) " if tensor.name in self.vectors else ""
            self.w.line(f"{align}{type_word(tensor.elem)} {tensor.name}[{prod(tensor.extents) * tensor.slots}];")
        self._block_indices()
        for index in kernel.indices:
            self.w.line(f"const int {index.name} = {self._index(index)};")
        for name, _, slot in kernel.handles:
            self.w.line(f"int {name} = {slot};")
        for number in range(len(kernel.maps)):  # the first transfer need not wait for its descriptor
            self.w.line(f"if (threadIdx.x == 0) tma_prefetch({map_name(kernel, number)});")
        if kernel.events:
            self._barriers()
        if kernel.tensor_memory is not None:
            self._allocate(kernel.tensor_memory)
        self._phases()
        self.w.line()

    def _block_indices(self) -> None:
        """The blocks of a cluster are neighbours in x."""
        blocks = blocks_of(self.kernel)
        for name, place in zip(self.kernel.grid_names, _GRID, strict=False):
            first = place == _GRID[0] and self.kernel.cluster
            if not name:
                continue
            self.w.line(f"const int {name} = {place}{f' / {blocks}' if first else ''};")
        inner = 1
        for name, extent in reversed(self.kernel.cluster):
            if name:
                self.w.line(f"const int {name} = blockIdx.x{f' / {inner}' if inner > 1 else ''} % {extent};")
            inner *= extent

    def _on_demand(self) -> None:
        """What starts the delays and the probes of a kernel that has some."""
        if self.statements.delays.wanted:
            self.w.line(self.statements.delays.start())
        if self.statements.probes is not None:
            for line in self.statements.probes.start():
                self.w.line(line)

    def _phases(self) -> None:
        kernel = self.kernel
        for name, event_name in kernel.phases:
            wide = any(event.name == event_name and event.slots > 32 for event in kernel.events)
            self.w.line(f"{'u64' if wide else 'u32'} {name} = 0;  // one bit a slot: the parity of the next wait")
        if self.sites is not None:
            for event in kernel.events:
                self.w.line(
                    f"u32 {counter(kernel, event)}[{event.slots}] = {{}};  // waits of this path that have passed"
                )

    def _tensor(self, item: ir.Shared) -> None:
        tensor = item.tensor
        slots = f"{tensor.slots} x " if tensor.slots > 1 else ""
        shape = " x ".join(str(extent) for extent in tensor.extents)
        swizzle = f", {item.swizzle}-byte swizzle" if item.swizzle else ""
        if tensor.slots > 1 and item.slot_stride != item.bytes:
            swizzle += f", {item.slot_stride} bytes a slot"
        swizzle += self.over.get(tensor.name, "")
        kind = type_word(tensor.elem)
        place = f"reinterpret_cast<{kind}*>(smem + {item.offset})"
        self.w.line(f"{kind}* const {tensor.name} = {place};  // {slots}{shape}{swizzle}")

    def _index(self, index: ir.Index) -> str:
        text = "threadIdx.x" if index.unit == 1 else f"threadIdx.x / {index.unit}"
        if index.unit * index.bound < self.kernel.threads:
            text += f" % {index.bound}"
        # The same in all threads of each warp, which are 32: say so, for branches over it.
        if index.unit % 32 == 0 and self.kernel.threads % 32 == 0:
            return f"__shfl_sync(0xffffffff, {text}, 0)"
        return text

    def _barriers(self) -> None:
        with self.w.block("if (threadIdx.x == 0)"):
            for event in self.kernel.events:
                self._initialise(event)
            self.w.line("fence_mbarrier_init();")
            for event in self.kernel.events:
                if event.ready:
                    self._per_slot(event, "mbarrier_arrive_many")
        self.w.line("cluster_sync();" if self.statements.over_blocks else "__syncthreads();")

    def _allocate(self, memory: ir.TensorMemory) -> None:
        """Asked for by the first warp; every thread learns where it lies (PTX ISA, tcgen05.alloc)."""
        self.w.line(f"u32* const tensor_memory_at = reinterpret_cast<u32*>(smem + {memory.address_at});")
        self.w.line(f"if ({number_of(Unit.GROUP)} == 0) tensor_memory_alloc<{memory.columns}>(tensor_memory_at);")
        for line in ("tcgen05_fence_before();", "__syncthreads();", "tcgen05_fence_after();"):
            self.w.line(line)
        self.w.line("const u32 tensor_memory = *tensor_memory_at;")

    def _free(self, memory: ir.TensorMemory) -> None:
        """Given back by the same warp when the whole block is done with it."""
        self.w.line("__syncthreads();")
        self.w.line(f"if ({number_of(Unit.GROUP)} == 0) tensor_memory_free<{memory.columns}>(tensor_memory);")

    def _initialise(self, event: ir.Event) -> None:
        self._per_slot(event, "mbarrier_init")

    def _per_slot(self, event: ir.Event, function: str) -> None:
        """A call for each slot, as a loop where all counts are one."""
        if event.slots > 1 and len(set(event.arrivals)) == 1:
            s = self.statements.places.own("s")
            call = f"{function}({event.name} + {s}, {event.arrivals[0]})"
            self.w.line(f"for (int {s} = 0; {s} < {event.slots}; ++{s}) {call};")
            return
        for slot, count in enumerate(event.arrivals):
            at = f" + {slot}" if slot else ""
            self.w.line(f"{function}({event.name}{at}, {count});")


def _over(kernel: ir.Kernel) -> dict[str, str]:
    """What is said at each shared tensor of those declared in front of it whose bytes it shares."""
    found: dict[str, list[str]] = {}
    for one, other in overlapping(kernel):
        found.setdefault(other.tensor.name, []).append(one.tensor.name)
    return {name: f", where {' and '.join(others)} lay" for name, others in found.items()}


def _slots_note(event: ir.Event) -> str:
    counts = sorted(set(event.arrivals))
    arrivals = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    ready = ", the first complete at start" if event.ready else ""
    slots = f"{event.slots} slots" if event.slots > 1 else "1 slot"
    return f"  // {slots}, {arrivals} arrival{'' if arrivals == '1' else 's'} a generation{ready}"


def grid_of(kernel: ir.Kernel) -> tuple[Expr, ...]:
    """The extents of the grid, always three."""
    x, *rest = kernel.grid or (Lit(1),)
    blocks = blocks_of(kernel)
    return (multiply(x, Lit(blocks)) if blocks > 1 else x, *rest, *(Lit(1),) * (2 - len(rest)))
