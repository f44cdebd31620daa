"""The words for what recovery found: what was due, in terms of the language (reference, 2.8, 2.11).

Must not name terminals of the grammar, and must not decide how the parse goes on.
"""

from __future__ import annotations

from typing import Final

from croqc.syntax import borrowed
from croqc.syntax.casts import TYPES_OF_C
from croqc.syntax.keywords import ELEMENT_TYPES, SCALAR_TYPES
from croqc.syntax.lalr import END
from croqc.syntax.recovery import Repair, Stream
from croqc.syntax.reserved_names import reserved
from croqc.syntax.terminals import sign_of, spelled
from croqc.text.diagnostics import Diagnostic, Fix, Related, Severity
from croqc.text.edits import Edit
from croqc.text.near import nearest
from croqc.text.span import Span

CODE: Final = "syntax-error"
_STATEMENTS: Final = {
    "STORAGE": "declaration", "ELEM": "declaration", "SCALAR": "declaration", "MUTABLE": "declaration",
    "EVENT": "declaration", "FRAG": "declaration", "MDSPAN": "declaration", "ITUPLE": "declaration",
    "ENGINE": "copy", "NAME": "assignment", "CALL": "call", "RETURN": "returned value",
}  # fmt: skip


def explain(stream: Stream, repair: Repair) -> Diagnostic:
    """The diagnostic for a repair that has not been applied yet."""
    token, before = stream[repair.at], stream[repair.at - 1] if repair.at else None
    if repair.rename:
        return reserved(token)
    if repair.delete:
        special = _out_of_place(stream, repair.at)
        if special is not None:
            return _error(special[0], token.span, special[1])
        fix = Fix(f"Remove '{token.text}'", (Edit(token.span, ""),), safe=False)
        return _error(f"unexpected '{token.text}'", token.span, fix=fix)
    due = repair.insert[0]
    if before is not None and (hidden := stream.hidden.get(before.end)) is not None:
        return _hidden(hidden)
    if due == "ELEM" and token.type == "NAME":
        return _untyped(stream, repair.at)
    special = _special(stream, repair.at, due)
    if special is not None:
        guess = due == "_COLON"  # `(n)` may be meant as its end as well as its start
        return _error(special[0], token.span, special[1], None if guess else _fix(stream, repair))
    if due == "_SEMI" and before is not None:
        unknown = _unknown_type(stream, repair.at)
        if unknown is not None:
            return unknown
        what = _kind_of_statement(stream, repair.at)
        related = (Related(f"the {what} ends here", before.span),)
        return _error(f"expected ';' after the {what}", token.span, "", _fix(stream, repair), related)
    return _error(f"expected {spelled(due)}{_place(stream, repair.at)}", token.span, "", _fix(stream, repair))


def _hidden(start: int) -> Diagnostic:
    """`i = i // 2;` of Python."""
    slashes = Span(start, start + 2)
    fix = Fix("Change '//' to '/'", (Edit(slashes, "/"),), safe=False)
    return _error("'//' begins a comment, which hides the rest of the line", slashes, "'/' divides integers", fix)


def _untyped(stream: Stream, at: int) -> Diagnostic:
    """`shared foo [4] y;` has a type that is none, `shared full[2], empty[2];` has none at all."""
    token, index = stream[at], at + 1
    while stream[index].text != "]" and stream[index].type not in ("_SEMI", END):
        index += 1
    if stream[at + 1].text == "[" and stream[min(index + 1, len(stream.tokens) - 1)].text in (",", ";"):
        hint = f"write 'event {token.text}[…]', or the type of its elements and their shape in front of it"
        return _error(f"'{token.text}' has no type", token.span, hint)
    return _error(f"unknown type '{token.text}'", token.span)


def _place(stream: Stream, at: int) -> str:
    token = stream[at]
    if token.type != END:
        return f" before '{token.text}'"
    return " before the end of the function"


def _error(
    message: str, span: Span, hint: str = "", fix: Fix | None = None, related: tuple[Related, ...] = ()
) -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, message, span, hint, related, (fix,) if fix else ())


