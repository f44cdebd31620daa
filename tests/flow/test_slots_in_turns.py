"""Roles that take turns over a ring: which slots each of them can reach, and so how many arrive."""

from __future__ import annotations

import pytest

from tests.flow.kernels import body, counts
from tests.flow.pipes import Verdict, block, check

FILL = "wait empty[{s}]; dma.copy src.subspan(16, 64).at(b, {k}) => buf[{s}]; trigger full[{s}];"
TAKE = "wait full[{s}]; dma.copy buf[{s}] => dst.subspan(16, 64).at(b, {k}); trigger empty[{s}];"
EVERY = "foreach {k} in [cdiv(K, 64)] { s = k % 4; "
BY_TWO = "with k in [cdiv(K, 64)] { foreach k({0}::2) { s = k % 4; "


def fill(slot: str = "s") -> str:
    return FILL.replace("{s}", slot).replace("{k}", "k")


def take(slot: str = "s") -> str:
    return TAKE.replace("{s}", slot).replace("{k}", "k")


def consumers(grant: str, loop: str) -> str:
    """One producer of every tile, two consumers (`c` is 0 or 1) that run `grant` and `loop`."""
    return f"""inthreads.async (p == 0) {{ {EVERY} {fill()} }} }}
      inthreads.async (p > 0) {{ c = p - 1; {grant} {loop} }}"""


def producers(loop: str, take: str) -> str:
    return f"""inthreads.async (p < 2) {{ {loop} }}
      inthreads.async (p == 2) {{ foreach {{s}} in [4] {{ trigger empty[s]; }} {EVERY} {take} }} }}"""


GRANT = "foreach {s} in [4] { if (s % 2 == c) { trigger empty[s]; } }"
ORDERED = "wait full.at(k); dma.copy buf[k % 4] => dst.subspan(16, 64).at(b, k); trigger empty.at(k);"
COUNTED = """mutable int i = c; while (i < cdiv(K, 64)) { wait full[i % 4];
  dma.copy buf[i % 4] => dst.subspan(16, 64).at(b, i); trigger empty[i % 4]; i += 2; }"""
TURNING = f"""mutable int s = c; foreach {{k}} in [cdiv(K, 64)] {{ if (k % 2 == c) {{ {take()} s = (s + 2) % 4; }} }}"""
TURNS = {
    "a condition": consumers(GRANT, f"{EVERY} if (k % 2 == c) {{ {take()} }} }}"),
    "continue": consumers(
        "foreach {i} in [2] { trigger empty[2 * i + c]; }", f"{EVERY} if (k % 2 != c) continue; {take()} }}"
    ),
    "a named condition": consumers(GRANT, f"{EVERY} mine = k % 2 == c; if (!mine) {{ continue; }} {take()} }}"),
    "orders": consumers(
        GRANT.replace("empty[s]", "empty.at(s)"),
        f"foreach {{k}} in [cdiv(K, 64)] {{ if (k % 2 == c) {{ {ORDERED} }} }}"
    ),
    "slices": consumers(
        "with s in [4] { foreach s(c::2) { trigger empty[s]; } }", f"{BY_TWO.replace('{0}', 'c')} {take()} }} }}"
    ),
    "a counter": consumers(GRANT, COUNTED),
    "a counter that comes round": consumers(GRANT, TURNING),
    "a named slot of a counter": consumers(
        GRANT,
        f"mutable int k = c; while (k < cdiv(K, 64)) {{ s = k % 4; {take()} k = k + 2; }}",
    ),
    "a slot that starts again": consumers(
        "mutable int s = c; trigger empty[s]; trigger empty[s + 2];",
        f"{EVERY.replace('s = k % 4; ', '')} if (k % 2 == c) {{ {take()} s += 2; if (s >= 4) {{ s = c; }} }} }}",
    ),
    "rounds of its own": consumers(
        "foreach {i} in [2] { trigger empty[2 * i + c]; }",
        f"foreach {{i}} in [(cdiv(K, 64) + 1 - c) / 2] {{ k = 2 * i + c; {take('k % 4')} }}",
    ),
    "producers over slices": producers(f"{BY_TWO.replace('{0}', 'p')} {fill()} }} }}", take()),
    "producers of named iterations": producers(
        f"with i in [cdiv(K, 64)] {{ foreach k = i(p::2) {{ {fill('k % 4')} }} }}", take()
    ),
}  # fmt: skip


