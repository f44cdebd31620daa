"""Register hints as the current dialect writes them (reference, chapter 0; 2.13; no effect on the model).

    __cpp__("asm volatile(\\"setmaxnreg.dec.sync.aligned.u32 40;\\");");
    setreg.inc 232;

becomes

    call croq::cuda::setreg_dec(40);
    call croq::cuda::setreg_inc(232);

and `setreg 168;` outside every region becomes `[[maxnreg(168)]]` in front of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.refactor.base import Code, Outcome, Refusal
from croqc.sema.register_hint import register_hint
from croqc.syntax import ast
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Write the register hint in the current dialect"


def sites(code: Code) -> Iterator[ast.SetReg | ast.Cpp]:
    for stmt in code.around:
        if isinstance(stmt, ast.SetReg) or (isinstance(stmt, ast.Cpp) and "setmaxnreg" in stmt.text.value):
            yield stmt


def applies(code: Code, offset: int) -> bool:
    return any(stmt.span.touches(offset) for stmt in sites(code))


def edits(code: Code, stmt: ast.SetReg | ast.Cpp) -> Outcome:
    if not code.written(stmt):
        return Refusal("a macro makes the register hint", stmt.span)
    if isinstance(stmt, ast.Cpp):
        hint = register_hint(stmt.text.value)
        if hint is None or not hint.count.isdigit():
            return Refusal("the island does more than set a fixed number of registers", stmt.span)
        return code.replaced(stmt.span, f"call croq::cuda::setreg_{hint.direction}({hint.count});")
    value = code.of(stmt.value)
    if stmt.direction:
        return code.replaced(stmt.span, f"call croq::cuda::setreg_{stmt.direction}({value});")
    return _attribute(code, stmt, value)


def _attribute(code: Code, stmt: ast.SetReg, value: str) -> Outcome:
    around = code.around[stmt]
    if not around.parallels or around.regions:
        return Refusal("'[[maxnreg(n)]]' holds for a whole kernel; in a role write 'setreg.inc' or '.dec'", stmt.span)
    kernel = around.parallels[0]
    start = kernel.span.start
    joint = code.newline + code.indent(start) if code.opens_line(start) else " "
    return Edit(Span(start, start), f"[[maxnreg({value})]]{joint}"), code.removal(stmt)
