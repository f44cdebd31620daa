"""The valid snippets of the reference (2.10): no finding, and the nodes that they are about."""

import pytest

from croqc.syntax import ast as t
from tests.syntax.parsing import DATA, HEAD, findings, kinds, nodes, parse, tree_of

SNIPPETS = {
    block.split(":", 1)[0]: block.split("\n", 1)[1].rstrip("\n")
    for block in (DATA / "grammar_valid.txt").read_text(encoding="utf-8").split("=== ")[1:]
}

KINDS = """
V1 BufferDecl Parallel Axis Assign Chain Return | V2 Param Return | V3 Param | V4 Dyn Return | V5 Param
V6 BufferDecl BufferName | V7 BufferDecl Unary | V8 ScalarDecl Assign | V9 ScalarDecl Binary Builtin
V10 ScalarDecl Const | V11 ShapeDecl ShapeLit TupleLit Index Paren | V12 TupleDecl TupleLit Derive
V13 Assign Pick Unary | V14 Parallel Assign Binary | V15 Parallel Axis | V16 Parallel Axis | V17 Parallel Axis
V18 Parallel Assign | V19 Parallel InThreads Jump | V20 Parallel Attribute Sync | V21 With Binding Foreach Range BoundOf
V22 Foreach Binding Assign | V23 Foreach Binding | V24 Foreach If Assign | V25 With Foreach Range LoopHint
V26 Foreach LoopHint | V27 If Binary Unary Paren | V28 ScalarDecl While If Jump | V29 Copy StorageDest
V30 Copy Modifier Wait | V31 Copy Modifier | V32 Copy TransConfig PadConfig Wait | V33 Copy AnyFuture Rotate
V34 BufferDecl Copy Index | V35 Copy Modifier | V36 Copy Assign | V37 Copy Select Assign | V38 EventDecl Trigger Wait
V39 EventDecl Trigger Wait | V40 MmaFill MmaLoad Mma MmaStore | V41 Mma MmaScale MmaStore
V42 MmaFill MmaStore MmaLoad Mma Attribute Wait | V43 FragDecl Apply FragOp | V44 MmaCommit | V45 Copy Modifier
V46 Copy Count Assign | V47 Assign Member ShapeLit | V48 Assign Member | V49 Assign Count SizeOf
V50 Assign Cond BoundOf Unary Paren | V51 Binary Unary | V52 IncDec AddressOf | V53 Builtin
V54 CallStmt Call Const Assign If | V55 CallStmt Call ScalarDecl | V56 Print Assert Str | V57 Cpp | V58 Asm AsmOperand
V59 MapBuffer | V60 Parallel Sync | V61 Parallel Assign | V62 Assign Binary | V63 CallStmt Assign Call
V64 Parallel CallStmt | V65 Parallel CallStmt
"""
WANTED = {row.split()[0]: row.split()[1:] for line in KINDS.strip().splitlines() for row in line.split("|")}


@pytest.mark.parametrize("row", list(SNIPPETS))
def test_each_snippet_parses_to_its_nodes(row: str) -> None:
    assert findings(SNIPPETS[row]) == []
    assert set(WANTED[row]) <= set(kinds(SNIPPETS[row]))


def test_all_rows_are_there() -> None:
    assert list(SNIPPETS) == [f"V{number}" for number in range(1, 66)] == list(WANTED)


def spelled(node: t.Node) -> str:
    """An expression with a parenthesis around every operator's operands."""
    match node:
        case t.Name():
            return node.id
        case t.IntLit():
            return node.text
        case t.Binary():
            return f"({spelled(node.left)}{node.op}{spelled(node.right)})"
        case t.Unary():
            return f"({node.op}{spelled(node.operand)})"
        case t.Cond():
            return f"({spelled(node.test)}?{spelled(node.then)}:{spelled(node.other)})"
        case t.Paren():
            return spelled(node.inner)
        case t.BoundOf():
            return f"#{node.name.id}"
        case t.Count():
            return f"|{spelled(node.operand)}|"
        case t.Chain():
            return spelled(node.base) + "".join(f"({spelled(s.arg)})" for s in node.suffixes if isinstance(s, t.Pick))
    raise AssertionError(type(node).__name__)


