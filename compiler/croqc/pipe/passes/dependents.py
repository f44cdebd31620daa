"""Pass dependents: a launch begins while the one in front of it ends (PTX ISA, griddepcontrol).

Placing blocks, making barriers and fetching descriptors need nothing of other launches. If whoever starts both allows
it (CUDA driver API, programmatic stream serialization), they overlap with the end of the launch in front: all of its
blocks have ended by then, but it is not complete, and its writes need not be seen. Then every thread waits until it is
and they are. Blocks that have nothing to do wait too: a launch that ended without would let the next one begin, which
waits for this one alone, while the one in front of both is still incomplete. Without that allowance nothing is waited
for. Letting the next launch begin before all blocks have ended (launch_dependents) gained nothing on a card: its blocks
wait where the last ones of this launch still work.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.targets.table import Feature
from croqc.text.record import replace


def dependents(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    if not env.target.has(Feature.DEPENDENT_LAUNCH):
        return kernel
    return replace(kernel, body=(ir.AwaitLaunches(kernel.span), *kernel.body))
