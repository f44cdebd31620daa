"""Settings of all tests: hypothesis draws the same examples every time and does not judge by the clock.

An exception that the tools would turn into an `internal-error` fails a test, unless the test is about that.
Nothing is kept in the state folder of who runs the tests.
Tests marked `gpu` run only where they are asked for, as `make gpu` does with `-m gpu`.
"""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.rules.breaking import surface

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def exceptions_surface() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        surface(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew instead of comparing")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the tests that need a card out of every selection that does not name them."""
    if "gpu" in config.getoption("markexpr"):
        return
    left_out = [item for item in items if item.get_closest_marker("gpu")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]
