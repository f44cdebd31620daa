"""A whole translation unit: the headers used, inlined, then the kernels. Self-contained for NVRTC and nvcc -cubin."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from croqc.codegen.kernel import kernel_text
from croqc.codegen.writer import Line
from croqc.pipe import ir
from croqc.text.record import record

_ORDER: Final = (
    "types",
    "shared",
    "mbarrier",
    "cp_async",
    "tma",
    "wgmma",
    "fragment",
    "mma_sync",
    "stmatrix",
    "registers",
)


@record
class Unit:
    """`lines` with their places in the source; kernels are `extern "C"` under their names."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines) + "\n"


def unit_of(kernels: Sequence[ir.Kernel], title: str) -> Unit:
    """Raises UnsupportedTypeError for an element type that is not generated."""
    texts = [kernel_text(kernel) for kernel in kernels]
    headers = {"types", "shared"}.union(*(text.headers for text in texts))
    lines = [Line(f"// {title}"), Line("")]
    for name in _ORDER:
        if name in headers:
            lines += [Line(text) for text in header(name).splitlines()] + [Line("")]
    functions = {name: body for text in texts for name, body in text.functions}
    if functions:
        lines += [Line("namespace croq {"), Line("")]
        for body in functions.values():
            lines += [Line(text) for text in body] + [Line("")]
        lines += [Line("}  // namespace croq"), Line("")]
    lines += [Line("using namespace croq;"), Line("")]
    for text in texts:
        lines += [*text.lines, Line("")]
    return Unit(tuple(lines[:-1]))


def header(name: str) -> str:
    """The text of one of our headers."""
    return (files("croqc.codegen") / "include" / "croq" / f"{name}.cuh").read_text(encoding="utf-8").rstrip("\n")
