"""Turns of long loops that are left out of a run: what it comes to is the same, to the last number."""

from __future__ import annotations

from typing import Any

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.arrivals import survey
from croqc.flow.leaps import leaps_of, run
from croqc.flow.lower import lower
from croqc.flow.lower_statements import STATEMENTS
from croqc.flow.machine import Machine
from croqc.flow.paths import kernel_paths
from croqc.flow.report import Strength
from croqc.flow.run import Setting
from croqc.sema.masks import place_indices
from tests.flow.kernels import model_of
from tests.flow.test_no_false_proof import flow_of

KERNEL = """__co__ void k(global s32 [R, C] src, global s32 [R, C] dst, int J) {{
  parallel b by 4 : block {{
    shared s32 [4, 32] ring[3];
    shared event full[3], empty[3] = ready;
    parallel w by 2 : group {{
      inthreads.async (w == 0) {{ mutable int n = 0; {load} }}
      inthreads.async (w == 1) {{ mutable int n = 0; {use} }}
    }}
  }}
}}
"""
LOAD = "wait empty[@]; dma.copy src.subspan(4, 32).at(b, 0) => ring[@]; trigger full[@];"
EARLY = "wait empty[@]; trigger full[@]; dma.copy src.subspan(4, 32).at(b, 0) => ring[@];"
USE = "wait full[@]; dma.copy ring[@] => dst.subspan(4, 32).at(b, 0); trigger empty[@];"


def loads(head: str = "foreach k in [2000]", slot: str = "k % 3", late: str = "", more: str = "") -> str:
    body = f"if ({late}) {{ {EARLY} }} else {{ {LOAD} }}" if late else LOAD
    return f"{head} {{ {body.replace('@', slot)} {more} }}"


def uses(head: str = "foreach k in [2000]", slot: str = "k % 3", more: str = "") -> str:
    return f"{head} {{ {USE} {more} }}".replace("@", slot)


def settled(text: str) -> tuple[Setting, dict[int, int]]:
    model = model_of(text)
    kernel = model.kernels[-1]
    paths = kernel_paths(model, kernel)
    arrivals, starts = survey(model, kernel, paths)
    program = lower(model, kernel, paths, arrivals, STATEMENTS)
    sizes = {size.var: 7 if size.name == "J" else 1 for size in program.sizes}
    return Setting(program, paths, place_indices(model, kernel.node), arrivals, starts), sizes


def seen(machine: Machine) -> dict[str, Any]:
    """Everything that is told of a run."""

    def place(at: Any) -> Any:
        return None if at is None else (at.path, at.op.span, [at.env[loop.var] for loop in at.op.loops])

    faults = [
        (fault.kind, place(fault.at), place(fault.other), fault.about.get("generation"), fault.about.get("own"))
        for fault in machine.faults.values()
    ]
    slots = [(slot.event.symbol.name, slot.index, slot.completed, slot.pending) for slot in machine.slots()]
    stuck = [(path.number, path.pc, [path.env[loop.var] for loop in path.blocked[0].loops]) for path in machine.stuck()]
    waits = [sorted((slot.index, count) for slot, count in path.waits.items()) for path in machine.paths]
    return {"faults": faults, "slots": slots, "stuck": stuck, "waits": waits}


