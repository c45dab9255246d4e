"""What converted code calls: each construct inspects its operands, and runs as Python or is staged.

Imported when the first function is converted.
"""

from ... import later, lazy
from ...hints import TYPE_CHECKING

if TYPE_CHECKING:
    from .entry import any_callable, fn, meet, version

_LATE = (
    "arithmetic",
    "attributes",
    "builtins",
    "comprehensions",
    "dataclass_init",
    "dispatching",
    "equality",
    "frame_builtins",
    "iterators",
    "printing",
    "quantifiers",
    "shared_iterators",
    "sorting",
    "special_results",
    "texts",
    "unconverted_calls",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))

__getattr__ = lazy(__name__, dict.fromkeys(("any_callable", "fn", "meet", "version"), "entry"))
