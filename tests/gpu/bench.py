"""What compiled kernels reach on a card, in one run with what they are compared to (`make bench-gpu`). No verdict.

GEMMs against cuBLAS as PyTorch launches it, in turn with it, medians of nine rounds; memory-bound kernels against the
card's own copy of as many bytes. Launches follow each other back to back. Ours are programmatic dependents: each begins
while the one in front of it ends; "plain" is the ratio without that. `--reference FILE`: a module with `source(…)` of a
hand-made kernel, timed beside the course's. Needs a card, CuPy and PyTorch; writes the tables as Markdown.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import cupy
import numpy as np
import torch

from croqc.codegen.program import Program, program_of
from croqc.engines.gpu.compile import compiled
from croqc.engines.gpu.job import launches_of
from croqc.engines.gpu.launching import Start, arguments_of, loaded, tensor_map
from croqc.engines.gpu.lock import CardLock, lock_path
from croqc.engines.gpu.parent import Parent, child_command
from croqc.engines.gpu.protocol import Argument
from croqc.pipe.lower import lowered_kernels
from croqc.service.check import check_file
from croqc.targets.sm_90a import TARGET
from tests.gpu.parts.click import click

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SQUARES = ((2048,) * 3, (4096,) * 3, (8192,) * 3, (16384,) * 3, (8192, 8192, 512))
ROUNDS = 9
GEMM_HEAD = (
    "kernel, launches overlap", "M x N x K", "TFLOP/s", "cuBLAS of PyTorch", "ratio", "plain", "error", "NVRTC s",
)  # fmt: skip
STREAM_HEAD = ("kernel, 16384 x 16384 f32", "TB/s", "copy TB/s", "share of copy", "error")
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f8_e4m3": torch.float8_e4m3fn, "f32": torch.float32}


class Kernel:
    """A compiled kernel of one launch, bound to arrays of the card. Called, it is launched as a run does it; by
    `plain`, so that it begins when what is in front of it has ended."""

    def __init__(self, program: Program, arrays: Mapping[str, Any], folder: Path) -> None:
        made = compiled(program.unit.text, "sm_90a")
        self.seconds = made.seconds
        (launch,) = launches_of(program)
        function = loaded(made.cubin, folder).get_function(launch.kernel)
        arguments = arguments_of(launch, {name: array.data_ptr() for name, array in arrays.items()})
        stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
        self.start = Start(function, launch, arguments, stream)
        self.plain = Start(function, replace(launch, dependent=False), arguments, stream)

    def __call__(self) -> None:
        self.start()


def program(name: str, sizes: Mapping[str, int]) -> Program:
    (function,) = check_file(EXAMPLES / f"{name}.co").functions
    assert function.analysis is not None
    model = function.analysis.model
    return program_of(model, lowered_kernels(model, TARGET, sizes), sizes, name)


def seconds(call: Callable[[], Any], count: int) -> float:
    """Seconds a launch, `count` of them back to back between two events."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(count):
        call()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) / count / 1000


def in_turn(ours: Callable[[], Any], theirs: Callable[[], Any], count: int) -> tuple[float, float, float]:
    """Medians of both, and the median of the ratios theirs / ours: above 1, ours is faster."""
    for call in (ours, theirs):
        seconds(call, 2)
    pairs = [(seconds(ours, count), seconds(theirs, count)) for _ in range(ROUNDS)]
    return (
        median([mine for mine, _ in pairs]),
        median([other for _, other in pairs]),
        median([other / mine for mine, other in pairs]),
    )


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


# --- GEMMs -------------------------------------------------------------------------------------


def gemm(name: str, elem: str, sizes: tuple[int, int, int], folder: Path) -> tuple[str, ...]:
    """One row: kernel, sizes, TFLOP/s of ours and of cuBLAS, their ratio, that of plain launches, the error against
    cuBLAS, NVRTC's seconds."""
    m, n, k = sizes
    left, right = (torch.randn(rows, k, device="cuda").to(TYPES[elem]) for rows in (m, n))
    out = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16 if elem != "f16" else torch.float16)
    theirs = _cublas(left, right, out.dtype)
    kernel = Kernel(program(name, {"M": m, "N": n, "K": k}), {"lhs": left, "rhs": right, "output": out}, folder)
    kernel()
    want = theirs()
    torch.cuda.synchronize()
    error = float((out.float() - want.float()).abs().max() / want.float().abs().max())
    work = 2.0 * m * n * k
    count = min(max(1, int(5e12 / work)), 40)
    mine, other, ratio = in_turn(kernel, theirs, count)
    _, _, plain = in_turn(kernel.plain, theirs, count)
    size = f"{m}³" if m == n == k else f"{m}x{n}x{k}"
    rates = (f"{work / mine / 1e12:.0f}", f"{work / other / 1e12:.0f}")
    return name, size, *rates, f"{ratio:.3f}", f"{plain:.3f}", f"{error:.1e}", f"{kernel.seconds:.2f}"


