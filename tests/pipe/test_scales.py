"""Scaled multiplies: which tile each goes into, when it is cleared, when it joins the accumulator (reference, 6.7)."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit
from croqc.pipe.held import held_in
from croqc.pipe.walk import statements
from croqc.service.check import check_text
from tests.pipe.lowering import after, only, stages_of

TEXT = """__co__ void f(global f16 [64, 64] a, global f32 [64, 2] s, global f32 [64, 64] out, s32 N) {{
  parallel p by 1 : block {{
    shared f16 [64, 64] a_s;
    shared f32 [64, 1] rows;
    dma.copy a => a_s;
    dma.copy s.subspan(64, 1).at(0, 0) => rows;
    parallel w by 1 : group-4 {{
      {body}
      mma.store c, out;
    }}
  }}
}}
"""
FILL = "c = mma.fill.{elem} 1.0f; "
MULTIPLY, SCALE, FORM = (
    "mma.row.row c, a_s, a_s; ",
    "mma.scale c, rows, 0.5f; ",
    "mma.row.row.scale c, a_s, a_s, rows, 0.5f; ",
)
VISIT = "apply {i, j} in c.span { c.at(i, j) = 1.0f - c.at(i, j); } "


def told(body: str, elem: str = "f32") -> list[str]:
    """What happens to the tiles, in order: `fill c`, `multiply c_unscaled`, `store c`, loops in brackets."""
    kernel = after("scales", TEXT.format(body=FILL.format(elem=elem) + body), {})
    (inner,) = (
        stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Scope) and only(kernel, ir.Fill)[0] in stmt.body
    )
    return list(_told(inner.body))


def _told(body: tuple[ir.Stmt, ...]) -> list[str]:
    found: list[str] = []
    for stmt in body:
        match stmt:
            case ir.Fill():
                found.append(f"{'declare' if stmt.declares else 'clear'} {stmt.acc.name}")
            case ir.Multiply():
                found.append(f"multiply {stmt.acc.name}")
            case ir.Visit():
                names = dict.fromkeys(each.name for inner in statements(stmt.body) for each in held_in(inner))
                found.append(" += ".join(names) if len(names) > 1 else f"visit {stmt.acc.name}")
            case ir.StoreTile():
                found.append(f"store {stmt.acc.name}")
            case ir.If():
                found += ["?", *_told(stmt.then), "?"]
            case ir.Jump():
                found.append(stmt.word)
            case ir.Loop():
                found += ["[", *_told(stmt.body), "]"]
    return found


JOINED = ["c += c_unscaled", "clear c_unscaled"]
ONCE = ["clear c_unscaled", "multiply c_unscaled", "c += c_unscaled"]
SUMS = ["declare c", "declare c_unscaled"]


@pytest.mark.parametrize(
    ("body", "want"),
    [
        (
            FORM,
            [
                "declare c",
                "declare c_unscaled_one",
                "clear c_unscaled_one",
                "multiply c_unscaled_one",
                "c += c_unscaled_one",
                "store c",
            ],
        ),
        (
            MULTIPLY + MULTIPLY + SCALE,
            [*SUMS, "clear c_unscaled", *2 * ["multiply c_unscaled"], "c += c_unscaled", "store c"],
        ),
        (
            MULTIPLY + SCALE + MULTIPLY,
            [*SUMS, *2 * ["clear c_unscaled", "multiply c_unscaled", "c += c_unscaled"], "store c"],
        ),
        (
            f"foreach k in N {{ {MULTIPLY} {SCALE} }}",
            [*SUMS, "[", "clear c_unscaled", "multiply c_unscaled", "c += c_unscaled", "]", "store c"],
        ),
        (  # the first multiply of a turn may be the first one at all
            f"foreach k in N {{ {MULTIPLY} }} {SCALE}",
            [*SUMS, "[", "multiply c_unscaled", "]", "c += c_unscaled", "clear c_unscaled", "store c"],
        ),
        (
            f"{MULTIPLY} if (N > 3) {{ {SCALE} }}",
            [*SUMS, "clear c_unscaled", "multiply c_unscaled", "?", *JOINED, "?", *JOINED, "store c"],
        ),
        (
            f"{MULTIPLY} mma.fill c, 2.0f; {MULTIPLY} {SCALE}",
            [
                *SUMS,
                *["clear c_unscaled", "multiply c_unscaled", "clear c"],
                "clear c_unscaled",
                "multiply c_unscaled",
                "c += c_unscaled",
                "store c",
            ],
        ),
        # what a visit has joined joins no second time
        (MULTIPLY + VISIT + SCALE, [*SUMS, *ONCE, "visit c", "store c"]),
        (MULTIPLY + VISIT + VISIT + SCALE, [*SUMS, *ONCE, "visit c", "visit c", "store c"]),
        (MULTIPLY + VISIT + MULTIPLY + SCALE, [*SUMS, *ONCE, "visit c", *ONCE, "store c"]),
        (
            f"foreach k in N {{ {MULTIPLY} {VISIT} }} {SCALE}",
            [*SUMS, "[", *ONCE, "visit c", "]", "store c"],
        ),
        # what waits at a jump waits where the jump goes
        (
            f"foreach k in N {{ {MULTIPLY} if (k == 2) {{ break; }} {SCALE} }}",
            [*SUMS, "[", *ONCE[:2], "?", "break", "?", *JOINED, "]", *JOINED, "store c"],
        ),
        (
            f"foreach k in N {{ {MULTIPLY} if (k == 2) {{ continue; }} {SCALE} }}",
            [*SUMS, "[", "multiply c_unscaled", "?", "continue", "?", *JOINED, "]", *JOINED, "store c"],
        ),
        (
            f"foreach k in N {{ if (k == 2) {{ {MULTIPLY} break; }} {MULTIPLY} {SCALE} }}",
            [*SUMS, "[", "?", *ONCE[:2], "break", "?", *ONCE[:2], *JOINED, "]", *JOINED, "store c"],
        ),
        (  # an inner loop's jump stays inside the outer one
            f"foreach k in N {{ foreach l in N {{ {MULTIPLY} if (l == 2) {{ break; }} {SCALE} }} {SCALE} }}",
            [*SUMS, "[", "[", *ONCE[:2], "?", "break", "?", *JOINED, "]", *JOINED, "]", "store c"],
        ),
        (  # a path that leaves the kernel joins nothing
            f"foreach k in N {{ {MULTIPLY} if (k == 2) {{ yield; }} {SCALE} }}",
            [*SUMS, "[", *ONCE[:2], "?", "return", "?", "c += c_unscaled", "]", "store c"],
        ),
    ],
)
def test_the_tiles_of_scaled_multiplies(body: str, want: list[str]) -> None:
    assert told(body) == want


def test_a_tile_that_nothing_scales_stays_as_it_is() -> None:
    assert told(MULTIPLY) == ["declare c", "multiply c", "store c"]


def test_sums_of_sixteen_bit_accumulators_are_wide() -> None:
    kernel = after("scales", TEXT.format(body=FILL.format(elem="f16") + MULTIPLY + SCALE + FORM), {})
    assert [(tile.name, tile.elem) for tile in kernel.accumulators] == [
        ("c", "f16"),
        ("c_unscaled", "f32"),
        ("c_unscaled_one", "f32"),
    ]


def test_wgmma_overwrites_what_is_cleared_in_front_of_it() -> None:
    kernel = after("overwrite", TEXT.format(body=FILL.format(elem="f32") + MULTIPLY + MULTIPLY + SCALE), {})
    assert [stmt.adds for stmt in only(kernel, ir.Multiply)] == [Lit(False, "bool"), None]
    other = after("overwrite", TEXT.format(body=FILL.format(elem="f32") + MULTIPLY + SCALE), {}, "sm_80")
    assert [stmt.adds for stmt in only(other, ir.Multiply)] == [None]
    assert len([stmt for stmt in only(other, ir.Fill) if not stmt.declares]) == 1


def test_rows_that_may_not_exist_are_not_read() -> None:
    text = TEXT.format(body=FILL.format(elem="f32") + MULTIPLY + "mma.scale c, s.subspan(64, 1).at(0, 1), 2.0f; ")
    text = (
        text.replace("[64, 2] s", "[N, 2] s")
        .replace(", s32 N)", ")")
        .replace("s.subspan(64, 1).at(0, 0) => rows", "s.subspan(64, 1).at(0, 0) => rows")
    )
    (guard,) = only(after("scales", text, {"N": 60}), ir.If)
    assert isinstance(guard.then[0], ir.Put)


def test_one_element_is_no_scale_of_rows() -> None:
    text = TEXT.format(body=FILL.format(elem="f32") + "mma.row.row.scale c, a_s, a_s, s.at(0, 1), 2.0f; ")
    report = check_text(text)
    with pytest.raises(LoweringError) as error:
        list(stages_of(report, {}))
    at = error.value.span.shift(report.functions[0].base)
    assert (text[at.start : at.end], error.value.message.partition(":")[0]) == (
        "s.at(0, 1)",
        "this scale is one element",
    )
