"""`croq migrate`: whole files between dialects, judged by the simulator, by `check --dialect current` and by hand."""

from pathlib import Path

import pytest

from croqc.refactor import bootstrap
from croqc.service.check import check_text
from croqc.service.cuda import cuda_of
from croqc.service.migrate import Migration, migrate
from croqc.service.settings import Settings
from croqc.syntax import parser
from croqc.syntax.parser import parse_function
from croqc.text.diagnostics import Severity
from tests.refactor.rewriting import BLOCK, CONSUMER, COPY, PRODUCER, ROLE, TILE, framed, moved, verdicts

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNELS = ("pipeline_classic", "pipeline_course", "pipeline_1p2c", "pipeline_current", "persistent_1p2c", "swap_f16")


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


@pytest.mark.parametrize("to", ["current", "course"])
@pytest.mark.parametrize("name", KERNELS)
def test_a_migrated_example_computes_the_same(name: str, to: str) -> None:
    text = moved(example(name), to).text
    assert set(verdicts(text)) == {"verified"}
    assert moved(text, to).text == text


@pytest.mark.parametrize("name", KERNELS)
def test_a_strict_reader_takes_the_current_file(name: str) -> None:
    report = check_text(moved(example(name)).text, Settings(dialect="current"))
    assert [item.message for item in report.diagnostics if item.severity in (Severity.ERROR, Severity.WARNING)] == []
    assert report.dialect in ("current", "any")


@pytest.mark.parametrize("name", ["pipeline_classic", "pipeline_current"])
def test_the_course_file_votes_for_the_course(name: str) -> None:
    assert check_text(moved(example(name), "course").text).dialect == "course"


def test_a_file_of_many_kernels_costs_so_much_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rewrite reads the function that it changes, and no other of the file."""
    text, read = example("pipeline_course"), []
    monkeypatch.setattr(parser, "parse_function", lambda source: read.append(source) or parse_function(source))
    counts = []
    for number in (1, 4):
        report = check_text("\n".join(text.replace(" matmul(", f" matmul_{n}(") for n in range(number)))
        read.clear()
        migrate(report)
        counts.append(len(read))
    assert counts[0] > 1
    assert counts[1] == 4 * counts[0]


def test_arrivals_are_counted_once_a_model_however_many_events_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[object] = []
    count = bootstrap.slot_arrivals
    monkeypatch.setattr(bootstrap, "slot_arrivals", lambda *args: counted.append(args) or count(*args))
    counts = []
    for number in (2, 12):
        events = [f"e{n}" for n in range(number)]
        triggers, waits = (" ".join(f"{word} {event};" for event in events) for word in ("trigger", "wait"))
        text = (
            "__co__ void f(global s32 [R] src) { parallel b by 1 : block { "
            f"shared event {', '.join(events)}; parallel p by 2 : group-4 {{ "
            f"inthreads.async (p == 0) {{ {triggers} }} inthreads.async (p == 1) {{ {waits} }} }} }} }}\n"
        )
        counted.clear()
        assert [item.message for item in migrate(check_text(text)).kept][:2] == [
            f"the bootstrap stays: no path gives '{event}' back later on" for event in ("e0", "e1")
        ]
        counts.append(len(counted))
    assert counts == [1, 1]


def test_the_classic_example_line_by_line() -> None:
    """The whole of what changes, as the reference's chapter 0 has it."""
    before, after = example("pipeline_classic").splitlines(), moved(example("pipeline_classic")).text.splitlines()
    gone = [line.strip() for line in before if line not in after]
    come = [line.strip() for line in after if line not in before]
    assert gone == [
        "shared event full[STAGES], empty[STAGES];",
        "wait empty[stage];",
        "tma.copy.async<full[stage]>.swiz<128> lhs.subspan(TILE_M, TILE_K).at(block_m, k)",
        "tma.copy.async<full[stage]>.swiz<128> rhs.subspan(TILE_N, TILE_K).at(block_n, k)",
        "trigger full[stage];",
        "foreach {s} in [STAGES] {",
        "trigger empty[s];",
        "wait full[stage];",
        "ma = mma.load.swiz<128> lhs_s.subspan(TILE_M, TILE_K).at(stage, 0).chunkat(_, step);",
        "mb = mma.load.swiz<128> rhs_s.subspan(TILE_N, TILE_K).at(stage, 0).chunkat(_, step);",
        "mma.row.row acc, ma, mb;",
        "mma.commit;",
        "trigger empty[stage];",
    ]
    assert come == [
        "shared event full[STAGES], empty[STAGES] = ready;",
        "wait empty.at(k);",
        "lhs_f = tma.copy.async.swiz<128> lhs.subspan(TILE_M, TILE_K).at(block_m, k)",
        "rhs_f = tma.copy.async.swiz<128> rhs.subspan(TILE_N, TILE_K).at(block_n, k)",
        "trigger full.at(k) after lhs_f, rhs_f;",
        "wait full.at(k);",
        "mma.row.row acc,",
        "lhs_s.subspan(TILE_M, TILE_K).at(stage, 0).chunkat(_, step),",
        "rhs_s.subspan(TILE_N, TILE_K).at(stage, 0).chunkat(_, step);",
        "trigger empty.at(k);",
    ]


