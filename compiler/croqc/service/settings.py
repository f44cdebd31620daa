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
from croqc.text.record import record

DIALECTS = ("any", "current")
NO_DEFINES: Final[Mapping[str, str | None]] = {}
_WORDS: Final = FileWords(
    "is a folder, no file of settings", "is over 16 MiB, too large for settings", "is a binary file, not TOML"
)
_NAME: Final = re.compile(r"[^\W\d]\w*", re.ASCII)


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

    Raises SettingsError for a file that cannot be read, an unknown key or a value of the wrong type.
    """
    import tomllib  # here, since most folders have no such file

    try:
        data = tomllib.loads(read_text(path, _WORDS))
    except FileError as error:
        raise SettingsError(str(error)) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: {error}") from None
    unknown = sorted(set(data) - {"arch", "dialect", "defines", "allow"})
    if unknown:
        raise SettingsError(f"{path}: unknown key '{unknown[0]}'; known are arch, dialect, defines, allow")
    return _from_table(data, str(path))


def _from_table(data: Mapping[str, object], where: str) -> Settings:
    arch, dialect = data.get("arch"), data.get("dialect")
    defines, allow = data.get("defines", {}), data.get("allow", [])
    if not (arch is None or isinstance(arch, str)):
        raise SettingsError(f"{where}: arch must be a text such as '{DEFAULT_TARGET}'")
    if arch is not None and find_target(arch) is None:
        raise SettingsError(f"{where}: unknown architecture '{arch}'; known are {', '.join(TARGETS)}")
    if not (dialect is None or dialect in DIALECTS):
        raise SettingsError(f"{where}: dialect must be 'any' or 'current'")
    if not isinstance(defines, dict) or not all(isinstance(v, str | int | bool) for v in defines.values()):
        raise SettingsError(f"{where}: defines must be a table of names and texts or numbers")
    wrong = next((name for name in defines if not is_macro_name(name)), None)
    if wrong is not None:
        raise SettingsError(f"{where}: '{wrong}' in defines is no name of a macro; letters, digits and '_' make one")
    if not isinstance(allow, list) or not all(isinstance(item, str) for item in allow):
        raise SettingsError(f"{where}: allow must be a list of rule names")
    texts = {name: macro_text(value) for name, value in defines.items()}
    return Settings(arch, str(dialect) if dialect else None, texts, frozenset(allow))


def project_settings(path: Path) -> Settings:
    """The settings that apply to a file from its project, empty if it has none."""
    project = find_project_file(path)
    return load_project(project) if project else Settings()
