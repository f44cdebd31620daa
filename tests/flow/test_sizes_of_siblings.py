"""A size is the same size in each of several inner `parallel`s of a block, though the first one that names it is over
before the next is read. Verdicts by hand: every trip count is that of the text."""

from __future__ import annotations

import pytest

from tests.flow.pipes import Verdict, check

HEAD = "__co__ void f(global s32 [R, C] src, global s32 [R, C] dst, int n, int m) {\n parallel b by R : block {\n"
DECLARE = """shared s32 [1, 16] ring[2], other[2]; shared event full[2], empty[2] = ready;
  shared event full2[2], empty2[2] = ready; """
GIVE = "wait empty[k % 2]; dma.copy src.subspan(1, 16).at(b, k) => ring[k % 2]; trigger full[k % 2];"
TAKE = "wait full[k % 2]; dma.copy ring[k % 2] => dst.subspan(1, 16).at(b, k); trigger empty[k % 2];"
PASS = """wait full[k % 2]; wait empty2[k % 2]; dma.copy ring[k % 2] => other[k % 2];
  trigger empty[k % 2]; trigger full2[k % 2];"""
LAST = TAKE.replace("ring", "other").replace("full", "full2").replace("empty", "empty2")
GIVER = "parallel p by 3 : group-4 {{ inthreads.async (p == 0) {{ {} }} }} "
ALIKE = "parallel q by 3 : group-4 {{ inthreads.async (q == 1) {{ {} }} }} "
WARP = "parallel q by 12 : group {{ inthreads.async (q == 5) {{ {} }} }} "
THIRD = "parallel r by 3 : group-4 {{ inthreads.async (r == 2) {{ {} }} }} "
SECOND = pytest.mark.parametrize("second", [ALIKE, WARP], ids=["alike", "unlike"])


def verdict(*parts: str, around: str = "{}") -> Verdict:
    """Of a block with these `parallel`s. What the kernel does not use of `DECLARE` is left out."""
    text = around.format("\n".join(parts))
    declare = DECLARE if "full2" in text else DECLARE.splitlines()[0]
    return check(f"{HEAD}{declare}{text}\n }} }}\n")


def turns(bound: str, body: str) -> str:
    return f"foreach {{k}} in [{bound}] {{ {body} }}"


@SECOND
@pytest.mark.parametrize("bound", ["C", "cdiv(C, 16)", "n", "C / 16 + 1"])
def test_a_ring_between_two_of_one_bound_is_proved(bound: str, second: str) -> None:
    found = verdict(GIVER.format(turns(bound, GIVE)), second.format(turns(bound, TAKE)))
    assert (found.rules, found.strength) == ([], "proved")


@SECOND
def test_the_same_over_a_named_index(second: str) -> None:
    give, take = (turns("C", body).replace("{k} in [C]", "k in C") for body in (GIVE, TAKE))
    found = verdict(GIVER.format(give), second.format(take))
    assert (found.rules, found.strength) == ([], "proved")


@SECOND
@pytest.mark.parametrize(
    "around",
    [
        "foreach t in [m] {{ {} }}",  # of the block
        "foreach t in [m] {{ foreach v in [n] {{ {} }} }}",
        "if (n > 3) {{ {} }}",
    ],
)
def test_the_same_with_loops_and_conditions_around_both(around: str, second: str) -> None:
    found = verdict(GIVER.format(turns("C", GIVE)), second.format(turns("C", TAKE)), around=around)
    assert (found.rules, found.strength) == ([], "proved")


@SECOND
@pytest.mark.parametrize("around", ["foreach t in [m] {{ {} }}", "if (n > 3) {{ {} }}"])
def test_the_same_with_loops_and_conditions_of_sizes_in_each(around: str, second: str) -> None:
    give, take = (around.format(turns("C", body)) for body in (GIVE, TAKE))
    found = verdict(GIVER.format(give), second.format(take))
    assert (found.rules, found.strength) == ([], "proved")


