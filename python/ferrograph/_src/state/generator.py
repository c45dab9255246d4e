"""``random.Generator``: random numbers from a state that the program can read, save and set."""

from __future__ import annotations

import enum
import os

from ..context import thread
from ..hints import Any
from ..native import _core
from ..ops import distributions, random_ops
from ..ops._dispatch import told
from ..values import errors
from ..values.dtypes import DType, as_dtype, float32, int32, int64, uint64
from ..values.errors import shown
from ..values.markers import Trackable
from ..values.public import public
from .variable import Variable

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "set_global_generator",
]

_emit, _convert = _core.emit, _core.convert_to_tensor
# So many places of the counter belong to each number drawn.
_RESERVED = 256


@public("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """The algorithms of generators, of which Philox, which ``AUTO_SELECT`` means too, draws.

    >>> fg.random.Generator.from_seed(1, alg=fg.random.Algorithm.PHILOX).algorithm
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


# The elements of a state, by algorithm: those of the counter, and the key.
_SIZES = {Algorithm.PHILOX: 3, Algorithm.THREEFRY: 2, Algorithm.AUTO_SELECT: 3}


def _algorithm(alg: Any) -> Algorithm:
    if isinstance(alg, Algorithm):
        return alg
    names = [a.name.lower() for a in Algorithm]
    if isinstance(alg, str) and alg in names:
        return Algorithm[alg.upper()]
    if not isinstance(alg, int) or alg not in [a.value for a in Algorithm]:
        raise ValueError(f"the algorithm must be one of {', '.join(names)}, got {shown(alg)}")
    return Algorithm(alg)


@public("random.create_rng_state", "random.experimental.create_rng_state")
@told
def create_rng_state(seed: Any, alg: Any) -> Any:
    """The state of a generator that begins from ``seed``: a vector of int64, counter and key.

    A Python integer fills it from the front, 64 bits an element, in two's complement. Of a vector
    of numbers the state takes the first; a shorter one stands at its end, behind zeros.

    >>> fg.random.create_rng_state(5, "philox").numpy().tolist()
    [5, 0, 0]

    Args:
      seed: an integer, or a tensor of numbers.
      alg: "philox" (3 elements), "threefry" (2), "auto_select" (3), or an ``Algorithm``.

    Raises:
      ValueError: for another algorithm, or a seed of None.
    """
    size = _SIZES[_algorithm(alg)]
    if isinstance(seed, int) and not isinstance(seed, bool):
        return _convert([_signed(seed >> 64 * i) for i in range(size)], int64)
    flat = _emit("Reshape", (_as_int64(seed), [-1]))[:size]
    missing = size - _emit("Size", (flat,))
    return _emit("Pad", (flat, [[missing, 0]]))


def _signed(word: int) -> int:
    """The lowest 64 bits, as an int64 has them."""
    word %= 2**64
    return word - 2**64 if word >= 2**63 else word


def _as_int64(value: Any) -> Any:
    value = _convert(value)
    return value if value.dtype == int64 else _emit("Cast", (value,), {"DstT": int64})


@public("random.Generator", "random.experimental.Generator")
class Generator(Trackable):
    """A source of random numbers whose state is a variable.

    Each draw moves the state on, eagerly and at each run of a traced function, so that what is
    drawn depends on the state alone, not on the global seed. A generator holds a variable: a traced
    function makes one only where it may make variables.

    >>> g = fg.random.Generator.from_seed(1)
    >>> g.normal([2]).numpy().round(4)
    array([ 0.4384, -0.5344], dtype=float32)
    >>> g.reset_from_seed(1)
    >>> fg.function(lambda: g.normal([2]))().numpy().round(4)
    array([ 0.4384, -0.5344], dtype=float32)

    Args:
      copy_from: a generator, whose state and algorithm the new one begins with.
      state: else the state: a vector of 3 integers for Philox, the counter's two and the key.
      alg: and the algorithm: "philox", "threefry" (which draws nothing here), "auto_select", or an
        ``Algorithm``.

    Raises:
      ValueError: where no state or algorithm is given, the state has another shape, or a traced
        function would make a generator at every call.
    """

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None):
        if copy_from is not None:
            state, alg = copy_from.state.read_value(), copy_from.algorithm
        if state is None or alg is None:
            raise ValueError("a Generator needs a state and an algorithm, or one to copy")
        self._algorithm = _algorithm(alg)
        state = _fitting(state, [_SIZES[self._algorithm]], "state")
        self._state_var = Variable(state, trainable=False, dtype=int64, name="StateVar")

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator with that state: a vector of integers, or a variable of one."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator with the state that ``create_rng_state`` makes of the seed."""
        alg = Algorithm.PHILOX if alg is None else _algorithm(alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator whose state the operating system draws."""
        alg = Algorithm.PHILOX if alg is None else _algorithm(alg)
        size = _SIZES[alg]
        words = [int.from_bytes(os.urandom(8), "little", signed=True) for _ in range(size)]
        return cls(state=_convert(words, int64), alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator with that key, a scalar, and that counter, a vector."""
        alg = _algorithm(alg)
        return cls(state=_joined(key, counter, alg), alg=alg)

    @property
    def state(self) -> Variable:
        """The state: a variable of int64, the counter followed by the key."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm; see ``Algorithm``."""
        return self._algorithm.value

    @property
    def key(self) -> Any:
        """The key, a scalar of int64: what tells streams apart."""
        return self._state_var.read_value()[-1]

    def reset(self, state: Any) -> None:
        """Set the state. ValueError where it has another shape."""
        self._state_var.assign(_fitting(state, [_SIZES[self._algorithm]], "state"))

    def reset_from_seed(self, seed: Any) -> None:
        """Set the state to what ``create_rng_state`` makes of the seed."""
        self.reset(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Set key and counter. ValueError where one has another shape."""
        self.reset(_joined(key, counter, self._algorithm))

    def skip(self, delta: Any) -> Any:
        """Move on as a draw of ``delta`` numbers does; gives the state before, a tensor.

        A negative ``delta`` goes back. UnimplementedError for the ThreeFry algorithm.
        """
        if self._algorithm is Algorithm.THREEFRY:
            raise errors.UnimplementedError(None, None, "the ThreeFry algorithm draws nothing here")
        before = self._state_var.read_value()
        step = _emit("Mul", (_as_int64(delta), _convert(_RESERVED, int64)))
        if step.shape.rank not in (None, 0):
            raise errors.InvalidArgumentError(
                None, None, f"delta must be a scalar, got shape {step.shape}"
            )
        low, high = before[0], before[1]
        moved = low + step
        carry = _emit("Less", (_unsigned(moved), _unsigned(low)))
        carried = _emit("Cast", (carry,), {"DstT": int64})
        below = _emit("Less", (step, _convert(0, int64)))
        high += carried - _emit("Cast", (below,), {"DstT": int64})
        self._state_var.assign(_emit("Pack", (moved, high, before[2]), {"axis": 0}))
        return before

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        """Numbers of the normal distribution; see ``random.normal``. TypeError for integers."""
        numbers = self._drawn("StatelessRandomNormalV2", shape, _floating(dtype))
        return random_ops.shifted(numbers, mean, stddev, name)

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        """As ``normal``, at most two standard deviations from the mean."""
        numbers = self._drawn("StatelessTruncatedNormalV2", shape, _floating(dtype))
        return random_ops.shifted(numbers, mean, stddev, name)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        """Numbers from ``minval`` up to ``maxval``, which is left out; see ``random.uniform``.

        Integers need both bounds, or None for both: then all numbers of the dtype are drawn from.
        ValueError where they have one.
        """
        dtype = as_dtype(dtype)
        if not dtype.is_integer:
            numbers = self._drawn("StatelessRandomUniformV2", shape, dtype)
            return random_ops.scaled(numbers, minval, 1 if maxval is None else maxval, name)
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"to draw {dtype.name}, minval and maxval must both be given or both be None, got "
                f"minval={minval} and maxval={maxval}"
            )
        if minval is None:
            return self.uniform_full_int(shape, dtype, name)
        bounds = random_ops.as_dtype_of(minval, dtype), random_ops.as_dtype_of(maxval, dtype)
        return self._drawn("StatelessRandomUniformIntV2", shape, None, *bounds, name=name)

    def uniform_full_int(self, shape: Any, dtype: Any = uint64, name: str | None = None) -> Any:
        """Integers drawn from all that the dtype (int32, int64, uint32, uint64) has."""
        return self._drawn("StatelessRandomUniformFullIntV2", shape, as_dtype(dtype), name=name)

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = int32, name: str | None = None
    ) -> Any:
        """How many of ``counts`` trials succeed, each with the probability ``probs``.

        ``shape`` ends with the shape that the two broadcast to.
        """

        def state_of(distance: Any) -> tuple[Any, Any, Any]:
            words = _unsigned(self.skip(distance))
            return words[2:], words[:2], _convert(self.algorithm, int32)

        size = random_ops.sizes(shape)
        return distributions.keyed_binomial(size, state_of, counts, probs, dtype, name)

    def make_seeds(self, count: Any = 1) -> Any:
        """Seeds for stateless operations: a matrix of int64 with 2 rows and ``count`` columns."""
        keys = self._keys(count)
        return _emit("Pack", (keys, _emit("ZerosLike", (keys,))), {"axis": 0})

    def split(self, count: int = 1) -> list[Generator]:
        """A list of new generators whose streams differ from one another and from this one's."""
        keys = self._keys(count)
        zeros = [0] * (_SIZES[self._algorithm] - 1)
        states = [
            _emit("Pack", (*(_convert(z, int64) for z in zeros), keys[i]), {"axis": 0})
            for i in range(int(count))
        ]
        return [type(self)(state=state, alg=self._algorithm) for state in states]

    def _keys(self, count: Any) -> Any:
        return self.uniform_full_int([count], int64)

    def _drawn(
        self, op: str, shape: Any, dtype: DType | None, *bounds: Any, name: str | None = None
    ) -> Any:
        """What the operation draws at the state, which moves on."""
        shape = random_ops.sizes(shape)
        state = self.skip(_emit("Prod", (shape, [0]), {"keep_dims": False}))
        words = _unsigned(state)
        inputs = (shape, words[2:], words[:2], _convert(self.algorithm, int32), *bounds)
        return _emit(op, inputs, None if dtype is None else {"dtype": dtype}, name)


def _floating(dtype: Any) -> DType:
    """The dtype. TypeError where it is not floating."""
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise TypeError(f"the normal distribution has no numbers of dtype {dtype.name}")
    return dtype


def _unsigned(value: Any) -> Any:
    return _emit("Bitcast", (value,), {"type": uint64})


def _fitting(value: Any, shape: list[int], what: str) -> Any:
    """The value as int64. ValueError where it cannot have the shape."""
    value = _as_int64(value)
    if not value.shape.is_compatible_with(shape):
        raise ValueError(f"the {what} must have shape {shape}, got {value.shape}")
    return value


def _joined(key: Any, counter: Any, alg: Algorithm) -> Any:
    """The state of that key and counter."""
    counter = _fitting(counter, [_SIZES[alg] - 1], "counter")
    key = _emit("ExpandDims", (_fitting(key, [], "key"), 0))
    return _emit("ConcatV2", (counter, key, 0))


_global: list[Generator] = []


@public("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The program's generator, made from a state of the operating system when first asked for.

    >>> fg.random.get_global_generator().uniform([2]).shape
    TensorShape([2])
    """
    if not _global:
        with thread.init_scope():
            _global[:] = [Generator.from_non_deterministic_state()]
    return _global[0]


@public("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Make a generator the program's. Functions traced before keep the one that they found.

    >>> fg.random.set_global_generator(fg.random.Generator.from_seed(1))
    >>> fg.random.get_global_generator().normal([2]).numpy().round(4)
    array([ 0.4384, -0.5344], dtype=float32)

    Args:
      generator: a ``random.Generator``.

    Raises:
      TypeError: for anything else.
    """
    if not isinstance(generator, Generator):
        text = f"generator must be a Generator, got {_core.described(generator)}"
        raise _core.about_argument(generator, TypeError(text))
    _global[:] = [generator]
