"""Multiplies against the tables of chapter 6: which instruction, which unit, which operands."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames_device as rules
from croqc.sema.model import OperandKind, Unit
from tests.sema.device_study import Device, block, program
from tests.sema.study import marked

S, R = OperandKind.SHARED, OperandKind.REGISTER


def multiply(
    a: str, b: str, acc: str = "mma.fill.f32", layout: str = "row.row", unit: str = "group-4", arch: str = "sm_90a"
) -> Device:
    """One multiply of two shared tiles, each written like `f16 [64, 64]`, loaded by `mma.load`."""
    return block(
        f"shared {a} sa; shared {b} sb; parallel p by 1 : {unit} {{ c = {acc} 0.0f; "
        f"x = mma.load sa; y = mma.load sb; mma.{layout} c, x, y; }}",
        arch,
    )


@pytest.mark.parametrize(
    ("a", "b", "acc", "unit", "expected"),
    [
        ("f16 [64, 16]", "f16 [128, 16]", "f32", "group-4", (64, 128, 16, 16, "wgmma", "f16", "f32")),
        ("f16 [64, 64]", "f16 [128, 64]", "f16", "group-4", (64, 128, 64, 16, "wgmma", "f16", "f16")),
        ("bf16 [64, 48]", "bf16 [8, 48]", "f32", "group-4", (64, 8, 48, 16, "wgmma", "bf16", "f32")),
        ("f32 [64, 32]", "f32 [16, 32]", "f32", "group-4", (64, 16, 32, 8, "wgmma", "tf32", "f32")),
        ("s8 [64, 64]", "s8 [48, 64]", "s32", "group-4", (64, 48, 64, 32, "wgmma", "s8", "s32")),
        ("f8_e4m3 [64, 128]", "f8_e5m2 [256, 128]", "f32", "group-4", (64, 256, 128, 32, "wgmma", "f8_e4m3", "f32")),
        ("f16 [16, 16]", "f16 [16, 16]", "f32", "group", (16, 16, 16, 16, "wmma", "f16", "f32")),
        ("f16 [32, 64]", "f16 [8, 64]", "f16", "group", (32, 8, 64, 16, "wmma", "f16", "f16")),
        ("f16 [16, 32]", "f16 [8, 32]", "f32", "group", (16, 8, 32, 16, "mma.sync", "f16", "f32")),
        ("f16 [16, 24]", "f16 [8, 24]", "f32", "group", (16, 8, 24, 8, "mma.sync", "f16", "f32")),
        ("u8 [16, 32]", "s8 [8, 32]", "s32", "group", (16, 8, 32, 32, "mma.sync", "u8", "s32")),
        ("f64 [8, 4]", "f64 [8, 4]", "f64", "group", (8, 8, 4, 4, "wmma", "f64", "f64")),
    ],
)
def test_shapes_of_hopper(a: str, b: str, acc: str, unit: str, expected: tuple[object, ...]) -> None:
    found = multiply(a, b, f"mma.fill.{acc}", unit=unit)
    assert found.told == []
    (info,) = found.multiplies
    assert (info.m, info.n, info.k, info.k_step, info.instruction, info.elem_a, info.elem_acc) == expected
    assert info.unit is (Unit.GROUP4 if unit == "group-4" else Unit.GROUP)
    assert (info.a, info.b) == ((S, S) if unit == "group-4" else (R, R))


@pytest.mark.parametrize(
    ("arch", "instruction", "split"),
    [
        ("sm_80", "mma.sync", True),
        ("sm_89", "mma.sync", True),
        ("sm_90a", "wgmma", False),
        ("sm_100a", "tcgen05", False),
    ],
)
def test_a_warpgroup_shape_on_every_target(arch: str, instruction: str, split: bool) -> None:
    found = multiply("f16 [64, 64]", "f16 [128, 64]", arch=arch)
    assert found.told == []
    (info,) = found.multiplies
    assert (info.instruction, info.split, info.unit) == (instruction, split, Unit.GROUP4)


@pytest.mark.parametrize(
    ("layout", "a", "b"),
    [
        ("row.row", "f16 [64, 16]", "f16 [128, 16]"),
        ("row.col", "f16 [64, 16]", "f16 [16, 128]"),
        ("col.row", "f16 [16, 64]", "f16 [128, 16]"),
        ("col.col", "f16 [16, 64]", "f16 [16, 128]"),
    ],
)
def test_layouts(layout: str, a: str, b: str) -> None:
    found = multiply(a, b, layout=layout)
    assert found.told == []
    (info,) = found.multiplies
    assert (info.m, info.n, info.k) == (64, 128, 16)


@pytest.mark.parametrize(
    ("operand", "acc"),
    [("f16", "f16"), ("bf16", "f32"), ("f32", "f32"), ("f8_e4m3", "f32"), ("s8", "s32"), ("u8", "s32")],
)
def test_the_accumulator_follows_the_operands(operand: str, acc: str) -> None:
    found = multiply(f"{operand} [64, 32]", f"{operand} [64, 32]", "mma.fill")
    assert found.multiplies[0].elem_acc == acc
    assert found.study.type_of("c") == f"fragment {acc} [64, 64]"


@pytest.mark.parametrize(
    ("found", "rule", "args"),
    [
        (multiply("f16 [64, 16]", "f16 [100, 16]"), rules.NO_MULTIPLY, {"m": 64, "n": 100, "nearest": ("64x96x16",)}),
        (multiply("f16 [16, 16]", "f16 [16, 16]", "mma.fill.s32", unit="group"), rules.NO_MULTIPLY, {"nearest": ()}),
        (
            multiply("bf16 [64, 16]", "bf16 [64, 16]", "mma.fill.bf16"),
            rules.NO_MULTIPLY,
            {"nearest": (), "accumulators": ("f32",)},
        ),
        (multiply("f8_e4m3 [64, 16]", "f8_e4m3 [64, 16]"), rules.NO_MULTIPLY, {"k": 16}),
        (
            multiply("f8_e4m3 [64, 32]", "f8_e4m3 [64, 32]", arch="sm_80"),
            rules.WARPGROUP_MULTIPLY,
            {"target": "sm_80", "needs": ("sm_89", "sm_90a", "sm_100a")},
        ),
        (multiply("f16 [64, 16]", "f16 [64, 32]"), rules.MULTIPLY_DEPTH, {"a": 16, "b": 32, "sparse": False}),
        (multiply("f16 [16, 16]", "f16 [16, 16]"), rules.MULTIPLY_UNIT, {"needs": "group", "has": "group-4"}),
        (multiply("f16 [64, 16]", "f16 [64, 16]", unit="group"), rules.MULTIPLY_UNIT, {"needs": "group-4"}),
        (multiply("s8 [64, 32]", "s8 [32, 64]", "mma.fill.s32", "row.col"), rules.OPERAND_LAYOUT, {"type": "s8"}),
        (multiply("f16 [4, 64, 16]", "f16 [64, 16]"), rules.MULTIPLY_OPERAND, {"operand": "a", "reason": "rank"}),
        (multiply("s16 [64, 16]", "s16 [64, 16]", "mma.fill"), rules.ACCUMULATOR_TYPE, {"operands": "s16, s16"}),
    ],
)
def test_multiplies_that_do_not_exist(found: Device, rule: str, args: dict[str, object]) -> None:
    assert [name for name, _ in found.told] == [rule]
    given = found.finding(rule).args
    nearest = {"nearest": tuple(given["nearest"])[:1]} if "nearest" in given else {}  # type: ignore[call-overload]
    assert args.items() <= {**given, **nearest}.items()


@pytest.mark.parametrize(
    ("a", "b", "unit", "nearest"),
    [
        # N of wgmma is a multiple of 8: 96 and 104 are as near; of s8 fewer exist
        ("bf16 [64, 64]", "bf16 [100, 64]", "group-4", ("64x96x16", "64x104x16", "64x88x16")),
        ("f16 [64, 16]", "f16 [300, 16]", "group-4", ("64x256x16", "64x248x16", "64x240x16")),
        ("s8 [64, 32]", "s8 [104, 32]", "group-4", ("64x96x32", "64x112x32", "64x80x32")),
        ("f16 [24, 16]", "f16 [16, 16]", "group", ("16x16x16", "16x8x16", "32x8x16")),
    ],
)
def test_the_nearest_shapes_are_those_of_the_unit_by_their_width(
    a: str, b: str, unit: str, nearest: tuple[str, ...]
) -> None:
    found = multiply(a, b, "mma.fill", unit=unit)
    assert found.finding(rules.NO_MULTIPLY).args["nearest"] == nearest


DECLARE = "shared f16 [64, 64] s; shared f16 [16, 16] w; shared f32 [64, 64] out_s;"


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("c = mma.fill.f32 0.0f; y = mma.load.frag s; mma.row.row c, s, «y»;", rules.REGISTER_OPERAND),
        ("x = mma.load s; mma.row.row «x», s, s;", rules.ACCUMULATOR_USE),
        ("«c» = mma.fill.f32 0.0f;", rules.ACCUMULATOR_USE),
        ("c = mma.fill.f32 0.0f; «mma.scale c, out_s, 2.0f;» mma.row.row c, s, s;", rules.MULTIPLY_SCALE),
        ("frag f32 [64, 64] a; frag f32 [64] m; «reduce_sum(m, a, 0);»", rules.FRAGMENT_REDUCE),
        (
            "c = mma.fill.f32 0.0f; mma.row.row c, s, s; mma.store c, «out_s.subspan(32, 64).at(0, 0)»;",
            rules.MASKED_STORE,
        ),
    ],
)
def test_statements_beside_the_multiply(body: str, rule: str) -> None:
    text, (place,) = marked(body)
    assert block(f"{DECLARE} parallel p by 1 : group-4 {{ {text} }}").told == [(rule, place)]


FILL = "d = mma.fill.f32 0.0f;"


@pytest.mark.parametrize(
    "body",
    [
        "«d» = mma.fill.f32 0.0f; mma.store d, out_s;",
        "«d» = mma.fill.f32 0.0f; apply {i, j} in d.span { d.at(i, j) = out_s.at(i, j); } mma.store d, out_s;",
        "«d» = mma.fill.f32 0.0f; c = mma.fill.f32 0.0f; mma.row.row c, s, s; d += c; mma.store d, out_s;",
    ],
)
def test_an_accumulator_has_the_shape_of_the_multiplies_into_it(body: str) -> None:
    """Without any it has none (6.1), whatever is done to its elements."""
    text, (place,) = marked(body)
    assert block(f"{DECLARE} parallel p by 1 : group-4 {{ {text} }}").told == [(rules.ACCUMULATOR_USE, place)]


@pytest.mark.parametrize(
    "body",
    [
        "frag f32 [64, 64] d{0.0f}; apply {i, j} in d.span { d.at(i, j) = 2.0f; } mma.store d, out_s;",
        f"{FILL} foreach k in 2 {{ {FILL} mma.row.row d, s, s; mma.store d, out_s; }}",
        f"{FILL} apply {{i, j}} in d.span {{ d.at(i, j) = 1.0f; }} mma.row.row d, s, s; mma.store d, out_s;",
        f"c = mma.fill.f32 0.0f; mma.row.row c, s, s; {FILL} d = c; mma.store d, out_s;",
        f"{FILL} call make(d); mma.store d, out_s;",
    ],
)
def test_what_has_its_shape_from_elsewhere_is_no_forgotten_accumulator(body: str) -> None:
    assert block(f"{DECLARE} parallel p by 1 : group-4 {{ {body} }}").told == []


def test_a_warp_multiplies_registers_only() -> None:
    found = block(
        f"{DECLARE} parallel g by 4 : group {{ c = mma.fill.f32 0.0f; y = mma.load w; mma.row.row c, w, y; }}"
    )
    assert found.told == [(rules.SHARED_WARP_OPERAND, "w")]


def test_a_load_past_the_end_of_its_buffer() -> None:
    load = "x = mma.load t.subspan(16, 16).at(i, 0);"
    text = f"shared f16 [40, 16] t; parallel g by 4 : group {{{{ foreach i in {{}} {{{{ {load} }}}} }}}}"
    assert block(text.format(3)).told == [(rules.LOAD_TILE, "t.subspan(16, 16).at(i, 0)")]
    assert block(text.format(2)).told == []


def test_sparse_operands_are_two_to_one() -> None:
    body = "shared f16 [64, 32] a; shared f16 [64, {}] t; shared u32 [64, 2] e; parallel p by 1 : group-4 {{ {} }}"
    steps = "c = mma.fill.f32 0.0f; m = mma.load e; mma.row.row.sp c, a, t, m;"
    found = block(body.format(64, steps))
    assert found.told == []
    assert (found.multiplies[0].k, found.multiplies[0].k_step) == (64, 32)
    assert [name for name, _ in block(body.format(32, steps)).told] == [rules.MULTIPLY_DEPTH]
    assert block(body.format(64, steps.replace("t, m;", "t, e;"))).told == [(rules.SPARSE_MULTIPLY, "e")]


@pytest.mark.parametrize(
    ("steps", "kinds", "ends"),
    [
        ("mma.row.row c, s, s;", [], True),
        ("mma.row.row c, s, s; mma.commit;", [], False),
        ("x = mma.load s; mma.row.row c, x, s;", [S], False),
        ("x = mma.load.frag s; mma.row.row c, x, s;", [R], True),
    ],
)
def test_where_a_multiply_ends(steps: str, kinds: list[OperandKind], ends: bool) -> None:
    found = block(f"{DECLARE} parallel p by 1 : group-4 {{ c = mma.fill.f32 0.0f; {steps} mma.store c, out_s; }}")
    assert found.told == []
    assert list(found.model.loads.values()) == kinds
    assert found.model.ends_at_statement is ends


@pytest.mark.parametrize(
    ("steps", "dialect"),
    [
        ("tma.copy.async<e> lhs.subspan(64, 64).at(0, 0) => s; trigger e;", "classic"),
        ("tma.copy.async<e> lhs.subspan(64, 64).at(0, 0) => s; trigger e; mma.commit;", "classic"),
        ("f = tma.load.async lhs.subspan(64, 64).at(0, 0) => s; trigger e after f;", "current"),
        ("dma.copy lhs.subspan(64, 64).at(0, 0) => s; trigger e;", "course"),
        ("mma.commit;", "course"),
        ("c = mma.fill.f32 0.0f; x = mma.load s; mma.row.row c, x, s;", "course"),
        ("c = mma.fill.f32 0.0f; mma.row.row c, s, s;", "any"),
        ("wait e;", "any"),
    ],
)
def test_what_the_forms_vote_for(steps: str, dialect: str) -> None:
    text = f"{DECLARE} shared event e; parallel p by 1 : group-4 {{ {steps} }}"
    assert block(text).model.dialect == dialect


def test_the_example_of_the_chapter() -> None:
    """6.8: one warp per 16x16 tile on sm_80."""
    found = program(
        """__co__ void corr(global f16 [P, D] q, global f16 [S, D] k, global f32 [P, S] out) {
  parallel {i, j} by [cdiv(P, 32), cdiv(S, 32)] : block {
    shared f16 [32, 64] qs, ks;
    parallel {u, v} by [2, 2] : group {
      acc = mma.fill.f32 0.0f;
      foreach c in [cdiv(D, 64)] {
        dma.copy.zfill q.subspan(32, 64).at(i, c) => qs;
        dma.copy.zfill k.subspan(32, 64).at(j, c) => ks;
        foreach t in 4 {
          x = mma.load qs.subspan(16, 16).at(u, t);
          y = mma.load ks.subspan(16, 16).at(v, t);
          mma.row.row acc, x, y;
        }
      }
      mma.store acc, out.subspan(16, 16).at(i # u, j # v);
    }
  }
}""",
        "sm_80",
    )
    assert found.told == []
    assert found.kernel.threads == 128
    assert [info.unit for info in found.copies] == [Unit.BLOCK, Unit.BLOCK]
    (info,) = found.multiplies
    assert (info.instruction, info.unit, info.a, info.b) == ("wmma", Unit.GROUP, R, R)
