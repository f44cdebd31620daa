"""The project's own files, found without git. Must not look into what was installed or built."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = (".ci", "compiler", "docs", "examples", "server", "syntaxes", "tests", "vscode-extension")
MADE = {"__pycache__", "node_modules", "dist", "out"}
PROSE_AND_CODE = {
    *(
        "",
        ".py",
        ".pyi",
        ".lark",
        ".co",
        ".md",
        ".toml",
        ".yaml",
        ".json",
        ".ts",
        ".js",
        ".mjs",
        ".vim",
        ".lua",
    ),
    *(".html", ".css", ".cuh", ".sh"),
}


def files() -> list[Path]:
    """Every text file of the project, sorted; package locks left out."""
    top = [path for path in ROOT.iterdir() if path.is_file()]
    inner = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(
        path
        for path in [*top, *inner]
        if not MADE & set(path.relative_to(ROOT).parts)
        and path.suffix in PROSE_AND_CODE
        and path.name != "package-lock.json"
    )


def python_files(*folders: str) -> list[Path]:
    """The Python files below the folders (all of the project's without one), sorted."""
    roots = [ROOT / folder for folder in folders or FOLDERS]
    return [path for path in files() if path.suffix == ".py" and any(path.is_relative_to(root) for root in roots)]


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
