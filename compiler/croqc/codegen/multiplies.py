"""Multiplies as C++: accumulators, operands in registers, the instructions and the ends of their groups.

Must not decide anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from croqc.codegen import mma_sync, tcgen05
from croqc.codegen.copies import Copies
from croqc.codegen.places import Places
from croqc.codegen.registers import declaration, described
from croqc.codegen.sparse import print_metadata
from croqc.codegen.wgmma import fragment_arguments, function_name, function_text
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import ZERO, Expr, Lit, Op, Tile, Var, divide


class Multiplies:
    """Those of one kernel. `functions`: the generated functions that they use, by their first line."""

    def __init__(self, writer: Writer, places: Places, kernel: ir.Kernel, copies: Copies) -> None:
        self.w, self.places, self.copies, self.headers = writer, places, copies, copies.headers
        self.tensor_memory = tcgen05.TensorMemory(writer, places, kernel)
        self.functions: dict[str, list[str]] = {}

    def print(self, stmt: ir.Stmt) -> None:
        PRINTED[type(stmt)](self, stmt)

    def fill(self, stmt: ir.Fill) -> None:
        acc, value = stmt.acc, self.places.spell(stmt.value)
        if stmt.declares:
            self.declare(stmt)
        if acc.packed:
            value = "0" if value == "0.0f" else f"bits_of({acc.elem}({value})) * 0x10001u"
        self._filled(self.places.registers(acc, stmt.index), acc.count if stmt.declares else 1, value)

    def declare(self, stmt: ir.Declare | ir.Fill) -> None:
        self.w.line(f"{declaration(stmt.acc)}  // {described(stmt.acc)}")

    def _filled(self, registers: str, count: int, value: str) -> None:
        self.w.line("#pragma unroll")
        each = self.places.own("d")
        if count == 1:
            self.w.line(f"for (auto& {each} : {registers}) {each} = {value};")
            return
        name, one = registers.partition("[")[0], self.places.own("tile")
        with self.w.block(f"for (auto& {one} : {name})"):
            self.w.line(f"for (auto& {each} : {one}) {each} = {value};")

    def fence(self, stmt: ir.Fence) -> None:
        function, header = _FENCES[stmt.kind]
        self.headers.add(header)
        self.w.line(f"{function}();")

    def multiply(self, stmt: ir.Multiply) -> None:
        if stmt.instruction is ir.Instruction.TCGEN05:
            self._multiply_tcgen05(stmt)
            return
        by_warps = not stmt.instruction.is_async
        self.headers.add("mma_sync" if by_warps else "wgmma")
        name = mma_sync.function_name(stmt) if by_warps else function_name(stmt)
        text = mma_sync.function_text(stmt) if by_warps else function_text(stmt)
        self.functions.setdefault(text[0], text)
        column: Expr = ZERO
        if stmt.steps > 1:
            self.w.line("#pragma unroll")
            step = self.places.own("step")
            column = Op("*", (Var(step), Lit(stmt.k_step)))
            with self.w.block(f"for (int {step} = 0; {step} < {stmt.steps}; ++{step})"):
                self._issue(stmt, name, column, step)
            return
        self._issue(stmt, name, column, "")

    def _multiply_tcgen05(self, stmt: ir.Multiply) -> None:
        self.headers.add("tcgen05")
        self.functions.setdefault(tcgen05.function_name(stmt), tcgen05.function_text(stmt))
        steps = [Lit(step * stmt.k_step) for step in range(stmt.steps)]
        self.tensor_memory.multiply(
            stmt, [self._operands(stmt, at, "tensor_operand", "tensor_operand_mn") for at in steps]
        )

    def start(self, stmt: ir.Start) -> None:
        self.tensor_memory.start(stmt)

    def complete(self, stmt: ir.Complete) -> None:
        self.tensor_memory.complete(self.copies.barrier(stmt.slot), stmt.phase)

    def arrive_committed(self, stmt: ir.ArriveCommitted) -> None:
        self.tensor_memory.arrive(self.copies.barrier(stmt.slot))

    def load_accumulator(self, stmt: ir.LoadAccumulator) -> None:
        self.tensor_memory.load(stmt)

    def keep_accumulator(self, stmt: ir.KeepAccumulator) -> None:
        self.tensor_memory.keep(stmt)

    def _issue(self, stmt: ir.Multiply, name: str, column: Expr, step: str) -> None:
        """`step`: the loop's variable over K, empty for a single step."""
        registers = self.places.registers(stmt.acc, stmt.index)
        if not stmt.instruction.is_async:
            show = mma_sync.print_warp if stmt.b_registers else mma_sync.print_split
            show(self.w, self.places, stmt, registers, step)
            return
        a, b = self._operands(stmt, column, "operand", "operand_mn")
        told = f", {stmt.metadata}[{step or 0}]" if stmt.metadata else ""
        self.w.line(f"{name}({registers}, {fragment_arguments(stmt, step) if stmt.a_registers else a},")
        self.w.line(f"{' ' * (len(name) + 1)}{b}{told}{self._adds(stmt, step)});")

    def _adds(self, stmt: ir.Multiply, step: str) -> str:
        """The last argument of a multiply that may overwrite; the steps over K behind the first one always add."""
        if stmt.adds is None:
            return ""
        later = Op("!=", (Var(step), ZERO), "bool")
        never = stmt.adds == Lit(False, "bool")
        adds = stmt.adds if not step else later if never else Op("||", (stmt.adds, later), "bool")
        return f", {self.places.spell(adds)}"

    def _operands(self, stmt: ir.Multiply, depth: Expr, along: str, across: str) -> tuple[str, str]:
        """The descriptors of A and B at some depth in K, made by a function for operands that lie along K or another
        for those that lie across; of one in registers nothing."""
        of_a = divide(depth, Lit(2)) if stmt.metadata else depth
        return (
            "" if stmt.a_registers else self._operand(stmt.a, of_a, along if stmt.a_k_major else "", across),
            "" if stmt.b_registers else self._operand(stmt.b, depth, along if stmt.b_k_major else "", across),
        )

    def _operand(self, tile: Tile, depth: Expr, along: str, across: str) -> str:
        swizzle = self.places.shared[tile.tensor.name].swizzle
        offset = self.places.offset(tile, depth, bool(along))
        shape = f"{swizzle}" if along else f"{swizzle}, {tile.tensor.extents[0]}"
        return f"{along or across}<{shape}>({tile.tensor.name}, {offset})"

    def load_fragment(self, stmt: ir.LoadFragment) -> None:
        self.headers.add("fragment")
        mma_sync.print_load(self.w, self.places, stmt)

    def load_metadata(self, stmt: ir.LoadMetadata) -> None:
        self.headers.add("fragment")
        print_metadata(self.w, self.places, stmt)

    def commit(self, stmt: ir.Commit) -> None:
        self.headers.add("wgmma")
        if stmt.closes:
            self.w.line("wgmma_commit();")
        self.w.line(f"wgmma_wait<{stmt.keep}>();")

    def settle(self, stmt: ir.Settle) -> None:
        for number in range(stmt.acc.count):
            self.w.line(f"settle({self.places.registers(stmt.acc, Lit(number))});")


_FENCES = {
    ir.Fencing.WGMMA: ("wgmma_fence", "wgmma"),
    ir.Fencing.BEFORE: ("tcgen05_fence_before", "tcgen05"),
    ir.Fencing.AFTER: ("tcgen05_fence_after", "tcgen05"),
}

PRINTED: Final[dict[type, Callable[[Multiplies, Any], None]]] = {
    ir.Fill: Multiplies.fill,
    ir.Declare: Multiplies.declare,
    ir.Fence: Multiplies.fence,
    ir.LoadFragment: Multiplies.load_fragment,
    ir.LoadMetadata: Multiplies.load_metadata,
    ir.Multiply: Multiplies.multiply,
    ir.Commit: Multiplies.commit,
    ir.Start: Multiplies.start,
    ir.Complete: Multiplies.complete,
    ir.ArriveCommitted: Multiplies.arrive_committed,
    ir.LoadAccumulator: Multiplies.load_accumulator,
    ir.KeepAccumulator: Multiplies.keep_accumulator,
    ir.Settle: Multiplies.settle,
}
"""The statements of multiplies, and how each is printed."""
