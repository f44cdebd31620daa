"""Probes: which thread records for a path, which places are probed, and that nothing moves."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Space
from croqc.pipe.lower import lowered_kernels
from croqc.pipe.probes import MOST_PATHS, probed, recorders
from croqc.pipe.verify import verify
from croqc.pipe.walk import Body, rewrite, statements
from croqc.sema.model import Model
from croqc.service.check import FileReport, check_text
from croqc.service.lowering import sizes_of
from tests.pipe.lowering import NAMES, example

PROBED = (
    *(ir.Wait, ir.Arrive, ir.ArriveCommitted, ir.Copy, ir.Multiply, ir.Commit, ir.Complete, ir.Await, ir.Sync),
    ir.StoresRead,
)


def model_of(report: FileReport) -> Model:
    analysis = report.functions[0].analysis
    assert analysis is not None
    return analysis.model


def kernels(report: FileReport) -> list[tuple[ir.Kernel, ir.Kernel]]:
    """Each kernel of the first function as lowered, and with probes."""
    model = model_of(report)
    found = lowered_kernels(model, report.target, sizes_of(report, report.functions[0]))
    return [(kernel, probed(model, own, kernel)) for own, kernel in zip(model.kernels, found, strict=True)]


def is_probed(stmt: ir.Stmt) -> bool:
    """Of stores those that leave the block: into shared memory they are short, and no register is free for more."""
    return isinstance(stmt, PROBED) or (isinstance(stmt, ir.StoreTile) and stmt.dest.tensor.space is Space.GLOBAL)


def without_probes(body: Body) -> Body:
    return rewrite(body, lambda stmt: stmt.body if isinstance(stmt, ir.Probe) else (stmt,))


def probes(kernel: ir.Kernel) -> list[ir.Probe]:
    return [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Probe)]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_moves_and_every_place_is_probed_once(name: str) -> None:
    for plain, kernel in kernels(example(name)):
        verify(kernel)
        assert without_probes(kernel.body) == plain.body
        found = probes(kernel)
        assert kernel.probes is not None
        assert [each.site for each in found] == list(range(1, len(kernel.probes.sites) + 1))
        assert [each.span for each in found] == [site.span for site in kernel.probes.sites]
        inside = [id(stmt) for each in found for stmt in statements(each.body) if is_probed(stmt)]
        places = [id(stmt) for stmt in statements(kernel.body) if is_probed(stmt)]
        assert sorted(inside) == sorted(places)


def test_the_places_of_the_course_kernel() -> None:
    """In source order; line 44's multiplies, eight a turn, are one place."""
    report = example("pipeline_course")
    ((_, kernel),) = kernels(report)
    assert kernel.probes is not None
    base = report.functions[0].base
    told = [
        (site.op, report.source.line_of(site.span.start + base) + 1, site.loop, site.buffer, site.slotted, site.leaves)
        for site in kernel.probes.sites
    ]
    assert told == [
        ("wait", 24, "iv_k", "", True, False),
        ("copy", 25, "iv_k", "lhs_load_s", True, False),
        ("copy", 27, "iv_k", "rhs_load_s", True, False),
        ("trigger", 29, "iv_k", "", True, False),
        ("trigger", 36, "s", "", True, False),
        ("wait", 40, "iv_k_2", "", True, False),
        ("multiply", 44, "iv_k_2", "lhs_load_s", True, False),
        ("commit", 46, "iv_k_2", "", False, False),
        ("trigger", 47, "iv_k_2", "", True, False),
        ("commit", 46, "", "", False, False),
        ("trigger", 47, "", "", True, False),
        ("join", 50, "", "", False, False),
        ("copy", 50, "", "output_s", False, True),
        ("wait-future", 50, "", "", False, False),
        ("join", 50, "", "", False, False),
    ]
    assert [site.bytes for site in kernel.probes.sites if site.bytes] == [2 * 64 * 128 * 2]


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("pipeline_course", [("path p1 == 0", 0), ("path p1 == 1", 128)]),
        ("persistent_1p2c", [("path p == 0", 0), ("path p = 1", 128), ("path p = 2", 256)]),
        ("swap_f16", [("the block", 0)]),
    ],
)
def test_the_first_thread_of_each_path_records(name: str, who: list[tuple[str, int]]) -> None:
    model = model_of(example(name))
    assert [(each.path, each.thread) for each in recorders(model, model.kernels[0])] == who


REGIONS = """__co__ void f(global s32 [N] x) {
  parallel b by 1 : block {
    shared event done;
    parallel w by 2 : group-4, t by 128 : thread {
      inthreads.async (w == 0 && t == 37) { trigger done; }
      inthreads.async (w == 1) { wait done; }
      OUTSIDE
    }
  }
}
"""


@pytest.mark.parametrize("outside", ["", "sync.shared;"])
def test_a_thread_that_enters_the_region_of_the_path_records(outside: str) -> None:
    """Thread 37 alone runs the region of the first path, also where the others of its warpgroup belong to it."""
    report = check_text(REGIONS.replace("OUTSIDE", outside))
    assert report.diagnostics == ()
    model = model_of(report)
    assert [each.thread for each in recorders(model, model.kernels[0])] == [37, 128]


def test_of_very_many_paths_the_first_record() -> None:
    many = "".join(f"      inthreads.async (t == {n}) {{ x.at({n}) = {n}; }}\n" for n in range(MOST_PATHS + 6))
    text = (
        f"__co__ void f(global s32 [N] x) {{\n  parallel b by 1 : block {{\n    parallel t by 128 : thread {{\n{many}"
    )
    report = check_text(text + "    }\n  }\n}\n")
    model = model_of(report)
    found = recorders(model, model.kernels[0])
    assert [each.thread for each in found] == list(range(MOST_PATHS))
