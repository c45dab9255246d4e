"""Where functions are defined, and what those of one definition cost."""

from __future__ import annotations

from ..hints import Any


class Site:
    """What the functions of one definition cost: a function made in a loop is many."""

    __slots__ = ("latest", "n_functions", "n_traces", "seconds")

    def __init__(self) -> None:
        self.n_functions = self.n_traces = 0
        self.seconds = 0.0
        self.latest: Any = None


_sites: dict[tuple[str, int, str, int], Site] = {}


def sites() -> dict[tuple[str, int, str, int], Site]:
    """File, line, name and column of the functions traced so far, with what they cost."""
    return dict(_sites)


def place(function: Any) -> tuple[str, int, str, int]:
    """What tells definitions apart: file, line and name, and where in the line, for lambdas."""
    file, line, name = definition(function)
    code = _code_of(function)
    if name != "<lambda>":
        return file, line, name, 0
    if not hasattr(code, "co_positions"):  # before Python 3.11 what they do tells lambdas apart
        return file, line, name, hash(code)
    columns = [p[2] for p in code.co_positions() if p[0] == line and p[2] is not None]
    return file, line, name, max(columns, default=0)


def _code_of(function: Any) -> Any:
    target = getattr(function.python_function, "func", function.python_function)
    return getattr(getattr(target, "__func__", target), "__code__", None)


def definition(function: Any) -> tuple[str, int, str]:
    """File, line and name of what a function was made of."""
    code = _code_of(function)
    if code is None:
        return "<unknown>", 0, function.name
    return code.co_filename, code.co_firstlineno, function.name
