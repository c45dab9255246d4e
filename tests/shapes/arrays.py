"""What the families of cases are written with."""

import numpy as np

from shapes.tracing import Case

CASES: dict = {}


def case(name, call, *args, fixed=()):
    """Adds a case; a tuple among ``args`` is the shape of a float32 array, all else an array."""
    if name in CASES:
        raise ValueError(f"there are two cases {name!r}")
    arrays = [numbers(*a) if isinstance(a, tuple) else np.asarray(a) for a in args]
    CASES[name] = Case(call, arrays, frozenset(fixed))


def numbers(*shape):
    """Floats between 0.1 and 0.9."""
    return np.random.default_rng(len(shape)).uniform(0.1, 0.9, shape).astype(np.float32)


def ints(*values):
    """A vector of int32."""
    return np.array(values, np.int32)


def words(*values):
    """An array of strings."""
    return np.array(values, object)


def scalar(value, dtype=np.int32):
    """A scalar."""
    return np.array(value, dtype)
