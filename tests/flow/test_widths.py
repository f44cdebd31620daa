"""Integers of few bits and unsigned ones: a verdict is of what they hold, not of numbers without an end."""

from __future__ import annotations

import pytest

from croqc.flow.courses import course
from croqc.flow.exprs import apply, closure, const, cut, var
from croqc.flow.report import Strength
from tests.flow.test_no_false_proof import flow_of
from tests.flow.three_slots import early, fill, kernel, take

OVER = "foreach k in [cdiv(C, 32)]"
TILE = "b, 0"


def loads(
    head: str = OVER, slot: str = "k % 3", before: str = "", step: str = "", late: str = "", first: str = ""
) -> str:
    body = f"if ({late}) {{ {early(slot, TILE)} }} else {{ {fill(slot, TILE)} }}" if late else fill(slot, TILE)
    return f"{before} {head} {{ {first} {body} {step} }}"


def uses(head: str = OVER, slot: str = "k % 3", before: str = "", step: str = "") -> str:
    return f"{before} {head} {{ {take(slot, TILE)} {step} }}"


def counted(type_: str, first: str, end: str, step: str = "+= 1") -> dict[str, str]:
    return {
        "head": f"while (q < {end})",
        "slot": "i % 3",
        "before": f"mutable int i = 0; mutable {type_} q = {first};",
        "step": f"q {step}; i += 1;",
    }


SLICED = {"head": "with k in C / 32 { foreach k(-2:)", "slot": "(k + 3) % 3"}
TURNED = {"slot": "q % 3", "step": "q += 1;"}
WRONG = {
    "a slot of a byte": (loads(before="mutable u8 q = 250;", **TURNED), uses(before="mutable int q = 250;", **TURNED)),
    "in passing": (
        loads(before="mutable u8 q = 250;", slot="q % 3", step="int z = q++;"),
        uses(before="mutable int q = 250;", **TURNED),
    ),
    "a slot of a signed byte": (
        loads("foreach k in [40]", before="mutable s8 q = 100;", **TURNED),
        uses("foreach k in [40]", before="mutable int q = 100;", **TURNED),
    ),
    "a byte that never comes to 300": (loads(**counted("u8", "0", "300")), uses(**counted("int", "0", "300"))),
    "unsigned against a negative end": (loads(**counted("u32", "0", "0 - 2")), uses(**counted("int", "0", "0 - 2"))),
    "unsigned from below zero": (loads(**counted("u32", "0 - 1", "3")), uses(**counted("int", "0 - 1", "3"))),
    "unsigned against a block": (loads(**counted("u32", "0", "b - 1")), uses(**counted("int", "0", "b - 1"))),
    "the block less one, named": (
        loads(**{**counted("int", "0", "last"), "before": "mutable int i = 0; mutable int q = 0; u32 last = b - 1;"}),
        uses(**counted("int", "0", "b - 1")),
    ),
    "of 64 bits": (loads(**counted("u64", "0", "b - 1")), uses(**counted("int", "0", "b - 1"))),
    "when a byte is zero again": (loads(before="mutable u8 q = 0;", first="q += 64;", late="q == 0"), uses()),
    "when a signed byte is negative": (loads(before="mutable s8 q = 0;", first="q += 32;", late="q < 0"), uses()),
    "a size below zero": (loads(before="u32 q = 50000;", late="C - 33 > q"), uses()),
    "converted": (loads(before="mutable int q = 0;", first="q += 64;", late="__to<u8>(q) == 0"), uses()),
    "a product of 33 bits": (loads(before="u32 q = 4;", late="q * 1073741824 == 0"), uses()),
    "an index that begins below zero": (
        loads(**SLICED, first="u32 y = k % 2;", late="y > 100") + " }",
        uses(**SLICED) + " }",
    ),
    "a sum with one": (
        loads(**SLICED, before="u32 z = 0;", late="(z + k) % 5 == 4 && k < 0") + " }",
        uses(**SLICED) + " }",
    ),
    "a product with an index": (loads(late="__to<u32>(k) * 858993460 < 5 && k > 0"), uses()),
    "a product with a size": (loads(late="__to<u32>(C) * 134217728 == 0"), uses()),
    "a cast of what was shifted": (loads(late="__to<s32>(__to<s64>(k) << 32) == 0 && k > 3"), uses()),
    "a name of fewer bits": (loads(first="int q = __to<s64>(k) * 3000000000;", late="q < 0"), uses()),
    "there and back": (loads(late="__to<s32>(__to<u32>(4 - k)) < 0"), uses()),
    "a counter from near its end": (
        loads(before="mutable u32 p = 4294967290;", late="p < 5", step="p = p + 1;"),
        uses(),
    ),
    "a counter moved on from there": (
        loads(before="mutable u32 p = 4294967290;", late="p < 5", step="p += 1;"),
        uses(),
    ),
    "added to a large number": (loads(first="u32 y = 4294967290;", late="k + y < 5"), uses()),
    "a name added to a large number": (loads(first="u32 y = 4294967291 + k;", late="y == 0"), uses()),
    "steps of a quarter": (loads(before="mutable u32 p = 0;", late="p == 0 && k > 3", step="p += 1073741824;"), uses()),
    "steps of an eighth": (loads(before="mutable u32 p = 0x80000000;", late="p < 5", step="p += 0x20000000;"), uses()),
    "signed steps": (loads(before="mutable int p = 0;", late="p < 0", step="p += 1073741824;"), uses()),
    "a product of a named factor": (loads(first="u32 z = 1073741824; u32 q = z * k;", late="q == 0 && k > 3"), uses()),
    "an unsigned half": (loads(before="u32 q = 1;", late="(q - 2) / 2 > 1000"), uses()),
}


