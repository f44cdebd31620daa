"""Names across scopes, dimensions, results, futures, the seeds, and robustness against any kernel text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croqc.sema.analyze import analyze
from croqc.sema.describe import describe
from croqc.sema.model import Context, SymbolKind
from croqc.syntax import ast
from croqc.syntax.parser import parse_file
from croqc.syntax.visit import walk
from croqc.targets import find_target
from tests.sema.study import device, host, study

DATA = Path(__file__).parent.parent / "data"
DEFINES = {"MATMUL_WARP_M": "64", "MATMUL_WARP_N": "64", "MATMUL_TILE_K": "128", "MATMUL_WARP_K": "16"}
DEFINES["MATMUL_STAGES"] = "2"
SWAP = (DATA / "seed_swap.co").read_text(encoding="utf-8")
PIPELINE = (DATA / "seed_pipeline.co").read_text(encoding="utf-8")


def _context() -> Context:
    target = find_target("sm_90a")
    assert target is not None
    return Context(target)


# --- seeds ---------------------------------------------------------------------------------------


def test_the_swap_kernel() -> None:
    case = study(SWAP)
    noted = [(item.rule, item.args["least"]) for item in case.analysis.findings]
    assert noted == [("assumed-size", 8 * 16), ("assumed-size", 16 * 16)]  # its blocks and threads are fixed
    assert describe(case.analysis.model.result) == "s32 [M, N]"
    assert case.type_of("lf1") == "future of shared s32 [M / 8, K / 16]"
    assert str(case.value("px#qx")) == "16*px + qx"
    assert case.typed("256 / #tile_k") == "s32"
    assert str(case.value("256 / #tile_k")) == "16"


def test_the_pipeline_kernel_with_its_macros() -> None:
    lines = "".join(f"#define {name} {value}\n" for name, value in DEFINES.items() if f"#define {name}" not in PIPELINE)
    case = study(lines + PIPELINE)
    assert case.told == []
    assert case.type_of("lhs_load_s") == "shared f16 [64, 128][2]"
    assert case.type_of("full") == "shared event[2]"
    assert str(case.value("stage")) == "iv_k % 2"
    view = case.view("rhs.chunkat(block_n, iv_k)")
    assert [str(extent) for extent in view.data.shape] == ["N / cdiv(N, 64)", "K / cdiv(K, 128)"]


def test_the_pipeline_kernel_without_its_macros_has_one_error_a_name() -> None:
    text = "\n".join(line for line in PIPELINE.splitlines() if not line.startswith("#define"))
    told = study(text).told
    assert sorted(told) == sorted(("undeclared-name", name) for name in DEFINES)


# --- names ---------------------------------------------------------------------------------------


def test_every_name_of_a_clean_function_has_its_symbol() -> None:
    model = study(SWAP).analysis.model
    names = [node for node in walk(model.function) if isinstance(node, ast.Name) and node is not model.function.name]
    assert [node.id for node in names if node not in model.uses] == []
    assert {model.uses[node].name for node in names} == {node.id for node in names}


def test_an_inner_assignment_declares_a_new_name() -> None:
    case = host("x = 1; if (n > 0) { x = 2; y = x; } z = x;")
    symbols = [item for item in case.analysis.model.symbols if item.name == "x"]
    assert [item.scope for item in symbols] == [0, 1]
    assert str(case.analysis.model.values[case.node("x")]) == "1"  # type: ignore[index]


def test_a_placeholder_takes_the_copy_of_an_inner_scope() -> None:
    case = device(
        "f = dma.any; with k in 4 { foreach k { f = dma.copy a.chunkat(k, _) => shared; x = f.data.at(0, 0); } }"
    )
    assert case.told == []
    assert len([item for item in case.analysis.model.symbols if item.name == "f" and item.kind.name == "FUTURE"]) == 1
    assert case.type_of("f") == "future of shared f32 [M / 4, 64]"


def test_a_rotated_placeholder_takes_the_type_of_the_others() -> None:
    case = device("f = dma.copy w => shared; g = dma.any; swap(f, g); x = g.data.at(0, 0);")
    assert case.told == []
    assert case.type_of("x") == "s32"


def test_transposed_and_padded_copies_shape_their_future() -> None:
    case = device("f = dma.transp<1, 0> w => shared; g = dma.pad<{1, 0}, {2, 4}, {0, 0}, 0> w => local;")
    assert case.type_of("f") == "future of shared s32 [6, 8]"
    assert case.type_of("g") == "future of local s32 [11, 10]"


def test_soft_keywords_are_names() -> None:
    case = host("stage = 3; block = stage + 1; group = block;")
    assert case.told == []
    assert str(case.value("block")) == "4"


def test_words_of_an_island_count_as_uses() -> None:
    case = device('mutable int m = 1; q = 2; __cpp__("m += 1;");')
    assert {item.name for item in case.analysis.model.mentioned} == {"m"}


def test_equal_names_keep_apart_in_values() -> None:
    case = host("foreach i in 4 { x = i; } foreach i in 4 { y = i; }")
    atoms = [item.atom for item in case.analysis.model.symbols if item.name == "i"]
    assert len(set(atoms)) == 2
    assert {str(case.symbol(name).type) for name in "xy"} == {str(case.symbol("i").type)}


def test_a_tuple_of_indices_names_an_element() -> None:
    case = host("foreach cell = {i, j} in w.span { x = w.at(cell); } foreach v in [8, 7] { x = w.at(v); }")
    assert case.told == [("index-out-of-range", "v")]


def test_a_tuple_follows_the_indices_it_consists_of() -> None:
    case = host("with v = {i, j} in [4, 9] { foreach i { x = v(0); y = v(1); } foreach v { z = v(-1); } }")
    assert case.told == []
    assert [str(case.value(text)) for text in ("v(0)", "v(1)", "v(-1)")] == ["i", "0", "j"]


def test_aliased_indices_have_one_value() -> None:
    case = host("with i in 4, j in 4 where i <-> j { foreach i { x = j; } }")
    assert case.told == []
    assert str(case.value("j")) == "i"
    assert host("with i in 4, j in [4] where i <-> j { foreach j { x = i; } }").told == []


# --- parameters and results ----------------------------------------------------------------------


def test_dimensions_are_declared_by_their_first_occurrence() -> None:
    case = study("__co__ void f(f32 [M, 64] a, f32 [N, M] b, f32 [?, ?] c) { }")
    kinds = {item.name: item.kind for item in case.analysis.model.symbols}
    assert [name for name, kind in kinds.items() if kind is SymbolKind.DIMENSION] == ["M", "N"]
    assert case.type_of("b") == "f32 [N, M]"
    assert case.type_of("c") == "f32 [c.span(0), c.span(1)]"


def test_a_dimension_may_not_share_a_parameters_name() -> None:
    assert study("__co__ void f(int n, f32 [n] a) { }").told == [("redeclared-name", "n")]
    assert study("__co__ void f(f32 [n] a, int n) { }").told == [("redeclared-name", "n")]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("__co__ auto f(f32 [M] a) { f32 [M] r; return r; }", "f32 [M]"),
        ("__co__ auto f(int n) { return n; }", "s32"),
        ("__co__ auto f(int n) { x = n; }", "void"),
        ("__co__ f16 [M, 8] f(f16 [M] a) { f16 [M, 8] r; return r; }", "f16 [M, 8]"),
        ("__co__ void f(int n) { return; }", "void"),
    ],
)
def test_result(text: str, result: str) -> None:
    case = study(text)
    assert case.told == []
    assert describe(case.analysis.model.result) == result


# --- any text ------------------------------------------------------------------------------------

_KERNELS = [SWAP, PIPELINE, *(path.read_text(encoding="utf-8") for path in sorted(DATA.glob("*.co")))]
_BITS = ["(", ")", "[", "]", "{", "}", ";", ",", "=", "_", "0", "-1", "#", "|", ".at(0)", ".span", "x"]
_BITS += ["99999999999", "in", "int", "stream"]


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 8))
def test_analysis_never_raises_on_mutated_kernels(seed: int, changes: int) -> None:
    chance = random.Random(seed)
    text = chance.choice(_KERNELS)
    for _ in range(changes):
        at, length = chance.randrange(len(text)), chance.randrange(12)
        other = chance.randrange(len(text))
        text = text[:at] + chance.choice([*_BITS, text[other : other + 12], ""]) + text[at + length :]
    for parsed in parse_file(text, {}, None).functions:
        if parsed.tree is not None:
            for finding in analyze(parsed.tree, _context()).findings:
                assert 0 <= finding.span.start <= finding.span.end


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 3000 + "1" + ")" * 3000,
        "+".join(["1"] * 3000),
        "1" + " ? 2 : (3" * 300 + ")" * 300,
        "*".join(f"(n + {step})" for step in range(200)),
        "#".join(["i"] * 500),
        "*".join(["99999999999"] * 2000),
        "{" + "*".join(["{99999999999}(0)"] * 500) + "}",
    ],
)
def test_long_and_deep_expressions(expression: str) -> None:
    text = f"__co__ void f(int n) {{ foreach i in n {{ x = {expression}; y = x; }} }}"
    (parsed,) = parse_file(text, {}, None).functions
    assert parsed.tree is not None
    assert analyze(parsed.tree, _context()).model.function is parsed.tree


def test_chains_of_values_stay_small() -> None:
    lines = "".join(f"x{step + 1} = (x{step} + n) % 7 + x{step} / 3;" for step in range(300))
    case = study(f"__co__ void f(int n) {{ x0 = n; {lines} }}")
    assert max(value.size for value in case.analysis.model.values.values()) <= 64


def test_analysis_is_repeatable() -> None:
    first, second = (study(PIPELINE).analysis.findings for _ in range(2))
    assert [(item.rule, item.span, dict(item.args)) for item in first] == [
        (item.rule, item.span, dict(item.args)) for item in second
    ]