@pytest.mark.parametrize(
    ("text", "reading"),
    [  # the examples of the table in 2.5.1
        ("a ? 1 : b ? 2 : 3", "(a?1:(b?2:3))"),
        ("a == b == c", "((a==b)==c)"),
        ("n + 1 << 2", "((n+1)<<2)"),
        ("2 * n #+ 1", "(2*(n#+1))"),
        ("!a == 1", "((!a)==1)"),
        ("n & 1 == 0", "((n&1)==0)"),
        ("!n & 1", "(!(n&1))"),
        ("a | b ^ c & d", "(((a|b)^c)&d)"),
        ("p # q + 1", "((p#q)+1)"),
        ("n - 1 # 2", "(n-(1#2))"),
        ("~n # 2", "((~n)#2)"),
        ("#n(0)", "#n(0)"),
        ("n - #n / 2", "(n-(#n/2))"),
        ("a##b", "(a##b)"),
        ("4*#p", "(4*#p)"),
        ("a # -1", "(a#(-1))"),
        ("a #-1", "(a#-1)"),
        ("-7 + n - -1", "(((-7)+n)-(-1))"),
        ("n -1", "(n-1)"),
        ("a || b && c", "(a||(b&&c))"),
        ("a - b - c", "((a-b)-c)"),
        ("n #* 2 #+ 1", "((n#*2)#+1)"),
        ("|a| | |b|", "(|a|||b|)"),
        ("-n", "(-n)"),  # I1, taken as an extension
        ("-(a + b) * -c", "((-(a+b))*(-c))"),
        ("-n & 3", "(-(n&3))"),
        ("t(0)(-1)", "t(0)((-1))"),
    ],
)
def test_precedence(text: str, reading: str) -> None:
    assert findings(f"x = {text};") == []
    (stmt,) = tree_of(f"x = {text};").body.stmts
    assert isinstance(stmt, t.Assign)
    assert spelled(stmt.parts[0].value) == reading


def test_the_data_of_a_copy() -> None:
    snippet = "f = tma.load.async<e[i]>.evict_first.swiz<64>.zfill a.view(8, 8).from(r, c) => shared after g;"
    (copy,) = nodes(snippet, t.Copy)
    assert isinstance(copy, t.Copy) and copy.target is not None and copy.after is not None
    assert (copy.target.id, copy.engine, copy.op, copy.is_async, copy.after.id) == ("f", "tma", "load", True, "g")
    assert [(m.name, m.args) for m in copy.modifiers] == [("evict_first", ()), ("swiz", (64,)), ("zfill", ())]
    assert isinstance(copy.event, t.Chain) and isinstance(copy.dest, t.StorageDest) and copy.dest.storage == "shared"
    assert isinstance(copy.source, t.Chain)
    assert [s.name for s in copy.source.suffixes if isinstance(s, t.Member)] == ["view", "from"]


def test_a_zfill_behind_the_source_is_no_suffix() -> None:
    (copy,) = nodes("tma.copy src.subspan(8, 8).at(b, 0).zfill => dst;", t.Copy)
    assert isinstance(copy, t.Copy) and copy.source_zfill and isinstance(copy.source, t.Chain)
    assert len(copy.source.suffixes) == 2
    (bare,) = nodes("tma.copy src.zfill => dst;", t.Copy)
    assert isinstance(bare, t.Copy) and bare.source_zfill and isinstance(bare.source, t.Name)


def test_the_data_of_a_parallel() -> None:
    snippet = (
        "[[launch_bounds(_, 4)]] [[maxnreg(88)]]"
        " parallel.async<s> g = {x, y} by [n, 3] : block<cooperative>, w by 2 : group-4 {}"
    )
    (par,) = tree_of(snippet).body.stmts
    assert isinstance(par, t.Parallel) and par.stream is not None
    assert [attr.name for attr in par.attributes] == ["launch_bounds", "maxnreg"]
    assert (par.is_async, par.stream.id, par.paren_stream) == (True, "s", False)
    first, second = par.axes
    assert first.tuple_name is not None and first.tuple_name.id == "g"
    assert [name.id for name in first.names] == ["x", "y"]
    assert (first.level, first.cooperative, first.bracketed, len(first.bounds)) == ("block", True, True, 2)
    assert (second.level, second.bracketed, [name.id for name in second.names]) == ("group-4", False, ["w"])
    assert snippet[first.level_span_start - len(HEAD) :].startswith("block")


def test_a_level_belongs_to_the_question_mark_first() -> None:
    (par,) = tree_of("parallel p by a ? b : block { }").body.stmts
    assert isinstance(par, t.Parallel) and par.axes[0].level is None
    assert isinstance(par.axes[0].bounds[0], t.Cond)


def test_a_range_whose_bound_is_a_condition() -> None:
    (loop,) = nodes("foreach k(a ? 1 : 2 : 8) { }", t.Range)
    assert isinstance(loop, t.Range) and isinstance(loop.lo, t.Cond) and isinstance(loop.hi, t.IntLit)
    assert loop.step is None


