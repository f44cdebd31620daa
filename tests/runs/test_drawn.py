"""Large inputs: each element from its index alone, with the distributions of the small ones."""

from __future__ import annotations

import numpy as np
import pytest

from croqc.runs import drawn as module
from croqc.runs.drawn import Draw, drawn, stored_type, widened
from croqc.runs.elements import ELEMENTS, Array, poison, round_to
from croqc.runs.inputs import input_array, small_values

FLOATS = ("f64", "f32", "tf32", "f16", "bf16")
SMALL = ("f8_e4m3", "f8_e5m2", "f8_ue4m3", "f8_ue8m0", "f6_e3m2", "f6_e2m3", "f4_e2m1")
OTHERS = ("s8", "u8", "s32", "u32", "s64", "u64", "s4", "u4", "bool")


def values(elem: str, shape: tuple[int, ...] = (300, 200), seed: int = 5, position: int = 1) -> Array:
    return np.asarray(widened(elem, drawn(Draw(elem, shape, seed, position))))


def test_splitmix_by_hand() -> None:
    """The first outputs of SplitMix64 from state 0 (the generator's published test values)."""
    assert module._mixed(0) == 0xE220A8397B1DCDAF
    assert module._mixed(module._GAMMA) == 0x6E789E6AA1B965F4


@pytest.mark.parametrize("elem", FLOATS)
def test_floats_are_normal(elem: str) -> None:
    found = values(elem)
    assert abs(found.mean()) < 0.02 and abs(found.std() - 1) < 0.02
    assert abs((np.abs(found) < 1).mean() - 0.6827) < 0.01
    assert 3.5 < np.abs(found).max() < 7
    assert np.array_equal(found, round_to(elem, found).astype(np.float64))  # the type holds each of them


@pytest.mark.parametrize("elem", SMALL)
def test_narrow_floats_are_the_small_values_evenly(elem: str) -> None:
    expected = small_values(elem).astype(np.float64)
    found, counts = np.unique(values(elem), return_counts=True)
    assert found.tolist() == expected.tolist()
    assert counts.min() > 0.7 * counts.mean()


@pytest.mark.parametrize("elem", OTHERS)
def test_others_have_the_range_of_the_small_inputs(elem: str) -> None:
    assert np.unique(values(elem)).tolist() == np.unique(input_array(elem, (4000,), 1, 0).astype(np.int64)).tolist()


def test_an_element_hangs_on_its_index_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = values("f16", (50, 70))
    monkeypatch.setattr(module, "CHUNK", 64)
    assert np.array_equal(values("f16", (50, 70)), whole)
    assert np.array_equal(values("f16", (3500,)), whole.reshape(-1))
    assert np.array_equal(values("bf16", (50, 70)), values("bf16", (3500,)).reshape(50, 70))


def test_streams_differ_by_seed_and_position() -> None:
    one, other, third = values("f32"), values("f32", seed=6), values("f32", position=2)
    for left, right in ((one, other), (one, third), (other, third)):
        assert abs(np.corrcoef(left.reshape(-1), right.reshape(-1))[0, 1]) < 0.02
    assert np.array_equal(one, values("f32"))


@pytest.mark.parametrize("elem", ["f32", "bf16", "f8_e4m3", "f4_e2m1", "s32", "bool"])
def test_poison_is_that_of_a_buffer(elem: str) -> None:
    found = drawn(Draw(elem, (2, 3), 0, 0, poisoned=True))
    assert found.dtype == stored_type(elem)
    assert found.tobytes() == poison(elem, (2, 3)).tobytes()


@pytest.mark.parametrize("elem", [*FLOATS, *SMALL, *OTHERS])
def test_widening_is_numpys_own(elem: str) -> None:
    stored = drawn(Draw(elem, (9, 11), 3, 0))
    held = stored.view(ELEMENTS[elem].dtype)
    expected = held.astype(np.float64 if ELEMENTS[elem].kind == "float" else held.dtype)
    assert np.array_equal(widened(elem, stored), expected)


def test_a_placeholder_takes_no_memory() -> None:
    found = Draw("f32", (1 << 20, 1 << 20), 0, 0).placeholder
    assert (found.shape, found.dtype, found.strides) == ((1 << 20, 1 << 20), np.float32, (0, 0))
