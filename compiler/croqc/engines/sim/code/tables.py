"""Which handler translates which node. Must not translate itself."""

from __future__ import annotations

from croqc.engines.sim.code.assign import ASSIGNMENTS
from croqc.engines.sim.code.compiler import CodeHandlers, FnHandlers
from croqc.engines.sim.code.control import CONTROL
from croqc.engines.sim.code.copies import COPIES
from croqc.engines.sim.code.declare import DECLARATIONS
from croqc.engines.sim.code.elements import REFERENCES
from croqc.engines.sim.code.events import EVENTS
from croqc.engines.sim.code.exprs import EXPRESSIONS
from croqc.engines.sim.code.fragments import FRAGMENTS
from croqc.engines.sim.code.launch import LAUNCHES
from croqc.engines.sim.code.loops import LOOPS
from croqc.engines.sim.code.output import OUTPUT
from croqc.engines.sim.code.sync import SYNC
from croqc.engines.sim.code.tensor import TENSOR

EXPRESSION_HANDLERS: FnHandlers = {**EXPRESSIONS, **REFERENCES}
STATEMENT_HANDLERS: CodeHandlers = {
    **ASSIGNMENTS,
    **CONTROL,
    **COPIES,
    **DECLARATIONS,
    **EVENTS,
    **FRAGMENTS,
    **LAUNCHES,
    **LOOPS,
    **OUTPUT,
    **SYNC,
    **TENSOR,
}
