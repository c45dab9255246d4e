"""A call that succeeds of nearly every public function: what the rows of the table and the examples
in docstrings call while the public modules record it.
"""

import contextlib
import doctest
import functools
import inspect
import io
import os
import pkgutil
import tempfile
import types
from dataclasses import dataclass

import ferrograph as fg
import numpy as np
from families import ROWS

# Modules of the installed Keras, another project's.
KERAS = {"keras", "initializers", "losses", "metrics", "optimizers"}
# Functions that change what all later calls do, each with what it changes.
NOT_CALLED = {
    "config.run_functions_eagerly": "whether functions are traced",
    "config.experimental_run_functions_eagerly": "whether functions are traced",
    "debugging.disable_traceback_filtering": "what tracebacks show",
    "debugging.enable_traceback_filtering": "what tracebacks show",
    "debugging.set_log_device_placement": "what is logged",
    "debugging.enable_check_numerics": "what operations check",
    "debugging.disable_check_numerics": "what operations check",
    "experimental.numpy.experimental_enable_numpy_behavior": "what operators give",
    "register_tensor_conversion_function": "which classes are tensors",
    "profiler.experimental.start": "whether there is a profile",
    "profiler.experimental.stop": "whether there is a profile",
    "config.set_progress_bars": "whether progress is shown",
    "summary.experimental.set_step": "the step of later summaries",
    "summary.trace_export": "whether there is a trace",
    "summary.trace_off": "whether there is a trace",
    "summary.trace_on": "whether there is a trace",
    "test.main": "ends the process",
}


@dataclass
class Call:
    """A call that succeeds.

    Attributes:
      name: the public name of the function, the first in the alphabet of its modules.
      function: the function.
      args, kwargs: what it was called with.
    """

    name: str
    function: object
    args: tuple
    kwargs: dict

    @property
    def parameters(self):
        """The parameters that take one argument each."""
        every = inspect.signature(self.function).parameters.values()
        return [p for p in every if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]

    def bound(self):
        """The arguments by parameter, defaults included."""
        bound = inspect.signature(self.function).bind(*self.args, **self.kwargs)
        bound.apply_defaults()
        return bound

    def run(self, **changed):
        """The call with other arguments for some parameters; what it prints is dropped."""
        bound = self.bound()
        bound.arguments.update(changed)
        with quiet():
            return self.function(*bound.args, **bound.kwargs)


@contextlib.contextmanager
def quiet():
    """Drops what is printed."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


@functools.cache
def calls():
    """A call of each function that has one, by the name of the function."""
    names, modules = public_functions()
    recorded = {name: [] for name in names.values()}
    with _recording(names, modules, recorded), _elsewhere():
        _run_rows()
        _run_examples(names)
        every = {name: _first(name, found) for name, found in recorded.items()}
    return {name: call for name, call in sorted(every.items()) if call is not None}


def public_functions():
    """The names of all public functions, and the public modules."""
    modules, names = {"": fg}, {}
    for info in pkgutil.walk_packages(fg.__path__, "ferrograph."):
        name = info.name.removeprefix("ferrograph.")
        if name not in KERAS and not any(part.startswith("_") for part in name.split(".")):
            modules[name] = __import__(info.name, fromlist=["_"])
    for space, module in sorted(modules.items()):
        for name in sorted(set(dir(module)) - KERAS):
            value, full = getattr(module, name), f"{space}.{name}" if space else name
            is_function = isinstance(value, types.FunctionType) and not name.startswith("_")
            if is_function and full not in NOT_CALLED:
                names.setdefault(value, full)
    return names, list(modules.values())


@contextlib.contextmanager
def _recording(names, modules, recorded):
    """Has the public modules note the calls of functions that succeed."""
    watched = {f: _watched(f, recorded[name]) for f, name in names.items()}
    before = []
    for module in modules:
        for name, value in list(vars(module).items()):
            if isinstance(value, types.FunctionType) and value in watched:
                before.append((module, name, value))
                setattr(module, name, watched[value])
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def _watched(function, found):
    @functools.wraps(function)
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        found.append((function, args, kwargs))
        return result

    return call


@contextlib.contextmanager
def _elsewhere():
    """Works in an empty folder, so that examples leave no files."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _run_rows():
    for row in ROWS:
        args = [fg.constant(a) for a in row.at(row.main)]
        with contextlib.suppress(Exception), quiet():
            state = row.state(fg, *args) if row.state else ()
            row.call(fg, *(state if isinstance(state, tuple) else (state,)), *args)


def _run_examples(names):
    for function in names:
        space = {"fg": fg}
        for example in doctest.DocTestParser().get_examples(function.__doc__ or ""):
            with contextlib.suppress(Exception, SystemExit), quiet():
                exec(compile(example.source, "<example>", "exec"), space)


def _first(name, found):
    """The first call of a function that succeeds again: some use up what they are given."""
    for function, args, kwargs in found:
        call = Call(name, function, args, kwargs)
        with contextlib.suppress(Exception):
            call.run()
            return call
    return None


class NotPortable(TypeError):
    """A value that no other package has."""


def portable(call):
    """The arguments of a call by parameter, and the kinds of its parameters."""
    kinds = {p.name: p.kind.name for p in inspect.signature(call.function).parameters.values()}
    return {name: plain(v) for name, v in call.bound().arguments.items()}, kinds


def plain(value):
    """A value as Python and NumPy write it; what is neither is a tagged tuple."""
    if isinstance(value, (fg.Tensor, fg.Variable)):
        return "tensor", value.numpy(), value.dtype.name
    if isinstance(value, fg.DType):
        return "dtype", value.name
    if isinstance(value, fg.TensorShape):
        return "shape", None if value.rank is None else value.as_list()
    if isinstance(value, fg.RaggedTensor):
        return "ragged", value.to_list(), value.dtype.name
    if isinstance(value, fg.SparseTensor):
        return ("sparse", *map(plain, (value.indices, value.values, value.dense_shape)))
    if type(value) in (list, tuple):
        return "items", type(value).__name__, [plain(item) for item in value]
    if type(value) is dict:
        return "dict", {key: plain(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return value
    if isinstance(value, (np.ndarray, np.generic)) or value in (bool, int, float, str):
        return "own", value
    raise NotPortable(type(value).__name__)
