"""Only a modulus that numbers a slot may be named or rewritten as one of the ring."""

from __future__ import annotations

import re

import pytest

from croqc.refactor.base import Code
from croqc.rules import slot_mends
from croqc.rules.slot_remainders import Slot, slot_in
from croqc.service.check import check_text
from croqc.syntax import ast
from croqc.text.edits import apply_edits
from tests.rules.mending import instead, report_of, second, shown, simulated, without
from tests.rules.pumps import BOOTSTRAP, CHAIN, CURRENT_CHAIN, PACKED, PACKED_CHAIN, RING, STORES


def titles(text: str) -> list[str]:
    return [fix.title for item in report_of(text).diagnostics for fix in item.fixes]


@pytest.mark.parametrize("guard", ["if (k % 61 == 60) { break; }", "if (K % 7 == 3) { if (k == 2) { break; } }"])
def test_a_modulus_in_a_condition_is_left_alone(guard: str) -> None:
    """The break is a fault, but 61 and 7 are none of the ring of two: with `% 2` the break could never be reached."""
    broken = instead(RING, "wait empty[k % 2];", f"{guard} wait empty[k % 2];")
    (item,) = shown(broken)
    assert item.code == "credit-deadlock"
    assert not any("modulus" in title for title in titles(broken))


def test_only_the_modulus_of_the_slot_is_mended() -> None:
    """Both moduli are 3, and the ring has two slots: the one in the condition means every third turn."""
    broken = instead(RING, "wait empty[k % 2];", "if (k % 3 == 2) { int z = 0; } wait empty[k % 3];")
    edits = [edit for item in shown(broken) for fix in item.fixes for edit in fix.edits if "modulus" in fix.title]
    assert edits
    assert all(broken[: edit.span.start].endswith("empty[k % ") for edit in edits)


def test_a_modulus_that_comes_to_the_slot_by_a_variable_is_mended() -> None:
    """`s` is the slot, so that its modulus is the ring's, too."""
    broken = instead(RING, "wait empty[k % 2];", "int s = k % 3; wait empty[s];")
    (item,) = shown(broken)
    assert item.code == "ring-mismatch"
    assert any("modulus" in title for title in titles(broken))


def test_a_negative_index_is_named_as_such() -> None:
    """In the first turn `(0 - 5) % 2` is -1, as in C; nobody uses the ring modulo 3."""
    (item,) = shown(RING.replace("k % 2", "(k - 5) % 2"))
    assert item.code == "ring-mismatch"
    assert "the index is -1 here (k = 0)" in item.message
    assert "modulo" not in item.message


def test_an_index_without_a_modulus_is_named_as_such() -> None:
    """The third turn names slot 2 of two: no modulus is written that could be the ring's."""
    (item,) = shown(RING.replace("[k % 2]", "[k]"))
    assert item.code == "ring-mismatch"
    assert "the index is 2 here (k = 2)" in item.message


def ahead(ring: str = RING) -> str:
    """The consumer begins with slot 1."""
    producer, consumer = ring.split("inthreads.async (w == 1)")
    return f"{producer}inthreads.async (w == 1){consumer.replace('k % 2', '(k + 1) % 2')}"


def test_a_role_that_is_a_slot_ahead_is_named_with_a_size_that_shows_it() -> None:
    """With one tile the consumer waits for slot 1, which is never filled; two tiles fill both."""
    (item,) = shown(ahead())
    assert item.code == "ring-mismatch"
    assert item.message == (
        "path w == 1 takes slot s + 1 of 'full' in the turn in which path w == 0 takes slot s (K = 1)"
    )
    assert ahead()[item.span.start : item.span.end] == "(k + 1) % 2"
    mended = "".join(fix.title for fix in item.fixes)
    assert mended == "Leave out what is added to the index"
    assert instead(ahead(), "(k + 1) % 2", "k % 2") == RING


def test_the_lengths_of_a_ring_are_shown_at_its_declarations() -> None:
    broken = instead(RING, "wait empty[k % 2];", "wait empty[k % 3];")
    for text in (broken, ahead(), RING.replace("k % 2", "k")):
        (item,) = shown(text)
        assert item.code == "ring-mismatch"
        declared = [one for one in item.related if one.message.endswith(" has 2 slots")]
        assert declared
        for one in declared:
            name = one.message.split("'")[1]
            assert text[one.span.start :].startswith((f"{name}[2]", f"{name} ["))


