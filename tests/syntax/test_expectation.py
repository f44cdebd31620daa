"""The expectation language: trees worked out by hand, complaints with their columns, any text at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croqc.syntax import expectation as e
from croqc.text.diagnostics import Diagnostic


def shape(node: object) -> object:
    """The tree without spans, functions and operators as heads of tuples."""
    match node:
        case e.Number():
            return node.value
        case e.Ref():
            return node.name
        case e.Negate():
            return ("-", shape(node.operand))
        case e.Transpose():
            return (".T", shape(node.operand))
        case e.Binary() | e.Compare() | e.Expectation():
            return (node.op, shape(node.left), shape(node.right))
        case e.Subscript():
            return ("[]", shape(node.operand), *map(shape, node.items))
        case e.Slice():
            return (":", *map(shape, (node.lower, node.upper, node.step)))
        case e.Cast():
            return ("cast", node.elem, shape(node.operand))
        case e.Apply():
            axis = () if node.axis is None else (("axis", node.axis),)
            return (node.name, *map(shape, node.args), *axis)
    return node


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("out ~= lhs @ rhs.T", ("~=", "out", ("@", "lhs", (".T", "rhs")))),
        ("a ~= b + c * d - e", ("~=", "a", ("-", ("+", "b", ("*", "c", "d")), "e"))),
        ("a == b / c @ d", ("==", "a", ("@", ("/", "b", "c"), "d"))),
        ("a == -b.T * 2", ("==", "a", ("*", ("-", (".T", "b")), 2))),
        ("a == (b + c) * 1.5e-3", ("==", "a", ("*", ("+", "b", "c"), 0.0015))),
        ("a != - -1", ("!=", "a", ("-", ("-", 1)))),
        ("a[0:4, :, -1] <= 3.", ("<=", ("[]", "a", (":", 0, 4, None), (":", None, None, None), ("-", 1)), 3.0)),
        ("a[::2][1] >= .5", (">=", ("[]", ("[]", "a", (":", None, None, 2)), 1), 0.5)),
        ("a.T.T > sum(b, axis=-1)", (">", (".T", (".T", "a")), ("sum", "b", ("axis", -1)))),
        (
            "y ~= where(x < 0, relu(x), cast(x, half))",
            ("~=", "y", ("where", ("<", "x", 0), ("relu", "x"), ("cast", "f16", "x"))),
        ),
        ("y < max(a, b) + max(a)", ("<", "y", ("+", ("max", "a", "b"), ("max", "a")))),
        ("y ~= softmax(x @ w, axis=1)", ("~=", "y", ("softmax", ("@", "x", "w"), ("axis", 1)))),
        ("T ~= sum.T", ("~=", "T", (".T", "sum"))),
        ("y == cast(n, int)", ("==", "y", ("cast", "int", "n"))),
    ],
)
def test_trees(text: str, tree: object) -> None:
    assert shape(e.parse_expectation(text)) == tree


@pytest.mark.parametrize(
    ("text", "start", "end", "message", "hint"),
    [
        ("", 0, 0, "expected a value at the end", ""),
        ("y", 1, 1, "expected a comparison at the end", "write 'result ~= expression'"),
        ("y  ", 1, 1, "expected a comparison at the end", "write 'result ~= expression'"),
        ("y ~=", 4, 4, "expected a value at the end", ""),
        ("y = x", 2, 3, "expected a comparison before '='", "write 'result ~= expression'"),
        ("y ~= a ** b", 8, 9, "expected a value before '*'", ""),
        ("y ~= a b", 7, 8, "expected an operator or the end before 'b'", ""),
        ("y ~= (a", 7, 7, "expected ')' at the end", ""),
        ("y ~= a[1", 8, 8, "expected ']' at the end", ""),
        ("a < b < c", 6, 7, "expected an operator or the end before '<'", ""),
        ("y ~= x.shape", 6, 7, "'.' has no meaning here", "only '.T' may follow a dot"),
        ("y ~= x $ 2", 7, 8, "'$' has no meaning here", ""),
        ("y ~= __import__('os')", 16, 17, '"\'" has no meaning here', ""),
        ("y ~= relux(x)", 5, 10, "unknown function 'relux'", "did you mean 'relu'?"),
        ("y ~= exp(x, 2)", 5, 14, "'exp' takes 1 argument, not 2", ""),
        ("y ~= where(a, b)", 5, 16, "'where' takes 3 arguments, not 2", ""),
        ("y ~= max(a, b, c)", 5, 17, "'max' takes 1 or 2 arguments, not 3", ""),
        ("y ~= sum(x, axis=0.5)", 12, 20, "an axis is one integer, given once", ""),
        ("y ~= sum(x, axis=0, axis=1)", 12, 18, "an axis is one integer, given once", ""),
        ("y ~= exp(x, axis=1)", 12, 18, "'exp' takes no 'axis=' here", ""),
        ("y ~= max(a, b, axis=1)", 15, 21, "'max' takes no 'axis=' here", ""),
        ("y ~= sum(x, dim=1)", 12, 17, "'sum' takes no 'dim=' here", ""),
        ("y ~= cast(x, q8)", 13, 15, "the second argument of 'cast' is an element type", "as in 'cast(x, f32)'"),
        ("1 == (a ~= b)", 6, 12, "'~=' compares the two sides of an expectation, not values inside one", ""),
        ("y == 9223372036854775808", 5, 24, "the number is too large", ""),
    ],
)
def test_complaints(text: str, start: int, end: int, message: str, hint: str) -> None:
    found = e.parse_expectation(text)
    assert isinstance(found, tuple)
    assert [(d.span.start, d.span.end, d.message, d.hint) for d in found] == [(start, end, message, hint)]
    assert found[0].code == "run-directive"


def test_each_fault_is_told() -> None:
    found = e.parse_expectation("y ~= foo(x) + exp(x, 2)")
    assert isinstance(found, tuple)
    assert [d.span.start for d in found] == [5, 14]


@pytest.mark.parametrize("text", ["y ~= " + "-" * 300 + "1", "y ~= " + "exp(" * 200 + "1" + ")" * 200, "y" * 2001])
def test_limits(text: str) -> None:
    found = e.parse_expectation(text)
    assert isinstance(found, tuple)
    assert "at most" in found[0].message


def test_the_largest_number_that_fits() -> None:
    assert shape(e.parse_expectation("y == 9223372036854775807")) == ("==", "y", 2**63 - 1)


def test_spans_point_at_the_text() -> None:
    text = "out ~= sum(a[0:2], axis=0) * (b)"
    tree = e.parse_expectation(text)
    assert isinstance(tree, e.Expectation)
    assert [text[r.span.start : r.span.end] for r in e.names_in(tree)] == ["out", "a", "b"]
    product = tree.right
    assert isinstance(product, e.Binary)
    assert text[product.left.span.start : product.left.span.end] == "sum(a[0:2], axis=0)"


def test_a_formula_is_one_value() -> None:
    assert shape(e.parse_formula("x * sigmoid(1.702 * x)")) == ("*", "x", ("sigmoid", ("*", 1.702, "x")))
    assert shape(e.parse_formula("x < y")) == ("<", "x", "y")
    found = e.parse_formula("x ~= y")
    assert isinstance(found, tuple)
    assert found[0].message.startswith("'~='")


_PARTS = st.sampled_from(
    ["a", "out", "1", "2.5", "~=", "==", "<", "+", "-", "*", "/", "@", ".T", "[", "]", "(", ")", ",", ":", "=", "sum",
     "where", "axis", " ", "$", "é", ".", "cast", "f16"]
)  # fmt: skip


@given(st.one_of(st.lists(_PARTS, max_size=30).map("".join), st.text(max_size=40)))
def test_any_text_gives_a_tree_or_complaints_inside_it(text: str) -> None:
    found = e.parse_expectation(text)
    if isinstance(found, e.Expectation):
        assert all(text[r.span.start : r.span.end] == r.name for r in e.names_in(found))
    else:
        assert found
        assert all(isinstance(d, Diagnostic) and 0 <= d.span.start <= d.span.end <= len(text) for d in found)
