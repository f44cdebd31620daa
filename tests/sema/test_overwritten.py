"""A write of what another warp may still have to read, with no barrier between, is found; nothing less certain is."""

from __future__ import annotations

from functools import partial

import pytest

from croqc.sema import rulenames_device as rules
from tests.sema.device_study import device, effort, in_threads

HEAD = "parallel b by 4 : block, t by 128 : thread"


told = partial(in_threads, rules.UNSYNCED_WRITE)
WRITE = "s.at(t) = big.at(0, t);"
READ = "x = s.at(127 - t);"
SYNC = "sync.shared;"


@pytest.mark.parametrize(
    ("body", "writes"),
    [
        (f"{READ} {WRITE}", ["s.at(t)"]),
        (f"x = s.at((t + 32) % 128); y = 1; {WRITE}", ["s.at(t)"]),
        ("s.at(t) = s.at(127 - t);", ["s.at(t)"]),  # one statement: thread 0 reads what thread 127 writes
        ("x = s.at(127 - t); s.at(t) += 1.0f;", ["s.at(t)"]),
        ("s.at(t % 64) += 1.0f;", ["s.at(t % 64)"]),  # threads 0 and 64 at once
        (f"foreach i in 128 {{ x = s.at(i); }} {WRITE}", ["s.at(t)"]),
        (f"foreach i in 128 {{ x = s.at(i); }} foreach j in n {{ y = big.at(j, t); }} {WRITE}", ["s.at(t)"]),
        (f"{READ} if (t == 0) {{ s.at(0) = 1.0f; }}", ["s.at(0)"]),  # thread 127 reads it
        (f"if (t > 63) {{ {READ} }} else {{ {WRITE} }}", ["s.at(t)"]),
        # a turn of a loop, and the next one
        (f"foreach k in n {{ s.at(t) = big.at(k, t); {SYNC} {READ} }}", ["s.at(t)"]),
        (f"foreach k in [n] {{ s.at(t) = big.at(k, t); {SYNC} {READ} }}", ["s.at(t)"]),
        (f"foreach k in [8] {{ d.at(k % 2, t) = big.at(k, t); {SYNC} x = d.at(0, 127 - t); }}", ["d.at(k % 2, t)"]),
        (f"s.at(t) = 0.0f; {SYNC} foreach k in [4] {{ {READ} s.at(t) = 1.0f; }}", ["s.at(t)"]),
        (f"foreach {{k}} in [4] {{ s.at(t) = big.at(k, t); {SYNC} {READ} }}", ["s.at(t)"]),
        (f"foreach {{i, k}} in [4, n] {{ s.at(t) = big.at(k, t); {SYNC} {READ} }}", ["s.at(t)"]),
        (f"foreach i in 4 {{ foreach k in 1 {{ s.at(t) = big.at(i, t); }} {SYNC} {READ} }}", ["s.at(t)"]),
        (f"foreach k in 8 {{ d.at(k % 2, t) = big.at(k, t); {SYNC} x = d.at(0, 127 - t); }}", ["d.at(k % 2, t)"]),
        # the loop's last turn reads what is written behind it
        (f"foreach k in 5 {{ {SYNC} x = d.at(k % 2, 127 - t); }} d.at(0, t) = 1.0f;", ["d.at(0, t)"]),
        ("x = s.at(127 - t); r.at(t) = x; y = r.at(t); s.at(t) = y;", ["s.at(t)"]),
        # global data is common, too
        ("big.at(0, 0) += 1.0f;", ["big.at(0, 0)"]),
        ("if (t < M) { big.at(b, t % 64) += 1.0f; }", ["big.at(b, t % 64)"]),
        ("if (t > 0) { big.at(b, t) = big.at(b, t - 1); }", ["big.at(b, t)"]),
    ],
)
def test_a_write_of_what_another_warp_has_yet_to_read_is_found(body: str, writes: list[str]) -> None:
    assert told(body) == writes


