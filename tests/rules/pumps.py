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
STORES = """// croq: run M=32 N=640
// croq: expect out == src * 2
__co__ void twice(global f32 [M, N] src, global f32 [M, N] out) {
  parallel b by cdiv(M, 16) : block {
    shared f32 [16, 64] ring[3];
    shared event full[3], empty[3] = ready;
    parallel w by 2 : group-4, t by 128 : thread {
      inthreads.async (w == 0 && t == 0) {
        foreach {k} in [cdiv(N, 64)] {
          wait empty.at(k);
          f = tma.load.async src.subspan(16, 64).at(b, k) => ring[k % 3];
          trigger full.at(k) after f;
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [cdiv(N, 64)] {
          wait full.at(k);
          foreach {i} in [8] {
            r = (i * 128 + t) / 64;
            c = (i * 128 + t) % 64;
            out.at(b * 16 + r, k * 64 + c) = ring[k % 3].at(r, c) * 2.0f;
          }
          trigger empty.at(k);
        }
      }
    }
  }
}
"""
"""One thread loads, a group stores elements: no copy reads the ring."""
PACKED = """// croq: run M=32 K=448
// croq: expect dst == src
__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [2 * 16, 64] ring;
    shared event full[2], empty[2];
    parallel w by 2 : group-4, t by 128 : thread {
      inthreads.async (w == 0 && t == 0) {
        foreach {k} in [cdiv(K, 64)] {
          stage = k % 2;
          wait empty[stage];
          tma.copy.async<full[stage]> src.subspan(16, 64).at(b, k) => ring.subspan(16, 64).at(stage, 0);
          trigger full[stage];
        }
      }
      inthreads.async (w == 1) {
        foreach {s} in [2] {
          trigger empty[s];
        }
        foreach {k} in [cdiv(K, 64)] {
          stage = k % 2;
          wait full[stage];
          dma.copy ring.subspan(16, 64).at(stage, 0) => dst.subspan(16, 64).at(b, k);
          trigger empty[stage];
        }
      }
    }
  }
}
"""
"""All slots stand in one buffer, as most classic kernels have them."""
CHAIN = """// croq: run M=32 K=448
// croq: expect dst == src
__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] raw[2], done[3];
    shared event full[2], empty[2], filled[3], taken[3];
    parallel w by 3 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 2];
          dma.copy src.subspan(16, 64).at(b, k) => raw[k % 2];
          trigger full[k % 2];
        }
      }
      inthreads.async (w == 1) {
        foreach {s} in [2] {
          trigger empty[s];
        }
        foreach {k} in [cdiv(K, 64)] {
          wait full[k % 2];
          wait taken[k % 3];
          dma.copy raw[k % 2] => done[k % 3];
          trigger empty[k % 2];
          trigger filled[k % 3];
        }
      }
      inthreads.async (w == 2) {
        foreach {s} in [3] {
          trigger taken[s];
        }
        foreach {k} in [cdiv(K, 64)] {
          wait filled[k % 3];
          dma.copy done[k % 3] => dst.subspan(16, 64).at(b, k);
          trigger taken[k % 3];
        }
      }
    }
  }
}
"""
"""Two rings of other lengths, one behind the other: the role between them consumes and produces."""
PACKED_CHAIN = """// croq: run M=32 K=448
// croq: expect dst == src
__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [2 * 16, 64] raw;
    shared f16 [3 * 16, 64] done;
    shared event full[2], empty[2], filled[3], taken[3];
    parallel w by 3 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 2];
          tma.copy.async<full[k % 2]> src.subspan(16, 64).at(b, k)
            => raw.subspan(16, 64).at(k % 2, 0);
          trigger full[k % 2];
        }
      }
      inthreads.async (w == 1) {
        foreach {s} in [2] {
          trigger empty[s];
        }
        foreach {k} in [cdiv(K, 64)] {
          wait full[k % 2];
          wait taken[k % 3];
          dma.copy raw.subspan(16, 64).at(k % 2, 0) => done.subspan(16, 64).at(k % 3, 0);
          trigger empty[k % 2];
          trigger filled[k % 3];
        }
      }
      inthreads.async (w == 2) {
        foreach {s} in [3] {
          trigger taken[s];
        }
        foreach {k} in [cdiv(K, 64)] {
          wait filled[k % 3];
          dma.copy done.subspan(16, 64).at(k % 3, 0) => dst.subspan(16, 64).at(b, k);
          trigger taken[k % 3];
        }
      }
    }
  }
}
"""
"""The same with both rings packed."""
CURRENT_CHAIN = """// croq: run M=32 K=448
// croq: expect dst == src
__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] raw[2], done[3];
    shared event full[2], empty[2] = ready, filled[3], taken[3] = ready;
    parallel w by 3 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty.at(k);
          f = tma.load.async src.subspan(16, 64).at(b, k) => raw[k % 2];
          trigger full.at(k) after f;
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [cdiv(K, 64)] {
          wait full.at(k);
          wait taken.at(k);
          dma.copy raw[k % 2] => done[k % 3];
          trigger empty.at(k);
          trigger filled.at(k);
        }
      }
      inthreads.async (w == 2) {
        foreach {k} in [cdiv(K, 64)] {
          wait filled.at(k);
          dma.copy done[k % 3] => dst.subspan(16, 64).at(b, k);
          trigger taken.at(k);
        }
      }
    }
  }
}
"""
"""The same with futures and orders."""
PAIR = """// croq: run M=32 K=448
// croq: expect dst == src
// croq: expect out == other
__co__ void pump(global f16 [M, K] src, global f16 [M, K] other, global f16 [M, K] dst, global f16 [M, K] out) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] left[2], right[3];
    shared event lfull[2], lempty[2], rfull[3], rempty[3];
    parallel w by 3 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait lempty[k % 2];
          dma.copy src.subspan(16, 64).at(b, k) => left[k % 2];
          trigger lfull[k % 2];
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [cdiv(K, 64)] {
          wait rempty[k % 3];
          dma.copy other.subspan(16, 64).at(b, k) => right[k % 3];
          trigger rfull[k % 3];
        }
      }
      inthreads.async (w == 2) {
        foreach {s} in [2] {
          trigger lempty[s];
        }
        foreach {s} in [3] {
          trigger rempty[s];
        }
        foreach {k} in [cdiv(K, 64)] {
          wait lfull[k % 2];
          dma.copy left[k % 2] => dst.subspan(16, 64).at(b, k);
          trigger lempty[k % 2];
          wait rfull[k % 3];
          dma.copy right[k % 3] => out.subspan(16, 64).at(b, k);
          trigger rempty[k % 3];
        }
      }
    }
  }
}
"""
"""Two producers with a ring each, and one role that takes from both."""
