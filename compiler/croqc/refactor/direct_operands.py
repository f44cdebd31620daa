"""Shared tiles straight in the multiply instead of `mma.load` and `mma.commit` (reference, 6; course to current).

    foreach {i} in [4] {
      ma = mma.load.swiz<128> a_s[s].chunkat(_, i);
      mb = mma.load.swiz<128> w_s[s].chunkat(_, i);
      mma.row.row acc, ma, mb;
    }
    mma.commit;
    trigger empty[s];

becomes

    foreach {i} in [4] {
      mma.row.row acc, a_s[s].chunkat(_, i), w_s[s].chunkat(_, i);
    }
    trigger empty[s];

A function goes as a whole: in one without `mma.commit` and without loads of shared tiles the reads of a multiply end
at its statement (credit-flow, section 3). Loads into registers stay. A release that comes before its `mma.commit`
would be mended silently, and is refused instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.refactor.base import Code, Outcome, Refusal
from croqc.sema.model import OperandKind, Symbol
from croqc.sema.roots import base_name
from croqc.sema.swizzles import written_swizzle
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Use shared tiles as operands without 'mma.load' and 'mma.commit'"
_WIDTH = 120
_ENDS = (ast.MmaCommit, ast.InThreads, ast.MmaStore, ast.MmaScale, ast.Apply, ast.FragOp)


def applies(code: Code) -> bool:
    return bool(_loads(code) or _commits(code))


def edits(code: Code) -> Outcome:
    kept = next((node for node in _commits(code) if node.keep), None)
    if kept is not None:
        return Refusal(f"'mma.wait<{kept.keep}>' leaves {kept.keep} groups open; only futures can say that", kept.span)
    early = _early_release(code)
    if early is not None:
        return early
    replaced = _Operands(code)
    problem = replaced.collect()
    if problem is not None:
        return problem
    gone = (*_commits(code), *_loads(code))
    made = next((node for node in gone if not code.written(node)), None)
    if made is not None:
        return Refusal("a macro makes the loads or the commit", made.span)
    return (*map(code.removal, gone), *replaced.edits())


def _loads(code: Code) -> list[ast.MmaLoad]:
    """Loads of shared tiles, which read nothing themselves."""
    return [node for node, kind in code.model.loads.items() if kind is OperandKind.SHARED]


def _commits(code: Code) -> list[ast.MmaCommit]:
    return [node for node in code.around if isinstance(node, ast.MmaCommit)]


def _early_release(code: Code) -> Refusal | None:
    """The first trigger that stands, in source order, behind a multiply whose reads nothing has ended yet."""
    if code.model.ends_at_statement:
        return None
    open_since: ast.Mma | None = None
    for node in code.around:
        if isinstance(node, ast.Mma):
            open_since = node if node.form == "" or node.form == "sp" else open_since
        elif (isinstance(node, _ENDS) or _drains(node)) and not _conditional(code, node, open_since):
            open_since = None
        elif isinstance(node, ast.Trigger) and open_since is not None:
            return Refusal("the trigger releases a stage before 'mma.commit' has ended its reads", node.span)
    return None


def _conditional(code: Code, end: ast.Node, multiply: ast.Mma | None) -> bool:
    """Whether a path may go past the end of the reads: a condition stands around it and not around the multiply."""
    around = code.around[multiply].chain if multiply is not None else ()
    return any(isinstance(node, ast.If | ast.While) and node not in around for node in code.around[end].chain)


def _drains(node: ast.Node) -> bool:
    """An island that waits for the group counts as `mma.commit`."""
    text = node.text.value if isinstance(node, ast.Cpp) else ""
    return "warpgroup_wait<0>" in text or "wgmma.wait_group" in text


class _Operands:
    """Which load each operand of a multiply stands for."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.loads = {node: self._target(node) for node in _loads(code)}
        self.sources: dict[ast.Expr, ast.MmaLoad] = {}
        self.multiplies: list[ast.Mma] = []

    def _target(self, load: ast.MmaLoad) -> Symbol | None:
        return self.code.model.uses.get(load.target) if isinstance(load.target, ast.Name) else None

    def collect(self) -> Refusal | None:
        for load, symbol in self.loads.items():
            if symbol is None:
                return Refusal("the tile is loaded into an array of tiles", load.span)
            if not self._keeps_swizzle(load):
                return Refusal("the load's swizzle is the only one that is written for its buffer", load.span)
        targets = set(self.loads.values())
        for node in self.code.around:
            if isinstance(node, ast.Mma):
                self.multiplies.append(node)
                for operand in (node.a, node.b, *node.extra):
                    problem = self._resolve(node, operand, targets)
                    if problem is not None:
                        return problem
        return self._other_use(targets)

    def _keeps_swizzle(self, load: ast.MmaLoad) -> bool:
        """The buffer has the same layout when the load is gone: a copy writes it, too."""
        wanted = written_swizzle(load.swizzle)
        if not wanted:
            return True
        filled = self.code.roots.of_node(load.source)
        for copy in self.code.model.copies:
            if filled & self.code.roots.of_dest(copy):
                for modifier in copy.modifiers:
                    if written_swizzle(modifier) == wanted:
                        return True
        return False

    def _resolve(self, multiply: ast.Mma, operand: ast.Expr, targets: set[Symbol | None]) -> Refusal | None:
        symbol = self.code.model.uses.get(operand) if isinstance(operand, ast.Name) else None
        if symbol is None or symbol not in targets:
            return None
        load = self._load_before(multiply, symbol)
        if load is None:
            return Refusal(f"'{symbol.name}' is not loaded in the multiply's block or one around it", operand.span)
        if self._changes(load, multiply):
            return Refusal(f"what '{symbol.name}' was loaded from changes before the multiply", operand.span)
        self.sources[operand] = load
        return None

    def _load_before(self, multiply: ast.Mma, symbol: Symbol) -> ast.MmaLoad | None:
        """The last load of the name in front of the multiply, in its block or in one around it."""
        node: ast.Node = multiply
        for outer in (*reversed(self.code.around[multiply].chain), None):
            block = self.code.blocks[node]
            before = block.stmts[: block.stmts.index(node)]
            for stmt in reversed(before):
                if isinstance(stmt, ast.MmaLoad) and self.loads.get(stmt) is symbol:
                    return stmt
            if outer is None or isinstance(outer, ast.InThreads | ast.Parallel):
                return None
            node = outer
        return None

    def _changes(self, load: ast.MmaLoad, multiply: ast.Mma) -> bool:
        """Whether a name of the load's source means something else at the multiply."""
        used = [self.code.model.uses.get(name) for name in walk(load.source) if isinstance(name, ast.Name)]
        named = {symbol.name: symbol for symbol in used if symbol is not None}
        between = [node for node in self.code.around if load.span.end <= node.span.start < multiply.span.start]
        if any(isinstance(node, ast.Rotate) for node in between):
            return True
        if (
            any(symbol.mutable for symbol in named.values())
            and self.code.blocks[load] is not self.code.blocks[multiply]
        ):
            return True
        inner = (
            name
            for stmt in (*between, *self.code.around[multiply].chain)
            for name in _declared(stmt)
            if name.id in named and name.span.start > load.span.end
        )
        return any(self.code.model.uses.get(name) is not named[name.id] or named[name.id].mutable for name in inner)

    def _other_use(self, targets: set[Symbol | None]) -> Refusal | None:
        """A loaded tile that something else than a multiply mentions."""
        known = set(self.sources) | {load.target for load in self.loads}
        for name, symbol in self.code.model.uses.items():
            if symbol in targets and name not in known:
                return Refusal(f"'{symbol.name}' is used by something else than a multiply", name.span)
        return None

    def edits(self) -> Iterator[Edit]:
        for multiply in self.multiplies:
            changed = [one for one in (multiply.a, multiply.b, *multiply.extra) if one in self.sources]
            texts = {operand: self.code.of(self.sources[operand].source) for operand in changed}
            if not changed:
                continue
            growth = sum(len(text) - operand.span.length for operand, text in texts.items())
            width = multiply.span.end - self.code.line_start(multiply.span.start) + growth
            fits = width <= _WIDTH and "\n" not in self.code.of(multiply)
            for operand, text in texts.items():
                if fits:
                    yield Edit(operand.span, text)
                else:
                    yield self._on_its_own_line(multiply, operand, text)

    def _on_its_own_line(self, multiply: ast.Mma, operand: ast.Expr, text: str) -> Edit:
        start = operand.span.start
        while self.code.text[start - 1] in " \t":
            start -= 1
        lead = self.code.newline + self.code.indent(multiply.span.start) + "  "
        if self.code.text[start - 1] in "\r\n":
            return Edit(operand.span, text)
        return Edit(Span(start, operand.span.end), lead + text)


def _declared(stmt: ast.Node) -> Iterator[ast.Name]:
    """Names that a statement declares or assigns."""
    match stmt:
        case ast.Assign():
            for part in stmt.parts:
                name = base_name(part.target)
                if name is not None:
                    yield name
        case ast.Foreach() | ast.With():
            for binding in stmt.bindings:
                yield from binding.names
        case ast.ScalarDecl():
            yield from (one.name for one in stmt.inits)
        case ast.Copy() | ast.AnyFuture() if stmt.target is not None:
            yield stmt.target
