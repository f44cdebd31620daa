"""Who fills and who reads each slot of a buffer, and under which credits: worked out by hand from the kernels."""

from __future__ import annotations

from croqc.flow.analysis import CHECK_BUDGET, analyze_flow
from croqc.flow.landings import landed
from croqc.flow.report import KernelFlow
from croqc.flow.stages import StageRow, Use, stage_rows
from croqc.flow.tables import step_text
from croqc.service.check import check_text
from croqls.ide.flow_sites import consumers_of, producers_of
from tests.cli.seeds import EXAMPLES

HEAD = """__co__ void f(global s32 [C, 128] src, global s32 [C, 128] dst, global s32 [C, 128] more) {
  parallel b by 1 : block {
"""
LOADER = """      inthreads.async (p == 0) {
        foreach {k} in [C] {
          wait empty[k % 3];
          tma.copy src.subspan(1, 128).at(k, 0).span_as([128]) => x[k % 3];
          trigger full[k % 3];
        }
      }
"""
OUT = "dma.copy x[k % 3].span_as([1, 128]) => dst.subspan(1, 128).at(k, 0);"
TWO_READERS = (
    HEAD
    + """    shared event full[3], empty[3];
    shared s32 [128] x[3];
    parallel p by 3 : group-4 {
"""
    + LOADER
    + """      inthreads.async (p == 1) {
        foreach {s} in [3] { trigger empty[s]; }
        foreach {k} in [C] { wait full[k % 3]; OUT_HERE trigger empty[k % 3]; }
      }
      inthreads.async (p == 2) {
        foreach {s} in [3] { trigger empty[s]; }
        foreach {k} in [C] {
          wait full[k % 3];
          parallel t by 128 : thread { more.at(k, t) = x[k % 3].at(t); }
          trigger empty[k % 3];
        }
      }
    }
  }
}
"""
).replace("OUT_HERE", OUT)
PUBLISHED_LATE = (
    HEAD
    + """    shared event full[3], empty[3] = ready;
    shared s32 [128] x[3];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) {
        wait empty[0];
        f0 = dma.copy.async src.subspan(1, 128).at(0, 0).span_as([128]) => x[0];
        f1 = dma.any;
        with k in C {
          foreach k(1:) {
            wait empty[k % 3];
            f1 = dma.copy.async src.subspan(1, 128).at(k, 0).span_as([128]) => x[k % 3];
            wait f0;
            trigger full[(k - 1) % 3];
            swap(f0, f1);
          }
        }
        wait f0;
        trigger full[(C - 1) % 3];
      }
      inthreads.async (p == 1) {
        foreach {k} in [C] { wait full[k % 3]; OUT_HERE trigger empty[k % 3]; }
      }
    }
  }
}
"""
).replace("OUT_HERE", OUT)
TWO_RINGS = (
    HEAD
    + """    shared event full[3], empty[3] = ready, done[2], free[2] = ready;
    shared s32 [128] x[3], y[2];
    parallel p by 3 : group-4 {
"""
    + LOADER
    + """      inthreads.async (p == 1) {
        foreach {k} in [C] {
          wait full[k % 3], free[k % 2];
          parallel t by 128 : thread { y[k % 2].at(t) = x[k % 3].at(t) * 3 + 1; }
          trigger empty[k % 3], done[k % 2];
        }
      }
      inthreads.async (p == 2) {
        foreach {k} in [C] {
          wait done[k % 2];
          tma.copy y[k % 2] => dst.subspan(1, 128).at(k, 0).span_as([128]);
          trigger free[k % 2];
        }
      }
    }
  }
}
"""
)
HALVES = """__co__ void f(global s32 [256] src, global s32 [256] dst) {
  parallel b by 1 : block {
    shared s32 [256] x, y;
    shared event there;
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) { tma.copy src => x; trigger there; }
      inthreads.async (p > 0) {
        wait there;
        tma.copy x.subspan(128).at(p - 1) => y.subspan(128).at(p - 1);
      }
    }
    tma.copy y => dst;
  }
}
"""


def flow_of(text: str) -> KernelFlow:
    analysis = check_text(text).functions[0].analysis
    assert analysis is not None
    (flow,) = analyze_flow(analysis.model, CHECK_BUDGET)
    return landed(flow)


