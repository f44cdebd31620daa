"""The table of a stage buffer: who fills a slot and who reads it, by which waits and triggers it passes on."""

from __future__ import annotations

from croqc.flow.stages import StageRow, Use, stage_rows
from croqc.flow.tables import step_text
from tests.flow.pipes import check

HEAD = "__co__ void f(global s32 [C, 128] src, global s32 [C, 128] dst, global s32 [C, 128] other) {\n"
ROW = "subspan(1, 128).at(k, 0).span_as([128])"
LOAD = f"foreach {{k}} in [C] {{ wait empty[k % 3]; tma.copy src.{ROW} => x[k % 3]; trigger full[k % 3]; }}"
RING = "shared event full[3], empty[3] = ready; shared s32 [128] x[3];"


def kernel(decl: str, *roles: str) -> str:
    parts = "\n".join(f"inthreads.async (p == {number}) {{ {role} }}" for number, role in enumerate(roles))
    return f"{HEAD} parallel b by 1 : block {{ {decl} parallel p by {len(roles)} : group-4 {{\n{parts}\n}} }} }}"


def rows(text: str, buffer: str, limit: int = 6) -> tuple[StageRow, ...]:
    found = check(text)
    assert (found.rules, found.strength) == ([], "proved")
    return stage_rows(found.flow, buffer, limit)


def use(path: int, waited: str, triggered: str) -> Use:
    return Use(f"path p == {path}", waited, triggered)


def test_a_copy_out_of_a_slot_reads_it() -> None:
    copied = f"foreach {{k}} in [C] {{ wait full[k % 3]; dma.copy x[k % 3] => dst.{ROW}; trigger empty[k % 3]; }}"
    looked = "parallel t by 128 : thread { other.at(k, t) = x[k % 3].at(t) * 2; }"
    looked = f"foreach {{k}} in [C] {{ wait full[k % 3]; {looked} trigger empty[k % 3]; }}"
    found = rows(kernel(RING, LOAD, copied, looked), "x")
    assert [(row.iteration, row.slot, row.generation) for row in found] == [
        ((("k", k),), k % 3, k // 3) for k in range(6)
    ]
    for k, row in enumerate(found):
        assert row.filled == use(0, f"empty[{k % 3}]", f"full[{k % 3}]")
        assert set(row.read) == {use(path, f"full[{k % 3}]", f"empty[{k % 3}]") for path in (1, 2)}


def test_of_two_events_waited_for_at_once_the_one_of_the_buffer_is_told() -> None:
    decl = "shared event full[3], empty[3] = ready, out_full[2], out_empty[2] = ready; shared s32 [128] x[3], y[2];"
    move = "parallel t by 128 : thread { y[k % 2].at(t) = x[k % 3].at(t) * 3; }"
    move = f"wait full[k % 3], out_empty[k % 2]; {move} trigger empty[k % 3], out_full[k % 2];"
    store = f"wait out_full[k % 2]; tma.copy y[k % 2] => dst.{ROW}; trigger out_empty[k % 2];"
    text = kernel(decl, LOAD, *(f"foreach {{k}} in [C] {{ {body} }}" for body in (move, store)))
    assert [row.read for row in rows(text, "x")] == [(use(1, f"full[{k % 3}]", f"empty[{k % 3}]"),) for k in range(6)]
    found = rows(text, "y", 4)
    assert [row.filled for row in found] == [use(1, f"out_empty[{k % 2}]", f"out_full[{k % 2}]") for k in range(4)]
    assert [row.read for row in found] == [(use(2, f"out_full[{k % 2}]", f"out_empty[{k % 2}]"),) for k in range(4)]


def test_a_slot_that_is_published_a_turn_late_is_published_by_its_own_trigger() -> None:
    load = f"""wait empty[0]; f0 = dma.copy.async src.subspan(1, 128).at(0, 0).span_as([128]) => x[0]; f1 = dma.any;
      with k in C {{ foreach k(1:) {{
        wait empty[k % 3]; f1 = dma.copy.async src.{ROW} => x[k % 3];
        wait f0; trigger full[(k - 1) % 3]; swap(f0, f1);
      }} }}
      wait f0; trigger full[(C - 1) % 3];"""
    store = f"foreach {{k}} in [C] {{ wait full[k % 3]; dma.copy x[k % 3] => dst.{ROW}; trigger empty[k % 3]; }}"
    found = rows(kernel(RING, load, store), "x")
    assert [row.filled for row in found] == [use(0, f"empty[{k % 3}]", f"full[{k % 3}]") for k in range(6)]


def test_steps_name_slots_as_they_are_written() -> None:
    """The slot of a copy that goes out, and of one that lands on an event; an event that is no array has no index."""
    store = f"wait full[k % 3]; dma.copy x[k % 3] => dst.{ROW}; trigger empty[k % 3];"
    decl = RING.replace("full[3]", "full[3], done")
    text = kernel(decl, f"{LOAD} trigger done;", f"foreach {{k}} in [C] {{ {store} }} wait done;")
    flow = check(text).flow
    told = [step_text(step) for step in flow.steps]
    assert "path p == 1 copies x[0] to global memory" in told and "path p == 1 copies x[2] to global memory" in told
    assert "path p == 0 arrives on done" in told and not any("done[" in line for line in told)
