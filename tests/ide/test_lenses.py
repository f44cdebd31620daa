"""Lenses over functions: titles, commands, the cost of the kernel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croqc.service.check import check_text
from croqls.ide.lenses import Costs, Laid, layout_keys, lenses
from croqls.ide.shared_memory import layouts_of, shared_memory
from croqls.ide.snapshot import Snapshot

EXAMPLES = Path(__file__).parents[2] / "examples"


def text_of(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


def shown(text: str, card: bool = False) -> list[tuple[str, str]]:
    return [(lens.title, lens.command) for lens in lenses(Snapshot("file:///k.co", 1, text), card)]


def bytes_of(snapshot: Snapshot, numbers: list[int]) -> list[int | None]:
    return [None if one is None else one.bytes for one in layouts_of(snapshot.report, numbers)]


def test_what_can_be_done_with_a_kernel() -> None:
    # two rings of 2 * 16 KiB, a result of 8 KiB, four barriers of 8 bytes
    cost = "buffers 72.0/227 KiB · 2 paths · 2 stages"
    assert shown(text_of("pipeline_course"), card=True) == [
        ("▶ Run on GPU", "croqtile.run"),
        ("✓ Verify", "croqtile.verify"),
        ("⧉ Credit flow", "croqtile.showFlow"),
        ("{ } CUDA", "croqtile.showCuda"),
        (cost, "croqtile.showSharedMemory"),
    ]
    assert shown(text_of("pipeline_course"))[0] == ("▶ Run (simulator)", "croqtile.run")


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("pipeline_current", "buffers 56.0/227 KiB · 2 paths · 3 stages"),
        ("pipeline_1p2c", "buffers 88.0/227 KiB · 3 paths · 3 stages"),
        ("add_tiled", "buffers ≥ 1.0/227 KiB · 1 path"),
    ],
)
def test_the_cost_of_a_kernel(name: str, cost: str) -> None:
    found = [title for title, command in shown(text_of(name)) if command == "croqtile.showSharedMemory"]
    assert found == [cost]


def test_the_bytes_are_those_of_croq_check() -> None:
    told = [item for item in check_text(text_of("pipeline_1p2c")).diagnostics if item.code == "dynamic-shared-memory"]
    count = int(told[0].message.split()[0])
    assert f"buffers {count / 1024:.1f}/227 KiB" in shown(text_of("pipeline_1p2c"))[-1][0]


@pytest.mark.parametrize("name", ["gemm_f16", "pipeline_1p2c", "swap_s32", "add_tiled"])
def test_the_memory_is_that_of_the_layout_where_it_is_known(name: str) -> None:
    """As `croqtile/sharedMemory` has it: `mma.store` stages 32 KiB of gemm_f16 that no line declares."""
    snapshot = Snapshot("file:///k.co", 1, text_of(name))
    (function,) = [one.name for one in snapshot.report.functions]
    (kernel,) = shared_memory(snapshot.report, function, {}).kernels
    assert bytes_of(snapshot, [0]) == [kernel.bytes]
    plain = lenses(snapshot, False)[-1].title
    told = lenses(snapshot, False, layouts={layout_keys(snapshot.report)[0]: Laid(kernel.bytes, {})})[-1].title
    assert told == re.sub(r"buffers (≥ )?[\d.]+/", f"shared {kernel.bytes / 1024:.1f}/", plain)
    assert told.startswith({"gemm_f16": "shared 224.1/227 KiB · "}.get(name, "shared "))


def test_a_layout_is_that_of_a_text_its_sizes_and_its_target() -> None:
    text = text_of("pipeline_course")
    before = Snapshot("file:///k.co", 1, text)
    layouts = {layout_keys(before.report)[0]: Laid(1024, {})}

    def known(changed: str) -> bool:
        return lenses(before.edited(2, changed), False, layouts=layouts)[-1].title.startswith("shared 1.0/")

    assert known(f"// above it\n{text}")
    assert not known(text.replace("MATMUL_STAGES 2", "MATMUL_STAGES 3"))
    assert not known(f"// croq: run M=64 N=64 K=512\n{text}")
    assert not known(f"// croq: arch sm_100a\n{text}")
    assert not known(text.replace("mma.commit", "mma .commit"))


def test_every_function_has_its_own_above_its_name() -> None:
    text = "__co__ void f(f32 [N] x) {}\n\n__co__ void g(global f32 [N] x) {\n  parallel i by N : thread {}\n}\n"
    found = lenses(Snapshot("file:///k.co", 1, text), card=False)
    assert [(lens.function, text[lens.span.start : lens.span.end]) for lens in found] == [("f", "f")] * 2 + [
        ("g", "g")
    ] * 5


def test_a_text_that_is_being_typed_keeps_its_lenses() -> None:
    text = text_of("pipeline_course")
    whole = shown(text)
    assert shown(text.replace("trigger full[stage];", "trigger full[")) == whole
    for length in range(0, len(text), 101):
        lenses(Snapshot("file:///k.co", 1, text[:length]), card=False)


def test_costs_are_kept_for_functions_that_did_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of("pipeline_course")
    before = Snapshot("file:///k.co", 1, text)
    costs: Costs = {}
    found = lenses(before, False, costs)
    monkeypatch.setattr("croqls.ide.lenses._cost", lambda _: "anew")
    assert [one.title for one in lenses(before.edited(2, "// more\n" + text), False, costs)] == [
        one.title for one in found
    ]
    changed = before.edited(3, text.replace("mma.commit", "mma .commit"))
    assert lenses(changed, False, costs)[-1].title == "anew"
    assert len(costs) == 1


OVERLOADS = """__co__ void f(global s32 [8] x) {
  parallel b by 1 : block {
    shared s32 [8] small;
    parallel p by 8 : thread { small.at(p) = x.at(p); x.at(p) = small.at(7 - p); }
  }
}
__co__ void f(global f16 [64, 64] x) {
  parallel b by 1 : block {
    shared f16 [64, 64] large;
    parallel p by 64 : thread { large.at(p, 0) = x.at(p, 0); x.at(p, 0) = large.at(63 - p, 0); }
  }
}
__co__ void g(global s32 [N] x) { parallel p by N : thread { x.at(p) = 1; } }
"""


def test_two_kernels_of_one_name_take_what_each_takes() -> None:
    """32 bytes, and 64 rows of 64 halves; of the third, without shared memory, none."""
    snapshot = Snapshot("file:///k.co", 1, OVERLOADS)
    assert bytes_of(snapshot, [0, 1, 2]) == [32, 8192, 0]
    assert bytes_of(snapshot, [1]) == [8192]
