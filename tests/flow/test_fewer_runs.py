"""What is run once for others: buffers treated alike, blocks that do the same. No verdict comes out otherwise."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import pytest

from croqc.flow import verifier
from croqc.flow.accesses import Accesses
from croqc.flow.alike import Alike
from croqc.flow.machine import Machine
from croqc.flow.report import KernelFlow
from tests.flow.pipes import block, check, ring
from tests.perf.kernels import EXAMPLES

PAIR = {
    "buffers": "shared f16 [64, 64] buf[{N}], more[{N}];",
    "load": "wait empty[s]; dma.copy src.subspan(64, 64).at(b, k) => buf[s]; "
    "dma.copy dst.subspan(64, 64).at(b, k) => more[s]; trigger full[s];",
    "take": "wait full[s]; x = mma.load buf[s]; y = mma.load more[s]; "
    "mma.row.row acc, x, y; mma.commit; trigger empty[s];",
    "before": "acc = mma.fill.f32 0.0f;",
}
ODD = {  # what is done with one of a pair alone, and what that comes to
    "read behind the release": (
        ("y = mma.load more[s]; ", ""),
        ("trigger empty[s];", "trigger empty[s]; z = more[s].at(0, 0);"),
    ),
    "another slot": (("mma.load more[s]", "mma.load more[(k + 1) % 2]"),),
    "never filled": (("dma.copy dst.subspan(64, 64).at(b, k) => more[s];", ""),),
    "filled behind the release": (
        ("dma.copy dst.subspan(64, 64).at(b, k) => more[s]; trigger full[s];", "trigger full[s]; FILL"),
        ("FILL", "dma.copy dst.subspan(64, 64).at(b, k) => more[s];"),
    ),
    "filled in part": (
        (
            "dma.copy dst.subspan(64, 64).at(b, k) => more[s];",
            "dma.copy dst.subspan(32, 64).at(b, k) => more[s].subspan(32, 64).at(k % 2, 0);",
        ),
    ),
    "summed apart, and left running": (
        ("more[2];", "more[2], out_s;"),
        ("acc = mma.fill.f32 0.0f;", "acc = mma.fill.f32 0.0f; other = mma.fill.f32 0.0f;"),
        ("acc, x, y; mma.commit; trigger", "acc, x, x; mma.row.row other, y, y; mma.store acc, out_s; trigger"),
        ("trigger empty[s]; }", "trigger empty[s]; mma.commit; }"),
    ),
    "summed twice, and one of the sums left running": (
        ("more[2];", "more[2], out_s;"),
        ("acc = mma.fill.f32 0.0f;", "acc = mma.fill.f32 0.0f; other = mma.fill.f32 0.0f;"),
        (
            "mma.row.row acc, x, y; mma.commit; trigger",
            "mma.row.row acc, x, x; mma.row.row acc, x, x; mma.row.row acc, y, y; mma.row.row other, y, y; "
            "mma.store acc, out_s; trigger",
        ),
        ("trigger empty[s]; }", "trigger empty[s]; mma.commit; }"),
    ),
    "committed behind the release": (("mma.commit; trigger empty[s];", "trigger empty[s]; mma.commit;"),),
    "no wait": (("wait empty[s]; ", ""),),
    "no credit": (("wait full[s]; ", "wait full[s]; wait full[s]; "),),
}


def touches(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The accesses that runs make to find the verdict; what is recorded to be shown is left out."""
    made = 0
    touch = Accesses.touch

    def counted(accesses: Accesses, *about: Any) -> Any:
        nonlocal made
        made += accesses.machine.record is None
        return touch(accesses, *about)

    with monkeypatch.context() as patched:
        patched.setattr(Accesses, "touch", counted)
        assert check(text).strength == "proved"
    return made


def told(flow: KernelFlow) -> tuple[object, ...]:
    """All that a verdict says; what it took, and what names a model's own objects, is another matter."""
    apart = ("kernel", "paths", "events", "buffers", "findings", "spent")
    findings = tuple((one.rule, one.span, one.args, one.related, one.sizes, one.steps) for one in flow.findings)
    return findings, *(getattr(flow, each.name) for each in fields(flow) if each.name not in apart)


