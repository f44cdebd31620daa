"""The invalid snippets of the reference (2.11): one finding each, at its column, with its gist."""

import pytest

from croqc.text.edits import apply_edits
from tests.syntax.parsing import findings, lines_in, parse, wrapped

ROWS = lines_in("grammar_invalid.txt")


@pytest.mark.parametrize(("row", "place", "gist", "snippet"), ROWS, ids=[row[0] for row in ROWS])
def test_each_row_is_one_finding_at_its_place(row: str, place: str, gist: str, snippet: str) -> None:
    found = findings(snippet)
    assert [at for at, _ in found] == [place], (row, found)
    assert gist in found[0][1]


def test_the_table_is_complete() -> None:
    """106 rows less ten older forms and the unary minus, which is taken as an extension."""
    assert len(ROWS) == 106 - 11


@pytest.mark.parametrize(
    ("snippet", "place", "gist"),
    [
        ("hw_kick(n);", "1:8", "'hw_kick' is not callable here; use 'call hw_kick(n)'"),  # P13
        ('asm volatile("x" : : : : "memory");', "1:24", "too many ':' sections in asm"),  # P14
        ('asm goto("x");', "1:5", "'asm goto' is not supported"),  # P15
        ("tma.copy.swiz<32>.async<go[0]> a => b;", "1:18", "'.async' comes directly after '.copy'"),  # O1
        ("dma.copy.async<done, go> a => b;", "1:20", "one event"),  # O2
        ("mma.commit<0>;", "1:11", "takes no argument"),  # O4
        ("acc[1] = mma.fill.f32[2] 0.0f;", "1:23", "give the accumulators a plain name"),
        ("mma.fill.f32[2] acc, 0.0f;", "1:14", "only 'name = mma.fill' says how many"),
        ("acc = mma.fill.f32[2];", "1:22", "expected a value after 'mma.fill'"),
        ("wait<n> full;", "1:6", "integer literal"),  # O5
        ("dma.store tile => dst;", "1:4", "only 'tma' has '.store'"),  # O7
        ("tma.copy.async<full.at(3)> a => b;", "1:20", "write 'trigger full.at(3) after h'"),  # 2.14
        ("foreach k in 8 : automap { }", "1:18", "write the loop as 'apply'"),  # chapter 0
        ("frag.copy(a, b);", "1:5", "'frag.copy' was removed"),
        ("mma.exec a, b, c;", "1:4", "'mma.exec' was removed"),
        ("x = max(a.at(i), 0.0f);", "1:5", "there is no function 'max'; did you mean '__max'?"),
        ("x = fmaxf(a.at(i), 0.0f);", "1:5", "did you mean '__max'?"),
        ("x = expf(-a.at(i));", "1:5", "did you mean '__exp'?"),
        ("x = abs(a.at(i) - b);", "1:5", "did you mean '__fabs'?"),
        ("x = f();", "1:7", "'f' is not callable here"),
        ("x . at(0) = 3;", "1:3", "no blank allowed after '.'"),
        ("int x = select(n, a, b);", "1:9", "'select' cannot initialise a scalar"),
        ("int x = t {1};", "1:11", "cannot initialise a scalar"),
        ("int event = 3;", "1:5", "'event' is a reserved word"),
        ("int mutable x;", "1:5", "'mutable' stands before the type"),
        ("[[foo(1)]] parallel by 2 ;", "1:3", "known attributes: launch_bounds, maxnreg, schedule"),
        ("x = src.span[0];", "1:13", "use '.span(i)'"),
        ("x = #a.span;", "1:7", "only a name can have members"),
        ("dma.copy a.zfill.data => b;", "1:11", "'.zfill' ends the source"),
        ("tma.load.evict_first.evict_last a => b;", "1:21", "one cache hint"),
        ("x == 3;", "1:3", "'==' compares and cannot assign"),
        ("x + 1;", "1:3", "an expression is not a statement"),
        ("++i;", "1:1", "write 'i += 1;'"),
        ("float4 v;", "1:1", "unknown type 'float4'"),
        ("x = nullptr;", "1:5", "'nullptr' is an argument only"),
        ("foreach (i) { }", "1:9", "write 'foreach i in n'"),
        ("foreach i = 0 { }", "1:13", "write 'foreach i in n'"),
        ("parallel p by 2 : block<foo> { }", "1:25", "only 'cooperative'"),
        ("switch (n) { }", "1:8", "there is no 'switch'"),
        ("x = a[0](n, 1);", "1:11", "the dimension must be a literal or a name"),
        ("y = __fmaf(1.0f, 2.0f);", "1:22", "takes 3 arguments, not 2"),
        ("x += call f();", "1:6", "'call' cannot be combined with '+='"),
        ("while (call f()) { }", "1:8", "store the result of 'call'"),
        ("x = .", "1:5", ""),
    ],
)
def test_forms_that_the_text_of_the_reference_refuses(snippet: str, place: str, gist: str) -> None:
    found = findings(snippet)
    assert [at for at, _ in found] == [place], found
    assert gist in found[0][1]


@pytest.mark.parametrize(
    ("snippet", "mended"),
    [
        ("i++;", "i += 1;"),
        ("auto k = 3;", "k = 3;"),
        ("const int k = 3;", "int k = 3;"),
        ("i <<= 1;", "i = i << 1;"),
        ("dma.copy src dst;", "dma.copy src => dst;"),
        ("dma.copy src -> dst;", "dma.copy src => dst;"),
        ("parallel p by 2 : group - 4 {}", "parallel p by 2 : group-4 {}"),
        ("for (int i = 0; i < n; i += 1) {}", "foreach i in n {}"),
        ("foreach r, s in [7, 3] {}", "foreach {r, s} in [7, 3] {}"),
        ("foreach i in cdiv(n, 4) {}", "foreach i in [cdiv(n, 4)] {}"),
        ("with [x, y] in [2, 3] {}", "with {x, y} in [2, 3] {}"),
        ("x = n cdiv 4;", "x = cdiv(n, 4);"),
        ("x = #(n);", "x = #n;"),
        ("src[0] = 1;", "src.at(0) = 1;"),
        ("f32 [4, 8] x = 0.0f;", "f32 [4, 8] x{0.0f};"),
        ("f32 x[4];", "f32 [4] x;"),
        ("int [4] x;", "s32 [4] x;"),
        ("x = (n + 1;", "x = (n + 1);"),
        ("x = src.view(4, 4).at(0, 0);", "x = src.view(4, 4).from(0, 0);"),
        ("mma.store acc => dst;", "mma.store acc, dst;"),
        ("hw(n);", "call hw(n);"),
        ("x = 3\ny = 4;", "x = 3;\ny = 4;"),
        ("mdspan s = [3, 4];", "mdspan s : [3, 4];"),
        ("__co__ f(int n) {}", "__co__ void f(int n) {}"),
        ("__co__ void f(f32 v[4]) {}", "__co__ void f(f32 [4] v) {}"),
    ],
)
def test_fixes_mend(snippet: str, mended: str) -> None:
    text, _ = wrapped(snippet)
    found = parse(snippet).findings
    assert len(found) == 1
    assert apply_edits(text, found[0].fixes[0].edits) == wrapped(mended)[0]
    assert parse(mended).findings == ()
