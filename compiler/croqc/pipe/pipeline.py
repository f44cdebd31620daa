"""The passes in order, each with the reason for its place, and the driver that verifies the IR between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.passes.arguments import arguments
from croqc.pipe.passes.barriers import barriers
from croqc.pipe.passes.commits import commits
from croqc.pipe.passes.completion import completion
from croqc.pipe.passes.cover import cover
from croqc.pipe.passes.dependents import dependents
from croqc.pipe.passes.elect import elect
from croqc.pipe.passes.epilogue import epilogue
from croqc.pipe.passes.fold import fold
from croqc.pipe.passes.fragments import fragments
from croqc.pipe.passes.groups import groups
from croqc.pipe.passes.inflight import inflight
from croqc.pipe.passes.layout import layout
from croqc.pipe.passes.mechanism import mechanism
from croqc.pipe.passes.memory import memory
from croqc.pipe.passes.mirror import mirror
from croqc.pipe.passes.overwrite import overwrite
from croqc.pipe.passes.phases import phases
from croqc.pipe.passes.publish import publish
from croqc.pipe.passes.registers import registers
from croqc.pipe.passes.roles import roles
from croqc.pipe.passes.rows import rows
from croqc.pipe.passes.scales import scales
from croqc.pipe.passes.scopes import scopes
from croqc.pipe.passes.stored import stored
from croqc.pipe.passes.tensor_memory import tensor_memory
from croqc.pipe.passes.unread import unread
from croqc.pipe.verify import verify
from croqc.text.record import replace

Pass = Callable[[ir.Kernel, Env], ir.Kernel]

PASSES: Final[tuple[tuple[str, Pass], ...]] = (
    # First: which tiles lie wholly inside their tensors; mechanisms and guards hang on it.
    ("cover", cover),
    # Before everything that looks at roles.
    ("roles", roles),
    # Before fold, which only folds what completes on a barrier.
    ("mechanism", mechanism),
    # Behind mechanism: it joins TMA loads to arrivals, and gives the others events of their own, which phases numbers.
    ("fold", fold),
    # Behind fold, which expects bytes where their copies begin.
    ("mirror", mirror),
    # Behind fold, whose arrivals carry bytes: what is left are arrivals of cp.async.
    ("publish", publish),
    # Behind publish: the waits and the copies that are left are those by groups.
    ("groups", groups),
    # Needs the mechanisms (TMA wants 16-byte rows) and the multiplies; fixes the boxes of the tensor maps.
    ("layout", layout),
    # Behind mechanism and mirror: which copies are TMA's, and whose arrivals and waits are left to order anything.
    ("scopes", scopes),
    # Needs the layout: what may leave by stmatrix; takes shared memory that copies and multiplies have left.
    ("epilogue", epilogue),
    # Before rows and all that looks at accumulators: it makes more of them, and visits.
    ("scales", scales),
    # Behind scales, which makes more multiplies and reads of them; before rows, which fences runs of multiplies.
    ("completion", completion),
    # Needs the layout: where an instruction's K step starts inside a swizzled row.
    ("rows", rows),
    # Behind rows, which refuses accumulators that lie otherwise; commits, registers and barriers ask what visits use.
    ("fragments", fragments),
    # Behind rows, which refuses some multiplies and says how many instructions the others take.
    ("overwrite", overwrite),
    # Behind rows, which ends the groups of multiplies with A in registers.
    ("commits", commits),
    # Behind commits and rows: what a turn of a consumer's loop consists of is then plain.
    ("inflight", inflight),
    # Behind commits: the ends of groups that are left become arrivals. Behind epilogue: its stores load accumulators.
    ("tensor_memory", tensor_memory),
    # Behind fold and tensor_memory, which add waits.
    ("phases", phases),
    # Needs to know which copies one thread issues.
    ("elect", elect),
    # Needs the elected roles: they keep few registers.
    ("registers", registers),
    # After elect: an elected role needs no barrier among its threads.
    ("barriers", barriers),
    # Behind barriers and epilogue, which place the waits behind TMA stores.
    ("stored", stored),
    # Behind all that makes or sizes tensors: sizes and alignments are settled.
    ("memory", memory),
    # Behind all that drops or makes a use of a value; before arguments: it may have been all that read an array.
    ("unread", unread),
    # Behind all that makes copies: what threads touch, and what only transfers do, is settled.
    ("arguments", arguments),
    # Last: in front of whatever the others have put first.
    ("dependents", dependents),
)


def stages(kernel: ir.Kernel, env: Env) -> Iterator[tuple[str, ir.Kernel]]:
    """The kernel as built, then after each pass. Raises LoweringError where a target cannot do what is asked."""
    verify(kernel)
    yield "build", kernel
    for name, run in PASSES:
        kernel = run(kernel, env)
        kernel = replace(kernel, assumed=env.facts.noted(), passed=(*kernel.passed, name))
        verify(kernel)
        yield name, kernel


def lowered(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    """The kernel after all passes."""
    *_, (_, last) = stages(kernel, env)
    return last
