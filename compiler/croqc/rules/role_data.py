"""What roles do with memory: which statements work on it, and which role hands data to which. Must not edit or word.

Reads the tree and the model for the fixes of the credit-flow rules. Element accesses count as copies do.
"""

from __future__ import annotations

from functools import lru_cache

from croqc.flow.touches import Touch, Touches
from croqc.refactor.base import Code
from croqc.sema.model import Symbol
from croqc.sema.nesting import statements
from croqc.sema.types import Data, Storage
from croqc.syntax import ast

_MOVING = (ast.Copy, ast.Mma, ast.MmaLoad, ast.MmaStore, ast.MmaCommit, ast.CallStmt, ast.Apply)


def works(code: Code, node: ast.Node) -> bool:
    """Whether a statement, or one below it, copies, multiplies, stores, or reads or writes shared elements."""
    return any(begins_work(code, stmt) for stmt in (node, *(stmt for stmt, _ in statements(node))))


def begins_work(code: Code, stmt: ast.Node) -> bool:
    """The same of the statement itself, without its body."""
    return isinstance(stmt, _MOVING) or bool(_touches(code).get(stmt))


def feeds(code: Code, giver: ast.Node, taker: ast.Node) -> bool:
    """Whether a role writes shared memory that another one reads."""
    return bool(_touch_of(code, giver).writes & _touch_of(code, taker).reads)


def rival(code: Code, one: ast.Node, other: ast.Node) -> bool:
    """Whether two roles write the same shared memory: they may take turns."""
    return bool(_touch_of(code, one).writes & _touch_of(code, other).writes)


def fills(code: Code, role: ast.Node) -> bool:
    """Whether a role writes shared memory that any other one reads."""
    return any(feeds(code, role, other) for other in roles_of(code) if other is not role)


def roles_of(code: Code) -> list[ast.InThreads]:
    """The roles of a function, in source order."""
    return [node for node in code.around if isinstance(node, ast.InThreads)]


def _touch_of(code: Code, role: ast.Node) -> Touch:
    total, found = Touch(), _touches(code)
    for stmt, _ in statements(role):
        total |= found.get(stmt, Touch())
    return total


@lru_cache(maxsize=2)
def _touches(code: Code) -> dict[ast.Node, Touch]:
    """What each statement reads and writes of shared memory."""
    touches = Touches(code.model)
    return {
        stmt: Touch(_shared(touch.reads), _shared(touch.writes)) for stmt in code.around if (touch := touches.of(stmt))
    }


def _shared(symbols: frozenset[Symbol]) -> frozenset[Symbol]:
    return frozenset(one for one in symbols if isinstance(one.type, Data) and one.type.storage is Storage.SHARED)
