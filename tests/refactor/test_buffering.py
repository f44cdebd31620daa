"""Two and three buffers, and rings of events: the same results in the simulator, whatever the number of tiles."""

from collections.abc import Callable
from pathlib import Path

import pytest

from croqc.refactor import ring, rotate, stages
from croqc.refactor.base import Code, Outcome, Refusal
from tests.refactor.rewriting import code, text_of, verdicts

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


def rewritten(text: str, sites: Callable[[Code], object], edits: Callable[[Code, object], Outcome]) -> str:
    before = code(text)
    (site,) = sites(before)  # type: ignore[misc]
    return text_of(before, edits(before, site), deeper=True)


def triple(text: str) -> str:
    return rewritten(text, rotate.sites, rotate.edits)


def double(text: str) -> str:
    return rewritten(text, rotate.triple_sites, rotate.to_swap)


@pytest.mark.parametrize("tiles", [1, 2, 3, 4, 7])
def test_three_buffers_for_any_number_of_tiles(tiles: int) -> None:
    """One tile is the case in which there is no second one to load."""
    text = triple(example("swap_f16"))
    assert "rotate(lf0, lf1, lf2);" in text and "if (cdiv(K, TILE_K) > 1) {" in text
    assert verdicts(text, {"K": 64 * tiles}) == ["verified"]


def test_three_buffers_of_synchronous_copies_per_thread() -> None:
    """Sixteen tiles for certain: no condition is needed."""
    text = triple(example("swap_s32"))
    assert "foreach tile_k(2:)" in text and "if (" not in text
    assert "lf1 = dma.copy lhs.chunkat(px, tile_k(1)) => shared;" in text
    assert verdicts(text) == ["verified"]


@pytest.mark.parametrize("tiles", [2, 3, 5])
def test_two_buffers_of_three(tiles: int) -> None:
    text = double(example("rotate_triple"))
    assert "swap(f0, f1);" in text and "f2" not in text
    assert verdicts(text, {"C": 32 * tiles}) == ["verified"]


def test_there_and_back() -> None:
    """Only a condition that was not needed and a parenthesis can tell that somebody was here."""
    text = double(triple(example("swap_s32")))
    assert text == example("swap_s32")


@pytest.mark.parametrize("tiles", [1, 2, 3, 5])
def test_a_producer_and_a_consumer(tiles: int) -> None:
    text = rewritten(example("swap_f16"), ring.sites, ring.edits)
    assert "swap" not in text.split("*/")[-1].split("__co__")[1]
    assert verdicts(text, {"K": 64 * tiles}) == ["verified"]


def test_comments_between_the_tiles_are_kept() -> None:
    text = example("swap_f16").replace(
        "        wait lf0, rf0;\n        foreach", "        // the last one\n        wait lf0, rf0;\n        foreach"
    )
    assert "// the last one" in rewritten(text, ring.sites, ring.edits)


@pytest.mark.parametrize("name", ["pipeline_classic", "pipeline_course", "pipeline_current", "persistent_1p2c"])
@pytest.mark.parametrize("number", [1, 3, 5])
def test_another_number_of_stages(name: str, number: int) -> None:
    """By the macro, and by the numbers themselves."""
    text = example(name)
    before = code(text)
    event = next(iter(stages.sites(before)))
    outcome = stages.edits(before, event, number)
    if isinstance(outcome, Refusal):
        pytest.fail(outcome.reason)
    after = text_of(before, outcome, deeper=True) if outcome else text
    assert len(set(after.splitlines()) - set(text.splitlines())) == (after != text)
    assert set(verdicts(after)) == {"verified"}


def test_numbers_that_are_no_stages_stay() -> None:
    text = (
        example("pipeline_classic")
        .replace("#define STAGES 4\n", "")
        .replace("STAGES", "4")
        .replace("#define STEP_K 16", "#define STEP_K 4 * 4")
    )
    before = code(text)
    after = text_of(before, stages.edits(before, next(iter(stages.sites(before))), 3), deeper=True)
    assert "#define STEP_K 4 * 4" in after and "by 2 : group-4" in after
    changed = [line.strip() for line in after.splitlines() if line not in text.splitlines()]
    assert changed == [
        "shared event full[3], empty[3];",
        "shared f16 [3 * TILE_M, TILE_K] lhs_s;",
        "shared f16 [3 * TILE_N, TILE_K] rhs_s;",
        "stage = k % 3;",
        "foreach {s} in [3] {",
        "stage = k % 3;",
    ]
    assert set(verdicts(after)) == {"verified"}