@SECOND
def test_three_hand_a_tile_on(second: str) -> None:
    first, last = GIVER.format(turns("C", GIVE)), THIRD.format(turns("C", LAST))
    right = verdict(first, second.format(turns("C", PASS)), last)
    assert (right.rules, right.strength) == ([], "proved")
    wrong = verdict(first, second.format(turns("C", PASS)), THIRD.format(turns("C + 1", LAST)))
    assert wrong.rules == ["trip-count-mismatch"]
    args = wrong.seen[0].finding.args
    assert (args["long"], args["more"] - args["fewer"]) == ("path r == 2", 1)


UNEQUAL = {  # bounds of the first and the second, the sizes named, and the turns that they make at those sizes
    ("C", "C + 1"): lambda sizes: (sizes["C"], sizes["C"] + 1),
    ("C / 16", "cdiv(C, 16)"): lambda sizes: (sizes["C"] // 16, -(-sizes["C"] // 16)),
    ("n", "m"): lambda sizes: (sizes["n"], sizes["m"]),
    ("n", "C"): lambda sizes: (sizes["n"], sizes["C"]),
}


@SECOND
@pytest.mark.parametrize("bounds", UNEQUAL)
def test_unequal_bounds_are_found_with_sizes_that_show_them(bounds: tuple[str, str], second: str) -> None:
    given, taken = bounds
    found = verdict(GIVER.format(turns(given, GIVE)), second.format(turns(taken, TAKE)))
    assert found.rules == ["trip-count-mismatch"]
    finding = found.seen[0].finding
    giving, taking = UNEQUAL[bounds](finding.sizes)
    own = {"path p == 0": giving, "path q == 1" if second is ALIKE else "path q == 5": taking}
    args = finding.args
    assert (own[args["short"]], own[args["long"]]) == (args["fewer"], args["more"])
    assert giving != taking


@pytest.mark.parametrize("credits", [1, 2])
def test_one_credit_too_few_is_found(credits: int) -> None:
    start = "".join(f"trigger empty[{slot}]; " for slot in range(credits))
    parts = (THIRD.format(start), GIVER.format(turns("C", GIVE)), ALIKE.format(turns("C", TAKE)))
    found = check(f"{HEAD}{DECLARE.splitlines()[0].replace(' = ready', '')}{''.join(parts)} }} }}\n")
    if credits == 2:
        assert (found.rules, found.strength) == ([], "proved")
        return
    assert found.rules == ["credit-deadlock"]
    finding = found.seen[0].finding
    assert (finding.args["cause"], finding.sizes) == ("bootstrap-short", {"C": 2})


@SECOND
def test_a_slot_that_is_not_given_back_is_found(second: str) -> None:
    kept = TAKE.replace("trigger empty[k % 2];", "")
    found = verdict(GIVER.format(turns("C", GIVE)), second.format(turns("C", kept)))
    assert found.rules == ["credit-deadlock"]
    assert found.seen[0].finding.sizes == {"C": 3}  # a ring of two: the third turn waits for ever


def test_an_epilogue_of_the_block_means_the_same_size_as_the_role_before_it() -> None:
    give = "foreach {k} in [C] { dma.copy src.subspan(1, 16).at(b, k) => ring[k % 2]; }"
    take = "foreach {k} in [%s] { dma.copy ring[k %% 2] => dst.subspan(1, 16).at(b, k); }"
    declare = "shared s32 [1, 16] ring[2]; "
    right = check(f"{HEAD}{declare}{GIVER.format(give)}{take % 'C'} }} }}\n")
    assert (right.rules, right.strength) == ([], "proved")
    wrong = check(f"{HEAD}{declare}{GIVER.format(give)}{take % '(C + 1)'} }} }}\n")
    assert wrong.rules == ["unwritten-read"]
    assert wrong.seen[0].finding.sizes == {"C": 1}  # the slot of its second turn is filled from two on