def test_a_role_that_loads_ahead_is_not_named_for_another_fault() -> None:
    """It names two slots a turn, which may be meant: what is wrong is told by what it leads to."""
    text = """__co__ void f(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] ring[2];
    shared event full[2], empty[2] = ready;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 2];
          dma.copy src.subspan(16, 64).at(b, k) => ring[(k + 1) % 2];
          trigger full[k % 2];
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [cdiv(K, 64)] {
          wait full[k % 2];
          dma.copy ring[k % 2] => dst.subspan(16, 64).at(b, k);
          trigger empty[k % 2];
        }
      }
    }
  }
}
"""
    (item,) = shown(text)
    assert item.code in ("unwritten-read", "stage-race")


# --- elements, packed slots, rings of other lengths ------------------------------------------------


def first(text: str) -> str:
    """The text after the first fix of its only finding."""
    (item,) = shown(text)
    return apply_edits(text, item.fixes[0].edits)


def test_the_remainder_in_the_index_of_an_element_is_left_alone() -> None:
    """`c` is a column of the tile, `% 64`: only the slot has the ring's modulus."""
    broken = instead(STORES, "= ring[k % 3]", "= ring[k % 4]")
    assert first(broken) == STORES


def test_each_ring_has_its_own_modulus() -> None:
    """`raw` has two slots and `done` three: a slip in one must not shorten the other."""
    broken = instead(CURRENT_CHAIN, "=> raw[k % 2]", "=> raw[k % 3]")
    assert first(broken) == CURRENT_CHAIN


def test_the_slot_of_a_packed_buffer_is_one_of_its_ring() -> None:
    broken = instead(PACKED, "dma.copy ring.subspan(16, 64).at(stage, 0)", "dma.copy ring.subspan(16, 64).at(k % 4, 0)")
    (item,) = shown(broken)
    assert [fix.title for fix in item.fixes] == ["Use '2' as the modulus"]


@pytest.mark.parametrize("shift", ["(k + 1)", "(k + 2 - 1)", "(1 + k)", "(k - 1 + 2)", "(k + b)", "(b + k + 1)"])
def test_a_shift_that_one_role_has_alone_is_taken_out(shift: str) -> None:
    broken = second(PACKED, "stage = k % 2", f"stage = {shift} % 2")
    assert first(broken) == PACKED


def test_a_shift_by_something_that_varies_is_left_alone() -> None:
    """Twice the index is no shift of it; half of it moves on with the turns."""
    for varies in ("(k + k)", "(k + k / 2)"):
        broken = second(PACKED, "stage = k % 2", f"stage = {varies} % 2")
        assert shown(broken)
        assert not any("as the other role" in title for title in titles(broken))


def test_a_shift_that_both_roles_have_is_no_fault() -> None:
    assert shown(PACKED.replace("stage = k % 2", "stage = (k + b) % 2")) == []


# --- no modulus at all ---------------------------------------------------------------------------------

THREE = RING.replace("% 2", "% S").replace("[2]", "[S]").replace("__co__", "#define S 3\n__co__", 1)
PLAIN = {
    "the wait for data": ("wait full[k % S]",),
    "the wait for space": ("wait empty[k % S]",),
    "the trigger": ("trigger empty[k % S]",),
    "the buffer": ("=> ring[k % S]",),
    "one role": ("wait full[k % S]", "dma.copy ring[k % S]", "trigger empty[k % S]"),
    "both roles": ("[k % S]",),
}


@pytest.mark.parametrize("constant", [False, True], ids=["size", "constant"])
@pytest.mark.parametrize("name", PLAIN)
def test_an_index_that_leaves_its_ring_goes_round_it_with_the_lengths_name(name: str, constant: bool) -> None:
    """The loop over the slots at start stays inside, and as it is."""
    right = instead(THREE, "cdiv(K, 64)", "7").replace("K]", "448]").replace(" K=448", "") if constant else THREE
    assert shown(right) == []
    broken = right
    for part in PLAIN[name]:
        broken = instead(broken, part, part.replace("k % S", "k"))
    found = shown(broken)
    reached = "subscript reaches 6 in dimension 0 of" if constant else "has 3 slots, but the index is 3 here (k = 3)"
    for item in found:
        assert item.code == ("index-out-of-range" if constant else "ring-mismatch")
        assert reached in item.message
        assert re.fullmatch(r"go round the ring: '(full|empty|ring)\[k % S\]'", item.hint)
        assert [(fix.title, fix.safe) for fix in item.fixes] == [("Use 'k % S' as the slot", True)]
        assert apply_edits(broken, item.fixes[0].edits) == right