TEXTS = {
    "plain": (loads(), uses()),
    "two of one in a turn": (loads(), uses("foreach t in [1000]", "(2 * t) % 3", USE.replace("@", "(2 * t + 1) % 3"))),
    "in two nests": (
        loads("foreach t in [4] { foreach k in [501]", "n % 3", more="n += 1; }"),
        uses("foreach k in [2004]"),
    ),
    "a loop behind another": (loads(), uses("foreach k in [1000]") + uses("foreach k in [1000]", "(k + 1) % 3")),
    "by steps": (loads("with k in [6000] { foreach k(0::3)", "(k / 3) % 3") + " }", uses()),
    "from a start": (loads("with k in [2070] { foreach k(70:)", "(k - 70) % 3") + " }", uses()),
    "counted": (loads(slot="n % 3", more="n += 1;"), uses(slot="n % 3", more="n += 1;")),
    "counted down": (loads(slot="n % 3", more="n += 1;"), uses(slot="(3000 + n) % 3", more="n -= 2;")),
    "early at 1500": (loads(late="k == 1500"), uses()),
    "early at 500 and 1500": (loads(late="k == 500 || k == 1500"), uses()),
    "early from 1000 on": (loads(late="k >= 1000"), uses()),
    "early at J": (loads(late="k == J * 200"), uses()),
    "early by the count": (loads(late="n == 1234", more="n += 1;"), uses()),
    "early by a quotient": (loads(late="k / 100 == 13"), uses()),
    "early behind a sign": (loads(late="(k - 1700) / 5 == 1"), uses()),
    "surplus at 1500": (loads(), uses(more="if (k == 1500) { trigger empty[@]; }")),
    "surplus for ever": (loads(), uses(more="trigger empty[@];")),
    "one that is kept back": (
        loads(),
        uses().replace("trigger empty[k % 3];", "if (k != 1501) { trigger empty[k % 3]; }"),
    ),
    "one turn less": (loads(), uses("foreach k in [1999]")),
    "one turn more": (loads(), uses("foreach k in [2001]")),
    "skewed": (loads(), uses(slot="(k + 1) % 3")),
    "a slot that grows": (loads(slot="(k / 700) % 3"), uses(slot="(k / 700) % 3")),
    "an index against a count": (loads(late="k == n && k > 1300", more="n += 1;"), uses()),
    "a first wait behind the loop": (
        "foreach k in [2000] { trigger full[0]; } trigger full[1];",
        "wait full[1]; wait full[0];",
    ),
    "first waits that come late and go on": (
        "foreach k in [2000] { trigger full[0]; } trigger full[1];" + loads("foreach k in [200]"),
        "wait full[1]; foreach k in [100] { wait full[0]; dma.copy ring[0] => dst.subspan(4, 32).at(b, 0); }",
    ),
    "waits far behind": (
        "foreach k in [150] { trigger empty[k & 1]; }" + loads("foreach k in [600]"),
        uses("foreach k in [600]"),
    ),
    "a surplus of long ago": (loads(more="if (k < 50) { trigger full[0]; }"), uses()),
    "bits": (loads(late="(k & 1025) == 1025"), uses()),
}


TILES, IN_TILE = "foreach t in [150]", "foreach k in [100]"


def nested(late: str = "", slot: str = "k % 3", step: str = "n += 1;") -> str:
    return f"{TILES} {{ {loads(IN_TILE, slot, late, step)} }}"


def nested_uses(slot: str = "k % 3", more: str = "n += 1;") -> str:
    return f"{TILES} {{ {uses(IN_TILE, slot, more)} }}"


NESTS = {
    "plain": (nested(slot="n % 3"), nested_uses(slot="n % 3")),
    "restarted": (nested(), nested_uses()),
    "early once": (nested("t == 120 && k == 70", "n % 3"), nested_uses("n % 3")),
    "early in all turns of late tiles": (nested("t > 140", "n % 3"), nested_uses("n % 3")),
    "early at a count": (nested("n == 12345", "n % 3"), nested_uses("n % 3")),
    "early at two": (nested("k == 97 || t == 100 && k == 50", "n % 3"), nested_uses("n % 3")),
    "early where both are equal": (nested("t == k && t > 80", "n % 3"), nested_uses("n % 3")),
    "one more in some tiles": (
        nested(slot="n % 3"),
        nested_uses("n % 3", "n += 1; if (t == 130 && k == 60) { trigger empty[0]; }"),
    ),
    "a tile less": (nested(slot="n % 3"), nested_uses("n % 3").replace("[150]", "[149]")),
    "one turn less in each": (nested(slot="n % 3"), nested_uses("n % 3").replace("[100]", "[99]")),
    "the same in one loop": (nested(slot="n % 3"), uses("foreach k in [15000]")),
    "turned about": (
        nested(slot="n % 3"),
        nested_uses("n % 3").replace("[150]", "[@]").replace("[100]", "[150]").replace("[@]", "[100]"),
    ),
    "other slots in late tiles": (nested(slot="(n + t / 120) % 3"), nested_uses("(n + t / 120) % 3")),
}


