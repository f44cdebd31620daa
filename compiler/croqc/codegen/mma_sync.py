"""Multiplies of warps, as mma.sync (PTX ISA, mma): the instruction's function, its operands and its use.

A warp has 16 rows and 8 columns a time, and 16 or 32 bytes of K; of f64 a register is an element, not four bytes, and
K goes by four. A warpgroup's 64 rows are its four warps'; their accumulators lie as those of wgmma do, so that stores
are the same. Tiles of 8 rows that lie turned take B for A.
"""

from __future__ import annotations

from croqc.codegen.places import Places
from croqc.codegen.registers import OPERANDS, register_type
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import ZERO, Expr, Lit, Op, Tile, Var, add
from croqc.sema.elements import ELEMENTS
from croqc.sema.model import THREADS, Unit


def function_name(stmt: ir.Multiply) -> str:
    a, b = OPERANDS[stmt.a.tensor.elem], OPERANDS[stmt.b.tensor.elem]
    sparse = "_sparse" if stmt.metadata else ""
    return f"mma_m{_rows(stmt)}n8k{stmt.k_step}_{stmt.acc.elem}_{a}_{b}{sparse}"


def _rows(stmt: ir.Multiply) -> int:
    """The rows of one instruction."""
    return 8 if (stmt.m, stmt.n) == (8, 8) else 16


def _of_accumulator(stmt: ir.Multiply) -> int:
    """The registers of the accumulator of one instruction."""
    return _rows(stmt) // (8 if stmt.acc.elem == "f16" else 4)


def _pieces(stmt: ir.Multiply) -> tuple[int, int]:
    """Pieces that one instruction takes along K, of A and of B."""
    pieces = stmt.k_step * ELEMENTS[stmt.a.tensor.elem].bits // (8 * piece_bytes(stmt.a.tensor.elem))
    return pieces // 2 if stmt.metadata else pieces, pieces


def piece_bytes(elem: str) -> int:
    """Bytes along K that the four threads of a row hold one register each of."""
    return 32 if elem == "f64" else 16


def _register(elem: str) -> str:
    """The type of an operand's registers."""
    return "double" if elem == "f64" else "u32"


def function_text(stmt: ir.Multiply) -> list[str]:
    """`d += a x b` for 16 rows, or 8, and 8 columns; of a sparse `a` a word says what it has (PTX ISA, mma.sp)."""
    acc, a, b = stmt.acc.elem, OPERANDS[stmt.a.tensor.elem], OPERANDS[stmt.b.tensor.elem]
    kind, count, (of_a, of_b) = register_type(stmt.acc), _of_accumulator(stmt), _pieces(stmt)
    of_a *= _rows(stmt) // 8
    word = _register(a)
    constraint = {"float": "f", "double": "d"}.get(kind, "r")
    outs = ", ".join(f"%{number}" for number in range(count))
    names = [f"a{number}" for number in range(of_a)], [f"b{number}" for number in range(of_b)]
    given = [*names[0], *names[1], *(["e"] if stmt.metadata else [])]
    ins = [f"%{count + number}" for number in range(len(given))]
    instruction, tail = ("mma.sp::ordered_metadata", f", {ins[-1]}, 0x0") if stmt.metadata else ("mma", "")
    left, right = ", ".join(ins[:of_a]), ", ".join(ins[of_a : of_a + of_b])
    form = f"m{_rows(stmt)}n8k{stmt.k_step}.row.col.{acc}.{a}.{b}.{acc}"
    outputs = ", ".join(f'"+{constraint}"(d[{number}])' for number in range(count))
    inputs = ", ".join(f'"{"d" if word == "double" else "r"}"({name})' for name in given)
    params = ", ".join(f"{word} {name}" for name in given)
    return [
        f"__device__ __forceinline__ void {function_name(stmt)}({kind}* d, {params}) {{",
        f'  asm volatile("{instruction}.sync.aligned.{form} {{{outs}}}, "',
        f'               "{{{left}}}, {{{right}}}, {{{outs}}}{tail};"',
        f"               : {outputs}",
        f"               : {inputs});",
        "}",
    ]


# --- operands from shared memory ---------------------------------------------------------------


