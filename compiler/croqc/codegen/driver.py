"""What CUDA is told of tensor maps, in the words of its API. Must not decide which maps there are.

The host side prints these words, the engine looks them up in the bindings: both make the same maps (CUDA driver API,
cuTensorMapEncodeTiled).
"""

from __future__ import annotations

from typing import Final

FORMATS: Final = {
    "u8": "UINT8", "s8": "UINT8", "f8_e4m3": "UINT8", "f8_e5m2": "UINT8", "bool": "UINT8", "u16": "UINT16",
    "s16": "UINT16", "u32": "UINT32", "s32": "INT32", "u64": "UINT64", "s64": "INT64", "f16": "FLOAT16",
    "bf16": "BFLOAT16", "f32": "FLOAT32", "tf32": "FLOAT32", "f64": "FLOAT64",
}  # fmt: skip
"""Element types that a tensor map can have; those that the driver lacks as unsigned integers of the same size."""

PROMOTION: Final = "CU_TENSOR_MAP_L2_PROMOTION_L2_256B"


def format_word(elem: str) -> str:
    """The CUtensorMapDataType of an element type."""
    return f"CU_TENSOR_MAP_DATA_TYPE_{FORMATS[elem]}"


def swizzle_word(size: int) -> str:
    """The CUtensorMapSwizzle of 0, 32, 64 or 128 bytes."""
    return f"CU_TENSOR_MAP_SWIZZLE_{f'{size}B' if size else 'NONE'}"
