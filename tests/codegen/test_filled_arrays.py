"""`acc = mma.fill.T[n] v` (reference, 6.1): the accumulators that `acc[n] = mma.fill.T v` declares.

The emulator runs them (`tests/gpu/coverage/filled_arrays.co`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.service.check import check_file, check_text
from croqc.service.cuda import cuda_of
from croqc.service.settings import Settings
from tests.codegen.compiling import complaints, log_of

FILE = Path(__file__).parents[1] / "gpu/coverage/filled_arrays.co"


@pytest.mark.slow
def test_they_compile() -> None:
    found = cuda_of(check_file(FILE, Settings()), None, {})
    assert found.problems == ()
    assert complaints(log_of(found.result.text, "sm_90a")) == []


@pytest.mark.parametrize("name", ["counted", "again"])
def test_both_forms_mean_the_same(name: str) -> None:
    text = FILE.read_text(encoding="utf-8")
    other = text.replace("acc = mma.fill.f32[2]", "acc[2] = mma.fill.f32")
    assert other.count("acc[2] = ") == 2
    one, two = (cuda_of(check_text(each, Settings()), name, {}).result.text for each in (text, other))
    assert f"{name}(" in one
    assert one == two