def _fix(stream: Stream, repair: Repair) -> Fix | None:
    """An insertion that needs no knowledge of what was meant: signs only."""
    texts = [sign_of(terminal) for terminal in repair.insert]
    if not all(texts) or not repair.at or stream[repair.at].macro is not None:
        return None
    token, before = stream[repair.at], stream[repair.at - 1]
    text = "".join(texts)
    glued = text in (";", ")", "]", ",", ">", "|") or (text == "}" and token.text in (";", ","))
    place = before.end if glued else token.start
    inserted = text if glued or text == "(" else f"{text} "
    return Fix(f"Insert '{text}'", (Edit(Span(place, place), inserted),))


def _first_of_statement(stream: Stream, at: int) -> int:
    """The index of the statement's first token."""
    while at and stream[at - 1].type not in ("_SEMI", "_LBRACE", "_RBRACE"):
        at -= 1
    return at


def _kind_of_statement(stream: Stream, at: int) -> str:
    index = _first_of_statement(stream, at)
    kind = _STATEMENTS.get(stream[index].type, "statement")
    if stream[index].type != "NAME":
        return kind
    return kind if stream[index + 1].type in ("EQ", "ASSIGNOP") and index + 1 < at else "statement"


def _unknown_type(stream: Stream, at: int) -> Diagnostic | None:
    """`float4 v;`, `f16x2 [4] v;`: a word that is no type begins what looks like a declaration."""
    index = _first_of_statement(stream, at)
    token, first = stream[at], stream[index]
    if first.type != "NAME" or token.type != "NAME" or token.line_first:
        return None
    between = [item.text for item in stream.tokens[index + 1 : at]]
    if between and not (between[0] == "[" and between[-1] == "]"):
        return None
    same = TYPES_OF_C.get(first.text)
    meant = same or nearest(first.text, (*ELEMENT_TYPES, *SCALAR_TYPES))
    fix = Fix(f"Write '{meant}'", (Edit(first.span, meant),), safe=same is not None, guess=True) if meant else None
    return _error(f"unknown type '{first.text}'", first.span, f"did you mean '{meant}'?" if meant else "", fix)


def _out_of_place(stream: Stream, at: int) -> tuple[str, str] | None:
    """Words for a token that stands where it cannot, though it is a good one elsewhere."""
    token = stream[at]
    if token.type == "INC" and stream[at + 1].type == "NAME":
        return f"'{token.text}' is not a statement", f"write '{stream[at + 1].text} {token.text[0]}= 1;'"
    if (pointer := _pointer(stream, at)) is not None:
        return pointer
    if token.type == "MMA" and at > 2 and stream[at - 1].type == "EQ" and stream[at - 3].type in ("ELEM", "SCALAR"):
        return "an accumulator has no type in front", f"write '{stream[at - 2].text} = {token.text}…'"
    if token.type == "MUTABLE":
        return "'mutable' stands before the type", ""
    if token.type == "STORAGE" and at and stream[at - 1].type in ("MUTABLE", "SCALAR", "ELEM"):
        return f"'{token.text}' stands before '{stream[at - 1].text}'", ""
    if token.type in ("INT", "MINUS", "NEG") and at > 2 and stream[at - 3].type == "FOREACH":
        return f"unexpected '{token.text}'", f"write 'foreach {stream[at - 2].text} in n'"
    return None


def _pointer(stream: Stream, at: int) -> tuple[str, str] | None:
    """`float* x` and `const float* x` of C: data have their extents in the type, and no `const`."""
    token = stream[at]
    if token.text == "*" and at and stream[at - 1].type in ("ELEM", "SCALAR") and stream[at + 1].type == "NAME":
        hint = f"write '{stream[at - 1].text} [N] {stream[at + 1].text}', with the extents of the data"
        return "there are no pointers here", hint
    if at and stream[at - 1].text == "const" and token.type in ("ELEM", "SCALAR") and stream[at - 1].type == "NAME":
        name = stream[at + 2] if stream[at + 1].text == "*" else None
        data = f": '{token.text} [N] {name.text}', with its extents" if name and name.type == "NAME" else ""
        return "there is no 'const' here", f"leave it out{data}"
    return None


