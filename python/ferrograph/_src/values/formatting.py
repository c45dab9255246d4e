"""How tensors and variables print: by NumPy's own printing, in the documented frame."""

from __future__ import annotations

from ..hints import Any
from ..native import FG


def tensor_repr(tensor: Any) -> str:
    """What ``repr`` gives: shape, dtype and value; of a symbolic tensor what is known."""
    kind = _kind(tensor)
    if kind is None:
        head = f"<{FG}.Tensor '{tensor.name}' shape={tensor.shape}"
        return f"{head} dtype={tensor.dtype.name}>"
    shape, dtype = tensor.shape, tensor.dtype.name
    return f"<{FG}.Tensor: shape={shape}, dtype={dtype}, {kind}={_text(tensor, is_repr=True)}>"


def tensor_str(tensor: Any) -> str:
    """What ``str`` and ``print`` give."""
    dtype = tensor.dtype.name
    if _kind(tensor) is None:
        shape = tensor.shape
        known = "" if shape.rank is None else f", shape={shape}"
        return f'Tensor("{tensor.name}"{known}, dtype={dtype})'
    return f"{FG}.Tensor({_text(tensor, is_repr=False)}, shape={tensor.shape}, dtype={dtype})"


def variable_repr(variable: Any) -> str:
    """What ``repr`` gives of a variable; without the value where it cannot be read now."""
    head = f"<{FG}.Variable '{variable.name}' shape={variable.shape} dtype={variable.dtype.name}"
    try:
        value = variable.read_value()
    except Exception:  # uninitialised: printing must not fail
        return f"{head}, numpy=<uninitialized>>"
    if _kind(value) is None:
        return f"{head}>"
    return f"{head}, {_kind(value)}={_text(value, is_repr=True)}>"


def tensor_format(tensor: Any, spec: str) -> str:
    """What ``format`` and f-strings give: the value's own format, or that of the text."""
    if _kind(tensor) != "numpy":
        return format(tensor_str(tensor), spec)
    value = tensor.numpy()
    if isinstance(value, bytes):
        return format(str(value), spec)
    if tensor.dtype.is_added_to_numpy and value.ndim == 0:
        value = float(value)
    return format(value, spec)


def _kind(tensor: Any) -> str | None:
    """How the value is introduced, None for a symbolic tensor."""
    if not hasattr(tensor, "numpy"):
        return None
    return "numpy" if tensor.dtype.is_numpy_compatible else "value"


def _text(tensor: Any, is_repr: bool) -> str:
    """The value as NumPy prints it; one that takes several lines begins on a line of its own."""
    if not tensor.dtype.is_numpy_compatible:
        return "<unprintable>"
    try:
        value = tensor.__array__() if tensor.shape.rank else tensor.numpy()
    except ImportError:  # what ml_dtypes adds to NumPy, without it
        return "<unprintable>"
    if getattr(value, "ndim", 0):
        text = repr(value) if is_repr else str(value)
    else:
        text = repr(value) if isinstance(value, bytes) else str(value)
    return "\n" + text if "\n" in text else text
