"""The buffer that each exchanged future keeps (reference, 3.7: under `swap` and `rotate` "the set of futures keeps one
buffer each"). Must not run anything.
"""

from __future__ import annotations

from croqc.flow.ops_control import Fail
from croqc.flow.ops_data import Copy
from croqc.flow.ops_futures import Rotate
from croqc.flow.program import Program, Stage
from croqc.sema.model import Symbol

_MIXED = "some copies of futures that are exchanged name their buffer, others do not ('=> shared')"


def give_homes(program: Program) -> None:
    """Gives each future of an exchange the slots of its first copy `=> shared`; one that has none gets as many slots of
    its own as the others have. What a copy writes whose future keeps another buffer by then is not followed."""
    copies = [op for op in program.ops if isinstance(op, Copy) and op.handle >= 0 and op.dest.operand is not None]
    made: dict[int, Stage] = {}
    for op in copies:
        stage = op.dest.operand.stage if op.dest.made and op.dest.operand is not None else None
        if stage is not None:
            made.setdefault(op.handle, stage)
    exchanges = [op for op in program.ops if isinstance(op, Rotate) and len(op.handles) > 1]
    _refuse_mixed(program, copies, exchanges)
    for exchange in exchanges:
        like = next((made[handle] for handle in exchange.handles if handle in made), None)
        for handle in exchange.handles:
            if like is not None:
                stage = made[handle] = made.get(handle) or _another(program, like, program.handles[handle])
                program.homes[handle] = tuple(range(stage.first, stage.first + stage.slots))


def _refuse_mixed(program: Program, copies: list[Copy], exchanges: list[Rotate]) -> None:
    """In place of each copy into a named buffer, where another future that its own is exchanged with, or it itself, is
    given one."""
    groups: list[frozenset[int]] = []
    for exchange in exchanges:
        joined = [group for group in groups if not group.isdisjoint(exchange.handles)]
        groups = [group for group in groups if group not in joined]
        groups.append(frozenset(exchange.handles).union(*joined))
    for group in groups:
        own = [op for op in copies if op.handle in group]
        if any(op.dest.made for op in own):
            for op in own:
                if not op.dest.made:
                    failed = Fail(op.span, _MIXED)
                    failed.role, failed.top = op.role, op.top
                    program.ops[program.ops.index(op)] = failed


def _another(program: Program, like: Stage, name: str) -> Stage:
    buffer = Symbol(name, like.symbol.kind, like.symbol.type, like.symbol.decl, like.symbol.name_span)
    stage = Stage(buffer, program.stage_slots, like.slots, like.rows, like.slot_bytes, like.span)
    program.stage_slots += stage.slots
    program.stages.append(stage)
    return stage
