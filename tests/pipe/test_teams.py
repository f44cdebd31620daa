"""Who runs a region together: one arrival a path, whatever its threads are; named barriers of several warps."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import InvalidIrError, LoweringError
from croqc.pipe.verify import verify
from croqc.pipe.walk import rewrite
from croqc.sema.model import Unit
from croqc.service.check import check_file, check_text
from croqc.service.lowering import lower_file
from croqc.text.record import replace
from tests.pipe.lowering import after, only, stages_of

COVERAGE = Path(__file__).parents[1] / "gpu/coverage"
TEXT = """__co__ void f(global s32 [N] x) {{
  parallel b by N : block {{
    shared s32 [1024] buf;
    shared event full, done;
    {level} {{
      inthreads.async ({cond}) {{ {body} trigger full; }}
      inthreads.async ({other}) {{ wait full; }}
    }}
  }}
}}
"""
WRITE = "buf.at(t) = 1;"


THREADS = "parallel t by 384 : thread"
FREE = "t >= 256 && t < 288"  # no path of the other region


def built(level: str, cond: str, body: str = WRITE, other: str = FREE) -> ir.Kernel:
    return after("memory", TEXT.format(level=level, cond=cond, body=body, other=other), {"N": 4})


def role(level: str, cond: str, body: str = WRITE, other: str = FREE) -> ir.Role:
    return only(built(level, cond, body, other), ir.Role)[0]


@pytest.mark.parametrize(
    ("level", "cond", "other", "unit", "threads", "first"),
    [
        (THREADS, "t < 128", FREE, Unit.GROUP4, 128, 0),
        (THREADS, "t >= 352", FREE, Unit.GROUP, 32, 0),
        (THREADS, "t < 256", FREE, Unit.BLOCK, 256, 0),
        (THREADS, "t >= 320", FREE, Unit.BLOCK, 64, 320),
        (THREADS, "t == 5", FREE, Unit.THREAD, 1, 0),
        ("parallel p by 3 : group-4, t by 128 : thread", "p < 2", "p == 2", Unit.GROUP4, 128, 0),
        ("parallel p by 3 : group-4, t by 128 : thread", "p < 2 && t == 0", "p == 2", Unit.THREAD, 1, 0),
        ("parallel p by 3 : group-4, t by 128 : thread", "p == 1 && t < 96", "p == 0", Unit.BLOCK, 96, 128),
        ("parallel w by 12 : group, t by 32 : thread", "w < 4", "w >= 4", Unit.GROUP, 32, 0),
    ],
)
def test_the_unit_of_a_region_is_each_of_its_paths(
    level: str, cond: str, other: str, unit: Unit, threads: int, first: int
) -> None:
    found = role(level, cond, other=other)
    assert (found.unit, found.threads, found.first) == (unit, threads, first)


def test_a_path_that_is_no_whole_warps_does_nothing_together() -> None:
    with pytest.raises(LoweringError, match="only whole warps, or one thread, do this together"):
        role(THREADS, "t < 100")


def test_paths_of_several_sizes_do_nothing_together() -> None:
    level = "parallel p by 3 : group-4, t by 128 : thread"
    with pytest.raises(LoweringError, match="paths of several sizes come here: give each a region of its own"):
        role(level, "p == 1 && t < 96", other="!(p == 1 && t < 96)")


def test_each_team_has_a_named_barrier_of_its_own() -> None:
    found = role(THREADS, "t >= 320")
    assert found.barrier == 15
    own = role(THREADS, "t >= 320", WRITE + " __bar_sync(15, 64);")
    assert own.barrier == 14


def test_the_whole_block_meets_at_its_own_barrier() -> None:
    text = "__co__ void f(global s32 [N] x) {{ parallel b by N : block {{ shared s32 [64] buf; shared event e; {} }} }}"
    body = "parallel t by 64 : thread { inthreads.async (t >= 0) { buf.at(t) = 1; trigger e; wait e; } }"
    (found,) = only(after("memory", text.format(body), {"N": 4}), ir.Role)
    assert (found.unit, found.threads, found.barrier) == (Unit.BLOCK, 64, 0)


def test_a_team_without_a_barrier_is_refused() -> None:
    kernel = built(THREADS, "t < 256")
    wrong = rewrite(kernel.body, lambda s: (replace(s, barrier=0) if isinstance(s, ir.Role) else s,))
    with pytest.raises(InvalidIrError, match="the 256 threads of path t < 256 have no barrier to meet at"):
        verify(replace(kernel, body=wrong))


def test_arrivals_and_barriers_are_those_of_the_team() -> None:
    report = check_file(COVERAGE / "teams.co")
    text = {item.function.name: item.program for item in lower_file(report, None, {})}
    lines = {name: program.unit.text for name, program in text.items() if program is not None}
    assert lines["several"].count("bar_sync(15, 256);") == 1
    assert "if (threadIdx.x == 0) mbarrier_arrive(full);" in lines["several"]
    assert "if (threadIdx.x == 64) mbarrier_arrive(empty + k_2 % 2);" in lines["transfers"]
    assert "if (threadIdx.x % 32 == 0) mbarrier_arrive(full);" in lines["warps"]


@pytest.mark.parametrize("name", ["warps", "several", "transfers"])
def test_a_generation_gets_as_many_arrivals_as_complete_it(name: str) -> None:
    """One arrival a unit of a role, counted from its threads, is what the event's count says."""
    source = (COVERAGE / "teams.co").read_text()
    start = source.index("// croq: run", max(source.index(f"void {name}(") - 80, 0))
    kernel = dict(stages_of(check_text(source[start : source.find("// croq: run", start + 1)])))["memory"]
    for role_ in only(kernel, ir.Role):
        units = {Unit.GROUP4: 128, Unit.GROUP: 32, Unit.THREAD: 1, Unit.BLOCK: role_.threads}
        paths = role_.path.count("path ")
        assert role_.threads == units[role_.unit]
        for stmt in role_.body:
            for arrive in (stmt,) if isinstance(stmt, ir.Arrive) else ():
                (event,) = (each for each in kernel.events if each.name == arrive.slot.event)
                assert event.arrivals == (paths,) * event.slots
