"""What every engine gives back of a run. Types only; must not run or judge anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from croqc.engines.hang import HungPath
from croqc.runs.elements import Array
from croqc.text.span import Span


class Failure(Protocol):
    """Why a run broke off. `span` is relative to the function, NOWHERE where no statement is the reason.

    `unsupported`: the engine or the machine, not the program, is the reason.
    """

    @property
    def message(self) -> str: ...

    @property
    def span(self) -> Span: ...

    @property
    def unsupported(self) -> bool: ...


class EngineResult(Protocol):
    """A run of one function.

    `outputs`: each array parameter's contents after the run, by name; `result`: what `return` gave. `hung`: some path
    waits for ever; `hang` lists the paths that stand still, as far as they are known. Seconds: `time` of the kernels,
    `compile_time` of the compiler, 0 where the engine has no clock.
    """

    @property
    def outputs(self) -> Mapping[str, Array]: ...

    @property
    def result(self) -> Array | int | float | None: ...

    @property
    def hung(self) -> bool: ...

    @property
    def hang(self) -> tuple[HungPath, ...]: ...

    @property
    def error(self) -> Failure | None: ...

    @property
    def prints(self) -> tuple[str, ...]: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def time(self) -> float: ...

    @property
    def compile_time(self) -> float: ...
