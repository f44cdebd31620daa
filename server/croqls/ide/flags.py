"""The settings of an editor as options of `croq`, for clients that start it on a file. Pure."""

from __future__ import annotations

import re

from croqc.service.check import FileReport
from croqc.service.settings import Settings


def flags_of(report: FileReport, editor: Settings, below: Settings) -> list[str]:
    """The options with which `croq` takes a file as the editor does: what the editor's settings say and neither the
    file nor `croq.toml` overrules, for options would overrule those. `below` is both, `croq.toml` first.

    A macro that does not stand in the text is left out: settings are of all files, options of one.
    """
    written, text = report.directives, report.source.text
    found: list[str] = []
    if editor.arch is not None and written.arch is None and below.arch == editor.arch:
        found += ["--arch", editor.arch]
    if editor.dialect is not None and written.dialect is None and below.dialect == editor.dialect:
        found += ["--dialect", editor.dialect]
    for name, value in sorted(editor.defines.items()):
        counts = name in below.defines and below.defines[name] == value
        if counts and re.search(rf"\b{re.escape(name)}\b", text):
            found += ["-D", name if value is None else f"{name}={value}"]
    return found
