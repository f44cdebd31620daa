"""Phrases of the rules on buffers and futures. Must not know single rules."""

from __future__ import annotations

from croqc.rules.credit_words import Args, numbered


def stage(args: Args) -> str:
    """ "'lhs_s[2]'", or "'tile'" for a buffer without slots."""
    return f"'{args['buffer']}{numbered(args)}'"
