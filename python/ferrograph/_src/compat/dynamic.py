"""``dynamic=True`` of layers and models: what runs eagerly, together with all that holds it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["accept_dynamic"]


def accept_dynamic(keras: ModuleType) -> None:
    """Let layers and models be made with ``dynamic=True``. A second call changes nothing.

    A model runs eagerly where it, or a layer within it, is dynamic.
    """
    layer = keras.layers.Layer
    if "dynamic" in vars(layer):
        return
    layer.dynamic = False
    layer.__init__ = _taking_dynamic(layer.__init__, layer.compute_output_shape)
    trainer = next(cls for cls in keras.Model.__mro__ if "run_eagerly" in vars(cls))
    plain = trainer.run_eagerly
    trainer.run_eagerly = property(
        lambda self: plain.fget(self) or _holds_dynamic(self), plain.fset, doc=plain.__doc__
    )


def _taking_dynamic(
    init: Callable[..., Any], compute_output_shape: Callable[..., Any]
) -> Callable[..., Any]:
    """A layer's ``__init__`` that takes ``dynamic`` out of its arguments.

    It takes keywords alone as the layer's own: Keras makes configurations of what it takes.
    """

    @functools.wraps(init)
    def __init__(self: Any, *, dynamic: bool = False, **kwargs: Any) -> None:
        init(self, **kwargs)
        if dynamic:
            self.dynamic = self._is_dynamic = True
            if type(self).compute_output_shape is compute_output_shape:
                self.compute_output_spec = _telling(self.compute_output_spec, type(self).__name__)

    return __init__


def _telling(compute_output_spec: Callable[..., Any], name: str) -> Callable[..., Any]:
    """How a dynamic layer's output is found from its call.

    NotImplementedError where the call needs values, upon which a ``Sequential`` model finds no
    shapes and goes on without.
    """

    @functools.wraps(compute_output_spec)
    def spec(*args: Any, **kwargs: Any) -> Any:
        try:
            return compute_output_spec(*args, **kwargs)
        except Exception as e:
            raise NotImplementedError(
                f"the shape of the output of {name}(dynamic=True) does not follow from its call, "
                "which needs values: implement compute_output_shape(self, input_shape)"
            ) from e

    return spec


def _holds_dynamic(model: Any) -> bool:
    """Whether a model or a layer within it is dynamic."""
    return any(getattr(layer, "_is_dynamic", False) for layer in model._flatten_layers())
