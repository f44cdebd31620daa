"""`croq migrate`: what stays, and what is said of it."""

import pytest

from croqc.refactor.base import Refusal
from croqc.refactor.equal import attempt
from croqc.service.check import check_text
from croqc.text.diagnostics import Severity
from croqc.text.edits import Edit
from croqc.text.span import Span
from tests.refactor.rewriting import BLOCK, CONSUMER, COPY, PRODUCER, RING, ROLE, code, framed, moved


@pytest.mark.parametrize(
    ("frame", "body", "message"),
    [
        (
            PRODUCER,
            f"tma.copy.async<full[s]> {COPY}\ntrigger done;",
            "the copy's event operand stays: no trigger of the event that the copy names follows on its path",
        ),
        (
            PRODUCER,
            "wait<0> done;",
            "the phase stays: in a loop the phase changes from round to round; write 'wait e.at(order)'",
        ),
        (
            ROLE,
            "wait<1> done;",
            "the phase stays: the written phase is not that of the generation that the path waits for",
        ),
        (
            CONSUMER,
            "ma = mma.load a_s[s];\nmma.row.row acc, ma, w_s[s];\ntrigger done;\nmma.commit;",
            "the multiply's older form stays: the trigger releases a stage before 'mma.commit' has ended its reads",
        ),
        (
            CONSUMER,
            "mma.row.row acc, a_s[s], w_s[s];\nmma.wait<1>;",
            "the multiply's older form stays: 'mma.wait<1>' leaves 1 groups open; only futures can say that",
        ),
        (
            ROLE,
            "setreg 40;",
            "the register hint stays: "
            "'[[maxnreg(n)]]' holds for a whole kernel; in a role write 'setreg.inc' or '.dec'",
        ),
    ],
)
def test_what_cannot_be_moved_is_told(frame: str, body: str, message: str) -> None:
    text = framed(frame, body)
    result = moved(text)
    assert result.text == text
    assert message in [item.message for item in result.kept if item.older]


def test_copies_that_a_macro_makes_stay_and_their_reason_is_the_macro() -> None:
    """The trigger of their event follows, but by then it is written `full.at(k)`."""
    text = framed(PRODUCER, "LOAD;\ntrigger full[s];")
    result = moved(f"#define LOAD tma.copy.async<full[s]> {COPY.removesuffix(';')}\n{text}")
    messages = [item.message for item in result.kept if item.older]
    assert "the copy's event operand stays: the operation is made by a macro" in messages
    assert not [message for message in messages if "no trigger" in message]


def test_a_slot_that_a_macro_writes_stays_and_that_is_told() -> None:
    text = framed(PRODUCER, f"tma.copy.async<full[s]> {COPY}\nGIVE(full);")
    result = moved(f"#define GIVE(e) trigger e[s]\n{text}")
    assert f"a_f = tma.copy.async {COPY}" in result.text
    assert "GIVE(full) after a_f;" in result.text
    assert any("a macro writes the slot" in item.message for item in result.kept)


def test_places_are_those_of_the_text_before() -> None:
    """An edit further up does not move the place of what stays further down."""
    body = f"tma.copy.async<full[s]> {COPY}\ntrigger full[s];\nwait<0> done;"
    text = framed(PRODUCER, body)
    kept = [item for item in moved(text).kept if item.older]
    assert [text[item.span.start : item.span.start + 3] for item in kept] == ["<0>"]


def test_a_function_with_syntax_errors_stays_and_the_others_move() -> None:
    good, bad = framed(PRODUCER, f"tma.copy.swiz<3> {COPY}"), "__co__ void g() { dma.copy => ; }\n"
    result = moved(bad + good)
    assert result.text == bad + good.replace("swiz<3>", "swiz<128>")
    assert result.skipped == 1


def test_uneven_bootstraps_stay() -> None:
    """Two consumers give the slot back, one starts it: `= ready` would add a credit."""
    text = BLOCK.replace(
        "    BODY",
        f"""{RING}    parallel w by 3 : group-4 {{
      inthreads.async (w == 0) {{ foreach {{k}} in [8] {{ wait empty[k % 2]; trigger full[k % 2]; }} }}
      inthreads.async (w == 1) {{ foreach {{s}} in [2] {{ trigger empty[s]; }}
        foreach {{k}} in [8] {{ wait full[k % 2]; trigger empty[k % 2]; }} }}
      inthreads.async (w == 2) {{ foreach {{k}} in [8] {{ wait full[k % 2]; trigger empty[k % 2]; }} }}
    }}""",
    )
    result = moved(text)
    assert "= ready" not in result.text
    assert "the bootstrap stays: not every path that gives 'empty' back starts all its slots" in {
        item.message for item in result.kept
    }


