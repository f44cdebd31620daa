"""Tiles that are longer than a box of TMA: the boxes lie where the tile's elements do, and cover each of them once."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from croqc.codegen.host_run import MapArg
from croqc.pipe import ir
from croqc.service.check import FileReport, check_file, check_text
from croqc.service.lowering import lower_file
from croqc.text.diagnostics import Severity
from tests.codegen.compiling import complaints, log_of, lowered
from tests.pipe.lowering import only, stages_of

TEXT = """// croq: run
__co__ void through(global {elem} [{shape}] x, global {elem} [{shape}] y) {{
  parallel b by 1 : block {{
    shared {elem} [{shape}] buf;
    parallel p by 1 : group-4 {{
      tma.copy x => buf;
      tma.copy buf => y;
    }}
  }}
}}
"""
COVERAGE = Path(__file__).parents[1] / "gpu/coverage"
SIZES = {"f8_e4m3": 1, "f16": 2, "f32": 4}


def report_of(elem: str, shape: tuple[int, ...]) -> FileReport:
    report = check_text(TEXT.format(elem=elem, shape=", ".join(map(str, shape))))
    assert [item.message for item in report.diagnostics if item.severity is Severity.ERROR] == []
    return report


def address(at: tuple[int, ...], shape: tuple[int, ...], size: int, swizzle: int) -> int:
    """Where an element lies, in bytes, without the permutation (reference, 5.5 and 5.6)."""
    if swizzle:
        (row, column), width = at, swizzle // size
        return column // width * shape[0] * swizzle + row * swizzle + column % width * size
    found = 0
    for index, extent in zip(at, shape, strict=True):
        found = found * extent + index
    return found * size


CASES = [
    pytest.param("f16", (257, 64), 0, 2, id="one row more"),
    pytest.param("f16", (512, 64), 0, 2, id="twice as many"),
    pytest.param("f16", (1000, 64), 0, 4, id="a thousand"),
    pytest.param("f16", (1000, 8), 0, 4, id="a thousand short rows"),
    pytest.param("f16", (509, 64), 0, 2, id="a prime"),
    pytest.param("f32", (1, 512), 0, 2, id="a row"),
    pytest.param("f16", (1, 264), 0, 2, id="a row with a short end"),
    pytest.param("f32", (4096,), 0, 16, id="a vector"),
    pytest.param("f8_e4m3", (1008,), 0, 4, id="bytes"),
    pytest.param("f16", (64, 512), 128, 8, id="wide rows in groups"),
    pytest.param("f16", (16, 1008), 32, 63, id="wide rows in narrow groups"),
    pytest.param("f16", (300, 288), 64, 18, id="long both ways"),
    pytest.param("f16", (2, 300, 64), 0, 4, id="the middle of three"),
    pytest.param("f16", (300, 2, 64), 0, 2, id="the first of three"),
    pytest.param("f32", (2, 3, 320), 0, 12, id="the last of three"),
]


@pytest.mark.parametrize(("elem", "shape", "swizzle", "count"), CASES)
def test_each_element_once_and_where_it_lies(elem: str, shape: tuple[int, ...], swizzle: int, count: int) -> None:
    kernel = dict(stages_of(report_of(elem, shape)))["layout"]
    assert kernel.shared[0].swizzle == swizzle
    for copy in only(kernel, ir.Copy):
        assert len(copy.boxes) == count
        seen = set()
        for part in copy.boxes:
            box = tuple(reversed(kernel.maps[part.map].box))
            begin = address(part.at, shape, SIZES[elem], swizzle)
            assert begin % 128 == 0
            assert max(box) <= 256
            for number, inside in enumerate(product(*map(range, box))):
                at = tuple(map(sum, zip(part.at, inside, strict=True)))
                assert address(at, shape, SIZES[elem], swizzle) == begin + number * SIZES[elem]
                seen.add(at)
        assert len(seen) == len(set(product(*map(range, shape))))


@pytest.mark.slow
@pytest.mark.parametrize(("elem", "shape", "swizzle", "count"), CASES)
def test_they_compile(elem: str, shape: tuple[int, ...], swizzle: int, count: int) -> None:
    report = report_of(elem, shape)
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    code = item.program.unit.text
    assert code.count("tma_load(buf") == code.count("tma_store(y_map") == count
    assert complaints(log_of(code, "sm_90a")) == []


def test_one_thread_issues_all_boxes_for_one_transaction() -> None:
    report = report_of("f16", (509, 64))
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    code = item.program.unit.text.partition("griddepcontrol_wait();")[2]
    loads = [line.strip() for line in code.splitlines() if "tma_load(" in line]
    assert loads == [
        "tma_load(buf, x_map_1, load_landed, 0, 0);",
        "tma_load(buf + 16384, x_map_2, load_landed, 0, 256);",
    ]
    assert f"mbarrier_arrive_expect(load_landed, {509 * 64 * 2});" in code
    assert code.count("tma_store_commit();") == 1


def test_the_host_makes_a_map_for_each_shape_of_box() -> None:
    report = report_of("f16", (509, 64))
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    (launch,) = item.program.launches
    boxes = [arg.box for arg in launch.args if isinstance(arg, MapArg)]
    assert boxes == [(64, 256), (64, 253)] * 2


@pytest.mark.slow
def test_the_boxes_of_every_kind_of_copy_compile() -> None:
    """To a slot of a ring, to all blocks of a cluster, as an operand, overhanging, and out again."""
    for item in lower_file(check_file(COVERAGE / "tma_boxes.co"), None, {}):
        assert item.program is not None, item.problem
        code = item.program.unit.text
        assert complaints(log_of(code, "sm_90a")) == []
        if item.program.function == "multicast":
            sent = [line.strip() for line in code.splitlines() if "tma_multicast<2>(" in line]
            assert [line.partition(", x_map")[0] for line in sent] == [
                "tma_multicast<2>(ring + k % 2 * 9600",
                "tma_multicast<2>(ring + k % 2 * 9600 + 4800",
            ]
