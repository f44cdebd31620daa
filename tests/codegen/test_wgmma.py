"""The text of a multiply's function against the forms of the PTX ISA, and the registers of accumulators."""

from __future__ import annotations

import re

import pytest

from croqc.codegen.registers import register_type
from croqc.codegen.wgmma import function_name, function_text
from croqc.pipe import ir
from croqc.pipe.exprs import Lit, Space, Tensor, whole
from croqc.sema.model import Unit
from croqc.text.span import NOWHERE


def multiply(a: str, b: str, acc: str, n: int = 64, k_step: int = 16) -> ir.Multiply:
    lhs = Tensor("a", a, (Lit(64), Lit(64)), Space.SHARED)
    rhs = Tensor("b", b, (Lit(n), Lit(64)), Space.SHARED)
    made = ir.Accumulator("acc", acc, 64, n, Unit.GROUP4)
    kind = ir.Instruction.WGMMA
    return ir.Multiply(NOWHERE, made, Lit(0), whole(lhs), whole(rhs), True, True, kind, 64, n, 64, k_step)


# PTX ISA, wgmma.mma_async: D, descriptors of A and B, scale-d, then imm-scale-a and -b for floats, imm-trans-a and -b
# for 16-bit floats alone.
FORMS = [
    ("f16", "f16", "f32", 64, 16, "m64n64k16.f32.f16.f16", "float", 32, ", 1, 1, 1, 0, 0;"),
    ("f16", "f16", "f16", 64, 16, "m64n64k16.f16.f16.f16", "u32", 16, ", 1, 1, 1, 0, 0;"),
    ("bf16", "bf16", "f32", 256, 16, "m64n256k16.f32.bf16.bf16", "float", 128, ", 1, 1, 1, 0, 0;"),
    ("f32", "f32", "f32", 64, 8, "m64n64k8.f32.tf32.tf32", "float", 32, ", 1, 1, 1;"),
    ("f8_e4m3", "f8_e5m2", "f32", 128, 32, "m64n128k32.f32.e4m3.e5m2", "float", 64, ", 1, 1, 1;"),
    ("s8", "u8", "s32", 8, 32, "m64n8k32.s32.s8.u8", "int", 4, ", 1;"),
]


@pytest.mark.parametrize(("a", "b", "acc", "n", "k_step", "form", "kind", "count", "tail"), FORMS)
def test_forms(a: str, b: str, acc: str, n: int, k_step: int, form: str, kind: str, count: int, tail: str) -> None:
    stmt = multiply(a, b, acc, n, k_step)
    text = "\n".join(function_text(stmt))
    assert f"wgmma.mma_async.sync.aligned.{form} {{" in text
    assert text.startswith(
        f"__device__ __forceinline__ void {function_name(stmt)}({kind} (&d)[{count}], u64 a, u64 b) {{"
    )
    assert f"%{count}, %{count + 1}{tail}" in text
    outputs = re.findall(r'"\+([fr])"\(d\[(\d+)\]\)', text)
    assert outputs == [("f" if kind == "float" else "r", str(number)) for number in range(count)]
    listed = text.partition(f"{form} {{")[2].partition("}}")[0]
    assert [int(number) for number in re.findall(r"%(\d+)", listed)][:count] == list(range(count))
    assert (register_type(stmt.acc), stmt.acc.registers) == (kind, count)


def test_shapes_and_types_have_names_of_their_own() -> None:
    names = {function_name(multiply(a, b, acc, n, k)) for a, b, acc, n, k, *_ in FORMS}
    assert len(names) == len(FORMS)
