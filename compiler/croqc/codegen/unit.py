"""A whole translation unit: the headers used, inlined, then the kernels. Self-contained for NVRTC and nvcc -cubin."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from croqc.codegen.foreign import NONE, Foreign
from croqc.codegen.kernel import kernel_text
from croqc.codegen.report import Sites, WaitSite
from croqc.codegen.unused import uses
from croqc.codegen.writer import Line
from croqc.pipe import ir
from croqc.text.record import record
from croqc.text.span import NOWHERE

_ORDER: Final = (
    "stdint",
    "limits",
    "types",
    "floats",
    "cuda_floats",
    "choreo",
    "warpgroup",
    "maths",
    "shared",
    "atomics",
    "clock",
    "griddepcontrol",
    "mbarrier",
    "report",
    "delay",
    "probe",
    "cp_async",
    "tma",
    "cluster",
    "tcgen05",
    "wgmma",
    "fragment",
    "mma_sync",
    "stmatrix",
    "registers",
)


@record
class Unit:
    """`lines` with their places in the source; kernels are `extern "C"` under their names.

    `sites`: the waits of a unit that reports where they stand, by number from 1. None where it does not: only then do
    its kernels take no `WaitReport`. Kernels with probes take `Probes`, after it.
    """

    lines: tuple[Line, ...]
    sites: tuple[WaitSite, ...] | None = None

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines) + "\n"


def unit_of(
    kernels: Sequence[ir.Kernel],
    title: str,
    foreign: Foreign = NONE,
    bases: Sequence[int] = (),
    report: bool = False,
    delays: bool = False,
) -> Unit:
    """`foreign`: device code of the file, passed through in front of the kernels. `bases`: where each kernel's function
    begins in the file, for places that count from the file's start. `report`: waits write where they stand into a
    `WaitReport`, a parameter of each kernel behind those of the source. `delays`: kernels dawdle, by a seed that is the
    last parameter.

    Raises UnsupportedTypeError for an element type that is not generated.
    """
    sites = Sites() if report else None
    texts = [kernel_text(kernel, sites, delays) for kernel in kernels]
    functions = {name: body for text in texts for name, body in text.functions}
    headers = {"types"}.union(foreign.headers, *(text.headers for text in texts))
    own = [line.text for line in (*foreign.lines, *(line for text in texts for line in text.lines))]
    own += [line for body in functions.values() for line in body]
    for name in ("shared", "floats"):  # the first names nothing of the other
        others = (line for each in headers for line in header(each).splitlines())
        if uses((*own, *others), header(name)) and not (name == "floats" and "cuda_floats" in headers):
            headers.add(name)  # with those of CUDA there are the same types by the same names
    lines = [Line(f"// {title}"), Line("")]
    if foreign.includes:
        lines += [*(Line(f"#include <{name}>") for name in foreign.includes), Line("")]
    for name in _ORDER:
        if name in headers:
            lines += [Line(text) for text in header(name).splitlines()] + [Line("")]
    if functions:
        lines += [Line("namespace croq {"), Line("")]
        for body in functions.values():
            lines += [Line(text) for text in body] + [Line("")]
        lines += [Line("}  // namespace croq"), Line("")]
    lines += [Line("using namespace croq;"), Line("")]
    if foreign.lines:
        lines += [*foreign.lines, Line("")]
    for text, base in zip(texts, bases or (0,) * len(texts), strict=True):
        lines += [*(moved(line, base) for line in text.lines), Line("")]
    return Unit(tuple(lines[:-1]), None if sites is None else tuple(sites.found))


def moved(line: Line, base: int) -> Line:
    """A line whose place counts from the file's start."""
    return line if line.span == NOWHERE else Line(line.text, line.span.shift(base), line.passed)


def header(name: str) -> str:
    """The text of one of our headers."""
    return (files("croqc.codegen") / "include" / "croq" / f"{name}.cuh").read_text(encoding="utf-8").rstrip("\n")
