"""Pipelines as people write them, in all three dialects: none is accused.

What is proved is written beside each; the others are checked at most.
"""

from __future__ import annotations

import pytest

from tests.flow.pipes import check

RIGHT = {
    "classic, persistent, epilogue of the block": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [N, K] w, global f16 [M, N] c) {
  parallel {bm, bn} by [2, 2] : block {
    shared event full[4], empty[4];
    shared f16 [4 * 64, 64] as;
    shared f16 [4 * 64, 64] ws;
    shared f16 [64, 64] o;
    foreach {ti} in [cdiv(cdiv(M, 64), 2)] {
      parallel p by 2 : group-4, t by 128 : thread {
        inthreads.async (p == 0 && t == 0) {
          foreach {k} in [cdiv(K, 64)] { s = k % 4; wait empty[s];
            tma.copy.async<full[s]>.swiz<128> a.subspan(64, 64).at(ti * 2 + bm, k) => as.subspan(64, 64).at(s, 0);
            tma.copy.async<full[s]>.swiz<128> w.subspan(64, 64).at(bn, k) => ws.subspan(64, 64).at(s, 0);
            trigger full[s]; }
        }
        inthreads.async (p == 1) {
          if (ti == 0) { foreach {s} in [4] { trigger empty[s]; } }
          mc = mma.fill.f32 0.0f;
          foreach {k} in [cdiv(K, 64)] { s = k % 4; wait full[s];
            foreach {kk} in [4] {
              ma = mma.load.swiz<128> as.subspan(64, 64).at(s, 0).chunkat(_, kk);
              mb = mma.load.swiz<128> ws.subspan(64, 64).at(s, 0).chunkat(_, kk);
              mma.row.row mc, ma, mb; }
            mma.commit; trigger empty[s]; }
          mma.store mc, o;
        }
      }
      tma.copy o => c.subspan(64, 64).at(ti * 2 + bm, bn);
    }
  }
}
""",
    ),
    "current, two consumers with parts of their own": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [N, K] w, global f16 [M, N] c) {
  parallel {bm, bn} by [cdiv(M, 128), cdiv(N, 64)] : block {
    shared event full[3], empty[3] = ready;
    shared f16 [128, 64] as[3];
    shared f16 [64, 64] ws[3];
    shared f16 [128, 64] o;
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) {
        foreach {k} in [cdiv(K, 64)] { wait empty.at(k);
          la = tma.load.async a.subspan(128, 64).at(bm, k) => as[k % 3];
          lw = tma.load.async w.subspan(64, 64).at(bn, k) => ws[k % 3];
          trigger full.at(k) after la, lw; }
      }
      inthreads.async (p > 0) {
        mc = mma.fill.f32 0.0f;
        foreach {k} in [cdiv(K, 64)] { wait full.at(k);
          mma.row.row mc, as[k % 3].subspan(64, 64).at(p - 1, 0), ws[k % 3];
          trigger empty.at(k); }
        mma.store mc, o.subspan(64, 64).at(p - 1, 0);
        tma.copy o.subspan(64, 64).at(p - 1, 0) => c.subspan(64, 64).at(bm * 2 + p - 1, bn);
      }
    }
  }
}
""",
    ),
    "a ring into a ring": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by cdiv(M, 64) : block {
    shared event full[3], empty[3] = ready, full2[2], empty2[2] = ready;
    shared f16 [64, 64] x[3];
    shared f16 [64, 64] y[2];
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) { foreach {k} in [cdiv(K, 64)] { wait empty[k % 3];
        dma.copy a.subspan(64, 64).at(g, k) => x[k % 3]; trigger full[k % 3]; } }
      inthreads.async (p == 1) { foreach {k} in [cdiv(K, 64)] { wait full[k % 3]; wait empty2[k % 2];
        dma.copy x[k % 3] => y[k % 2]; trigger empty[k % 3]; trigger full2[k % 2]; } }
      inthreads.async (p == 2) { foreach {k} in [cdiv(K, 64)] { wait full2[k % 2];
        dma.copy y[k % 2] => b.subspan(64, 64).at(g, k); trigger empty2[k % 2]; } }
    }
  }
}
""",
    ),
    "persistent with a tile guard and a break": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by 8 : block {
    shared event full[2], empty[2];
    shared f16 [64, 64] x[2];
    tiles = cdiv(M, 64);
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) { foreach {t} in [cdiv(tiles, 8)] { id = t * 8 + g; if (id < tiles) { foreach {k}
        in [cdiv(K, 64)] { wait empty[k % 2]; dma.copy a.subspan(64, 64).at(id, k) => x[k % 2];
          trigger full[k % 2]; } } } }
      inthreads.async (p == 1) { foreach {s} in [2] { trigger empty[s]; } foreach {t} in [cdiv(tiles, 8)] {
        id = t * 8 + g; if (id >= tiles) break; foreach {k} in [cdiv(K, 64)] { wait full[k % 2];
          dma.copy x[k % 2] => b.subspan(64, 64).at(id, k); trigger empty[k % 2]; } } }
    }
  }
}
""",
    ),
    "a ring of metadata beside": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global u32 [M, K] e, global f16 [M, K] b) {
  parallel g by cdiv(M, 64) : block {
    shared event full[4], empty[4], meta[2], mfree[2];
    shared f16 [64, 64] x[4];
    shared u32 [64, 64] m[2];
    parallel p by 2 : group-4, t by 128 : thread {
      inthreads.async (p == 0 && t == 0) { foreach {k} in [cdiv(K, 64)] {
         wait mfree[k % 2]; tma.copy.async<meta[k % 2]> e.subspan(64, 64).at(g, k) => m[k % 2]; trigger meta[k % 2];
         wait empty[k % 4]; tma.copy.async<full[k % 4]> a.subspan(64, 64).at(g, k) => x[k % 4];
           trigger full[k % 4]; } }
      inthreads.async (p == 1) { foreach {s} in [4] { trigger empty[s]; } foreach {s} in [2] { trigger mfree[s]; }
        foreach {k} in [cdiv(K, 64)] { wait meta[k % 2]; wait full[k % 4];
          dma.copy x[k % 4] => b.subspan(64, 64).at(g, k); trigger empty[k % 4]; trigger mfree[k % 2]; } }
    }
  }
}
""",
    ),
    "orders modulo 2N and growing": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by cdiv(M, 64) : block {
    shared event full[3], empty[3] = ready;
    shared f16 [64, 64] x[3];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) { mutable int o = 0; foreach {k} in [cdiv(K, 64)] { wait empty.at(o);
        dma.copy a.subspan(64, 64).at(g, k) => x[o % 3]; trigger full.at(o); o = (o + 1) % 6; } }
      inthreads.async (p == 1) { mutable int o = 0; foreach {k} in [cdiv(K, 64)] { wait full.at(o);
        dma.copy x[o % 3] => b.subspan(64, 64).at(g, k); trigger empty.at(o++); } }
    }
  }
}
""",
    ),
    "multicast in a cluster": (
        "checked",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel cl by 2 : cluster {
  parallel g by cdiv(M, 128) : block {
    shared event full[2], empty[2];
    shared f16 [64, 64] x[2];
    parallel p by 2 : group-4, t by 128 : thread {
      inthreads.async (p == 0 && t == 0) { foreach {k} in [cdiv(K, 64)] { wait empty[k % 2];
        tma.copy.async<full[k % 2]>.multicast a.subspan(64, 64).at(g, k) => x[k % 2]; trigger full[k % 2]; } }
      inthreads.async (p == 1) { foreach {s} in [2] { trigger.cluster empty[s]; } foreach {k} in [cdiv(K, 64)] {
        wait full[k % 2]; dma.copy x[k % 2] => b.subspan(64, 64).at(g, k); trigger.cluster empty[k % 2]; } }
    } } } }
