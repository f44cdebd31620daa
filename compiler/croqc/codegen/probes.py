"""What a kernel with probes declares and calls: parameter, the thread's place, records. Must not print statements.

Records are written by the kernel (`include/croq/probe.cuh`) and read by whoever started it.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.codegen.own import Own
from croqc.pipe import ir


class ProbeWords:
    """The text of a kernel's probes. `probes` says who records."""

    def __init__(self, kernel: ir.Kernel, probes: ir.Probes) -> None:
        own = Own(kernel)
        self.probes = probes
        self.name, self._place, self._begun = own("probes"), own("probe_place"), own("probe_begun")

    @property
    def parameter(self) -> str:
        return f"const __grid_constant__ Probes {self.name}"

    def start(self) -> Iterator[str]:
        """The lines in front of the kernel's statements."""
        recorders = self.probes.recorders
        path = "-1"
        for number, each in reversed(list(enumerate(recorders))):
            path = f"threadIdx.x == {each.thread} ? {number} : {path}"
        yield f"// Probes record: {', '.join(f'thread {each.thread} for {each.path}' for each in recorders)}."
        yield f"ProbePlace {self._place} = probe_start({self.name}, {len(recorders)}, {path});"
        yield f"u32 {self._begun};"

    def before(self) -> str:
        return f"{self._begun} = read_clock();"

    def after(self, site: int, slot: str, turn: str) -> str:
        return f"probe_record({self.name}, {self._place}, {self._begun}, {site}, {slot}, {turn});"

    def end(self) -> str:
        """The line behind the kernel's statements."""
        return f"probe_end({self.name}, {self._place});"