@pytest.mark.parametrize("name", ["plain", "restarted", "early once", "a tile less", "the same in one loop"])
def test_long_loops_in_long_loops_are_short(name: str) -> None:
    load, use = NESTS[name]
    setting, sizes = settled(KERNEL.format(load=load, use=use))
    assert 4 * run(Machine(setting, sizes, 1 << 30)).steps < Machine(setting, sizes, 1 << 30).run().steps


@pytest.mark.parametrize("around", ["foreach t in [50]", "foreach t in [60] { foreach u in [2]"])
def test_a_long_loop_in_short_ones_is_left_out_each_time(around: str) -> None:
    head, end = f"{around} {{ ", "}" * (around.count("{") + 1)
    load, use = (f"{head}{make('foreach k in [1000000]')}{end}" for make in (loads, uses))
    assert flow_of(KERNEL.format(load=load, use=use), TYPING_BUDGET).strength is Strength.PROVED


@pytest.mark.parametrize(
    ("load", "use"),
    [*TEXTS.values(), *NESTS.values()],
    ids=[*TEXTS, *(f"loops in loops, {name}" for name in NESTS)],
)
def test_a_run_with_turns_left_out_comes_to_the_same(load: str, use: str) -> None:
    setting, sizes = settled(KERNEL.format(load=load, use=use))
    whole = Machine(setting, sizes, 1 << 30).run()
    short = run(Machine(setting, sizes, 1 << 30))
    assert whole.undecided is None
    assert_same(short, whole)


def assert_same(short: Machine, whole: Machine) -> None:
    told = seen(short)
    if short.broken_off:
        assert told["faults"] == seen(whole)["faults"][: len(told["faults"])] != []
    else:
        assert told == seen(whole)


@pytest.mark.parametrize(
    "name", [name for name in TEXTS if name not in ("a slot that grows", "an index against a count", "bits")]
)
def test_turns_are_left_out(name: str) -> None:
    load, use = TEXTS[name]
    setting, sizes = settled(KERNEL.format(load=load, use=use))
    machine = run(Machine(setting, sizes, 1 << 30))
    assert machine.leapt or machine.broken_off
    assert machine.steps < 10_000


def long(text: str) -> str:
    return text.replace("2000]", "1000000]").replace("1500", "654321").replace("1234", "654321")


@pytest.mark.parametrize("name", ["early at 1500", "early by the count", "surplus at 1500"])
def test_a_fault_in_a_very_late_turn_is_found_while_one_types(name: str) -> None:
    load, use = TEXTS[name]
    flow = flow_of(long(KERNEL.format(load=load, use=use)), TYPING_BUDGET)
    (finding,) = flow.findings
    assert finding.rule in ("stage-race", "credit-overrun")
    assert flow.spent < 60_000  # 50,000 of them to tell its story


@pytest.mark.parametrize("turns", [50, 2000, 1000000])
def test_a_wait_that_comes_behind_a_long_loop_is_found_to_be_overrun(turns: int) -> None:
    load, use = TEXTS["a first wait behind the loop"]
    text = KERNEL.format(load=load.replace("2000", str(turns)), use=use)
    (finding,) = flow_of(text, TYPING_BUDGET).findings
    assert (finding.rule, finding.args["event"]) == ("credit-overrun", "full")


