"""The examples and correct pipelines of all kinds: proved for every size, and nothing is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flow.pipes import Verdict, block, check, ring

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.co"))
AT = "wait empty.at(k); dma.copy src.subspan(16, 64).at(b, k) => buf[s]; trigger full.at(k);"
TAKE_AT = "wait full.at(k); dma.copy buf[s] => dst.subspan(16, 64).at(b, k); trigger empty.at(k);"
READY = {"decl": "shared event full[{N}], empty[{N}] = ready;", "grant": ""}
PACKED = {
    "buffers": "shared f16 [{N} * 16, 64] buf;",
    "load": "wait empty[s]; dma.copy src.subspan(16, 64).at(b, k) => buf.subspan(16, 64).at(s, 0); trigger full[s];",
    "take": "wait full[s]; dma.copy buf.subspan(16, 64).at(s, 0) => dst.subspan(16, 64).at(b, k); trigger empty[s];",
}


def take(slot: str, behind: str = "") -> str:
    return f"wait full[{slot}]; dma.copy buf[{slot}] => dst.subspan(16, 64).at(b, k); trigger empty[{slot}]; {behind}"


def load(inner: str) -> str:
    return f"wait empty[s]; {inner} trigger full[s];"


def tiles(producer: str, consumer: str, around: str = "", events: str = "") -> str:
    """A persistent kernel: both roles inside a tile loop."""
    return block(
        f"""shared event full[2], empty[2]{events}; shared f16 [16, 64] buf[2];
        foreach {{ti}} in [cdiv(n, 4)] {{ {around}
          parallel p by 2 : group-4 {{
            inthreads.async (p == 0) {{ {producer} }}
            inthreads.async (p == 1) {{ {consumer} }} }} }}"""
    )


def role(statements: str, slot: str = "s = k % 2;") -> str:
    return f"foreach {{k}} in [cdiv(K, 64)] {{ {slot} {statements} }}"


COPY = "dma.copy src.subspan(16, 64).at(b, k) => buf[s];"
GIVE = "wait empty[s]; " + COPY + " trigger full[s];"
TAKE = take("s")
ORDER = "o = ti * cdiv(K, 64) + k; s = o % 2;"

RINGS = {
    "two stages": ring(),
    "one stage": ring(1),
    "three stages, two consumers": ring(3, 2),
    "four stages, three consumers": ring(4, 3),
    "ready": ring(3, **READY),
    "orders": ring(3, load=AT, take=TAKE_AT, **READY),
    "orders behind a bootstrap": ring(3, load=AT, take=TAKE_AT),
    "order kept modulo 2N": ring(3, load=AT.replace("at(k)", "at(k % 6)", 1), take=TAKE_AT, **READY),
    "joined trigger": ring(
        3, load="wait empty[s]; f = " + COPY.replace("copy", "copy.async") + " trigger full[s] after f;"
    ),
    "named event": ring(3, load=load("tma.copy.async<full[s]> src.subspan(16, 64).at(b, k) => buf[s];")),
    "packed stages": ring(3, **PACKED),
    "waited future": ring(2, load=load("f = dma.copy.async src.subspan(16, 64).at(b, k) => buf[s]; wait f;")),
    "fixed size": ring(3, turns="[10]"),
    "integer parameter": ring(3, turns="[n]"),
    "whole tiles only": ring(3, turns="[K / 64]"),
    "counter": ring(3, before="mutable int o = 0;", take=take("o % {N}", "o += 1;")),
    "counter in the order": ring(
        3,
        before="mutable int o = 0;",
        take="wait full.at(o); dma.copy buf[s] => dst.subspan(16, 64).at(b, k); trigger empty.at(o++);",
        **READY,
    ),
    "slot that wraps": ring(3, before="mutable int o = 0;", take=take("o", "o = (o + 1) % {N};")),
    "slot that is reset": ring(3, before="mutable int o = 0;", take=take("o", "o += 1; if (o == {N}) { o = 0; }")),
    "more buffers than credits": ring(2, buffers="shared f16 [16, 64] buf[4];"),
    "longer events than buffers": ring(
        2, decl="shared event full[4], empty[4];", grant="foreach {{i}} in [4] {{ trigger empty[i]; }}"
    ),
    "left at a fixed turn": ring(3, load="if (k == 20) break; " + GIVE, take="if (k == 20) break; " + TAKE),
    "last credits kept": ring(
        3,
        take=TAKE.replace("trigger empty[s];", "if (k + 3 < cdiv(K, 64)) { trigger empty[s]; }"),
    ),
    "a last credit too many": ring(behind="trigger empty[0];"),
    "explicit count of threads": ring(decl="shared event<128> full[{N}]; shared event empty[{N}];"),
    "explicit count of threads and waiters": ring(decl="shared event<256> full[{N}]; shared event empty[{N}];"),
    "register hint": ring(before='__cpp__("setmaxnreg.inc.sync.aligned.u32 240;");'),
    "guard over a parameter": ring(take=TAKE.replace("dma.copy", "if (n > 3) dma.copy")),
    "persistent, guarded bootstrap": tiles(
        role(GIVE), "if (ti == 0) { foreach {i} in [2] { trigger empty[i]; } } " + role(TAKE)
    ),
    "persistent, orders go on": tiles(
        role(AT.replace("(k);", "(o);"), ORDER), role(TAKE_AT.replace("at(k);", "at(o);"), ORDER), events=" = ready"
    ),
    "persistent, events of each tile": block(
        f"""foreach {{ti}} in [cdiv(n, 4)] {{
          shared event full[2], empty[2]; shared f16 [16, 64] buf[2];
          parallel p by 2 : group-4 {{
            inthreads.async (p == 0) {{ {role(GIVE)} }}
            inthreads.async (p == 1) {{ foreach {{i}} in [2] {{ trigger empty[i]; }} {role(TAKE)} }} }}
          sync.shared; }}"""
    ),
    "two producers, a slot each": block(
        """shared event full[2], empty[2]; shared f16 [16, 64] buf[2];
        parallel p by 3 : group-4 {
          inthreads.async (p < 2) { foreach {k} in [cdiv(K, 128)] {
            wait empty[p]; dma.copy src.subspan(16, 64).at(b, k) => buf[p]; trigger full[p]; } }
          inthreads.async (p == 2) { foreach {i} in [2] { trigger empty[i]; }
            foreach {k} in [2 * cdiv(K, 128)] { s = k % 2;
              wait full[s]; dma.copy buf[s] => dst.subspan(16, 64).at(b, k); trigger empty[s]; } } }"""
    ),
    "two producers, half a slot each": block(
        """shared event full[2], empty[2] = ready; shared f16 [32, 64] buf[2];
        parallel p by 3 : group-4 {
          inthreads.async (p < 2) { foreach {k} in [cdiv(K, 64)] { s = k % 2; wait empty[s];
            dma.copy src.subspan(16, 64).at(b, k) => buf[s].subspan(16, 64).at(p, 0); trigger full[s]; } }
          inthreads.async (p == 2) { foreach {k} in [cdiv(K, 64)] { s = k % 2;
            wait full[s]; dma.copy buf[s] => dst.subspan(32, 64).at(b, k); trigger empty[s]; } } }"""
    ),
    "producers in turns, event<1>": block(
        """shared event<1> full; shared event turn[2]; shared f16 [16, 64] buf;
        parallel p by 3 : group-4 {
          inthreads.async (p < 2) { foreach {k} in [cdiv(K, 128)] {
            wait turn[p]; dma.copy src.subspan(16, 64).at(b, k) => buf; trigger full; } }
          inthreads.async (p == 2) { trigger turn[0];
            foreach {k} in [cdiv(K, 128)] { foreach {j} in [2] {
              wait full; dma.copy buf => dst.subspan(16, 64).at(b, k); trigger turn[1 - j]; } } } }"""
    ),
    "ring of rings": block(
        """shared event f1[2], e1[2] = ready, f2[3], e2[3] = ready; shared f16 [16, 64] a[2], c[3];
        parallel p by 3 : group-4 {
          inthreads.async (p == 0) { foreach {k} in [cdiv(K, 64)] { s = k % 2;
            wait e1[s]; dma.copy src.subspan(16, 64).at(b, k) => a[s]; trigger f1[s]; } }
          inthreads.async (p == 1) { foreach {k} in [cdiv(K, 64)] {
            wait f1[k % 2]; wait e2[k % 3]; dma.copy a[k % 2] => c[k % 3]; trigger f2[k % 3]; trigger e1[k % 2]; } }
          inthreads.async (p == 2) { foreach {k} in [cdiv(K, 64)] { s = k % 3;
            wait f2[s]; dma.copy c[s] => dst.subspan(16, 64).at(b, k); trigger e2[s]; } } }"""
    ),
    "hand over by named barriers": block(
        """shared f16 [16, 64] buf;
        parallel p by 2 : group-4 {
          inthreads.async (p == 0) { foreach {k} in [cdiv(K, 64)] {
            dma.copy src.subspan(16, 64).at(b, k) => buf; __bar_sync(1, 256); __bar_sync(2, 256); } }
          inthreads.async (p == 1) { foreach {k} in [cdiv(K, 64)] {
            __bar_sync(1, 256); dma.copy buf => dst.subspan(16, 64).at(b, k); __bar_sync(2, 256); } } }"""
    ),
    "epilogue behind the roles": block(
        f"""shared event full[2], empty[2] = ready; shared f16 [16, 64] buf[2], out;
        parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{ {role(GIVE)} }}
          inthreads.async (p == 1) {{ {role(TAKE.replace("dst.subspan(16, 64).at(b, k)", "out"))} }} }}
        dma.copy out => dst.subspan(16, 64).at(b, 0);"""
    ),
    "asynchronous store, waited": block(
        """shared f16 [16, 64] out;
        parallel p by 1 : group-4 { foreach {k} in [cdiv(K, 64)] {
          dma.copy src.subspan(16, 64).at(b, k) => out;
          f = tma.copy.async out => dst.subspan(16, 64).at(b, k); wait f; } }"""
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_examples_are_proved_for_every_size(path: Path) -> None:
    assert_proved(check(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", RINGS)
def test_correct_pipelines_are_proved_for_every_size(name: str) -> None:
    assert_proved(check(RINGS[name]))


def assert_proved(verdict: Verdict) -> None:
    assert verdict.places == []
    assert (verdict.strength, verdict.flow.tried, verdict.flow.reason) == ("proved", "", "")


def test_the_seed_is_proved_in_both_of_its_kernels() -> None:
    data = Path(__file__).parents[1] / "data"
    defines = {"MATMUL_WARP_M": "64", "MATMUL_WARP_N": "64", "MATMUL_TILE_K": "128", "MATMUL_WARP_K": "16"}
    for stages in ("1", "2", "3", "5"):
        text = (data / "seed_pipeline.co").read_text(encoding="utf-8")
        assert_proved(check(text, defines=defines | {"MATMUL_STAGES": stages}))
    assert_proved(check((data / "seed_swap.co").read_text(encoding="utf-8")))
