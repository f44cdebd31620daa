"""The editor's settings, section `croqtile` (LSP `workspace/configuration`). Must not apply them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from croqc.service.settings import DIALECTS, NO_SETTINGS, Settings, is_macro_name, macro_text
from croqc.targets import TARGETS
from croqc.text.near import did_you_mean
from croqc.text.record import record
from croqls.ide.inlay_hints import HintKind

SECTION = "croqtile"
# Those of the client alone (it finds Python and traces) are known here, so that they raise no warning.
_CLIENT = ("python", "trace")
_SERVER = ("arch", "dialect", "defines", "diagnostics", "inlayHints", "trusted")
_WAYS = ("push", "pull")
_ALL_HINTS = frozenset(HintKind)


@record
class EditorSettings:
    """`below` are those of the compiler. `pull`: the client asks for diagnostics, none are pushed; `trusted`: what
    stands there may be run; `hints`: the kinds that are shown."""

    below: Settings = NO_SETTINGS
    pull: bool = False
    trusted: bool = True
    hints: frozenset[HintKind] = _ALL_HINTS


def read_settings(section: object) -> tuple[EditorSettings, tuple[str, ...]]:
    """The settings of a section, and a warning for each key that is unknown or has a wrong value, which is ignored."""
    if _is_empty(section):
        return EditorSettings(), ()
    if not isinstance(section, Mapping):
        return EditorSettings(), (f"settings '{SECTION}' must map names to values; {section!r} is ignored",)
    warnings = [
        f"unknown setting '{SECTION}.{key}'; {did_you_mean(str(key), (*_SERVER, *_CLIENT))}".rstrip("; ")
        for key in section
        if key not in _SERVER and key not in _CLIENT
    ]
    arch = _choice(section, "arch", tuple(TARGETS), warnings)
    dialect = _choice(section, "dialect", DIALECTS, warnings)
    below = Settings(arch, dialect, _defines(section, warnings))
    pull = _choice(section, "diagnostics", _WAYS, warnings) == "pull"
    trusted = _trusted(section, warnings)
    hints, more = read_hints(section)
    return EditorSettings(below, pull, trusted, hints), (*warnings, *more)


def _is_empty(value: object) -> bool:
    """Nothing, or an object that holds nothing, which an empty list is to editors that are set up in Lua."""
    return value is None or (isinstance(value, Mapping | list) and not value)


def _trusted(section: Mapping[Any, Any], warnings: list[str]) -> bool:
    """What is neither true nor false is no trust."""
    value = section.get("trusted")
    if value is not None and not isinstance(value, bool):
        warnings.append(f"setting '{SECTION}.trusted' is {value!r}; known are true, false")
    return value is None or value is True


def read_hints(section: object) -> tuple[frozenset[HintKind], tuple[str, ...]]:
    """The kinds of inlay hints that are shown (all but those switched off), and a warning for what is unknown."""
    chosen = section.get("inlayHints") if isinstance(section, Mapping) else None
    if _is_empty(chosen):
        return _ALL_HINTS, ()
    if not isinstance(chosen, Mapping):
        return _ALL_HINTS, (f"setting '{SECTION}.inlayHints' must map kinds of hints to true or false",)
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
    if value is None or (isinstance(value, str) and value in known):
        return value
    warnings.append(f"setting '{SECTION}.{key}' is {value!r}; known are {', '.join(known)}")
    return None


def _defines(section: Mapping[Any, Any], warnings: list[str]) -> dict[str, str | None]:
    value = section.get("defines")
    if _is_empty(value):
        return {}
    if not isinstance(value, Mapping):
        warnings.append(f"setting '{SECTION}.defines' must map names to texts")
        return {}
    read: dict[str, str | None] = {}
    for name, text in value.items():
        if not is_macro_name(name):
            warnings.append(
                f"setting '{SECTION}.defines': '{name}' is no name of a macro; letters, digits and '_' make one"
            )
        elif not isinstance(text, str | int | float | None):
            warnings.append(f"setting '{SECTION}.defines.{name}' is {text!r}; a text or a number is needed")
        else:
            read[name] = macro_text(text)
    return read
