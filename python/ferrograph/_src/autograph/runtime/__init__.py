"""What converted code calls: each construct looks at its operands, and does as Python or stages.

Imported when the first function is converted.
"""

from ... import lazy
from ...hints import TYPE_CHECKING

if TYPE_CHECKING:
    from .entry import any_callable, fn, meet, version

__getattr__ = lazy(__name__, dict.fromkeys(("any_callable", "fn", "meet", "version"), "entry"))
