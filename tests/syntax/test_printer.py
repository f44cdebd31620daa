"""The printer: canonical text comes back as it is; whatever is printed has the shape that was parsed."""

from __future__ import annotations

import pytest

from croqc.syntax import ast as a
from croqc.syntax import decls, exprs, operations, printer, printer_decls, printer_exprs, printer_ops
from croqc.syntax.parser import parse_file
from croqc.syntax.printer import print_expr, print_function, print_stmt
from croqc.syntax.visit import shape_of, walk
from croqc.text.span import NOWHERE
from tests.syntax.canonical import STATEMENTS


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
