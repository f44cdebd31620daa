"""Rules and analyses that raise, for tests of what is left then. Must not hold tests."""

from __future__ import annotations

from importlib import import_module
from typing import NoReturn

import pytest

from croqc.rules import internal_error
from croqc.rules.table import BY_NAME
from croqc.text.record import replace

_DESCRIBED = internal_error.described


def fail(*_: object) -> NoReturn:
    raise ZeroDivisionError("division by zero")


def surface(patch: pytest.MonkeyPatch) -> None:
    """Let exceptions through that would become an `internal-error`."""

    def let_through(error: BaseException) -> NoReturn:
        raise error

    patch.setattr(internal_error, "described", let_through)


def keep_going(patch: pytest.MonkeyPatch) -> None:
    """Turn exceptions into `internal-error`, as users have it."""
    patch.setattr(internal_error, "described", _DESCRIBED)


def break_rule(patch: pytest.MonkeyPatch, name: str) -> None:
    """Make `render` and `check` of a rule raise."""
    keep_going(patch)
    module = import_module(f"croqc.rules.{name.replace('-', '_')}")
    patch.setattr(module, "RULE", replace(BY_NAME[name], render=fail, check=fail))
