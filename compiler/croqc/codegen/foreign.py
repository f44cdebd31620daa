"""C++ of the file in a translation unit, and which of our headers and CUDA's its words need. Must not choose it.

NVRTC has no headers of C or C++ of its own, and the reference wants their names without an include (9.2).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from croqc.codegen.writer import Line
from croqc.text.record import record


@record
class Foreign:
    """`lines` stand in front of the kernels. `headers`: those of ours (`include/croq`), without suffix, that this C++
    and that of islands needs; `includes`: CUDA's."""

    lines: tuple[Line, ...] = ()
    headers: frozenset[str] = frozenset()
    includes: tuple[str, ...] = ()


NONE: Final = Foreign()

_CUDA_FLOATS: Final = re.compile(
    r"f16|bf16|f8_e4m3|f8_e5m2|bfp16|bfloat16|f8|half2?|nv_bfloat162?|__(?:half|bfloat16|nv_)\w*"
    r"|__\w+2(?:half|bfloat16)\w*|__h(?:add|sub|mul|div|fma|neg|abs|max|min|eq|ne|lt|le|gt|ge|isnan|isinf)2?\w*"
    r"|h2?(?:exp|exp2|exp10|log|log2|log10|sqrt|rsqrt|rcp|sin|cos|tanh|floor|ceil|trunc|rint)"
)
_WORDS: Final = {  # of our headers
    "stdint": re.compile(r"u?int(?:8|16|32|64)_t|uintptr_t"),
    "limits": re.compile(r"CHAR_BIT|U?INT_(?:MAX|MIN)|FLT_(?:MAX|MIN|EPSILON)|DBL_MAX|M_PI|INFINITY|NAN"),
    "cuda_floats": _CUDA_FLOATS,
    "choreo": re.compile(
        r"choreo|croq|to_f32|f16_to_f32|f32_to_f16|bf16_to_f32|f32_to_bf16|from_f32|choreo_assert|bfp16|bfloat16|f8"
    ),
    "warpgroup": re.compile(r"warpgroup_commit_batch|warpgroup_wait"),
}
_NAMESPACES: Final = {"nvcuda": "mma.h", "cooperative_groups": "cooperative_groups.h"}
INCLUDED: Final = frozenset(
    " ".join(
        (
            *_NAMESPACES.values(),
            "cuda_fp16.h cuda_bf16.h cuda_fp8.h cuda_runtime.h cuda_runtime_api.h cuda.h cstdint stdint.h",
            "cmath math.h cstddef stddef.h cstdio stdio.h climits limits.h cfloat float.h choreo.h croq.h",
        )
    ).split()
)
"""Headers whose names a unit has without the directive."""


def headers_for(words: Collection[str]) -> frozenset[str]:
    """Our headers that C++ of these words needs."""
    return frozenset(name for name, pattern in _WORDS.items() if any(map(pattern.fullmatch, words)))


def includes_for(words: Collection[str]) -> Iterator[str]:
    """CUDA's headers, beside those of `headers_for`."""
    yield from (header for name, header in _NAMESPACES.items() if name in words)
