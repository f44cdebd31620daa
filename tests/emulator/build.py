"""Builds programs of the emulator with the system's C++ compiler. Must not run them.

What was built is kept in `build/emulator`, under a name that follows from all that went into it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.emulator.translate import SHOWN_AS

ROOT: Final = Path(__file__).parents[2]
KEPT: Final = ROOT / "build" / "emulator"
MACHINE: Final = Path(__file__).with_name("machine")
_COMMON: Final = ("-std=c++17", "-fwrapv", "-fno-strict-aliasing", "-fno-omit-frame-pointer", "-fno-pie", "-g1")
_MACHINE: Final = (*_COMMON, "-O2", "-Wall", "-Wextra", "-Wno-format-security")
# A trap is a fault with its place: no library of the sanitizers has to be there.
_CHECKS: Final = ("-fsanitize=alignment,bounds,integer-divide-by-zero", "-fsanitize-undefined-trap-on-error")
_UNIT: Final = (*_COMMON, "-O1", "-w", *_CHECKS)


class BuildError(Exception):
    """The compiler's words."""


def compiler() -> str:
    """Raises BuildError where there is none."""
    found = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if found is None:
        raise BuildError("the emulator needs a C++ compiler: sudo apt-get install g++")
    return found


@cache
def _state() -> str:
    """All that goes into every program but its own text."""
    words = [compiler(), *_MACHINE, *_UNIT]
    texts = [path.read_text(encoding="utf-8") for path in sorted(MACHINE.iterdir())]
    return sha256("\0".join([*words, *texts]).encode()).hexdigest()


def machine() -> Path:
    """The folder with what is the same for all units: the parts of the machine as objects, and the header they share,
    compiled in front."""
    folder = KEPT / f"machine-{_state()[:16]}"
    if not folder.exists():
        with _whole(folder) as made:
            sources = sorted(MACHINE.glob("*.cc"))
            _run([compiler(), *_MACHINE, "-c", *map(str, sources)], made)
            shutil.copy(MACHINE / "emulator.h", made)
            _run([compiler(), *_UNIT, "-I", str(MACHINE), "-x", "c++-header", str(made / "emulator.h")], made)
    return folder


def built(text: str) -> Path:
    """The program of a translated unit. Raises BuildError."""
    name = sha256(f"{_state()}\0{text}".encode()).hexdigest()[:24]
    program = KEPT / name[:2] / name
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        common = machine()
        with tempfile.TemporaryDirectory(dir=program.parent) as folder:
            unit = Path(folder) / SHOWN_AS
            unit.write_text(text, encoding="utf-8")
            objects = sorted(str(path) for path in common.glob("*.o"))
            made = Path(folder) / "program"
            search = ["-I", str(common), "-I", str(MACHINE)]
            _run(
                [
                    compiler(),
                    *_UNIT,
                    "-no-pie",
                    *search,
                    "-x",
                    "c++",
                    str(unit),
                    "-x",
                    "none",
                    *objects,
                    "-o",
                    str(made),
                ],
                Path(folder),
            )
            made.replace(program)
    return program


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """A folder that appears with all its contents at once: two processes may make it at the same time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        yield Path(made)
        if not folder.exists():
            shutil.copytree(made, f"{made}-whole")
            try:
                Path(f"{made}-whole").replace(folder)
            except OSError:  # another process was first
                shutil.rmtree(f"{made}-whole")


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{' '.join(command[:1])}: {done.stderr[:2000]}")
