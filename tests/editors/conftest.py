"""A Neovim with the plugin as docs/editors.md sets it up, one for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.editors.neovim import Neovim
from tests.editors.surroundings import croq_in, environment, snippets


@pytest.fixture(scope="module")
def neovim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    folder = tmp_path_factory.mktemp("neovim")
    variables = environment(folder, croq_in(folder / "bin"))
    started = Neovim(folder / "files", "\n".join(snippets("Neovim", "lua")[:2]), variables)
    yield started
    started.close()


@pytest.fixture
def nvim(neovim: Neovim) -> Neovim:
    """The same for all tests, with nothing open."""
    neovim.clear()
    return neovim
