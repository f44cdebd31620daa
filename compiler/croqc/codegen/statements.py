"""Statements of the IR as C++, one handler a kind. Must not decide anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croqc.codegen import mma_sync, tcgen05
from croqc.codegen.copies import Copies
from croqc.codegen.delays import Delays
from croqc.codegen.events import Events
from croqc.codegen.places import Places
from croqc.codegen.probes import ProbeWords
from croqc.codegen.registers import declaration, described
from croqc.codegen.report import Sites
from croqc.codegen.sparse import print_metadata
from croqc.codegen.stores import Stores
from croqc.codegen.units import Team, by_first, first_of
from croqc.codegen.visits import Visits
from croqc.codegen.wgmma import fragment_arguments, function_name, function_text
from croqc.codegen.words import OWN_MATHS, printf, type_word
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import ONE, ZERO, Expr, Lit, Op, Tile, Var, divide
from croqc.pipe.mentioned import functions_of
from croqc.pipe.walk import Body, statements
from croqc.sema.model import Unit


class Statements:
    """Prints the statements of one kernel. `functions`: the wgmma functions that they use, by name."""

    def __init__(self, writer: Writer, kernel: ir.Kernel, sites: Sites | None = None, delays: bool = False) -> None:
        self.w, self.kernel, self.sites = writer, kernel, sites
        self.delays = Delays(writer, kernel, delays)
        self.places = Places(kernel)
        self.copies = Copies(writer, self.places, kernel)
        self.tensor_memory = tcgen05.TensorMemory(writer, self.places, kernel)
        self.functions: dict[str, list[str]] = {}
        self.headers = self.copies.headers
        self.stores = Stores(writer, self.places, kernel, self.headers)
        if OWN_MATHS.keys() & functions_of(kernel.body):
            self.headers.add("maths")
        self.over_blocks = any(_over_blocks(stmt) for stmt in statements(kernel.body))
        if self.over_blocks:
            self.headers |= {"cluster", "tma"}  # a tensor map is a type of the one, used in the other
        self.events = Events(writer, self.copies, kernel, sites)
        self.visits = Visits(writer, self.places, self.body)
        self.probes = None if kernel.probes is None else ProbeWords(kernel, kernel.probes)
        if self.probes is not None:
            self.headers |= {"clock", "probe"}

    def body(self, body: Body) -> None:
        for stmt in body:
            with self.w.at(stmt.span), self.delays.around(stmt):
                _HANDLERS[type(stmt)](self, stmt)

    def spell(self, expr: Expr, binding: int = 0) -> str:
        return self.places.spell(expr, binding)

    # --- scalars and control ----------------------------------------------------------------------

    def let(self, stmt: ir.Let) -> None:
        qualifier = "" if stmt.changes else "const "
        self.w.line(f"{qualifier}{type_word(stmt.elem)} {stmt.name} = {self.spell(stmt.value)};")

    def set(self, stmt: ir.Set) -> None:
        self.w.line(f"{stmt.name} = {self.spell(stmt.value)};")

    def write(self, stmt: ir.Write) -> None:
        self.w.line(f"{self.places.element(stmt.tile, stmt.index)} = {self.spell(stmt.value)};")

    def atomic(self, stmt: ir.Atomic) -> None:
        place = self.places.element(stmt.tile, stmt.index)
        word = {"exch": "Exch", "cas": "CAS"}.get(stmt.op, stmt.op.capitalize())
        values = ", ".join(self.spell(value) for value in (stmt.value, *stmt.more))
        wide = {"u64": "unsigned long long", "s64": "long long"}.get(stmt.tile.tensor.elem)
        target = f"reinterpret_cast<{wide}*>(&{place})" if wide else f"&{place}"
        elem = stmt.tile.tensor.elem
        if elem == "f16":
            self.headers.add("atomics")
        found = f"{'atomic_add_f16' if elem == 'f16' else f'atomic{word}'}({target}, {values})"
        self.w.line(f"const {type_word(elem)} {stmt.old} = {found};" if stmt.old else f"{found};")

    def print(self, stmt: ir.Print) -> None:
        self.w.line(printf(stmt, self.spell))

    def loop(self, stmt: ir.Loop) -> None:
        if stmt.unroll is not None:
            self.w.line("#pragma unroll" + (f" {stmt.unroll}" if stmt.unroll else ""))
        step = f"++{stmt.name}" if stmt.step == ONE else f"{stmt.name} += {self.spell(stmt.step)}"
        head = f"int {stmt.name} = {self.spell(stmt.start)}; {stmt.name} < {self.spell(stmt.stop, 9)}; {step}"
        with self.w.block(f"for ({head})"):
            self.body(stmt.body)

    def while_(self, stmt: ir.While) -> None:
        with self.w.block(f"while ({self.spell(stmt.cond)})"):
            self.body(stmt.body)

    def if_(self, stmt: ir.If) -> None:
        with self.w.block(f"if ({self.spell(stmt.cond)})"):
            self.body(stmt.then)
        if stmt.other:
            with self.w.block("else"):
                self.body(stmt.other)

    def jump(self, stmt: ir.Jump) -> None:
        self.w.line(f"{stmt.word};")

    def scope(self, stmt: ir.Scope) -> None:
        self.body(stmt.body)  # names are unique in the kernel: no braces are needed

    def role(self, stmt: ir.Role) -> None:
        self.w.line(f"// {stmt.path}")
        cond = self.spell(stmt.cond, 4)
        if stmt.registers is not None:
            self._role_with_registers(stmt, cond)
            return
        if stmt.elected:
            cond = f"{cond} && {first_of(stmt.unit, self.copies.team)}"
        around, self.copies.team = self.copies.team, self._team(stmt)
        with self.w.block(f"if ({cond})"):
            self.body(stmt.body)
        self.copies.team = around

    def _team(self, stmt: ir.Role) -> Team:
        if stmt.unit is not Unit.BLOCK:
            return self.copies.team
        return Team(self.kernel.threads, stmt.threads, stmt.first, stmt.barrier)

    def _role_with_registers(self, stmt: ir.Role, cond: str) -> None:
        self.headers.add("registers")
        word = "give" if stmt.elected else "take"
        with self.w.block(f"if ({cond})"):
            self.w.line(f"{word}_registers<{stmt.registers}>();")
            if not stmt.elected:
                self.body(stmt.body)
                return
            with self.w.block(f"if ({first_of(stmt.unit, self.copies.team)})"):
                self.body(stmt.body)

    def text(self, stmt: ir.Text) -> None:
        for line in stmt.text.splitlines():
            self.w.line(line)

    def call(self, stmt: ir.Call) -> None:
        self.w.line(f"{stmt.name}({', '.join(self.spell(arg) for arg in stmt.args)});")

    # --- events -----------------------------------------------------------------------------------

    def wait(self, stmt: ir.Wait) -> None:
        self.events.wait(stmt)

    def arrive(self, stmt: ir.Arrive) -> None:
        self.events.arrive(stmt)

    def expect(self, stmt: ir.Expect) -> None:
        self.events.expect(stmt)

    def sync(self, stmt: ir.Sync) -> None:
        self.events.sync(stmt)

    def probe(self, stmt: ir.Probe) -> None:
        assert self.probes is not None
        self.w.line(self.probes.before())
        self.body(stmt.body)
        self.w.line(self.probes.after(stmt.site, self.spell(stmt.slot), self.spell(stmt.turn)))

    # --- movement ---------------------------------------------------------------------------------

    def copy(self, stmt: ir.Copy) -> None:
        self.copies.copy(stmt)

    def await_(self, stmt: ir.Await) -> None:
        self.headers.add("cp_async")
        self.w.line("cp_async_wait<0>();")

    def rotate(self, stmt: ir.Rotate) -> None:
        first, *rest = stmt.handles
        saved = self.places.own("first")
        with self.w.block(""):
            self.w.line(f"const int {saved} = {first};")
            for to, source in zip(stmt.handles, rest, strict=False):
                self.w.line(f"{to} = {source};")
            self.w.line(f"{stmt.handles[-1]} = {saved};")

    # --- multiplies -------------------------------------------------------------------------------

    def fill(self, stmt: ir.Fill) -> None:
        acc, value = stmt.acc, self.spell(stmt.value)
        if stmt.declares:
            self.declare(stmt)
        if acc.packed:
            value = "0" if value == "0.0f" else f"{acc.elem}({value}).bits * 0x10001u"
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
        return f", {self.spell(adds)}"

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

    def visit(self, stmt: ir.Visit) -> None:
        self.headers.add("fragment")
        self.visits.visit(stmt)

    def put(self, stmt: ir.Put) -> None:
        self.w.line(self.places.put(stmt.element, self.spell(stmt.value)))

    def reduce(self, stmt: ir.Reduce) -> None:
        self.headers.add("fragment")
        self.visits.reduce(stmt)

    def store(self, stmt: ir.StoreTile) -> None:
        self.stores.store(stmt, self.places.registers(stmt.acc, stmt.index))

    def await_launches(self, stmt: ir.AwaitLaunches) -> None:
        self.headers.add("griddepcontrol")
        self.w.line("griddepcontrol_wait();")
        self.w.line("griddepcontrol_launch_dependents();")

    def stores_read(self, stmt: ir.StoresRead) -> None:
        self.headers.add("tma")
        word = "tma_store_wait" if stmt.written else "tma_store_wait_read"
        self.w.line(by_first(stmt.unit, self.copies.team, f"{word}<{stmt.keep}>();"))


def _over_blocks(stmt: ir.Stmt) -> bool:
    """Whether a block of a cluster does something in the others."""
    if isinstance(stmt, ir.Copy):
        return stmt.multicast
    return isinstance(stmt, ir.Arrive | ir.Expect) and stmt.cluster


_FENCES = {
    ir.Fencing.WGMMA: ("wgmma_fence", "wgmma"),
    ir.Fencing.BEFORE: ("tcgen05_fence_before", "tcgen05"),
    ir.Fencing.AFTER: ("tcgen05_fence_after", "tcgen05"),
}

_HANDLERS: dict[type, Callable[[Statements, Any], None]] = {
    ir.Let: Statements.let,
    ir.Set: Statements.set,
    ir.Write: Statements.write,
    ir.Atomic: Statements.atomic,
    ir.Print: Statements.print,
    ir.Loop: Statements.loop,
    ir.While: Statements.while_,
    ir.If: Statements.if_,
    ir.Jump: Statements.jump,
    ir.Scope: Statements.scope,
    ir.Role: Statements.role,
    ir.Text: Statements.text,
    ir.Call: Statements.call,
    ir.Wait: Statements.wait,
    ir.Arrive: Statements.arrive,
    ir.Expect: Statements.expect,
    ir.Sync: Statements.sync,
    ir.Probe: Statements.probe,
    ir.Copy: Statements.copy,
    ir.Await: Statements.await_,
    ir.Rotate: Statements.rotate,
    ir.Fill: Statements.fill,
    ir.Declare: Statements.declare,
    ir.Fence: Statements.fence,
    ir.LoadFragment: Statements.load_fragment,
    ir.LoadMetadata: Statements.load_metadata,
    ir.Multiply: Statements.multiply,
    ir.Commit: Statements.commit,
    ir.Start: Statements.start,
    ir.Complete: Statements.complete,
    ir.ArriveCommitted: Statements.arrive_committed,
    ir.LoadAccumulator: Statements.load_accumulator,
    ir.KeepAccumulator: Statements.keep_accumulator,
    ir.Settle: Statements.settle,
    ir.Visit: Statements.visit,
    ir.Put: Statements.put,
    ir.Reduce: Statements.reduce,
    ir.StoreTile: Statements.store,
    ir.StoresRead: Statements.stores_read,
    ir.AwaitLaunches: Statements.await_launches,
}
