"""What a block does by its index: both sides of each condition are tried, and the block that shows a fault is named."""

from __future__ import annotations

import pytest

from croqc.flow.report import KernelFlow, Strength
from tests.flow.test_no_false_proof import flow_of
from tests.rules.mending import shown

TEXT = """__co__ void pump(global s32 [R, C] src, global s32 [R, C] dst) {{
  parallel b by {blocks} : block {{
    shared s32 [4, 32] ring[2];
    shared event full[2], empty[2] = ready;
    parallel w by 2 : group {{
      inthreads.async (w == 0{role}) {{
        foreach {{k}} in [cdiv(C, 32)] {{
          if ({fills}) {{
            wait empty[k % 2];
            dma.copy src.subspan(4, 32).at(b, k) => ring[k % 2];
            trigger full[k % 2];
          }}
        }}
      }}
      inthreads.async (w == 1{taker}) {{
        foreach {{k}} in [cdiv(C, 32)] {{
          if ({takes}) {{
            wait full[k % 2];
            dma.copy ring[k % 2] => dst.subspan(4, 32).at(b, k);
            trigger empty[k % 2];
          }}
        }}
      }}
    }}
  }}
}}
"""


def text(
    fills: str = "k >= 0", takes: str = "k >= 0", blocks: str = "cdiv(R, 4)", role: str = "", taker: str = ""
) -> str:
    return TEXT.format(fills=fills, takes=takes, blocks=blocks, role=role, taker=taker)


def of(fills: str, takes: str, blocks: str = "cdiv(R, 4)") -> KernelFlow:
    return flow_of(text(fills, takes, blocks))


GUARDS = [
    "b == 0",
    "b != 2",
    "b < 4",
    "b % 2 == 0",
    "b % 3 == 1",
    "b % 6 < 4 && b > 2",
    "b % 2 == 0 && k < 3",
    "(b & 3) == 2",
]


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("blocks", ["cdiv(R, 4)", "9"])
def test_a_guard_on_the_block_that_both_roles_have_is_proved(guard: str, blocks: str) -> None:
    flow = of(guard, guard, blocks)
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


@pytest.mark.parametrize(
    ("fills", "takes", "block"),
    [
        ("b != 0", "k >= 0", "b = 0"),
        ("b != 7", "k >= 0", "b = 7"),
        ("b % 6 != 5", "k >= 0", "b = 5"),
        ("b < 4", "b < 5", "b = 4"),
        ("b % 4 == 2", "b % 2 == 0 && b % 8 != 0", "b = 4"),
        ("(b & 12) != 8", "k >= 0", "b = 8"),
    ],
)
def test_the_block_that_goes_wrong_is_named(fills: str, takes: str, block: str) -> None:
    """The smallest block in which one role does something and the other one does not."""
    (item,) = shown(text(fills, takes))
    assert item.code == "credit-deadlock"
    assert f"{block}, k = 0)" in item.message


def test_regions_of_some_blocks_are_entered_there_alone() -> None:
    """A region counts as entered by whoever enters it in some block; in the others nobody does."""
    assert flow_of(text(role=" && b % 2 == 0", taker=" && b % 2 == 0")).strength is Strength.PROVED
    (item,) = shown(text(role=" && b % 2 == 0"))
    assert item.code == "credit-deadlock"
    assert "b = 1, k = 0)" in item.message
    assert flow_of(text(role=" || b == 3", taker=" || b == 3")).strength is not Strength.PROVED


def test_a_block_that_there_is_not_is_not_tried() -> None:
    assert of("b != 9", "k >= 0", "9").strength is Strength.PROVED


@pytest.mark.parametrize("guard", ["b == cdiv(R, 4) - 1", "b * 4 < R - 4", "b == R / 4"])
def test_a_guard_that_follows_the_sizes_too_is_checked_and_says_so(guard: str) -> None:
    flow = of(guard, guard)
    assert flow.strength is Strength.CHECKED
    assert flow.reason == "a condition on 'R' and 'b' decides here; it may turn at sizes that were not tried"
    assert flow.tried.endswith("at the first and the last block")
