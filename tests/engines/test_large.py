"""Runs whose data the card makes and judges: the same code as on the host, with NumPy in the card's place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from croqc.engines.gpu.judging import Judged, Judging, Line, Named, judge
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.protocol import Array as Memory
from croqc.engines.gpu.protocol import Job
from croqc.runs.drawn import Draw, drawn, widened
from croqc.runs.elements import ELEMENTS, Array, round_to
from croqc.runs.evaluate import HostOnlyError
from croqc.runs.report import Verdict
from croqc.service import run_data
from croqc.service.check import check_text
from croqc.service.run import RunReport, run_file
from croqc.service.run_data import make_data
from croqc.service.run_large import can_stay, judged_outcome, large_run
from croqc.service.run_plan import CardRequest, Request
from croqc.service.run_verdict import judge as judge_on_host
from tests.engines.children import on_stub
from tests.engines.test_run_on_card import ADD, recheck
from tests.gpu.cases import given, plan
from tests.gpu.parts.references import wide
from tests.gpu.reference import RESULT
from tests.gpu.references import REFERENCES

Card = Callable[..., Parent]
SIZES = {"M": 24, "N": 40}


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Card:
    """The real child on a stub of CuPy whose kernel adds; data is large from 1 KiB on."""
    monkeypatch.setattr(run_data, "LARGE", 1024)

    def make(what: str = "") -> Parent:
        return on_stub(monkeypatch, tmp_path / "kernels", what, 24 * 40)

    return make


def run(text: str, way: Parent, seed: int = 3) -> RunReport:
    request = Request(sizes=SIZES, seed=seed, card=CardRequest())
    return next(iter(run_file(check_text(text), request, recheck, None, way)))


def data_of(seed: int) -> dict[str, Array]:
    return {name: drawn(Draw("f32", (24, 40), seed, place)) for place, name in enumerate("ab")}


def test_the_card_makes_and_judges(card: Card) -> None:
    with card() as way:
        report = run(ADD, way)
    assert report.result.verdict is Verdict.VERIFIED
    (found,) = report.result.expectations
    sums = data_of(3)["a"].astype(np.float64) + data_of(3)["b"]
    assert found.total == 24 * 40
    assert found.norms.max_abs == np.abs(sums.astype(np.float32) - sums).max() > 0
    assert report.notes == ()


def test_only_the_worst_element_comes_back(card: Card) -> None:
    with card() as way:
        report = run(ADD.replace("result ~= a + b", "result ~= a - b"), way)
    (found,) = report.result.expectations
    data = data_of(3)
    assert report.result.verdict is Verdict.WRONG and found.worst is not None
    at = found.worst.index
    assert found.worst.got == data["a"][at] + data["b"][at]
    assert found.worst.want == float(data["a"][at]) - float(data["b"][at])
    assert found.worst.got - found.worst.want == pytest.approx(2 * data["b"][at])
    assert abs(data["b"][at]) > 0.99 * np.abs(data["b"]).max()
    assert found.within == ((0, 24), (0, 40))


@pytest.mark.parametrize("expect", ["result ~= a + b", "result ~= a - b"])
def test_what_the_card_cannot_judge_the_host_does(card: Card, expect: str) -> None:
    text = ADD.replace("result ~= a + b", expect)
    with card() as way:
        there = run(text, way)
    with card("no-room") as way:
        here = run(text, way)
    assert here.result.verdict is there.result.verdict
    assert here.result.expectations == there.result.expectations
    assert here.notes == ("compared on the host: OutOfMemoryError: out of memory allocating 1 byte",)


def test_a_line_without_meaning_is_told_at_its_place(card: Card) -> None:
    with card() as way:
        report = run(ADD.replace("result ~= a + b", "result ~= a + sum(b, axis=0)[1:]"), way)
    assert report.result.verdict is Verdict.NOT_RUN
    assert report.message == "shapes [33, 65] and [64] do not fit together"  # with the sizes of the run line
    assert report.place is not None and report.place[0].line == 3


def test_a_cast_is_for_the_host(card: Card) -> None:
    with card() as way:
        report = run(ADD.replace("result ~= a + b", "result ~= cast(a + b, bf16) rtol=1e-2 atol=1e-2"), way)
    assert report.result.verdict is Verdict.VERIFIED
    assert report.notes == ("compared on the host: HostOnlyError: a cast to bf16",)


def test_small_data_is_the_hosts(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the same as ever: the simulator's."""
    monkeypatch.setattr(run_data, "LARGE", 3 * 24 * 40 * 4 + 1)
    analysis = check_text(ADD).functions[0].analysis
    assert analysis is not None
    data = make_data(analysis.model, SIZES, 3, on_card=True)
    assert data.draws == {}
    assert np.array_equal(data.arrays["a"], make_data(analysis.model, SIZES, 3).arrays["a"])


