"""A read of what another warp has just written, with no barrier between, is found; nothing less certain is."""

from __future__ import annotations

from functools import partial

import pytest

from croqc.sema import rulenames_device as rules
from tests.sema.device_study import device, effort, in_threads, program, tile

told = partial(in_threads, rules.UNSYNCED_READ)
WRITE = "s.at(t) = big.at(0, t);"
READ = "big.at(1, t) = s.at(127 - t);"
READS = "s.at(127 - t)"
ONE = "s.at(0) = big.at(0, 0);"
TREE = "s.at(t) += s.at(t + 64 - 8 * k);"
SYNC = "sync.shared;"


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        (f"{WRITE} {READ}", ["s.at(127 - t)"]),
        (f"foreach {{j}} in [n] {{ foreach {{k}} in [j + 1] {{ {WRITE} {READ} }} }}", ["s.at(127 - t)"]),
        (f"foreach k in [4] {{ {WRITE} {READ} }}", ["s.at(127 - t)"]),
        (f"{WRITE} x = 1; y = s.at((t + 32) % 128);", ["s.at((t + 32) % 128)"]),
        ("v = s.at(127 - t); s.at(t) = v; big.at(1, t) = s.at(127 - t);", ["s.at(127 - t)"]),
        ("foreach {k} in [4] { s.at(t) = big.at(k, t); x = s.at(127 - t); }", ["s.at(127 - t)"]),
        (f"{WRITE} r.at(t) = s.at(t); x = r.at(127 - t) + s.at(127 - t);", ["r.at(127 - t)", "s.at(127 - t)"]),
        # conditions over threads, and over sizes, which may be large
        (f"if (t == 0) {{ {ONE} }} x = s.at(0);", ["s.at(0)"]),
        (f"if (t < 64) {{ {WRITE} }} else {{ s.at(t) = 0.0f; }} if (t > 99) {{ x = s.at(127 - t); }}", [READS]),
        (f"if (t < M) {{ {WRITE} }} if (b * 128 + t < M && t < K) {{ {READ} }}", [READS]),
        (f"ok = b * 128 + t < M; {WRITE} if (!ok) {{ y = 0; }} else {{ {READ} }}", [READS]),
        (f"{WRITE} if (s.at(127 - t) > 0.0f) {{ y = 1; }}", [READS]),  # a condition that reads
        (f"{WRITE} if (M > 3) {{ {READ} }}", [READS]),
        # loops: in a turn, behind it, and in the turn behind the write
        (f"{WRITE} foreach {{k}} in [4] {{ x = s.at(127 - t); }}", [READS]),
        (f"{WRITE} foreach k in n {{ x = s.at(127 - t); }}", [READS]),
        (f"foreach k in 4 {{ {WRITE} }} {READ}", [READS]),
        (f"foreach k in 4 {{ {SYNC} x = s.at(127 - t); {SYNC} s.at(t) = big.at(k, t); }} {READ}", [READS]),
        (f"foreach k in 4 {{ x = s.at(127 - t); {SYNC} s.at(t) = big.at(k, t); }}", [READS]),
        (f"foreach k in 6 {{ if (t < 64 - 8 * k) {{ {TREE} }} }}", ["s.at(t + 64 - 8 * k)"]),
        (f"foreach k in 4 {{ x = d.at(k % 2, 127 - t); {SYNC} d.at((k + 1) % 2, t) = x; }}", ["d.at(k % 2, 127 - t)"]),
        (f"foreach k in 4 {{ if (k == 2) {{ {WRITE} }} {READ} }}", [READS]),
        (f"foreach k in 4 {{ if (k == 1) {{ {WRITE} }} if (k == 2) {{ {READ} }} }}", [READS]),
        # global data is common, too
        ("big.at(7, t) = 1.0f; x = big.at(7, 127 - t);", ["big.at(7, 127 - t)"]),
        ("if (t < M) { big.at(b, t) = 1.0f; } if (0 < t && t < M) { x = big.at(b, t - 1); }", ["big.at(b, t - 1)"]),
    ],
)
def test_a_read_behind_a_write_of_another_warp_is_found(body: str, reads: list[str]) -> None:
    assert told(body) == reads


