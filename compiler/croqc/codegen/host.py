"""The host side of a program as C++: entry checks, tensor maps, launches (reference, 3.9, 5.5). Must not decide.

It stands behind the device code in the same file, hidden from NVRTC; `nvcc FILE` takes both, without further libraries:
the driver's `cuTensorMapEncodeTiled` is asked for at run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croqc.codegen.copies import map_name
from croqc.codegen.driver import PROMOTION, format_word, swizzle_word
from croqc.codegen.kernel import grid_of
from croqc.codegen.program import Program
from croqc.codegen.words import spell, type_word
from croqc.codegen.writer import Line
from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Held, Read, integer
from croqc.pipe.wide import is_small, widened
from croqc.sema.memory import STATIC_LIMIT

_MOST = 2**31 - 1  # blocks of a grid, and what a coordinate counts to
_PRELUDE = """\
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace croq_host {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}
"""
_TENSOR_MAP = """\

// A tensor map for boxes of a row-major tensor; extents and box innermost first (CUDA driver API, tensor maps).
template <int Rank>
TensorMap tensor_map(const void* data, CUtensorMapDataType type, int size, const cuuint64_t (&extents)[Rank],
                     const cuuint32_t (&box)[Rank], CUtensorMapSwizzle swizzle) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
  require(found == cudaDriverEntryPointSuccess, "this driver has no tensor maps");
  require(reinterpret_cast<cuuint64_t>(data) % 16 == 0, "TMA needs tensors that begin at a multiple of 16 bytes");
  cuuint64_t strides[Rank];
  cuuint32_t steps[Rank];
  cuuint64_t stride = size;
  for (int dim = 0; dim < Rank; ++dim) {
    stride *= extents[dim];
    strides[dim] = stride;
    steps[dim] = 1;
  }
  CUtensorMap made;
  const CUresult status = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
      &made, type, Rank, const_cast<void*>(data), extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
      PROMOTION_WORD, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  require(status == CUDA_SUCCESS, "the driver refuses this tensor map");
  TensorMap map;
  static_assert(sizeof map == sizeof made, "a tensor map is 128 bytes");
  std::memcpy(&map, &made, sizeof map);
  return map;
}
"""


def host_lines(programs: Sequence[Program]) -> list[Line]:
    """The host part of a file: one function a program, called as the program's function with `_on_gpu` behind."""
    lines = ["", "#if !defined(__CUDACC_RTC__)", *_PRELUDE.splitlines()]
    if any(kernel.maps for program in programs for kernel in program.kernels):
        lines += _TENSOR_MAP.replace("PROMOTION_WORD", PROMOTION).splitlines()
    lines += ["", "}  // namespace croq_host"]
    for program in programs:
        lines += ["", *_function(program)]
    lines += ["", "#endif"]
    return [Line(text) for text in lines]


def _function(program: Program) -> Iterator[str]:
    """The host function: arrays in the card's memory, in the order of the program, then scalars, then a stream."""
    scalars = _scalars(program)
    taken = {array.name for array in program.arrays} | {name for name, _ in scalars}
    stream = "stream" if "stream" not in taken else "stream_"
    params = [f"{type_word(array.elem)}* {_local(program, array.name)}" for array in program.arrays]
    params += [f"{type_word(elem)} {name}" for name, elem in scalars]
    params.append(f"cudaStream_t {stream} = nullptr")
    name = f"{program.function}_on_gpu"
    if program.result is not None:
        yield f"// The result is in `{_local(program, program.result)}`."
    yield f"void {name}("
    yield from (f"    {text}," for text in params[:-1])
    yield f"    {params[-1]}) {{"
    yield "  using namespace croq_host;"
    yield from (f"  {line}" for line in _checks(program))
    yield from (f"  {line}" for line in _zeroed(program, stream))
    for kernel in program.kernels:
        yield from (f"  {line}" for line in _launch(kernel, stream))
    yield "}"


def _local(program: Program, source: str) -> str:
    """What the kernels call an array of the source."""
    for kernel in program.kernels:
        for tensor, name in zip(kernel.tensors, kernel.sources, strict=True):
            if name == source:
                return tensor.name
    return f"{source}_"


def _scalars(program: Program) -> list[tuple[str, str]]:
    return list(dict.fromkeys(scalar for kernel in program.kernels for scalar in kernel.scalars))


# --- entry checks ------------------------------------------------------------------------------


