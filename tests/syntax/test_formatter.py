"""The formatter: house style by example; the tokens stay, and a second pass finds nothing, for any blanks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croqc.syntax import ast
from croqc.syntax.context import typed_tokens
from croqc.syntax.formatter import format_file
from croqc.syntax.layout_indent import indents_of
from croqc.syntax.parser import parse_file
from croqc.syntax.preprocess import preprocess
from croqc.syntax.tree import FileTree
from croqc.syntax.visit import shape_of, walk
from croqc.text.edits import apply_edits
from tests.syntax.canonical import STATEMENTS


def formatted(text: str) -> str:
    return apply_edits(text, format_file(parse_file(text)))


def tokens(text: str) -> list[list[tuple[str, str]]]:
    return [
        [(token.kind.value, token.text) for token in (*function.tokens, *function.comments)]
        for function in preprocess(text).functions
    ]


def shapes(tree: FileTree) -> list[object]:
    return [shape_of(function.tree) for function in tree.functions]


def body(text: str) -> str:
    """One statement list inside a function, formatted."""
    found = formatted(f"__co__ void f(s32 n) {{\n{text}\n}}\n")
    return found.removeprefix("__co__ void f(s32 n) {\n").removesuffix("\n}\n")


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("x=1;y   =2 ;", "  x = 1; y = 2;"),
        ("x=a+b*( c-2 )/d%3;", "  x = a + b * (c - 2) / d % 3;"),
        ("x=-7+n- -1;y=n- - 1;", "  x = -7 + n - -1; y = n - -1;"),
        ("x=! a&&~ n==3;", "  x = !a && ~n == 3;"),
        ("x=p#q# -1#+2;", "  x = p#q# -1 #+ 2;"),
        ("x=n>4?n # 3:# n;", "  x = n > 4 ? n # 3 : #n;"),
        ("x=| src . span |;", "  x=| src . span |;"),  # an error: a blank behind the dot
        ("x=| n |/64+|f16|;", "  x = |n| / 64 + |f16|;"),
        ("x={4,n};y=[ 2,3 ] ( 0 );", "  x = {4, n}; y = [2, 3](0);"),
        ("x=src .at( 0 ,n )+ t( i );", "  x = src.at(0, n) + t(i);"),
        ("x=c ++ + ++ c;", "  x = c++ + ++c;"),
        ("x=& src.at(0);y=a&& &b;", "  x = &src.at(0); y = a && &b;"),
        ("mutable int w=9,v{ 1 };w+ =1;", "  mutable int w = 9, v{1}; w + = 1;"),
        ("shared f16[64,32]ring [2];", "  shared f16 [64, 32] ring[2];"),
        ("shared event< 64 >full[3],go=ready;", "  shared event<64> full[3], go = ready;"),
        ("mdspan< 2 >s:e/{2,1};", "  mdspan<2> s : e / {2, 1};"),
        ("call ns::f< 8,#b+1 >( x,nullptr );", "  call ns::f<8, #b + 1>(x, nullptr);"),
        ("dma.copy.swiz< 64 >src=>dst after h;", "  dma.copy.swiz<64> src => dst after h;"),
        ("q=dma.copy.sp< 2 : 4 >src=>local;", "  q = dma.copy.sp<2:4> src => local;"),
        ("p=dma.pad<{2,0},{1,1},{0,0},-1>src=>shared;", "  p = dma.pad<{2, 0}, {1, 1}, {0, 0}, -1> src => shared;"),
        ("acc=mma.fill.f32 [ 2 ]-1.0f;", "  acc = mma.fill.f32[2] -1.0f;"),
        ("mma.row.row acc,a , b;acc=mma.fill -1.0f;", "  mma.row.row acc, a, b; acc = mma.fill -1.0f;"),
        ("foreach k( 1 : ){}", "  foreach k(1:) {}"),
        ("foreach k(a?1:2 : 8):unroll( 2 );", "  foreach k(a ? 1 : 2:8) : unroll(2) ;"),
        ("parallel{a,b}by[2,n]:block,w by 4:group-4{}", "  parallel {a, b} by [2, n] : block, w by 4 : group-4 {}"),
        ("parallel by 7;", "  parallel by 7 ;"),
        ("if(a)x=1;else if(b)x=2;", "  if (a) x = 1; else if (b) x = 2;"),
        ("inthreads.async (p==0){}", "  inthreads.async (p == 0) {}"),
        ("println ! ( \"a\",n );", '  println!("a", n);'),
        ('asm volatile ("x":"=r"( a ):[s]"r"(n));', '  asm volatile("x" : "=r"(a) : [s] "r"(n));'),
        ("[[ maxnreg( 8 ) ]]parallel by 2 {}", "  [[maxnreg(8)]] parallel by 2 {}"),
        ("wait(one);trigger a , b;", "  wait (one); trigger a, b;"),
        ("return(n);", "  return (n);"),
    ],
)  # fmt: skip
def test_blanks(given_text: str, expected: str) -> None:
    if " . " in given_text:
        expected = given_text
    assert body(given_text) == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("  x = 1;\n\n\n\n      y = 2;   ", "  x = 1;\n\n  y = 2;"),
        ("foreach k in 4\nx = k;\ny = 1;", "  foreach k in 4\n    x = k;\n  y = 1;"),
        ("foreach i in 4 foreach k in 4 {\nx = k;\n}", "  foreach i in 4 foreach k in 4 {\n    x = k;\n  }"),
        (
            "parallel p by 2 : block\nparallel q by 4 : thread {\nx = 1;\n}",
            "  parallel p by 2 : block\n    parallel q by 4 : thread {\n      x = 1;\n    }",
        ),
        (
            "if (a) {\nx = 1;\n}\nelse if (b) {\nx = 2;\n} else\nx = 3;",
            "  if (a) {\n    x = 1;\n  }\n  else if (b) {\n    x = 2;\n  } else\n    x = 3;",
        ),
        ("if (a)\n{\nx = 1;\n}", "  if (a)\n  {\n    x = 1;\n  }"),
        (
            "dma.copy src\n.view(n, 16)\n=> dst;",
            "  dma.copy src\n    .view(n, 16)\n    => dst;",
        ),
        ("x = f(\n1,\n2\n);", None),
        (
            "// first\nx = 1; // behind\n/* own */ y = 2;\n// last",
            "  // first\n  x = 1; // behind\n  /* own */ y = 2;\n  // last",
        ),
        (
            "foreach k in 4 {\n// in the loop\nx = k;\n// at its end\n}\n// after",
            "  foreach k in 4 {\n    // in the loop\n    x = k;\n    // at its end\n  }\n  // after",
        ),
        ("x = 1 +\n// why\n2;", "  x = 1 +\n    // why\n    2;"),
        (
            "x = 1;         // kept\nyy = 2;        // column",
            "  x = 1;         // kept\n  yy = 2;        // column",
        ),
        ("/* one\n two */\nx = 1;", "  /* one\n two */\n  x = 1;"),
        (
            "#if 1\nx = 1;\n  #else\n   dead   text {\n#endif\ny=1;",
            "#if 1\n  x = 1;\n  #else\n   dead   text {\n#endif\n  y = 1;",
        ),
        ('__cpp__(R"(int a;\n   int b;)");', '  __cpp__(R"(int a;\n   int b;)");'),
        (
            "[[launch_bounds(1)]]\n[[maxnreg(8)]]\nparallel by 2,\nq by 3 {}",
            "  [[launch_bounds(1)]]\n  [[maxnreg(8)]]\n  parallel by 2,\n      q by 3 {}",
        ),
        ("x = {1,\n2};\nx = {\n1, 2\n};", "  x = {1,\n    2};\n  x = {\n    1, 2\n  };"),
    ],
)
def test_lines(given_text: str, expected: str | None) -> None:
    source = f"__co__ void f(s32 n) {{\n{given_text}\n}}\n"
    if expected is None:  # a call without `call` is an error, and the function is left alone
        assert formatted(source) == source
    else:
        assert body(given_text) == expected


def test_headers_and_margins() -> None:
    text = "namespace n {\n  __co__  void f( global f16[M,K]a,\n f32[M] & b,s32&c ,int ){\nx=1;\n}\n}\n"
    assert formatted(text) == (
        "namespace n {\n  __co__ void f(global f16 [M, K] a,\n      f32 [M]& b, s32& c, int) {\n    x = 1;\n  }\n}\n"
    )
    assert formatted("__co__ void f(f16[ ??,? ]a){}") == "__co__ void f(f16 [??, ?] a) {}"


def test_host_and_device_text_stay() -> None:
    text = "int  a;\n\n\n__device__  int  b( ) { return  1 ; }\n__cok__ { int  c;\n }\n__co__ void f(){}\n int  d;\t\n"
    assert formatted(text) == text.replace("f(){}", "f() {}")


def test_macro_uses_stay() -> None:
    text = (
        "#define  BOTH( p , q )  (( p )+( q ))\n#define OPEN foreach k in 4 {\n#define CLOSE }\n"
        "__co__ void f(s32 n) {\ny=BOTH( BOTH( n,1 ),  2 )+1;\nOPEN\nx=k;\nCLOSE\n}\n"
    )
    assert formatted(text) == (
        "#define  BOTH( p , q )  (( p )+( q ))\n#define OPEN foreach k in 4 {\n#define CLOSE }\n"
        "__co__ void f(s32 n) {\n  y = BOTH( BOTH( n,1 ),  2 ) + 1;\n  OPEN\n    x = k;\n  CLOSE\n}\n"
    )


def test_spliced_lines_stay() -> None:
    text = "__co__ void f() {\n  x = 1  \\\n   + 2;\n}\n"
    assert formatted(text) == text


def test_line_ends_stay() -> None:
    for end in ("\r\n", "\r", "\n"):
        text = end.join(["__co__ void f() {", "x=1;", "", "", "y=2;", "}", ""])
        expected = end.join(["__co__ void f() {", "  x = 1;", "", "  y = 2;", "}", ""])
        assert formatted(text) == expected


def test_a_broken_function_is_left_alone_and_the_others_are_not() -> None:
    text = "__co__ void f() {\nx = = 1;\n}\n__co__ void g() {\nx=1;\n}\n"
    assert formatted(text) == "__co__ void f() {\nx = = 1;\n}\n__co__ void g() {\n  x = 1;\n}\n"
    assert formatted("__co__ void f() {") == "__co__ void f() {"


KERNEL = """\
#define STAGES 2
#define BOTH(p, q) ((p) + (q))
__co__ void matmul(global f16 [M, K] lhs, global f16 [N, K] rhs, global f16 [M, N]& output) {
  parallel {block_m, block_n} by [cdiv(M, 64), BOTH(1, 2)] : block {
    shared event full[STAGES], empty[STAGES] = ready;
    shared f16 [64, 128] lhs_s[STAGES];
    // the roles
    parallel p1 by 2 : group-4 {
      inthreads.async (p1 == 0) {
        foreach {iv_k} in [cdiv(K, 128)] {
          stage = iv_k % STAGES;
          wait empty[stage];
          tma.copy.async<full[stage]>.swiz<64> lhs.subspan(64, 128).at(block_m, iv_k)
            => lhs_s[stage];
          trigger full[stage];
        }
      }

      inthreads.async (p1 == 1) {
        mc = mma.fill.f16 0.0f;
        foreach k(1:-1), j(:) : unroll(2)
          mma.row.row mc, lhs_s[0].chunkat(_, k), lhs_s[1]; /* done */
        if (n > 0 && !(-n + |f16| > 3 # 4)) mma.commit; else {}
        x = n > 4 ? a & &b : #k; y = c++ - -1;
#if STAGES == 2
        trigger empty[0] after f, g;
#else
        never { here
#endif
        __cpp__(R"(a;
   b;)");
      }
    }
  }
}
"""


def test_the_house_style_stays() -> None:
    assert parse_file(KERNEL).findings == ()
    assert formatted(KERNEL) == KERNEL


KNOWN = """\
#define TILE 2
__co__ void f(global s32 [M] x) {
  [[maxnreg(64)]] parallel p by 4 : block {
    foreach k in TILE if (p == 1) y = k; else if (p == 2) y = 2;
    with i in 8 foreach i(1 : -1 : 2) { if (i > 2) { x.at(i) = TILE; } else y = 3; }
    inthreads (p == 0) while (y < 3) y = y + 1;
    [[schedule(k_tiles(2, 2))]] mma.row.row c, a, b;
  }
}
"""


@pytest.mark.parametrize("text", [KERNEL, KNOWN, *STATEMENTS])
def test_what_decides_on_lines_is_found_in_the_headers_of_statements(text: str) -> None:
    """As a walk over the whole tree finds it; and the parser's tokens are those of the context rules."""
    whole = text if "__co__" in text else f"__co__ void f(s32 n) {{\n{text}\n}}\n"
    for function in parse_file(whole).functions:
        if function.tree is None:
            continue
        nodes, found = list(walk(function.tree)), indents_of(function.tree)
        ifs = [node for node in nodes if isinstance(node, ast.If) and node.other]
        assert found.elses == {node.then.span.end: node.span.start for node in ifs}
        assert found.attributes == {node.span.end for node in nodes if isinstance(node, ast.Attribute)}
        assert sorted(found.ranges) == sorted(node.span for node in nodes if isinstance(node, ast.Range))
        if function.typed:
            known = [(token.type, token.span) for token in function.typed]
            assert known == [(token.type, token.span) for token in typed_tokens(function.source)[0]]


def blanked(text: str, choose: st.DataObject) -> str:
    """The kernel with other blanks between its pieces; line ends inside directives and strings stay."""
    pieces = text.split(" ")
    gaps = choose.draw(
        st.lists(
            st.sampled_from([" ", "  ", "\t", "\n", "\n\n\n", " \n   "]), min_size=len(pieces), max_size=len(pieces)
        )
    )
    out = [pieces[0]]
    for gap, piece in zip(gaps, pieces[1:], strict=False):
        last_line = "".join(out).rsplit("\n", 1)[-1]
        directive = last_line.lstrip().startswith("#") or "//" in last_line or '"' in last_line + piece
        out += [" " if directive else gap, piece]
    return "".join(out)


def check_any_blanks(text: str) -> None:
    tree = parse_file(text)
    assert tree.findings == ()  # else the formatter would leave the function alone
    once = apply_edits(text, format_file(tree))
    again = parse_file(once)
    assert tokens(once) == tokens(text)
    assert shapes(again) == shapes(tree)
    assert format_file(again) == ()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_blanks(data: st.DataObject) -> None:
    check_any_blanks(blanked(KERNEL, data))


@settings(max_examples=200, deadline=None)
@given(st.data(), st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4).map("\n  ".join))
def test_any_blanks_in_any_statement(data: st.DataObject, statements: str) -> None:
    check_any_blanks(blanked(f"__co__ void f() {{ {statements} }}", data))


@pytest.mark.parametrize("text", STATEMENTS)
def test_the_printers_spelling_is_the_house_style(text: str) -> None:
    assert formatted(f"__co__ void f() {{\n  {text}\n}}\n") == f"__co__ void f() {{\n  {text}\n}}\n"


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_broken_text_is_never_broken_further(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(KERNEL)))
    end = data.draw(st.integers(start, min(len(KERNEL), start + 60)))
    text = (
        KERNEL[:start]
        + data.draw(st.sampled_from(["", " ", "\n", "}", "{", "#", "/*", '"', "é", "\\\n"]))
        + KERNEL[end:]
    )
    once = apply_edits(text, format_file(parse_file(text)))
    assert tokens(once) == tokens(text)
    assert "".join(once.split()) == "".join(text.split())


BRACES = """__co__ void k(global f32 [64] x) {
  parallel p by 64 : thread {
    foreach i in 4 { if (p < 3) { x.at(p) = 1.0f; } }
    foreach i in 4 { foreach j in 2 {
      x.at(p) = 1.0f; } } // both
    if (p < 3) { x.at(p) = 2.0f; } else {
      x.at(p) = 3.0f; }
} }
"""
BRACES_APART = """__co__ void k(global f32 [64] x) {
  parallel p by 64 : thread {
    foreach i in 4 { if (p < 3) { x.at(p) = 1.0f; } }
    foreach i in 4 { foreach j in 2 {
        x.at(p) = 1.0f;
      }
    } // both
    if (p < 3) { x.at(p) = 2.0f; } else {
      x.at(p) = 3.0f;
    }
  }
}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_brace_that_closes_several_lines_has_its_own(end: str) -> None:
    """A body on one line stays there."""
    typed, meant = BRACES.replace("\n", end), BRACES_APART.replace("\n", end)
    assert formatted(typed) == meant
    assert formatted(meant) == meant
