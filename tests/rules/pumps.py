"""Small copying pipelines that are correct, for tests that break and mend them. Must not assert.

Each writes `dst` with what `src` holds, so that the simulator can tell whether a mended one is right again.
"""

from __future__ import annotations

RUN = "// croq: run M=32 K=448\n// croq: expect dst == src\n"
HEAD = RUN + "__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {\n"

BOOTSTRAP = """        foreach {s} in [2] {
          trigger empty[s];
        }
"""
GUARDED = """            if (t == 0) {
              foreach {s} in [2] {
                trigger empty[s];
              }
            }
"""
PRODUCER = """      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 2];
          dma.copy src.subspan(16, 64).at(b, k) => ring[k % 2];
          trigger full[k % 2];
        }
      }
"""


def consumer(number: int = 1, part: int = 16) -> str:
    """A consumer that stores its own rows of the tile."""
    return f"""      inthreads.async (w == {number}) {{
{BOOTSTRAP}        foreach {{k}} in [cdiv(K, 64)] {{
          wait full[k % 2];
          dma.copy ring[k % 2].subspan({part}, 64).at({number - 1}, 0)
            => dst.subspan({part}, 64).at({16 // part} * b + {number - 1}, k);
          trigger empty[k % 2];
        }}
      }}
"""


def pump(roles: str, paths: int, slots: int = 2) -> str:
    ring = f"    shared f16 [16, 64] ring[{slots}];\n    shared event full[{slots}], empty[{slots}];\n"
    block = f"  parallel b by cdiv(M, 16) : block {{\n{ring}    parallel w by {paths} : group-4 {{\n"
    return f"{HEAD}{block}{roles}    }}\n  }}\n}}\n"


RING = pump(PRODUCER + consumer(), 2)
TWO = pump(PRODUCER + consumer(1, 8) + consumer(2, 8), 3)
BOTH = pump(
    PRODUCER
    + consumer(1, 8)
    .replace("w == 1", "w > 0")
    .replace("1 - 1", "w - 1")
    .replace("at(0, 0)", "at(w - 1, 0)")
    .replace("* b + 0", "* b + w - 1"),
    3,
)
CURRENT = """// croq: run M=32 K=448
// croq: expect dst == src
__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] ring[2];
    shared event full[2], empty[2] = ready;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty.at(k);
          tile = tma.load.async src.subspan(16, 64).at(b, k) => ring[k % 2];
          trigger full.at(k) after tile;
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [cdiv(K, 64)] {
          wait full.at(k);
          dma.copy ring[k % 2] => dst.subspan(16, 64).at(b, k);
          trigger empty.at(k);
        }
      }
    }
  }
}
"""
TILED = """// croq: run M=64 K=192
// croq: expect dst == src
__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by 2 : block {
    shared f16 [16, 64] ring[2];
    shared event full[2], empty[2];
    foreach {t} in [M / 32] {
      parallel w by 2 : group-4 {
        inthreads.async (w == 0) {
          foreach {k} in [cdiv(K, 64)] {
            wait empty[k % 2];
            dma.copy src.subspan(16, 64).at(t * 2 + b, k) => ring[k % 2];
            trigger full[k % 2];
          }
        }
        inthreads.async (w == 1) {
          if (t == 0) {
            foreach {s} in [2] {
              trigger empty[s];
            }
          }
          foreach {k} in [cdiv(K, 64)] {
            wait full[k % 2];
            dma.copy ring[k % 2] => dst.subspan(16, 64).at(t * 2 + b, k);
            trigger empty[k % 2];
          }
        }
      }
    }
  }
}
"""
TURNS = """// croq: run M=32 K=512
// croq: expect dst == src
__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] tile;
    shared event left = ready, right;
    shared event<1> full;
    parallel w by 3 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [K / 128] {
          wait left;
          dma.copy src.subspan(16, 64).at(b, 2 * k) => tile;
          trigger full;
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [K / 128] {
          wait right;
          dma.copy src.subspan(16, 64).at(b, 2 * k + 1) => tile;
          trigger full;
        }
      }
      inthreads.async (w == 2) {
        foreach {k} in [K / 128] {
          wait full;
          dma.copy tile => dst.subspan(16, 64).at(b, 2 * k);
          trigger right;
          wait full;
          dma.copy tile => dst.subspan(16, 64).at(b, 2 * k + 1);
          trigger left;
        }
      }
    }
  }
}
"""
