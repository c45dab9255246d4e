"""What the property tests share: arrays that hypothesis draws, and calls in both ways of running.

The examples of a test are the same in every run.
"""

import ferrograph as fg
import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

fixed = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=12,
    suppress_health_check=list(HealthCheck),
)

NUMBERS = st.floats(-4, 4, width=32)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
FULL = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)


def floats(shape=SHAPES, elements=NUMBERS):
    return hnp.arrays(np.float64, shape, elements=elements)


def integers(shape=SHAPES, low=-9, high=9, dtype=np.int64):
    return hnp.arrays(dtype, shape, elements=st.integers(low, high))


SIDES = st.integers(1, 4)


def matrices(n=SIDES, m=SIDES):
    """Matrices whose singular values are not close to 0: those of a random seed, moved from it."""
    return st.builds(_matrix, n, m, st.integers(0, 999))


def _matrix(n, m, seed):
    return np.random.default_rng(seed).uniform(-1, 1, (n, m)) + 2.0 * np.eye(n, m)


def both(call, *arrays, ulps=0):
    """What a call gives eagerly, after holding it against a trace that knows no shapes.

    ``ulps``: how far apart the two may be, for what sums in another order where shapes are known.
    """
    args = [fg.constant(a) for a in arrays]
    specs = [fg.TensorSpec(None, a.dtype) for a in args]
    eager = call(*args)
    traced = fg.function(call, input_signature=specs, autograph=False)(*args)
    pairs = zip(fg.nest.flatten(eager), fg.nest.flatten(traced), strict=True)
    for one, other in pairs:
        assert one.dtype == other.dtype and one.shape == other.shape
        if ulps:
            np.testing.assert_allclose(
                one.numpy(), other.numpy(), rtol=ulps * 2e-16, atol=ulps * 2e-16
            )
        else:
            np.testing.assert_array_equal(one.numpy(), other.numpy())
    return fg.nest.map_structure(lambda t: t.numpy(), eager)


def close(found, wanted, tol=1e-9):
    """That an array has the shape and the values that are wanted."""
    wanted = np.asarray(wanted)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=tol, atol=tol)
