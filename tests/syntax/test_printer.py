"""The printer: canonical text comes back as it is; whatever is printed has the shape that was parsed."""

from __future__ import annotations

import pytest

from croqc.syntax import ast as a
from croqc.syntax import decls, exprs, operations, printer, printer_decls, printer_exprs, printer_ops
from croqc.syntax.parser import parse_file
from croqc.syntax.printer import print_expr, print_function, print_stmt
from croqc.syntax.visit import shape_of, walk
from croqc.text.span import NOWHERE

# Every statement here is spelled as the printer spells it, one node type or older form after the other.
STATEMENTS = [
    "x = 1;",
    "x = a + b * (c - 2) / d % 3;",
    "x = -7 + n - -1;",
    "x = n - -2.5f;",
    "x = -inf;",
    "x = !a && ! !b || ~n == 3;",
    "x = n & 3 ^ 1 | 4 << 2 >> 1;",
    "x = p # q # -1 #+ 2 #- 1 #* 3 #/ 4 #% 5;",
    "x = n > 4 ? n # 3 : m <= 2 ? #n : 0;",
    "x = |src.span| / 64 + |n| + |f16| * 8;",
    "x = src.span(0) + src.span(-1) + t(i)(1);",
    "x = [2, 3](0) + #n(0);",
    "x = {4, n, 2};",
    "x = t {(2), (0)};",
    "x = cdiv(n, 8) + __max(1.0f, 2.0f) + __alignup(n, 32);",
    'x = __to<bf16>(1.25f) + __to<"float*">(nullptr);',
    "x = stage<4>(n) + 1;",
    "x = &src.at(0, n);",
    "x = c++ + ++c - d-- - --d;",
    "x = src.view(4, 4 : 18, 1).from(0, 2);",
    "x = src.subspan(2, 2).step(4, 4).at(1, 0).sqz();",
    "x = f.data.span_as(|f.data.span|).at(n # b);",
    "x = acc[i][j].at(0);",
    "x = call f();",
    "x = call ns::mix<8, #b + 1, f32, ns::MODE>(dst, nullptr);",
    "x = select(n, a, b);",
    "x = 1, y += 2, z.at(0) -= 3, w *= 4, v /= 5, u %= 6;",
    "call tune(n, src.chunkat(b, _));",
    "__atomic_add(dst.at(0, b), 1.0f);",
    "__bar_sync(3, 128);",
    "int a, b = 2;",
    "shared mutable s32 prev = __atomic_cas(cnt.at(b), 0, 1);",
    "mutable q = 1, r = 2;",
    "bool flag{true};",
    "f32 [src.span(0), 5] rows, spare[3][2]{0.0f};",
    "local s32 [auto] best;",
    "mdspan<2> halves : edge / {2, 1};",
    "mdspan s : [4, n];",
    "edge : [src.span[(1), (0) * 2], 7];",
    "ituple<3> more = step * 2;",
    "ituple one = {1};",
    "shared event full[3], empty[3] = ready, done;",
    "local event<64> one;",
    "frag f32 [24, 8] part{0.0f}, other;",
    "frag.f16 sum2[2]{0.0f};",
    "frag sum3{0.0f};",
    "fragment f32 [24, 8] old;",
    "wait full[n], done, go.at(n + 1), f.data;",
    "wait<0> full[n];",
    "trigger go.at(n) after f, g;",
    "trigger.cluster go[1];",
    "sync.shared;",
    "sync.barrier : block;",
    "sync.fence : thread<shared>;",
    "swap(a, b);",
    "swap a, b;",
    "rotate(a, b, c);",
    "dma.copy src => dst;",
    "f = dma.copy.async.swiz<64>.zfill src.subspan(8, 16).at(b, n) => shared;",
    "z = dma.copy.async q => dst after q;",
    "dma.copy src => select(b % 2, x0, x1);",
    "tma.load.async.evict_last.swiz<128> src => buf[n % 2];",
    "tma.copy.multicast.promote<256> src.zfill => dst;",
    "t = dma.transp<1, 0>.async src => local;",
    "p = dma.pad<{2, 0}, {1, 1}, {0, 0}, -0.5f> src => shared;",
    "q = dma.copy.sp<2:4> src => local;",
    "q = dma.copy.sp(2:4) src => local;",
    "tma.copy.async<go[n % 3]>.swiz<32> src => ring;",
    "t = dma.copy.swizzle(128) src => shared;",
    "dma.copy_async src => dst;",
    "tma.store tile => dst;",
    "h = dma.any;",
    "win = src.map<local>(0, 128);",
    "win = src.remap<local>(128, 64);",
    "acc = mma.fill.f32 0.0f;",
    "acc = mma.fill -1.0f;",
    "mma.fill acc[1], 0.0f;",
    "la = mma.load.frag.swiz<64>.async tile.chunkat(_, n);",
    "mma.load tile, la;",
    "q = mma.desc tile;",
    "mma.row.col acc, la, lb;",
    "mma.row.row.sp acc, la, lb, meta;",
    "mma.row.row.scale acc, la, lb, sa.chunkat(n, _), 0.5f;",
    "[[schedule(k_tiles(1, 0, 2))]] mma.col.row acc[0], ra, tile2;",
    "done = mma.row.row.async acc, ta, tb;",
    "mma.row.row.order<1, 0> acc, ta, tb;",
    "mma.scale acc, sa, sb;",
    "mma.store.transp acc, dst;",
    "mma.store.mask acc[0], dst, n, 32;",
    "mma.commit;",
    "mma.wait<1>;",
    "reduce_max(rowmax, part, -1);",
    "all_reduce_sum(rowmax);",
    "copy(other, part);",
    'print!("shape ", src.span);',
    'println("n=" "?", n);',
    'assert(n > 0, "n must " "be positive");',
    '__cpp__(R"(int probe_ = 0;\n  x)" "\\n");',
    'asm volatile("mov %0, %1;" : "=r"(old) : [src0] "r"(n + 1) : "memory");',
    '__asm__("nop" : : :);',
    "setreg.dec 40;",
    "setreg 96;",
    "yield;",
    "return;",
    "return x + 1;",
    "parallel by 7 ;",
    "parallel p by n {}",
    "parallel.async<st> grid = {gx, gy} by [n, 3] : block, w by 4 : group-4 {}",
    "parallel(st) p by [4] : device(cpu) {}",
    "[[launch_bounds(_, 4)]] [[maxnreg(88)]] parallel by n : block<cooperative> {}",
    "parallel by 2 {\n    launch_bounds(128, 2);\n  }",
    "with {g, h} in [5, 8], t = {x, y} in src.span, z in 8 - n where z <-> h {}",
    "foreach k {}",
    "foreach c = k(1:), y(:-2), z(1:-1:3), w(:) : unroll(2), vectorize(z, 4) {}",
    "foreach i in 2, {a, b} in [3, n] : unroll {}",
    "foreach k(1: :2) ;",
    "foreach row in 6\n    foreach col in 4\n      x = row;",
    "if (a == 1) {\n    x = 1;\n  } else if (call busy()) {\n    x = 2;\n  } else {\n    x = 3;\n  }",
    "if (a)\n    x = 1;\n  else\n    x = 2;",
    "if (a) ;\n  else {}",
    "while (w > 0) {\n    w -= 1;\n    if (w == 4)\n      continue;\n    break;\n  }",
    "inthreads.async (p == 0) {}",
    "inthreads (p < 1) ;",
    "apply {i, j} in part.span\n    part.at(i, j) = __exp(part.at(i, j));",
]


