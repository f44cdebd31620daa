"""What the simulator takes from `flow`: paths, joins and arrival counts. Must import nothing else of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from croqc.engines.sim.machine.dtypes import Array
from croqc.flow.joins import Job, block_waits, joins_on_exit, not_run, predecessors
from croqc.flow.paths import WHOLE, Path, kernel_paths
from croqc.sema.model import Kernel, Model
from croqc.syntax import ast
from croqc.text.span import Span


@dataclass(frozen=True, eq=False)
class Start:
    """A path to start: its name and the numbers of its threads in the block."""

    name: str
    threads: Array
    path: Path


@dataclass(frozen=True, eq=False)
class Plan:
    """The paths of one kernel. `threads` is the block size, None where it is not static."""

    model: Model
    kernel: Kernel

    @property
    def block_name(self) -> str:
        return WHOLE

    @cached_property
    def threads(self) -> Array | None:
        """The thread numbers of a block; None where its size is not static."""
        return None if self.kernel.threads is None else np.arange(self.kernel.threads, dtype=np.int64)

    @cached_property
    def starts(self) -> tuple[Start, ...]:
        return tuple(Start(path.name, _numbers(path), path) for path in self.paths)

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        return kernel_paths(self.model, self.kernel)

    def of(self, node: ast.Parallel) -> tuple[int, ...]:
        """The numbers of the paths that run an inner parallel."""
        return tuple(number for number, path in enumerate(self.paths) if node not in path.apart)

    def before(self, number: int, node: ast.Parallel) -> tuple[Job, ...]:
        """What other paths end before a path begins an inner parallel, as their threads belong to one unit."""
        return predecessors(self.paths).get((number, node), ())

    @cached_property
    def not_followed(self) -> tuple[Span, str] | None:
        """The place and the reason where unlike inner parallels cannot be run one by one."""
        return not_run(self.model, self.kernel, self.paths)

    @cached_property
    def block_waits(self) -> frozenset[ast.Wait]:
        """The waits of paths behind which the block meets."""
        return block_waits(self.model, self.kernel, self.paths)

    def joins(self, node: ast.Parallel) -> bool:
        """Whether the block waits for the paths of an inner parallel when it leaves it."""
        return joins_on_exit(self.model, node)


def _numbers(path: Path) -> Array:
    return np.array(path.numbers, dtype=np.int64)
