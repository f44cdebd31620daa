"""Gives each token its terminal: the context rules of the reference, 1.6 item 5 and 2.7. Must not parse.

One pass over the tokens of a function. What a word or sign is depends on the tokens before it, on the bracket
depth and, in four places, on a few tokens behind it. Tokens that belong together (`group-4`, `[[`, `a::b` of
a callee, `+ =`) are merged; `::` in a range or in `asm` is split.
"""

from __future__ import annotations

from typing import Final

from croqc.syntax.context_state import Pass
from croqc.syntax.context_words import is_word, word
from croqc.syntax.keywords import ATTRIBUTES
from croqc.syntax.terminals import ANGLE_AFTER, DOTTED, OPS
from croqc.syntax.tokens import FunctionText, Kind, Token

_ARITHMETIC: Final = frozenset("+-*/%")
_NO_ASSIGN: Final = frozenset({"<<", ">>", "&", "|", "^"})
_NUMBERS: Final = {Kind.INT: "INT", Kind.REAL: "REAL", Kind.STRING: "STRING"}
_LOOSE_DOTS: Final = frozenset({"MOD", "FRAG", "SYNC", "TRIGGER"})


def typed_tokens(source: FunctionText) -> tuple[list[Token], list[Token]]:
    """The tokens of the function as the grammar wants them, each with its terminal in `type`; and the dots
    behind which a blank stands where none may."""
    state = Pass(source)
    tokens = state.tokens
    while state.at < len(tokens):
        token = tokens[state.at]
        kind = token.kind
        if kind is Kind.WORD:
            word(state, token)
        elif kind is Kind.NAME:
            state.leave_operation()
            state.put(token, "NAME")
        elif kind is Kind.OP:
            _operator(state, token)
        elif kind is Kind.DOTTED:
            _dotted(state, token)
        elif kind in _NUMBERS:
            state.leave_operation()
            state.put(token, _NUMBERS[kind])
        state.at += 1
    return state.out, state.blanks


# --- operators -----------------------------------------------------------------------------------


def _operator(state: Pass, token: Token) -> None:
    text = token.text
    if text in _BRACKETS:
        _bracket(state, token)
        return
    following = state.tokens[state.at + 1] if state.at + 1 < len(state.tokens) else None
    if following is not None and following.kind is Kind.OP and _joined(state, token, following):
        return
    if text == "." and _loose_dot(state, token, following):
        return
    terminal = OPS.get(text, "NAME")
    if text in ("<", ">"):
        terminal = _angle(state, text, terminal)
    elif text == "|":
        terminal = _bar(state)
    elif text == "-" and not state.ends_operand() and _is_literal(following):
        terminal = "NEG"
    elif text == "::" and state.splits:
        _two_colons(state, token)
        return
    elif text in ("?", ":", ";"):
        _separator(state, text)
    if terminal not in ("_LANGLE", "_RANGLE"):
        state.leave_operation()
    state.put(token, terminal)


def _separator(state: Pass, text: str) -> None:
    """`?` waits for its `:`; a `;` ends everything that is still open."""
    if text == "?":
        if not state.header:
            state.questions.append(state.depth)
    elif text == ":":
        state.closes_question = bool(state.questions) and state.questions[-1] == state.depth
        if state.closes_question:
            state.questions.pop()
    else:
        state.angles.clear()
        state.bars.clear()
        state.questions.clear()
        state.head = ""


def _two_colons(state: Pass, token: Token) -> None:
    middle = token.start + 1 if token.macro is None else token.end
    state.put(Token(Kind.OP, ":", token.start, middle, token.macro, token.line_first, token.spaced), "_COLON")
    state.put(Token(Kind.OP, ":", middle, token.end, token.macro), "_COLON")


def _is_literal(token: Token | None) -> bool:
    return token is not None and (token.kind in (Kind.INT, Kind.REAL) or token.text == "inf")


def _joined(state: Pass, token: Token, following: Token) -> bool:
    """Signs that form one: `+ =`, `[[`, and some that only exist in other languages."""
    pair = token.text, following.text
    if pair[1] == "=" and pair[0] in _ARITHMETIC:
        state.merge(2, pair[0] + "=", "ASSIGNOP")
    elif following.spaced:
        return False
    elif pair[1] == "=" and pair[0] in _NO_ASSIGN and state.ends_operand():
        state.merge(2, pair[0] + "=", "BADASSIGN")
    elif pair == ("-", ">") and not state.angles:
        state.merge(2, "->", "WRONGARROW")
    else:
        return False
    state.leave_operation()
    return True


def _loose_dot(state: Pass, token: Token, following: Token | None) -> bool:
    """`. word` with a blank: one dotted word behind `mma.fill`, `frag`, `sync` and `trigger`, else a slip."""
    if state.operation and (following is None or following.kind is not Kind.WORD or following.line_first):
        state.put(token, "MOD")
        return True
    if following is None or following.kind is not Kind.WORD or following.line_first:
        return False
    dotted = "." + following.text
    if not state.operation or state.before() not in _LOOSE_DOTS:
        state.blanks.append(token)
    state.merge(2, dotted, "MOD" if state.operation else DOTTED.get(dotted, "UNKNOWN"))
    return True