def only_function(text: str) -> a.Function:
    parsed = parse_file(text)
    assert [d.message for d in parsed.findings] == []
    tree = parsed.functions[0].tree
    assert tree is not None
    return tree


@pytest.mark.parametrize("text", STATEMENTS)
def test_canonical_statements_come_back(text: str) -> None:
    source = f"__co__ void f() {{\n  {text}\n}}"
    tree = only_function(source)
    assert print_function(tree) == source
    (stmt,) = tree.body.stmts
    assert print_stmt(stmt, depth=1) == "  " + text


@pytest.mark.parametrize(
    "head",
    [
        "__co__ void f(global f16 [M, K] a, f32 [2 * 32, ?]& b, int, bool flip, stream st)",
        "__co__ auto f(f32 mdspan<2> m, global f16 [??, 8] tail)",
        "__co__ s32 [12] f()",
        "__co__ f64 f(f64&)",
    ],
)
def test_headers_come_back(head: str) -> None:
    assert print_function(only_function(head + " {}")) == head + " {}"


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("f32[ [4,8]]x;", "f32 [[4, 8]] x;"),
        ("wait(one);", "wait one;"),
        ("x=a#b;", "x = a # b;"),
        ("x + = 3;", "x += 3;"),
        ("if(a){x=1;}else if(b);", "if (a) {\n    x = 1;\n  } else if (b) ;"),
        ("dma.copy\n  src\n    .chunkat(0)\n  => dst;", "dma.copy src.chunkat(0) => dst;"),
        ("x = ((a));;", "x = ((a));"),
    ],
)
def test_other_spellings_become_canonical(text: str, printed: str) -> None:
    tree = only_function(f"__co__ void f() {{ {text} }}")
    assert print_function(tree) == f"__co__ void f() {{\n  {printed}\n}}"
    assert shape_of(only_function(print_function(tree))) == shape_of(tree)


