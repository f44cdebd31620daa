"""What a launch hands to a kernel has a limit. Must not change the kernel.

Parameters take up to 32,764 bytes (CUDA C++ programming guide, kernel parameters; PTX ISA 8.1, .param); a tensor map
takes 128.
"""

from __future__ import annotations

from typing import Final

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.sema.elements import ELEMENTS

_MOST: Final = 32_764
_MAP, _POINTER = 128, 8
_OWN: Final = 64  # for what reports of waits and probes are given


def check_parameters(kernel: ir.Kernel) -> None:
    """Raises LoweringError where they are more."""
    maps = _MAP * len(kernel.maps)
    others = _POINTER * len(kernel.pointers) + sum(max(ELEMENTS[elem].bits // 8, 4) for _, elem in kernel.scalars)
    if maps + others + _OWN > _MOST:
        reason = f"this launch has {maps + others:,} bytes of parameters, {len(kernel.maps)} tensor maps among them"
        way = "give it fewer arrays, or one that holds several"
        raise LoweringError(f"{reason}, and {_MOST:,} are the most: {way}", kernel.span)
