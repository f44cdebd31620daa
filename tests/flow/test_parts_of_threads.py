"""Parts of a buffer whose place moves with the threads: each path, and each turn of a loop, touches one of its own."""

from __future__ import annotations

import pytest

from tests.flow.pipes import Verdict, check

COPY = "dma.copy o => dst.subspan(512).at(b);"
EACH = "parallel t by 128 : thread {{ {} }}"


def kernel(body: str, buffers: str = "shared s32 [512] o;") -> Verdict:
    head = '__co__ void f(global s32 [N] src, global s32 [N] dst) {\n  assert(N % 512 == 0, "whole blocks");\n'
    return check(f"{head}  parallel b by N / 512 : block {{ {buffers}\n{body}\n  }}\n}}")


def filled(index: str, paths: int = 4) -> str:
    fill = EACH.format(f"o.at({index}) = src.at(b * 512 + p * 128 + t) + 1;")
    return f"parallel p by {paths} : group-4 {{ {fill} }}"


@pytest.mark.parametrize("index", ["p * 128 + t", "t + 128 * p", "(3 - p) * 128 + t", "p # t"])
def test_groups_fill_a_buffer_together(index: str) -> None:
    found = kernel(f"{filled(index)} {COPY}")
    assert (found.rules, found.strength) == ([], "proved")


def test_what_one_group_too_few_leaves_is_still_found() -> None:
    found = kernel(f"{filled('p * 128 + t', 3)} {COPY}")
    assert found.rules == ["unwritten-read"]
    assert found.seen[0].finding.args["part"] == "elements 384 to 511 of 'o'"
    told = [item.message for item in found.seen[0].finding.related]
    assert told == ["path p = 0 writes elements 0 to 127 here"]


@pytest.mark.parametrize(
    "fill",
    [
        "foreach {k} in [4] { " + EACH.format("o.at(k * 128 + t) = src.at(b * 512 + k * 128 + t);") + " }",
        "mutable int j = 0; foreach {k} in [4] { " + EACH.format("o.at(j + t) = src.at(b * 512 + t);") + " j += 128; }",
    ],
)
def test_turns_of_a_loop_fill_a_buffer(fill: str) -> None:
    body = "parallel p by 2 : group-4 {{ inthreads.async (p == 1) {{ {} trigger full; }}"
    body += " inthreads.async (p == 0) {{ wait full; {} }} }}"
    found = kernel(body.format(fill, COPY), "shared s32 [512] o; shared event full;")
    assert (found.rules, found.strength) == ([], "proved")
    fewer = kernel(body.format(fill.replace("[4]", "[3]"), COPY), "shared s32 [512] o; shared event full;")
    assert fewer.rules == ["unwritten-read"]


def test_roles_fill_a_buffer_by_rows_between_two_events() -> None:
    rows = EACH.format("foreach i in 64 { o.at((p - 1) * 64 + i, t) = src.at(i * 128 + t); }")
    found = kernel(
        f"""parallel p by 3 : group-4 {{
          inthreads.async (p > 0) {{ {rows} trigger full; }}
          inthreads.async (p == 0) {{ wait full; dma.copy o => dst.subspan(128 * 128).at(b).span_as(128, 128); }}
        }}""",
        "shared s32 [128, 128] o; shared event full;",
    )
    assert "unwritten-read" not in found.rules and found.strength == "proved"


@pytest.mark.parametrize(("told", "ordered"), [(3, True), (2, True), (1, False)])
def test_each_turn_of_a_writer_is_kept_for_who_reads_it(told: int, ordered: bool) -> None:
    """The reader takes what turn 2 wrote: later turns do not stand for it."""
    give = EACH.format("o.at(k * 128 + t) = src.at(t);")
    found = kernel(
        f"""parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{
            foreach {{k}} in [4] {{ {give} if (k == {told}) {{ trigger full; }} }}
          }}
          inthreads.async (p == 1) {{ wait full; {EACH.format("dst.at(t) = o.at(2 * 128 + t);")} }}
        }}""",
        "shared s32 [512] o; shared event full;",
    )
    assert (found.strength == "proved") is ordered


FILLED = "o.at(t) = src.at(t);"


@pytest.mark.parametrize(
    ("fill", "part"),
    [
        (f"if (t < 128) {{ {FILLED} }}", "elements 128 to 511 of 'o'"),
        (f"inthreads (t < 128) {{ {FILLED} }}", "elements 128 to 511 of 'o'"),
        (f"if (t >= 128 && t < 500) {{ {FILLED} }}", "elements 0 to 127 of 'o'"),
        (f"if (!(t < 384)) {{ {FILLED} }}", "elements 0 to 383 of 'o'"),
    ],
)
def test_what_conditions_over_threads_leave_out_is_not_written(fill: str, part: str) -> None:
    found = kernel(f"parallel t by 512 : thread {{ {fill} }} {COPY}")
    assert found.rules == ["unwritten-read"]
    assert found.seen[0].finding.args["part"] == part


