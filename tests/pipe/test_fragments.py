"""Where elements of register tiles lie and whose they are, worked out from the layouts of the reference, 6.5."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Cast, Expr, Fn, Held, Lit, Op, Var
from croqc.pipe.held import held_in, named_in
from croqc.pipe.walk import statements
from croqc.service.check import check_text
from croqc.text.span import NOWHERE
from tests.pipe.lowering import after, only, stages_of

GROUP4 = """__co__ void f(global f16 [64, 64] a, global f32 [64] x, global f32 [64, 64] out) {{
  parallel p by 1 : block {{
    shared f16 [64, 64] a_s;
    shared f32 [64, 64] turned;
    dma.copy a => a_s;
    parallel w by 1 : group-4 {{
      c = mma.fill.f32 0.0f;
      mma.row.row c, a_s, a_s;
      frag f32 [64] v, u;
      {body}
      mma.store c, out;
    }}
  }}
}}
"""
GROUP = """__co__ void f(global f16 [32, 16] a, global f16 [8, 16] b, global f32 [32, 8] out) {{
  parallel p by 1 : block {{
    parallel w by 1 : group {{
      c = mma.fill.f32 0.0f;
      x = mma.load a;
      y = mma.load b;
      mma.row.row c, x, y;
      frag f32 [32] rows {{1.0f}};
      frag f32 [8] columns {{1.0f}};
      {body}
      mma.store c, out;
    }}
  }}
}}
"""


def spread(kernel: ir.Kernel) -> dict[str, ir.Spread | None]:
    return {tile.name: tile.spread for tile in kernel.accumulators}


def number(expr: Expr | None, r: int) -> int:
    """The value of a register's number for the visitor's element `r`."""
    match expr:
        case Lit(value=int() as value):
            return value
        case Var():
            return r
        case Op(op="/", args=(a, b)):
            return number(a, r) // number(b, r)
        case Op(op="%", args=(a, b)):
            return number(a, r) % number(b, r)
        case Op(op="*", args=(a, b)):
            return number(a, r) * number(b, r)
        case Op(op="+", args=(a, b)):
            return number(a, r) + number(b, r)
    raise AssertionError(expr)


def elements(kernel: ir.Kernel) -> dict[str, Held]:
    """One element of each tile that visits use."""
    return {element.name: element for stmt in statements(kernel.body) for element in held_in(stmt)}


# --- where vectors lie -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "v", "u"),
    [
        ("reduce_max(v, c, 1);", "rows", "rows"),
        ("apply {i, j} in c.span { c.at(i, j) += v.at(i) * u.at(j); }", "rows", "columns"),
        ("copy(v, u); apply {i, j} in c.span { c.at(i, j) += u.at(j); }", "columns", "columns"),
        ("apply {i, j} in c.span { c.at(i, j) += u.at(j); } copy(v, u);", "columns", "columns"),
        ("mma.fill v, 1.0f;", "rows", "rows"),
    ],
)
def test_a_vector_lies_as_it_is_used(body: str, v: str, u: str) -> None:
    found = spread(after("fragments", GROUP4.format(body=body), {}))
    assert found == {"c": ir.Spread.TILE, "v": ir.Spread(v), "u": ir.Spread(u)}


def test_how_much_each_thread_holds() -> None:
    body = "apply {i, j} in c.span { c.at(i, j) *= rows.at(i) + columns.at(j); }"
    kernel = after("fragments", GROUP.format(body=body), {})
    assert {tile.name: tile.owned for tile in kernel.accumulators} == {"c": 8, "rows": 4, "columns": 2}


@pytest.mark.parametrize("lane", range(32))
def test_the_own_element_of_a_warps_vectors_is_that_of_the_place(lane: int) -> None:
    """Element r of a 32 x 8 tile: two blocks of 16 x 8 as 6.5 has them."""
    body = "apply {i, j} in c.span { c.at(i, j) *= rows.at(i) + columns.at(j); }"
    found = elements(after("fragments", GROUP.format(body=body), {}))
    for r in range(8):
        row, column = r // 4 * 16 + lane // 4 + r // 2 % 2 * 8, 2 * (lane % 4) + r % 2
        own_rows = [block * 16 + lane // 4 + half * 8 for block in range(2) for half in range(2)]
        own_columns = [2 * (lane % 4), 2 * (lane % 4) + 1]
        assert number(found["c"].register, r) == r
        assert own_rows[number(found["rows"].register, r)] == row
        assert own_columns[number(found["columns"].register, r)] == column


@pytest.mark.parametrize("thread", range(0, 128, 7))
def test_the_own_element_of_a_warpgroups_vectors_is_that_of_the_place(thread: int) -> None:
    body = "apply {i, j} in c.span { c.at(i, j) += v.at(i) * u.at(j); }"
    found = elements(after("fragments", GROUP4.format(body=body), {}))
    warp, lane = divmod(thread, 32)
    for r in range(32):
        row, column = 16 * warp + lane // 4 + 8 * (r // 2 % 2), 8 * (r // 4) + 2 * (lane % 4) + r % 2
        own_rows = [16 * warp + lane // 4 + 8 * half for half in range(2)]
        own_columns = [8 * block + 2 * (lane % 4) + side for block in range(8) for side in range(2)]
        assert own_rows[number(found["v"].register, r)] == row
        assert own_columns[number(found["u"].register, r)] == column


# --- effects and barriers ----------------------------------------------------------------------


def test_one_holder_of_an_element_writes_it_to_memory() -> None:
    thread, along = Var("threadIdx.x"), "apply {i, j} in c.span { c.at(i, j) += v.at(j); }"
    written = "apply {i} in v.span { x.at(i) = v.at(i); }"
    for body, test in (
        (written, Op("==", (Op("%", (thread, Lit(4))), Lit(0)), "bool")),
        (along + written, Op("<", (Op("%", (thread, Lit(128))), Lit(4)), "bool")),
    ):
        (guard,) = only(after("fragments", GROUP4.format(body=body), {}), ir.If)
        assert guard.cond == test
        assert isinstance(guard.then[0], ir.Write)
    of_tile = GROUP4.format(body="apply {i, j} in c.span { out.at(i, j) = c.at(i, j); }")
    assert only(after("fragments", of_tile, {}), ir.If) == []


def syncs(body: str) -> list[str]:
    """What the threads of the warpgroup do behind their multiply."""
    kernel = after("barriers", GROUP4.format(body=body), {})
    names = [type(stmt).__name__ for stmt in statements(kernel.body)]
    return [name for name in names[names.index("Multiply") :] if name in ("Sync", "Visit")]


def test_threads_meet_around_what_some_write_and_others_read() -> None:
    written = "apply {i, j} in c.span { turned.at(j, i) = c.at(i, j); }"
    read = "apply {i, j} in c.span { c.at(i, j) = turned.at(i, j); }"
    assert syncs(written + read) == ["Sync", "Visit", "Sync", "Visit"]
    assert syncs("apply {i, j} in c.span { c.at(i, j) *= x.at(i); }") == ["Visit"]
    assert syncs("apply {i, j} in c.span { out.at(i, j) = c.at(i, j); }") == ["Visit"]


def test_ordinary_code_stays_behind_multiplies_until_the_next_ones() -> None:
    body = "reduce_sum(v, c, 1); apply {i, j} in c.span { c.at(i, j) -= v.at(i); } mma.row.row c, a_s, a_s; c *= 2.0f;"
    kernel = after("commits", GROUP4.format(body=body), {})
    kinds = [type(stmt).__name__ for stmt in statements(kernel.body)]
    order = [kind for kind in kinds if kind in ("Multiply", "Commit", "Settle", "Reduce", "Visit")]
    once = ["Multiply", "Commit", "Settle"]
    assert order == [*once, "Reduce", "Visit", *once, "Visit"]


def test_a_jump_inside_an_apply_may_leave_a_loop_of_its_own() -> None:
    body = "apply {i} in v.span { foreach k in 4 { if (k == i) { break; } v.at(i) = v.at(i) + 1.0f; } }"
    assert list(elements(after("memory", GROUP4.format(body=body), {}))) == ["v"]


def test_multiplies_into_an_operand_in_registers_end_in_front_of_its_use() -> None:
    body = "frag f16 [64, 64] h {0.0f}; mma.row.row h, a_s, a_s; mma.row.row c, h, a_s; mma.commit;"
    kernel = after("commits", GROUP4.format(body=body), {})
    order = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Multiply | ir.Commit)]
    told = [stmt.acc.name if isinstance(stmt, ir.Multiply) else "end" for stmt in order]
    assert told == ["c", "h", "end", "c", "end"]


# --- refusals ----------------------------------------------------------------------------------

OPERAND = "y = mma.load.frag a_s; mma.row.row c, y, a_s;"
REFUSED = [
    ("apply {i, j} in c.span { «c.at(i, j) = c.at(j, i);» }", "may be in the registers of another thread"),
    ("apply {i, j} in c.span { «v.at(i) += c.at(i, j);» }", "use 'reduce_sum(v, c, 1)', or an 'apply' over 'v'"),
    ("x.at(0) = «c.at(0, 0)»;", "read and write it in 'apply {i, j} in c.span'"),
    ("apply {i} in v.span { apply {j} in u.span { u.at(j) = 0.0f; } }", "an 'apply' inside another one"),
    (
        "mutable f32 s = 0.0f; apply {i, j} in c.span { «s += c.at(i, j);» }",
        "'s' would get the elements of each thread",
    ),
    ("foreach k in 4 { apply {i, j} in c.span { if (j == k) { «break;» } } }", "compute the element under an 'if'"),
    ("foreach k in 4 { apply {i, j} in c.span { if (j == k) { «continue;» } } }", "none can continue the loop around"),
    ("apply {i, j} in c.span { dma.copy a => a_s; }", "an 'apply' computes elements one by one"),
    ("frag f32 [48] z; «reduce_sum(z, c, 1);»", "'z' of 48 does not spread over a group-4: use 64 rows"),
    ("frag f32 [64, 64] w; «reduce_sum(w, c, 1);»", "declare 'frag f32 [64] …' for them"),
    ("frag f32 [64, 12] w; apply {i, j} in w.span { w.at(i, j) = 0.0f; }", "and a multiple of 8 columns"),
    ("frag f32 [2, 4, 8] w;", "'w' has 3 dimensions: a register tile has one or two"),
    ("frag f32 [64, 32] w; c = c + w;", "may be in the registers of another thread"),
    ("c = c * v;", "'v' has another shape than what is computed here: write the elements in an 'apply'"),
    ("c = 1.0f;", "write 'mma.fill c, …' for one value in all elements"),
    ("frag f32 [64, 64] w; w = c;", "write 'copy(w, c)' for the elements"),
    ("apply {i} in v.span { x.at(i) = v.at(i); f32 old = x.at(i); v.at(i) = old; }", "read it in another one"),
    ("mma.store v, turned;", "'v' is a vector: store its elements in an 'apply'"),
    (OPERAND + " apply {i, j} in y.span { y.at(i, j) = 0.0f; }", "change them in memory, in front of mma.load"),
    ("apply {i, j} in turned.span { turned.at(i, j) = 0.0f; }", "'turned' is memory"),
    ("g = mma.fill.f32 0.0f; copy(g, c);", "declare it with one, as 'frag f32 [64, 64] g'"),
]


@pytest.mark.parametrize(("body", "words"), REFUSED)
def test_what_is_refused_says_what_to_write(body: str, words: str) -> None:
    place = body.partition("«")[2].partition("»")[0]
    text = GROUP4.format(body=body.replace("«", "").replace("»", ""))
    report = check_text(text)
    with pytest.raises(LoweringError) as error:
        list(stages_of(report, {}))
    assert words in error.value.message
    at = error.value.span.shift(report.functions[0].base)
    assert text[at.start : at.end] in (place, place.removesuffix(";")) or not place


def test_a_tile_belongs_to_a_unit() -> None:
    text = "__co__ void f(global f32 [64] x) { parallel p by 1 : block, t by 96 : thread { frag f32 [64] v {0.0f}; } }"
    with pytest.raises(LoweringError) as error:
        after("build", text, {})
    assert error.value.message == "a register tile belongs to a group or a group-4: declare it inside one"


# --- what bodies name --------------------------------------------------------------------------


def test_names_that_a_body_uses() -> None:
    place = Held("c", "f32", Var("slot"), (Var("i"), Var("j")), Var("r"))
    value = Fn("__exp", (Cast(Var("j"), "f32"),), "f32")
    assert named_in((ir.Put(NOWHERE, place, value),)) == {"slot", "r", "j"}