def test_a_modulus_with_which_the_roles_differ_all_the_same_is_not_safe() -> None:
    """The consumer's wait is missing, too: with the modulus it reads too early."""
    broken = instead(without(THREE, "          wait full[k % S];\n"), "=> ring[k % S]", "=> ring[k]")
    assert not any(fix.safe and "as the slot" in fix.title for item in shown(broken) for fix in item.fixes)


# --- an array that is shorter than its ring ----------------------------------------------------------


@pytest.mark.parametrize("array", ["empty", "full", "ring"])
def test_the_one_array_that_is_too_short_is_made_as_long_as_the_others(array: str) -> None:
    ready = instead(instead(THREE, BOOTSTRAP.replace("[2]", "[S]"), ""), "empty[S];", "empty[S] = ready;")
    assert shown(ready) == []
    broken = instead(ready, f"{array}[S]", f"{array}[2]", 1)
    (item,) = shown(broken)
    assert [(fix.title, fix.safe) for fix in item.fixes] == [
        (f"Declare '{array}[S]', as long as the others", True),
        ("Use '2' as the modulus", False),
    ]
    assert first(broken) == ready


def test_where_lengths_agree_the_modulus_is_safe_though_the_kernel_is_checked_only() -> None:
    """The guard over M and N keeps the kernel from being proved for every size, whatever is mended."""
    store = "out.at(b * 16 + r, k * 64 + c) = "
    guarded = instead(STORES, store, f"if (b * 16 + r < M && k * 64 + c < N)\n              {store}")
    broken = instead(guarded, "ring[k % 3]", "ring[k % 4]", 1)
    (item,) = shown(broken)
    assert [(fix.title, fix.safe) for fix in item.fixes] == [("Use '3' as the modulus", True)]
    assert first(broken) == guarded


# --- two rings, one behind the other ---------------------------------------------------------------


LONG = CHAIN.replace("% 2", "% 4").replace("[2]", "[4]")
"""The first ring has four slots and the second one three."""


def lines(text: str, part: str, other: str, *where: str) -> str:
    """Another text for a part, in the lines that begin so."""
    out = [line.replace(part, other) if line.strip().startswith(where) else line for line in text.splitlines(True)]
    assert "".join(out) != text
    return "".join(out)