def test_the_indent_is_the_callers() -> None:
    tree = only_function("__co__ void f() { if (a) { x = 1; } }")
    assert print_function(tree, indent=4) == "__co__ void f() {\n    if (a) {\n        x = 1;\n    }\n}"


NODES = {
    kind
    for module in (a, decls, exprs, operations)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, a.Node) and kind is not a.Node
}


def test_every_node_has_a_printer() -> None:
    printed = {
        *printer_exprs._TABLE,
        *printer_decls.DECLARATIONS,
        *printer_ops.OPERATIONS,
        *printer._HEADS,
        *printer._LINES,
    }
    # Parts, which the node that holds them prints.
    parts = {
        a.AsmOperand, a.AssignPart, a.Attribute, a.Axis, a.Binding, a.Block, a.BufferName, a.Dyn, a.EventName,
        a.Function, a.LoopHint, a.Modifier, a.PadConfig, a.Param, a.Range, a.ScalarInit, a.StorageDest,
        a.TransConfig, a.TypeRef,
    }  # fmt: skip
    assert parts.isdisjoint(printed)
    assert parts | printed == NODES


def test_the_canonical_statements_meet_every_node() -> None:
    met = {type(node) for text in STATEMENTS for node in walk(only_function(f"__co__ void f() {{ {text} }}"))}
    assert NODES - met == {a.Missing, a.ErrorStmt, a.Param, a.Dyn}


def test_what_recovery_inserted_prints_as_nothing() -> None:
    hole = a.Missing(NOWHERE)
    assert print_expr(a.Binary(NOWHERE, "+", hole, a.Name(NOWHERE, ""))) == " + "
    assert print_stmt(a.ErrorStmt(NOWHERE)) == ";"


def test_signs_that_would_join_stay_apart() -> None:
    one = a.IntLit(NOWHERE, 1, "1")
    name = a.Name(NOWHERE, "n")
    minus = a.Unary(NOWHERE, "-", one)
    assert print_expr(a.Unary(NOWHERE, "-", minus)) == "- -1"
    assert print_expr(a.Unary(NOWHERE, "-", a.IncDec(NOWHERE, "--", name, True))) == "- --n"
    assert print_expr(a.Unary(NOWHERE, "!", a.Unary(NOWHERE, "!", name))) == "! !n"