def print_split(w: Writer, places: Places, stmt: ir.Multiply, registers: str, step: str) -> None:
    """One K step of a warpgroup's multiply: a warp's rows of A once, the columns of B sixteen at a time. `step` is its
    number, empty for the only one."""
    name, per, (of_a, of_b) = function_name(stmt), 2 if stmt.acc.elem == "f16" else 4, _pieces(stmt)
    a, b, n = (places.own(wish) for wish in ("a", "b", "n"))
    size = stmt.a.tensor.elem_bytes
    with w.block(""):
        if stmt.a_registers:
            left = _of_step(stmt.a_registers, step, 2 * of_a)
        else:
            left = [f"{a}[{number}]" for number in range(4)]
            w.line(f"u32 {a}[4];")
            load_a = "load_a" if stmt.a_k_major else "load_a_mn"
            depth = _depth(step, of_a * 16 // size)
            w.line(f"{load_a}<{_shape(places, stmt.a)}>({a}, {_at(places, stmt.a, ZERO, depth, stmt.a_k_major)});")
        told = _of_step(stmt.metadata, step, 1) if stmt.metadata else []
        w.line("#pragma unroll")
        with w.block(f"for (int {n} = 0; {n} < {stmt.n}; {n} += 16)"):
            load_b = "load_b" if stmt.b_k_major else "load_b_mn"
            more = f", {n} + 8 < {stmt.n} ? 8 : 0" if stmt.n % 16 else ""
            names = [b, *(places.own(f"b{number}") for number in range(1, of_b // 2))]
            for number, each in enumerate(names):
                depth = add(_depth(step, of_b * 16 // size), Lit(number * 32 // size))
                at = _at(places, stmt.b, Var(n), depth, stmt.b_k_major)
                w.line(f"u32 {each}[4];")
                w.line(f"{load_b}<{_shape(places, stmt.b)}>({each}, {at}{more});")
            for half, at in ((0, f"{n} / 8"), (1, f"({n} / 8 + 1)")):
                right = [f"{each}[{2 * half + deep}]" for each in names for deep in (0, 1)]
                guard = f"if ({n} + 8 < {stmt.n}) " if half and stmt.n % 16 else ""
                w.line(f"{guard}{name}({registers} + {at} * {per}, {', '.join((*left, *right, *told))});")


def _depth(step: str, width: int) -> Expr:
    """Where a K step begins, in elements of an operand."""
    return Op("*", (Var(step), Lit(width))) if step else ZERO


def _of_step(name: str, step: str, count: int) -> list[str]:
    """The registers of one K step of an operand that has so many of them a step."""
    if count == 1:
        return [f"{name}[{step or 0}]"]
    base = f"{step} * {count} + " if step else ""
    return [f"{name}[{base}{number}]" for number in range(count)]


def _shape(places: Places, tile: Tile) -> str:
    tensor = tile.tensor
    return f"{tensor.extents[0]}, {places.shared[tensor.name].swizzle}, {tensor.elem_bytes}"


def _at(places: Places, tile: Tile, along: Expr, depth: Expr, k_major: bool) -> str:
    """`along` in M or N, `depth` in K."""
    row, column = (along, depth) if k_major else (depth, along)
    at = (places.spell(add(start, more)) for start, more in ((tile.origin[0], row), (tile.origin[-1], column)))
    return f"{places.slot(tile.tensor, tile.slot)}, {', '.join(at)}"


# --- operands in registers ---------------------------------------------------------------------


def print_load(w: Writer, places: Places, stmt: ir.LoadFragment) -> None:
    """A register each: block i of 8 rows and piece j along K is register `j * rows / 8 + i`."""
    size = stmt.tile.tensor.elem_bytes
    rows = stmt.rows // 4 if stmt.unit is Unit.GROUP4 else stmt.rows
    elem, held = stmt.tile.tensor.elem, min(size, 4)
    blocks, pieces = rows // 8, stmt.k * size // piece_bytes(elem)
    if stmt.declares:
        w.line(f"{_register(elem)} {stmt.name}[{blocks * pieces}];  // {stmt.rows} x {stmt.k} {elem}")
    first = f"threadIdx.x % {THREADS[Unit.GROUP4]} / {THREADS[Unit.GROUP]} * 16 + " if stmt.unit is Unit.GROUP4 else ""
    i, j = places.own("i"), places.own("j")
    row, k = Var(f"({first}operand_row({i}))"), Var(f"operand_byte({j}) / {held}" if held > 1 else f"operand_byte({j})")
    w.line("#pragma unroll")
    with w.block(f"for (int {j} = 0; {j} < {pieces}; ++{j})"):
        w.line("#pragma unroll")
        target = f"{stmt.name}[{j} * {blocks} + {i}]"
        w.line(f"for (int {i} = 0; {i} < {blocks}; ++{i})")
        with w.indented():
            if stmt.by_words:
                w.line(f"{target} = *reinterpret_cast<const u32*>(&{places.element(stmt.tile, (row, k))});")
                return
            ends = [add(k, Lit(more)) for more in range(4 // held)]
            values = [places.element(stmt.tile, (row, end) if stmt.k_major else (end, row)) for end in ends]
            packed = f"pack_bits({', '.join(values)})"
            w.line(f"{target} = {values[0] if elem == 'f64' else packed};")


def print_warp(w: Writer, places: Places, stmt: ir.Multiply, registers: str, step: str) -> None:
    """One K step of a warp's multiply, its operands in fragments; `step` is its number, empty for the only one."""
    name, per, (of_a, of_b) = function_name(stmt), _of_accumulator(stmt), _pieces(stmt)
    one, other = (stmt.a_registers, stmt.m // 8), (stmt.b_registers, stmt.n // 8)
    (of_rows, rows), (of_columns, columns) = (other, one) if stmt.acc.turned else (one, other)
    blocks = _rows(stmt) // 8
    m, n = places.own("m"), places.own("n")
    w.line("#pragma unroll")
    with w.block(f"for (int {m} = 0; {m} < {rows // blocks}; ++{m})"):
        w.line("#pragma unroll")
        w.line(f"for (int {n} = 0; {n} < {columns}; ++{n})")
        left, right = ([_piece(step, count, each) for each in range(count)] for count in (of_a, of_b))
        a = [f"{of_rows}[{piece} * {rows} + {blocks} * {m} + {side}]" for piece in left for side in range(blocks)]
        b = [f"{of_columns}[{piece} * {columns} + {n}]" for piece in right]
        told = _of_step(stmt.metadata, step, 1) if stmt.metadata else []
        with w.indented():
            w.line(f"{name}({registers} + ({m} * {columns} + {n}) * {per}, {', '.join((*a, *b, *told))});")


def _piece(step: str, count: int, number: int) -> str:
    return f"({step} * {count} + {number})" if step else str(number)
