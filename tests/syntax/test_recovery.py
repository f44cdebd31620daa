"""Recovery: one message a mistake, every other statement kept, and a tree for any text."""

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from croqc.syntax import ast as t
from croqc.syntax.parser import parse_file
from croqc.syntax.preprocess import preprocess
from croqc.syntax.tree import FileTree
from croqc.syntax.visit import walk
from tests.syntax.parsing import DATA, findings, nodes, parse, tree_of

KERNEL = (DATA / "recovery.co").read_text(encoding="utf-8")
TOKENS = [token for token in preprocess(KERNEL).functions[0].tokens if token.text not in ("{", "}")]
BRACES = [token for token in preprocess(KERNEL).functions[0].tokens if token.text in ("{", "}")]


def statements(file: FileTree) -> int:
    """How many statements were read, those given up not counted."""
    trees = [function.tree for function in file.functions if function.tree is not None]
    return sum(isinstance(n, t.Stmt) and not isinstance(n, t.ErrorStmt) for tree in trees for n in walk(tree))


WHOLE = statements(parse_file(KERNEL))


def test_the_kernel_is_good() -> None:
    assert parse_file(KERNEL).findings == ()
    assert len(KERNEL.splitlines()) > 60
    assert WHOLE == 49


@pytest.mark.slow
@pytest.mark.parametrize("change", ["delete", "double"])
def test_each_token_deleted_or_doubled_in_turn(change: str) -> None:
    """No exception, one message (none where the text stays good), and at most one other statement touched."""
    messages: Counter[int] = Counter()
    lost: Counter[int] = Counter()
    for token in TOKENS:
        middle = "" if change == "delete" else f"{token.text} {token.text}"
        file = parse_file(KERNEL[: token.start] + middle + KERNEL[token.end :])
        messages[len(file.findings)] += 1
        lost[max(0, WHOLE - statements(file))] += 1
    assert max(messages) == 1, messages
    assert messages[1] > 0.8 * len(TOKENS)
    assert max(lost) <= 2, lost
    assert lost[0] + lost[1] >= len(TOKENS) - 1


@pytest.mark.parametrize("change", ["delete", "double"])
def test_each_brace_deleted_or_doubled_in_turn(change: str) -> None:
    """A brace too few or too many moves the end of the function, so that statements may fall out of it."""
    for brace in BRACES:
        middle = "" if change == "delete" else brace.text * 2
        file = parse_file(KERNEL[: brace.start] + middle + KERNEL[brace.end :])
        assert len(file.findings) <= 1, (change, brace, file.findings)


FIVE = """
x = (n + 1;
dma.copy src dst;
foreach r, s in [7, 3] { y = r; }
trigger;
if n > 1 { z = 2; }
good = 1;
"""


def test_five_mistakes_give_five_messages() -> None:
    assert [place.split(":")[0] for place, _ in findings(FIVE)] == ["2", "3", "4", "5", "6"]
    kinds = [type(stmt).__name__ for stmt in tree_of(FIVE).body.stmts]
    assert kinds == ["Assign", "Copy", "Foreach", "Trigger", "If", "Assign"]


@pytest.mark.parametrize(
    ("snippet", "places"),
    [
        ("x = 1\ny = 2\nz = 3\nw = (4;", ["2:1", "3:1", "4:1", "4:7"]),
        ("x = 1\ny = (2;", ["2:1", "2:7"]),
        ("x = 1\ny = 2 2;\nz = 3;", ["2:1", "2:7"]),
        ("x = (1\ny = (2\nz = (3;", ["2:1", "3:1", "3:7"]),
        ("x = (1 + ;", ["1:10"]),
        ("x = 1 + + 2 2;", ["1:9"]),
    ],
)
def test_neighbouring_statements_have_a_message_each(snippet: str, places: list[str]) -> None:
    assert [place for place, _ in findings(snippet)] == places


