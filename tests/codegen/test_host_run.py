"""What the host part does for given sizes: launches in order with their arguments, results, prints; kernels that fill
and copy, run element by element."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from croqc.codegen.host_run import MOST_LAUNCHES, HostRun, Launch, ScalarArg
from croqc.codegen.program import Program
from croqc.codegen.unit import header
from croqc.pipe import ir
from croqc.pipe.errors import NotRunError
from croqc.pipe.evaluate import cut, value_of
from croqc.pipe.exprs import Read, Tile
from croqc.service.check import check_file, check_text
from croqc.service.cuda import cuda_of
from croqc.service.lowering import program_for
from tests.codegen.compiling import log_of
from tests.sim.kernels import run as simulated

COVERAGE = Path(__file__).parents[1] / "gpu/coverage"
BODY = "parallel b by N : block { x.at(b) = 1; }"


def program(text: str, name: str = "", **sizes: int | float | bool) -> Program:
    file = COVERAGE / f"{text}.co"
    report = check_file(file) if file.exists() else check_text(text)
    function = next(each for each in report.functions if not name or each.name == name)
    assert function.analysis is not None
    return program_for(report, function, function.analysis.model, sizes)


def done(text: str, name: str = "", **sizes: int | float | bool) -> HostRun:
    return program(text, name, **sizes).done


def scalars(launch: Launch) -> dict[str, Any]:
    return {arg.name: arg.value for arg in launch.args if isinstance(arg, ScalarArg)}


def test_loops_conditions_and_variables_make_launches() -> None:
    run = done("host_loop", N=256, s=3)
    assert [(launch.kernel.name[-1], launch.grid[0]) for launch in run.launches] == [
        ("1", 4),
        ("2", 4),
        ("2", 5),
        ("2", 6),
        ("3", 4),
        ("4", 4),
        ("4", 4),
        ("5", 4),
    ]
    assert scalars(run.launches[2]) == {"N": 256, "s": 3, "k": 1}
    assert scalars(run.launches[7]) == {"N": 256, "s": 3, "turns": 4}
    assert (run.trouble, run.says, run.result) == (None, "", None)


def test_which_array_is_returned_hangs_on_the_way_there() -> None:
    early = done("host_data", "early", N=4096, mode=1)
    assert (early.result, [launch.kernel.name for launch in early.launches]) == ("ones", ["early_fill"])
    late = done("host_data", "early", N=4096, mode=0)
    assert (late.result, len(late.launches)) == ("sum", 4)


def test_scalars_and_prints_in_order() -> None:
    text = f"""__co__ int f(global s32 [N] x, f32 r) {{
  foreach i in 2 {{ println(i, " of ", N, ", 100%: ", r, N > 3); {BODY} }}
  print("end");
  return N / 3 * -1;
}}"""
    run = done(text, N=7, r=0.1)
    assert [launch.says for launch in run.launches] == [f"{{{i}}} of 7, 100%: 0.100000true\n" for i in range(2)]
    assert (run.says, run.value, run.result) == ("end", -2, None)


def test_integers_have_their_types() -> None:
    text = f"""__co__ s64 f(global s32 [N] x) {{
  mutable u8 low = 250;
  mutable s64 wide = 2147483647;
  foreach i in 10 {{ low += 1; wide += 1; }}
  {BODY}
  return wide * 1000 + low;
}}"""
    assert done(text, N=1).value == 2147483657 * 1000 + 4


VALUES = {"a": 1, "b": 2, "n": -7, "w": 2**40, "r": 0.1, "d": 0.1}
DECLARED = """constexpr croq::u32 a = 1, b = 2;
constexpr int n = -7;
constexpr croq::s64 w = 1ll << 40;
constexpr float r = 0.1f;
constexpr double d = 0.1;
using namespace croq;
"""


@pytest.mark.parametrize(
    ("elem", "expr", "value"),
    [
        ("u32", "a - b", 4294967295),
        ("bool", "a - b < 10u", False),
        ("u32", "~a", 4294967294),
        ("u32", "(a - b) / b", 2147483647),
        ("u32", "b * 4294967295u", 4294967294),
        ("u32", "a << 31", 2147483648),
        ("s64", "w * 3 - n", 3 * 2**40 + 7),
        ("s32", "cdiv(n, 4) * 100 + n / 4 * 10 + n % 4", -113),
        ("s32", "n >> 1", -4),
        ("f32", "r + 0.2f", 0.30000001192092896),
        ("bool", "r * 3.0f == 0.3f", True),
        ("bool", "r == d", False),
        ("f32", "16777217.0f + 1.0f", 16777216.0),
        ("f64", "d + 0.2", 0.30000000000000004),
    ],
)
def test_arithmetic_is_that_of_the_generated_host_function(elem: str, expr: str, value: float) -> None:
    """The values are those of a C++ compiler, which here checks the expression that is generated."""
    text = f"__co__ {elem} f(u32 a, u32 b, int n, s64 w, f32 r, f64 d, global s32 [N] x) {{ {BODY} return {expr}; }}"
    assert done(text, N=1, **VALUES).value == value
    full = cuda_of(check_text(text), None, {"N": 1, **VALUES}, "full").result.text
    (generated,) = re.findall(r"^  return (.*);$", full.partition("launch_overlapping(f")[2], re.MULTILINE)
    want = str(value).lower() + {"f32": "f", "u32": "u", "s64": "ll"}.get(elem, "")
    log_of(f"{header('types')}\n{DECLARED}static_assert(({generated}) == {want});\n", "sm_90a")


def test_floats_are_divided_by_zero() -> None:
    text = f"__co__ void f(f32 r, f32 z, global s32 [N] x) {{ {BODY} println(r / z, -r / z, r / -z, z / z); }}"
    assert done(text, N=1, r=1.5, z=0.0).says == "inf-inf-infnan\n"


@pytest.mark.parametrize("name", ["__sqrt", "__gelu"])
def test_functions_that_only_the_generated_host_code_computes(name: str) -> None:
    run = done(f"__co__ void f(f32 r, global s32 [N] x) {{ println({name}(r)); {BODY} }}", N=1, r=0.5)
    assert isinstance(run.trouble, NotRunError)
    assert run.trouble.message == f"'{name}' of the host part is computed in what `croq cuda --full` prints alone"


def test_the_simulator_has_scalars_of_their_types_too() -> None:
    text = """__co__ s32 [2] f(u32 a, u32 b, u8 c) {
  s32 [2] y;
  y.at(0) = a - b < 10u ? 1 : 2;
  y.at(1) = c;
  return y;
}"""
    assert simulated(text, {}, {"a": 1, "b": 2, "c": 260}).result.tolist() == [2, 4]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("mutable int n = 0; while (n < 1) { n = n * 2; }", "the host part takes more than 1,048,576 steps here"),
        (f"foreach i in {MOST_LAUNCHES + 1} {{ {BODY} }}", "more than 16,384 launches are not started in one run"),
        ('__cpp__("puts(1);");', "C++ of the host part runs in what `croq cuda --full` prints alone"),
    ],
)
def test_what_no_engine_runs(body: str, message: str) -> None:
    run = done(f"__co__ void f(global s32 [N] x) {{ {body} {BODY} }}", N=1)
    assert isinstance(run.trouble, NotRunError)
    assert run.trouble.message == message


@pytest.mark.parametrize(
    ("stmt", "message"),
    [
        ("parallel b by n : block { x.at(0) = 1; }", "a bound of this parallel is -1; it must be at least 1"),
        ("parallel {a, b} by [1, 65538 + n] : block { x.at(0) = 1; }", "a grid takes up to 65,535 there"),
        ('assert(n > 0, "no n"); BODY', "assertion failed: no n"),
        ('parallel b by N : block { assert(n > 0, "no n"); x.at(b) = 1; }', "assertion failed: no n"),
        ("if (N / (n + 1) > 2) { BODY }", "division by zero"),
        ("parallel b by N / (n + 1) : block { x.at(0) = 1; }", "division by zero"),
    ],
)
def test_a_launch_that_cannot_be_is_told_at_its_place(stmt: str, message: str) -> None:
    report = check_text(f"__co__ void f(global s32 [N] x, int n) {{ {stmt.replace('BODY', BODY)} }}")
    (problem,) = cuda_of(report, None, {"N": 4, "n": -1}).problems
    assert message in problem.message
    assert report.source.slice(problem.span) in stmt.replace("BODY", BODY)
    assert cuda_of(report, None, {}).problems == ()  # without sizes it is text, whatever they may be


# --- kernels that fill and copy ----------------------------------------------------------------


def ran(kernel: ir.Kernel, arrays: dict[str, np.ndarray[Any, Any]], sizes: Mapping[str, int]) -> None:
    """Every thread of a kernel of the host part, by its IR. A write outside an array fails."""
    (grid,) = (int(value_of(extent, sizes)) for extent in kernel.grid)
    for thread in range(grid * kernel.threads):
        values: dict[str, Any] = {**sizes, kernel.grid_names[0]: thread // kernel.threads}
        values[kernel.indices[0].name] = thread % kernel.threads
        _body(kernel.body, values, arrays)


def _body(body: tuple[ir.Stmt, ...], values: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> None:
    for stmt in body:
        if isinstance(stmt, ir.Let):
            values[stmt.name] = cut(value_of(stmt.value, values), stmt.elem)
        elif isinstance(stmt, ir.If):
            _body(stmt.then if value_of(stmt.cond, values) else stmt.other, values, arrays)
        elif not isinstance(stmt, ir.AwaitLaunches):  # these launches come one after another
            assert isinstance(stmt, ir.Write)
            read = isinstance(stmt.value, Read)
            new = _place(stmt.value.tile, stmt.value.index, values) if isinstance(stmt.value, Read) else ()
            value = (
                arrays[stmt.value.tile.tensor.name][new]
                if isinstance(stmt.value, Read)
                else value_of(stmt.value, values)
            )
            assert read == bool(new)
            arrays[stmt.tile.tensor.name][_place(stmt.tile, stmt.index, values)] = value


def _place(tile: Tile, index: tuple[Any, ...], values: Mapping[str, Any]) -> tuple[int, ...]:
    at = [int(value_of(each, values)) for each in tile.origin]
    for dim, each in zip(tile.dims, index, strict=True):
        at[dim] += int(value_of(each, values))
    extents = [int(value_of(each, values)) for each in tile.tensor.shape]
    assert all(0 <= each < extent for each, extent in zip(at, extents, strict=True))
    return tuple(at)


def test_a_fill_reaches_every_element_once() -> None:
    made = program("host_data", "early", N=300, mode=1)
    arrays = {"ones": np.zeros(300, np.int32)}
    ran(next(each for each in made.kernels if each.name == "early_fill"), arrays, {"N": 300})
    assert (arrays["ones"] == 1).all()


COPIES = """__co__ void f(global s32 [M, N] x, global s32 [M, N] y, global s32 [N, M] z) {{
  dma.copy{mods} {copy};
}}"""


@pytest.mark.parametrize(
    ("copy", "expected"),
    [
        ("x => y", lambda x, y, z: (x, z)),
        ("x.view(2, 4).from(1, 2) => y.view(2, 4).from(0, 0)", lambda x, y, z: (_with(y, x[1:3, 2:6]), z)),
        ("x.subspan(2, 4).at(1, 1) => y.subspan(2, 4).at(0, 0)", lambda x, y, z: (_with(y, x[2:3, 4:7]), z)),
    ],
)
def test_a_copy_moves_what_exists_on_both_sides(copy: str, expected: Any) -> None:
    shape = {"M": 3, "N": 7}
    made = program(COPIES.format(mods="", copy=copy), **shape)
    x = np.arange(21, dtype=np.int32).reshape(3, 7)
    arrays = {"x": x, "y": -x - 1, "z": -x.T - 1}
    want_y, want_z = expected(x, arrays["y"].copy(), arrays["z"].copy())
    ran(made.kernels[0], arrays, shape)
    np.testing.assert_array_equal(arrays["y"], want_y)
    np.testing.assert_array_equal(arrays["z"], want_z)


def _with(array: np.ndarray[Any, Any], part: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array[: part.shape[0], : part.shape[1]] = part
    return array


def test_a_copy_transposes() -> None:
    made = program(COPIES.format(mods="", copy="x => z").replace("dma.copy", "dma.transp<1, 0>"), M=3, N=7)
    x = np.arange(21, dtype=np.int32).reshape(3, 7)
    arrays = {"x": x, "z": np.zeros((7, 3), np.int32)}
    ran(made.kernels[0], arrays, {"M": 3, "N": 7})
    np.testing.assert_array_equal(arrays["z"], x.T)