def _cublas(left: Any, right: Any, kind: Any) -> Callable[[], Any]:
    if left.dtype is torch.float8_e4m3fn:
        one = torch.tensor(1.0, device="cuda")
        return lambda: torch._scaled_mm(left, right.T, one, one, out_dtype=kind)
    into = torch.empty(left.shape[0], right.shape[0], device="cuda", dtype=kind)
    return lambda: torch.matmul(left, right.T, out=into)


def reference_kernel(path: Path, sizes: tuple[int, int, int], folder: Path) -> Callable[[], None]:
    """The 64 x 64 kernel with one consumer of a module with `source(…)`, its arguments made here."""
    spec = importlib.util.spec_from_file_location("reference", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    m, n, k = sizes
    code = module.source(64, 64, 64, 4, 1, 8, 64, 1, 1)
    function = cupy.RawModule(code=code, options=("-arch=sm_90a", "-std=c++17"), backend="nvrtc").get_function("gemm")
    shared = 4 * (64 + 64) * 64 * 2 + 64 * 64 * 2 + 1024
    function.max_dynamic_shared_size_bytes = shared
    arrays = [
        torch.randn(rows, columns, device="cuda", dtype=torch.float16) for rows, columns in ((m, k), (n, k), (m, n))
    ]
    maps = tuple(_square_map(array, 64) for array in arrays)
    arguments = (*maps, *(np.int32(value) for value in sizes))
    stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
    return lambda: function((132,), (256,), arguments, shared_mem=shared, stream=stream)


def _square_map(array: Any, edge: int) -> Any:
    rows, columns = array.shape
    return tensor_map(
        array.data_ptr(), Argument("map", "", 0, "f16", (columns, rows), (columns * 2,), (edge, edge), 128)
    )


def course(reference: Path | None, folder: Path) -> list[tuple[str, ...]]:
    sizes = (4096,) * 3
    rows = [gemm("pipeline_course", "f16", sizes, folder)]
    if reference is not None:
        theirs = reference_kernel(reference, sizes, folder)
        left, right, out = (torch.randn(4096, 4096, device="cuda", dtype=torch.float16) for _ in range(3))
        arrays = {"lhs": left, "rhs": right, "output": out}
        ours = Kernel(program("pipeline_course", dict.fromkeys("MNK", 4096)), arrays, folder)
        mine, other, ratio = in_turn(ours, theirs, 20)
        _, _, plain = in_turn(ours.plain, theirs, 20)
        work = 2.0 * 4096**3
        rates = (f"{work / mine / 1e12:.0f}", f"{work / other / 1e12:.0f}")
        rows.append(
            ("pipeline_course", "4096³, against the 64x64 reference", *rates, f"{ratio:.3f}", f"{plain:.3f}", "", "")
        )
    return rows


# --- memory ------------------------------------------------------------------------------------

STREAMS: dict[str, Callable[..., Any]] = {
    "stream_add": lambda a, b: a + b,
    "row_scale": lambda src, weight: src * weight[:, None],
    "row_sum": lambda src: src.sum(dim=1),
    "transpose_f32": lambda src: src.T,
}


def stream(name: str, folder: Path) -> tuple[str, ...]:
    """One row: kernel, TB/s of all its arrays, share of the card's copy, greatest error."""
    made = program(name, {"M": 16384, "N": 16384})
    arrays = {item.name: torch.randn(item.shape, device="cuda") for item in made.arrays}
    *inputs, last = arrays
    kernel = Kernel(made, arrays, folder)
    kernel()
    error = float((arrays[last] - STREAMS[name](*(arrays[each] for each in inputs))).abs().max())
    source, target = (torch.empty(16384, 16384, device="cuda") for _ in range(2))
    mine, copy, _ = in_turn(kernel, lambda: target.copy_(source), 5)
    moved = sum(array.nbytes for array in arrays.values())
    ceiling = 2 * source.nbytes / copy
    return name, f"{moved / mine / 1e12:.2f}", f"{ceiling / 1e12:.2f}", f"{moved / mine / ceiling:.3f}", f"{error:.1e}"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path, help="a module with a hand-made kernel, outside the product")
    parser.add_argument("--write", type=Path, help="file for the tables")
    options = parser.parse_args()
    with CardLock(lock_path(), "make bench-gpu"), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [gemm("gemm_f16", "f16", sizes, folder) for sizes in SQUARES]
        rows += [gemm("gemm_bf16", "bf16", (8192,) * 3, folder), gemm("gemm_f8", "f8_e4m3", (8192,) * 3, folder)]
        rows += course(options.reference, folder)
        text = table(GEMM_HEAD, rows) + "\n\n"
        text += table(STREAM_HEAD, [stream(each, folder) for each in STREAMS]) + "\n\n"
        with Parent(child_command(folder)) as card:
            found = click(card)
        text += table(
            ("click to verified, warm server, cold kernel cache", "s", "of it NVRTC", "of it the check"),
            [(found["kernel"], *(f"{found['median'][key]:.2f}" for key in ("total", "nvrtc", "check")))],
        )
        text += "\n"
    sys.stdout.write(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
