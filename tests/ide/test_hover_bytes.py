"""The bytes that a hover on a trigger tells are those that this arrival expects, counted by hand."""

from __future__ import annotations

from croqls.ide.hover import hover
from croqls.ide.snapshot import Snapshot

HALVES = """__co__ void f(global f32 [R, 64] x, global f32 [R, 64] y) {
  parallel b by 1 : block {
    shared event full[2], empty[2] = ready;
    shared f32 [4, 64] ring[2];
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) {
        foreach {k} in [cdiv(R, 4)] {
          wait empty[k % 2];
          f = tma.load.async x.subspan(3, 64).at(k, 0) => ring[k % 2].subspan(3, 64).at(0, 0);
          trigger full[k % 2] after f;
        }
      }
      inthreads.async (p == 1) {
        foreach {k} in [cdiv(R, 4)] {
          wait empty[k % 2];
          g = tma.load.async x.subspan(1, 64).at(k, 0) => ring[k % 2].subspan(1, 64).at(3, 0);
          trigger full[k % 2] after g;
        }
      }
      inthreads.async (p == 2) {
        foreach {k} in [cdiv(R, 4)] {
          wait full[k % 2];
          dma.copy ring[k % 2] => y.subspan(4, 64).at(k, 0);
          trigger empty[k % 2];
        }
      }
    }
  }
}
"""


def told(where: str) -> str:
    found = hover(Snapshot("file:///h.co", 1, HALVES), HALVES.index(where))
    assert found is not None
    return found.markdown


def test_each_of_two_producers_expects_its_own_part() -> None:
    """Three rows of 64 floats are 768 bytes, one row 256; together 1,024 are outstanding, which no arrival expects."""
    assert "with 768 bytes, by one elected thread" in told("trigger full[k % 2] after f")
    assert "with 256 bytes, by one elected thread" in told("trigger full[k % 2] after g")
    assert "Lowered to `mbarrier.arrive`, by one elected thread" in told("trigger empty[k % 2]")
