"""A command that is typed wrongly: what is wrong, the nearest word, and where the right ones stand, in two lines."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Croq

SHOWS = "' shows what there is"


@pytest.mark.parametrize(
    ("words", "prog", "problem"),
    [
        ("chek x.co", "croq", "there is no command 'chek'; did you mean 'check'?"),
        ("Run x.co", "croq", "there is no command 'Run'; did you mean 'run'?"),
        ("--arch sm_80 check x.co", "croq", "options stand behind the command: 'croq check --arch …'"),
        ("-q check x.co", "croq", "options stand behind the command: 'croq check -q …'"),
        ("--verbose", "croq", "there is no option '--verbose' without a command"),
        ("", "croq", "COMMAND is missing"),
        ("check", "croq check", "FILE is missing"),
        ("check --stirct x.co", "croq check", "there is no option '--stirct'; did you mean '--strict'?"),
        ("check --stirct=1 x.co", "croq check", "there is no option '--stirct'; did you mean '--strict'?"),
        ("check -z x.co", "croq check", "there is no option '-z'"),
        ("check x.co --arch", "croq check", "--arch: expected one argument"),
        ("check --dialect curent x.co", "croq check", "'curent' is no choice for --dialect; did you mean 'current'?"),
        ("check --dialect x.co", "croq check", "'x.co' is no choice for --dialect; known: any, current"),
        ("run --scheduls 5 x.co", "croq run", "there is no option '--scheduls'; did you mean '--schedules'?"),
        ("run --schedules x y.co", "croq run", "--schedules takes a whole number of at least 1, not 'x'"),
        ("run --schedules 0 x.co", "croq run", "--schedules: must be at least 1, not 0"),
        ("run --seed 1.5 x.co", "croq run", "--seed takes a whole number, not '1.5'"),
        ("explain if while", "croq explain", "'while' is one argument too many"),
        ("completion bsh", "croq completion", "'bsh' is no choice for shell; did you mean 'bash'?"),
        ("fix --write --diff x.co", "croq fix", "--diff: not allowed with argument --write"),
    ],
)
def test_what_is_typed_wrongly(croq: Croq, words: str, prog: str, problem: str) -> None:
    outcome = croq(*words.split())
    assert outcome.err.splitlines() == [f"{prog}: {problem}", f"'{prog} --help{SHOWS}"]
    assert outcome.status == 2
    assert outcome.out == ""


def test_a_shortened_option_is_taken(croq: Croq) -> None:
    assert "x.co: there is no such file" in croq("check", "--stri", "x.co").err
