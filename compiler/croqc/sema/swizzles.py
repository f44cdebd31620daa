"""Swizzle of shared buffers: one layout a buffer, written at a copy, a load or both (reference, 5.6; D12 to D14)."""

from __future__ import annotations

from typing import Final

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.model import Symbol
from croqc.sema.roots import Roots
from croqc.sema.types import Data, Storage
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.diagnostics import Related
from croqc.text.record import record
from croqc.text.span import Span

_LEGACY: Final = {0: 0, 1: 32, 2: 64, 3: 128}
_VALUES: Final = (32, 64, 128)


def written_swizzle(modifier: ast.Modifier | None) -> int | None:
    """The bytes that `.swiz<N>` asks for; 0 for an explicit "none", None for no modifier or a wrong value."""
    if modifier is None or modifier.name not in ("swiz", "swizzle"):
        return None
    if not modifier.args:
        return 0
    value = modifier.args[0]
    return value if value in _VALUES else _LEGACY.get(value)


def swizzle_modifier(node: ast.Copy | ast.MmaLoad) -> ast.Modifier | None:
    if isinstance(node, ast.MmaLoad):
        return node.swizzle
    return next((one for one in node.modifiers if one.name in ("swiz", "swizzle")), None)


@record
class _Use:
    """One copy into, copy out of, or load from a buffer, with the swizzle written there."""

    node: ast.Copy | ast.MmaLoad
    written: int | None
    fills: bool

    @property
    def span(self) -> Span:
        modifier = swizzle_modifier(self.node)
        return self.node.span if modifier is None else modifier.span


class Swizzles:
    """Collects what a function writes and settles one swizzle a buffer, with findings."""

    def __init__(self, builder: Builder, roots: Roots) -> None:
        self._b = builder
        self._roots = roots
        self._uses: dict[Symbol, list[_Use]] = {}
        moves: list[ast.Copy | ast.MmaLoad] = [
            *nodes_of_kind(builder.function, ast.Copy),
            *nodes_of_kind(builder.function, ast.MmaLoad),
        ]
        for node in sorted(moves, key=lambda one: one.span.start):
            self._collect(node)
        self.settled = {symbol: self._settle(symbol, uses) for symbol, uses in self._uses.items()}

    def _collect(self, node: ast.Copy | ast.MmaLoad) -> None:
        written = written_swizzle(swizzle_modifier(node))
        if isinstance(node, ast.Copy):
            filled = self._shared(self._roots.of_dest(node))
            for symbol in filled:
                self._uses.setdefault(symbol, []).append(_Use(node, written, fills=True))
            if filled:
                return
        for symbol in self._shared(self._roots.of_node(node.source)):
            self._uses.setdefault(symbol, []).append(_Use(node, written, fills=False))

    @staticmethod
    def _shared(symbols: frozenset[Symbol]) -> frozenset[Symbol]:
        return frozenset(one for one in symbols if isinstance(one.type, Data) and one.type.storage is Storage.SHARED)

    def _settle(self, symbol: Symbol, uses: list[_Use]) -> int:
        """The buffer's swizzle: the first one written, producers before consumers."""
        ordered = sorted(uses, key=lambda use: not use.fills)
        first = next((use for use in ordered if use.written is not None), None)
        if first is None or first.written is None:
            return 0
        for use in uses:
            if use.written is not None and use.written != first.written:
                place = Related(f"{first.written} bytes here", first.span)
                self._b.report(
                    rules.SWIZZLE_MISMATCH,
                    use.span,
                    (place,),
                    here=use.written,
                    there=first.written,
                    buffer=symbol.name,
                )
        if first.written:
            self._note_inherited(symbol, uses, first)
        return first.written

    def _note_inherited(self, symbol: Symbol, uses: list[_Use], first: _Use) -> None:
        """A load without a swizzle takes the copy's, and the other way round; plain copies out need no note."""
        for use in uses:
            pair = isinstance(use.node, ast.MmaLoad) or (use.fills and isinstance(first.node, ast.MmaLoad))
            if use.written is None and pair:
                place = Related(f"{first.written} bytes are written here", first.span)
                self._b.report(rules.SWIZZLE_INHERITED, use.span, (place,), swizzle=first.written, buffer=symbol.name)

    def of_symbols(self, symbols: frozenset[Symbol]) -> int:
        return max((self.settled.get(symbol, 0) for symbol in symbols), default=0)

    def of_copy(self, node: ast.Copy) -> int:
        """The swizzle of the copy's shared side."""
        return self.of_symbols(self._roots.of_dest(node)) or self.of_symbols(self._roots.of_node(node.source))
