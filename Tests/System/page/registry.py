"""The tests, in the order in which they were written. A test's name is its claim."""

import collections

Test = collections.namedtuple("Test", "name run settings")
TESTS = []


def test(token=None, flags=(), **browser):
    """A test gets its own service and window. `browser` are settings of the window."""

    def add(function):
        TESTS.append(Test(function.__name__, function, {"token": token, "flags": flags, "browser": browser}))
        return function

    return add