@pytest.mark.parametrize(
    "body",
    [
        f"{READ} {SYNC} {WRITE}",
        f"{READ} sync.barrier : block; {WRITE}",
        f"x = s.at(t); {WRITE}",  # its own
        f"x = s.at(t / 32 * 32 + (31 - t % 32)); {WRITE}",  # of its own warp
        f"{READ} r.at(t) = 1.0f;",
        f"{WRITE} {SYNC} {READ}",
        "s.at(t) += 1.0f;",
        "big.at(b, t) += 1.0f; big.at(b, t) = big.at(b, t) * 2.0f;",
        "if (t == 0) { big.at(b, 0) += 1.0f; }",
        "__atomic_add(big.at(0, 0), 1.0f);",
        "local f32 [4] q; q.at(0) = 1.0f; q.at(0) += q.at(1);",
        f"{READ} __bar_sync(1, 128); {WRITE}",
        f"{READ} if (n > 3) {{ {SYNC} }} {WRITE}",  # a barrier that may be there
        f"x = t > 0 ? s.at(127 - t) : 0.0f; {WRITE}",  # who reads is not followed
        f"x = s.at(n); {WRITE}",
        f"if (n > 3) {{ {READ} }} {WRITE}",  # whether it is read is not known
        f"if (b == 0) {{ {READ} }} if (b == 1) {{ {WRITE} }}",  # never in one block
        "if (t < 32) { x = s.at(31 - t); s.at(t) = 1.0f; }",  # one warp
        f"if (t < 64) {{ x = s.at(t); }} {WRITE}",
        f"foreach {{k}} in [4] {{ if (t > 31) {{ continue; }} {READ} {WRITE} }}",
        # loops
        f"foreach k in n {{ {SYNC} s.at(t) = big.at(k, t); {SYNC} {READ} }}",
        f"foreach k in n {{ s.at(t) = big.at(k, t); {SYNC} {READ} {SYNC} }}",
        f"foreach k in 1 {{ s.at(t) = big.at(k, t); {SYNC} {READ} }}",
        f"foreach k in n % 2 {{ s.at(t) = big.at(k, t); {SYNC} {READ} }}",
        f"foreach k in 8 {{ d.at(k % 2, t) = big.at(k, t); {SYNC} x = d.at(k % 2, 127 - t); }}",
        f"foreach k in 4 {{ {SYNC} x = d.at(k % 2, 127 - t); }} d.at(0, t) = 1.0f;",  # the last turn is 3
        f"foreach k in 8 {{ s.at(t) = 1.0f; {SYNC} {READ} }}",  # each turn writes the same
        f"s.at(t) = 0.0f; {SYNC} foreach k in [4] {{ {READ} s.at(t) = 0.0f; }}",  # what is there
        f"foreach k in [8] {{ d.at(k % 2, t) = big.at(k, t); {SYNC} x = d.at(k % 2, 127 - t); }}",
        f"v = big.at(0, t); foreach k in 8 {{ s.at(t) = v; {SYNC} {READ} }}",
        f"foreach k in t {{ s.at(t) = big.at(k, t); {READ} }}",  # turns of their own
        f"mutable int p = 0; foreach k in 8 {{ p = 1 - p; d.at(p, t) = big.at(k, t); {SYNC} x = d.at(p, 127 - t); }}",
        f"i = 0; while (i < n) {{ {READ} {WRITE} }}",
    ],
)
def test_what_is_right_or_not_followed_is_left_alone(body: str) -> None:
    assert told(body) == []