""",
    ),
    "orders over tiles": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by 8 : block {
    shared event full[3], empty[3] = ready;
    shared f16 [64, 64] x[3];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) { foreach {t, k} in [cdiv(M, 512), cdiv(K, 64)] { o = t * cdiv(K, 64) + k;
        wait empty.at(o); h = tma.copy.async a.subspan(64, 64).at(t * 8 + g, k) => x[o % 3];
          trigger full.at(o) after h; } }
      inthreads.async (p == 1) { foreach {t, k} in [cdiv(M, 512), cdiv(K, 64)] { o = t * cdiv(K, 64) + k;
        wait full.at(o); dma.copy x[o % 3] => b.subspan(64, 64).at(t * 8 + g, k); trigger empty.at(o); } }
    } } }
""",
    ),
    "an epilogue group": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by cdiv(M, 64) : block {
    shared event full[2], empty[2] = ready, done, odd = ready;
    shared f16 [64, 64] x[2];
    shared f16 [64, 64] o;
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) { foreach {k} in [cdiv(K, 64)] { wait empty[k % 2];
        dma.copy a.subspan(64, 64).at(g, k) => x[k % 2]; trigger full[k % 2]; } }
      inthreads.async (p == 1) { foreach {k} in [cdiv(K, 64)] { wait full[k % 2]; wait odd;
        dma.copy x[k % 2] => o; trigger empty[k % 2]; trigger done; } }
      inthreads.async (p == 2) { foreach {k} in [cdiv(K, 64)] { wait done;
        tma.copy o => b.subspan(64, 64).at(g, k); trigger odd; } }
    } } }
