"""The host side of a program as C++: entry checks, tensor maps, launches (reference, 3.9, 5.5). Must not decide.

It stands behind the device code in the same file, hidden from NVRTC; `nvcc FILE` takes both, without further libraries:
the driver's `cuTensorMapEncodeTiled` is asked for at run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croqc.codegen.driver import PROMOTION
from croqc.codegen.host_body import HostBody, checked_at_entry, needs
from croqc.codegen.program import Program
from croqc.codegen.unit import Unit, moved
from croqc.codegen.words import type_word
from croqc.codegen.writer import Line, Writer
from croqc.pipe import ir_host
from croqc.pipe.walk import statements

_PRELUDE = """\
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
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
_LAUNCH = """\

// A launch of a kernel that itself waits for what stands in front of it on the stream: it may begin while that ends
// (CUDA C++ programming guide, programmatic dependent launch).
template <typename... Params, typename... Args>
void launch_overlapping(void (*kernel)(Params...), dim3 blocks, int threads, size_t shared, cudaStream_t stream,
                        Args... args) {
  cudaLaunchAttribute overlaps = {};
  overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlaps.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &overlaps;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, args...));
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


def before_device_code(unit: Unit) -> list[Line]:
    """What must stand in front of the device code of a file with a host part: NVRTC knows `printf` by itself, nvcc does
    not."""
    if not any("printf(" in line.text for line in unit.lines):
        return []
    return [Line(text) for text in ("#if !defined(__CUDACC_RTC__)", "#include <cstdio>", "#endif", "")]


def host_lines(programs: Sequence[Program], bases: Sequence[int] = ()) -> list[Line]:
    """The host part of a file: one function a program. `bases`: where each program's function begins in the file, for
    places that count from the file's start."""
    lines = ["", "#if !defined(__CUDACC_RTC__)", *_PRELUDE.splitlines()]
    if any(kernel.dependent for program in programs for kernel in program.kernels):
        lines += _LAUNCH.splitlines()
    if any(kernel.maps for program in programs for kernel in program.kernels):
        lines += _TENSOR_MAP.replace("PROMOTION_WORD", PROMOTION).splitlines()
    lines += ["", "}  // namespace croq_host"]
    found = [Line(text) for text in lines]
    for program, base in zip(programs, bases or (0,) * len(programs), strict=True):
        writer = Writer()
        _function(writer, program)
        found += [Line(""), *(moved(line, base) for line in writer.lines)]
    return [*found, Line(""), Line("#endif")]


def _function(w: Writer, program: Program) -> None:
    """The host function: arrays in the card's memory, in the order of the program, then scalars, then streams. One
    without streams takes the one that all of it runs on."""
    host = program.host
    arrays = dict(host.arrays)
    taken = {*arrays.values(), *(name for name, _, _ in host.scalars), *(kernel.name for kernel in program.kernels)}
    stream = "stream"
    while stream in taken:
        stream += "_"
    params = [f"{type_word(array.elem)}* {arrays[array.name]}" for array in program.arrays]
    params += [f"{type_word(elem)} {name}" for name, _, elem in host.scalars]
    params += [f"cudaStream_t {name}" for name in host.streams] or [f"cudaStream_t {stream} = nullptr"]
    result, note = _result(program, arrays)
    if note:
        w.line(note)
    w.line(f"{result} {program.host_name}(")
    for text in params[:-1]:
        w.line(f"    {text},")
    w.line(f"    {params[-1]}) {{")
    with w.indented():
        w.line("using namespace croq_host;")
        for line in _checks(program):
            w.line(line)
        HostBody(w, program, arrays, stream, result != "void").body(host.body)
    w.line("}")


def _result(program: Program, arrays: dict[str, str]) -> tuple[str, str]:
    """The type that the host function returns, and where its result is, if it returns none."""
    ends = [stmt for stmt in statements(program.host.body) if isinstance(stmt, ir_host.Finish)]
    value = next((stmt.value for stmt in ends if stmt.value is not None), None)
    if value is not None:
        return type_word(value.elem), ""
    names = dict.fromkeys(stmt.array for stmt in ends if stmt.array)
    if len(names) == 1:
        return "void", f"// The result is in `{arrays[next(iter(names))]}`."
    if names:
        first = next(array for array in program.arrays if array.name in names)
        return f"{type_word(first.elem)}*", "// Returns the array that the result is in."
    return "void", ""


def _checks(program: Program) -> Iterator[str]:
    """What kernels need whatever happens: those that are launched unconditionally, with values of the entry alone."""
    told: dict[str, str] = {}
    for kernel in checked_at_entry(program):
        told = {**told, **needs(kernel), **told}
    for cond, text in told.items():
        yield f'require({cond}, "{text}");'
