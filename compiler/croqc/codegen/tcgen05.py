"""Multiplies of tcgen05 as C++ (PTX ISA, tcgen05.mma): the instruction's function, its descriptor, its use.

Bits of the instruction descriptor: 4-5 type of D, 7-9 and 10-12 types of A and B, 15 and 16 which of them do not lie
along K, 17-22 N / 8, 24-28 M / 16; all others are zero: nothing negated, dense.
"""

from __future__ import annotations

from croqc.codegen.places import Places
from croqc.codegen.registers import declaration
from croqc.codegen.units import Team, by_first, first_of, number_of
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Lit, add, multiply
from croqc.sema.model import Unit

_KINDS = {"f16": "f16", "bf16": "f16", "f32": "tf32", "tf32": "tf32", "f8_e4m3": "f8f6f4", "f8_e5m2": "f8f6f4",
          "s8": "i8", "u8": "i8"}  # fmt: skip
_TYPES = {"f16": 0, "bf16": 1, "f32": 2, "tf32": 2, "f8_e4m3": 0, "f8_e5m2": 1, "u8": 0, "s8": 1}
# By whether elements lie in pairs in registers; in tensor memory each has a column.
_LOADS = {False: "tensor_load_all", True: "tensor_load_halves"}
_STORES = {False: "tensor_store_all", True: "tensor_store_halves"}
_RESULTS = {"f16": 0, "f32": 1, "s32": 2}


def function_name(stmt: ir.Multiply) -> str:
    return f"tcgen05_mma_{_KINDS[stmt.a.tensor.elem]}"


def function_text(stmt: ir.Multiply) -> list[str]:
    """`d = a x b`, or `d += a x b` where `adds`. PTX ISA, tcgen05.mma; issued by one thread."""
    kind = _KINDS[stmt.a.tensor.elem]
    return [
        f"__device__ __forceinline__ void {function_name(stmt)}(u32 d, u64 a, u64 b, u32 shape, bool adds) {{",
        '  asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0; "',
        f'               "tcgen05.mma.cta_group::1.kind::{kind} [%0], %1, %2, %3, p; }}"',
        '               ::"r"(d), "l"(a), "l"(b), "r"(shape), "r"(int(adds))',
        '               : "memory");',
        "}",
    ]


def shape_bits(stmt: ir.Multiply) -> int:
    """The instruction descriptor."""
    types = _TYPES[stmt.a.tensor.elem] << 7 | _TYPES[stmt.b.tensor.elem] << 10
    majors = (not stmt.a_k_major) << 15 | (not stmt.b_k_major) << 16
    return _RESULTS[stmt.acc.elem] << 4 | types | majors | stmt.n // 8 << 17 | stmt.m // 16 << 24


class TensorMemory:
    """Prints what touches tensor memory in one kernel."""

    def __init__(self, writer: Writer, places: Places, kernel: ir.Kernel) -> None:
        self.w, self.places, self.kernel = writer, places, kernel
        self.team = Team.whole(kernel.threads)

    def address(self, acc: ir.Accumulator, index: Expr) -> str:
        """The first column of an accumulator of the thread's warpgroup."""
        memory, number = self.kernel.tensor_memory, number_of(Unit.GROUP4)
        assert memory is not None
        at = self.places.spell(add(Lit(dict(memory.offsets)[acc.name]), multiply(index, Lit(acc.n))))
        part = number if memory.first == 0 else f"({number} - {memory.first})"
        group = f" + {part} * {memory.share}" if memory.groups > 1 else ""
        return f"tensor_memory{group}" + ("" if at == "0" else f" + {at}")

    def started(self, acc: ir.Accumulator, index: Expr) -> str:
        name = self.places.own(f"{acc.name}_started")
        return name + (f"[{self.places.spell(index)}]" if acc.count > 1 else "")

    def start(self, stmt: ir.Start) -> None:
        acc, name = stmt.acc, self.places.own(f"{stmt.acc.name}_started")
        if stmt.declares:
            count, value = (f"[{acc.count}]", "{}") if acc.count > 1 else ("", "false")
            self.w.line(f"bool {name}{count} = {value};  // {acc.m} x {acc.n} {acc.elem} in tensor memory")
            self.w.line(f"{declaration(acc)}  // loaded from there")
        else:
            self.w.line(f"{self.started(acc, stmt.index)} = false;")

    def multiply(self, stmt: ir.Multiply, columns: list[tuple[str, str]]) -> None:
        """`columns`: the descriptors of A and B of each K step."""
        started = self.started(stmt.acc, stmt.index)
        with self.w.block(f"if ({first_of(Unit.GROUP4, self.team)})"):
            for number, (a, b) in enumerate(columns):
                adds = started if number == 0 else "true"
                self.w.line(f"{function_name(stmt)}({self.address(stmt.acc, stmt.index)}, {a}, {b},")
                self.w.line(f"{' ' * (len(function_name(stmt)) + 1)}{shape_bits(stmt):#x}, {adds});")
        self.w.line(f"{started} = true;")

    def arrive(self, barrier: str) -> None:
        self.w.line(by_first(Unit.GROUP4, self.team, f"tcgen05_commit({barrier});"))

    def complete(self, barrier: str, phase: str) -> None:
        """The warpgroup waits until its multiplies are complete."""
        self.arrive(barrier)
        self.w.line(f"mbarrier_wait({barrier}, {phase});")
        self.w.line(f"{phase} ^= 1;")

    def load(self, stmt: ir.LoadAccumulator) -> None:
        acc, each = stmt.acc, self.places.own("d")
        registers = self.places.registers(acc, stmt.index)
        self.w.line(f"{_LOADS[acc.packed]}({registers}, {self.address(acc, stmt.index)});")
        self.w.line(f"if (!{self.started(acc, stmt.index)}) {{")
        with self.w.indented():
            self.w.line("#pragma unroll")
            self.w.line(f"for (auto& {each} : {registers}) {each} = 0;")
        self.w.line("}")

    def keep(self, stmt: ir.KeepAccumulator) -> None:
        registers = self.places.registers(stmt.acc, stmt.index)
        self.w.line(f"{_STORES[stmt.acc.packed]}({self.address(stmt.acc, stmt.index)}, {registers});")
        self.w.line(f"{self.started(stmt.acc, stmt.index)} = true;")
