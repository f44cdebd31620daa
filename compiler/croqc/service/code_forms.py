"""The forms in which generated code is shown, for who asks without making it. Must not import what makes it."""

from __future__ import annotations

from typing import Final

MACHINE_FORMS: Final = ("ptx", "sass")  # of the compiler
FORMS: Final = ("cuda", "full", *MACHINE_FORMS)
