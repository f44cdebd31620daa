"""The pieces of a drawn pipeline: a ring of stages with its two events, and the loop that runs it.

Must not choose: that is `generate`. Each method gives source lines; `k` is the index of the innermost loop, `n` the
number of the item over all tiles, `ti` that of the tile, `id` the tile's row, `b` the block.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


def indent(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


class Index(Enum):
    """How a slot is spelled: a variable, an expression, or the order of the item."""

    VARIABLE = "stage"
    SLOT = "slot"
    ORDER = "at"


class Copy(Enum):
    """How a stage is filled, one form a dialect and some in between."""

    PLAIN = "dma.copy"
    TMA = "tma.copy"
    CLASSIC = "tma.copy.async<e>"
    AFTER = "tma.load.async, after"
    DMA_AFTER = "dma.copy.async, after"
    WAITED = "dma.copy.async, wait"
    TMA_WAITED = "tma.copy.async, wait"

    @property
    def engine(self) -> str:
        return self.value[:3]


class Loop(Enum):
    """ONCE: a block has one row of tiles. INNER: roles loop over the rows. OUTER: the rows are outside the roles."""

    ONCE = "once"
    INNER = "tiles inside the roles"
    OUTER = "tiles outside the roles"

    @property
    def blocks(self) -> str:
        return "cdiv(R, $rows)" if self is Loop.ONCE else "2"

    @property
    def tile(self) -> str:
        return "b" if self is Loop.ONCE else "id"

    def source(self, name: str) -> str:
        return f"{name}.subspan(16, 16).at({self.tile}, k)"

    def half(self, name: str, number: str) -> str:
        return f"{name}.subspan(8, 16).at({self.tile} * 2 + {number}, k)"

    def over_tiles(self, lines: list[str]) -> list[str]:
        number = ["n = ti * cdiv(C, 16) + k;"] if self is not Loop.ONCE and any("n" in _words(x) for x in lines) else []
        return ["foreach {k} in [cdiv(C, 16)] {", *indent([*number, *lines]), "}"]

    def over_blocks(self, lines: list[str]) -> list[str]:
        if self is Loop.ONCE or self is Loop.OUTER:
            return lines
        return self._rows(lines)

    def whole(self, lines: list[str]) -> list[str]:
        return self.over_blocks(self.over_tiles(lines))

    def around(self, lines: list[str]) -> list[str]:
        return self._rows(lines) if self is Loop.OUTER else lines

    def _rows(self, lines: list[str]) -> list[str]:
        guarded = ["if (id < cdiv(R, $rows)) {", *indent(lines), "}"]
        return [
            "foreach {ti} in [cdiv(cdiv(R, $rows), 2)] {",
            *indent(["id = ti * 2 + b;", *guarded]),
            "}",
        ]


def _words(line: str) -> list[str]:
    return "".join(char if char.isalnum() or char == "_" else " " for char in line).split()


@dataclass(frozen=True, slots=True)
class Ring:
    """`full_x`, `empty_x` and the buffers `x_s` (`y_s` beside it for a multiply). `order`: what counts its items."""

    name: str
    stages: int
    packed: bool
    ready: bool
    index: Index
    copy: Copy
    loop: Loop
    order: str = ""
    multiply: bool = False
    rows: int = 16

    @property
    def item(self) -> str:
        """What counts the items: over all tiles where the order must go on."""
        if self.order:
            return self.order
        return "n" if self.index is Index.ORDER and self.loop is not Loop.ONCE else "k"

    @property
    def slot(self) -> str:
        return f"stage_{self.name}" if self.index is Index.VARIABLE else f"{self.item} % {self.stages}"

    def event(self, kind: str) -> str:
        at = f".at({self.item})" if self.index is Index.ORDER else f"[{self.slot}]"
        return f"{kind}_{self.name}{at}"

    def stage(self) -> str:
        return self._stage(f"{self.name}_s", self.rows)

    def stages_of(self) -> tuple[str, str]:
        return self.stage(), self._stage(f"{self.name}_r", 8)

    def _stage(self, buffer: str, rows: int) -> str:
        return f"{buffer}.subspan({rows}, 16).at({self.slot}, 0)" if self.packed else f"{buffer}[{self.slot}]"

    def declare(self, counted: str = "") -> list[str]:
        full, empty = f"full_{self.name}[{self.stages}]", f"empty_{self.name}[{self.stages}]"
        empty += " = ready" if self.ready else ""
        events = [f"shared event {full}, {empty};"]
        if counted == f"full_{self.name}":
            events = [f"shared event<1> {full};", f"shared event {empty};"]
        elem = "f16" if self.multiply else "s32"
        buffers = [self._buffer(elem, f"{self.name}_s", self.rows)]
        if self.multiply:
            buffers.append(self._buffer(elem, f"{self.name}_r", 8))
        return [*events, *buffers]

    def _buffer(self, elem: str, name: str, rows: int) -> str:
        if self.packed:
            return f"shared {elem} [{self.stages * rows}, 16] {name};"
        return f"shared {elem} [{rows}, 16] {name}[{self.stages}];"

    def wait(self, kind: str) -> str:
        return f"wait {self.event(kind)};"

    def trigger(self, kind: str) -> str:
        return f"trigger {self.event(kind)};"

    def number(self) -> list[str]:
        return [f"stage_{self.name} = {self.item} % {self.stages};"] if self.index is Index.VARIABLE else []

    def grant(self) -> list[str]:
        """The credits at start, given by each consumer; once for all tiles."""
        if self.ready:
            return []
        loop = [f"foreach {{s}} in [{self.stages}] {{", f"  trigger empty_{self.name}[s];", "}"]
        return ["if (ti == 0) {", *indent(loop), "}"] if self.loop is Loop.OUTER else loop

    def fill(self, source: str, part: str = "") -> list[str]:
        """The producer's step; `part`: the view of the stage that is its own. The wait stands first."""
        stage = f"{self.stage()}.{part}" if part else self.stage()
        wait = self.wait("empty")
        return self._numbered([wait, *self._copies([(source, stage)]), *self._publish()])

    def fill_both(self) -> list[str]:
        first, second = self.stages_of()
        pairs = [
            (f"lhs.subspan({self.rows}, 16).at({self.loop.tile}, k)", first),
            ("rhs.subspan(8, 16).at(0, k)", second),
        ]
        return self._numbered([self.wait("empty"), *self._copies(pairs), *self._publish(len(pairs))])

    def take(self, work: list[str]) -> list[str]:
        """The consumer's step around its work."""
        return self._numbered([self.wait("full"), *work, self.trigger("empty")])

    def _numbered(self, lines: list[str]) -> list[str]:
        return [*self.number(), *lines]

    def _copies(self, pairs: list[tuple[str, str]]) -> list[str]:
        lines = []
        for number, (source, dest) in enumerate(pairs):
            future, event = f"f{number}", self._operand()
            match self.copy:
                case Copy.PLAIN | Copy.TMA:
                    lines.append(f"{self.copy.engine}.copy {source} => {dest};")
                case Copy.CLASSIC:
                    lines.append(f"tma.copy.async<{event}> {source} => {dest};")
                case Copy.AFTER:
                    lines.append(f"{future} = tma.load.async {source} => {dest};")
                case Copy.WAITED | Copy.TMA_WAITED | Copy.DMA_AFTER:
                    lines.append(f"{future} = {self.copy.engine}.copy.async {source} => {dest};")
        return lines

    def _operand(self) -> str:
        return f"full_{self.name}[{self.item} % {self.stages}]"

    def _publish(self, count: int = 1) -> list[str]:
        futures = ", ".join(f"f{number}" for number in range(count))
        if self.copy in (Copy.AFTER, Copy.DMA_AFTER):
            return [f"trigger {self.event('full')} after {futures};"]
        waits = [f"wait {futures};"] if self.copy in (Copy.WAITED, Copy.TMA_WAITED) else []
        return [*waits, self.trigger("full")]
