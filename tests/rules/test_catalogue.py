"""The catalogue is served: each row by a rule, or it stands in the list of what comes later."""

from __future__ import annotations

from croqc.rules.catalogue import CATALOGUE, LATER
from croqc.rules.table import BY_NAME, RULES
from croqc.sema import rulenames, rulenames_device


def constants(module: object) -> set[str]:
    return {value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)}


def test_every_row_is_served_or_listed_for_later() -> None:
    served = {row for rule in RULES for row in rule.rows}
    assert served <= set(CATALOGUE)
    assert sorted(served & set(LATER)) == []
    assert sorted(set(CATALOGUE) - served - set(LATER)) == []


def test_what_analysis_may_report_has_a_rule() -> None:
    raised = constants(rulenames) | constants(rulenames_device)
    assert sorted(raised - set(BY_NAME)) == []


def test_names_are_unique() -> None:
    assert len(BY_NAME) == len(RULES)
