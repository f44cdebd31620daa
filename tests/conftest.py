"""Settings of all tests: hypothesis draws the same examples every time and does not judge by the clock."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