def in_full(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[object, ...]:
    """As `told`, with every buffer in every instance."""
    with monkeypatch.context() as patched:
        patched.setattr(verifier, "without_twins", lambda setting: None)
        patched.setattr(Alike, "of", lambda *_: None)
        return told(check(text).flow)


def pair(*changes: tuple[str, str]) -> str:
    text = ring(2, **PAIR)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_one_of_a_pair_is_run_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = pair(
        ("y = mma.load more[s]; ", ""),
        ("acc, x, y", "acc, x, x"),
        ("dma.copy dst.subspan(64, 64).at(b, k) => more[s];", ""),
    )
    assert touches(pair(), monkeypatch) < touches(alone, monkeypatch) + 1


def test_twenty_operands_are_run_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever accumulators they go into."""
    more = range(20)
    text = ring(
        3,
        buffers="shared f16 [64, 64] " + ", ".join(f"buf{n}[{{N}}]" for n in more) + ";",
        before=" ".join(f"acc{n} = mma.fill.f32 0.0f;" for n in more),
        load="wait empty[s]; "
        + " ".join(f"dma.copy src.subspan(64, 64).at(b, k) => buf{n}[s];" for n in more)
        + " trigger full[s];",
        take="wait full[s]; "
        + " ".join(f"x{n} = mma.load buf{n}[s]; mma.row.row acc{n}, x{n}, x{n};" for n in more)
        + " mma.commit; trigger empty[s];",
    )
    one = ring(
        3,
        buffers="shared f16 [64, 64] buf[{N}];",
        load="wait empty[s]; dma.copy src.subspan(64, 64).at(b, k) => buf[s]; trigger full[s];",
        before="acc = mma.fill.f32 0.0f;",
        take="wait full[s]; x = mma.load buf[s]; mma.row.row acc, x, x; mma.commit; trigger empty[s];",
    )
    assert touches(text, monkeypatch) == touches(one, monkeypatch)


@pytest.mark.parametrize("name", ODD)
def test_what_is_done_with_one_of_a_pair_alone_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = pair(*ODD[name])
    assert told(check(text).flow) == in_full(text, monkeypatch)


@pytest.mark.parametrize("name", sorted(set(ODD) - {"filled in part"}))
def test_what_is_wrong_with_one_of_a_pair_is_told(name: str) -> None:
    assert check(pair(*ODD[name])).strength == "fails"


HALVES = block(
    """shared f16 [64, 64] buf, more;
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) {
        dma.copy src.subspan(32, 64).at(b, 0) => buf.subspan(32, 64).at(0, 0);
        dma.copy src.subspan(32, 64).at(b, 0) => more.subspan(32, 64).at(0, 0); }
      inthreads.async (p == 1) {
        dma.copy src.subspan(32, 64).at(b, 0) => buf.subspan(32, 64).at(1, 0);
        dma.copy src.subspan(32, 64).at(b, 0) => more.subspan(32, 64).at(1, 0); } }
    __cpp__("look(buf, more);");"""
)


def test_what_is_written_in_part_is_run_though_foreign_code_may_fill_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two roles write both halves of `buf`; of `more` they write one half twice. Foreign code names both buffers,
    so that no gap is looked for in them."""
    assert check(HALVES).strength == "proved"
    odd = HALVES.replace("more.subspan(32, 64).at(1, 0)", "more.subspan(32, 64).at(0, 0)")
    assert check(odd).places == [
        ("stage-race", "dma.copy src.subspan(32, 64).at(b, 0) => more.subspan(32, 64).at(0, 0);")
    ]
    assert told(check(odd).flow) == in_full(odd, monkeypatch)


