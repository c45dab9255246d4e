"""Blocks of a program that are to be profiled."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src import door as _door

if TYPE_CHECKING:
    from .._src.interfaces.profiler import Profile, ProfilerOptions, Trace, start, stop

__all__ = [
    "Profile",
    "ProfilerOptions",
    "Trace",
    "start",
    "stop",
]

if not TYPE_CHECKING:
    _LAZY = {
        "Profile": "interfaces.profiler:Profile",
        "ProfilerOptions": "interfaces.profiler:ProfilerOptions",
        "Trace": "interfaces.profiler:Trace",
        "start": "interfaces.profiler:start",
        "stop": "interfaces.profiler:stop",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
