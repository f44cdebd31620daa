"""What layout, epilogue, memory and arguments promise of shared memory, tensor maps and arrays."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from croqc.pipe import ir
from croqc.pipe.alive import apart, extent, lifetimes, overlapping
from croqc.pipe.ir_declared import SWIZZLED
from croqc.pipe.published import touched
from croqc.pipe.walk import statements
from croqc.pipe.written import written
from croqc.sema.tma_boxes import MOST

_SWIZZLES = (0, 32, 64, 128)  # bytes
_BARRIER = 8


def layout(kernel: ir.Kernel) -> Iterator[str]:
    """Swizzled tensors can be swizzled; every transfer has a map that fits its tensor."""
    for item in kernel.shared:
        name = item.tensor.name
        if item.swizzle not in _SWIZZLES:
            yield f"{name} has a swizzle of {item.swizzle} bytes"
        elif item.swizzle and (item.alignment % SWIZZLED or item.tensor.row_bytes % item.swizzle):
            yield f"{name} cannot be swizzled by {item.swizzle} bytes"
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.TMA:
            yield from _transfers(stmt, kernel.maps)
    for number, made in enumerate(kernel.maps):
        if len(made.box) != len(made.tensor.shape) or not all(1 <= extent <= MOST for extent in made.box):
            yield f"map {number} has a box of {made.box}"


def _transfers(copy: ir.Copy, maps: tuple[ir.TensorMap, ...]) -> Iterator[str]:
    """A copy's boxes have maps of its tensor, and as many elements together as its tile."""
    name = copy.dest.tensor.name
    numbers = [box.map for box in copy.boxes]
    if not numbers or not all(0 <= number < len(maps) for number in numbers):
        yield f"the copy into {name} has no tensor map"
    elif any(maps[number].tensor not in (copy.source.tensor, copy.dest.tensor) for number in numbers):
        yield f"the copy into {name} has another tensor's map"
    elif sum(prod(maps[number].box) for number in numbers) != prod(copy.source.extents or ()):
        yield f"the boxes of the copy into {name} are not its tile"


def epilogue(kernel: ir.Kernel) -> Iterator[str]:
    """stmatrix writes columns that are there, of 16-bit elements, into a swizzled tile."""
    swizzled = {item.tensor.name for item in kernel.shared if item.swizzle}
    for stmt in statements(kernel.body):
        if not isinstance(stmt, ir.StoreTile) or not stmt.by_matrix:
            continue
        name = stmt.dest.tensor.name
        if name not in swizzled or stmt.dest.tensor.elem_bytes != 2 or stmt.transposed:
            yield f"stmatrix cannot write {name}"
        if stmt.columns % 16 or not 0 < stmt.first + stmt.columns <= stmt.acc.n:
            yield f"{stmt.acc.name} has no {stmt.columns} columns from {stmt.first} on for stmatrix"


def memory(kernel: ir.Kernel) -> Iterator[str]:
    """Everything lies in the block's memory, aligned, and nothing lies upon another that is in use at the same time."""
    for item in kernel.shared:
        if item.offset < 0 or item.offset % item.alignment:
            yield f"{item.tensor.name} lies at {item.offset}, its alignment is {item.alignment}"
    alive = lifetimes(kernel)
    for one, other in overlapping(kernel):
        both = [alive.get(item.tensor.name) for item in (one, other)]
        if both[0] is None or both[1] is None or not apart(both[0], both[1]):
            yield f"{one.tensor.name} and {other.tensor.name} share bytes and are in use together"
    end = max((extent(item)[1] for item in kernel.shared), default=0)
    if kernel.events and (kernel.barriers_at < end or kernel.barriers_at % _BARRIER):
        yield f"the barriers lie at {kernel.barriers_at}, tensors end at {end}"
    end = max(end, kernel.barriers_at + _BARRIER * sum(event.slots for event in kernel.events))
    if kernel.tensor_memory is not None:
        at = kernel.tensor_memory.address_at
        if at < end:
            yield f"the address of tensor memory lies at {at}, barriers end at {end}"
        end = at + 4
    if end > kernel.shared_bytes:
        yield f"{end} bytes are used and {kernel.shared_bytes} asked for"


def arguments(kernel: ir.Kernel) -> Iterator[str]:
    """What is restricted is never written, and what threads touch is an argument."""
    changed, taken = written(kernel), {pointer.name for pointer in kernel.pointers}
    for pointer in kernel.pointers:
        if pointer.restricted and pointer.name in changed:
            yield f"'{pointer.name}' is restricted, and the kernel writes it"
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.TMA:
            continue
        for name in sorted({tensor.name for tensor in kernel.tensors if tensor.name in touched(stmt)} - taken):
            yield f"threads touch '{name}', whose address the kernel does not take"