""",
    ),
    "the first slots without waiting": (
        "checked",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by cdiv(M, 64) : block {
    shared event full[4], empty[4];
    shared f16 [64, 64] x[4];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) {
        foreach {k} in [4] { if (k < cdiv(K, 64)) { dma.copy a.subspan(64, 64).at(g, k) => x[k]; trigger full[k];
          } }
        with k in [cdiv(K, 64)] { foreach k(4:) { wait empty[k % 4];
          dma.copy a.subspan(64, 64).at(g, k) => x[k % 4]; trigger full[k % 4]; } } }
      inthreads.async (p == 1) { foreach {k} in [cdiv(K, 64)] { wait full[k % 4];
        dma.copy x[k % 4] => b.subspan(64, 64).at(g, k); trigger empty[k % 4]; } }
    } } }
""",
    ),
    "consumers that pass a turn on": (
        "checked",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by 4 : block {
    shared event full[4], empty[4] = ready, turn[2];
    shared f16 [64, 64] x[4];
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) { foreach {t, k} in [2 * cdiv(M, 512), 2] { s = (2 * t + k) % 4; wait empty[s];
        dma.copy a.subspan(64, 64).at(t * 4 + g, k) => x[s]; trigger full[s]; } }
      inthreads.async (p > 0) { c = p - 1;
        if (c == 1) { trigger turn[0]; }
        foreach {i} in [cdiv(M, 512)] { wait turn[c];
          foreach {k} in [2] { s = 2 * c + k; wait full[s];
            dma.copy x[s] => b.subspan(64, 64).at((2 * i + c) * 4 + g, k); trigger empty[s]; }
          trigger turn[1 - c]; } }
    } } }
""",
    ),
    "two producers of halves": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by cdiv(M, 64) : block {
    shared event full[2], empty[2] = ready;
    shared f16 [2 * 64, 64] x;
    parallel p by 3 : group-4 {
      inthreads.async (p < 2) { foreach {k} in [cdiv(K, 64)] { wait empty[k % 2];
        dma.copy a.subspan(32, 64).at(2 * g + p, k) => x.subspan(64, 64).at(k % 2, 0).subspan(32, 64).at(p, 0);
          trigger full[k % 2]; } }
      inthreads.async (p == 2) { foreach {k} in [cdiv(K, 64)] { wait full[k % 2];
        dma.copy x.subspan(64, 64).at(k % 2, 0) => b.subspan(64, 64).at(g, k); trigger empty[k % 2]; } }
    } } }
""",
    ),
    "blocks that leave early": (
        "checked",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b, int n) {
  parallel g by cdiv(M, 64) : block {
    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] x[2];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) { if (g < n) { foreach {k} in [cdiv(K, 64)] { wait empty[k % 2];
        dma.copy a.subspan(64, 64).at(g, k) => x[k % 2]; trigger full[k % 2]; } } }
      inthreads.async (p == 1) { if (g >= n) { yield; } foreach {k} in [cdiv(K, 64)] { wait full[k % 2];
        dma.copy x[k % 2] => b.subspan(64, 64).at(g, k); trigger empty[k % 2]; } }
    } } }
