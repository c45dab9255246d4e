"""The native module; nothing else imports ``ferrograph._core``."""

from .. import _core
from .._core import Tensor, convert_to_tensor

__all__ = ["Tensor", "_core", "convert_to_tensor"]

# The public names of native objects.
PUBLIC = {
    "Tensor": ("Tensor",),
    "convert_to_tensor": ("convert_to_tensor",),
}