REFUSED = [
    (
        "        swap(rf0, rf1);\n",
        "",
        "what follows the loop does not repeat its work for the tiles that are left",
    ),
    ("foreach tile_k(1:)", "foreach tile_k(0:)", "the loop is not 'foreach k(1:)'"),
    (
        "          wait lf0, rf0;\n",
        "          wait lf0, rf1;\n",
        "the work of a round touches another handle than its first one",
    ),
]


@pytest.mark.parametrize(("old", "new", "reason"), REFUSED)
def test_other_loops_are_refused(old: str, new: str, reason: str) -> None:
    before = code(example("swap_f16").replace("  " + old if old.startswith("        swap") else old, new))
    for sites, edits in ((rotate.sites, rotate.edits), (ring.sites, ring.edits)):
        (loop,) = sites(before)
        outcome = edits(before, loop)
        assert isinstance(outcome, Refusal) and outcome.reason == reason


def test_several_warpgroups_are_not_split() -> None:
    before = code(example("swap_f16").replace("parallel p by 1", "parallel p by 2"))
    (loop,) = ring.sites(before)
    outcome = ring.edits(before, loop)
    assert isinstance(outcome, Refusal) and outcome.reason == "more than one warpgroup shares the tile"


DIFFERENT = [
    ("swap_f16", ".at(bm, 0) => shared", ".at(bm, 1) => shared", "this is not what the loop loads for tile 0"),
    (
        "swap_f16",
        "row acc, ma, mb;\n        }\n        mma.commit;\n      }\n\n      mma.store",
        "row acc, mb, ma;\n        }\n        mma.commit;\n      }\n\n      mma.store",
        "this is not what the loop does with the last tiles",
    ),
    ("rotate_triple", ".at(row, 1) => shared", ".at(row, 0) => shared", "this is not what the loop loads for tile 1"),
    ("rotate_triple", "C / COLS - 2);", "C / COLS - 1);", "this is not what the loop does with the last tiles"),
    (
        "rotate_triple",
        "f0.data.at(i, j) * 3;\n      dma",
        "f0.data.at(j, i) * 3;\n      dma",
        "this is not what the loop does",
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "reason"), DIFFERENT)
def test_what_is_left_out_has_to_be_what_the_loop_does(name: str, old: str, new: str, reason: str) -> None:
    assert old in example(name)
    before = code(example(name).replace(old, new))
    sites, edits = (rotate.triple_sites, rotate.to_swap) if name == "rotate_triple" else (ring.sites, ring.edits)
    outcome = edits(before, next(iter(sites(before))))
    assert isinstance(outcome, Refusal) and outcome.reason.startswith(reason)
    place = before.slice(outcome.span)
    assert place in new


ROWS = """\
__co__ void f(global s32 [8, 16] src, global s32 [C, 16] out) {
  parallel b by 1 : block {
    parallel w by 1 : group-4 {
      with c in EXTENT {
        f0 = dma.copy.async src.subspan(1, 16).at(0, 0) => shared;
        f1 = dma.any;
        foreach c(1:) {
          f1 = dma.copy.async src.subspan(1, 16).at(c, 0) => shared;
          wait f0;
          dma.copy f0.data => out.subspan(1, 16).at(c - 1, 0);
          swap(f0, f1);
        }
        wait f0;
        dma.copy f0.data => out.subspan(1, 16).at(LAST, 0);
      }
    }
  }
}
"""


def rows(extent: str, last: str) -> Code:
    return code(ROWS.replace("EXTENT", extent).replace("LAST", last))


@pytest.mark.parametrize(
    ("extent", "last"), [("C", "c(-1)"), ("[C]", "C - 1"), ("[C]", "#c(0) - 1"), ("8", "7"), ("8", "#c - 1")]
)
def test_the_last_tile_may_be_named_in_any_way(extent: str, last: str) -> None:
    before = rows(extent, last)
    (loop,) = ring.sites(before)
    assert "f_s[stage] => out.subspan(1, 16).at((c + 1) - 1, 0);" in text_of(
        before, ring.edits(before, loop), deeper=True
    )