def expected(row: StageRow, by: str, readers: tuple[str, ...], empty: str, full: str) -> bool:
    taken, given = f"{empty}[{row.slot}]", f"{full}[{row.slot}]"
    return row.filled == Use(by, taken, given) and row.read == tuple(Use(one, given, taken) for one in readers)


def turns(rows: tuple[StageRow, ...]) -> list[tuple[int, int | None, int]]:
    return [(dict(row.iteration).get("k", 0), row.slot, row.generation) for row in rows]


def test_a_copy_out_of_a_buffer_reads_it() -> None:
    rows = stage_rows(flow_of(TWO_READERS), "x", 6)
    assert turns(rows) == [(k, k % 3, k // 3) for k in range(6)]
    assert all(expected(row, "path p == 0", ("path p == 1", "path p == 2"), "empty", "full") for row in rows)


def test_a_filling_is_published_by_the_trigger_behind_its_landing() -> None:
    rows = stage_rows(flow_of(PUBLISHED_LATE), "x", 6)
    assert turns(rows) == [(k, k % 3, k // 3) for k in range(6)]
    assert all(expected(row, "path p == 0", ("path p == 1",), "empty", "full") for row in rows)


def test_each_buffer_has_the_events_of_its_own_ring() -> None:
    flow = flow_of(TWO_RINGS)
    rows = stage_rows(flow, "x", 6)
    assert turns(rows) == [(k, k % 3, k // 3) for k in range(6)]
    assert all(expected(row, "path p == 0", ("path p == 1",), "empty", "full") for row in rows)
    rows = stage_rows(flow, "y", 4)
    assert turns(rows) == [(k, k % 2, k // 2) for k in range(4)]
    assert all(expected(row, "path p == 1", ("path p == 2",), "free", "done") for row in rows)


def test_one_copy_fills_and_reads_all_the_slots_of_a_buffer() -> None:
    """Nobody gives `x` back, so there is no event but `there`; `y` is ordered by the end of the paths."""
    flow = flow_of(HALVES)
    assert [(row.slot, row.filled, row.read) for row in stage_rows(flow, "x", 4)] == [
        (0, Use("path p == 0", "", "there"), (Use("path p = 1", "there", ""),)),
        (1, Use("path p == 0", "", "there"), (Use("path p = 2", "there", ""),)),
    ]
    assert [(row.slot, row.filled, row.read) for row in stage_rows(flow, "y", 4)] == [
        (0, Use("path p = 1", "", ""), (Use("the block", "", ""),)),
        (1, Use("path p = 2", "", ""), (Use("the block", "", ""),)),
    ]


def test_a_copy_out_consumes_what_the_copy_in_brought() -> None:
    flow = flow_of(TWO_READERS)
    copies = sorted({step.span for step in flow.steps if step.op == "copy"})
    reads = sorted({step.span for step in flow.steps if step.op == "read"})
    assert TWO_READERS[copies[1].start :].startswith(OUT[:-1])
    assert consumers_of(flow, copies[0]) == (copies[1], *reads)
    assert consumers_of(flow, copies[1]) == ()
    assert producers_of(flow, copies[1]) == (copies[0],)


def test_the_steps_of_a_ring_name_their_slots_and_single_events_none() -> None:
    texts = [step_text(step) for step in flow_of(TWO_READERS).steps if dict(step.iteration).get("k") == 1]
    assert texts.count("The copy into x[1] has landed") == 1
    assert texts.count("path p == 1 copies x[1] to global memory") == 1
    assert texts.count("The copy of x[1] has arrived in global memory") == 1
    texts = [step_text(step) for step in flow_of(HALVES).steps]
    assert "path p == 0 arrives on there and 1,024 bytes are to land" in texts
    assert "path p = 2 waits on there for generation 0, parity 0" in texts
    assert "the block copies y to global memory" in texts


def test_rotate_and_swap_are_told_as_they_are_written() -> None:
    told = {
        name: {
            step_text(step)
            for step in flow_of((EXAMPLES / f"{name}.co").read_text(encoding="utf-8")).steps
            if step.op in ("swap", "rotate")
        }
        for name in ("rotate_triple", "swap_f16")
    }
    assert told["rotate_triple"] == {"the block rotates the names of its buffers"}
    assert told["swap_f16"] == {"the block swaps the names of its buffers"}
