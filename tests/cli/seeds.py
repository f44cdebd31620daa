"""The seeds' kernels as the examples hold them, and what the tests change in them. Must not assert."""

from __future__ import annotations

import re
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
SWAP = (EXAMPLES / "swap_s32.co").read_text(encoding="utf-8")
PIPELINE = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8")
BOOTSTRAP = """        foreach {s} in [MATMUL_STAGES] {
          trigger empty[s];
        }
"""
MACROS = ("MATMUL_WARP_M", "MATMUL_WARP_N", "MATMUL_TILE_K", "MATMUL_WARP_K", "MATMUL_STAGES")


def without_expectations(text: str) -> str:
    return re.sub(r"// croq: .*\n", "", text)


def without_macros(text: str) -> str:
    return re.sub(r"#define .*\n", "", text)
