"""`croq explain`: a rule's page, a word of the language, or the lists of both. Must not hold the texts."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from typing import Final

from croqc.builtins import GROUPS
from croqc.cli.failure import UsageError
from croqc.cli.render import WORDS
from croqc.rules.table import NAMES, all_rules
from croqc.service.explain import UnknownRuleError, explained

EXAMPLES = """  croq explain
  croq explain undeclared-name
  croq explain dma.copy
  croq explain 'croq: run'"""

_PLAIN: Final = re.compile(r"[\w.-]+")  # what no shell splits


class _Suggested(tuple[str, ...]):
    """The words that a shell completes. `explained` takes more, and tells an unknown one better than argparse."""

    def __contains__(self, word: object) -> bool:
        return True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    words = {row.word for _, rows in GROUPS for row in rows if _PLAIN.fullmatch(row.word)}
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        choices=_Suggested(sorted({*NAMES, *words})),
        help="a rule, a word of the language, or a directive",
    )


def run(args: argparse.Namespace) -> int:
    if args.name is None:
        rules = sorted(all_rules(), key=lambda rule: rule.name)
        width = max(len(rule.name) for rule in rules)
        for rule in rules:
            print(f"{rule.name:{width}}  {WORDS[rule.severity]:7}  {rule.summary}")
        print("\nThe words of the language; 'croq explain WORD' tells each:")
        for title, words in GROUPS:
            text = f"{title}: {'  '.join(row.word for row in words)}"
            print(textwrap.fill(text, 100, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))
        return 0
    try:
        text = explained(args.name)
    except UnknownRuleError as error:
        raise UsageError(str(error)) from None
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        sys.stdout.write(text)
    return 0
