"""The native module; nothing else imports ``ferrograph._core``."""

from .. import _core
from .._core import Tensor, convert_to_tensor

__all__ = ["FG", "Tensor", "_core", "convert_to_tensor"]

# What the program calls the package, as text: every text that names something of the package begins
# it with this name, ``f"{FG}.Tensor"``. `config.set_printed_name` changes it.
FG = _core.PrintedName()

# The public names of native objects.
PUBLIC = {
    "Tensor": ("Tensor",),
    "convert_to_tensor": ("convert_to_tensor",),
}