def _angle(state: Pass, text: str, terminal: str) -> str:
    if text == "<" and state.before() in ANGLE_AFTER:
        state.angles.append(state.depth)
        state.level_angle = state.before() == "LEVEL"
        return "_LANGLE"
    if text == ">" and state.angles and state.angles[-1] == state.depth:
        state.angles.pop()
        if not state.level_angle:
            state.stream_end = len(state.out) + 1
        return "_RANGLE"
    return terminal


def _bar(state: Pass) -> str:
    sized = state.before() in ("ELEM", "SCALAR") and bool(state.bars)
    if not state.ends_operand() and not sized:
        state.bars.append(state.depth)
        return "_BAR_OPEN"
    if state.bars and state.bars[-1] == state.depth:
        state.bars.pop()
        return "_BAR_CLOSE"
    return "BITOP"


_BRACKETS: Final = {
    "(": "_LPAR",
    ")": "_RPAR",
    "[": "_LBRACK",
    "]": "_RBRACK",
    "{": "_LBRACE",
    "}": "_RBRACE",
}


def _bracket(state: Pass, token: Token) -> None:
    text, terminal = token.text, _BRACKETS[token.text]
    if text in "([{":
        if text == "[" and _opens_attribute(state):
            state.depth += 2
            state.nest += [False, False]
            state.merge(2, "[[", "ATTR")
            state.head = "ATTR"
            return
        terminal = _opening(state, text, terminal)
        state.depth += 1
    else:
        state.depth -= 1
        if state.nest:
            state.nest.pop()
        ends_argument = bool(state.arguments) and state.arguments[-1] > state.depth
        for stack in (state.angles, state.bars, state.questions, state.splits, state.arguments):
            while stack and stack[-1] > state.depth:
                stack.pop()
        if state.streams and state.streams[-1] > state.depth:
            state.streams.pop()
            state.stream_end = len(state.out) + 1
        if state.counts and state.counts[-1] > state.depth:
            state.counts.pop()
            terminal = "_COUNT_CLOSE"  # no operand ends here: a value begins behind it
        if ends_argument:
            state.put(token, terminal)
            return
    state.leave_operation()
    state.put(token, terminal)


def _opening(state: Pass, text: str, terminal: str) -> str:
    if text == "{":
        looping = state.head in ("FOREACH", "WITH", "PARALLEL") and not state.angles
        if [token.type for token in state.out[-3:]] == ["NAME", "EQ", "NAME"] and not looping:
            state.nest.append(False)
            return "_DERIVE"
        behind_level = state.before() == "_RANGLE" and len(state.out) != state.stream_end
        body = state.starts_statement() or state.header or behind_level
        state.header = False
        state.nest.append(body)
        return terminal
    state.nest.append(False)
    if text == "[" and state.operation and _is_filled(state):
        state.counts.append(state.depth + 1)
        return "_COUNT_OPEN"
    if text == "(":
        if state.before() == "PARALLEL" or (state.before() == "MOD" and state.before(2) == "PARALLEL"):
            state.streams.append(state.depth + 1)
        elif state.before() in ("ASM", "VOLATILE") or (
            state.head == "FOREACH" and state.before() == "NAME" and state.before(2) in ("FOREACH", "_COMMA", "EQ")
        ):
            state.splits.append(state.depth + 1)
        elif state.operation and state.before() == "MOD" and _is_argument(state):
            state.arguments.append(state.depth + 1)
            return "_ARGPAR"
    return terminal


def _is_argument(state: Pass) -> bool:
    """`.swizzle(128)` and `.sp(2:4)` against a source in parentheses (2.7 item 24)."""
    index = state.at + 1
    modifier = state.out[-1].text.lstrip(".")
    literal = index < len(state.tokens) and state.tokens[index].kind is Kind.INT
    return modifier in ("swizzle", "sp", "swiz") and literal


def _is_filled(state: Pass) -> bool:
    """`mma.fill.f32[n] v`: the bracket says how many (6.1); no value of a fill begins with one."""
    words = [token.text for token in state.out[-2:] if token.type == "MOD"]
    return state.before() == "MOD" and ".fill" in words


def _opens_attribute(state: Pass) -> bool:
    following = state.tokens[state.at + 1] if state.at + 1 < len(state.tokens) else None
    if following is None or following.text != "[" or following.spaced or state.header:
        return False
    if state.ahead(2) in ATTRIBUTES:
        return state.before() not in ("ELEM", "SCALAR")
    return state.before() in ("_SEMI", "_LBRACE", "_RBRACE", "ELSE") and is_word(state, 2)


# --- dotted words --------------------------------------------------------------------------------


def _dotted(state: Pass, token: Token) -> None:
    text = token.text
    if state.operation and not state.angles and not state.arguments:
        terminal = "ANY" if text == ".any" and state.before() == "ENGINE" else "MOD"
        state.put(token, terminal)
        return
    state.put(token, DOTTED.get(text, "UNKNOWN"))
