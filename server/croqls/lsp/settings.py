"""The editor's settings, section `croqtile` (LSP `workspace/configuration`). Must not apply them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from croqc.service.settings import DIALECTS, NO_SETTINGS, Settings
from croqc.targets import TARGETS
from croqc.text.near import did_you_mean
from croqc.text.record import record
from croqls.ide.inlay_hints import HintKind

SECTION = "croqtile"
# Those of the client alone (it finds Python and traces) are known here, so that they raise no warning.
_CLIENT = ("python", "trace")
_SERVER = ("arch", "dialect", "defines", "diagnostics", "inlayHints", "trusted")
_WAYS = ("push", "pull")


@record
class EditorSettings:
    """`below` are those of the compiler. `pull`: the client asks for diagnostics, none are pushed; `trusted`: the
    workspace may be run."""

    below: Settings = NO_SETTINGS
    pull: bool = False
    trusted: bool = True


def read_settings(section: object) -> tuple[EditorSettings, tuple[str, ...]]:
    """The settings of a section, and a warning for each key that is unknown or has a wrong value."""
    if not isinstance(section, Mapping):
        return EditorSettings(), ()
    warnings = [
        f"unknown setting '{SECTION}.{key}'; {did_you_mean(str(key), (*_SERVER, *_CLIENT))}".rstrip("; ")
        for key in section
        if key not in _SERVER and key not in _CLIENT
    ]
    arch = _choice(section, "arch", tuple(TARGETS), warnings)
    dialect = _choice(section, "dialect", DIALECTS, warnings)
    below = Settings(arch, dialect, _defines(section, warnings))
    pull = _choice(section, "diagnostics", _WAYS, warnings) == "pull"
    return EditorSettings(below, pull, _trusted(section, warnings)), tuple(warnings)


def _trusted(section: Mapping[Any, Any], warnings: list[str]) -> bool:
    """What is neither true nor false is no trust."""
    value = section.get("trusted")
    if value is not None and not isinstance(value, bool):
        warnings.append(f"setting '{SECTION}.trusted' is {value!r}; known are true, false")
    return value is None or value is True


def read_hints(section: object) -> tuple[frozenset[HintKind], tuple[str, ...]]:
    """The kinds of inlay hints that are shown (all but those switched off), and a warning for what is unknown."""
    chosen = section.get("inlayHints") if isinstance(section, Mapping) else None
    if chosen is None:
        return frozenset(HintKind), ()
    if not isinstance(chosen, Mapping):
        return frozenset(HintKind), (f"setting '{SECTION}.inlayHints' must map kinds of hints to true or false",)
    known = {kind.value: kind for kind in HintKind}
    warnings = [
        f"unknown setting '{SECTION}.inlayHints.{key}'; {did_you_mean(str(key), known)}".rstrip("; ")
        for key in chosen
        if key not in known
    ]
    warnings += [
        f"setting '{SECTION}.inlayHints.{key}' is {value!r}; known are true, false"
        for key, value in chosen.items()
        if key in known and not isinstance(value, bool)
    ]
    return frozenset(kind for name, kind in known.items() if chosen.get(name) is not False), tuple(warnings)


def _choice(section: Mapping[Any, Any], key: str, known: tuple[str, ...], warnings: list[str]) -> str | None:
    value = section.get(key)
    if value is None or value in known:
        return value
    warnings.append(f"setting '{SECTION}.{key}' is {value!r}; known are {', '.join(known)}")
    return None


def _defines(section: Mapping[Any, Any], warnings: list[str]) -> dict[str, str | None]:
    value = section.get("defines") or {}
    if not isinstance(value, Mapping):
        warnings.append(f"setting '{SECTION}.defines' must map names to texts")
        return {}
    return {str(name): None if text is None or text is True else str(text) for name, text in value.items()}
