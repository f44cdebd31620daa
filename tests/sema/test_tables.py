"""The tables of chapter 3 worked by hand: mixed arithmetic (3.1), shapes (3.2), bounds (3.4), views (3.5)."""

from __future__ import annotations

import pytest

from croqc.sema.elements import common, conversion
from croqc.syntax import ast
from croqc.syntax.visit import walk
from tests.sema.study import Study, device, host

# --- 3.1 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ("f32", "f16", "f32"),
        ("f16", "bf16", None),
        ("bf16", "f32", "f32"),
        ("f16", "s32", "f16"),
        ("u64", "f32", "f32"),
        ("s8", "s32", "s32"),
        ("u16", "u8", "u16"),
        ("u64", "s32", "u64"),
        ("s32", "u16", "s32"),
        ("s64", "u32", "s64"),
        ("s32", "u32", "u32"),
        ("tf32", "f16", "tf32"),
        ("f8_e4m3", "f8_e5m2", None),
    ],
)
def test_common_type(a: str, b: str, result: str | None) -> None:
    assert common(a, b) == result
    assert common(b, a) == result


@pytest.mark.parametrize(
    ("source", "target", "risk"),
    [
        ("s32", "f32", "lossy"),
        ("u16", "f16", "lossy"),
        ("u16", "bf16", "lossy"),
        ("u8", "bf16", ""),
        ("s16", "f32", ""),
        ("f32", "f64", ""),
        ("f32", "f16", "lossy"),
        ("s32", "u32", "sign"),
        ("s8", "s32", ""),
        ("s32", "s8", "lossy"),
        ("u16", "s32", ""),
        ("f32", "s32", "lossy"),
    ],
)
def test_conversion_risk(source: str, target: str, risk: str) -> None:
    assert conversion(source, target) == risk


@pytest.mark.parametrize(
    ("literal", "type_"),
    [
        ("2147483647", "s32"),
        ("2147483648", "s64"),
        ("1ll", "s64"),
        ("1l", "s32"),
        ("1u", "u32"),
        ("4294967296u", "u64"),
        ("1ull", "u64"),
        ("0xffu", "u32"),
        ("1.5f", "f32"),
        ("1.5", "f64"),
    ],
)
def test_literal_types(literal: str, type_: str) -> None:
    assert host(f"x = {literal};").type_of("x") == type_


# --- 3.2 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "type_"),
    [
        ("mdspan<2> x : [6, 10];", "shape [6, 10]"),
        ("g : [6, 10]; x : [g, 3];", "shape [6, 10, 3]"),
        ("g : [6, 10]; x : g[(1), (0)/2];", "shape [10, 3]"),
        ("s = {2, 5}; x = {s, 9};", "tuple {2, 5, 9}"),
        ("s = {2, 5}; x = s {(1), 1};", "tuple {5, 1}"),
        ("g : [6, 10]; x : g * 2;", "shape [12, 20]"),
        ("g : [6, 10]; x : 2 * g;", "shape [12, 20]"),
        ("g : [6, 10]; x : g + {1, 2};", "shape [7, 12]"),
        ("g : [6, 10]; x = g / [3, 3];", "tuple {2, 3}"),
        ("g : [6, 10]; x = cdiv(g, [4, 4]);", "tuple {2, 3}"),
        ("s = {2, 5}; x = s - 3;", "tuple {-1, 2}"),
        ("x : [cdiv(M, 8), K];", "shape [cdiv(M, 8), K]"),
        ("x : b.span;", "shape [M, K]"),
        ("x : b.span[(1), (0)];", "shape [K, M]"),
    ],
)
def test_shape_and_tuple_arithmetic(code: str, type_: str) -> None:
    case = host(code)
    assert case.told == []
    assert case.type_of("x") == type_


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("g : [6, 10]; x = g(1);", "10"),
        ("g : [6, 10]; x = g(-1);", "10"),
        ("s = {2, 5}; x = s(0);", "2"),
        ("g : [6, 10]; x = |g|;", "60"),
        ("x = |b.span|;", "K*M"),
        ("x = b.span(1);", "K"),
        ("x = cdiv(7, 2);", "4"),
        ("x = (0 - 7) / 2;", "-3"),
        ("x = (0 - 7) % 2;", "-1"),
        ("x = 1 << 4;", "16"),
        ("x = |f16|;", "2"),
        ("x = __alignup(13, 8);", "16"),
        ("x = __aligndown(13, 8);", "8"),
        ("x = 6 & 3;", "2"),
        ("x = true ? 3 : 3;", "3"),
    ],
)
def test_static_and_symbolic_values(code: str, value: str) -> None:
    case = host(code + " y = x;")
    assert case.told == []
    assert str(case.value("x")) == value


# --- 3.4 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("extent", "names", "type_"),
    [
        ("6", "i", "int below 6"),
        ("[4, 9]", "i", "index tuple below {4, 9}"),
        ("[4, 9]", "{i, j}", "int below 4"),
        ("[4, 9]", "i = {x, y}", "index tuple below {4, 9}"),
        ("[6]", "i", "index tuple below {6}"),
        ("w.span", "{i, j}", "int below 8"),
    ],
)
def test_what_a_binding_makes(extent: str, names: str, type_: str) -> None:
    case = host(f"with {names} in {extent} {{ }}")
    assert case.told == []
    assert case.type_of("i") == type_