@pytest.mark.parametrize(
    "fill",
    [
        f"if (t < 128) {{ {FILLED} }} else {{ o.at(t) = 0; }}",
        f"if (t < 128 || t > 127) {{ {FILLED} }}",
        f"if (b * 512 + t < N) {{ {FILLED} }}",  # of sizes: nothing is taken off
        f"if (b == 0) {{ {FILLED} }} else {{ {FILLED} }}",
        f"if (t == 0) {{ o.at(0) = 1; }} {FILLED}",
    ],
)
def test_what_all_threads_fill_in_the_end_is_whole(fill: str) -> None:
    found = kernel(f"parallel t by 512 : thread {{ {fill} }} {COPY}")
    assert found.rules == [] and found.strength in ("proved", "checked")


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("t == 0 || t == 511", "elements 1 to 510"),
        ("t != 5", "element 5"),
        ("t < 128 || t >= 384", "elements 128 to 383"),
        ("t % 2 == 0", "element 1"),
        ("t % 128 < 64", "elements 64 to 127"),
    ],
)
def test_threads_with_others_between_them_do_not_fill_what_lies_between(condition: str, part: str) -> None:
    found = kernel(f"parallel t by 512 : thread {{ if ({condition}) {{ {FILLED} }} }} {COPY}")
    assert found.rules == ["unwritten-read"]
    assert found.seen[0].finding.args["part"] == f"{part} of 'o'"


@pytest.mark.parametrize("condition", ["t != 5", "t < 128 || t >= 384", "t % 2 == 0"])
@pytest.mark.parametrize("other", ["else { o.at(t) = 0; }", "if (!(%s)) { o.at(t) = 0; }"])
def test_what_both_sides_of_a_condition_fill_is_whole(condition: str, other: str) -> None:
    fill = f"if ({condition}) {{ {FILLED} }} {other.replace('%s', condition)}"
    found = kernel(f"parallel t by 512 : thread {{ {fill} }} {COPY}")
    assert found.rules == [] and found.strength == "proved"


def test_where_threads_part_and_buffers_are_read_nothing_is_proved() -> None:
    """Nothing is asynchronous; but nobody has followed what is read."""
    fill = "if (t < 64) { dst.at(t) = src.at(t); } else { dst.at(t) = o.at(t); }"
    found = kernel(f"parallel t by 512 : thread {{ {fill} }}")
    assert found.strength not in ("proved", "checked")


def turns(count: int, guard: str) -> str:
    return f"""parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{
            foreach {{k}} in [{count}] {{ if ({guard}) {{ {EACH.format("o.at(k * 128 + t) = 1;")} }} }}
            trigger full;
          }}
          inthreads.async (p == 1) {{ wait full; dma.copy o => dst.subspan({count * 128}).at(0); }}
        }}"""


@pytest.mark.parametrize("count", [8, 80, 150])
def test_a_turn_that_writes_nothing_is_missed_among_however_many(count: int) -> None:
    """More parts than are compared one by one come to a box, or two with a hole between them."""
    inside = f"shared s32 [{count * 128}] o; shared event full;"
    found = kernel(turns(count, f"k != {count // 2}"), inside)
    assert found.rules == ["unwritten-read"]
    first = count // 2 * 128
    assert found.seen[0].finding.args["part"] == f"elements {first} to {first + 127} of 'o'"
    whole = kernel(turns(count, f"k < {count}"), inside)
    assert (whole.rules, whole.strength) == ([], "proved")


def test_groups_that_each_leave_out_some_of_their_own() -> None:
    fill = EACH.format("if (t < 64) { o.at(p * 128 + t) = 1; }")
    found = kernel(f"parallel p by 4 : group-4 {{ {fill} }} {COPY}")
    assert found.seen[0].finding.args["part"] == "elements 64 to 127 of 'o'"


@pytest.mark.parametrize(
    ("index", "strength"),
    [("l * 16 + w", "proved"), ("l * 16 + 15 - w", "proved"), ("w + 16 * l", "proved"), ("l * 8 + w", "unknown")],
)
def test_warps_whose_elements_lie_between_each_other_do_not_meet(index: str, strength: str) -> None:
    fill = f"parallel w by 16 : group, l by 32 : thread {{ o.at({index}) = src.at(l); }}"
    assert kernel(f"{fill} sync.shared; parallel t by 512 : thread {{ dst.at(t) = o.at(t); }}").strength == strength


def test_the_threads_that_a_condition_leaves_lie_apart() -> None:
    """Sixteen rows of each group: all of its threads would reach into those of the other."""
    fill = "if (t < 16) {{ foreach j in 64 {{ o.at(p * {} + t, j) = 1; }} }}"
    body = "parallel p by 2 : group-4, t by 128 : thread {{ {} }}"
    buffers = "shared s32 [32, 64] o;"
    assert kernel(body.format(fill.format(16)), buffers).strength == "proved"
    assert kernel(body.format(fill.format(15)), buffers).strength == "unknown"