def test_what_the_host_cuts_is_found() -> None:
    text = kernel(loads(late="q == 7"), uses(), "cdiv(R, 4)", host="int q = __to<u8>(263 + n);")
    (finding,) = flow_of(text).findings
    assert finding.sizes["n"] == 0


@pytest.mark.parametrize("name", WRONG)
def test_what_a_width_makes_go_wrong_is_found(name: str) -> None:
    load, use = WRONG[name]
    assert flow_of(kernel(load, use, "cdiv(R, 4)")).strength is Strength.FAILS


FAR = {
    "an order of a byte": (
        loads().replace("full[k % 3]", "full.at(o++)").replace(OVER, f"mutable u8 o = 0; {OVER}"),
        uses(),
    ),
    "a byte that follows an index": (loads(first="u8 q = k;", slot="q % 3"), uses()),
    "a byte that follows an index and is forgotten": (
        loads(before="mutable u8 q = 0;", first="q = k;", slot="q % 3", step="q = 0;"),
        uses(),
    ),
    "a byte that counts": (loads(before="mutable u8 q = 0;", **TURNED), uses(before="mutable int q = 0;", **TURNED)),
    "unsigned against a parameter": (loads(**counted("u32", "0", "n")), uses(**counted("int", "0", "n"))),
    "powers of 8": (loads(before="mutable u32 p = 1;", late="p == 0", step="p = p + p * 7;"), uses()),
    "powers of 4": (loads(before="mutable u32 p = 1;", late="p == 0", step="p *= 4;"), uses()),
    "powers of 2": (loads(before="mutable u32 p = 1;", late="p == 0", step="p = p << 1;"), uses()),
    "doubled": (loads(before="mutable u32 p = 1;", late="p == 0", step="p += p;"), uses()),
    "Fibonacci's numbers": (
        loads(before="mutable u32 p = 1; mutable u32 q = 1;", late="p < 3 && k > 5", step="q = q + p; p = q - p;"),
        uses(),
    ),
    "a long way to the end": (loads(before="u32 y = 4294960000;", late="k + y < 5"), uses()),
    "a counter with a long way": (loads(before="mutable u32 p = 4294960000;", late="p < 5", step="p += 1;"), uses()),
    "of 64 bits, read as 32": (
        loads(before="mutable s64 p = 1;", first="int q = p;", late="q == 0", step="p = p * 256;"),
        uses(),
    ),
    "16 bits": (loads(before="mutable u16 q = 0;", **TURNED), uses(before="mutable int q = 0;", **TURNED)),
}


