"""The buffer that each exchanged future keeps (reference, 3.7: under `swap` and `rotate` "the set of futures keeps one
buffer each"). Must not run anything.
"""

from __future__ import annotations

from croqc.flow.ops_data import Copy
from croqc.flow.ops_futures import Rotate
from croqc.flow.program import Program, Stage
from croqc.sema.model import Symbol


def give_homes(program: Program) -> None:
    """Gives each future of an exchange the slots of its first copy `=> shared`; one that has none gets as many slots of
    its own as the others have."""
    made: dict[int, Stage] = {}
    for op in program.ops:
        if isinstance(op, Copy) and op.handle >= 0 and op.dest.made and op.dest.operand is not None:
            stage = op.dest.operand.stage
            if stage is not None:
                made.setdefault(op.handle, stage)
    for op in program.ops:
        if not isinstance(op, Rotate) or len(op.handles) < 2:
            continue
        like = next((made[handle] for handle in op.handles if handle in made), None)
        for handle in op.handles:
            if like is not None:
                stage = made[handle] = made.get(handle) or _another(program, like, program.handles[handle])
                program.homes[handle] = tuple(range(stage.first, stage.first + stage.slots))


def _another(program: Program, like: Stage, name: str) -> Stage:
    buffer = Symbol(name, like.symbol.kind, like.symbol.type, like.symbol.decl, like.symbol.name_span)
    stage = Stage(buffer, program.stage_slots, like.slots, like.rows, like.slot_bytes, like.span)
    program.stage_slots += stage.slots
    program.stages.append(stage)
    return stage
