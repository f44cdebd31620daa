"""Words of the driver for tensor maps, against the bindings of the driver."""

from __future__ import annotations

import re

import pytest
from cuda.bindings import driver

from croqc.codegen.driver import FORMATS, format_word, swizzle_word
from croqc.sema.elements import ELEMENTS


@pytest.mark.parametrize("elem", FORMATS)
def test_a_format_is_as_wide_as_its_element(elem: str) -> None:
    word = format_word(elem)
    assert hasattr(driver.CUtensorMapDataType, word)
    assert int(re.sub(r"\D", "", word)) == ELEMENTS[elem].bits


@pytest.mark.parametrize(("size", "end"), [(0, "NONE"), (32, "32B"), (64, "64B"), (128, "128B")])
def test_words_of_swizzles(size: int, end: str) -> None:
    assert swizzle_word(size) == f"CU_TENSOR_MAP_SWIZZLE_{end}"
    assert hasattr(driver.CUtensorMapSwizzle, swizzle_word(size))
