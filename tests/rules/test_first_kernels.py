"""Habits of CUDA, Triton and Python in somebody's first kernels: each is one finding, which says what to write."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.edits import apply_edits

HEAD = "__co__ void f(global f32 [M, N] x, global f32 [N] y, global f16 [N] h, int n) {\n"
THREADS = f"{HEAD}  parallel t by N : thread {{\n    BODY\n  }}\n}}\n"
BLOCKS = f"{HEAD}  parallel b by 4 : block {{\n    shared f32 [16, 64] s;\n    BODY\n  }}\n}}\n"


def found(text: str) -> list[Diagnostic]:
    return [item for item in check_text(text).diagnostics if item.severity is not Severity.INFORMATION]


@pytest.mark.parametrize(
    ("frame", "body", "marked", "message", "hint"),
    [
        (BLOCKS, "dma.copy x.subspn(16, 64).at(b, 0) => s;", ".subspn", "unknown member '.subspn'",
         "did you mean '.subspan'?"),
        (BLOCKS, "dma.copy s => x.subspan(16, 64).get(b, 0);", ".get", "unknown member '.get'", "did you mean '.at'?"),
        (THREADS, "y.at(t) = x.get(0, t);", ".get", "unknown member '.get'", "did you mean '.at'?"),
        (THREADS, "i = tl.program_id(0);", ".program_id", "there is no 'program_id'",
         "the index of the block is that of 'parallel b by n : block'"),
        (THREADS, "i = t + tl.arange(0, 128);", ".arange", "there is no 'arange'",
         "an index of 'parallel … t by 128 : thread' counts over the elements"),
        (THREADS, "mutable f32 v = 0.0f; foreach k in range(0, M) { v += x.at(k, t); } y.at(t) = v;", "range",
         "there is no 'range'", "write 'M'"),
        (THREADS, "mutable f32 v = 0.0f; foreach k in range(0, M / 2) { v += x.at(k, t); } y.at(t) = v;", "range",
         "there is no 'range'", "write 'M / 2'"),
        (THREADS, "mutable f32 v = 0.0f; foreach k in 0:n { v += x.at(k, t); } y.at(t) = v;", "n",
         "unknown loop hint 'n'", "use unroll or vectorize; 'foreach i in n' counts from 0 to n - 1"),
        (THREADS, "y.at(t) = n > 0 ? y.at(t) : 0;", "n > 0 ? y.at(t) : 0",
         "both results must have one type, got 'f32' and 's32'", "'0' is s32; write '0.0f'"),
        (THREADS, "h.at(t) = n > 0 ? 1 : h.at(t);", "n > 0 ? 1 : h.at(t)",
         "both results must have one type, got 's32' and 'f16'", "'1' is s32; write '__to<f16>(1)'"),
        (THREADS, "if (0 < n < 4) { y.at(t) = 1.0f; }", "0 < n < 4",
         "operator '<' cannot compare a comparison with 's32'", "write both: '0 < n && n < 4'"),
        (THREADS, "y.at(t) = n > 3;", "y.at(t) = n > 3", "'bool' cannot be assigned to 'f32'",
         "choose: '… ? 1.0f : 0.0f'"),
    ],
)  # fmt: skip
def test_one_finding_says_what_to_write(frame: str, body: str, marked: str, message: str, hint: str) -> None:
    text = frame.replace("BODY", body)
    (item,) = found(text)
    assert (text[item.span.start : item.span.end], item.message, item.hint) == (marked, message, hint)


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("y.at(t) = n > 0 ? y.at(t) : -1;", "y.at(t) = n > 0 ? y.at(t) : -1.0f;"),
        ("h.at(t) = n > 0 ? 1 : h.at(t);", "h.at(t) = n > 0 ? __to<f16>(1) : h.at(t);"),
        ("if (0 <= n <= 4) { y.at(t) = 1.0f; }", "if (0 <= n && n <= 4) { y.at(t) = 1.0f; }"),
        ("foreach k in range(0, M / 2) { y.at(t) = x.at(k, t); }", "foreach k in M / 2 { y.at(t) = x.at(k, t); }"),
        ("foreach k in range(0, 8) { y.at(k) = 1.0f; }", "foreach k in 8 { y.at(k) = 1.0f; }"),
    ],
)
def test_the_fix_writes_it(body: str, after: str) -> None:
    text = THREADS.replace("BODY", body)
    (item,) = found(text)
    (fix,) = item.fixes
    assert apply_edits(text, fix.edits) == THREADS.replace("BODY", after)
    assert found(THREADS.replace("BODY", after)) == []


@pytest.mark.parametrize(("word", "meant"), [("unsigned", "u32"), ("size_t", "u64"), ("uint16_t", "u16")])
def test_a_type_of_c_in_a_header_has_its_name_here(word: str, meant: str) -> None:
    text = f"__co__ void f(global f32 [N] y, {word} n) {{ parallel t by N : thread {{ y.at(t) = 1.0f; }} }}\n"
    (item,) = found(text)
    assert (item.message, item.hint) == (f"unknown element type '{word}'", f"did you mean '{meant}'?")
    assert [apply_edits(text, fix.edits) for fix in item.fixes] == [text.replace(f"{word} n", f"{meant} n")]
    (two,) = found(text.replace(f"{word} n", "unsigned int n"))
    assert (two.hint, two.fixes) == ("did you mean 'u32'?", ())  # one word of two


SUM = """__co__ void f(global f32 [M, N] x, global f32 [M] y) {
  parallel r by M : block {
    mutable f32 sum = 0.0f;
    foreach k in N { sum += x.at(ORDER); }
    y.at(r) = sum;
  }
}
"""


def notes(text: str) -> list[tuple[str, str]]:
    items = [item for item in check_text(text).diagnostics if item.code == "assumed-size"]
    return [(text[item.span.start : item.span.end], item.message) for item in items]


def test_indices_in_the_wrong_order_are_noted() -> None:
    wrong = SUM.replace("ORDER", "k, r")
    assert notes(wrong) == [("k", "in bounds only if M >= N"), ("r", "in bounds only if N >= M")]
    (first, _) = (item for item in check_text(wrong).diagnostics if item.code == "assumed-size")
    assert first.hint == "look whether the indices stand in the right order, else guard it: 'if (k < M)'"
    assert first.fixes == ()


@pytest.mark.parametrize(
    "text",
    [
        SUM.replace("ORDER", "r, k"),
        SUM.replace("{ sum += x.at(ORDER); }", "{ if (k < M && r < N) { sum += x.at(k, r); } }"),
        SUM.replace("  parallel", "  assert(M == N, \"square\");\n  parallel").replace("ORDER", "k, r"),
        SUM.replace("[M, N] x", "[N, N] x").replace("ORDER", "k, k"),
    ],
)  # fmt: skip
def test_indices_that_stay_inside_are_not(text: str) -> None:
    assert notes(text) == []
