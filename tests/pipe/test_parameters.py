"""A launch with more parameters than CUDA passes is refused at its place."""

from __future__ import annotations

import pytest

from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit, Space, Tensor
from croqc.pipe.ir_declared import Pointer, TensorMap
from croqc.pipe.parameters import check_parameters
from croqc.text.record import replace
from tests.pipe.kernels import kernel


def test_the_bytes_of_maps_pointers_and_scalars() -> None:
    """240 arrays with a map each: 240 * (128 + 8) = 32,640 bytes. With 1 s32 they fit, with 10 s64 they do not."""
    arrays = tuple(Tensor(f"x{number}", "f16", (Lit(64), Lit(64)), Space.GLOBAL) for number in range(240))
    many = replace(kernel(), tensors=arrays, maps=tuple(TensorMap(each, (64, 64), 0) for each in arrays))
    many = replace(many, pointers=tuple(Pointer(each.name, True) for each in arrays))
    check_parameters(replace(many, scalars=(("M", "s32"),)))
    wide = replace(many, scalars=tuple((f"n{number}", "s64") for number in range(10)))
    with pytest.raises(LoweringError) as error:
        check_parameters(wide)
    assert error.value.message.startswith("this launch has 32,720 bytes of parameters, 240 tensor maps among them")