def test_what_two_read_is_no_twin_of_what_two_write(monkeypatch: pytest.MonkeyPatch) -> None:
    take = "wait full[s]; dma.copy buf[s] => dst.subspan(64, 64).at(b, k); FILL trigger empty[s];"
    fill = "dma.copy src.subspan(64, 64).at(b, k) => more[s];"
    text = ring(2, 2, **{**PAIR, "take": take.replace("FILL", fill), "before": ""})
    assert check(text).rules == ["stage-race"]
    assert told(check(text).flow) == in_full(text, monkeypatch)


@pytest.mark.parametrize("name", [path.name for path in sorted(EXAMPLES.glob("*.co"))])
def test_examples_and_what_they_come_to_without_a_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without each of the lines that wait, trigger or commit, the first of each."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    lines = [re.search(rf"^ *{word}\b[^;{{}}]*;\n", text, re.MULTILINE) for word in ("wait", "trigger", "mma.commit")]
    for line in (None, *filter(None, lines)):
        changed = text if line is None else text.replace(line.group(), "", 1)
        assert told(check(changed).flow) == in_full(changed, monkeypatch)


PERSISTENT = block(
    """shared event full[2], empty[2] = ready; shared f16 [64, 64] buf[2];
    foreach {t} in [cdiv(n, 4)] { if (t * 4 + b % 4 < n) { parallel p by 2 : group-4 {
      inthreads.async (p == 0) { foreach {k} in [2 * cdiv(K, 128)] {
        wait empty[k % 2]; dma.copy src.subspan(64, 64).at(b, k) => buf[k % 2]; trigger full[k % 2]; } }
      inthreads.async (p == 1) { foreach {k} in [2 * cdiv(K, 128)] {
        wait full[k % 2]; dma.copy buf[k % 2] => dst.subspan(64, 64).at(b, k); trigger empty[k % 2]; } } } } }"""
).replace("parallel b by M / 16", "parallel b by 4")


def _runs(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    runs = 0
    run = Machine.run

    def counted(machine: Machine) -> Machine:
        nonlocal runs
        runs += machine.record is None
        return run(machine)

    with monkeypatch.context() as patched:
        patched.setattr(Machine, "run", counted)
        check(text)
    return runs


def test_a_block_that_is_left_out_of_the_last_turn_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first block with one tile, and the last one with two turns of which it takes part in one."""
    assert told(check(PERSISTENT).flow) == in_full(PERSISTENT, monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(Alike, "of", lambda *_: None)
        every = _runs(PERSISTENT, monkeypatch)
    assert _runs(PERSISTENT, monkeypatch) < 0.75 * every


def test_a_turn_that_does_something_else_is_run() -> None:
    """The turn in which a block takes no part gives its credits back all the same."""
    odd = PERSISTENT.replace("if (t * 4 + b % 4 < n) {", "if (t == 2) { trigger empty; } if (t * 4 + b % 4 < n) {")
    assert check(odd).strength == "fails"


HALF_TILES = """__co__ void f(global f16 [R, 64] src, global f16 [R, 64] dst) {
  parallel b by 4 : block {
    shared event full, empty = ready; shared f16 [512, 64] buf;
    foreach {t} in [cdiv(cdiv(R, 512), 4)] { if (t * 4 + b < cdiv(R, 512)) { parallel p by 2 : group-4 {
      inthreads.async (p == 0) {
        wait empty; dma.copy src.subspan(256, 64).at(2 * t, 0) => buf.subspan(256, 64).at(0, 0); trigger full; }
      inthreads.async (p == 1) {
        wait full; dma.copy buf => dst.subspan(512, 64).at(t * 4 + (3 - b) * 1000, 0); trigger empty; } } } }
  }
}
"""


def test_a_read_outside_a_tensor_says_nothing_of_one_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of each tile is never written. The first block stores it behind the tensor, where nobody looks; the last
    block does the same within it, from R = 2049 on."""
    (found,) = check(HALF_TILES).flow.findings
    assert (found.rule, found.sizes) == ("unwritten-read", {"R": 2049})
    assert told(check(HALF_TILES).flow) == in_full(HALF_TILES, monkeypatch)
    whole = HALF_TILES.replace("256, 64", "512, 64").replace("2 * t", "t")
    assert check(whole).rules == []