def test_a_persistent_kernel_keeps_its_slots_and_says_why() -> None:
    """Its loop over k is entered once a tile, so `.at(k)` would begin with the wrong generation."""
    result = moved(example("persistent_1p2c"))
    assert "empty[STAGES] = ready;" in result.text and "if (ti == 0)" not in result.text
    assert "wait empty[stage];" in result.text and ".at(k)" not in result.text
    assert {item.message for item in result.kept} == {
        "the slot by hand stays: the loop over 'k' runs more than once, and begins with slot 0 each time"
    }
    places = {example("persistent_1p2c")[item.span.start : item.span.end].split("\n")[0] for item in result.kept}
    assert places == {"foreach {k} in [cdiv(K, TILE_K)] {"}
    assert not any(item.older for item in result.kept)


# --- row by row (reference, 2.13) ----------------------------------------------------------------

OUT = "shared f16 [64, 64] c;\ntma.{} c => out.subspan(64, 64).at(b, q);"
SPELLINGS = [
    ("tma.copy.evict_first", "tma.load.evict_first"),
    ("dma.copy_async", "dma.copy.async"),
    ("tma.copy.swiz<3>", "tma.copy.swiz<128>"),
    ("tma.copy.swiz<0>", "tma.copy.swiz"),
    ("dma.copy.swizzle(64)", "dma.copy.swiz<64>"),
    ("dma.copy.sp(2:4)", "dma.copy.sp<2:4>"),
]
ROWS = [
    *((PRODUCER, f"{old} {COPY}", f"{new} {COPY}") for old, new in SPELLINGS),
    (
        PRODUCER,
        f"tma.copy.async<full[s]> {COPY}\ntrigger full[s];",
        f"a_f = tma.copy.async {COPY}\ntrigger full.at(k) after a_f;",
    ),
    (PRODUCER, f"dma.copy.async<done> {COPY}\ntrigger done;", f"a_f = dma.copy.async {COPY}\ntrigger done after a_f;"),
    (
        PRODUCER,
        f"tma.copy.async<full[s]> {COPY}\ntrigger full[s], done;",
        f"a_f = tma.copy.async {COPY}\ntrigger full.at(k) after a_f;\ntrigger done;",
    ),
    (PRODUCER, f"dma.copy {TILE}.at(b, k).zfill => a_s[s];", f"dma.copy.zfill {COPY}"),
    (
        PRODUCER,
        f"x = stage<2>(k);\ndma.copy {TILE}.at(b, k) => a_s[x];",
        f"x = (k % 2);\ndma.copy {TILE}.at(b, k) => a_s[x];",
    ),
    (
        PRODUCER,
        f"dma.copy {TILE}.stride(1, 1).at(b, k) => a_s[s];",
        f"dma.copy {TILE}.step(1, 1).at(b, k) => a_s[s];",
    ),
    (BLOCK, OUT.format("store"), OUT.format("copy")),
    (ROLE, "setreg.dec 40;\ntrigger done;", "call croq::cuda::setreg_dec(40);\ntrigger done;"),
    (ROLE, "wait<0> done;\nwait<1> done;", "wait done;\nwait done;"),
    (
        CONSUMER,
        "da = mma.desc a_s[s];\nmb = mma.load w_s[s]; // read at once\nmma.row.row acc, da, mb;\nmma.commit;",
        "// read at once\nmma.row.row acc, a_s[s], w_s[s];",
    ),
    (
        CONSUMER,
        "mma.row.row.order<1, 0> acc, a_s[s], w_s[s];",
        "[[schedule(k_tiles(1, 0))]] mma.row.row acc, a_s[s], w_s[s];",
    ),
    (ROLE, "fragment f32 [8, 8] x;", "frag f32 [8, 8] x;"),
    (ROLE, "x = mma.loadR a_s[0];", "x = mma.load.frag a_s[0];"),
]


