"""What the context rules remember while they walk over the tokens of a function. Must not decide terminals."""

from __future__ import annotations

from collections.abc import Sequence

from croqc.syntax.terminals import BODY_FOLLOWS, ENDS_OPERAND
from croqc.syntax.tokens import FunctionText, Token


class Pass:
    """The state of the pass. `out` are the tokens with their terminals."""

    def __init__(self, source: FunctionText) -> None:
        self.tokens: Sequence[Token] = source.tokens
        self.out: list[Token] = []
        self.at = 0
        self.prefixes = source.intrinsic_prefixes
        self.namespaces = source.intrinsic_namespaces
        self.depth = 0  # of ( [ {
        self.nest: list[bool] = []  # for each open bracket, whether it is the brace of a body
        self.header = True  # before the function's first brace
        self.head = ""  # the terminal that opened the present statement
        self.operation = ""  # the word whose dotted parts are being read: dma, tma, mma, parallel, …
        self.angles: list[int] = []  # depths of open `<` brackets
        self.level_angle = False  # the last `<` stood behind a level word
        self.streams: list[int] = []  # depth of the parenthesis of the older `parallel(s)`
        self.stream_end = -1  # how many tokens were out behind a stream: what follows is no body
        self.counts: list[int] = []  # depths of open `mma.fill.f32[`
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
        if self.header or len(self.out) == self.stream_end:
            return False
        return before in BODY_FOLLOWS and (not self.nest or self.nest[-1])

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
        self.put(Token(first.kind, text, first.start, last.end, first.macro, first.line_first, first.spaced), terminal)
