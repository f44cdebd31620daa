"""Pass dependents: a launch begins while the one in front of it ends (PTX ISA, griddepcontrol).

Placing blocks, making barriers and fetching descriptors need nothing of other launches: they overlap with the last
blocks of the launch in front, if whoever starts both allows it (CUDA driver API, programmatic stream serialization).
Then every thread waits until that launch is complete and its writes are seen. Blocks that have nothing to do wait too:
a launch that ended before the one in front of it would let the next one begin too early. Without that allowance nothing
is waited for. The next launch begins once all blocks have ended. Letting it begin sooner (launch_dependents) gained
nothing on a card: its blocks wait where the last ones of this launch still work.
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
