"""Makes any tensor an argument of a row: another dtype and shape, values in the row's range."""

import ferrograph as fg
from table import FLOATS, INTS, UNSIGNED


def is_number(x):
    return x.dtype.is_floating or x.dtype.is_integer or x.dtype.is_complex


def fits(x, dtype):
    """Whether a tensor can stand for one of a dtype."""
    return (x.dtype == fg.string) == (dtype == "string")


def cast(x, dtype):
    """As numbers of a dtype; of complex ones the real parts where that is not complex."""
    dtype = fg.as_dtype(dtype)
    if x.dtype == dtype:
        return x
    if x.dtype.is_complex and not dtype.is_complex:
        x = fg.math.real(x)
    return fg.cast(x, dtype)


def shaped(x, filling, shape):
    """The first elements of a tensor in a shape, followed by those of ``filling`` if need be.

    ``filling`` has as many elements as the shape, and the same dtype.
    """
    flat = fg.concat([fg.reshape(x, [-1]), fg.reshape(filling, [-1])], 0)
    return fg.reshape(flat[: fg.size(filling)], shape)


def ranged(x, vary, dtype):
    """Values moved into the range that a row's argument is drawn from."""
    if dtype in FLOATS:
        low, high = fg.constant(vary.low, x.dtype), fg.constant(vary.high, x.dtype)
        return low + (high - low) * fg.sigmoid(x)
    if dtype not in INTS:
        return x
    low, high = (0, max(vary.ints)) if dtype in UNSIGNED else vary.ints
    low = fg.constant(low, x.dtype)
    moved = fg.math.floormod(x, fg.constant(high, x.dtype) - low) + low
    if vary.nonzero:
        moved = fg.where(fg.equal(moved, 0), fg.constant(3, x.dtype), moved)
    return moved


def fitted(x, vary, own, step, shape):
    """A tensor in place of a row's own argument, in that shape.

    The floats of a wild step stay as they are. Those of a smooth one are halfway to its own ones,
    so that no matrix is singular for being made of one number.
    """
    dtype = step.dtype
    x = shaped(cast(x, dtype) if dtype != "string" else x, own, shape)
    if dtype not in FLOATS:
        return ranged(x, vary, dtype)
    if step.kind == "wild":
        return x
    x = ranged(x, vary, dtype)
    return (x + fg.reshape(own, shape)) * 0.5 if step.kind == "smooth" else x


def like(x, old):
    """A tensor in the place of another one: its dtype and shape, near its size."""
    new = shaped(cast(x, old.dtype), old, fg.shape(old))
    if old.dtype.is_floating:
        new = old * fg.constant(0.5, old.dtype) + fg.tanh(new) * fg.constant(0.5, old.dtype)
    return fg.ensure_shape(new, old.shape)
