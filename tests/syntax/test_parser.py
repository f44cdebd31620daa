"""parse_file: whole files, spans, reuse of functions, macros; the two kernels of the course."""

import pytest

from croqc.syntax import ast as t
from croqc.syntax.parser import parse_file
from croqc.syntax.visit import children, shape_of, walk
from tests.syntax.parsing import DATA, HEAD, parse, tree_of

SIZES = {"STAGES": "4", "WARP_M": "64", "WARP_N": "128", "TILE_K": "64", "WARP_K": "16"}
DEFINES = {f"MATMUL_{name}": value for name, value in SIZES.items()}
TWO = "__co__ void a(s32 n) { x = n; }\nint host;\n__co__ void b(s32 n) { y = n @ 1; z = (n; }\n"


@pytest.mark.parametrize(("name", "statements"), [("seed_swap.co", 18), ("seed_pipeline.co", 28)])
def test_the_kernels_of_the_course_parse(name: str, statements: int) -> None:
    tree = parse_file((DATA / name).read_text(encoding="utf-8"), DEFINES)
    assert tree.findings == ()
    (function,) = tree.functions
    assert function.tree is not None and function.tree.name.id == "matmul"
    assert sum(isinstance(node, t.Stmt) for node in walk(function.tree)) == statements


def test_findings_are_absolute_and_sorted() -> None:
    found = parse_file(TWO).findings
    assert [TWO[item.span.start :][:1] for item in found] == ["@", ";"]
    first, second = parse_file(TWO).functions
    assert first.findings == ()
    assert [item.span.start + second.source.base for item in second.findings] == [item.span.start for item in found]


def test_an_unchanged_function_is_not_parsed_again() -> None:
    before = parse_file(TWO)
    after = parse_file("// moved\n" + TWO.replace("x = n", "x = n + 1"), previous=before)
    assert after.functions[1].tree is before.functions[1].tree
    assert after.functions[1].findings is before.functions[1].findings
    assert after.functions[0].tree is not before.functions[0].tree
    assert after.functions[1].source.base == before.functions[1].source.base + len("// moved\n") + len(" + 1")
    assert [item.span.start for item in after.findings] == [item.span.start + 13 for item in before.findings]


def test_a_changed_macro_parses_again() -> None:
    text = "#define N 4\n__co__ void a() { x = N; }\n"
    before = parse_file(text)
    after = parse_file(text.replace("4", "8"), previous=before)
    values = [
        node.value for file in (before, after) for f in file.functions if f.tree
        for node in walk(f.tree) if isinstance(node, t.IntLit)
    ]  # fmt: skip
    assert values == [4, 8]


def test_equal_functions_of_one_file_share_a_tree() -> None:
    one, other = parse_file("__co__ void a() { x = 1; }\n__co__ void a() { x = 1; }\n").functions
    assert one.tree is other.tree and one.source.base != other.source.base


def test_same_input_same_result() -> None:
    one, other = parse_file(TWO), parse_file(TWO)
    assert one.findings == other.findings
    assert [shape_of(f.tree) for f in one.functions] == [shape_of(f.tree) for f in other.functions]


def test_names_of_macros_know_them() -> None:
    text = "#define TILE 16\n#define VAR k\n__co__ void a() { x = VAR + TILE; }\n"
    tree = parse_file(text).functions[0].tree
    assert tree is not None
    base = text.index("__co__")
    named = {node.id: node for node in walk(tree) if isinstance(node, t.Name)}
    assert named["k"].macro == "VAR" and named["x"].macro is None
    assert text[named["k"].span.start + base : named["k"].span.end + base] == "VAR"
    (number,) = [node for node in walk(tree) if isinstance(node, t.IntLit)]
    assert number.macro == "TILE" and number.value == 16


@pytest.mark.parametrize("name", ["seed_swap.co", "recovery.co"])
def test_children_lie_inside_their_parents_in_order(name: str) -> None:
    text = (DATA / name).read_text(encoding="utf-8")
    tree = parse_file(text).functions[0].tree
    assert tree is not None and text[tree.span.start : tree.span.end].startswith("__co__")
    assert text[: tree.span.end].endswith("}")
    for node in walk(tree):
        inside = list(children(node))
        assert all(node.span.start <= child.span.start and child.span.end <= node.span.end for child in inside)
        assert all(child.span.length > 0 for child in inside if not isinstance(child, t.Missing))


def test_statements_include_their_semicolon() -> None:
    text = "x = 1; dma.copy a => b; if (n > 0) y = 2;"
    stmts = tree_of(text).body.stmts
    spans = [text[stmt.span.start - len(HEAD) : stmt.span.end - len(HEAD)] for stmt in stmts]
    assert spans == ["x = 1;", "dma.copy a => b;", "if (n > 0) y = 2;"]


def test_spans_of_parts() -> None:
    text = "x = a.subspan(4, n).at(1, 0);"
    tree = tree_of(text)
    members = [node for node in walk(tree) if isinstance(node, t.Member)]
    cut = [text[m.span.start - len(HEAD) : m.span.end - len(HEAD)] for m in members]
    assert cut == [".subspan(4, n)", ".at(1, 0)"]
    assert [text[m.name_span.start - len(HEAD) : m.name_span.end - len(HEAD)] for m in members] == ["subspan", "at"]


@pytest.mark.parametrize(
    "text", ["", "int main() {}", "__co__", "__co__ ", "__co__ void", "__co__ {", "}{", "__co__ }"]
)
def test_odd_files(text: str) -> None:
    tree = parse_file(text)
    assert tree.text == text
    assert len(tree.functions) <= 1


def test_a_long_function_takes_linear_time() -> None:
    """Lists grow in place: ten times the statements cost no hundred times the work (and no recursion)."""
    body = "x = n + 1;\n" * 3000
    tree = parse_file(f"__co__ void f(s32 n) {{\n{body}}}\n").functions[0].tree
    assert tree is not None and len(tree.body.stmts) == 3000


DEPTH = 3000


@pytest.mark.parametrize(
    "snippet",
    [
        f"x = {'(' * DEPTH}n{')' * DEPTH};",
        f"x = {'1 + ' * DEPTH}n;",
        f"x = {'!' * DEPTH}n;",
        f"x = {'n ? 1 : ' * DEPTH}n;",
        f"foreach i in {'1 + ' * DEPTH}n {{ }}",
        f"wait {'(' * DEPTH}e{')' * DEPTH};",
        f"{'if (n > 0) ' * DEPTH} x = 1;",
        f"__co__ void f(f32 [{'2 * ' * DEPTH}2] v) {{ }}",
        f"__co__ void f(f32 [{'(' * DEPTH}2{')' * DEPTH}] v) {{ }}",
        f"x = a{'[0]' * DEPTH};",
        f"s : {'[' * DEPTH}1{']' * DEPTH};",
    ],
)
def test_deep_nesting_does_not_recurse(snippet: str) -> None:
    assert parse(snippet).findings == ()


@pytest.mark.parametrize("opening", ["(", "[", "{", "if (", "foreach i in 2 {", "call f(", "|", "a ? ", "!"])
def test_deep_nesting_without_an_end(opening: str) -> None:
    assert parse("x = " + opening * 300).findings != ()