@pytest.mark.parametrize(
    "body",
    [
        f"{WRITE} sync.shared; {READ}",
        f"{WRITE} sync.barrier : block; {READ}",
        f"{WRITE} x = s.at(t);",  # its own
        f"{WRITE} x = s.at(t / 32 * 32 + (31 - t % 32));",  # of its own warp
        f"{WRITE} x = r.at(127 - t);",
        f"x = s.at(127 - t); {WRITE}",
        "s.at(0) = 1.0f; x = s.at(0);",  # all write the same element, each its own reader
        f"{WRITE} if (t > 3) {{ sync.shared; }} {READ}",  # another statement between
        f"{WRITE} x = t > 0 ? s.at(127 - t) : 0.0f;",  # who reads is not followed
        f"{WRITE} x = s.at(n);",
        f"if (t < 32) {{ {WRITE} {READ} }}",
        f"foreach {{k}} in [4] {{ if (t > 31) {{ continue; }} {WRITE} {READ} }}",
        # conditions
        f"if (t == 0) {{ {ONE} x = s.at(0); }}",  # its own
        f"if (t < 32) {{ {WRITE} x = s.at(31 - t); }}",  # one warp
        f"if (t == 0) {{ {ONE} }} {SYNC} x = s.at(0);",
        f"if (t < 32) {{ {WRITE} }} if (t > 95) {{ x = s.at(t); }}",  # another part of it
        f"if (b == 0) {{ {WRITE} }} if (b == 1) {{ {READ} }}",  # never in one block
        "big.at(7, t) = 1.0f; x = big.at(8, 127 - t); y = big.at(7, t);",
        "big.at(7, t) = 1.0f; x = big.at(n, 127 - t);",
        "big.at(7, t) = 1.0f; sync.shared; x = big.at(7, 127 - t);",
        f"if (t < M) {{ {WRITE} }} else {{ {READ} }}",  # in one block, of no size
        f"if (M > N) {{ {WRITE} }} else {{ {READ} }}",
        f"if (n > 3) {{ {WRITE} }} if (n < 3) {{ {READ} }}",
        f"if (M == 4) {{ {WRITE} }} if (M != 4) {{ {READ} }}",
        f"if (t < M) {{ {WRITE} {SYNC} {READ} }}",
        f"{WRITE} if (n > 3) {{ {SYNC} }} {READ}",  # a barrier that may be there
        f"{WRITE} if (M < 3) {{ {READ} }}",  # seldom
        f"if (t < M - N) {{ {WRITE} {READ} }}",
        f"if (t * M < n) {{ {WRITE} {READ} }}",
        # loops
        f"foreach k in 4 {{ {WRITE} {SYNC} x = s.at(127 - t); {SYNC} }} {WRITE} {SYNC} {READ}",
        f"foreach k in 6 {{ if (t < 64 - 8 * k) {{ {TREE} }} {SYNC} }}",
        f"foreach k in 4 {{ d.at(k % 2, t) = 1.0f; {SYNC} x = d.at(k % 2, 127 - t); }}",
        f"s.at(t) = 1.0f; {SYNC} foreach k in 4 {{ s.at(t) = 1.0f; x = s.at(127 - t); }}",  # what stands there
        f"foreach k in 4 {{ if (k == 3) {{ {WRITE} }} if (k == 2) {{ x = s.at(127 - t); }} }}",
        f"foreach k in 4 {{ {WRITE} if (t > 99) {{ break; }} {READ} }}",  # who left is not followed
        f"foreach k in [1 + t / 64] {{ {WRITE} {READ} }}",
        f"foreach {{k}} in [1 + t / 64] {{ {WRITE} {READ} }}",  # no barrier could stand there
        f"foreach {{j}} in [1 + t / 64] {{ foreach {{k}} in [j + 1] {{ {WRITE} {READ} }} }}",
    ],
)
def test_what_is_right_or_not_followed_is_left_alone(body: str) -> None:
    assert told(body) == []


def test_one_warp_and_a_part_of_the_block_are_left_alone() -> None:
    assert told("s.at(t) = 1.0f; x = s.at(31 - t);", "parallel b by 4 : block, t by 32 : thread") == []
    part = "parallel b by 4 : block { shared f32 [128] s; parallel t by 128 : thread { x = 1; }"
    part += " parallel t by 64 : thread { s.at(t) = 1.0f; x = s.at(63 - t); } }"
    assert [rule for rule, _ in device(part).told if rule == rules.UNSYNCED_READ] == []


def test_a_value_that_the_host_returns_does_not_end_the_search() -> None:
    """`return` behind the kernel holds for the host."""
    body = f"parallel b by 4 : block, t by 128 : thread {{ shared f32 [128] s; {WRITE} {READ} }}"
    text = f"__co__ f32 [128] f(global f32 [512, 512] big) {{ f32 [128] out; {body} return out; }}"
    assert (rules.UNSYNCED_READ, READS) in program(text).told


@pytest.mark.parametrize("before", ["if (t > 63) { yield; }", "if (M < 3) { yield; }"])
def test_behind_threads_that_have_left_nothing_is_followed(before: str) -> None:
    assert told(f"{before} {WRITE} {READ}") == []


def test_the_transpose_without_its_barrier_is_found() -> None:
    text = (
        "parallel {bi, bj} by [cdiv(512, 32), 16] : block { shared f32 [32, 33] tile;"
        " parallel {ty, tx} by [32, 32] : thread {\n"
        "tile.at(ty, tx) = big.at(bi * 32 + ty, bj * 32 + tx);\n"
        "big.at(bj * 32 + ty, bi * 32 + tx) = tile.at(tx, ty); } }"
    )
    found = device(text)
    assert (rules.UNSYNCED_READ, "tile.at(tx, ty)") in found.told
    (place,) = found.finding(rules.UNSYNCED_READ).related
    assert place.message == "other threads write it here"


def test_the_effort_grows_as_the_number_of_statements_does() -> None:
    """Each read was held against each write: 16 times the effort for four times the statements."""

    def body(count: int) -> str:
        writes = "".join(f"s.at(t, {i}) = 1.0f; " for i in range(count))
        return writes + "".join(f"x{i} = s.at(t, {i}); " for i in range(count))

    assert tile(body(100)).told == tile(body(25)).told == []
    assert effort(body(100)) < 8 * effort(body(25))


@pytest.mark.parametrize(
    ("wait", "reads"),
    [("", ["s.at((p + 3) % 4 * 128 + t)"]), ("wait hand[(p + 3) % 4];", [])],
)
def test_a_unit_that_waits_for_another_may_read_what_that_has_written(wait: str, reads: list[str]) -> None:
    """The other group has written it in the turn that the wait is for, not in the statement before."""
    body = "parallel b by 4 : block { shared f32 [512] s; shared event hand[4]; parallel p by 4 : group-4 { "
    body += f"foreach k in 4 {{ {wait} parallel t by 128 : thread {{ s.at(p * 128 + t) = 1.0f; "
    body += "y = s.at((p + 3) % 4 * 128 + t); } trigger hand[p]; } } }"
    assert [text for rule, text in device(body).told if rule == rules.UNSYNCED_READ] == reads