def _checks(program: Program) -> Iterator[str]:
    """Every extent of an array and every bound of a grid is at least 1; what the lowering assumed holds."""
    told: dict[str, str] = {}
    for kernel in program.kernels:
        for tensor in kernel.tensors:
            for extent in tensor.shape:
                if integer(extent) is None:
                    told[f"{_spell(extent, 9)} > 0"] = f"{_named(extent)} must be at least 1"
        for extent in kernel.grid:
            if integer(extent) is None:
                told[f"{_spell(extent, 9)} > 0"] = f"a launch needs blocks: {_named(extent)} is 0 or less"
        for name, value in kernel.fixed:
            told[f"{name} == {value}"] = f"this code was made for {name} = {value}"
        for name, divisor in kernel.assumed:
            told[f"{name} % {divisor} == 0"] = f"{name} must be a multiple of {divisor}"
        for extent in kernel.grid[1:3]:
            if integer(extent) is None:
                told[f"{_spell(extent, 9)} <= 65535"] = f"a grid has at most 65535 blocks there: {_named(extent)}"
        told |= dict(_counted(kernel))
    for cond, text in told.items():
        yield f'require({cond}, "{text}");'


def _counted(kernel: ir.Kernel) -> Iterator[tuple[str, str]]:
    """Blocks and coordinates have 32 bits: extents that products of sizes may take beyond."""
    if kernel.grid and not is_small(kernel.grid[0]):
        yield f"{_spell(kernel.grid[0], 9)} <= {_MOST}", f"a grid has up to {_MOST} blocks: {_named(kernel.grid[0])}"
    for extent in (extent for item in kernel.maps for extent in item.tensor.shape):
        if not is_small(extent):
            yield f"{_spell(extent, 9)} <= {_MOST}", f"TMA counts up to {_MOST}: {_named(extent)} is more"


def _zeroed(program: Program, stream: str) -> Iterator[str]:
    """Buffers of the host code start as zeros (reference, 3.6)."""
    shapes = {
        name: tensor for kernel in program.kernels for tensor, name in zip(kernel.tensors, kernel.sources, strict=True)
    }
    for array in program.arrays:
        if array.zeroed and array.name in shapes:
            tensor = shapes[array.name]
            size = " * ".join(["sizeof *" + tensor.name, *(_spell(extent, 12) for extent in tensor.shape)])
            yield f"check(cudaMemsetAsync({tensor.name}, 0, {size}, {stream}));"


# --- launches ----------------------------------------------------------------------------------


def _launch(kernel: ir.Kernel, stream: str) -> Iterator[str]:
    maps = [map_name(kernel, number) for number in range(len(kernel.maps))]
    several = [_spell(extent) for extent in grid_of(kernel)]
    yield "{"
    for number, item in enumerate(kernel.maps):
        yield f"  const TensorMap {maps[number]} = {_map(item)};"
    if kernel.shared_bytes > STATIC_LIMIT:
        limit = "cudaFuncAttributeMaxDynamicSharedMemorySize"
        yield f"  check(cudaFuncSetAttribute({kernel.name}, {limit}, {kernel.shared_bytes}));"
    args = [*maps, *(tensor.name for tensor in kernel.tensors), *(name for name, _ in kernel.scalars)]
    shape = f"dim3({', '.join(several)}), {kernel.threads}, {kernel.shared_bytes}, {stream}"
    yield f"  {kernel.name}<<<{shape}>>>({', '.join(args)});"
    yield "  check(cudaGetLastError());"
    yield "}"


def _map(item: ir.TensorMap) -> str:
    tensor = item.tensor
    extents = ", ".join(f"cuuint64_t({_spell(extent)})" for extent in reversed(tensor.shape))
    box = ", ".join(str(extent) for extent in item.box)
    kind, swizzle = format_word(tensor.elem), swizzle_word(item.swizzle)
    size = tensor.elem_bytes
    return f"tensor_map({tensor.name}, {kind}, {size}, {{{extents}}}, {{{box}}}, {swizzle})"


def _named(expr: Expr) -> str:
    """An expression as messages show it."""
    return spell(expr, _no_element)


def _no_element(_: Read | Held) -> str:
    raise AssertionError("the host reads no elements")


def _spell(expr: Expr, binding: int = 0) -> str:
    """An expression as the host computes it: in 64 bits what sizes may make too large for 32."""
    return spell(widened(expr), _no_element, binding)