def _special(stream: Stream, at: int, due: str) -> tuple[str, str] | None:
    """Words for places that have better ones than "expected … before …": message and hint."""
    before = stream[at - 1] if at else None
    word = before.text if before is not None else ""
    kind = before.type if before is not None else ""
    if due == "_LPAR" and kind in ("IF", "WHILE", "INTHREADS"):
        return f"expected '(' after '{word}'", "the condition stands in parentheses"
    if due == "MOD" and kind == "SYNC" and stream[at].type == "_SEMI":
        return "'sync' needs to say what it synchronises", "'sync.shared' is the barrier of the block"
    if due == "IN":
        return f"expected 'in' or '=' after '{word}'", f"write '{word} in n'"
    if due == "_COLON" and _opens_range(stream, at):
        return "expected ':' in the range", "write '(first : end)'"
    if due == "MISSING":
        return _no_operand(stream, at)
    if due == "EQ" and _first_of_statement(stream, at) == at - 1:
        if stream[at].text == "==":
            return "'==' compares and cannot assign", "write '='"
        return "an expression is not a statement", "assign it to a name"
    if due == "NAME" and kind == "EVENT" and stream[at].text == "[":
        return "an array of events has its size behind the name", "write 'event full[2]'"
    if due == "NAME" and kind == "FOREACH":
        return "expected a loop name", "write 'foreach i in n'"
    return None


def _no_operand(stream: Stream, at: int) -> tuple[str, str]:
    """Words for an expression that is missing in front of token `at`."""
    before = stream[at - 1] if at else None
    earlier = stream[at - 2] if at > 1 else None
    word = before.text if before is not None else ""
    kind = before.type if before is not None else ""
    if kind in ("WAIT", "TRIGGER", "AFTER"):
        return "expected a future or an event", ""
    if word == "(" and earlier is not None and earlier.type == "PRINT":
        return f"{earlier.text} needs at least one argument", ""
    if word == "(" and earlier is not None and earlier.type == "CPP":
        return "a string literal is required", ""
    if word == "(" and earlier is not None and earlier.type == "NAME" and stream[at].text == ")":
        if (told := borrowed.barrier(earlier.text)) is not None:
            return told.message, told.hint
        return f"'{earlier.text}' is not callable here", f"use 'call {earlier.text}()'"
    if kind == "ARROW":
        return "expected a buffer, a view or a storage word", ""
    return f"expected an expression{_place(stream, at)}", ""


def _opens_range(stream: Stream, at: int) -> bool:
    """Whether the parenthesis around token `at` is the one behind a loop name."""
    depth, index = 0, at - 1
    while index > 1:
        text = stream[index].text
        if text in (";", "{", "}"):
            return False
        depth += (text == ")") - (text == "(")
        if depth < 0:
            return stream[index - 1].type == "NAME" and stream[index - 2].type in ("FOREACH", "_COMMA", "EQ")
        index -= 1
    return False


def unexpected(stream: Stream, at: int, expected: set[str]) -> Diagnostic:
    """The diagnostic where no repair helps and the rest of the statement is given up."""
    token = stream[at]
    special = _out_of_place(stream, at)
    if special is not None:
        return _error(special[0], token.span, special[1])
    signs = sorted({spelled(terminal) for terminal in expected if terminal not in ("ERROR", "MISSING", END)})
    if 0 < len(signs) <= 3:
        wanted = " or ".join(signs) if len(signs) < 3 else f"{signs[0]}, {signs[1]} or {signs[2]}"
        return _error(f"expected {wanted}{_place(stream, at)}", token.span)
    if token.type == END:
        return _error("unexpected end of the function", token.span)
    return _error(f"unexpected '{token.text}'", token.span)
