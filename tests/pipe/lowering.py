"""Kernels on their way through the passes, for tests: of examples, and of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.facts import Facts
from croqc.pipe.lower import built_kernel
from croqc.pipe.pipeline import stages
from croqc.pipe.printer import placed_lines
from croqc.pipe.printer import statements as printed
from croqc.pipe.walk import statements
from croqc.service.check import FileReport, check_file, check_text
from croqc.service.lowering import sizes_of
from croqc.service.settings import Settings
from croqc.targets import TARGETS

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = Path(__file__).with_name("texts")  # kernels that show passes at work
Kind = TypeVar("Kind", bound=ir.Stmt)
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.co"))


def example(name: str, arch: str = "sm_90a") -> FileReport:
    """The report on an example, or on a kernel of `texts`."""
    own = TEXTS / f"{name}.co"
    return check_file(own if own.exists() else EXAMPLES / f"{name}.co", Settings(arch=arch))


def stages_of(report: FileReport, sizes: Mapping[str, int] | None = None) -> Iterator[tuple[str, ir.Kernel]]:
    """The first kernel of the first function: as built, then after each pass. Raises LoweringError."""
    function = report.functions[0]
    assert function.analysis is not None
    given = sizes_of(report, function) if sizes is None else sizes
    env, start = built_kernel(function.analysis.model, report.target, 0, given)
    return stages(start, env)


def after(name: str, text: str, sizes: Mapping[str, int] | None = None, arch: str = "sm_90a") -> ir.Kernel:
    """The kernel of a text after a pass."""
    return dict(stages_of(check_text(text, Settings(arch=arch)), sizes))[name]


def only(kernel: ir.Kernel, kind: type[Kind]) -> list[Kind]:
    """The statements of a kind, in source order."""
    return [stmt for stmt in statements(kernel.body) if isinstance(stmt, kind)]


def env_of(sizes: Mapping[str, int], arch: str = "sm_90a") -> Env:
    return Env(TARGETS[arch], Facts.of(sizes))


def kernel_lines(kernel: ir.Kernel) -> list[str]:
    """A whole kernel as the printer writes it, without places."""
    return [line for line, _ in placed_lines(kernel)]


def lines_of(body: tuple[ir.Stmt, ...], depth: int = 0) -> list[str]:
    """Statements as the printer writes them, without their places in the source."""
    return [line for line, _ in printed(body, depth)]