def test_a_mistake_in_one_function_leaves_the_next_alone() -> None:
    text = "__co__ void a( { x = ; }\n__co__ void b(s32 n) { y = n; }\n"
    file = parse_file(text)
    assert [len(function.findings) > 0 for function in file.functions] == [True, False]
    assert file.functions[1].tree is not None and len(file.functions[1].tree.body.stmts) == 1


@pytest.mark.parametrize(
    ("snippet", "place"),
    [
        ("x = \ny = 2;", "2:1"),
        ("x = a +\ny = 2;", "2:1"),
        ("call f(a,\ny = 2;", "2:1"),
        ("dma.copy src.\ny = 2;", "1:13"),
        ("x = src.at(0\ny = 2;", "2:1"),
        ("x = src.chunkat\ny = 2;", "2:1"),
        ("wait\ny = 2;", "2:3"),
        ("tma.copy a =>\ny = 2;", "2:3"),
        ("f = dma.\ny = 2;", "1:8"),
        ("mma.row.row acc,\ny = 2;", "2:3"),
        ("foreach k in\ny = 2;", "2:3"),
        ("parallel p by\ny = 2;", "2:3"),
        ("x\ny = 2;", "2:1"),
        ("src.\ny = 2;", "1:4"),
    ],
)
def test_a_statement_being_typed_does_not_swallow_the_next(snippet: str, place: str) -> None:
    found = findings(snippet)
    assert len(found) == 1, found
    assigned = [node for node in nodes(snippet, t.AssignPart) if isinstance(node, t.AssignPart)]
    assert "y" in [node.target.id for node in assigned if isinstance(node.target, t.Name)]


def test_placeholders_stand_where_something_is_due() -> None:
    (assign,) = tree_of("x = n + ;").body.stmts
    assert isinstance(assign, t.Assign) and isinstance(assign.parts[0].value, t.Binary)
    assert isinstance(assign.parts[0].value.right, t.Missing)
    (copy,) = tree_of("dma.copy src => ;").body.stmts
    assert isinstance(copy, t.Copy) and isinstance(copy.dest, t.Missing)


def test_what_cannot_be_read_is_a_node() -> None:
    snippet = "x = 1; wait ) ( here; y = 2;"
    kinds = [type(stmt).__name__ for stmt in tree_of(snippet).body.stmts]
    assert kinds[0] == kinds[-1] == "Assign"
    assert len(findings(snippet)) == 1


def test_an_inserted_parenthesis_is_closed_in_silence() -> None:
    (branch,) = tree_of("if n > 1 { x = 1; }").body.stmts
    assert isinstance(branch, t.If) and isinstance(branch.cond, t.Binary) and len(branch.then.stmts) == 1
    assert len(findings("if n > 1 { x = 1; }")) == 1


def test_a_broken_parameter_is_left_out() -> None:
    file = parse_file("__co__ void f(s32 a, ^ ^ b, f32 [4] c) { x = a; }")
    tree = file.functions[0].tree
    assert len(file.findings) == 1 and tree is not None
    assert [param.name.id for param in tree.params if param.name] == ["a", "c"]
    assert len(tree.body.stmts) == 1


def test_a_broken_header_keeps_its_body() -> None:
    file = parse_file("__co__ void 3 + 4 { x = 1; y = 2; }")
    tree = file.functions[0].tree
    assert len(file.findings) == 1 and tree is not None
    assert len(tree.body.stmts) == 2


def test_a_header_behind_a_parameter_that_was_left_out_keeps_its_body() -> None:
    text = "__co__ void f(global f16 [M, K] a, global f1 64), cdiv(N, 2)] : block {\n  x = 1;\n  y = 2\n  z = 3;\n}\n"
    file = parse_file(text)
    tree = file.functions[0].tree
    assert tree is not None and len(tree.body.stmts) == 3
    assert [text.count("\n", 0, item.span.start) for item in file.findings] == [0, 3]


def test_a_header_whose_brace_was_left_out_with_a_parameter() -> None:
    file = parse_file("__co__([]l{n")
    assert file.functions[0].tree is None
    assert [item.span.start for item in file.findings] == [0, 6]


