"""Which terminal a word is: keywords, soft and contextual words, callees (reference, 1.3.3, 1.6 item 5)."""

from __future__ import annotations

from typing import Final

from croqc.syntax.context_state import Pass
from croqc.syntax.keywords import CONTEXTUAL, ELEMENT_TYPES, LIBRARY_PREFIX
from croqc.syntax.terminals import HEADS, STRUCTURE_TAIL, WORDS
from croqc.syntax.tokens import Kind, Token

_LEVEL_WORDS: Final = frozenset({"block", "group", "thread", "cluster", "device", "term"})


def word(state: Pass, token: Token) -> None:
    text = token.text
    if text == "swizzle" and state.before() in ("MOD", "_RANGLE") and state.operation and state.ahead() == "(":
        state.put(token, "MOD")
        return
    if state.before() == "CALL" and _qualified_name(state, False):
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
    if (begins and terminal not in STRUCTURE_TAIL) or terminal == "PARALLEL":
        state.head = terminal
    if terminal == "LEVEL" and text == "group" and _is_group4(state):
        state.merge(3, "group-4", "LEVEL")
        return
    if terminal == "FOR":
        state.put(token, terminal)
        _swallow_for_header(state)
        return
    state.put(token, terminal)


def _plain(state: Pass, token: Token) -> str:
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
    {"setreg", "launch_bounds", "fragment", "const", "constexpr", "static", "for", "do", "static_assert", "switch"}
)


def _foreign(state: Pass, text: str) -> str:
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
        case "const" | "constexpr" | "static" if kind is Kind.WORD:
            return "QUALIFIER"
        case "for" if following == "(":
            return "FOR"
        case "do" if following == "{":
            return "DO"
        case "static_assert" if following == "(":
            return "ASSERT"
        case _:
            return "NAME"


def _soft(state: Pass, text: str, begins: bool) -> str:
    """Level words and words of fragment statements: names wherever they could start nothing (1.3.3)."""
    if text in _LEVEL_WORDS:
        level = state.before() == "_COLON" and not state.closes_question and state.head in ("PARALLEL", "SYNC")
        return "LEVEL" if level else "NAME"
    if text == "apply":
        return "APPLY" if begins and state.ahead() == "{" else "NAME"
    return "FRAGOP" if begins and state.ahead() == "(" else "NAME"


def _qualified_name(state: Pass, begins: bool) -> bool:
    """Merge a callee or a template argument `a::b`; find calls of registered intrinsics (1.2.9)."""
    count, text = 1, state.tokens[state.at].text
    while state.ahead(count) == "::" and is_word(state, count + 1):
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


def is_word(state: Pass, offset: int) -> bool:
    index = state.at + offset
    return index < len(state.tokens) and state.tokens[index].kind is Kind.WORD


def _is_intrinsic(state: Pass, text: str, count: int) -> bool:
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


def _is_old_stage(state: Pass) -> bool:
    """`stage<N>(`: the only place where `stage` is not a plain name (1.3.3)."""
    index = state.at + 2
    return (
        state.ahead() == "<"
        and index < len(state.tokens)
        and state.tokens[index].kind is Kind.INT
        and state.ahead(3) == ">"
        and state.ahead(4) == "("
    )


def _is_group4(state: Pass) -> bool:
    if state.ahead() != "-" or state.ahead(2) != "4":
        return False
    following = state.tokens[state.at + 1 : state.at + 3]
    return not any(token.spaced for token in following)


def _swallow_for_header(state: Pass) -> None:
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
