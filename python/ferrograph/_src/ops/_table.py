"""Makes the functions of the elementwise families from one line each.

A line says the public name, the operation and the meaning; the function made has an ordinary
signature, name and documentation, and costs one Python frame above the native call.
"""

from ..values.composite import CompositeInput
from ._base import binary, emit
from ._dispatch import elementwise


def _dress(function, name, module, doc):
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = doc
    return function


def unary(module, argument, name, op, doc):
    """The function ``name`` of one tensor, called ``argument``, that is the operation ``op``."""
    text = _UNARY_DOC.format(doc=doc, argument=argument)
    return _dress(_UNARY[argument](op), name, module, text)


def pair(module, name, op, doc):
    """The function ``name`` of two tensors that broadcast against each other."""
    return _dress(_pair(op), name, module, _PAIR_DOC.format(doc=doc))


def _of_x(op):
    def function(x, name=None):
        try:
            return emit(op, (x,), None, name)
        except CompositeInput as e:
            error = e.with_traceback(None)
        return elementwise(function, (x,), name, error)

    return function


def _of_features(op):
    def function(features, name=None):
        try:
            return emit(op, (features,), None, name)
        except CompositeInput as e:
            error = e.with_traceback(None)
        return elementwise(function, (features,), name, error)

    return function


def _of_a(op):
    def function(a, name=None):
        try:
            return emit(op, (a,), None, name)
        except CompositeInput as e:
            error = e.with_traceback(None)
        return elementwise(function, (a,), name, error)

    return function


def _of_input(op):
    def function(input, name=None):
        try:
            return emit(op, (input,), None, name)
        except CompositeInput as e:
            error = e.with_traceback(None)
        return elementwise(function, (input,), name, error)

    return function


def _pair(op):
    def function(x, y, name=None):
        try:
            return binary(op, x, y, name)
        except CompositeInput as e:
            error = e.with_traceback(None)
        return elementwise(function, (x, y), name, error)

    return function


_UNARY = {"x": _of_x, "features": _of_features, "a": _of_a, "input": _of_input}

_UNARY_DOC = """{doc}

Works element by element.

Args:
  {argument}: a tensor, or what converts to one.
  name: a name for the operation.

Returns:
  A tensor of the shape of ``{argument}``.

Raises:
  TypeError, InvalidArgumentError: for a dtype that the operation does not know, while tracing and
    when run eagerly.
"""


_PAIR_DOC = """{doc}

Works element by element; shapes broadcast as NumPy's do. Python and NumPy operands take the dtype
of a tensor beside them.

Args:
  x: a tensor, or what converts to one.
  y: likewise, of the same dtype.
  name: a name for the operation.

Returns:
  A tensor of the broadcast shape.

Raises:
  ValueError, InvalidArgumentError: where the shapes do not broadcast, while tracing and when run
    eagerly.
  TypeError, InvalidArgumentError: where the dtypes differ or are not supported.
"""
