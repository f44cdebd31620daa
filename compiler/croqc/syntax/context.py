"""Gives each token its terminal: the context rules of the reference, 1.6 item 5 and 2.7. Must not parse.

One pass over the tokens of a function. What a word or sign is depends on the tokens before it, on the bracket
depth and, in four places, on a few tokens behind it. Tokens that belong together (`group-4`, `[[`, `a::b` of
a callee, `+ =`) are merged; `::` in a range or in `asm` is split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croqc.syntax.keywords import ATTRIBUTES, CONTEXTUAL, ELEMENT_TYPES, LIBRARY_PREFIX
from croqc.syntax.terminals import (
    ANGLE_AFTER,
    BODY_FOLLOWS,
    DOTTED,
    ENDS_OPERAND,
    HEADS,
    OPS,
    STRUCTURE_TAIL,
    WORDS,
)
from croqc.syntax.tokens import FunctionText, Kind, Token

_ARITHMETIC: Final = frozenset("+-*/%")
_NO_ASSIGN: Final = frozenset({"<<", ">>", "&", "|", "^"})
_SOFT_CALLS: Final = frozenset({"copy", "reduce_max", "reduce_sum", "all_reduce_sum"})
_LEVEL_WORDS: Final = frozenset({"block", "group", "thread", "cluster", "device", "term"})
_NUMBERS: Final = {Kind.INT: "INT", Kind.REAL: "REAL", Kind.STRING: "STRING"}
_LOOSE_DOTS: Final = frozenset({"MOD", "FRAG", "SYNC", "TRIGGER"})


class _Pass:
    """The state of the pass. `out` are the tokens with their terminals."""

    def __init__(self, source: FunctionText) -> None:
        self.tokens: Sequence[Token] = source.tokens
        self.out: list[Token] = []
        self.at = 0
        self.prefixes = source.intrinsic_prefixes
        self.namespaces = source.intrinsic_namespaces
        self.depth = 0  # of ( [ {
        self.body_brace = True  # the last `{` opened a body, not a list
        self.header = True  # before the function's first brace
        self.head = ""  # the terminal that opened the present statement
        self.operation = ""  # the word whose dotted parts are being read: dma, tma, mma, parallel, …
        self.angles: list[int] = []  # depths of open `<` brackets
        self.bars: list[int] = []  # depths of open counts
        self.questions: list[int] = []  # depths of `?` without their `:`
        self.closes_question = False  # the previous `:` completed a `?`
        self.arguments: list[int] = []  # depths of open `.swizzle(`
        self.blanks: list[Token] = []  # dots with a blank behind them where none may be
        self.splits: list[int] = []  # depths of the parentheses in which `::` is two colons

    # --- looking around ---

    def ahead(self, count: int = 1) -> str:
        index = self.at + count
        return self.tokens[index].text if index < len(self.tokens) else ""

    def before(self, count: int = 1) -> str:
        return self.out[-count].type if count <= len(self.out) else ""

    def starts_statement(self) -> bool:
        """Whether a word here begins a statement: two operands never stand side by side (2.7 item 25)."""
        before = self.before()
        return not self.header and before in BODY_FOLLOWS and (before != "_LBRACE" or self.body_brace)

    def ends_operand(self) -> bool:
        return self.before() in ENDS_OPERAND

    def leave_operation(self) -> None:
        """An operation ends at the first token that is neither dotted nor inside a bracket of its parts."""
        if not self.angles and not self.arguments:
            self.operation = ""

    # --- making tokens ---

    def put(self, token: Token, terminal: str) -> None:
        token.type = terminal
        self.out.append(token)

    def merge(self, count: int, text: str, terminal: str) -> None:
        """One token in place of the present one and `count - 1` more."""
        first, last = self.tokens[self.at], self.tokens[self.at + count - 1]
        self.at += count - 1
        self.put(
            Token(first.kind, text, first.start, last.end, first.macro, first.line_first, first.spaced), terminal
        )


def typed_tokens(source: FunctionText) -> tuple[list[Token], list[Token]]:
    """The tokens of the function as the grammar wants them, each with its terminal in `type`; and the dots
    behind which a blank stands where none may."""
    state = _Pass(source)
    tokens = state.tokens
    while state.at < len(tokens):
        token = tokens[state.at]
        kind = token.kind
        if kind is Kind.WORD:
            _word(state, token)
        elif kind is Kind.OP:
            _operator(state, token)
        elif kind is Kind.DOTTED:
            _dotted(state, token)
        elif kind in _NUMBERS:
            state.leave_operation()
            state.put(token, _NUMBERS[kind])
        state.at += 1
    return state.out, state.blanks


# --- words ---------------------------------------------------------------------------------------


def _word(state: _Pass, token: Token) -> None:
    text = token.text
    if text == "swizzle" and state.before() in ("MOD", "_RANGLE") and state.operation and state.ahead() == "(":
        state.put(token, "MOD")
        return
    terminal = WORDS.get(text) or _plain(state, token)
    begins = state.starts_statement()
    if terminal == "SOFT":
        terminal = _soft(state, text, begins)
    elif terminal == "NAME" and _qualified_name(state, begins):
        return
    if terminal in HEADS:
        state.operation = text
    else:
        state.leave_operation()
    if terminal == "CDIV" and state.ahead() != "(" and state.ends_operand():
        terminal = "INFIXCDIV"
    if begins and terminal not in STRUCTURE_TAIL:
        state.head = terminal
    elif terminal == "PARALLEL":
        state.head = terminal
    if terminal == "LEVEL" and text == "group" and _is_group4(state):
        state.merge(3, "group-4", "LEVEL")
        return
    if terminal == "FOR":
        state.put(token, terminal)
        _swallow_for_header(state)
        return
    state.put(token, terminal)


def _plain(state: _Pass, token: Token) -> str:
    """The terminal of a word that is not reserved."""
    text = token.text
    if text.startswith(LIBRARY_PREFIX):
        return "LIB"
    if text == "stage" and _is_old_stage(state):
        return "STAGE"
    if text == "schedule" and state.before() == "ATTR":
        return "SCHEDULE"
    if text in CONTEXTUAL and text != "launch_bounds":
        return "NAME"
    return _foreign(state, text) if text in _STARTERS and state.starts_statement() else "NAME"


_STARTERS: Final = frozenset(
    {"setreg", "launch_bounds", "fragment", "const", "static", "for", "do", "static_assert", "switch"}
)


def _foreign(state: _Pass, text: str) -> str:
    """Older statements, and words of other languages, at the start of a statement."""
    following = state.ahead()
    index = state.at + 1
    kind = state.tokens[index].kind if index < len(state.tokens) else None
    match text:
        case "setreg" if following in (".inc", ".dec", "(") or kind in (Kind.INT, Kind.WORD):
            return "SETREG"
        case "launch_bounds" if following == "(":
            return "LAUNCH"
        case "fragment" if following in ELEMENT_TYPES:
            return "FRAG"
        case "const" | "static" if kind is Kind.WORD:
            return "QUALIFIER"
        case "for" if following == "(":
            return "FOR"
        case "do" if following == "{":
            return "DO"
        case "static_assert" if following == "(":
            return "ASSERT"
        case _:
            return "NAME"


def _soft(state: _Pass, text: str, begins: bool) -> str:
    """Level words and words of fragment statements: names wherever they could start nothing (1.3.3)."""
    if text in _LEVEL_WORDS:
        level = state.before() == "_COLON" and not state.closes_question and state.head in ("PARALLEL", "SYNC")
        return "LEVEL" if level else "NAME"
    if text == "apply":
        return "APPLY" if begins and state.ahead() == "{" else "NAME"
    return "FRAGOP" if begins and state.ahead() == "(" else "NAME"


def _qualified_name(state: _Pass, begins: bool) -> bool:
    """Merge a callee or a template argument `a::b`; find calls of registered intrinsics (1.2.9)."""
    count, text = 1, state.tokens[state.at].text
    while state.ahead(count) == "::" and _is_word(state, count + 1):
        text += "::" + state.ahead(count + 1)
        count += 2
    terminal = "NAME"
    if state.before() == "CALL":
        terminal = "QNAME"
    elif _is_intrinsic(state, text, count):
        terminal = "INTRINSIC"
    elif count == 1 or not state.angles:
        return False
    if begins:
        state.head = terminal
    state.leave_operation()
    state.merge(count, text, terminal)
    return True


def _is_word(state: _Pass, offset: int) -> bool:
    index = state.at + offset
    return index < len(state.tokens) and state.tokens[index].kind is Kind.WORD


def _is_intrinsic(state: _Pass, text: str, count: int) -> bool:
    first = text.partition("::")[0]
    registered = any(text.startswith(prefix) for prefix in state.prefixes)
    if not (registered or (count > 1 and first in state.namespaces)) or state.header:
        return False
    following = state.ahead(count)
    if following != "<":
        return following == "("
    for offset in range(count + 1, count + 40):
        word = state.ahead(offset)
        if word in (">", ";", "{", "}", ""):
            return word == ">" and state.ahead(offset + 1) == "("
    return False


def _is_old_stage(state: _Pass) -> bool:
    """`stage<N>(`: the only place where `stage` is not a plain name (1.3.3)."""
    index = state.at + 2
    return (
        state.ahead() == "<"
        and index < len(state.tokens)
        and state.tokens[index].kind is Kind.INT
        and state.ahead(3) == ">"
        and state.ahead(4) == "("
    )


def _is_group4(state: _Pass) -> bool:
    if state.ahead() != "-" or state.ahead(2) != "4":
        return False
    following = state.tokens[state.at + 1 : state.at + 3]
    return not any(token.spaced for token in following)


def _swallow_for_header(state: _Pass) -> None:
    """`for (…)` of other languages: the parenthesis becomes the text of the FOR token."""
    depth, index = 0, state.at + 1
    while index < len(state.tokens):
        text = state.tokens[index].text
        depth += (text == "(") - (text == ")")
        if depth == 0 or text in ("{", "}"):
            break
        index += 1
    if index < len(state.tokens) and state.tokens[index].text == ")":
        inside = state.tokens[state.at + 1 : index + 1]
        word = state.out[-1]
        text = "for" + " ".join(token.text for token in inside)
        state.out[-1] = Token(word.kind, text, word.start, inside[-1].end, word.macro, word.line_first, word.spaced)
        state.out[-1].type = "FOR"
        state.at = index


# --- operators -----------------------------------------------------------------------------------


def _operator(state: _Pass, token: Token) -> None:
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
    elif text == "?" and not state.header:
        state.questions.append(state.depth)
    elif text == ":":
        state.closes_question = bool(state.questions) and state.questions[-1] == state.depth
        if state.closes_question:
            state.questions.pop()
    elif text == ";":
        state.angles.clear()
        state.bars.clear()
        state.questions.clear()
        state.head = ""
    elif text == "::" and state.splits:
        middle = token.start + 1 if token.macro is None else token.end
        state.put(Token(Kind.OP, ":", token.start, middle, token.macro, token.line_first, token.spaced), "_COLON")
        state.put(Token(Kind.OP, ":", middle, token.end, token.macro), "_COLON")
        return
    if terminal not in ("_LANGLE", "_RANGLE"):
        state.leave_operation()
    state.put(token, terminal)


def _is_literal(token: Token | None) -> bool:
    return token is not None and (token.kind in (Kind.INT, Kind.REAL) or token.text == "inf")


def _joined(state: _Pass, token: Token, following: Token) -> bool:
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


def _loose_dot(state: _Pass, token: Token, following: Token | None) -> bool:
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


def _angle(state: _Pass, text: str, terminal: str) -> str:
    if text == "<" and state.before() in ANGLE_AFTER:
        state.angles.append(state.depth)
        return "_LANGLE"
    if text == ">" and state.angles and state.angles[-1] == state.depth:
        state.angles.pop()
        return "_RANGLE"
    return terminal


def _bar(state: _Pass) -> str:
    if not state.ends_operand():
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


def _bracket(state: _Pass, token: Token) -> None:
    text, terminal = token.text, _BRACKETS[token.text]
    if text in "([{":
        if text == "[" and _opens_attribute(state):
            state.depth += 2
            state.merge(2, "[[", "ATTR")
            state.head = "ATTR"
            return
        terminal = _opening(state, text, terminal)
        state.depth += 1
    else:
        state.depth -= 1
        ends_argument = bool(state.arguments) and state.arguments[-1] > state.depth
        for stack in (state.angles, state.bars, state.questions, state.splits, state.arguments):
            while stack and stack[-1] > state.depth:
                stack.pop()
        if ends_argument:
            state.put(token, terminal)
            return
    state.leave_operation()
    state.put(token, terminal)


def _opening(state: _Pass, text: str, terminal: str) -> str:
    if text == "{":
        if state.before(2) == "EQ" and state.before() == "NAME" and state.before(3) == "NAME":
            looping = state.head in ("FOREACH", "WITH", "PARALLEL") and not state.angles
            return terminal if looping else "_DERIVE"
        state.body_brace = state.starts_statement() or state.header or state.before() == "_RANGLE"
        state.header = False
    elif text == "(":
        if state.before() in ("ASM", "VOLATILE") or (
            state.head == "FOREACH" and state.before() == "NAME" and state.before(2) in ("FOREACH", "_COMMA", "EQ")
        ):
            state.splits.append(state.depth + 1)
        elif state.operation and state.before() == "MOD" and _is_argument(state):
            state.arguments.append(state.depth + 1)
            return "_ARGPAR"
    return terminal


def _is_argument(state: _Pass) -> bool:
    """`.swizzle(128)` and `.sp(2:4)` against a source in parentheses (2.7 item 24)."""
    index = state.at + 1
    modifier = state.out[-1].text.lstrip(".")
    literal = index < len(state.tokens) and state.tokens[index].kind is Kind.INT
    return modifier in ("swizzle", "sp", "swiz") and literal


def _opens_attribute(state: _Pass) -> bool:
    following = state.tokens[state.at + 1] if state.at + 1 < len(state.tokens) else None
    if following is None or following.text != "[" or following.spaced or state.header:
        return False
    if state.ahead(2) in ATTRIBUTES:
        return state.before() not in ("ELEM", "SCALAR")
    return state.before() in ("_SEMI", "_LBRACE", "_RBRACE", "ELSE") and _is_word(state, 2)


# --- dotted words --------------------------------------------------------------------------------


def _dotted(state: _Pass, token: Token) -> None:
    text = token.text
    if state.operation and not state.angles and not state.arguments:
        terminal = "ANY" if text == ".any" and state.before() == "ENGINE" else "MOD"
        state.put(token, terminal)
        return
    state.put(token, DOTTED.get(text, "UNKNOWN"))
