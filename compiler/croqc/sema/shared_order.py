"""The stage that looks for missing barriers between threads of a block: one play of each kernel for all who watch."""

from __future__ import annotations

from croqc.sema.builder import Builder
from croqc.sema.overwritten import Overwritten
from croqc.sema.plays import Play
from croqc.sema.shared_elements import common_buffer, symbols_by_atom
from croqc.sema.unsynced import Unsynced
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind


def check_shared_order(builder: Builder) -> None:
    """One warning for each read, and each write, of what threads of another warp write, or may still have to read."""
    function = builder.function
    parts = nodes_of_kind(function, ast.AssignPart)
    plain = {part.target for part in parts if part.op == "="}
    read = {common_buffer(builder, chain) for chain in nodes_of_kind(function, ast.Chain) if chain not in plain}
    written = {common_buffer(builder, part.target) for part in parts}
    followed = {symbol for symbol in read & written if symbol is not None}
    if not followed:
        return
    atoms = symbols_by_atom(builder)
    for node, kernel in builder.masks.items():
        if not _leaves(node):  # who left before is not followed
            Play(builder, kernel, atoms, followed, (Unsynced(builder), Overwritten(builder))).parallel(node)


def _leaves(kernel: ast.Parallel) -> bool:
    yields = (jump.word == "yield" for jump in nodes_of_kind(kernel, ast.Jump))
    return any(yields) or any(nodes_of_kind(kernel, ast.Return))
