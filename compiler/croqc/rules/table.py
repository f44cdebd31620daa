"""The rules by name, in the order of the catalogue (reference, chapter 8). Must not know what a rule says.

The module of rule `a-b` is `croqc.rules.a_b`; it is imported when the rule is first asked for, since a check needs a
handful of them and importing all takes longer than checking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from croqc.rules.base import Rule

# The verdicts of the credit-flow analysis (credit-flow, section 4), which comes after all others.
FLOW_RULES: Final = (
    "credit-deadlock",
    "stage-race",
    "uncommitted-release",
    "early-publish",
    "credit-overrun",
    "generation-mixup",
    "order-out-of-step",
    "unwritten-read",
    "block-sync-in-role",
    "named-barrier-mismatch",
    "arrival-count-mismatch",
    "trip-count-mismatch",
    "unconsumed-credit",
    "ring-mismatch",
    "unused-event",
    "stale-buffer",
    "future-not-waited",
    "future-waited-twice",
    "not-analysed",
)
NAMES: Final = (
    "preprocessor-error",
    "syntax-error",
    "run-directive",
    "unused-allow",
    "internal-error",
    "overruled-define",
    "not-understood",
    "not-lowered",
    "copied-by-threads",
    "dialect-note",
    "older-form",
    "undeclared-name",
    "redeclared-name",
    "redeclared-function",
    "shadowed-assignment",
    "immutable-assignment",
    "missing-initialiser",
    "initialiser-type",
    "unstorable-value",
    "mutable-non-scalar",
    "operand-types",
    "shift-count",
    "non-bool-condition",
    "conditional-arms",
    "lossy-conversion",
    "sign-conversion",
    "unsupported-type",
    "no-common-type",
    "increment-target",
    "not-a-value",
    "bad-extent",
    "shape-member",
    "declared-rank",
    "shape-brackets",
    "rank-mismatch",
    "shape-operands",
    "dimension-index",
    "division-by-zero",
    "array-size",
    "dynamic-device-buffer",
    "fill-value",
    "bounded-extent",
    "no-bound",
    "compose-operands",
    "binding-count",
    "placeholder-name",
    "data-element-types",
    "data-extents",
    "no-shape",
    "view-of-non-data",
    "view-item-count",
    "zero-tile",
    "too-many-chunks",
    "tile-too-large",
    "index-out-of-range",
    "window-start",
    "chunk-remainder",
    "reshape-count",
    "reshape-unproven",
    "reshape-gaps",
    "call-gaps",
    "squeeze-place",
    "zero-step",
    "index-count",
    "index-type",
    "storage-at-host",
    "storage-at-device",
    "shared-scalar-init",
    "shared-memory-limit",
    "dynamic-shared-memory",
    "thread-tile-in-shared",
    "parallel-count",
    "parallel-indices",
    "level-order",
    "level-unavailable",
    "group-threads",
    "block-threads",
    "group-in-group-4",
    "block-size-mismatch",
    "launch-binding",
    "launch-attribute",
    "region-at-host",
    "uniform-predicate",
    "nested-async-region",
    "unknown-threads",
    "overlapping-regions",
    "empty-region",
    "parameter-form",
    "lost-write",
    "return-value",
    "return-in-parallel",
    "return-kind",
    "return-types",
    "call-at-host",
    "co-function-call",
    "call-argument",
    "template-argument",
    "unknown-function",
    "failed-assertion",
    "print-at-compile-time",
    "atomic-operands",
    "maths-operands",
    "loop-variable",
    "loop-range",
    "misplaced-jump",
    "yield-in-loop",
    "loop-hint",
    "misplaced-sync",
    "wide-barrier",
    "zero-loop",
    "divergent-collective",
    "unsynced-read",
    "unsynced-write",
    "copy-types",
    "copy-ranks",
    "copy-shapes",
    "transpose-order",
    "pad-lists",
    "copy-direction",
    "tma-limit",
    "tma-box-varies",
    "tma-thread-index",
    "copy-modifier",
    "swizzle-mismatch",
    "swizzle-inherited",
    "assumed-divisible",
    "assumed-size",
    "dropped-rest",
    "zero-fill",
    "padded-store",
    "unnamed-async-copy",
    "wait-on-complete",
    "future-reuse",
    "swap-operands",
    "select-operands",
    "wait-operand",
    "multiply-operand",
    "multiply-depth",
    "no-such-multiply",
    "warpgroup-multiply",
    "multiply-unit",
    "shared-warp-operand",
    "register-operand",
    "accumulator-use",
    "whole-fragment-array",
    "accumulator-type",
    "accumulator-registers",
    "sparse-multiply",
    "multiply-scale",
    "load-tile",
    "masked-store",
    "fragment-reduce",
    "operand-layout",
    "event-storage",
    "event-in-region",
    "event-outside-role",
    "trigger-operand",
    "event-order",
    "explicit-count",
    "joined-trigger",
    "named-barrier",
    *FLOW_RULES,
)
CHECKING: Final = ("older-form", "explicit-count")  # those that look for findings themselves


class _Rules(Mapping[str, Rule]):
    def __getitem__(self, name: str) -> Rule:
        if name not in _KNOWN:
            raise KeyError(name)
        rule: Rule = import_module(f"croqc.rules.{name.replace('-', '_')}").RULE
        return rule

    def __contains__(self, name: object) -> bool:
        return name in _KNOWN

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


_KNOWN: Final = frozenset(NAMES)
BY_NAME: Final[Mapping[str, Rule]] = _Rules()


def all_rules() -> tuple[Rule, ...]:
    """Every rule; this imports them all."""
    return tuple(BY_NAME.values())
