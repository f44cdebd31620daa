"""The one tuple of rules, in the order of the catalogue (reference, chapter 8). Must not hold logic."""

from __future__ import annotations

from croqc.rules import (
    not_understood,
    preprocessor_error,
    run_directive,
    syntax_error,
    undeclared_name,
    unused_allow,
)
from croqc.rules.base import Rule

RULES: tuple[Rule, ...] = (
    preprocessor_error.RULE,
    syntax_error.RULE,
    run_directive.RULE,
    unused_allow.RULE,
    not_understood.RULE,
    undeclared_name.RULE,
)

BY_NAME: dict[str, Rule] = {rule.name: rule for rule in RULES}