@pytest.mark.parametrize(("extent", "last"), [("[C]", "c(-1)"), ("[C]", "0"), ("C", "C - 2"), ("8", "6")])
def test_the_component_of_a_tuple_is_not_its_last_tile(extent: str, last: str) -> None:
    """`with c in [C]` makes a tuple of rank 1, so that `c(-1)` is its value, 0 behind the loop (reference, 3.4)."""
    before = rows(extent, last)
    (loop,) = ring.sites(before)
    outcome = ring.edits(before, loop)
    assert isinstance(outcome, Refusal) and outcome.reason == "this is not what the loop does with the last tiles"
    assert before.slice(outcome.span) in last


COPY = "dma.copy f0.data => out.subspan(1, 16).at("
OTHERWISE = [
    (f"{COPY}c - 1, 0);", "dma.copy f0.data => src.subspan(1, 16).at(c, 0);", "this may write what the loop loads"),
    ("wait f0;", "wait f0; if (C > 3) { break; }", "a round of the loop may be left early"),
    ("at(LAST, 0);", f"at(LAST, 0); {COPY}0, 0);", "'f0' is used elsewhere, too"),
]


@pytest.mark.parametrize(("old", "new", "reason"), OTHERWISE)
def test_another_order_of_tiles_would_be_seen(old: str, new: str, reason: str) -> None:
    text = ROWS.replace(old, new).replace("EXTENT", "C").replace("LAST", "c(-1)")
    before = code(text)
    for module in (ring, rotate):
        outcome = module.edits(before, next(iter(module.sites(before))))
        assert isinstance(outcome, Refusal) and outcome.reason == reason


@pytest.mark.parametrize(("extent", "value"), [("C", "c"), ("[C]", "c(0)"), ("[C]", "c(-1)")])
def test_values_and_components_of_an_index_in_the_work(extent: str, value: str) -> None:
    """`c(2)` of an integer does not move with the tile; `c(0)` of a tuple is its value, and does."""
    work = f"at({value} - 1, 0);"
    text = ROWS.replace("at(c - 1, 0);", work).replace("EXTENT", extent).replace("LAST", "C - 1")
    after = rewritten(text, rotate.sites, rotate.edits)
    assert ".at((c - 1) - 1, 0);" in after
    fixed = ROWS.replace("at(c - 1, 0);", "at(c(2), 0);").replace("EXTENT", "C").replace("LAST", "c(2)")
    assert "f0.data => out.subspan(1, 16).at(c(2), 0);" in rewritten(fixed, rotate.sites, rotate.edits)


RECURRENCE = """\
__co__ void f(global s32 [K, 128] x) {
  parallel b by 1 : block {
    shared event full[2], empty[2] = ready;
    shared s32 [1, 128] s[2], o;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [K] {
          wait empty[k % 2];
          dma.copy x.subspan(1, 128).at(k, 0) => s[k % 2];
          trigger full[k % 2];
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [K] {
          wait full[k % 2];
          parallel t by 128 : thread { o.at(0, t) = s[k % 2].at(0, t) + 1; }
          if (k + 2 < K) { dma.copy o => x.subspan(1, 128).at(k + 2, 0); }
          trigger empty[k % 2];
        }
      }
    }
  }
}
"""


def test_a_ring_that_loads_what_it_has_written_keeps_its_stages() -> None:
    """Row k + 2 is written before its slot is free: with three stages it would be loaded before."""
    before = code(RECURRENCE)
    outcome = stages.edits(before, next(iter(stages.sites(before))), 3)
    assert isinstance(outcome, Refusal) and outcome.reason == "this may write what the ring loads"
    assert before.slice(outcome.span) == "dma.copy o => x.subspan(1, 128).at(k + 2, 0);"
    by_asm = 'asm volatile("st.global.s32 [%0], 0;" :: "l"(&x.at(k, 0)) : "memory");'
    foreign = code(RECURRENCE.replace("dma.copy o => x.subspan(1, 128).at(k + 2, 0);", by_asm))
    outcome = stages.edits(foreign, next(iter(stages.sites(foreign))), 3)
    assert isinstance(outcome, Refusal) and foreign.slice(outcome.span) == by_asm
    other = code(RECURRENCE.replace("o => x.", "o => y.").replace("x) {", "x, global s32 [K, 128] y) {"))
    assert not isinstance(stages.edits(other, next(iter(stages.sites(other))), 3), Refusal)


