"""Reading and writing the files that people name. Must not interpret them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from croqc.text.record import record

LIMIT = 16 * 1024 * 1024  # bytes


class FileError(Exception):
    """A file that cannot be used; the text names it, the reason and, where there is one, the way out."""


@record
class FileWords:
    """What is said of a file that is a folder, too large or binary."""

    folder: str
    large: str
    binary: str


SOURCE_WORDS: Final = FileWords(
    "is a folder; name the .co files in it", "is over 16 MiB; split it", "is a binary file, not Croqtile text"
)


def read_text(path: Path, words: FileWords = SOURCE_WORDS) -> str:
    """The text of a file, UTF-8, line ends and a byte-order mark as they are.

    Raises FileError if it is missing, a folder, unreadable, over 16 MiB, binary or not UTF-8.
    """
    try:
        if path.is_dir():
            raise FileError(f"{path}: {words.folder}")
        if path.stat().st_size > LIMIT:
            raise FileError(f"{path}: {words.large}")
        with path.open("rb") as stream:
            data = stream.read(LIMIT + 1)  # what is no file has no size
        if len(data) > LIMIT:
            raise FileError(f"{path}: {words.large}")
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None
    if b"\0" in data:
        raise FileError(f"{path}: {words.binary}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(f"{path}:{line}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def demand_file(path: Path) -> None:
    """Raises FileError for what may never end or never begin, such as a pipe or a device; what is missing passes."""
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):  # `Path` raises in a locked folder
        raise FileError(f"{path}: is a pipe or a device; name a file")


def write_text(path: Path, text: str) -> None:
    """Replace a file's text at once or not at all; its mode is kept, and a link's target is written.

    Raises FileError, also for a file that nobody may write.
    """
    try:
        path = path.resolve()
        mode = path.stat().st_mode
        if not mode & 0o222:
            raise FileError(f"{path.name}: is read-only")
        _replace(path, text, mode)
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({error.strerror})") from None


def create_text(path: Path, text: str) -> None:
    """Write a new file, or over an old one, at once or not at all; or to what is no file, such as a device.

    Raises FileError.
    """
    try:
        stream = path.absolute().parts[1:2] in (("dev",), ("proc",))  # as /dev/stdout, which may stand for a file
        if path.is_file() and not stream:
            write_text(path, text)
        elif path.exists():
            with path.open("a", encoding="utf-8", newline="") as out:
                out.write(text)
        else:
            mask = os.umask(0)
            os.umask(mask)
            _replace(path.resolve(), text, 0o666 & ~mask)
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({error.strerror})") from None


def _replace(path: Path, text: str, mode: int) -> None:
    """By renaming, so that a full disk leaves what was there and nothing beside it. Raises OSError."""
    import tempfile  # here, since reading needs none of what it loads

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode("utf-8"))
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