@pytest.mark.parametrize(("frame", "before", "after"), ROWS)
def test_a_row_of_the_older_forms(frame: str, before: str, after: str) -> None:
    result = moved(framed(frame, before))
    assert result.text == framed(frame, after)
    assert not any(item.older for item in result.kept)
    assert moved(result.text).text == result.text


HALVES = """\
// croq: run M=128 K=384
// croq: expect out == a
__co__ void f(global f16 [M, K] a, global f16 [M, K] out) {
  parallel b by cdiv(M, 64) : block {
    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] a_s[2];
    parallel w by 2 : group-4, t by 128 : thread {
      inthreads.async (w == 0 && t == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty.at(k);
          foreach {i} in [2] {
            tma.copy.async<full[k % 2]> a.subspan(32, 64).at(b * 2 + i, k) => a_s[k % 2].subspan(32, 64).at(i, 0);
          }
          trigger full[k % 2];
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [cdiv(K, 64)] {
          wait full.at(k);
          dma.copy a_s[k % 2] => out.subspan(64, 64).at(b, k);
          trigger empty.at(k);
        }
      }
    }
  }
}
"""


def test_copies_in_a_loop_in_front_of_their_trigger() -> None:
    """A future names one copy; the bytes of synchronous ones belong to the next trigger as well."""
    result = moved(HALVES)
    assert "            tma.copy a.subspan(32, 64)" in result.text and ".async<" not in result.text
    assert set(verdicts(result.text)) == {"verified"}


LAUNCH = """\
__co__ void f(global f16 [M, K] a, stream st) {
  parallel.async(st) b by 4 : block {
    launch_bounds(128, 2);
    setreg 168;
    parallel t by 128 : thread { a.at(b, t) = a.at(b, t); }
  }
}
"""


LAUNCHED = """\
__co__ void f(global f16 [M, K] a, stream st) {
  [[maxnreg(168)]]
  [[launch_bounds(128, 2)]]
  parallel.async<st> b by 4 : block {
    parallel t by 128 : thread { a.at(b, t) = a.at(b, t); }
  }
}
"""


def test_launch_bounds_registers_and_the_stream() -> None:
    assert moved(LAUNCH).text == LAUNCHED


def test_nothing_to_move_changes_nothing() -> None:
    for text in ("", "int main() {}\n", example("add"), "__co__ void f() {}"):
        assert moved(text) == Migration(text, 0, (), 0)


def test_register_hints_run_as_before() -> None:
    """In a classic kernel with an island at the top of each role, as published ones have them."""
    island = '__cpp__("asm volatile(\\"setmaxnreg.{}.sync.aligned.u32 {};\\");");'
    text = example("pipeline_classic")
    for role, direction, number in (("w == 0 && t == 0", "dec", 40), ("w == 1", "inc", 232)):
        head = f"inthreads.async ({role}) {{\n"
        text = text.replace(head, head + "        " + island.format(direction, number) + "\n")
    result = moved(text)
    assert "call croq::cuda::setreg_dec(40);" in result.text and "call croq::cuda::setreg_inc(232);" in result.text
    assert set(verdicts(result.text)) == {"verified"}


@pytest.mark.parametrize("name", ["pipeline_current", "matmul_ragged"])
def test_copies_that_came_from_futures_are_lowered_as_futures_are(name: str) -> None:
    """To the course dialect and back a joined future is a plain copy in front of its trigger: the same code."""
    back = moved(moved(example(name), "course").text).text
    assert back != example(name)
    assert cuda_of(check_text(back), None, {}).result.text == cuda_of(check_text(example(name)), None, {}).result.text
