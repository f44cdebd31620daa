"""Level inference, block sizes and the rules of 4.1 to 4.4; the expected values are read off the chapter."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames_device as rules
from croqc.sema.model import Level
from tests.sema.device_study import block, device
from tests.sema.study import marked

B, G4, G, T = Level.BLOCK, Level.GROUP4, Level.GROUP, Level.THREAD


def nest(*headers: str) -> str:
    return " ".join(f"parallel {header} {{" for header in headers) + "}" * len(headers)


@pytest.mark.parametrize(
    ("headers", "levels", "threads"),
    [
        (("a by 6",), [T], 6),
        (("a by 6", "b by 96"), [B, T], 96),
        (("a by 6", "b by 3", "c by 32"), [B, G, T], 96),
        (("a by 6", "b by 2", "c by 4", "d by 32"), [B, G4, G, T], 256),
        (("a by 96 : thread",), [T], 96),
        (("a by 8", "b by 4 : group"), [B, G], 128),
        (("a by 8", "b by 2", "c by 4 : group"), [B, G4, G], 256),
        (("a by 8", "b by 3 : group-4"), [B, G4], 384),
        (("a by 8 : block", "b by 4", "c by 32"), [B, G, T], 128),
        (("a by 8 : block",), [B], 1),
        (("a by 8 : block", "b by 1 : group-4", "c by 128"), [B, G4, T], 128),
        (("{y, x} by [2, 3]", "{u, v} by [16, 8]"), [B, T], 128),
        (("a by 4, b by 32",), [B, T], 32),
        (("a by n : block", "b by 64 : thread"), [B, T], 64),
        (("a by 4 : block", "b by n : thread"), [B, T], None),
    ],
)
def test_inference_and_block_size(headers: tuple[str, ...], levels: list[Level], threads: int | None) -> None:
    found = device(nest(*headers))
    assert list(found.levels.values()) == levels
    assert found.kernel.threads == threads
    assert found.told == []


def test_each_outermost_parallel_is_a_kernel_in_program_order() -> None:
    found = device("parallel a by 4 {} if (n > 1) { parallel b by 8 : block {} }")
    assert [kernel.threads for kernel in found.model.kernels] == [4, 1]
    assert [len(kernel.block_axes) for kernel in found.model.kernels] == [0, 1]


def test_sibling_blocks_of_equal_size_agree() -> None:
    assert block("parallel g by 4 : group {} parallel w by 1 : group-4 {}").kernel.threads == 128


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("parallel a by «0» {}", rules.PARALLEL_COUNT),
        ("t = {2, 3}; parallel a by «t» {}", rules.PARALLEL_COUNT),
        ("parallel a by «2.5f» {}", rules.PARALLEL_COUNT),
        ("parallel a by 2 : thread { parallel b by 2 : «thread» {} }", rules.LEVEL_ORDER),
        ("parallel a by 2 : thread { parallel b by 2 : «block» {} }", rules.LEVEL_ORDER),
        ("parallel «a by 2» { parallel b by 2 : block {} }", rules.LEVEL_ORDER),
        (nest("a by 2", "b by 2", "c by 2", "d by 2", "«e by 32»"), rules.LEVEL_ORDER),
        ("parallel a by 2 : block { parallel g by 2 : group { parallel «t by 64 : thread» {} } }", rules.GROUP_THREADS),
        ("parallel a by 2 { parallel g by 2 : group-4 { parallel «t by 32 : thread» {} } }", rules.GROUP_THREADS),
        ("parallel a by 2 : block { parallel «t by 1025 : thread» {} }", rules.BLOCK_THREADS),
        ("parallel a by 2 : block { parallel «g by 9 : group-4» {} }", rules.BLOCK_THREADS),
        ("parallel a by 2 { parallel w by 2 : group-4 { parallel g by 4 : «group» {} } }", rules.GROUP_IN_GROUP4),
        ("parallel a by 2 { parallel g by 3 : group {} parallel «w by 3 : group-4» {} }", rules.BLOCK_SIZE_MISMATCH),
        ("parallel a by 2 : block { «parallel.async» t by 32 : thread {} }", rules.LAUNCH_BINDING),
        ("parallel<«n»> a by 2 : block {}", rules.LAUNCH_BINDING),
        ("«[[launch_bounds(64)]]» parallel a by 2 : block { parallel t by 128 : thread {} }", rules.LAUNCH_ATTRIBUTE),
        ("«[[maxnreg(0)]]» parallel a by 2 : block {}", rules.LAUNCH_ATTRIBUTE),
        ("«[[maxnreg(n)]]» parallel a by 2 : block {}", rules.LAUNCH_ATTRIBUTE),
        ("«inthreads» (n > 1) {}", rules.REGION_AT_HOST),
        ("while (n > 3) {} «break;»", rules.MISPLACED_JUMP),
        ("«yield;»", rules.MISPLACED_JUMP),
        ("«sync.shared;»", rules.MISPLACED_SYNC),
        ("parallel a by 4 : block { «sync.global;» }", rules.MISPLACED_SYNC),
        ("foreach i in 4 : «unroll(8)» {}", rules.LOOP_HINT),
        ("foreach i in 8 : «vectorize(i, 3)» {}", rules.LOOP_HINT),
    ],
)  # fmt: skip
def test_what_is_refused(body: str, rule: str) -> None:
    text, (place,) = marked(body)
    assert device(text).told == [(rule, place)]


def test_clusters_need_their_feature() -> None:
    body = "parallel c by 2 : cluster { parallel b by 4 : block {} }"
    assert device(body).told == []
    assert device(body, "sm_89").told == [(rules.LEVEL_UNAVAILABLE, "cluster")]
    assert [str(extent) for extent in device(body).kernel.cluster] == ["2"]


def test_attributes_that_fit() -> None:
    body = "[[launch_bounds(0, 1)]] [[maxnreg(168)]] parallel a by 2 : block { parallel t by 128 : thread {} }"
    assert device(body).told == []


@pytest.mark.parametrize(
    ("cond", "place"),
    [("n > 2", "n > 2"), ("p < 1 && n > 1", "n > 1"), ("(p == 0 || !(n == 1))", "n == 1")],
)
def test_a_predicate_depends_on_an_index_in_every_part(cond: str, place: str) -> None:
    found = block(f"parallel p by 2 : group-4 {{ inthreads ({cond}) {{}} }}")
    assert found.told == [(rules.UNIFORM_PREDICATE, place)]


@pytest.mark.parametrize("cond", ["p == 0", "p < 1 && t == 0", "b == 0 && p == 1", "q == 0", "!(p == 1)"])
def test_predicates_over_indices_and_what_follows_from_them(cond: str) -> None:
    body = f"q = p - 1; inthreads ({cond}) {{}}"
    assert block(f"parallel p by 2 : group-4, t by 128 : thread {{ {body} }}").told == []


def test_regions_inside_regions_and_regions_that_overlap() -> None:
    nested = block("parallel p by 2 : group-4 { inthreads.async (p == 0) { inthreads.async (p < 2) {} } }")
    assert nested.told == [(rules.NESTED_ASYNC_REGION, "inthreads.async")]
    body = "parallel p by 3 : group-4 { inthreads.async (p < 2) {} inthreads.async (p > 0) {} }"
    overlap = block(body)
    assert overlap.told == [(rules.OVERLAPPING_REGIONS, "p > 0")]
    assert overlap.finding(rules.OVERLAPPING_REGIONS).args["threads"] == 128


def test_threads_that_are_not_known() -> None:
    found = block("parallel p by 2 : group-4 { inthreads (p < n) {} }")
    assert found.told == [(rules.UNKNOWN_THREADS, "p < n")]


GROUPS = "shared f16 [64, 64] s, r; parallel p by 2 : group-4, t by 128 : thread {{ {} }}"
COPY = "dma.copy s => r;"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (f"if (p == 0) {{ {COPY} }}", "dma.copy"),
        (f"if (t < 64) {{ if (p < 2) {{ {COPY} }} }}", "dma.copy"),
        ("if (p == 0) sync.shared;", "sync.shared"),
        (f"inthreads.async (p == 0) {{ if (t == 0) {{ {COPY} }} }}", "dma.copy"),
        (f"inthreads.async (p == 0) {{ if (p == 0) {{ {COPY} }} }}", None),
        (f"if (b == 0) {{ {COPY} }}", None),
        (f"if (n > 2) {{ {COPY} sync.shared; }}", None),
        ("if (t == 0) { s.at(0, 0) = r.at(0, 0); }", None),
    ],
)
def test_collective_statements_need_all_threads_of_their_unit(body: str, what: str | None) -> None:
    found = block(GROUPS.format(body))
    given = [item.args["what"] for item in found.study.analysis.findings if item.rule == rules.DIVERGENT_COLLECTIVE]
    assert given == ([] if what is None else [what])
