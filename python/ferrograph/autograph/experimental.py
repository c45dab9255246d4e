"""Functions of AutoGraph that steer the conversion."""

from .._src.autograph.api import Feature, do_not_convert
from .._src.autograph.inspection import set_loop_options

__all__ = ["Feature", "do_not_convert", "set_loop_options"]
