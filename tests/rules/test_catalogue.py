"""The catalogue is served: each row by a rule, or it stands in the list of what comes later."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import croqc.rules
from croqc.rules.catalogue import CATALOGUE, LATER
from croqc.rules.table import BY_NAME, CHECKING, NAMES, all_rules
from croqc.sema import rulenames, rulenames_device


def constants(module: object) -> set[str]:
    return {value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)}


def test_every_row_is_served_or_listed_for_later() -> None:
    served = {row for rule in all_rules() for row in rule.rows}
    assert served <= set(CATALOGUE)
    assert sorted(served & set(LATER)) == []
    assert sorted(set(CATALOGUE) - served - set(LATER)) == []


def test_what_analysis_may_report_has_a_rule() -> None:
    raised = constants(rulenames) | constants(rulenames_device)
    assert sorted(raised - set(BY_NAME)) == []


def test_every_module_is_registered_under_its_name_once() -> None:
    modules = {item.name for item in iter_modules(croqc.rules.__path__)}
    with_a_rule = {name for name in modules if hasattr(import_module(f"croqc.rules.{name}"), "RULE")}
    names = {name.replace("_", "-") for name in with_a_rule}
    assert sorted(names - set(NAMES)) == [], "these rules have no line in NAMES of rules/table.py"
    assert sorted(set(NAMES) - names) == [], "these names of rules/table.py have no module with a RULE"
    assert [rule.name for rule in all_rules()] == list(NAMES)


def test_the_rules_that_look_for_findings_themselves_are_listed() -> None:
    idle = BY_NAME["syntax-error"].check
    checking = [rule.name for rule in all_rules() if rule.check is not idle]
    assert list(CHECKING) == checking, "CHECKING of rules/table.py lists the rules with a check, in the order of NAMES"
