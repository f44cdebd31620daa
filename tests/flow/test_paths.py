"""Paths by the words of credit-flow, section 1, on the seeds and on every kind of role in use."""

from __future__ import annotations

import pytest

from croqc.flow.paths import enters
from croqc.syntax import ast
from croqc.syntax.visit import walk
from tests.flow.kernels import body, model_of, named, paths, seed


def test_the_seeds() -> None:
    assert named(seed("pipeline")) == {"path p1 == 0": range(128), "path p1 == 1": range(128, 256)}
    assert named(seed("swap")) == {"the block": range(256)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"the block": range(1)}),
        ("parallel t by 256 : thread {}", {"the block": range(256)}),
        ("parallel by 1 : group-4 {}", {"the block": range(128)}),
        ("parallel w by 2 : group {}", {"path w = 0": range(32), "path w = 1": range(32, 64)}),
        (
            "parallel p by 3 : group-4 { inthreads.async (p == 0) {} inthreads.async (p > 0) {} }",
            {"path p == 0": range(128), "path p = 1": range(128, 256), "path p = 2": range(256, 384)},
        ),
        (
            "parallel w by 2 : group-4, t by 128 : thread {"
            " inthreads.async (w == 0 && t == 0) {} inthreads.async (w == 1) {} }",
            {"path w == 0 && t == 0": range(1), "path w == 1": range(128, 256)},
        ),
        (
            "parallel w by 1 : group-4, t by 128 : thread { inthreads.async (t == 0) {} inthreads.async (t == 32) {} }",
            {"path t == 0": range(1), "path t == 32": range(32, 33)},
        ),
        (
            "parallel t by 256 : thread { inthreads.async (t < 128) {} inthreads.async (t >= 128) {} }",
            {"path t < 128": range(128), "path t >= 128": range(128, 256)},
        ),
        (
            "parallel t by 64 : thread { inthreads.async (t % 2 == 0) {} inthreads.async (t % 2 == 1) {} }",
            {"path t % 2 == 0": range(0, 63, 2), "path t % 2 == 1": range(1, 64, 2)},
        ),
        ("parallel t by 64 : thread { inthreads (t < 32) {} }", {"the block": range(64)}),
        ("parallel t by n : thread {}", {"the block": range(0)}),
        (
            "role = 1; parallel p by 2 : group-4 { other = p + role; inthreads.async (other == 1) {} }",
            {"path other == 1": range(128), "path p = 1": range(128, 256)},
        ),
        (
            "parallel {u, v} by [2, 2] : group {}",
            {
                "path u = 0, v = 0": range(32),
                "path u = 0, v = 1": range(32, 64),
                "path u = 1, v = 0": range(64, 96),
                "path u = 1, v = 1": range(96, 128),
            },
        ),
    ],
)
def test_names_and_threads(text: str, expected: dict[str, range]) -> None:
    assert named(body(text)) == expected


def test_indices_that_name_a_path() -> None:
    found = paths(
        body(
            "parallel w by 2 : group-4, t by 128 : thread {"
            " inthreads.async (w == 0 && t == 0) {} inthreads.async (w == 1) {} }"
        )
    )
    assert [{symbol.name: value for symbol, value in path.indices.items()} for path in found] == [
        {"w": 0, "t": 0},
        {"w": 1},
    ]


def test_which_paths_enter_which_region() -> None:
    model = body(
        "parallel p by 3 : group-4 { inthreads.async (p == 0) {} inthreads.async (p > 0) { inthreads (p == 2) {} } }"
    )
    regions = [node for node in walk(model.function) if isinstance(node, ast.InThreads)]
    entered = [[enters(path, region) for region in regions] for path in paths(model)]
    assert entered == [[True, False, False], [False, True, False], [False, True, True]]


def test_an_unknown_condition_selects_unknown_paths() -> None:
    model = body("parallel p by 2 : group-4 { inthreads.async (p == n) {} }")
    (region,) = (node for node in walk(model.function) if isinstance(node, ast.InThreads))
    assert [enters(path, region) for path in paths(model)] == [None, None]


def test_entering_a_parallel_again_gives_the_same_paths() -> None:
    once = "parallel p by 2 : group-4 { inthreads.async (p == 0) {} inthreads.async (p == 1) {} }"
    assert named(body(f"foreach tile in 4 {{ {once} }}")) == named(body(once))
    assert len(paths(body(f"{once} {once}"))) == 2


def test_a_kernel_that_is_one_parallel_of_threads() -> None:
    assert named(model_of("__co__ void f(f32 [64]& x) { parallel i by 64 { x.at(i) = 0.0f; } }")) == {
        "the block": range(64)
    }


@pytest.mark.parametrize("cond", ["(" * 300 + "p == 0" + ")" * 300, "p == 0" + " && p == 0" * 90])
def test_conditions_too_deep_to_evaluate_leave_the_groups(cond: str) -> None:
    model = body(f"parallel p by 2 : group-4 {{ inthreads.async ({cond}) {{ trigger done; }} }}")
    assert named(model) == {"path p = 0": range(128), "path p = 1": range(128, 256)}


def test_blocks_nested_very_deep() -> None:
    model = body("foreach i in 2 {" * 300 + "trigger done;" + "}" * 300)
    assert named(model) == {"the block": range(1)}
