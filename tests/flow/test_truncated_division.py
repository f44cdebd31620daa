"""Division of what may be negative rounds towards zero (reference, 3.2), and so do the orders that follow it."""

from __future__ import annotations

import numpy as np
import pytest

from croqc.flow.courses import course
from croqc.flow.exprs import Expr, apply, closure, const, floored, var
from croqc.flow.pieces import Piece
from croqc.flow.program import Program, Size
from croqc.flow.report import Strength
from croqc.flow.settled import _Settling
from tests.flow.test_no_false_proof import flow_of
from tests.sim.kernels import run

KERNEL = """__co__ void f(global f16 [M, 64] a, global f16 [M, 64] out, int D) {{
  assert(D >= 8, "far");
  assert(D < {end}, "near");
  {define}
  parallel p by cdiv(M, 64) : block {{
    shared f16 [64, 64] ring[4];
    shared event full[4], empty[4] = ready;
    parallel w by 2 : group-4 {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [8] {{
          wait empty.at(k);
          dma.copy a.subspan(64, 64).at(p, 0) => ring[k % 4];
          trigger full.at(k);
        }}
      }}
      inthreads.async (w == 1) {{
        foreach {{k}} in [8] {{
          wait full.at(k + {order});
          dma.copy ring[(k + {order}) % 4] => out.subspan(64, 64).at(p, 0);
          trigger empty.at(k + {order});
        }}
      }}
    }}
  }}
}}
"""
SHIFT = apply("/", apply("-", var(0), const(10)), const(4))


@pytest.mark.parametrize(
    ("order", "define"),
    [("(D - 10) / 4", ""), ("q", "int q = (D - 10) / 4;"), ("(D - 14) / 10", ""), ("(D - 14) / 10 * 7", "")],
)
def test_an_order_that_truncates_to_nothing_is_not_condemned(order: str, define: str) -> None:
    """-2 / 4 and 3 / 4 are 0: for D from 8 to 13 the consumer goes as the producer does."""
    flow = flow_of(KERNEL.format(end=14, order=order, define=define))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


@pytest.mark.parametrize(("order", "end"), [("(D - 10) / 4", 15), ("(D - 12) / 4", 14)])
def test_one_that_truncates_to_a_turn_is_condemned(order: str, end: int) -> None:
    """4 / 4 at D = 14 is a turn ahead; -4 / 4 at D = 8 is one behind."""
    assert flow_of(KERNEL.format(end=end, order=order, define="")).strength is Strength.FAILS


@pytest.mark.parametrize(("far", "fits"), [(8, True), (9, True), (13, True), (14, False)])
def test_the_simulator_agrees(far: int, fits: bool) -> None:
    """What fits comes to its end with the rows copied; a turn ahead, the consumer is out of step."""
    rows = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    arrays = {"a": rows, "out": np.zeros((64, 64), np.float16)}
    text = KERNEL.format(end=15, order="(D - 10) / 4", define="")
    result = run(text, arrays, {"D": far})
    copied = np.array_equal(result.outputs["out"], rows)
    assert (copied and not result.hang and result.error is None) == fits


def test_the_course_tells_where_a_dividend_changes_its_sign() -> None:
    assert course(SHIFT, 0).bounds == (11,)
    assert course(apply("/", apply("-", SHIFT, const(2)), const(3)), 0).bounds[-1] >= 4 * 2 + 10
    mixed = apply("/", apply("-", var(0), var(1)), const(4))
    assert (course(mixed, 0).plain, course(floored("/", *mixed.args), 0).plain) == (False, True)
    assert course(apply("/", var(0), const(4)), 0).bounds == ()


@pytest.mark.parametrize(
    ("expr", "least", "rounds"),
    [
        (SHIFT, 8, 4),  # 0 at 8 and at 12, then one more each four
        (SHIFT, 20, 4),
        (apply("+", var(0), apply("*", const(3), apply(">", var(0), const(100)))), 100, 4),  # four more once
        (apply("*", SHIFT, const(2)), 8, 2),
    ],
)
def test_the_step_of_a_value_is_measured_where_it_is_straight(expr: Expr, least: int, rounds: int) -> None:
    program = Program(variables=1, names={0: "D"}, sizes=[Size("D", 0, least)])
    settling = _Settling(program, 4, [{0: least}])
    assert settling._rounds(Piece(expr, round=4), 0, course(expr, 0)) == rounds


@pytest.mark.parametrize("far", [8, 9, 13, 14, 17, 18])
def test_the_expression_of_a_path_has_the_value_of_c(far: int) -> None:
    assert closure(SHIFT)([far]) == int((far - 10) / 4)


TURNS = """__co__ void f(global s32 [R, C] src, global s32 [R, C] dst, int D) {{
  assert(D >= 7, "far");
  assert(D < {end}, "near");
  parallel b by 4 : block {{
    shared s32 [4, 32] ring[3];
    shared event full[3], empty[3] = ready;
    parallel w by 2 : group {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [8] {{
          wait empty[k % 3];
          dma.copy src.subspan(4, 32).at(b, k) => ring[k % 3];
          trigger full[k % 3];
        }}
      }}
      inthreads.async (w == 1) {{
        foreach {{k}} in [{turns}] {{
          wait full[k % 3];
          dma.copy ring[k % 3] => dst.subspan(4, 32).at(b, k);
          trigger empty[k % 3];
        }}
      }}
    }}
  }}
}}
"""


@pytest.mark.parametrize(("turns", "end"), [("(D - 10) / 4 + 8", 15), ("cdiv(D - 2, 16) + 7", 20)])
def test_a_turn_too_many_at_the_last_size_that_is_allowed_is_found(turns: str, end: int) -> None:
    """4 / 4 at D = 14, and cdiv(17, 16) at D = 19, are the only sizes with a ninth turn."""
    (finding,) = flow_of(TURNS.format(end=end, turns=turns)).findings
    assert (finding.rule, finding.sizes) == ("trip-count-mismatch", {"D": end - 1})
    assert flow_of(TURNS.format(end=end - 1, turns=turns)).findings == ()
