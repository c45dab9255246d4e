"""Makes the functions of the elementwise families from one line each.

A line says the public name, the operation and the meaning; the function made has an ordinary
signature, name and documentation, and costs one Python frame above the native call.
"""

from ._base import binary, emit


def _dress(function, name, module, doc):
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = doc
    return function


def unary(module, argument, name, op, doc):
    """The function ``name`` of one tensor, called ``argument``, that is the operation ``op``."""
    text = _UNARY_DOC = """{doc}

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
