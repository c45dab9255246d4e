"""The table of the operations: what a row is, and the values that its arguments take.

A row calls one operation. ``call`` takes the package and the arguments, ``expect`` the arguments
alone, as NumPy arrays of the widest dtype of their kind, and gives what the operation computes.
An argument is an array, the same in every run, or a ``Vary``, which takes the dtype of the run.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

SIGNED = ("int8", "int16", "int32", "int64")
STRING = ("string",)
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
FLOATS = ("float64", "float32", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
REAL = FLOATS + INTS
INEXACT = FLOATS + COMPLEX
NUMBERS = FLOATS + INTS + COMPLEX
PLAIN = (*NUMBERS, "bool")
# Floats of one byte are moved alike: by their size.
FLOAT8 = ("float8_e5m2", "float8_e4m3fnuz")
DENSE = (*PLAIN, *FLOAT8)
WRITTEN = (*PLAIN, "string")
ALL = (*WRITTEN, *FLOAT8)
WIDE_INTS = ("int32", "int64")
# A row none of whose arguments vary runs once.
FIXED = ("fixed",)

WORDS = np.array([b"", b"a", b"b c", b"\xff\x00", b"omega", b"omega"], object)


def numpy_dtype(name):
    """The NumPy dtype that holds the elements of a dtype."""
    if name == "string":
        return np.dtype(object)
    return np.dtype(getattr(ml_dtypes, name) if name in ("bfloat16", *FLOAT8) else name)


def floats(*shape, low=-2.0, high=2.0, seed=0):
    """Floats in a range, none close to a whole number, where many functions have their corners."""
    x = np.random.default_rng(seed).uniform(low, high, shape)
    near = np.abs(x - np.round(x)) < 0.05
    return np.asarray(np.where(near, x + 0.11, x))


class Vary:
    """An argument that takes the dtype of the run.

    Args:
      shape: the sizes.
      low, high: the range of floats, and of the parts of complex numbers.
      ints: the range of integers; unsigned ones take the magnitudes.
      seed: tells arguments of one shape apart.
      nonzero: whether 0 stands for 3.
      values: the very values, converted, in place of drawn ones.
    """

    def __init__(
        self, *shape, low=-2.0, high=2.0, ints=(-9, 9), seed=0, nonzero=False, values=None
    ):
        self.shape = shape if values is None else np.shape(values)
        self.low, self.high, self.ints = low, high, ints
        self.seed, self.nonzero, self.values = seed, nonzero, values

    @property
    def ndim(self):
        return len(self.shape)

    def of(self, *shape):
        """The same range of values in another shape."""
        made = Vary(*shape, low=self.low, high=self.high, ints=self.ints, seed=self.seed)
        made.nonzero = self.nonzero
        return made

    def at(self, dtype):
        """The array of that dtype."""
        if self.values is not None:
            if dtype == "string":
                raise ValueError("given values are numbers")
            with np.errstate(invalid="ignore"):
                return np.asarray(self.values).astype(numpy_dtype(dtype))
        drawn = self._drawn(dtype)
        return np.asarray(drawn).astype(numpy_dtype(dtype))

    def _drawn(self, dtype):
        rng = np.random.default_rng(self.seed)
        if dtype == "string":
            return WORDS[rng.integers(0, len(WORDS), self.shape)]
        if dtype == "bool":
            return rng.integers(0, 2, self.shape)
        if dtype in INTS:
            drawn = rng.integers(*self.ints, self.shape)
            drawn = np.abs(drawn) if dtype in UNSIGNED else drawn
            return np.where(drawn == 0, 3, drawn) if self.nonzero else drawn
        real = floats(*self.shape, low=self.low, high=self.high, seed=self.seed)
        if dtype not in COMPLEX:
            return real
        return real + 1j * floats(*self.shape, low=self.low, high=self.high, seed=self.seed + 50)


@dataclass
class Row:
    """One call of one operation.

    Attributes:
      op: the public name of the operation.
      call: takes the package and the arguments (after ``state``, where the row has some).
      args: an array or a ``Vary`` each.
      expect: takes the arguments, gives the result or a tuple of them; each is converted to the
        dtype that ``out`` says.
      grad: the arguments that have a gradient, held against finite differences; that a float is
        not listed states that none flows to it. None where rounding hides the slope.
      dtypes: those that the operation is documented for; every other one it has to refuse.
      out: the dtype of the result, or a tuple of those of several: a name, ``"T"`` for that of the
        run, or a function of it.
      tol: how many times the tolerance of the dtype the result may be off.
      forms: other lists of arguments by name, such as those with an empty dimension.
      state: makes from package and arguments what the call works on and resets itself, such as a
        variable.
      about: what tells the row apart from others of its operation, where exceptions name it.
      hidden: why the call has to name an operation that no public function emits.
    """

    op: str
    call: Callable
    args: list
    expect: Callable
    grad: tuple | None = ()
    dtypes: tuple = FIXED
    out: object = "T"
    tol: float = 1.0
    forms: dict = field(default_factory=dict)
    state: Callable | None = None
    about: str = ""
    hidden: str = ""

    def __str__(self):
        return f"{self.op} {self.about}".rstrip()

    def at(self, dtype, form="own"):
        """The arguments of a form at a dtype."""
        args = self.args if form == "own" else self.forms[form]
        return [a.at(dtype) if isinstance(a, Vary) else a for a in args]

    @property
    def main(self):
        """The dtype that tests of one dtype use: float64 where the row has it."""
        return self.dtypes[0]


ROWS: list[Row] = []


def row(op, call, args, expect, grad=(), **fields):
    """Adds a row; ``empty=`` and ``scalar=`` are forms."""
    forms = dict(fields.pop("forms", {}))
    for name in ("empty", "scalar"):
        if name in fields:
            forms[name] = [_argument(a) for a in fields.pop(name)]
    args = [_argument(a) for a in args]
    varies = any(isinstance(a, Vary) for a in args)
    dtypes = fields.pop("dtypes", FLOATS if varies else FIXED)
    fields.setdefault("out", "T")
    ROWS.append(Row(op, call, args, expect, grad, dtypes, forms=forms, **fields))


def _argument(a):
    return a if isinstance(a, (np.ndarray, Vary)) else np.asarray(a)


def unary(op, function, expect, x=None, grad=True, **fields):
    """A row of an elementwise operation of one argument."""
    x = Vary(3, 4) if x is None else x
    fields.setdefault("empty", [x.of(0, 4)])
    fields.setdefault("scalar", [x.of()])
    grad = {True: (0,), False: (), None: None}[grad]
    row(op, lambda fg, x: function(fg)(x), [x], expect, grad, **fields)


def pair(op, function, expect, x=None, y=None, grad=(0, 1), **fields):
    """A row of an elementwise operation of two arguments that broadcast."""
    x, y = x or Vary(3, 4), y or Vary(3, 4, seed=1)
    forms = {
        "broadcast": [x.of(3, 1), y.of(2, 1, 4)],
        "empty": [x.of(3, 0), y.of(3, 0)],
        "emptied": [x.of(3, 1), y.of(1, 0)],
        "scalar": [x.of(), y.of()],
        "scalar left": [x.of(), y.of(5)],
        "scalar right": [x.of(5), y.of()],
    }
    row(op, lambda fg, x, y: function(fg)(x, y), [x, y], expect, grad, forms=forms, **fields)
