"""Hovers on futures whose copies go to declared buffers: each row names the slot, counted by hand."""

from __future__ import annotations

import pytest

from croqls.ide.hover import hover
from croqls.ide.snapshot import Snapshot
from tests.cli.seeds import EXAMPLES

HEAD = ["| iteration | copy into | waits for | names at the end |", "| --- | --- | --- | --- |"]
NOTE = "numbered in the order"


def told(text: str, name: str) -> str:
    found = hover(Snapshot("file:///f.co", 1, text), text.index(name))
    assert found is not None
    return found.markdown


def rows(markdown: str) -> list[str]:
    return [line for line in markdown.splitlines() if line.startswith("|")]


@pytest.mark.parametrize(("future", "ring"), [("lf = ", "lhs_s"), ("rf = ", "rhs_s")])
def test_copies_go_round_a_ring(future: str, ring: str) -> None:
    """Three slots: turns 0 to 2 fill them, then again."""
    said = told((EXAMPLES / "pipeline_current.co").read_text(encoding="utf-8"), future)
    slots = [f"`{ring}[{k % 3}]`" for k in range(6)]
    assert rows(said) == HEAD + [f"| k = {k} | {slot} |  | {slot} |" for k, slot in enumerate(slots)]
    assert NOTE not in said


ONE_PATH = """__co__ void f(global s32 [R, 16] x, global s32 [R, 16] y) {
  parallel b by 1 : block {
    shared s32 [1, 16] ring[3];
    parallel p by 1 : group-4 {
      foreach {k} in [R] {
        take = dma.copy.async x.subspan(1, 16).at(k, 0) => ring[k % 3];
        wait take;
        put = tma.copy.async ring[k % 3] => y.subspan(1, 16).at(k, 0);
        wait put;
      }
    }
  }
}
"""


def test_what_is_waited_for_is_named_too() -> None:
    said = told(ONE_PATH, "take = ")
    slots = [f"`ring[{k % 3}]`" for k in range(6)]
    assert rows(said) == HEAD + [f"| k = {k} | {slot} | {slot} | {slot} |" for k, slot in enumerate(slots)]


def test_a_copy_that_goes_out_names_no_buffer() -> None:
    said = rows(told(ONE_PATH, "put = "))
    assert said[2:4] == [f"| k = {k} | global memory | global memory |  |" for k in range(2)]


def test_slots_of_two_dimensions_have_both_subscripts() -> None:
    text = ONE_PATH.replace("ring[3]", "ring[2][2]").replace("ring[k % 3]", "ring[k / 2 % 2][k % 2]")
    slots = [f"`ring[{k // 2 % 2}][{k % 2}]`" for k in range(6)]
    assert rows(told(text, "take = ")) == HEAD + [f"| k = {k} | {it} | {it} | {it} |" for k, it in enumerate(slots)]


TWO_PATHS = """__co__ void f(global s32 [R, 16] x, global s32 [R, 16] y) {
  parallel b by 1 : block {
    shared s32 [1, 16] ring[6];
    parallel p by 2 : group-4 {
      foreach {k} in [R / 2] {
        take = dma.copy.async x.subspan(1, 16).at(2 * k + p, 0) => ring[3 * p + k % 3];
        wait take;
        dma.copy ring[3 * p + k % 3] => y.subspan(1, 16).at(2 * k + p, 0);
      }
    }
  }
}
"""


def test_each_path_has_a_future_of_its_own() -> None:
    """The second path fills slots 3 to 5."""
    said = told(TWO_PATHS, "take = ")
    first, second = said.index("Path `p = 0`:"), said.index("Path `p = 1`:")
    assert first < second
    assert "| k = 1 | `ring[1]` | `ring[1]` | `ring[1]` |" in said[first:second]
    assert "| k = 1 | `ring[4]` | `ring[4]` | `ring[4]` |" in said[second:]
    assert "ring[4]" not in said[first:second]


TILES = """__co__ void f(global s32 [C, 16] src, global s32 [C, 16] dst, int J) {
  assert(C >= 1, "C");
  parallel b by 1 : block {
    foreach q in [J] {
      with c in [C] {
        f0 = dma.copy.async src.subspan(1, 16).at(0, 0) => shared;
        f1 = dma.any;
        foreach c(1:) {
          f1 = dma.copy.async src.subspan(1, 16).at(c, 0) => shared;
          wait f0;
          dma.copy f0.data => dst.subspan(1, 16).at(c - 1, 0);
          swap(f0, f1);
        }
        wait f0;
        dma.copy f0.data => dst.subspan(1, 16).at(C - 1, 0);
      }
    }
  }
}
"""


def test_the_run_that_is_shown_makes_a_turn_of_every_loop() -> None:
    """Else a pipeline in a loop over tiles has nothing to show. f0 has tile 0 in buffer 0; each turn waits for what f0
    names and exchanges both."""
    said = told(TILES, "f0 = ")
    assert rows(said)[:5] == [
        *HEAD,
        "| q = 0 | buffer 0 |  | buffer 0 |",
        "| q = 0, c = 1 |  | buffer 0 | buffer 1 |",
        "| q = 0, c = 2 |  | buffer 1 | buffer 0 |",
    ]
    assert NOTE in said