""",
    ),
    "events of two dimensions in turns": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by cdiv(M, 64) : block {
    shared event full[2][2], empty[2][2];
    shared f16 [64, 64] x[4];
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) { foreach {k} in [cdiv(K, 64)] { wait empty[k % 2][k / 2 % 2];
        dma.copy a.subspan(64, 64).at(g, k) => x[k % 4]; trigger full[k % 2][k / 2 % 2]; } }
      inthreads.async (p > 0) { c = p - 1; foreach {s} in [2] { trigger empty[c][s]; } foreach {k}
        in [cdiv(K, 64)] { if (k % 2 == c) { wait full[c][k / 2 % 2];
          dma.copy x[k % 4] => b.subspan(64, 64).at(g, k); trigger empty[c][k / 2 % 2]; } } }
    } } }
""",
    ),
    "a ring for every second tile": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by 4 : block {
    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] x[2];
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) { foreach {t, k} in [cdiv(M, 256), cdiv(K, 64)] { c = t % 2; wait empty[c];
        dma.copy a.subspan(64, 64).at(t * 4 + g, k) => x[c]; trigger full[c]; } }
      inthreads.async (p > 0) { foreach {t} in [cdiv(M, 256)] { if (t % 2 == p - 1) { foreach {k}
        in [cdiv(K, 64)] { wait full[p - 1]; dma.copy x[p - 1] => b.subspan(64, 64).at(t * 4 + g, k);
          trigger empty[p - 1]; } } } }
    } } }
""",
    ),
    "while over tiles": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by 4 : block {
    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] x[2];
    tiles = cdiv(M, 64);
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) { mutable int id = g; while (id < tiles) { foreach {k} in [cdiv(K, 64)] {
        wait empty[k % 2]; dma.copy a.subspan(64, 64).at(id, k) => x[k % 2]; trigger full[k % 2]; } id += 4; } }
      inthreads.async (p == 1) { mutable int id = g; while (id < tiles) { foreach {k} in [cdiv(K, 64)] {
        wait full[k % 2]; dma.copy x[k % 2] => b.subspan(64, 64).at(id, k); trigger empty[k % 2]; } id += 4; } }
    } } }
""",
    ),
    "fresh events for every tile": (
        "proved",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by 4 : block {
    shared f16 [64, 64] x[2];
    foreach {t} in [cdiv(M, 256)] {
      shared event full[2], empty[2];
      parallel p by 2 : group-4 {
        inthreads.async (p == 0) { foreach {k} in [cdiv(K, 64)] { wait empty[k % 2];
          dma.copy a.subspan(64, 64).at(t * 4 + g, k) => x[k % 2]; trigger full[k % 2]; } }
        inthreads.async (p == 1) { foreach {s} in [2] { trigger empty[s]; } foreach {k} in [cdiv(K, 64)] {
          wait full[k % 2]; dma.copy x[k % 2] => b.subspan(64, 64).at(t * 4 + g, k); trigger empty[k % 2]; } }
      }
    } } }
""",
    ),
    "a tail of its own": (
        "checked",
        """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {
  parallel g by cdiv(M, 64) : block {
    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] x[2];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) { foreach {k} in [K / 64] { wait empty[k % 2];
        dma.copy a.subspan(64, 64).at(g, k) => x[k % 2]; trigger full[k % 2]; }
        if (K % 64 != 0) { s = K / 64 % 2; wait empty[s]; dma.copy a.subspan(64, 64).at(g, K / 64).zfill => x[s];
          trigger full[s]; } }
      inthreads.async (p == 1) { foreach {k} in [cdiv(K, 64)] { wait full[k % 2];
        dma.copy x[k % 2] => b.subspan(64, 64).at(g, k); trigger empty[k % 2]; } }
    }
  }
}
""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_pipeline_is_not_accused(name: str) -> None:
    strength, text = RIGHT[name]
    verdict = check(text)
    assert verdict.places == []
    assert verdict.strength == strength
