"""Settings of all tests: hypothesis draws the same examples every time and does not judge by the clock.

An exception that the tools would turn into an `internal-error` fails a test, unless the test is about that.
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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew instead of comparing")