def test_a_loop_that_works_once_a_slot_keeps_its_rounds() -> None:
    """It has as many rounds as there are slots, and each changes the result."""
    loop = "        foreach {s} in [2] { dma.copy a_s[s] => o.subspan(1, 16).at(s, 0); trigger empty[s]; }\n"
    text = STAGED.replace("STAGES", "2").replace("        foreach {s} in [2] { trigger empty[s]; }\n", loop)
    before = code(text)
    (event, *_) = stages.sites(before)
    outcome = stages.edits(before, event, 3)
    assert not isinstance(outcome, Refusal)
    assert all("foreach {s}" not in before.text[before.line_start(edit.span.start) :][:30] for edit in outcome)


STAGED = """\
__co__ void f(global f16 [K, 16] a, global f16 [4, 16] o) {
  parallel b by 1 : block {
    shared event full[STAGES], empty[STAGES];
    shared f16 [1, 16] a_s[STAGES];
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [K] {
          wait empty[k % STAGES];
          dma.copy a.subspan(1, 16).at(k, 0) => a_s[k % STAGES];
          trigger full[k % STAGES];
        }
      }
      inthreads.async (w == 1) {
        foreach {s} in [STAGES] { trigger empty[s]; }
        foreach {k} in [K] { wait full[k % STAGES]; trigger empty[k % STAGES]; }
      }
    }
  }
}
"""
MACRO = "#define STAGES 2  // of the ring\n"
OTHER = "'STAGES' stands for something else here, too"
USED = "'STAGES' is used elsewhere, too"
KERNEL = "__co__ void g(global f16 [STAGES] a) { parallel t by STAGES { a.at(t) = 0; } }\n"
ELSEWHERE = [
    (MACRO, "", "", ""),
    (MACRO, "foreach {k} in [K] { wait full", "foreach {k} in [K / STAGES] { wait full", OTHER),
    (MACRO, "[1, 16] a_s", "[1, 8 * STAGES] a_s", OTHER),
    (MACRO + "#define TWICE (2 * STAGES)\n", "", "", USED),
    (MACRO + KERNEL, "", "", USED),
    (MACRO + "// STAGES of the ring\n", "", "", ""),
]


@pytest.mark.parametrize(("head", "old", "new", "reason"), ELSEWHERE)
def test_a_macro_is_changed_where_it_means_the_ring_alone(head: str, old: str, new: str, reason: str) -> None:
    before = code(head + (STAGED.replace(old, new) if old else STAGED))
    outcome = stages.edits(before, next(iter(stages.sites(before))), 3)
    if reason:
        assert isinstance(outcome, Refusal) and outcome.reason == reason
    else:
        assert text_of(before, outcome, deeper=True) == before.file.replace("STAGES 2", "STAGES 3")


@pytest.mark.parametrize(
    ("extent", "refused"), [("[C]", False), ("[cdiv(C, 64)]", False), ("[C / 64]", True), ("8", False)]
)
def test_a_tile_that_may_not_be_there_is_not_left_out(extent: str, refused: bool) -> None:
    """With C < 64 the double buffer still copies its first tile, the loop of a ring would have no round."""
    before = rows(extent, {"8": "7", "[C]": "C - 1"}.get(extent, f"{extent[1:-1]} - 1"))
    outcome = ring.edits(before, next(iter(ring.sites(before))))
    assert isinstance(outcome, Refusal) == refused
    if isinstance(outcome, Refusal):
        assert outcome.reason == "the sizes do not say whether there are as many tiles as are loaded ahead"
    grows = code(
        ROWS.replace("s32 [8, 16] src", "s32 [C, 16] src").replace("EXTENT", extent).replace("LAST", "C / 64 - 1")
    )
    if extent == "[C / 64]":
        assert not isinstance(ring.edits(grows, next(iter(ring.sites(grows)))), Refusal)