def test_without_an_expectation_the_data_is_the_hosts(card: Card) -> None:
    """For the simulator makes the reference."""
    plain = "\n".join(line for line in ADD.splitlines() if not line.startswith("// croq: expect"))
    with card() as way:
        report = run(plain, way)
    assert report.result.verdict is Verdict.CONSISTENT
    assert report.result.expectations[0].text == "sum as in the plain order"


# --- the same code with NumPy, against the path of the host -----------------------------------------------

FILES = ("add.co", "gemm_bf16.co", "gemm_f8.co", "matmul_ragged.co", "pad.co", "swap_s32.co", "transpose.co")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("spoiled", [False, True])
def test_both_ways_say_the_same(name: str, spoiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outputs are rounded references, one element of them spoiled: what is said must be equal in every digit."""

    case = next(case for case in given() if case.file.name == name)
    _, planned = plan(case, Request())
    analysis = planned.function.analysis
    assert analysis is not None
    model = analysis.model
    monkeypatch.setattr(run_data, "LARGE", 1)
    shapes = make_data(model, planned.sizes, 7, on_card=True)
    stored = {key: drawn(draw) for key, draw in shapes.draws.items()}
    held = {key: stored[key].view(ELEMENTS[draw.elem].dtype) for key, draw in shapes.draws.items()}
    reference = REFERENCES[name]
    outputs = {
        key: np.ascontiguousarray(round_to(shapes.draws[key].elem if key else model.result.elem, values))
        for key, values in reference.compute(np, {key: wide(each) for key, each in held.items()}).items()
    }
    if spoiled:
        for values in outputs.values():
            values.reshape(-1)[5] = 3
    expects = [item for item in planned.directives.expects if item.expr is not None]
    host = judge_on_host(model, _with(shapes, held), _Result(held, outputs, RESULT), expects, planned.sizes)

    large = large_run(model, shapes, expects, planned.sizes)
    assert large is not None and can_stay(model)

    def after(item: Named) -> Any:
        values = outputs.get(item.array, outputs.get(RESULT) if item.array not in held else held[item.array])
        assert values is not None
        return widened(item.elem, values.view(stored[item.array].dtype if item.array in stored else values.dtype))

    sent = Judging.of_json(json.loads(json.dumps(asdict(large.judging))))
    assert sent == large.judging
    back = Judged.of_json(json.loads(json.dumps(judge(sent, after, after).to_json())))
    assert judged_outcome(model, back, expects) == host
    assert all(item.ok for item in host.results) != spoiled


class _Result:
    """What an engine gives back."""

    def __init__(self, held: Mapping[str, Array], outputs: Mapping[str, Array], result: str) -> None:
        self.outputs = {**held, **{key: each for key, each in outputs.items() if key != result}}
        self.result = outputs.get(result)


def _with(data: run_data.RunData, held: Mapping[str, Array]) -> run_data.RunData:
    return run_data.RunData(held, data.scalars, data.dims, data.elems)


def test_old_is_drawn_again() -> None:
    judging = Judging((Line("x == old(x) + 1", None, None),), (Named("x", "s32", None, 1, None, "x", (3,)),))
    before = np.array([1, 2, 3])
    assert judge(judging, lambda item: before + 1, lambda item: before).results[0].ok
    assert not judge(judging, lambda item: before, lambda item: before).results[0].ok


@pytest.mark.parametrize(
    ("line", "drawn_again"),
    [
        ("threshold == x", []),  # the word is in a name
        ("x == threshold + golden", []),
        ("x == old(x) + threshold", ["x"]),
        ("x == where(threshold > 0, -old(golden), x)", ["golden"]),
    ],
)
def test_only_what_old_names_is_drawn_again(line: str, drawn_again: list[str]) -> None:
    names = tuple(Named(name, "f32", None, 1, None, name, (2,)) for name in ("x", "threshold", "golden"))
    read: list[str] = []

    def before(item: Named) -> Any:
        read.append(item.name)
        return np.array([1.0, 2.0])

    judged = judge(Judging((Line(line, None, None),), names), lambda item: np.array([1.0, 2.0]), before)
    assert (judged.problem, read) == ("", drawn_again)


def test_names_that_a_line_does_not_use_are_not_read() -> None:
    names = tuple(Named(name, "f32", None, 1, None, name, (2,)) for name in "xyz")
    read: list[str] = []

    def after(item: Named) -> Any:
        read.append(item.name)
        return np.array([1.0, 2.0])

    judged = judge(Judging((Line("x == y", None, None), Line("x == q", None, None)), names), after, after)
    assert read == ["x", "y", "x"]
    assert (len(judged.results), judged.problem) == (1, "unknown name 'q'; known: x, y, z")
    assert (judged.start, judged.end) == (5, 6)


def test_a_job_with_draws_travels_in_a_line() -> None:

    draw = Draw("bf16", (2, 3), 2**63, 1, True)
    judging = Judging((Line("x == 1", 0.5, None),), (Named("x", "bf16", "f32", 16, "tf32", "x", (2, 3)),))
    job = Job("/nowhere", "code", "sm_90a", (Memory("x", 12, False, draw),), judging=judging)
    assert Job.of_json(json.loads(json.dumps(job.to_json()))) == job


def test_casts_are_refused_off_the_host() -> None:
    class Other:
        """A namespace that is not NumPy, with its functions."""

        def __getattr__(self, name: str) -> Any:
            return getattr(np, name)

    judging = Judging((Line("x == cast(x, bf16)", None, None),), (Named("x", "f32", None, 1, None, "x", (2,)),))
    with pytest.raises(HostOnlyError):
        judge(judging, lambda item: np.ones(2), lambda item: np.ones(2), Other())
    assert judge(judging, lambda item: np.ones(2), lambda item: np.ones(2)).results[0].ok
    plain = Judging((Line("x == cast(x, f16)", None, None),), judging.names)
    assert judge(plain, lambda item: np.ones(2), lambda item: np.ones(2), Other()).results[0].ok
    third = judge(plain, lambda item: np.full(2, 1 / 3), lambda item: np.ones(2), Other()).results[0]
    assert third.worst is not None and third.worst.want == float(np.float16(1 / 3))


def test_the_card_hears_what_loses_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accumulator, K of the instruction and type of the factors of a GEMM of f8 and one of f16."""
    monkeypatch.setattr(run_data, "LARGE", 1)
    found = {}
    for name in ("gemm_f8.co", "gemm_f16.co"):
        _, planned = plan(next(case for case in given() if case.file.name == name), Request())
        analysis = planned.function.analysis
        assert analysis is not None
        shapes = make_data(analysis.model, planned.sizes, 7, on_card=True)
        large = large_run(analysis.model, shapes, planned.directives.expects, planned.sizes)
        assert large is not None
        (output,) = (item for item in large.judging.names if item.name == "output")
        found[name] = (output.accumulator, output.k_step, output.factor)
    assert found == {"gemm_f8.co": ("f32", 32, "f8_e4m3"), "gemm_f16.co": ("f32", 16, None)}
