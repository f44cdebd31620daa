"""The lens that says what came of a run, and when it stops being about what stands there."""

from __future__ import annotations

from typing import Any

import pytest

from croqc.service.history import kept_part
from croqls.ide.lenses import lenses
from croqls.ide.run_lenses import SHOW_RUN, Ran, Which, around, duration, likeness, macros_of, run_title
from croqls.ide.snapshot import Snapshot

TEXT = """#define TILE 64
// about f
// croq: run M=64
// croq: expect y == x
__co__ void f(global s32 [M] x, global s32 [M] y) {
  parallel p by M : thread y.at(p) = x.at(p) + TILE - TILE;
}

// croq: run M=8
__co__ void g(global s32 [M] x, global s32 [M] y) { parallel p by M : thread y.at(p) = x.at(p); }
"""
TIMING = {"median": 8.12e-4, "tflops": 512.34, "gbps": 3000.4, "operations": 10**9}
HANG = {"text": "p1 == 0 waits for empty[0], generation 3"}


def entry(verdict: str = "verified", **more: Any) -> dict[str, Any]:
    plain = {"engine": "sim", "sizes": {"M": 512, "N": 256, "alpha": 0.5}, "time": 1.3, "timing": None, "message": ""}
    return {"verdict": verdict, "hang": [], "expectations": [], **plain, **more}


def title(*entries: dict[str, Any]) -> str:
    return run_title(Ran("", entries), "")


def test_what_a_simulated_run_is_told_as() -> None:
    assert title(entry()) == "✓ verified · M=512 N=256 · simulated in 1.3 s"
    assert title(entry("consistent", sizes={})) == "✓ consistent · simulated in 1.3 s"
    held = [{"ok": True, "differing": 0, "total": 9}, {"ok": False, "differing": 1234, "total": 99999}]
    assert title(entry("wrong", expectations=held)) == "✗ wrong · M=512 N=256 · 1,234 of 99,999 elements differ"
    assert title(entry("hangs", hang=[HANG])) == "✗ stuck · M=512 N=256 · p1 == 0 waits for empty[0], generation 3"
    long = {"text": "p1 == 0 waits for empty[0], generation 3; owed by " + "p" * 11}
    assert title(entry("hangs", sizes={}, hang=[long])) == f"✗ stuck · {long['text'][:59]}…"
    assert title(entry("hangs", sizes={})) == "✗ stuck"
    assert title(entry("crashed", sizes={}, message="it broke")) == "✗ crashed · it broke"
    cut = title(entry("not-run", sizes={}, message="x" * 61))
    assert cut == f"✗ not run · {'x' * 59}…"


def test_macros_of_a_run_are_told_with_it() -> None:
    """Sizes stand among the figures; a macro makes another text of what was run."""
    given = {"M": "512", "TILE": "9", "FAST": None}
    macros = macros_of(given, [entry(sizes={}), entry()])
    assert macros == ("TILE=9", "FAST")
    ran = Ran("then", (entry(),), macros)
    plain = "✓ verified · M=512 N=256 · simulated in 1.3 s"
    assert run_title(ran, "then") == f"with TILE=9 FAST: {plain}"
    assert run_title(ran, "now") == f"before an edit, with TILE=9 FAST: {plain}"
    assert macros_of({}, [entry()]) == ()


def test_what_a_run_on_a_card_is_told_as() -> None:
    on_card = entry(engine="gpu", timing=TIMING)
    assert title(on_card) == "✓ verified · M=512 N=256 · 812 µs · 512.3 TFLOP/s"
    assert title(entry(engine="gpu", timing=TIMING | {"operations": 0})).endswith("812 µs · 3000 GB/s")
    assert title(entry(engine="gpu")) == "✓ verified · M=512 N=256 · on the card"
    assert title(entry(), entry(engine="gpu")) == "✓ verified · 2 runs · simulator and card"


def test_of_a_run_in_an_earlier_session_the_verdict_is_told() -> None:
    """Of which the history keeps no words of the source."""
    for verdict, said in (
        ("hangs", "✗ stuck"),
        ("wrong", "✗ wrong"),
        ("crashed", "✗ crashed"),
        ("not-run", "✗ not run"),
    ):
        kept = kept_part({"function": "f", **entry(verdict, hang=[HANG], message="it broke")})
        assert "hang" not in kept and title(kept) == f"{said} · M=512 N=256"
    assert title(kept_part(entry())) == title(entry())


