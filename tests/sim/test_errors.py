"""What ends a run early: a typed error at its place, never a traceback."""

from __future__ import annotations

import numpy as np
import pytest

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.code.tables import STATEMENT_HANDLERS
from croqc.engines.sim.errors import StepLimitError
from croqc.engines.sim.simulate import SimOptions, simulate
from croqc.syntax import ast
from tests.sim.kernels import Array, model_of, run


def out(count: int = 32) -> dict[str, Array]:
    return {"out": np.zeros(count, np.int32)}


def failing(
    text: str, arrays: dict[str, Array] | None = None, scalars: dict[str, int] | None = None
) -> tuple[str, str]:
    """The message and the text at its place."""
    result = run(text, out() if arrays is None else arrays, scalars)
    assert result.error is not None
    span = result.error.span
    return result.error.message, text[span.start : span.end]


def thread(body: str) -> str:
    return f"__co__ void f(global s32 [32] out) {{ parallel t by 32 : thread {{ {body} }} }}"


def test_an_element_outside_its_buffer() -> None:
    text = "__co__ void f(global s32 [32] out, int n) { parallel t by 32 : thread { out.at(t + n) = 1; } }"
    message, place = failing(text, scalars={"n": 1})
    assert message == "index 32 of 'out' is out of range in dimension 0: 32 elements exist there"
    assert place == "out.at(t + n)"


def test_a_failed_assertion_gives_its_text() -> None:
    text = '__co__ void f(global s32 [32] out, int n) { assert(n > 3, "n is large"); }'
    message, place = failing(text, scalars={"n": 2})
    assert message == "assertion failed: n is large"
    assert place.startswith("assert(n > 3")


def test_an_assertion_in_a_thread() -> None:
    text = thread('assert(out.at(t) == 0, "clean"); out.at(t) = 1; assert(out.at(t) == t, "wrong");')
    assert failing(text)[0] == "assertion failed: wrong"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('__cpp__("foo();");', "C++ is not simulated"),
        ("call helper(out);", "'helper' is C++ and not simulated"),
        ("local s4 [4] small;", "the element type 's4' is not simulated"),
    ],
)
def test_what_is_not_simulated_says_so_at_its_place(body: str, words: str) -> None:
    result = run(thread(body), out())
    assert result.error is not None
    assert result.error.unsupported
    assert words in result.error.message
    assert thread(body)[result.error.span.start :].startswith(body.split("(")[0])


def test_a_register_tile_that_no_multiply_gives_a_shape_is_not_run() -> None:
    tile = "d = mma.fill.f32 0.0f; apply {i, j} in d.span { d.at(i, j) = 1; }"
    result = run(f"__co__ void f(global s32 [32] out) {{ parallel w by 1 : group-4 {{ {tile} }} }}", out())
    assert result.error is not None and result.error.unsupported
    told = "no multiply has given this register tile its shape: declare it with one, as 'frag f32 [64, 64] d'"
    assert result.error.message == told


def test_foreign_code_that_is_not_reached_does_no_harm() -> None:
    assert run(thread('if (t > 99) { __cpp__("foo();"); } out.at(t) = 1;'), out()).error is None


def test_a_register_hint_does_no_harm() -> None:
    assert run(thread('__cpp__("setmaxnreg.dec.sync.aligned.u32 40;"); out.at(t) = 1;'), out()).error is None


def test_an_island_with_a_register_hint_and_more_is_not_passed_over() -> None:
    result = run(thread('__cpp__("asm(\\"setmaxnreg.dec.sync.aligned.u32 40;\\"); x[t] = 1;"); out.at(t) = 1;'), out())
    assert result.error is not None and result.error.message == "C++ is not simulated"


def test_a_model_gives_a_device_function_its_meaning() -> None:
    text = thread("x = call twice(t); out.at(t) = x;")
    model = model_of(text)
    result = simulate(model, LaunchArgs(out()), SimOptions(models={"twice": lambda x: x * 2}))
    assert result.error is None
    assert result.outputs["out"].tolist() == [2 * t for t in range(32)]


def test_a_kernel_without_end_meets_the_step_budget() -> None:
    text = thread("mutable int n = 0; while (n >= 0) { n += 1; n -= 1; }")
    result = run(text, out(), max_steps=500)
    assert isinstance(result.error, StepLimitError)
    assert result.error.message == "the kernel did not end within 500 steps"
    assert text[result.error.span.start :].startswith("while")


def test_a_missing_argument() -> None:
    assert failing(thread("out.at(t) = 1;"), arrays={})[0] == "no data is given for 'out'"


def test_extents_that_do_not_fit() -> None:
    text = "__co__ void f(global s32 [N] a, global s32 [N] b) { parallel t by 1 : thread { a.at(0) = 1; } }"
    message, place = failing(text, {"a": np.zeros(4, np.int32), "b": np.zeros(5, np.int32)})
    assert message == "an extent of 'b' is 5 and should be 4"
    assert place == "N"


