"""Damaged pickles and graph texts: a unit is a specimen and what is done to its bytes.

What loads all the same is used: called, printed, computed with.
"""

import functools
import io
import pickle
import random
import re
import signal
import struct

import ferrograph as fg
import numpy as np
from drawing import drawn
from ferrograph import _core

BATCH = 4
DAMAGES = ("cut", "flipped", "exchanged")
_SECONDS = 5
_MODULES = ("ferrograph", "numpy", "ml_dtypes", "_codecs", "copyreg", "collections")


def _concrete(function, *specs):
    return fg.function(function).get_concrete_function(*specs)


def _looping(x):
    for i in fg.range(3):
        if fg.reduce_sum(x) > fg.cast(i, fg.float32):
            x = x * 2.0
    return {"x": x, "rest": [None, (x[:1], "text")]}


def _capturing():
    v, t = fg.Variable([1.0, 2.0]), fg.constant([10.0, 20.0])
    call = _concrete(lambda x: v.assign_add(x) * t, fg.TensorSpec([2]))
    # A pickle takes the variable along, which has to be there.
    call.held = v
    return call


SPECIMENS = {
    "floats": lambda: fg.constant([[1.0, -2.5], [float("nan"), 0.0]]),
    "large": lambda: fg.range(2000, dtype=fg.int64),
    "empty": lambda: fg.zeros([0, 3], fg.uint16),
    "strings": lambda: fg.constant(["a", "", "é\0"]),
    "bools": lambda: fg.constant([True, False]),
    "complex": lambda: fg.constant([1j, 2.0]),
    "bfloat16": lambda: fg.constant([1.5], fg.bfloat16),
    "float8": lambda: fg.constant([1.5], fg.dtypes.experimental.float8_e5m2),
    "variable": lambda: fg.Variable(["a", "b"], shape=[None], name="w"),
    "spec": lambda: fg.TensorSpec([None, 2], fg.float16, "x"),
    "shape": lambda: fg.TensorShape([None, 3]),
    "dtype": lambda: [fg.float32, fg.string, fg.resource],
    "ragged": lambda: fg.ragged.constant([[1.0], [], [2.0, 3.0]]),
    "sparse": lambda: fg.sparse.from_dense([[0, 1], [2, 0]]),
    "slices": lambda: fg.IndexedSlices(fg.ones([1, 2]), fg.constant([7])),
    "error": lambda: fg.errors.InvalidArgumentError(None, None, "no"),
    "function type": lambda: _concrete(lambda x: x, fg.TensorSpec([2])).function_type,
    "concrete": lambda: _concrete(lambda x: x * 2.0, fg.TensorSpec([None])),
    "looping": lambda: _concrete(_looping, fg.TensorSpec([None])),
    "capturing": _capturing,
    "ragged function": lambda: _concrete(
        lambda r: r + 1, fg.RaggedTensorSpec([None, None], fg.int32)
    ),
}


def units(n_programs, seed=0):
    """Each specimen, and the graphs of so many random programs, damaged in each way."""
    names = [*SPECIMENS, *(f"program {seed * 1_000_000 + i} any" for i in range(n_programs))]
    return [f"{damage} {name}" for name in names for damage in DAMAGES]


class Careful(pickle.Unpickler):
    """Finds names in modules of the package and of arrays alone."""

    def find_class(self, module, name):
        if module == "builtins" and name == "getattr" or module.split(".")[0] in _MODULES:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")


def loaded(data):
    """What a pickle says; what the reader of pickles itself refuses is a ``ValueError``."""
    try:
        return Careful(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, struct.error) as e:
        raise ValueError("no pickle") from e


def damaged(data, how, dice, n):
    """Copies of bytes, each with one damage: all there are, or some of them."""
    if how == "cut":
        places = range(len(data))
        chosen = places if len(data) <= n else dice.sample(places, n)
        return (data[:at] for at in chosen)
    if how == "flipped":
        places = range(8 * len(data))
        chosen = places if len(places) <= n else dice.sample(places, n)
        return (_flipped(data, bit) for bit in chosen)
    return (_exchanged(data, dice) for _ in range(n))


def _flipped(data, bit):
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def _exchanged(data, dice):
    """With one word, as a name or number is, in the place of another one."""
    words = list(re.finditer(rb"[A-Za-z_]\w*|-?\d+(?:\.\d+)?", data))
    if len(words) < 2:
        return data[::-1]
    old, new = dice.choice(words), dice.choice(words).group()
    new = dice.choice([new, b"-1", b"9223372036854775807", b"nan"]) if dice.random() < 0.3 else new
    return data[: old.start()] + new + data[old.end() :]


def used(value):
    """Do with a value what programs do."""
    repr(value)
    if isinstance(value, fg.types.experimental.ConcreteFunction):
        return used_graph(value._graph, value)
    if isinstance(value, (fg.Tensor, fg.Variable)):
        np.asarray(value + value if value.dtype != fg.bool else value)
    return value


def used_graph(graph, call):
    """Run a graph for arguments as it wants them."""
    specs = [(x.shape, x.dtype) for x in call.inputs[: call._n_args]]
    args = [fg.zeros([d or 2 for d in shape or []], dtype) for shape, dtype in specs]
    return repr(call._call_flat(args))


def with_text(call, text):
    """A concrete function whose graph is another text."""
    graph = _core.GraphHandle.from_text(text)
    return used_graph(graph, type(call)._of_graph(graph, call._captures, dict(call.__dict__)))


class TooLong(TimeoutError):
    """What took more than its time."""


def _stop(signum, frame):
    raise TooLong


class Runner:
    """Runs units."""

    def __init__(self, seed, n):
        self.seed, self.n = seed, n
        signal.signal(signal.SIGPROF, _stop)

    def run(self, unit, report):
        """Damage a specimen in one way, at ``n`` places at most."""
        how, name = unit.split(" ", 1)
        dice = random.Random(f"{unit} {self.seed}")
        if name.startswith("program"):
            program = drawn(name.removeprefix("program "))
            specs = [fg.TensorSpec(x.shape, x.dtype) for x in program.inputs()]
            make = fg.function(program.run, input_signature=specs, autograph=False)
            call = make.get_concrete_function()
            data, use = _text_of(call), lambda text: with_text(call, text.decode())
        else:
            data = pickle.dumps(SPECIMENS[name](), dice.choice([0, 2, 5]))
            use = lambda bytes_: used(loaded(bytes_))  # noqa: E731
        for k, text in enumerate(damaged(data, how, dice, self.n)):
            work = functools.partial(_within, functools.partial(use, text), b"While" in data)
            report.attempt(f"{unit} #{k}", work)


def _text_of(call):
    """The text of a graph; empty where it holds objects of this process."""
    try:
        return call._graph.text().encode()
    except TypeError:
        return b""


def _within(work, may_loop):
    """Whether work ended, in its time; what had a loop may have one without end now."""
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)
    try:
        work()
    except TooLong:
        if not may_loop:
            raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return True
