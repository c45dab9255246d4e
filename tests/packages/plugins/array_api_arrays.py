"""A plugin of pytest for the test suite of the array API standard, which runs on tensors.

Shapes of tensors are ``TensorShape``, which is no tuple: where the suite hands them to libraries
that take tuples alone, they get tuples. A test that fails is not made smaller, which takes minutes.
"""

import functools

import ferrograph as fg
import hypothesis
import hypothesis.extra.array_api as strategies
import ndindex.shapetools as shapes
import pytest

fg.experimental.numpy.experimental_enable_numpy_behavior()


def _plain(shape):
    return tuple(shape) if isinstance(shape, fg.TensorShape) else shape


def _with_tuples(module, name):
    function = getattr(module, name)

    @functools.wraps(function)
    def with_tuples(*args, **kwargs):
        kwargs = {key: _plain(value) for key, value in kwargs.items()}
        return function(*map(_plain, args), **kwargs)

    setattr(module, name, with_tuples)


_with_tuples(shapes, "asshape")
_with_tuples(strategies, "_arrays")
_with_tuples(strategies, "_mutually_broadcastable_shapes")
_with_tuples(strategies, "indices")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("whole", hypothesis.settings(), phases=phases)
    hypothesis.settings.load_profile("whole")