def test_the_next_mistake_does_not_undo_what_was_read_before() -> None:
    """Each repair goes on from a line before it, with lists as long as they were there."""
    lines = [f"  x{number} = {number};" for number in range(30)]
    for broken in (5, 6, 17, 29):
        lines[broken] = f"  x{broken} = ;"
    file = parse_file("__co__ void f() {\n" + "\n".join(lines) + "\n}\n")
    assert [file.text.count("\n", 0, item.span.start) for item in file.findings] == [6, 7, 18, 30]
    tree = file.functions[0].tree
    assert tree is not None
    targets = [stmt.parts[0].target for stmt in tree.body.stmts if isinstance(stmt, t.Assign)]
    assert [target.id for target in targets if isinstance(target, t.Name)] == [f"x{number}" for number in range(30)]


def test_the_missing_end_of_a_function_is_said_once() -> None:
    file = parse_file("__co__ void f(s32 n) {\n  if (n > 1) {\n    x = 1;\n")
    assert [item.message for item in file.findings] == ["'__co__' function is not terminated"]
    assert statements(file) == 2


def test_a_word_of_the_scanner_is_not_repeated() -> None:
    assert [place for place, _ in findings("x = n @ 2;")] == ["1:7"]
    assert [place for place, _ in findings("x = 'q';")] == ["1:5"]


def test_bad_text_many_times_over() -> None:
    """Recovery ends, however many mistakes there are."""
    file = parse(") ( ] [ => " * 400)
    assert len(file.functions) == 1 and file.findings


# --- any text ------------------------------------------------------------------------------------

PIECES = [token.text for token in TOKENS + BRACES] + ["#if 1\n", "#endif\n", "\n", '"', "/*", "@", "\\", "\x00", "é"]
noise = st.lists(st.sampled_from(sorted(set(PIECES))), max_size=60).map(" ".join)


def is_sound(file: FileTree) -> bool:
    """A list of findings with places inside the text, and trees that can be walked."""
    for function in file.functions:
        if function.tree is not None:
            assert sum(1 for _ in walk(function.tree)) > 0
    return all(0 <= item.span.start <= item.span.end <= len(file.text) for item in file.findings)


@given(noise)
@example("[[")
@example("for (")
@example("x = a ? b")
@settings(max_examples=150)
def test_noise_in_a_body(text: str) -> None:
    assert is_sound(parse_file("__co__ void f(s32 n) { " + text + " }"))


@given(noise)
@settings(max_examples=60)
def test_noise_in_a_header(text: str) -> None:
    assert is_sound(parse_file("__co__ " + text))


@given(st.integers(0, len(KERNEL)))
@settings(max_examples=60)
def test_prefixes(length: int) -> None:
    assert is_sound(parse_file(KERNEL[:length]))


@given(st.integers(0, len(KERNEL)), st.integers(0, 80))
@settings(max_examples=60)
def test_deletions(start: int, length: int) -> None:
    assert is_sound(parse_file(KERNEL[:start] + KERNEL[start + length :]))


@given(st.integers(0, len(TOKENS) - 1), st.integers(0, len(TOKENS) - 1))
@settings(max_examples=60)
def test_swaps(one: int, other: int) -> None:
    left, right = sorted((TOKENS[one], TOKENS[other]), key=lambda token: token.start)
    if left is not right:
        middle = KERNEL[left.end : right.start]
        swapped = KERNEL[: left.start] + right.text + middle + left.text + KERNEL[right.end :]
        assert is_sound(parse_file(swapped))


@given(st.text(max_size=200))
@settings(max_examples=60)
def test_any_text(text: str) -> None:
    assert is_sound(parse_file(text))
    assert is_sound(parse_file("__co__ void f() {" + text + "}"))


@given(st.binary(max_size=200))
@settings(max_examples=40)
def test_binary(data: bytes) -> None:
    assert is_sound(parse_file("__co__ void f() {" + data.decode("latin-1") + "}"))
