"""Kernels that dawdle: a delay of pseudo-random length around what paths do to each other (`delay.cuh`). Must not print
statements.

What nothing orders then comes in other orders than the usual one; the seed is the last parameter of each kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from croqc.codegen.own import Own
from croqc.codegen.writer import Writer
from croqc.pipe import ir

_BEFORE: Final = (ir.Wait, ir.Arrive, ir.Copy, ir.Sync, ir.Await)
_AFTER: Final = (ir.Wait, ir.Arrive)


class Delays:
    """Those of a kernel, or none."""

    def __init__(self, writer: Writer, kernel: ir.Kernel, wanted: bool) -> None:
        self._writer, self.wanted = writer, wanted
        self._seed, self._state = (Own(kernel)(name) for name in ("delay_seed", "delays"))

    @property
    def parameter(self) -> str:
        """What the delays are drawn from."""
        return f"u32 {self._seed}"

    def start(self) -> str:
        """The variable of a thread that says which delay comes next."""
        return f"u32 {self._state} = delay_start({self._seed});"

    @contextmanager
    def around(self, stmt: ir.Stmt) -> Iterator[None]:
        """Prints the delays in front of a statement and behind it."""
        if self.wanted and isinstance(stmt, _BEFORE):
            self._writer.line(f"random_delay({self._state});")
        yield
        if self.wanted and isinstance(stmt, _AFTER):
            self._writer.line(f"random_delay({self._state});")