def test_of_several_runs_the_worst_is_told() -> None:
    assert title(entry(), entry(time=0.0025)) == "✓ verified · 2 runs · simulated in 1.3 s"
    bad = entry("wrong", sizes={"M": 7})
    assert title(entry(), bad, entry()) == "✗ wrong · 1 of 3 runs · M=7"
    assert title(entry(), bad, entry("hangs", sizes={})) == "✗ stuck · 1 of 3 runs"
    assert title(bad, bad) == "✗ wrong · 2 runs"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        *((0.0, "0 µs"), (4.56e-6, "4.56 µs"), (999.4e-6, "999 µs"), (999.6e-6, "1 ms"), (0.25, "250 ms")),
        *((0.9996, "1 s"), (12.34, "12.3 s"), (999.6, "1000 s"), (4321.4, "4321 s")),
    ],
)
def test_durations_have_three_digits(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def ran(text: str, name: str = "f") -> dict[Which, Ran]:
    report = Snapshot("file:///k.co", 1, text).report
    function = report.function_named(name)
    assert function is not None
    return {(name, 0): Ran(likeness(report, function, around(report)), (entry(sizes={}),))}


def shown(text: str) -> list[str]:
    """What is told of the run of `f` in `TEXT` where another text stands now."""
    found = lenses(Snapshot("file:///k.co", 2, text), card=False, ran=ran(TEXT))
    return [lens.title for lens in found if lens.command == SHOW_RUN]


FRESH = "✓ verified · simulated in 1.3 s"


@pytest.mark.parametrize(
    "change",
    [
        ("about f", "about f and g"),
        ("x.at(p); }", "2 * x.at(p); }"),  # of the other function
        ("#define TILE 64\n", "#define TILE 64\n\n\n"),
        ("// croq: run M=8\n", "// croq: run M=16\n"),
        ("TILE 64", "TILE   64 /* of threads */"),
    ],
)
def test_a_run_is_still_that_of_the_function(change: tuple[str, str]) -> None:
    assert TEXT.replace(*change) != TEXT
    assert shown(TEXT.replace(*change)) == [FRESH]


@pytest.mark.parametrize(
    "change",
    [
        ("+ TILE", "+ 2 * TILE"),
        ("TILE 64", "TILE 32"),
        ("M=64", "M=128"),
        ("y == x\n", "y == x + 1\n"),
        ("// about f", "// croq: arch sm_80"),
        ("// about f", "static int number() { return 3; }"),
        ("// about f", "// croq: model h(x) = x"),
    ],
)
def test_an_edit_of_what_was_run_is_told(change: tuple[str, str]) -> None:
    assert TEXT.replace(*change) != TEXT
    assert shown(TEXT.replace(*change)) == [f"before an edit: {FRESH}"]
    assert shown(TEXT) == [FRESH]


def test_it_stands_behind_the_buttons_that_run_and_goes_with_its_function() -> None:
    found = lenses(Snapshot("file:///k.co", 2, TEXT), card=False, ran=ran(TEXT, "g"))
    assert [lens.function for lens in found if lens.command == SHOW_RUN] == ["g"]
    own = [lens for lens in found if lens.function == "g"]
    assert [lens.command for lens in own][:3] == ["croqtile.run", "croqtile.verify", SHOW_RUN]
    assert TEXT[own[2].span.start : own[2].span.end] == "g"
    assert shown(TEXT.replace("void f(", "void renamed(")) == []


OVERLOADS = """// croq: run
__co__ void f(global s32 [8] x) { parallel p by 8 : thread { x.at(p) = 1; } }
// croq: run
__co__ void f(global f16 [8] x) { parallel p by 8 : thread { x.at(p) = 1; } }
"""


def test_two_functions_of_one_name_tell_of_their_own_runs() -> None:
    report = Snapshot("file:///k.co", 1, OVERLOADS).report
    first, second = (likeness(report, function, around(report)) for function in report.functions)
    known = {("f", 0): Ran(first, (entry(sizes={}),)), ("f", 1): Ran(second, (entry("crashed", sizes={}),))}
    found = lenses(Snapshot("file:///k.co", 1, OVERLOADS), card=False, ran=known)
    assert [lens.title.split(" · ")[0] for lens in found if lens.command == SHOW_RUN] == ["✓ verified", "✗ crashed"]
    alone = lenses(Snapshot("file:///k.co", 1, OVERLOADS), card=False, ran={("f", 1): known["f", 1]})
    assert [lens.span.start > OVERLOADS.index("f16") - 20 for lens in alone if lens.command == SHOW_RUN] == [True]
