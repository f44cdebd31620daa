"""Which shared tensors may lie in the same bytes, and which not; the fence where the async proxy takes them over."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import InvalidIrError, LoweringError
from croqc.pipe.passes.memory import extent, overlapping
from croqc.pipe.verify import verify
from croqc.text.record import replace
from tests.gpu.cases import COVERAGE
from tests.pipe.lowering import after, only

SIZES = {"M": 256, "N": 256}
TEXT = """__co__ void f(global f16 [M, N] x, global f16 [M, N] y) {{
  parallel {{i, j}} by [M / 64, N / 64] : block {{
    shared f16 [64, 64] a, b;
    shared event done;
    {body}
  }}
}}
"""
LOAD = "dma.copy x.subspan(64, 64).at(i, j) => {0};"
TMA = "tma.copy x.subspan(64, 64).at(i, j) => {0};"
STORE = "dma.copy {0} => y.subspan(64, 64).at(i, j);"
TOUCH = "parallel t by 128 : thread {{ {0}.at(t % 64, t / 64) = {0}.at(t / 64, t % 64); }}"
IDLE = "parallel t by 128 : thread {{ }}"


def plan(*stmts: str, arch: str = "sm_90a") -> ir.Kernel:
    body = "\n    ".join(text.format(name) for text, name in zip(stmts[::2], stmts[1::2], strict=True))
    return after("memory", TEXT.format(body=body), SIZES, arch)


def shares(kernel: ir.Kernel) -> bool:
    """Whether a and b share bytes."""
    return [{one.tensor.name, other.tensor.name} for one, other in overlapping(kernel)] == [{"a", "b"}]


@pytest.mark.parametrize("arch", ["sm_90a", "sm_80"])
def test_phases_with_a_barrier_between_share_their_bytes(arch: str) -> None:
    kernel = plan(LOAD, "a", STORE, "a", LOAD, "b", STORE, "b", arch=arch)
    assert shares(kernel)
    assert (kernel.shared_bytes, [extent(item) for item in kernel.shared]) == (8192 + 8, [(0, 8192), (0, 8192)])


@pytest.mark.parametrize(
    "stmts",
    [
        (LOAD, "a", LOAD, "b", STORE, "a", STORE, "b"),  # in use together
        (LOAD, "a", "foreach k in 2 {{ dma.copy a => y.subspan(64, 64).at(i, j); }} ", "", STORE, "b", STORE, "a"),
        ("foreach k in 2 {{ " + LOAD + STORE, "a", LOAD + STORE + " }}", "b"),  # both in one loop
        (TOUCH, "a", TOUCH, "b"),  # nothing between them
        (
            TOUCH + "foreach k in N / 512 {{ sync.shared; " + TOUCH + " sync.shared; }}",
            "a",
            TOUCH,
            "b",
        ),  # perhaps no turn
        (LOAD + STORE, "a", '__cpp__("use(a);");', "", LOAD + STORE, "b"),  # foreign code may use both
        ("g = tma.copy.async x.subspan(64, 64).at(i, j) => {0};", "a", IDLE + LOAD + STORE, "b", "wait g;", ""),
        ("g = dma.copy.async x.subspan(64, 64).at(i, j) => {0};", "a", IDLE + LOAD + STORE, "b", "wait g;", ""),
        ("if (i > 0) {{ g = tma.copy.async x.subspan(64, 64).at(i, j) => a; trigger done after g; }}", "", TMA, "b"),
        (
            "parallel p by 2 : group-4 {{ inthreads.async (p == 0) {{ " + TOUCH + " }}",
            "a",
            "inthreads.async (p == 1) {{ " + TOUCH + " }} }}",
            "b",
        ),
    ],
)
def test_what_may_be_in_use_together_does_not(stmts: tuple[str, ...]) -> None:
    assert overlapping(plan(*stmts)) == []


@pytest.mark.parametrize(
    "stmts",
    [
        ("g = tma.copy.async x.subspan(64, 64).at(i, j) => {0}; wait g;" + TOUCH, "a", "sync.shared;" + TOUCH, "b"),
        ("g = dma.copy.async x.subspan(64, 64).at(i, j) => {0}; wait g;" + TOUCH, "a", "sync.shared;" + TOUCH, "b"),
        ("foreach k in 3 {{ " + TMA + STORE + " }}", "a", LOAD + STORE, "b"),
        (TMA + STORE, "b", TMA + STORE, "a"),
    ],
)
def test_what_has_landed_and_been_read_makes_room(stmts: tuple[str, ...]) -> None:
    assert shares(plan(*stmts))


CLUSTER = """__co__ void f(global f32 [N, 64] x, global f32 [N, 64] w, global f32 [N, 64] y) {{
  parallel c by 2 : cluster {{
    parallel i by N / 64 : block {{
      shared f32 [64, 64] own, a;
      shared event full;
      {body}
    }}
  }}
}}
"""
OWN = """dma.copy x.subspan(64, 64).at(i, 0) => own;
      dma.copy own => y.subspan(64, 64).at(i, 0);"""
SENT = """parallel p by 4 : group {
        inthreads.async (p == 0) {
          tma.copy.async<full>.multicast w.subspan(64, 64).at(i, 0) => a;
          trigger.cluster full;
        }
        inthreads.async (p == 1) { wait full; tma.copy a => y.subspan(64, 64).at(i, 0); }
      }"""


def in_cluster(*stmts: str) -> list[tuple[ir.Shared, ir.Shared]]:
    return overlapping(after("memory", CLUSTER.format(body="\n      ".join(stmts)), {"N": 256}))


def test_another_block_loads_whatever_this_one_still_uses() -> None:
    """Behind a barrier of its own block, which does not hold the other one back."""
    assert in_cluster(OWN, "sync.shared;", SENT) == []
    assert in_cluster(OWN, "sync.shared;", SENT.replace(".multicast", "").replace(".cluster", "")) != []


def test_what_all_blocks_have_loaded_makes_room() -> None:
    assert in_cluster(SENT, "sync.shared;", OWN) != []


def test_what_some_blocks_load_oftener_is_in_use_to_the_end() -> None:
    unequal = SENT.replace("tma.copy.async<full>", "if (c == 0) tma.copy.async<full>")
    assert in_cluster(unequal, "sync.shared;", OWN) == []


@pytest.mark.parametrize(
    ("text", "room"),
    [
        (r"asm volatile(\"setmaxnreg.inc.sync.aligned.u32 128;\");", True),
        (r"asm volatile(\"setmaxnreg.inc.sync.aligned.u32 %0;\" :: \"n\"(128));", True),
        (r"asm volatile(\"setmaxnreg.inc.sync.aligned.u32 128;\"); use(a);", False),
        (r"asm volatile(\"setmaxnreg.inc.sync.aligned.u32 128; st.shared.u32 [0], 1;\");", False),
        ("use(a);  // setmaxnreg", False),
    ],
)
def test_foreign_code_that_sets_registers_and_does_more_may_use_all(text: str, room: bool) -> None:
    island = f'parallel t by 128 : thread {{{{ __cpp__("{text}"); }}}}'
    assert shares(plan(LOAD + STORE, "a", island, "", LOAD + STORE, "b", island, "")) is room


def test_the_async_proxy_takes_over_behind_a_fence() -> None:
    written = plan(TOUCH + STORE, "a", TMA, "b")
    barrier = [stmt.publishes for stmt in only(written, ir.Sync)]
    assert shares(written) and any(barrier)
    copied = plan(TOUCH + STORE, "a", LOAD + STORE, "b")
    assert shares(copied) and not any(stmt.publishes for stmt in only(copied, ir.Sync))


def test_a_plan_with_tensors_that_meet_is_refused() -> None:
    kernel = plan(LOAD, "a", LOAD, "b", STORE, "a", STORE, "b")
    wrong = replace(kernel, shared=tuple(replace(item, offset=0) for item in kernel.shared))
    with pytest.raises(InvalidIrError, match="a and b share bytes and are in use together"):
        verify(wrong)
    with pytest.raises(InvalidIrError, match="the barriers lie at 16, tensors end at"):
        verify(replace(kernel, barriers_at=16))


def test_what_does_not_fit_side_by_side_is_taken_where_the_plan_fits() -> None:
    made = after("memory", (COVERAGE / "shared_in_turn.co").read_text(encoding="utf-8"), {"M": 64})
    assert made.shared_bytes == 64 * 512 * 4


def test_what_does_not_fit_in_turn_either_is_refused_with_both_sums() -> None:
    """Two of 120000 bytes that share, one of 119936 beside them; `a`, `b` and the event take 16392 more."""
    body = """shared u8 [1, 120000] x, z; shared u8 [1, 119936] y;
    parallel t by 32 : thread { x.at(0, t) = 1; y.at(0, t) = x.at(0, t); }
    sync.shared;
    parallel t by 32 : thread { z.at(0, t) = y.at(0, t); }"""
    text = TEXT.format(body=body)
    with pytest.raises(LoweringError) as caught:
        after("memory", text, SIZES)
    assert caught.value.message == (
        "a block would take 256328 bytes of shared memory, where those never in use together share theirs "
        "(376328 side by side); sm_90a has 232448: use smaller tiles or fewer slots"
    )