@pytest.mark.parametrize(
    ("bounds", "given"),
    [("(1:)", "l"), ("(:-1)", "h"), ("(:)", ""), ("(1:-1:2)", "lhs"), ("(1::2)", "ls"), ("(1::)", "l"), ("(::2)", "s")],
)
def test_ranges(bounds: str, given: str) -> None:
    (loop,) = nodes(f"foreach k{bounds} {{ }}", t.Range)
    assert isinstance(loop, t.Range) and loop.sliced
    assert "".join(c for c, node in zip("lhs", (loop.lo, loop.hi, loop.step), strict=True) if node) == given


def test_a_local_range_is_not_a_derivation() -> None:
    (loop,) = tree_of("foreach c = k { x = 1; }").body.stmts
    assert isinstance(loop, t.Foreach) and loop.ranges[0].local is not None and len(loop.body.stmts) == 1


def test_else_binds_to_the_nearest_if() -> None:
    (outer,) = tree_of("if (a) if (b) x = 1; else x = 2;").body.stmts
    assert isinstance(outer, t.If) and outer.other is None
    (inner,) = outer.then.stmts
    assert isinstance(inner, t.If) and inner.other is not None


def test_soft_words_are_names_where_they_start_nothing() -> None:
    snippet = "x = src.chunkat(block); y = copy + 1; call copy(thread); foreach i in 4 copy(d, s);"
    assert findings(snippet) == []
    assert len(nodes(snippet, t.FragOp)) == 1
    assert findings("__co__ void copy(f32 [4] thread) { }") == []


def test_calls() -> None:
    snippet = "call ns::mix<8, #b + 1, f32, ns::MODE>(dst, nullptr); call f<>();"
    mixed, plain = nodes(snippet, t.Call)
    assert isinstance(mixed, t.Call) and mixed.targs is not None and len(mixed.targs) == 4
    assert (mixed.kind, mixed.callee, len(mixed.args)) == ("call", "ns::mix", 2)
    assert isinstance(mixed.targs[3], t.Name) and mixed.targs[3].id == "ns::MODE"
    assert isinstance(plain, t.Call) and plain.targs == ()


def test_strings_are_joined_and_unescaped() -> None:
    printed, pasted = tree_of(r'print("a\n" "b\q"); __cpp__(R"tag(int "x\n";)tag");').body.stmts
    assert isinstance(printed, t.Print) and isinstance(pasted, t.Cpp)
    text = printed.args[0]
    assert isinstance(text, t.Str) and text.value == "a\nb\\q" and text.parts == (r'"a\n"', r'"b\q"')
    assert pasted.text.value == 'int "x\\n";'


def test_asm_sections() -> None:
    for text, sections, clobbers in [
        ('asm("x");', 0, 0), ('asm("x" : : : "memory", "cc");', 3, 2), ('asm("x" :: "r"(n));', 2, 0),
    ]:  # fmt: skip
        (asm,) = nodes(text, t.Asm)
        assert isinstance(asm, t.Asm) and (asm.sections, len(asm.clobbers)) == (sections, clobbers)


def test_types_and_parameters() -> None:
    head = "__co__ half mdspan<2> f(global f16 [??, 8] a, s32 mdspan[M, 2 * 3] & b, f32 [[2, 3]] c, int, stream s) { }"
    tree = parse(head).functions[0].tree
    assert findings(head) == [] and tree is not None
    assert (tree.result.elem, tree.result.rank, tree.result.dims) == ("f16", 2, ())
    first, second, third, fourth, fifth = tree.params
    assert first.is_global and first.type.dims is not None and isinstance(first.type.dims[0], t.Dyn)
    assert second.by_ref and second.type.dims is not None and len(second.type.dims) == 2
    assert third.type.dims is not None and len(third.type.dims) == 2
    assert fourth.name is None and fourth.type.dims is None
    assert fifth.type.elem == "stream"


def test_white_space_that_makes_no_difference() -> None:
    snippet = "x + = 3; sync . shared; trigger . cluster e; c = mma.fill . f16 0.0f; dma.copy.swiz < 64 > a => b;"
    assert findings(snippet) == []
    assert [type(stmt).__name__ for stmt in tree_of(snippet).body.stmts] == [
        "Assign",
        "Sync",
        "Trigger",
        "MmaFill",
        "Copy",
    ]


def test_course_notation_is_accepted() -> None:
    snippet = "y = f.data.span_as(|f.data.span|).at(n # b); z = x.data.span(0); w = a[i].at(j); n2 = |x.span(0)|;"
    assert findings(snippet) == []
