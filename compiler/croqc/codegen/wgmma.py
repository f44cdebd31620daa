"""The wgmma functions that a kernel uses: one a shape, generated, since their register lists are long.

PTX ISA, wgmma.mma_async: D in registers, A and B by descriptor.
"""

from __future__ import annotations

from croqc.codegen.registers import OPERANDS, register_count, register_type
from croqc.pipe import ir


def function_name(stmt: ir.Multiply) -> str:
    a, b = OPERANDS[stmt.a.tensor.elem], OPERANDS[stmt.b.tensor.elem]
    held = "_registers" if stmt.a_registers else ""
    sparse = "_sparse" if stmt.metadata else ""
    majors = ("" if stmt.a_k_major or held else "_a_mn") + ("" if stmt.b_k_major else "_b_mn")
    part = "" if stmt.n == stmt.acc.n else f"_from{stmt.first}of{stmt.acc.n}"
    return f"wgmma_m{stmt.m}n{stmt.n}k{stmt.k_step}_{stmt.acc.elem}_{a}_{b}{held}{majors}{sparse}{part}"


def function_text(stmt: ir.Multiply) -> list[str]:
    """The function of a multiply's shape, line by line: `d += a x b`. A comes by descriptor or in four registers.

    A sparse one takes the word that says where A's elements stand. One that may overwrite takes a last argument: where
    it is false, `d = a x b`. One of some columns has their registers, one behind the other, of all."""
    whole, kind = register_count(stmt.acc), register_type(stmt.acc)
    count, base = whole * stmt.n // stmt.acc.n, whole * stmt.first // stmt.acc.n
    a, b = OPERANDS[stmt.a.tensor.elem], OPERANDS[stmt.b.tensor.elem]
    constraint = "f" if kind == "float" else "r"
    form = f"m{stmt.m}n{stmt.n}k{stmt.k_step}.{stmt.acc.elem}.{a}.{b}"
    names = [f"a{number}" for number in range(4)] if stmt.a_registers else ["a"]
    places = [f"%{count + number}" for number in range(len(names) + 1)]
    left = f"{{{', '.join(places[:-1])}}}" if stmt.a_registers else places[0]
    params = ", ".join(f"{'u32' if stmt.a_registers else 'u64'} {name}" for name in names)
    last, test, adds, end, word, told = "", "", "1", "", "", ""
    if stmt.metadata:
        last, word, told = ", u32 e", ".sp", f", %{count + len(places)}, 0"
    if stmt.adds is not None:
        last, adds, end = f"{last}, bool adds", "adds", "}"
        test = f"{{.reg .pred adds; setp.ne.b32 adds, %{count + len(places) + bool(stmt.metadata)}, 0; "
    lines = [f"__device__ __forceinline__ void {function_name(stmt)}({kind} (&d)[{whole}], {params}, u64 b{last}) {{"]
    lines.append(f'  asm volatile("{test}wgmma.mma_async{word}.sync.aligned.{form} {{"')
    lines += [f'               "{part}"' for part in _wrapped([f"%{number}" for number in range(count)])]
    lines.append(f'               "}}, {left}, {places[-1]}{told}, {adds}{_tail(stmt)};{end}"')
    outputs = _wrapped([f'"+{constraint}"(d[{base + number}])' for number in range(count)])
    lines += [f"               {': ' if at == 0 else '  '}{part.rstrip()}" for at, part in enumerate(outputs)]
    inputs = [f'"{"r" if stmt.a_registers else "l"}"({name})' for name in names]
    inputs += ['"l"(b)', *(['"r"(e)'] if stmt.metadata else []), *([] if stmt.adds is None else ['"r"(int(adds))'])]
    lines.append(f"               : {', '.join(inputs)});")
    lines.append("}")
    return lines


def _tail(stmt: ir.Multiply) -> str:
    """Signs and, for 16-bit elements, which operands in shared memory do not lie along K."""
    elem = OPERANDS[stmt.a.tensor.elem]
    if elem in ("f16", "bf16"):
        majors = [stmt.b_k_major] if stmt.a_registers else [stmt.a_k_major, stmt.b_k_major]
        return "".join((", 1, 1", *(", 0" if major else ", 1" for major in majors)))
    return ", 1, 1" if elem in ("tf32", "e4m3", "e5m2") else ""


def fragment_arguments(stmt: ir.Multiply, step: str) -> str:
    """The registers of A of one K step: 16 rows a warp are two blocks of 8."""
    base = f"{step} * 4 + " if step else ""
    return ", ".join(f"{stmt.a_registers}[{base}{number}]" for number in range(4))


def _wrapped(items: list[str], width: int = 90) -> list[str]:
    """Items with commas between them, several a line."""
    lines = [""]
    for number, item in enumerate(items):
        text = item + (", " if number + 1 < len(items) else "")
        if len(lines[-1]) + len(text) > width:
            lines.append("")
        lines[-1] += text
    return lines
