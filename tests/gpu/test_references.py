"""The references of the examples: by hand on small data, and against the simulator in the place of the card."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from croqc.engines.arguments import LaunchArgs
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.run import CardOptions, CardResult, Lower
from croqc.engines.sim.simulate import SimOptions, simulate
from croqc.sema.model import Model
from croqc.service import run_card
from tests.engines.children import parent
from tests.gpu.cases import Case, cases, name_of
from tests.gpu.parts import references as part
from tests.gpu.reference import RESULT
from tests.gpu.references import REFERENCES, reference_of

CASES = list(cases())


def test_every_case_has_a_reference() -> None:
    found = {id(reference_of(case.file.name, case.function)) for case in CASES}
    assert found == {id(reference) for reference in REFERENCES.values()}


def outputs(name: str, **inputs: Any) -> Any:
    return REFERENCES[name].compute(np, {key: np.array(value) for key, value in inputs.items()})


def test_products_by_hand() -> None:
    lhs, rhs = [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    assert outputs("gemm_f16.co", lhs=lhs, rhs=rhs)["output"].tolist() == [[17, 23], [39, 53]]
    assert outputs("warp_s8.co", q=lhs, k=rhs)["out"].tolist() == [[17, 23], [39, 53]]
    assert outputs("wgmma_a_registers.co", a=lhs, b=rhs)["out"].tolist() == [[17, 23], [39, 53]]
    assert outputs("matmul_scalar.co", lhs=lhs, rhs=rhs)[RESULT].tolist() == [[19, 22], [43, 50]]
    assert outputs("warp_row_col.co", a=lhs, b=rhs)["out"].tolist() == [[19, 22], [43, 50]]


def test_the_others_by_hand() -> None:
    assert outputs("add.co", a=[[1, 2]], b=[[10, 20]])[RESULT].tolist() == [[11, 22]]
    assert outputs("row_scale.co", src=[[1, 2], [3, 4]], weight=[10, 100])["out"].tolist() == [[10, 20], [300, 400]]
    assert outputs("row_sum.co", src=[[1, 2], [3, 4]])["total"].tolist() == [3, 7]
    assert outputs("transpose.co", src=[[1, 2], [3, 4]])["out"].tolist() == [[1, 3], [2, 4]]
    assert outputs("rotate_triple.co", src=[[1, -2]])["out"].tolist() == [[3, -6]]
    padded = outputs("pad.co", src=np.ones((12, 28)))["out"]
    assert (padded.shape, padded.sum()) == ((16, 32), 12 * 28)
    assert not padded[[0, 7, 8, 15]].any() and not padded[:, [0, 1, 30, 31]].any()


def test_a_small_error_is_seen() -> None:
    reference = REFERENCES["gemm_f16.co"]
    rng = np.random.default_rng(5)
    inputs = {name: rng.standard_normal((64, 64)).astype(np.float16) for name in ("lhs", "rhs")}
    right = (inputs["lhs"].astype(np.float64) @ inputs["rhs"].astype(np.float64).T).astype(np.float16)
    assert part.judged(reference, inputs, {"output": right})["outcome"] == "right"
    lost = right.copy()
    lost[3, 5] -= np.float16(inputs["lhs"][3, 0] * inputs["rhs"][5, 0])  # one of 64 products is missing
    assert part.judged(reference, inputs, {"output": lost})["outcome"] == "wrong"
    assert part.judged(reference, inputs, {"output": right[:32]})["outcome"] == "wrong"


def test_a_small_error_is_seen_beside_a_bound_of_its_own() -> None:
    """The fifth of a usual weight in `attention`; one product of 32 in a sparse multiply; one of 64 sums in `total`."""
    rng = np.random.default_rng(7)

    def drawn(*shape: int, elem: type = np.float16) -> Any:
        return rng.standard_normal(shape).astype(elem)

    queries, keys = {"q": drawn(64, 64), "k": drawn(192, 64), "v": drawn(192, 64)}, 192
    assert 1 / keys / 5 < REFERENCES["attention.co"].beyond("out", queries) < 1 / keys
    sparse = {"x": drawn(64, 32), "w": drawn(64, 64)}
    assert REFERENCES["sparse_f16.co"].beyond("out", sparse) < 1e-3
    halves = {"a": drawn(128, 32), "b": drawn(64, 32), "scale": drawn(128, elem=np.float32)}
    reference = REFERENCES["frag_halves.co"]
    assert 8 * reference.beyond("out", halves) == reference.beyond("total", halves) < 1.0


def simulated(
    model: Model, lower: Lower, args: LaunchArgs, card: Parent, options: CardOptions, large: None = None
) -> CardResult:
    """The simulator in the place of the card, its results in the card's form."""
    found = simulate(model, args, SimOptions(seed=3, workers=1))
    assert found.error is None, found.error
    return CardResult(found.outputs, found.result)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_each_outcome_is_the_one_that_is_written_down(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (part, run_card):
        monkeypatch.setattr(module, "run_on_card", simulated)
    with parent("good") as card:
        row = part.examined(case, card, 20260101)
    assert row["agree"], row
    if row["outcome"] == "right":
        assert row["error"] is not None


def test_the_note_of_an_assumption_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The course kernel's tiles of `rhs` are chunks: N is taken to be a multiple of 64."""
    for module in (part, run_card):
        monkeypatch.setattr(module, "run_on_card", simulated)
    (case,) = [each for each in CASES if each.file.name == "pipeline_course.co" and each.kind == "ragged"]
    with parent("good") as card:
        row = part.examined(case, card, 1)
    assert (row["outcome"], row["agree"]) == ("wrong", True)
    assert row["notes"][0] == "N % 64 == 0 does not hold: N is 136, so the tiles of 'rhs' are not whole"
