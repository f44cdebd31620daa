"""What steers a check or a run: flag, directive in the file, `croq.toml`, editor setting, default - in this order.

Reads `croq.toml`; must not know command lines or LSP.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from croqc.service.files import FileError, FileWords, read_text
from croqc.targets import DEFAULT_TARGET, TARGETS, find_target
from croqc.text.near import did_you_mean, nearest
from croqc.text.record import record
from croqc.text.source import Source

DIALECTS = ("any", "current")
NO_DEFINES: Final[Mapping[str, str | None]] = {}
_WORDS: Final = FileWords(
    "is a folder, no file of settings", "is over 16 MiB, too large for settings", "is a binary file, not TOML"
)
_NAME: Final = re.compile(r"[^\W\d]\w*", re.ASCII)
_AT: Final = re.compile(r" \(at line (\d+), column (\d+)\)")
KEYS: Final = ("arch", "dialect", "defines", "allow")


class SettingsError(ValueError):
    """A setting that cannot be used; the text names the place, the reason and the way out."""


@record
class Settings:
    """None means: not said here, ask the next in the order. `allow` adds up over all places."""

    arch: str | None = None
    dialect: str | None = None
    defines: Mapping[str, str | None] = NO_DEFINES
    allow: frozenset[str] = frozenset()

    def over(self, lower: Settings) -> Settings:
        """These settings, completed by those of lower precedence."""
        return Settings(
            lower.arch if self.arch is None else self.arch,
            lower.dialect if self.dialect is None else self.dialect,
            {**lower.defines, **self.defines},
            self.allow | lower.allow,
        )


NO_SETTINGS = Settings()


def is_macro_name(name: object) -> bool:
    """Whether `#define` could have it (C++23, 5.10)."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def macro_text(value: str | float | bool | None) -> str | None:
    """The text of a macro that settings give; None for one that is defined without a value."""
    if value is None or value is True:
        return None
    return "0" if value is False else str(value)


def find_project_file(path: Path) -> Path | None:
    """The nearest `croq.toml` upwards from a file, or None; what cannot be looked at is none."""
    for folder in path.absolute().parents:
        candidate = folder / "croq.toml"
        if os.path.isfile(candidate):  # the method of `Path` raises for a folder that may not be entered
            return candidate
    return None


def load_project(path: Path) -> Settings:
    """The settings of a `croq.toml`: `arch`, `dialect`, `defines` (a table), `allow` (a list of rules).

    Raises SettingsError for a file that cannot be read, an unknown key or rule, or a value of the wrong type.
    """
    import tomllib  # here, since most folders have no such file

    try:
        text = read_text(path, _WORDS)
        data = tomllib.loads(text)
    except FileError as error:
        raise SettingsError(str(error)) from None
    except tomllib.TOMLDecodeError as error:
        found = _AT.search(str(error))
        place = f":{found[1]}:{found[2]}" if found else ""
        raise SettingsError(f"{path}{place}: {_AT.sub('', str(error))}") from None
    return _Table(data, text, path).settings()


class _Table:
    """What stands in a `croq.toml`, read and as text, for the places of what is wrong."""

    def __init__(self, data: Mapping[str, object], text: str, path: Path) -> None:
        self.data, self.text, self.path = data, text, path

    def settings(self) -> Settings:
        for key in self.data:
            if key not in KEYS:
                near = nearest(key, KEYS)
                hint = f"did you mean '{near}'?" if near else f"known are {', '.join(KEYS)}"
                raise self._wrong(key, f"unknown key '{key}'; {hint}")
        return Settings(self._arch(), self._dialect(), self._defines(), self._allow())

    def _wrong(self, word: str, message: str, behind: str = "") -> SettingsError:
        """An error at the first place of a word, or at the first `behind` that of another."""
        at = self._find(word, max(self._find(behind, 0), 0) + len(behind) if behind else 0)
        position = Source(self.text).position(max(at, 0))
        return SettingsError(f"{self.path}:{position.line + 1}:{position.column + 1}: {message}")

    def _find(self, word: str, start: int) -> int:
        """Where a word stands first outside of comments, from a place on; -1 where it is spelled in another way."""
        for found in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", self.text[start:]):
            at = start + found.start()
            if "#" not in self.text[self.text.rfind("\n", 0, at) + 1 : at]:
                return at
        return -1

    def _arch(self) -> str | None:
        arch = self.data.get("arch")
        if not (arch is None or isinstance(arch, str)):
            raise self._wrong("arch", f"arch must be a text such as '{DEFAULT_TARGET}'")
        if arch is not None and find_target(arch) is None:
            raise self._wrong("arch", f"unknown architecture '{arch}'; known are {', '.join(TARGETS)}")
        return arch

    def _dialect(self) -> str | None:
        dialect = self.data.get("dialect")
        if not (dialect is None or dialect in DIALECTS):
            raise self._wrong("dialect", "dialect must be 'any' or 'current'")
        return None if dialect is None else str(dialect)

    def _defines(self) -> Mapping[str, str | None]:
        defines = self.data.get("defines", {})
        if not isinstance(defines, dict):
            raise self._wrong("defines", "defines must be a table of names and texts or numbers")
        for name, value in defines.items():
            if not is_macro_name(name):
                words = f"'{name}' in defines is no name of a macro; letters, digits and '_' make one"
                raise self._wrong(name, words, behind="defines")
            if not isinstance(value, str | int | bool):
                raise self._wrong(name, f"'{name}' in defines must be a text, an integer or a bool", behind="defines")
        return {name: macro_text(value) for name, value in defines.items()}

    def _allow(self) -> frozenset[str]:
        from croqc.rules.table import BY_NAME
        from croqc.service.suppress import NEVER

        allow = self.data.get("allow", [])
        if not isinstance(allow, list) or not all(isinstance(item, str) for item in allow):
            raise self._wrong("allow", "allow must be a list of rule names")
        for name in allow:
            if name not in BY_NAME:
                hint = did_you_mean(name, BY_NAME) or "'croq explain' lists them"
                raise self._wrong(name, f"there is no rule '{name}'; {hint}", behind="allow")
            if name in NEVER:
                raise self._wrong(name, f"'{name}' cannot be allowed", behind="allow")
        return frozenset(allow)


def project_settings(path: Path) -> Settings:
    """The settings that apply to a file from its project, empty if it has none."""
    project = find_project_file(path)
    return load_project(project) if project else Settings()
