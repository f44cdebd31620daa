"""Two roles that hand tiles on through a ring of three slots, each written by the test: for loops, their variables and
their numbers. Must not assert."""

from __future__ import annotations

_KERNEL = """__co__ void k(global s32 [R, C] src, global s32 [R, C] dst, global s32 [R] steps, int n, int J) {{
  {host}
  parallel b by {blocks} : block {{
    shared s32 [4, 32] ring[3];
    shared event full[3], empty[3] = ready;
    parallel w by 2 : group {{
      inthreads.async (w == 0) {{ {load} }}
      inthreads.async (w == 1) {{ {use} }}
    }}
  }}
}}
"""


def kernel(load: str, use: str, blocks: str = "132", host: str = "") -> str:
    """The kernel with the statements of both roles; `host` stands in front of the launch."""
    return _KERNEL.format(load=load, use=use, blocks=blocks, host=host)


def fill(slot: str, tile: str) -> str:
    """Load the tile of that number, "b, 0", into a slot."""
    return f"wait empty[{slot}]; dma.copy src.subspan(4, 32).at({tile}) => ring[{slot}]; trigger full[{slot}];"


def early(slot: str, tile: str) -> str:
    """The same, told before it is done."""
    return f"wait empty[{slot}]; trigger full[{slot}]; dma.copy src.subspan(4, 32).at({tile}) => ring[{slot}];"


def take(slot: str, tile: str) -> str:
    """Store what a slot holds as the tile of that number."""
    return f"wait full[{slot}]; dma.copy ring[{slot}] => dst.subspan(4, 32).at({tile}); trigger empty[{slot}];"