@pytest.mark.parametrize(
    ("expression", "type_", "value"),
    [
        ("x + 3", "int below 6", "x + 3"),
        ("x * 2", "int below 6", "2*x"),
        ("x / 2", "int below 6", "x / 2"),
        ("x % 4", "int below 6", "x % 4"),
        ("x # y", "int below 60", "10*x + y"),
        ("x # y # x", "int below 360", "61*x + 6*y"),
        ("x(2)", "int below 6", "2"),
        ("x(-1)", "int below 6", "5"),
        ("x #+ 2", "int below 8", "x"),
        ("x #- 2", "int below 4", "x"),
        ("x #* 2", "int below 12", "x"),
        ("x #/ 2", "int below 3", "x"),
        ("x #% 4", "int below 2", "x"),
        ("x + m", "s32", "None"),
        ("#x", "s32", "6"),
        ("x(1) + 1", "s32", "2"),
    ],
)
def test_bounds_of_derived_values(expression: str, type_: str, value: str) -> None:
    case = host(f"mutable int m = 1; foreach {{x, y}} in [6, 10] {{ z = {expression}; }}")
    assert case.told == []
    assert case.type_of("z") == type_
    assert str(case.value(expression)) == value


def test_a_with_index_is_zero_outside_its_loop() -> None:
    case = host("with k in 4 { before = k; foreach k { inside = k; } later = k + 1; foreach n = k(1:) { last = n; } }")
    texts = [str(case.analysis.model.values[part]) for part in _values_of_assignments(case)]
    assert texts == ["0", "k", "1", "k"]


def _values_of_assignments(case: Study) -> list[ast.Node]:
    return [node.parts[0].value for node in walk(case.analysis.model.function) if isinstance(node, ast.Assign)]


# --- 3.5 -----------------------------------------------------------------------------------------

STATIC = "local f32 [100, 64] s;"


@pytest.mark.parametrize(
    ("view", "shape", "contiguous"),
    [
        ("s.chunkat(p, _)", "[25, 64]", True),
        ("s.chunkat(_, p)", "[100, 16]", False),
        ("s.chunk(4, 2).at(1, 0)", "[25, 32]", False),
        ("s.subspan(10, 8)", "[10, 8]", False),
        ("s.subspan(10, _).at(9, 0)", "[10, 64]", True),
        ("s.subspan(1, 32).at(5, 1)", "[1, 32]", True),
        ("s.subspan(10, 8).step(5, 8).at(18, 7)", "[10, 8]", False),
        ("s.modspan(32, 64)", "[4, 1]", None),
        ("s.view(8, 40).from(90, 3)", "[8, 40]", False),
        ("s.view(8, 8 : 8, 1).from(0, 0)", "[8, 8]", True),
        ("s.view(8, 8 : 0, 1)", "[8, 8]", False),
        ("s.span_as(50, 128)", "[50, 128]", True),
        ("s.span_as([64, 100])", "[64, 100]", True),
        ("s.subspan(1, 64).at(3, 0).sqz()", "[64]", True),
        ("s.subspan(20, _).at(1, 0).chunkat(p, _)", "[5, 64]", None),
    ],
)
def test_view_shapes(view: str, shape: str, contiguous: bool | None) -> None:
    case = device(f"{STATIC} v = {view};")
    assert [rule for rule, _ in case.told if rule not in ("zero-step", "chunk-remainder")] == []
    data = case.view(view).data
    assert f"[{', '.join(map(str, data.shape))}]" == shape
    if contiguous is not None:
        assert data.contiguous is contiguous


def test_symbolic_views() -> None:
    case = device("x = a.chunkat(p, _); y = b.subspan(16, _).at(t, 0); z = a.modspan(48, 64);")
    assert case.type_of("x") == "global f32 [M / 4, 64]"
    assert case.type_of("y") == "f32 [16, K]"
    assert case.type_of("z") == "global f32 [M % 48, 1]"


def test_a_view_is_grouped_into_operations() -> None:
    case = device("shared f16 [64, 32] ring[3]; v = ring[1].subspan(16, 8).step(4, 8).at(p, 0).chunkat(_, p);")
    view = case.view("ring[1].subspan(16, 8).step(4, 8).at(p, 0).chunkat(_, p)")
    assert view.base.name == "ring"
    assert [case.text(slot) for slot in view.slots] == ["1"]
    first, second = view.ops
    assert [case.text(item) for item in (*first.args, *first.step, *first.at)] == ["16", "8", "4", "8", "p", "0"]
    assert [str(extent) for extent in second.shape] == ["16", "2"]
    assert view.element is None


def test_an_element_through_a_view() -> None:
    case = device("f = dma.copy h.subspan(16, 8).at(p, 0) => shared; x = f.data.span_as(128).at(t);")
    view = case.view("f.data.span_as(128).at(t)")
    assert view.base.name == "f"
    assert view.element is not None
    assert [case.text(item) for item in view.element] == ["t"]
    assert case.type_of("x") == "f16"
    assert case.type_of("f") == "future of shared f16 [16, 8]"
