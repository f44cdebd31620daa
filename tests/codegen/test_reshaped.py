"""`span_as` of a tensor whose elements the layout permutes: the same elements in the same order (reference, 3.5)."""

from __future__ import annotations

import re

import pytest

from croqc.codegen.places import Places
from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit, Space, Tensor, whole
from croqc.pipe.printer import tile
from croqc.service.check import check_text
from croqc.text.diagnostics import Severity
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.codegen.compiling import complaints, log_of, lowered
from tests.pipe.kernels import kernel
from tests.pipe.lowering import after, only

TILE = Tensor("a", "f16", (Lit(64), Lit(128)), Space.SHARED, 2)
PLACES = Places(replace(kernel(), shared=(ir.Shared(TILE, 64 * 128 * 2, NOWHERE, 128, 1024, 0),)))
KERNEL = """// croq: run M=64 N=64
__co__ void mm(global f16 [M, 64] lhs, global f16 [N, 64] rhs, global f16 [32, 128] flat, global f32 [M, N] output) {
  parallel {i, j} by [cdiv(M, 64), cdiv(N, 64)] : block {
    shared f16 [DECLARED] a;
    shared f16 [64, 64] bb;
    parallel p by 1 : group-4 {
      FILLED
      tma.copy rhs.subspan(64, 64).at(j, 0) => bb;
      acc = mma.fill.f32 0.0f;
      mma.row.row acc, OPERAND, bb;
      mma.commit;
      mma.store acc, output.subspan(64, 64).at(i, j);
    }
  }
}
"""
LOADED = "tma.copy lhs.subspan(64, 64).at(i, 0) => a;"
TRANSFORMED = """{0} v = a.span_as([{1}]);
      parallel t by 128 : thread {{ foreach r in 32 {{ v.at({2}) = v.at({2}) + v.at({2}); }} }}"""


def kernel_of(filled: str = LOADED, declared: str = "64, 64", operand: str = "a") -> str:
    return KERNEL.replace("FILLED", filled).replace("DECLARED", declared).replace("OPERAND", operand)


@pytest.mark.parametrize("shape", [(8192,), (32, 256), (128, 64), (4, 16, 128), (8192, 1)], ids=str)
def test_an_element_keeps_its_place(shape: tuple[int, ...]) -> None:
    """The n-th element of the view is the n-th of the tensor, row by row."""
    view = whole(replace(TILE, shape=tuple(Lit(extent) for extent in shape)), Lit(1))
    for number in (0, 1, 63, 64, 127, 128, 129, 4095, 5000, 8191):
        index, rest = [], number
        for extent in reversed(shape):
            index.insert(0, Lit(rest % extent))
            rest //= extent
        row, column = number // 128, number % 128
        assert PLACES.element(view, tuple(index)) == f"at<f16, 64, 128>(a + 8192, {row}, {column})"


@pytest.mark.parametrize(
    ("shape", "at", "row", "column"),
    [
        ("4096", "t * 32 + r", "(t * 32 + r) / 64", "(t * 32 + r) % 64"),
        ("32, 128", "r, t", "(r * 128 + t) / 64", "(r * 128 + t) % 64"),
    ],
)
def test_a_transform_of_an_operand(shape: str, at: str, row: str, column: str) -> None:
    filled = f"{LOADED}\n      {TRANSFORMED.format('', shape, at)}"
    report = check_text(kernel_of(filled))
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    code = item.program.unit.text
    assert f"at<f16, 64, 128>(a, {row}, {column}) = " in code
    assert complaints(log_of(code, "sm_90a")) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (kernel_of("tma.copy flat => a.span_as([32, 128]);"), "tma.copy flat"),
        (kernel_of("tma.copy flat => a;", "32, 128", "a.span_as([64, 64])"), "mma.row.row acc"),
    ],
    ids=["transfer", "multiply"],
)
def test_rows_in_another_shape_are_refused_at_their_place(text: str, place: str) -> None:
    report = check_text(text)
    assert [item.message for item in report.diagnostics if item.severity is Severity.ERROR] == []
    problem = lowered(report, report.functions[0]).problem
    assert problem is not None
    assert text[problem.span.start :].startswith(place)
    assert re.fullmatch(r"'a' is swizzled in its own shape, .*: declare it with that shape, .*", problem.message)


PARTS = """__co__ void f(global f32 [M, 8, 12] x, global f32 [M, 96] y) {{
  parallel b by M / 4 : block {{
    shared f32 [8, 8, 12] s;
    shared f32 [PART] t;
    dma.copy s.subspan(4, 8, 12).at(1, 0, 0).span_as(PART) => t;
    dma.copy t => y.subspan(4, 96).at(b, 0).span_as(PART);
  }}
}}
"""


@pytest.mark.parametrize(
    ("part", "taken", "given"),
    [
        ("384", "s[384 : 384]", "y[b * 4 * 96 : 384]"),
        ("16, 24", "s[16, 0 : 16 x 24]", "y[b * 4 * 4, 0 : 16 x 24]"),
        ("32, 4, 3", "s[32, 0, 0 : 32 x 4 x 3]", "y[b * 4 * 8, 0, 0 : 32 x 4 x 3]"),
        ("4, 96", "s[4, 0 : 4 x 96]", "y[b * 4, 0 : 4 x 96]"),
    ],
)
def test_whole_rows_of_a_part_in_another_shape(part: str, taken: str, given: str) -> None:
    copies = only(after("build", PARTS.format().replace("PART", part), {"M": 8}), ir.Copy)
    assert tile(copies[0].source) == taken
    assert tile(copies[1].dest).partition(" (valid")[0] == given


@pytest.mark.parametrize("part", ["6, 64", "2, 192"])
def test_rows_that_may_not_exist_and_are_no_multiples_of_the_new_ones_are_refused(part: str) -> None:
    with pytest.raises(LoweringError, match="one behind the other, and all of which exist"):
        after("build", PARTS.format().replace("PART", part), {"M": 8})
