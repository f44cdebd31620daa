"""Several inner `parallel`s of one block each call a path by an index of their own: what is said of a place uses the
name that stands around it, and the path as a whole has all of them."""

from __future__ import annotations

import pytest

from croqc.service.flow_events import event_entry
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.source import Source
from tests.flow.kernels import body, paths
from tests.flow.pipes import check

HEAD = "__co__ void f(global s32 [C, 16] src, global s32 [C, 16] dst) {\n  parallel b by 1 : block {\n"
WARPS = "parallel q by 8 : group {{ inthreads.async (q == 7) {{ {} }} }}\n"
HALVES = "parallel p by 2 : group-4 {{ inthreads.async (p == 0) {{ {} }} }}\n"
OTHERS = "parallel r by 8 : group {{ inthreads.async (r == 7) {{ {} }} }}\n"
LOAD = "dma.copy src.subspan(1, 16).at(0, 0) => x;"
STORE = "dma.copy x => dst.subspan(1, 16).at(0, 0);"


def kernel(*parts: str) -> str:
    return HEAD + "shared s32 [1, 16] x; shared event e;\n" + "".join(parts) + "} }"


@pytest.mark.parametrize(
    ("first", "second", "names", "whole"),
    [
        ("q by 8 : group", "r by 8 : group", ["path q = 1", "path r = 1"], "path q = 1, r = 1"),
        ("q by 8 : group", "q by 8 : group", ["path q = 1", "path q = 1"], "path q = 1"),
        ("w by 8 : group", "t by 256 : thread", ["path w = 1", "path w = 1"], "path w = 1"),
    ],
)
def test_a_path_of_two_is_called_by_each(first: str, second: str, names: list[str], whole: str) -> None:
    model = body(f"parallel {first} {{}} parallel {second} {{}}")
    path = paths(model)[1]
    tops = list(nodes_of_kind(model.kernels[-1].node, ast.Parallel))[1:]
    assert [path.name_in(top) for top in tops] == names
    assert [path.name_at(top.body.span) for top in tops] == names
    assert (path.name, path.name_in(None), path.name_at(model.kernels[-1].node.span)) == (whole, whole, whole)


def test_a_name_that_means_other_threads_elsewhere_is_none() -> None:
    found = {path.name: path.threads for path in paths(body("parallel p by 2 : group-4 {} parallel p by 8 : group {}"))}
    assert found["path p = 4"] == range(128, 160)
    assert found["path of threads 128 to 255"] == range(128, 256)
    assert found["path of threads 32 to 63"] == range(32, 64)
    assert "path p = 1" not in found


def test_a_race_calls_each_path_where_it_stands() -> None:
    again = OTHERS.format(LOAD)
    (found,) = check(kernel(WARPS.format("trigger e;"), again, HALVES.format(f"{LOAD} {STORE}"))).seen
    args = found.finding.args
    assert (found.rule, {args["path"], args["other"]}) == ("stage-race", {"path p == 0", "path r == 7"})


def test_sites_of_an_event_are_called_by_their_places() -> None:
    text = kernel(
        WARPS.format(f"{LOAD} trigger e;"), "parallel r by 8 : group { inthreads.async (r == 7) { wait e; } }"
    )
    flow = check(text).flow
    event = event_entry(flow, flow.events[0], Source("f.co", text), 0)
    (given,), (awaited,) = event.triggeredBy, event.waitedBy
    assert (given.called, awaited.called) == ("path q == 7", "path r == 7")
    assert given.path == awaited.path == "path q == 7, r == 7"
    assert any(path.name == given.path for path in flow.paths)


def test_a_first_wait_is_not_called_a_second_one() -> None:
    """The trigger is there, but its condition never holds."""
    text = kernel(
        "mutable int n = 0;\n",
        WARPS.format(f"if (n == 0) {{ {LOAD} }}"),
        "n = 1;\n",
        HALVES.format("if (n == 2) { trigger e; }"),
        OTHERS.format(f"if (n == 1) {{ wait e; }} {STORE}"),
    )
    (found,) = check(text).seen
    args = found.finding.args
    assert (found.rule, args["cause"], args["generation"]) == ("credit-deadlock", "ended", 0)
    assert (args["path"], args["owing"]) == ("path r == 7", ("path p == 0",))
    told = [item.message for item in found.finding.related]
    assert told[0] == "path r == 7 waits here for generation 0 of e"
    assert not any("q == 7" in message for message in told)
