"""The operations as Python functions, a module a family.

``ops.NAME`` is each that stands at the top level of the package.
"""

from .top import *  # noqa: F403
from .top import __all__
