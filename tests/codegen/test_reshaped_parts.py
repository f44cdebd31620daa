"""`span_as` of parts of buffers whose elements lie one behind the other (reference, 3.5).

The emulator runs them (`tests/gpu/coverage/reshaped_parts.co`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.service.check import check_file, check_text
from croqc.service.cuda import cuda_of
from croqc.service.settings import Settings
from tests.codegen.compiling import complaints, log_of

FILE = Path(__file__).parents[1] / "gpu/coverage/reshaped_parts.co"


@pytest.mark.slow
def test_they_compile() -> None:
    found = cuda_of(check_file(FILE, Settings()), None, {})
    assert found.problems == ()
    assert complaints(log_of(found.result.text, "sm_90a")) == []


def test_a_part_that_may_not_exist_is_refused() -> None:
    text = FILE.read_text(encoding="utf-8").replace("x.chunkat(n, h)", "x.subspan(1, 32).at(n, h)")
    (problem,) = cuda_of(check_text(text, Settings()), "of_rows", {}).problems
    assert problem.code == "not-lowered"
    assert "all of which exist" in problem.message
