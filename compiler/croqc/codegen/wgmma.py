"""The wgmma functions that a kernel uses: one a shape, generated, since their register lists are long.

PTX ISA, wgmma.mma_async: D in registers, A and B by descriptor.
"""

from __future__ import annotations

from croqc.pipe import ir

_TYPES = {"f16": "f16", "bf16": "bf16", "tf32": "tf32", "f32": "tf32", "f8_e4m3": "e4m3", "f8_e5m2": "e5m2",
          "s8": "s8", "u8": "u8"}  # fmt: skip


def register_type(acc: ir.Accumulator) -> str:
    """What one register of an accumulator holds; 16-bit elements lie in pairs."""
    return {"f32": "float", "s32": "int", "f16": "u32"}[acc.elem]


def register_count(acc: ir.Accumulator) -> int:
    per = 2 if acc.elem == "f16" else 1
    return acc.m * acc.n // 128 // per


def function_name(stmt: ir.Multiply) -> str:
    a, b = _TYPES[stmt.a.tensor.elem], _TYPES[stmt.b.tensor.elem]
    return f"wgmma_m{stmt.m}n{stmt.n}k{stmt.k_step}_{stmt.acc.elem}_{a}_{b}"


def function_text(stmt: ir.Multiply) -> list[str]:
    """The function of a multiply's shape, line by line: `d += a x b`."""
    count, kind = register_count(stmt.acc), register_type(stmt.acc)
    a, b = _TYPES[stmt.a.tensor.elem], _TYPES[stmt.b.tensor.elem]
    constraint = "f" if kind == "float" else "r"
    registers = _wrapped([f"%{number}" for number in range(count)])
    tail = ", 1, 1, 0, 0" if a in ("f16", "bf16") else ", 1, 1" if a in ("tf32", "e4m3", "e5m2") else ""
    form = f"m{stmt.m}n{stmt.n}k{stmt.k_step}.{stmt.acc.elem}.{a}.{b}"
    lines = [f"__device__ __forceinline__ void {function_name(stmt)}({kind} (&d)[{count}], u64 a, u64 b) {{"]
    lines.append(f'  asm volatile("wgmma.mma_async.sync.aligned.{form} {{"')
    lines += [f'               "{part}"' for part in registers]
    lines.append(f'               "}}, %{count}, %{count + 1}, 1{tail};"')
    outputs = _wrapped([f'"+{constraint}"(d[{number}])' for number in range(count)])
    lines += [f"               {': ' if at == 0 else '  '}{part.rstrip()}" for at, part in enumerate(outputs)]
    lines.append('               : "l"(a), "l"(b));')
    lines.append("}")
    return lines


def _wrapped(items: list[str], width: int = 90) -> list[str]:
    """Items with commas between them, several a line."""
    lines = [""]
    for number, item in enumerate(items):
        text = item + (", " if number + 1 < len(items) else "")
        if len(lines[-1]) + len(text) > width:
            lines.append("")
        lines[-1] += text
    return lines
