"""Words for a command that is typed wrongly: what is wrong, with the nearest word, and where the right ones stand.

Two lines on standard error, exit status 2. Must not know what a subcommand does.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from croqc.text.near import did_you_mean, nearest

USAGE = 2
_CHOICE = re.compile(
    r"argument (?P<option>\S+): invalid choice: '(?P<word>.*)' \(choose from (?P<known>.*)\)", re.DOTALL
)
_VALUE = re.compile(r"argument (?P<option>\S+): invalid (?P<kind>\w+) value: '(?P<word>.*)'", re.DOTALL)
_KINDS = {"positive": "a whole number of at least 1", "int": "a whole number", "float": "a number"}


def complain(prog: str, problem: str) -> int:
    """Both lines; the status to end with."""
    print(f"{prog}: {problem}\n'{prog} --help' shows what there is", file=sys.stderr)
    return USAGE


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` that complains so."""

    def error(self, message: str) -> NoReturn:
        sys.exit(complain(self.prog, _worded(message)))

    def known_options(self) -> list[str]:
        return [option for option in self._option_string_actions if option.startswith("--")]


def _worded(message: str) -> str:
    """Messages of argparse in our words; those not known here as they are."""
    if found := _CHOICE.fullmatch(message):
        known = re.findall(r"'([^']*)'|(\w[\w-]*)", found["known"])
        hint = did_you_mean(found["word"], [quoted or plain for quoted, plain in known])
        return f"'{found['word']}' is no choice for {found['option']}; {hint}".rstrip("; ")
    if found := _VALUE.fullmatch(message):
        return f"{found['option']} takes {_KINDS.get(found['kind'], found['kind'])}, not '{found['word']}'"
    required = message.removeprefix("the following arguments are required: ")
    return message.removeprefix("argument ") if required == message else f"{required} is missing"


def unknown_option(parser: Parser, rest: Sequence[str]) -> int:
    """What no option and no argument of a subcommand takes."""
    first = rest[0].split("=")[0]
    if not first.startswith("-"):
        return complain(parser.prog, f"'{first}' is one argument too many")
    near = nearest(first, parser.known_options())
    return complain(parser.prog, f"there is no option '{first}'" + (f"; did you mean '{near}'?" if near else ""))


def unknown_command(words: Sequence[str], name: str, commands: Iterable[str]) -> int:
    """A first word that is no subcommand, or an option in front of one."""
    known = list(commands)
    command = next((word for word in words if word in known), None)
    if not words[0].startswith("-"):
        return complain("croq", f"there is no command '{name}'; {did_you_mean(name, known)}")
    if command is None:
        return complain("croq", f"there is no option '{words[0]}' without a command")
    return complain("croq", f"options stand behind the command: 'croq {command} {words[0]} …'")
