"""Text of functions, blocks and control (reference, 2.2 to 2.4.7); the entry of the printer.

The text parses to a tree of the same shape (`visit.shape_of`). Comments, macros and layout are not in the
tree and are lost: a formatter of files must work on tokens (`formatter`), not through here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from croqc.syntax import ast as a
from croqc.syntax.printer_decls import DECLARATIONS, print_type
from croqc.syntax.printer_exprs import comma_list, print_expr
from croqc.syntax.printer_ops import OPERATIONS, print_attribute

__all__ = ["print_expr", "print_function", "print_stmt"]


def print_function(tree: a.Function, indent: int = 2) -> str:
    """The whole function, `indent` blanks a level, without a line end behind the last brace."""
    params = ", ".join(map(_param, tree.params))
    head = f"__co__ {print_type(tree.result)} {tree.name.id}({params})"
    return head + _Layout(indent).tail(tree.body, 0)


def print_stmt(node: a.Stmt, indent: int = 2, depth: int = 0) -> str:
    """One statement as it stands `depth` levels deep; its first line is indented, too.

    A statement that recovery could not read has no text of its own and prints as `;`.
    """
    return " " * (indent * depth) + _Layout(indent).stmt(node, depth)


def _param(node: a.Param) -> str:
    text = ("global " if node.is_global else "") + print_type(node.type) + ("&" if node.by_ref else "")
    return text if node.name is None else f"{text} {node.name.id}"


class _Layout:
    """Puts statements on lines; `depth` counts the levels around them."""

    def __init__(self, indent: int) -> None:
        self._indent = indent

    def stmt(self, node: a.Stmt, depth: int) -> str:
        head = _HEADS.get(type(node))
        if head is not None:
            body: a.Block = getattr(node, "then" if isinstance(node, a.If) else "body")
            return head(node) + self.tail(body, depth) + self._else(node, depth)
        return _LINES[type(node)](node) + ";"

    def tail(self, block: a.Block, depth: int) -> str:
        """What follows a header: a braced block, or one statement on a line of its own."""
        if not block.stmts:
            return " {}" if block.braced else " ;"
        lines = "".join(self._line(node, depth + 1) for node in block.stmts)
        return f" {{{lines}\n{self._pad(depth)}}}" if block.braced else lines

    def _else(self, node: a.Stmt, depth: int) -> str:
        if not isinstance(node, a.If) or node.other is None:
            return ""
        lead = " else" if node.then.braced else f"\n{self._pad(depth)}else"
        inner = node.other.stmts
        if not node.other.braced and len(inner) == 1 and isinstance(inner[0], a.If):
            return f"{lead} {self.stmt(inner[0], depth)}"
        return lead + self.tail(node.other, depth)

    def _line(self, node: a.Stmt, depth: int) -> str:
        return f"\n{self._pad(depth)}{self.stmt(node, depth)}"

    def _pad(self, depth: int) -> str:
        return " " * (self._indent * depth)


# --- headers of statements with a body ----------------------------------------------------------


def _names(tuple_name: a.Name | None, names: tuple[a.Name, ...], braced: bool) -> str:
    inner = comma_list(names)
    text = f"{{{inner}}}" if braced else inner
    return text if tuple_name is None else f"{tuple_name.id} = {text}"


def _axis(node: a.Axis) -> str:
    names = _names(node.tuple_name, node.names, node.braced)
    bounds = comma_list(node.bounds)
    text = f"{names} by " if names else "by "
    text += f"[{bounds}]" if node.bracketed else bounds
    if node.level is not None:
        text += f" : {node.level}" + ("" if node.level_arg is None else f"({node.level_arg.id})")
    return text + ("<cooperative>" if node.cooperative else "")


def _parallel(node: a.Parallel) -> str:
    attributes = "".join(print_attribute(item) + " " for item in node.attributes)
    stream = "" if node.stream is None else node.stream.id
    if stream:
        stream = f"({stream})" if node.paren_stream else f"<{stream}>"
    word = "parallel.async" if node.is_async else "parallel"
    return f"{attributes}{word}{stream} {', '.join(map(_axis, node.axes))}"


def _binding(node: a.Binding) -> str:
    return f"{_names(node.tuple_name, node.names, node.braced)} in {print_expr(node.extent)}"


def _with(node: a.With) -> str:
    where = ", ".join(f"{left.id} <-> {right.id}" for left, right in node.where)
    text = f"with {', '.join(map(_binding, node.bindings))}"
    return f"{text} where {where}" if where else text


def _range(node: a.Range) -> str:
    text = node.name.id if node.local is None else f"{node.local.id} = {node.name.id}"
    if not node.sliced:
        return text
    lo, hi, step = (None if part is None else print_expr(part) for part in (node.lo, node.hi, node.step))
    if step is None:
        return f"{text}({lo or ''}:{hi or ''})"
    return f"{text}({lo or ''}:{hi or ' '}:{step})"  # two colons in a row would be one token


def _hint(node: a.LoopHint) -> str:
    return f"{node.name}({comma_list(node.args)})" if node.args else node.name


def _foreach(node: a.Foreach) -> str:
    parts = [*map(_binding, node.bindings), *map(_range, node.ranges)]
    hints = ", ".join(map(_hint, node.hints))
    text = f"foreach {', '.join(parts)}"
    return f"{text} : {hints}" if hints else text


def _if(node: a.If) -> str:
    return f"if ({print_expr(node.cond)})"


def _while(node: a.While) -> str:
    return f"while ({print_expr(node.cond)})"


def _in_threads(node: a.InThreads) -> str:
    return f"inthreads{'.async' if node.is_async else ''} ({print_expr(node.cond)})"


def _apply(node: a.Apply) -> str:
    return f"apply {{{comma_list(node.names)}}} in {node.frag.id}.span"


# --- statements on one line ---------------------------------------------------------------------


def _assign_part(node: a.AssignPart) -> str:
    return f"{print_expr(node.target)} {node.op} {print_expr(node.value)}"


def _assign(node: a.Assign) -> str:
    return ", ".join(map(_assign_part, node.parts))


def _call(node: a.CallStmt) -> str:
    return print_expr(node.call)


def _jump(node: a.Jump) -> str:
    return node.word


def _return(node: a.Return) -> str:
    return "return" if node.value is None else f"return {print_expr(node.value)}"


def _error(_: a.ErrorStmt) -> str:
    return ""


_HEADS: Final[Mapping[type[a.Node], Callable[[Any], str]]] = {
    a.Parallel: _parallel,
    a.With: _with,
    a.Foreach: _foreach,
    a.If: _if,
    a.While: _while,
    a.InThreads: _in_threads,
    a.Apply: _apply,
}
_LINES: Final[Mapping[type[a.Node], Callable[[Any], str]]] = {
    a.Assign: _assign,
    a.CallStmt: _call,
    a.Jump: _jump,
    a.Return: _return,
    a.ErrorStmt: _error,
    **DECLARATIONS,
    **OPERATIONS,
}