def test_one_warp_and_a_part_of_the_block_are_left_alone() -> None:
    assert told("x = s.at(31 - t); s.at(t) = 1.0f;", "parallel b by 4 : block, t by 32 : thread") == []
    assert told("x = s.at(3 - t); s.at(t) = 1.0f;", "parallel b by 4 : block, t by 4 : group") == []
    part = "parallel b by 4 : block { shared f32 [128] s; parallel t by 128 : thread { x = 1; }"
    part += " parallel t by 64 : thread { x = s.at(63 - t); s.at(t) = 1.0f; } }"
    assert [rule for rule, _ in device(part).told if rule == rules.UNSYNCED_WRITE] == []


CHAIN = """parallel b by 4 : block {{ shared f32 [128] s; shared event hand[4]; parallel p by 4 : {} {{
  foreach k in 4 {{ {} parallel t by {} : thread {{ {} }} {} }} }} }}"""
OWN = "s.at(t) = s.at(t) * 3.0f;"
OTHERS = "s.at(t) = s.at(127 - t);"


@pytest.mark.parametrize(
    ("level", "before", "threads", "work", "behind", "writes"),
    [
        ("group-4", "", 128, OWN, "", ["s.at(t)"]),  # four groups at once
        ("group-4", "if (p > 0 || k > 0) { wait hand[(p + 3) % 4]; }", 128, OWN, "trigger hand[p];", []),
        ("group-4", "wait hand[p];", 128, OTHERS, "trigger hand[(p + 1) % 4];", ["s.at(t)"]),  # inside one group
        ("group", "wait hand[p];", 32, OWN, "trigger hand[(p + 1) % 4];", []),
        ("group", "__bar_sync(1, 128);", 32, OWN, "", []),
        ("group-4", "f = dma.copy.async s => shared; wait f;", 128, OWN, "", ["s.at(t)"]),  # of its own copy alone
    ],
)
def test_units_that_wait_for_events_have_an_order_of_their_own(
    level: str, before: str, threads: int, work: str, behind: str, writes: list[str]
) -> None:
    found = device(CHAIN.format(level, before, threads, work, behind)).told
    assert [text for rule, text in found if rule == rules.UNSYNCED_WRITE] == writes


def test_single_threads_that_wait_by_conditions_have_one_too() -> None:
    body = "parallel b by 4 : block {{ shared f32 [128] s; shared event e[4]; parallel t by 512 : thread {{ {} }} }}"
    part = "foreach k in 4 { if (t / 128 == k) { wait e[k]; } s.at(t % 128) = s.at(t % 128) + 1.0f; }"
    found = device(body.format(part)).told
    assert [text for rule, text in found if rule == rules.UNSYNCED_WRITE] == []


def test_where_a_parallel_ends_is_not_followed() -> None:
    body = "parallel b by 4 : block { shared f32 [128] s; foreach k in 4 { parallel t by 128 : thread {"
    body += f" s.at(t) = big.at(k, t); {SYNC} {READ} }} }} }}"
    assert [rule for rule, _ in device(body).told if rule == rules.UNSYNCED_WRITE] == []


def test_the_place_of_the_read_is_told() -> None:
    found = device(f"{HEAD} {{ shared f32 [128] s; x = s.at(t); y = s.at(127 - t); s.at(t) = 1.0f; }}")
    (place,) = found.finding(rules.UNSYNCED_WRITE).related
    assert found.study.text(place) == "s.at(127 - t)"


def test_the_effort_grows_as_the_number_of_statements_does() -> None:
    def body(count: int) -> str:
        return "".join(f"x{i} = s.at(t, {i}); " for i in range(count)) + "".join(
            f"s.at(t, {i}) = 1.0f; " for i in range(count)
        )

    assert effort(body(100)) < 8 * effort(body(25))


def test_loops_in_loops_are_left_at_some_depth() -> None:
    """3 ** 12 turns, if each loop took its three."""
    deep = "".join(f"foreach i{n} in 9 {{ " for n in range(12)) + "x = s.at(t, 0); s.at(t, 1) = 1.0f;" + "}" * 12
    assert effort(deep) < 40 * effort("x = s.at(t, 0); s.at(t, 1) = 1.0f;") + 1
