"""Rule `ring-mismatch`: a ring is indexed by one modulus and is as long as another (credit-flow, section 4)."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import slots_text
from croqc.rules.credit_sites import code_of, event_type
from croqc.rules.credit_words import Args, at, fix, where
from croqc.rules.mends import around
from croqc.rules.slot_mends import reduced, without_shift
from croqc.rules.slot_remainders import slot_remainders
from croqc.rules.start_mends import shortened
from croqc.sema.model import Finding, Symbol
from croqc.sema.types import Data, Event
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit

_AGREEING = 2  # other arrays of the ring that say how long it is


def _render(finding: Finding, subject: Subject) -> Words:
    args = finding.args
    name, modulus, length, expected = args["name"], args["modulus"], args["length"], args["expected"]
    if "shift" in args:
        return _shifted(finding, subject)
    if modulus is not None and modulus != expected:
        message = f"'{name}' is indexed modulo {modulus}, but the ring has {expected} slots"
        return Words(message, f"use {expected} in both roles", fixes=_fixes(finding, subject))
    index = args.get("index")
    if isinstance(index, int):
        return _outside(index, args, code_of(subject), finding)
    message = f"'{name}' has {length} slots, but the ring is used modulo {expected}"
    return Words(message, "let buffers, events and indices have one length")


def _outside(index: int, args: Args, code: Code, finding: Finding) -> Words:
    """A slot that does not exist, though no modulus is to blame."""
    length = args["length"]
    slots = "1 slot" if length == 1 else f"{length} slots"
    message = f"'{args['name']}' has {slots}, but the index is {index} here{at(args)}"
    if index < 0:
        return Words(message, f"what is below 0 stays below 0 with '%': add a multiple of {length} to it first")
    surplus = shortened(code, finding.span)
    shown, reduction = reduced(code, finding.span)
    if shown and not surplus:
        return Words(message, f"go round the ring: '{shown}'", fixes=reduction)
    return Words(message, "slots are numbered from 0: keep the index below their number", fixes=surplus)


def _shifted(finding: Finding, subject: Subject) -> Words:
    """A role that names other slots than its partner in the same turn."""
    args = finding.args
    message = (
        f"{args['path']} takes slot s + {args['shift']} of '{args['name']}' in the turn in which {args['other']} takes"
        f" slot s{where(args)}"
    )
    return Words(message, "let both roles begin with the same slot", fixes=_unshifted(finding, subject))


def _unshifted(finding: Finding, subject: Subject) -> tuple[Fix, ...]:
    """Leaves out the number that is added to the index, in every slot of the role."""
    code = code_of(subject)
    region = next((node for node in around(subject, finding.span) if isinstance(node, ast.InThreads)), None)
    if region is None:
        return ()
    edits = [edit for node in slot_remainders(code, region) if (edit := without_shift(code, node)) is not None]
    return fix("Leave out what is added to the index", tuple(dict.fromkeys(edits)))


def _fixes(finding: Finding, subject: Subject) -> tuple[Fix, ...]:
    """The ring's length, as the declarations write it, for every modulus of its slots that is wrong as this one is.

    A remainder that numbers slots of other arrays, too, is left: of which ring it is cannot be told.
    """
    code, model, args = code_of(subject), subject.analysis.model, finding.args
    kernel = next((node for node in around(subject, finding.span) if isinstance(node, ast.Parallel)), None)
    if kernel is None:
        return ()
    lengths = _lengths(code, args)
    text = _length_text(code, args)
    edits = []
    for node in slot_remainders(code, kernel, lambda slot: slot.array.name in _names(args, "arrays")):
        value = model.values.get(node.right)
        shown = node.span.length > node.right.span.length  # not all of it made by a macro
        if shown and value is not None and value.const == args["modulus"]:
            edits.append(Edit(node.right.span, text))
    agreed = set(lengths.values()) == {
        args["expected"]
    }  # the ring has one length, and the modulus alone departs from it
    modulus = fix(f"Use '{text}' as the modulus", tuple(dict.fromkeys(edits)), safe=agreed)
    return (*_redeclared(code, lengths, args), *modulus)


def _lengths(code: Code, args: Args) -> dict[Symbol, int | None]:
    """The length of each array of the ring; None for what is no array, or where two have one name."""
    found: dict[Symbol, int | None] = {}
    for name in _names(args, "ring"):
        alike = [one for one in code.model.symbols if one.name == name and isinstance(one.type, Data | Event)]
        for one in alike:
            array = one.type.array if isinstance(one.type, Data | Event) else ()
            found[one] = array[0] if len(alike) == 1 and len(array) == 1 else None
    return found


def _redeclared(code: Code, lengths: dict[Symbol, int | None], args: Args) -> tuple[Fix, ...]:
    """The one array of a ring that is not as long as the others and the modulus say, with their length."""
    odd = [one for one, length in lengths.items() if length != args["modulus"]]
    alike = [one for one, length in lengths.items() if length == args["modulus"]]
    if len(odd) != 1 or len(alike) < _AGREEING or lengths[odd[0]] is None:
        return ()
    wrong, right = _extent(code, odd[0]), {code.of(node) for one in alike if (node := _extent(code, one)) is not None}
    if wrong is None or len(right) != 1:
        return ()
    text = right.pop()
    return fix(f"Declare '{odd[0].name}[{text}]', as long as the others", (Edit(wrong.span, text),), safe=True)


def _extent(code: Code, array: Symbol) -> ast.Expr | None:
    """The length in the declaration of an array, if the text shows it."""
    node = array.decl
    written = isinstance(node, ast.EventName | ast.BufferName) and code.of(node).startswith(array.name)
    return node.array[0] if isinstance(node, ast.EventName | ast.BufferName) and written and node.array else None


def _length_text(code: Code, args: Args) -> str:
    """The length that is expected as an event of this ring is declared with it, or else any other."""
    fitting = [event for event in code.events if event_type(event).array == (args["expected"],)]
    fitting.sort(key=lambda event: event.name not in _names(args, "ring"))
    return next((text for event in fitting if (text := slots_text(code, event))), str(args["expected"]))


def _names(args: Args, key: str) -> tuple[str, ...]:
    found = args[key]
    assert isinstance(found, tuple)
    return found


RULE = Rule(
    name="ring-mismatch",
    severity=Severity.ERROR,
    summary="The moduli and lengths of one ring differ.",
    rows=(),
    render=_render,
)
