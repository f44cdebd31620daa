"""Rule `stage-race`: two accesses of one slot that nothing orders (credit-flow, section 4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_sites import code_of
from croqc.rules.credit_words import Args
from croqc.rules.flow_places import region_of
from croqc.rules.flow_words import stage
from croqc.rules.race_mends import mend_across, mend_alone
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_ACTS = {"read": "reads", "write": "writes"}


def _iteration(args: Args, key: str) -> str:
    return f" ({args[key]})" if args.get(key) else ""


def _message(args: Args) -> str:
    act, against = _ACTS[str(args["access"])], str(args["against"])
    here, there = _iteration(args, "iteration"), _iteration(args, "other_iteration")
    if args["same"]:
        return f"{args['path']} {act} {stage(args)}{here} while its own {against} of it may still go on{there}"
    return f"{args['path']} {act} {stage(args)}{here} while {args['other']} may still {against} it{there}"


def _hint(args: Args) -> str:
    if args["same"]:
        return f"wait for the end of the {args['against']} first"
    if args["access"] == "read":
        return "wait until the data is there"
    if args.get("slot") is not None:
        return "wait until the slot is given back"
    if args["against"] == "write":
        return "give each path a part of its own, or let one wait for the other"
    return f"wait until {args['other']} has read it"


def _render(finding: Finding, subject: Subject) -> Words:
    args, code = finding.args, code_of(subject)
    places = (finding.related[0].span, finding.related[1].span)
    alone = args["same"] or region_of(code, places[1]) is None
    fixes = mend_alone(code, *places) if alone else ()
    return Words(_message(args), _hint(args), fixes=fixes or mend_across(code, *places))


RULE = Rule(
    name="stage-race",
    severity=Severity.ERROR,
    summary="Two accesses of one slot, at least one a write, and nothing orders them.",
    rows=(),
    render=_render,
)