@pytest.mark.parametrize("name", FAR)
def test_what_may_go_wrong_far_beyond_is_never_proved(name: str) -> None:
    load, use = FAR[name]
    assert flow_of(kernel(load, use, "cdiv(R, 4)")).strength is not Strength.PROVED


DOWN = {"before": "mutable u32 q = 3;", "slot": "q % 3", "step": "q -= 1;"}
OFF = {"before": "u32 q = 3;", "slot": "(q - k) % 3"}
RIGHT = {
    "unsigned, down": (loads(**DOWN), uses(**DOWN)),
    "unsigned, less an index": (loads(**OFF), uses(**OFF)),
    "an index below zero against an unsigned one": (
        loads(**SLICED, before="u32 z = 0;", late="k % 2 < z") + " }",
        uses(**SLICED) + " }",
    ),
    "64 bits that hold it": (loads(late="__to<s64>(k) * 3000000000 < 0"), uses()),
    "a modulus beside a factor": (
        loads(before="mutable int q = 0;", slot="q % 3", step="q = (q * 4 + 4) % 12;"),
        uses(before="mutable int q = 0;", slot="q % 3", step="q = (q * 4 + 4) % 12;"),
    ),
    "bytes that agree": (loads(before="mutable u8 q = 250;", **TURNED), uses(before="mutable u8 q = 250;", **TURNED)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_comes_round_the_same_in_both_roles_is_right(name: str) -> None:
    load, use = RIGHT[name]
    flow = flow_of(kernel(load, use, "cdiv(R, 4)"))
    assert (flow.strength in (Strength.PROVED, Strength.CHECKED), flow.findings) == (True, ())


PROVED = {
    "unsigned counters": (loads(before="mutable u32 q = 0;", **TURNED), uses(before="mutable int q = 0;", **TURNED)),
    "an unsigned while": (
        loads(**counted("u32", "0", "cdiv(C, 32)")),
        uses(**counted("int", "0", "cdiv(C, 32)")),
    ),
    "a slot that fits": (loads(first="u8 q = k % 3;", slot="q"), uses()),
    "a byte that turns": (
        loads(before="mutable u8 q = 0;", slot="q", step="q = q == 2 ? 0 : q + 1;"),
        uses(),
    ),
    "a byte that toggles": (
        loads(before="mutable u8 q = 0;", late="q > 1", step="q = 1 - q;"),
        uses(),
    ),
}


@pytest.mark.parametrize("name", PROVED)
def test_widths_that_change_nothing_hinder_no_proof(name: str) -> None:
    load, use = PROVED[name]
    flow = flow_of(kernel(load, use, "cdiv(R, 4)"))
    assert (flow.strength, flow.findings, flow.reason) == (Strength.PROVED, (), "")


@pytest.mark.parametrize(
    ("bits", "values"),
    [
        (8, {255: 255, 256: 0, -1: 255, 1000: 232}),
        (-8, {127: 127, 128: -128, -129: 127, 200: -56}),
        (32, {-1: 4294967295, 1 << 32: 0}),
        (-32, {4294967295: -1, -5: -5}),
    ],
)
def test_a_value_is_cut_to_its_bits(bits: int, values: dict[int, int]) -> None:
    of_variable = closure(cut(var(0), bits))
    assert {value: of_variable([value]) for value in values} == values
    assert {value: cut(const(value), bits).const for value in values} == values


def test_a_byte_comes_again_after_256_steps() -> None:
    assert course(apply("%", cut(apply("*", const(4), var(0)), 8), const(3)), 0).period == 256
    assert course(cut(apply("/", var(0), const(5)), -8), 0).period == 5 * 256
    assert course(cut(apply("-", var(0), const(7)), 32), 0).bounds == (8,)