@pytest.mark.parametrize(
    ("name", "turns"),
    [
        ("plain", 2002),
        ("plain", 100001),
        ("plain", 100000),
        ("counted", 3001),
        ("by steps", 2000),
        ("from a start", 2000),
    ],
)
def test_long_loops_that_are_right_are_proved(name: str, turns: int) -> None:
    load, use = TEXTS[name]
    text = KERNEL.format(load=load, use=use)
    flow = flow_of(text.replace("2000]", f"{turns}]"), TYPING_BUDGET)
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


@pytest.mark.parametrize("turns", [999, 1000, 1003, 100000, 100001])
def test_orders_stay_in_step_in_a_long_loop(turns: int) -> None:
    """Whether the rounds that are left out are odd or even in number, the parity is that of all of them."""
    head = f"foreach k in [{turns}]"
    load = f"{head} {{ wait empty.at(k); dma.copy src.subspan(4, 32).at(b, k) => ring[k % 3]; trigger full.at(k); }}"
    use = f"{head} {{ wait full.at(k); dma.copy ring[k % 3] => dst.subspan(4, 32).at(b, k); trigger empty.at(k); }}"
    flow = flow_of(KERNEL.format(load=load, use=use), TYPING_BUDGET)
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


GIVEN = """__co__ void k(global s32 [R, C] src, global s32 [R, C] dst, int J) {{
  parallel b by 4 : block {{
    shared s32 [4, 32] ring[3];
    shared s32 [4, 32] out;
    shared event full[3], empty[3] = ready;
    foreach t in [{tiles}] {{
      parallel w by 2 : group {{
        inthreads.async (w == 0) {{ {load} }}
        inthreads.async (w == 1) {{ {use} }}
      }}
      {behind}
    }}
  }}
}}
"""
JOINED = "dma.copy ring[0] => out;"
ONE = "foreach k in [3]"


@pytest.mark.parametrize("behind", ["", JOINED])
@pytest.mark.parametrize(
    ("tiles", "load", "use"),
    [
        (500, loads(ONE), uses(ONE)),
        (500, loads(ONE, late="t == 350"), uses(ONE)),
        (500, loads(ONE), uses(ONE, more="if (t == 350) { trigger empty[@]; }")),
        (500, loads("foreach k in [4]"), uses("foreach k in [4]")),
        (500, loads(ONE), uses("foreach k in [3 + t / 400]")),
        (3, loads("foreach k in [1500]"), uses("foreach k in [1500]")),
        (3, loads("foreach k in [1500]", late="t == 2 && k == 900"), uses("foreach k in [1500]")),
        (200, loads("foreach k in [201]"), uses("foreach k in [201]")),
        (200, loads("foreach k in [201]", late="k == t + 180"), uses("foreach k in [201]")),
    ],
)
def test_it_is_the_same_where_the_block_gives_its_paths_what_to_do(
    behind: str, tiles: int, load: str, use: str
) -> None:
    setting, sizes = settled(GIVEN.format(tiles=tiles, load=load, use=use, behind=behind))
    whole = Machine(setting, sizes, 1 << 30).run()
    short = run(Machine(setting, sizes, 1 << 30))
    assert whole.undecided is None
    assert_same(short, whole)


@pytest.mark.parametrize(("period", "leaves"), [(5, True), (1_000_003, False)])
def test_a_loop_that_comes_again_later_than_the_budget_reaches_is_run_as_it_is(period: int, leaves: bool) -> None:
    """3 slots and the period: states 3,000,009 turns apart would be alike, of which 200,000 steps write down none."""
    text = KERNEL.format(load=loads("foreach k in [2000000000]", late=f"k % {period} == 1"), use=uses())
    setting, sizes = settled(text.replace("foreach k in [2000]", "foreach k in [2000000000]"))
    machine = Machine(setting, sizes, TYPING_BUDGET)
    watching = leaps_of(machine)
    assert watching is not None
    moduli = {watching.tellings[loop.var].modulus for loop in watching.long}
    assert (3 * period in moduli) is leaves and 3 in moduli