def test_a_commit_under_a_condition_ends_no_reads_for_certain() -> None:
    body = "ma = mma.load a_s[s];\nmma.row.row acc, ma, w_s[s];\nif (M > 64) mma.commit;\ntrigger done;"
    reasons = [item.message for item in moved(framed(CONSUMER, body)).kept]
    assert any("before 'mma.commit' has ended its reads" in reason for reason in reasons)


MACROS = """\
#define GIVE(e) trigger e[k % 2]
#define TAKE(slot) wait full[slot]
__co__ void f(global f16 [M, K] a, global f16 [M, K] out) {
  parallel b by cdiv(M, 64) : block {
    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] a_s[2];
    parallel r by 2 : group-4 {
      inthreads.async (r == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 2];
          dma.copy a.subspan(64, 64).at(b, k) => a_s[k % 2];
          GIVE(full);
        }
      }
      inthreads.async (r == 1) {
        foreach {k} in [cdiv(K, 64)] {
          TAKE(k % 2);
          dma.copy a_s[k % 2] => out.subspan(64, 64).at(b, k);
          trigger empty[k % 2];
        }
      }
    }
  }
}
"""


def test_what_a_macro_makes_in_part_stays() -> None:
    """Half of the reference stands in the macro: an order behind its argument would follow a subscript."""
    found = moved(MACROS)
    assert "wait empty.at(k);" in found.text and "trigger empty.at(k);" in found.text
    assert "          GIVE(full);\n" in found.text and "          TAKE(k % 2);\n" in found.text
    messages = [item.message for item in found.kept]
    assert messages and all(message.startswith("the slot by hand stays: ") for message in messages)
    assert [item for item in check_text(found.text).diagnostics if item.severity is Severity.ERROR] == []


STEP = """#define STEP(w) ma = mma.load a_s[w % 2]; mb = mma.load b_s[w % 2]; mma.row.row acc, ma, mb
__co__ void f(global f16 [M, K] a, global f16 [N, K] b, global f32 [M, N] c) {
  parallel {bm, bn} by [cdiv(M, 64), cdiv(N, 64)] : block {
    shared f16 [64, 16] a_s[2], b_s[2];
    acc = mma.fill 0.0f;
    foreach {k} in [cdiv(K, 16)] {
      dma.copy a.subspan(64, 16).at(bm, k) => a_s[k % 2];
      dma.copy b.subspan(64, 16).at(bn, k) => b_s[k % 2];
      sync.shared;
      parallel p by 1 : group-4 { STEP(k); mma.commit; }
      sync.shared;
    }
    parallel p by 1 : group-4 { mma.store acc, c.subspan(64, 64).at(bm, bn); }
  }
}
"""


def test_loads_that_a_macro_with_arguments_makes_stay_with_that_reason() -> None:
    found = moved(STEP)
    assert "STEP(k); mma.commit;" in found.text
    told = [(item.message, STEP[item.span.start : item.span.end]) for item in found.kept]
    assert told == [("the multiply's older form stays: a macro makes the loads or the commit", "STEP(k)")]


def test_a_refusal_for_whole_lines_is_shown_at_their_text() -> None:
    before = code(STEP)
    at = before.text.index("      sync.shared;")
    outcome = attempt(before, [Edit(Span(at, at + len("      sync.shared;\n")), "(")])
    assert isinstance(outcome, Refusal) and before.slice(outcome.span) == "sync.shared;"


def test_edits_inside_a_macro_are_refused() -> None:
    before = code(MACROS)
    at = before.text.index("TAKE(k % 2)") + len("TAKE(")
    outcome = attempt(before, [Edit(Span(at, at + len("k % 2")), "k % 2")])
    assert isinstance(outcome, Refusal) and outcome.reason == "a macro makes what would be rewritten"
    assert before.slice(outcome.span) == "TAKE(k % 2)"
    whole = attempt(before, [Edit(outcome.span, "wait full[k % 2]")])
    assert not isinstance(whole, Refusal)