def turns(roles: str, groups: int = 3) -> Verdict:
    ring = "shared event full[4], empty[4]; shared f16 [16, 64] buf[4];"
    return check(block(f"{ring} parallel p by {groups} : group-4 {{ {roles} }}"))


@pytest.mark.parametrize("name", TURNS)
def test_each_slot_has_one_owner(name: str) -> None:
    verdict = turns(TURNS[name])
    assert verdict.places == []
    assert {event.name: event.arrivals for event in verdict.flow.events} == {"full": (1,) * 4, "empty": (1,) * 4}
    assert verdict.strength in ("proved", "checked")


def test_two_producers_and_two_consumers_in_turns() -> None:
    verdict = turns(
        f"""inthreads.async (p < 2) {{ {BY_TWO.replace("{0}", "p")} {fill()} }} }} }}
        inthreads.async (p > 1) {{ c = p - 2; {GRANT} {BY_TWO.replace("{0}", "c")} {take()} }} }} }}""",
        groups=4,
    )
    assert (verdict.places, verdict.strength) == ([], "proved")


ROLES = "parallel p by 2 : group-4 {{ inthreads.async (p < 2) {{ {} }} }}"
REACHED = {
    "every third": ("with k in [n] { foreach k(p::3) { wait full[k % 2]; trigger full[k % 2]; } }", (2, 2)),
    "one by one": ("with k in [4] { foreach k(2 * p:2 * p - 2) { trigger full[k % 2]; } }", (2, 2)),
    "behind a constant": ("foreach k in [n] { if (k > 20) { wait empty[0]; trigger full[(k + p) % 2]; } }", (2, 2)),
    "rounds": ("foreach k in [n] { if (k / 2 % 2 == p) { wait empty[0]; trigger full[k % 2]; } }", (2, 2)),
    "own rounds": ("foreach k in [n] { wait empty[0]; if (k % 4 / 2 == p) { trigger full[k / 2 % 2]; } }", (1, 1)),
    "leaving early": ("foreach k in [n] { wait empty[0]; if (k % 2 == p) break; trigger full[k % 2]; }", (1, 1)),
    "another index's turn": ("foreach {t, k} in [n, n] { if (t % 2 == p) { trigger full[k % 2]; } }", (2, 2)),
    "ordered indices": ("foreach {t, k} in [n, n] { if (k > t) { trigger full[(k + t + p) % 2]; } }", (2, 2)),
    "a size decides": ("foreach k in [n] { if (n % 2 == p) { trigger full[k % 2]; } }", (2, 2)),
    "a count over tiles": (
        "foreach {t, k} in [n, cdiv(K, 64)] { c = t * cdiv(K, 64) + k; if (c % 2 == p) { trigger full[c % 2]; } }",
        (1, 1),
    ),
    "a count over uneven tiles": (
        "foreach {t, k} in [n, K] { if ((t * K + k) % 2 == p) { trigger full[(t + k) % 2]; } }",
        (2, 2),
    ),
    "a counter of ones": ("mutable int s = p; foreach k in [n] { trigger full[s % 2]; s += 1; }", (2, 2)),
    "a counter of data": ("mutable int s = p; foreach k in [n] { trigger full[s % 2]; s = call g(s); }", (2, 2)),
    "a counter reset to anything": ("mutable int s = p; foreach k in [n] { trigger full[s % 2]; s = n; }", (2, 2)),
    "a slot set back": ("mutable int s = 2 + p; foreach k in [n] { trigger full[s - 2]; }", (1, 1)),
    "two ways round": ("mutable int s = p; foreach k in [n] { trigger full[s % 2]; s = (s + 2) % 3; s += 2; }", (2, 2)),
    "a start beyond": ("mutable int s = 4 + p; foreach k in [n] { trigger full[s - 4]; s = (s + 4) % 4; }", (1, 1)),
    "a counter down": ("mutable int s = 4 + p; foreach k in [2] { trigger full[s % 2]; s -= 2; }", (1, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", REACHED)
def test_which_paths_reach_a_slot(name: str) -> None:
    text, expected = REACHED[name]
    found = counts(body(ROLES.format(text)))
    assert (found["full[0]"], found["full[1]"]) == expected
