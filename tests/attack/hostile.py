"""Values that no function expects, and plain ones that most functions take.

Each is a function that makes the value anew, since some are used up or changed.
"""

import collections
import decimal
import fractions
import types

import ferrograph as fg
import numpy as np


class Evil:
    """Raises from whatever is asked of it."""

    def _raise(self, *_args, **_kwargs):
        raise Wicked("evil")

    __len__ = __iter__ = __getitem__ = __index__ = __int__ = __float__ = __bool__ = _raise
    __call__ = _raise
    __add__ = __radd__ = __eq__ = __lt__ = __array__ = __tf_tensor__ = __enter__ = _raise
    __dlpack__ = __contains__ = __next__ = __setitem__ = __copy__ = __reduce_ex__ = _raise
    __hash__ = object.__hash__


class Wicked(Exception):
    """What ``Evil`` raises."""


class Silent:
    """Says yes to every attribute, with a value of no use."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return


class Liar:
    """A sequence whose length is not what it holds."""

    def __init__(self, length):
        self._length = length

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        if index >= 100:
            raise IndexError
        return 1


class Reentrant:
    """Computes while it is converted."""

    def __array__(self, dtype=None, copy=None):
        return np.asarray(fg.constant([1.0, 2.0]) + 1.0, dtype)


class Float(float):
    pass


class Text(str):
    pass


class Changing(list):
    """A list that grows while it is read."""

    def __iter__(self):
        for item in list.__iter__(self):
            if len(self) < 64:
                self.append(item)
            yield item


def _own(value):
    return lambda: value


def _circular_list():
    made = [1]
    made.append(made)
    return made


def _circular_dict():
    made = {}
    made["a"] = made
    return made


def _deep():
    made = [1]
    for _ in range(3000):
        made = [made]
    return made


def _leaked():
    kept = []
    fg.function(lambda x: kept.append(x) or x)(fg.constant([1.0, 2.0]))
    return kept[0]


Pair = collections.namedtuple("Pair", "a b")

HOSTILE = {
    "None": _own(None),
    "True": _own(True),
    "0": _own(0),
    "-1": _own(-1),
    "2**31": _own(2**31),
    "-2**31-1": _own(-(2**31) - 1),
    "2**40": _own(2**40),
    "2**62": _own(2**62),
    "-2**63": _own(-(2**63)),
    "2**63": _own(2**63),
    "10**40": _own(10**40),
    "nan": _own(float("nan")),
    "-inf": _own(float("-inf")),
    "1e308": _own(1e308),
    "0.5": _own(0.5),
    "1j": _own(complex(1.0, float("nan"))),
    "''": _own(""),
    "'a'": _own("a"),
    "surrogate": _own("a\ud800"),
    "zero byte": _own("a\0b"),
    "long text": _own("é" * 70_000),
    "b'\\xff'": _own(b"\xff\0"),
    "bytearray": lambda: bytearray(b"ab"),
    "memoryview": lambda: memoryview(b"abcd"),
    "[]": list,
    "[[]]": lambda: [[]],
    "[[1], [2, 3]]": lambda: [[1], [2, 3]],
    "[1, 'a']": lambda: [1, "a"],
    "[None]": lambda: [None],
    "[-1]": lambda: [-1],
    "[0]": lambda: [0],
    "[2**40, 2**40]": lambda: [2**40, 2**40],
    "[2**31, 2]": lambda: [2**31, 2],
    "[[0, 1]]": lambda: [[0, 1]],
    "()": tuple,
    "{}": dict,
    "{'a': 1}": lambda: {"a": 1},
    "{1: 2, 'a': 3}": lambda: {1: 2, "a": 3},
    "set": lambda: {1, 2},
    "range(2**62)": _own(range(2**62)),
    "generator": lambda: (i for i in range(2)),
    "circular list": _circular_list,
    "circular dict": _circular_dict,
    "deep list": _deep,
    "changing list": lambda: Changing([1, 2]),
    "length -1": lambda: Liar(-1),
    "length 2**62": lambda: Liar(2**62),
    "length 3": lambda: Liar(3),
    "evil": Evil,
    "silent": Silent,
    "object": object,
    "class": _own(int),
    "module": _own(types),
    "ellipsis": _own(...),
    "slice": _own(slice(None, None, 0)),
    "Decimal": _own(decimal.Decimal("NaN")),
    "Fraction": _own(fractions.Fraction(1, 3)),
    "Float": _own(Float(1.5)),
    "Text": _own(Text("a")),
    "reentrant": Reentrant,
    "namedtuple": _own(Pair(1, None)),
    "lambda": lambda: lambda *a, **k: None,
    "raises": lambda: Evil()._raise,
    "np empty": lambda: np.zeros((0, 3), np.float32),
    "np object": lambda: np.array([1, "a", None], object),
    "np ragged": lambda: np.array([[1], [2, 3]], object),
    "np 0d": lambda: np.array(2**62),
    "np datetime": lambda: np.array(["2020-01-01"], "datetime64[D]"),
    "np structured": lambda: np.zeros(2, [("a", "i4"), ("b", "f8")]),
    "np longdouble": lambda: np.ones(2, np.longdouble),
    "np big endian": lambda: np.ones(3, ">f4"),
    "np negative strides": lambda: np.arange(6.0).reshape(2, 3)[::-1, ::-2],
    "np zero strides": lambda: np.broadcast_to(np.float32(1), (2, 3)),
    "np huge": lambda: np.broadcast_to(np.float32(1), (2**40, 2**20)),
    "np str": lambda: np.array(["a", "bcd"]),
    "np masked": lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    "np rank 33": lambda: np.zeros((1,) * 33),
    "np.float16": _own(np.float16(1)),
    "tensor": lambda: fg.constant([[1.0, -2.0, 3.0], [4.0, 5.0, float("nan")]]),
    "empty tensor": lambda: fg.zeros([0, 3]),
    "int tensor": lambda: fg.constant([2, 0, 1]),
    "int64 min": lambda: fg.constant([-(2**63), 2**63 - 1]),
    "bool tensor": lambda: fg.constant([True, False]),
    "string tensor": lambda: fg.constant(["a", "\0", ""]),
    "complex tensor": lambda: fg.constant([1j, 2.0]),
    "uint8 tensor": lambda: fg.constant([255, 0], fg.uint8),
    "half tensor": lambda: fg.constant([65504.0, 1.0], fg.float16),
    "rank 8": lambda: fg.ones([1, 2, 1, 1, 1, 2, 1, 1]),
    "wide shape": lambda: fg.constant([2**31, 2**31, 0], fg.int64),
    "leaked": _leaked,
    "variable": lambda: fg.Variable([1.0, 2.0]),
    "string variable": lambda: fg.Variable(["a", "b"]),
    "open variable": lambda: fg.Variable([1.0], shape=[None]),
    "ragged": lambda: fg.ragged.constant([[1.0], [], [2.0, 3.0]]),
    "ragged 2": lambda: fg.ragged.constant([[[1]], [], [[2], [3, 4]]]),
    "sparse": lambda: fg.sparse.from_dense([[0, 1], [2, 0]]),
    "bad sparse": lambda: fg.SparseTensor([[5, -1]], [1.0], [2, 2]),
    "slices": lambda: fg.IndexedSlices(fg.ones([1, 2]), fg.constant([7]), fg.constant([3, 2])),
    "dataset": lambda: fg.data.Dataset.range(3),
    "TensorArray": lambda: fg.TensorArray(fg.float32, 2),
    "spec": lambda: fg.TensorSpec([None, 2], fg.float32),
    "shape": lambda: fg.TensorShape([None, 2]),
    "unknown shape": lambda: fg.TensorShape(None),
    "dtype": _own(fg.float32),
    "resource": _own(fg.resource),
    "variant": _own(fg.variant),
    "function": lambda: fg.function(lambda x: x),
    "tape": fg.GradientTape,
}

# What functions take: tried together until a call succeeds, to have hostile values beside them.
PLAIN = {
    "tensor": lambda: fg.constant([[1.0, 2.0], [3.0, 4.0]]),
    "vector": lambda: fg.constant([1.0, 2.0]),
    "ints": lambda: fg.constant([0, 1]),
    "matrix of ints": lambda: fg.constant([[0, 1], [1, 0]]),
    "scalar": lambda: fg.constant(1.0),
    "bools": lambda: fg.constant([True, False]),
    "strings": lambda: fg.constant(["1", "2"]),
    "0": _own(0),
    "1": _own(1),
    "2": _own(2),
    "[2]": lambda: [2],
    "[0, 1]": lambda: [0, 1],
    "[[1.], [2.]]": lambda: [[1.0], [2.0]],
    "2.0": _own(2.0),
    "'a'": _own("a"),
    "dtype": _own(fg.float32),
    "shape": lambda: fg.TensorShape([2, 2]),
    "spec": lambda: fg.TensorSpec([2], fg.float32),
    "function": lambda: lambda *args: args[0] if args else fg.constant(1.0),
    "nothing": lambda: lambda *args: None,
    "ragged": lambda: fg.ragged.constant([[1], [2, 3]]),
    "sparse": lambda: fg.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]]),
    "dataset": lambda: fg.data.Dataset.range(3),
    "variable": lambda: fg.Variable([1.0, 2.0]),
    "list of tensors": lambda: [fg.constant([1.0, 2.0]), fg.constant([3.0, 4.0])],
    "True": _own(True),
    "None": _own(None),
    "[1, 2, 3]": lambda: [1, 2, 3],
    "uint8": lambda: fg.constant([1, 2], fg.uint8),
    "seed": lambda: [1, 2],
    "float class": _own(float),
}
