"""Analyse a kernel and look at its device side by names and source text."""

from __future__ import annotations

from dataclasses import dataclass

from croqc.sema import rulenames_device as rules
from croqc.sema.model import BufferInfo, CopyInfo, Finding, Kernel, Level, MmaInfo, Model
from tests.effort import effort as spent
from tests.sema.study import Study, study

DEVICE = {value for name, value in vars(rules).items() if name.isupper()}
NOTES = {rules.DYNAMIC_SHARED, rules.SWIZZLE_INHERITED, rules.ASSUMED_DIVISIBLE, rules.ASSUMED_SIZE}
PARAMS = "global f16 [M, K] lhs, global f16 [N, K] rhs, global f16 [M, N] out, global f32 [512, 512] big, int n"


@dataclass(frozen=True)
class Device:
    study: Study

    @property
    def model(self) -> Model:
        return self.study.analysis.model

    @property
    def kernel(self) -> Kernel:
        return self.model.kernels[-1]

    def finding(self, rule: str) -> Finding:
        """The one finding of that rule."""
        (found,) = (item for item in self.study.analysis.findings if item.rule == rule)
        return found

    @property
    def told(self) -> list[tuple[str, str]]:
        """Rule and marked text of the device side's findings but its notes, by place."""
        found = [item for item in self.study.analysis.findings if item.rule in DEVICE - NOTES]
        return [(item.rule, self.study.text(item)) for item in sorted(found, key=lambda item: item.span)]

    @property
    def levels(self) -> dict[str, Level]:
        """The level of each axis by its first index; axes without a name by their text."""
        ordered = sorted(self.model.levels.items(), key=lambda item: item[0].span)
        return {axis.names[0].id if axis.names else self.study.text(axis): level for axis, level in ordered}

    @property
    def copies(self) -> list[CopyInfo]:
        return [info for node, info in sorted(self.model.copies.items(), key=lambda item: item[0].span)]

    @property
    def multiplies(self) -> list[MmaInfo]:
        return [info for node, info in sorted(self.model.multiplies.items(), key=lambda item: item[0].span)]

    def buffer(self, name: str) -> BufferInfo:
        (found,) = (info for info in self.model.buffers if info.symbol.name == name)
        return found


def device(body: str, arch: str = "sm_90a") -> Device:
    """A body at host level under the parameters above."""
    return Device(study(f"__co__ void f({PARAMS}) {{\n{body}\n}}\n", arch))


def in_threads(rule: str, body: str, head: str = "parallel b by 4 : block, t by 128 : thread") -> list[str]:
    """The text of each finding of a rule in threads with shared `s`, `r` and `d`."""
    declared = "shared f32 [128] s; shared f32 [128] r; shared f32 [2, 128] d;"
    return [text for found, text in device(f"{head} {{ {declared}\n{body}\n }}").told if found == rule]


def block(body: str, arch: str = "sm_90a") -> Device:
    """A body inside `parallel b by 8 : block`."""
    return device(f"parallel b by 8 : block {{\n{body}\n}}", arch)


def program(text: str, arch: str = "sm_90a") -> Device:
    """A whole file."""
    return Device(study(text, arch))


def tile(body: str) -> Device:
    """A kernel of 512 threads over a shared tile `s`."""
    return device(f"parallel b by 1 : block, t by 512 : thread {{ shared f32 [512, 100] s; {body} }}")


def effort(body: str) -> float:
    """Processor time of such a kernel, seconds."""
    return spent(lambda: tile(body))