SECOND_RING = ("wait filled", "dma.copy done", "trigger taken[k")
MIDDLE = ("wait taken", "trigger filled")
SLIPS = {
    "the last role uses the length of the first ring": (CHAIN, lines(CHAIN, "% 3", "% 2", *SECOND_RING)),
    "the same, where the first ring is the longer one": (LONG, lines(LONG, "% 3", "% 4", *SECOND_RING)),
    "the first role uses the length of the second ring": (
        CHAIN,
        lines(CHAIN, "% 2", "% 3", "wait empty", "dma.copy src", "trigger full"),
    ),
    "the middle role uses the length of the first ring for both": (
        LONG,
        lines(lines(LONG, "% 3", "% 4", *MIDDLE), "=> done[k % 3]", "=> done[k % 4]", "dma.copy raw"),
    ),
    "packed slots": (PACKED_CHAIN, lines(PACKED_CHAIN, "% 3", "% 2", *SECOND_RING)),
    "orders": (CURRENT_CHAIN, lines(CURRENT_CHAIN, "done[k % 3]", "done[k % 4]", "dma.copy done")),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_only_the_ring_that_is_indexed_wrong_is_touched(slip: str) -> None:
    right, broken = SLIPS[slip]
    assert shown(right) == []
    (item,) = shown(broken)
    assert item.code == "ring-mismatch"
    line = broken.count("\n", 0, item.span.start)
    assert broken.splitlines()[line] not in right.splitlines()
    assert [apply_edits(broken, fix.edits) for fix in item.fixes] == [right]


def test_a_modulus_that_numbers_slots_of_two_rings_is_no_safe_fix_for_either() -> None:
    """With `s = k % 4` the middle role names slots of both rings: of four slots, and of three."""
    middle = lines(LONG, "[k % 4]", "[s]", "trigger empty").replace("wait full[k % 4];", "int s = k % 4; wait full[s];")
    broken = lines(middle, "[k % 3]", "[s]", *MIDDLE).replace("raw[k % 4] => done[k % 3]", "raw[s] => done[s]")
    assert shown(broken)
    assert not any(fix.safe for item in shown(broken) for fix in item.fixes)


READY = (
    re.sub(r" +foreach \{s\}[^}]*\}\n", "", CHAIN)
    .replace("empty[2]", "empty[2] = ready")
    .replace("taken[3]", "taken[3] = ready")
)


@pytest.mark.parametrize(("slots", "safe"), [("4", True), ("3", False)])
def test_a_trigger_of_the_other_ring_is_renamed(slots: str, safe: bool) -> None:
    """The last role gives a slot of the first ring back, not one of the second: no length is wrong.

    Where both rings have three slots, that may be meant, with a trigger of the other event forgotten.
    """
    right = READY.replace("% 2", f"% {slots}").replace("[2]", f"[{slots}]")
    at = right.rindex("trigger taken[k")
    broken = right[:at] + right[at:].replace("taken", "empty", 1)
    (item,) = shown(broken)
    assert item.code == "credit-deadlock"
    assert first(broken) == right
    assert [fix.safe for fix in item.fixes if fix.safe] == [True] * safe


# --- one credit too many ---------------------------------------------------------------------------


@pytest.mark.parametrize("bound", ["{s} in [3]", "{s} in [2 + 1]", "{s} in [cdiv(K, 64)]", "s in 3"])
def test_credits_at_start_end_with_the_last_slot(bound: str) -> None:
    broken = instead(RING, "{s} in [2]", bound)
    (item,) = shown(broken)
    assert item.code in ("index-out-of-range", "ring-mismatch")
    assert item.hint != "guard it with an 'if', or change the bounds of the index"
    assert [fix.safe for fix in item.fixes] == [True]
    assert shown(first(broken)) == []


def test_a_loop_that_does_more_than_start_the_ring_keeps_its_bound() -> None:
    broken = instead(
        RING, "{s} in [2] {\n          trigger empty[s];", "{s} in [3] {\n          trigger empty[s];\n          n = s;"
    )
    (item,) = shown(broken)
    assert (item.code, item.fixes) == ("index-out-of-range", ())


START = "foreach {s} in [2] {\n          trigger empty[s];"


def test_a_start_that_goes_round_ends_with_the_last_slot() -> None:
    broken = instead(RING, START, "foreach {s} in [2 + 1] {\n          trigger empty[s % 2];")
    (item,) = shown(broken)
    assert item.code == "credit-overrun"
    assert [fix.safe for fix in item.fixes] == [True]
    assert first(broken) == instead(RING, "trigger empty[s];", "trigger empty[s % 2];")
    assert simulated(first(broken)) == {"verified"}


@pytest.mark.parametrize("slot", ["0", "1"])
def test_a_credit_beside_the_start_of_all_slots_is_left_out(slot: str) -> None:
    broken = instead(RING, START, f"trigger empty[{slot}];\n        {START}")
    (item,) = shown(broken)
    assert item.code == "credit-overrun"
    assert [fix.safe for fix in item.fixes] == [True]
    assert first(broken) == RING


RING_OF_WAITS = """__co__ void f(global f32 [256] x) {
  parallel b by 256 : block {
    shared event e[3];
    parallel p by 4 : group {
      inthreads.async (p == 0) { foreach k in 8 { %s } }
    }
  }
}
"""


def test_a_thousand_references_that_leave_a_ring_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each was a walk through the whole function: a thousand times as many looks."""
    looked: list[ast.Node] = []

    def counting(code: Code, node: ast.Node) -> Slot | None:
        looked.append(node)
        return slot_in(code, node)

    monkeypatch.setattr(slot_mends, "slot_in", counting)
    report = check_text(RING_OF_WAITS % ("wait e[k];\n" * 1000))
    found = [item for item in report.diagnostics if item.code == "index-out-of-range"]
    assert len(found) == 1000 and {item.hint for item in found} == {"go round the ring: 'e[k % 3]'"}
    assert [len(fix.edits) for item in found for fix in item.fixes] == [1000]
    assert 1000 <= len(looked) < 10_000


def test_a_few_of_them_have_the_fix_each() -> None:
    found = check_text(RING_OF_WAITS % ("wait e[k];\n" * 3)).diagnostics
    fixes = [fix for item in found if item.code == "index-out-of-range" for fix in item.fixes]
    assert [(fix.title, len(fix.edits)) for fix in fixes] == [("Use 'k % 3' as the slot", 3)] * 3