def test_division_by_zero() -> None:
    text = "__co__ void f(global s32 [32] out, int n) { parallel t by 32 : thread { x = 4 / n; out.at(t) = x; } }"
    assert failing(text, scalars={"n": 0}) == ("division by zero", "4 / n")


def test_a_slot_that_does_not_exist() -> None:
    text = """__co__ void f(global s32 [32] out, int n) {
      parallel b by 1 : block {
        shared event e[2];
        parallel p by 2 : group-4 {
          inthreads.async (p == 0) { trigger e[n]; }
          inthreads.async (p == 1) { wait e[n]; }
        }
      }
    }"""
    assert failing(text, scalars={"n": 2})[0] == "index 2 of 'e' is out of range: 2 slots"


def test_prints_are_collected() -> None:
    text = '__co__ void f(global s32 [2] out) { parallel t by 2 : thread { println("t = ", t, 1.5f); out.at(t) = 1; } }'
    assert run(text, {"out": np.zeros(2, np.int32)}).prints == ("t = {0}1.500000\n", "t = {1}1.500000\n")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (thread("mutable int i = 0; while (true) { i += 1; } out.at(t) = i;"), "while (true)"),
        ("__co__ void f(global s32 [32] out) { mutable int i = 0; while (i < 5) { i += 0; } }", "while (i < 5)"),
    ],
)
def test_a_loop_that_never_ends_is_told_after_a_part_of_the_steps(text: str, place: str) -> None:
    result = run(text, out(), max_steps=80_000)
    assert isinstance(result.error, StepLimitError)
    assert result.error.message == "this loop did not end within 2000 rounds, all that a run of 80000 steps leaves it"
    assert text[result.error.span.start :].startswith(place)
    assert result.steps <= 2010


def test_a_loop_of_more_rounds_than_steps_is_refused_before_its_first() -> None:
    text = thread("foreach i in [1000, 1000] { out.at(t) = 1; }")
    result = run(text, out(), max_steps=999_999)
    assert isinstance(result.error, StepLimitError)
    assert result.error.message == "this loop has 1000000 rounds, more than the 999999 steps of a run"
    assert text[result.error.span.start :].startswith("foreach i")
    assert out()["out"].tolist() == result.outputs["out"].tolist()


def test_a_long_loop_that_is_left_early_runs() -> None:
    text = thread("foreach i in [1000000] { if (i == 3) break; out.at(t) = i; }")
    result = run(text, out(), max_steps=1000)
    assert result.error is None
    assert result.outputs["out"].tolist() == [2] * 32


@pytest.mark.parametrize("levels", [": block", ": block, c by 1 : block"])
def test_a_launch_of_too_many_blocks_is_refused(levels: str) -> None:
    text = (
        f"__co__ void f(global s32 [32] out) {{ parallel b by 1000000000 {levels}, t by 32 : thread out.at(t) = 1; }}"
    )
    result = run(text, out())
    assert result.error is not None
    assert result.error.unsupported
    assert result.error.message == ("this launch has 1000000000 blocks, a run takes up to 1048576; use smaller sizes")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("out.at(t) = out.at(t) / n;", "out.at(t) / n"),
        ("out.at(t) = 8 % out.at(t);", "8 % out.at(t)"),
        ("out.at(t) = 8 / (t - 5);", "8 / (t - 5)"),
        ("out.at(t) /= n;", "out.at(t) /= n"),
        ("mutable int x = t; x %= n;", "x %= n"),
        ("out.at(t) = cdiv(out.at(t), n);", "cdiv(out.at(t), n)"),
    ],
)
def test_an_integer_divided_by_zero_ends_the_run_at_its_place(body: str, place: str) -> None:
    text = f"__co__ void f(global s32 [32] out, int n) {{ parallel t by 32 : thread {{ {body} }} }}"
    assert failing(text, scalars={"n": 0}) == ("division by zero", place)


def test_threads_that_do_not_divide_may_have_a_divisor_of_zero() -> None:
    result = run(thread("if (t > 0) { out.at(t) = 64 / t; } x = t > 1 ? 32 % t : 7; out.at(t) += x;"), out())
    assert result.error is None
    assert result.outputs["out"][:4].tolist() == [7, 64 + 7, 32 + 0, 21 + 2]


def test_floats_divide_by_zero() -> None:
    text = "__co__ void f(global f32 [32] out) { parallel t by 32 : thread { out.at(t) = 1.0f / out.at(t); } }"
    result = run(text, {"out": np.zeros(32, np.float32)})
    assert result.error is None
    assert np.isinf(result.outputs["out"]).all()


def test_what_no_handler_foresaw_is_told_without_the_words_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(c: object, node: object) -> object:
        raise TypeError("int() argument must be a string, not 'tuple'")

    monkeypatch.setitem(STATEMENT_HANDLERS, ast.Assign, handler)
    result = run(thread("out.at(t) = 1;"), out())
    assert result.error is not None
    assert result.error.unsupported
    assert result.error.message == "the simulator does not understand this"
