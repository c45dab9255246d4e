"""From the source of a function to the syntax tree of its converted form. The modules of rare
constructs are imported lazily.
"""

from ... import later, lazy
from ...hints import TYPE_CHECKING

if TYPE_CHECKING:
    from .generators import certain, hoist, plain_for, plain_if, plain_while
    from .matching import Lowering

_GENERATORS = ("certain", "hoist", "plain_for", "plain_if", "plain_while")

_LATE = (
    "asserts",
    "calls",
    "comprehensions",
    "fast_path",
    "raises",
    "stack_depth",
    "texts",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))

__getattr__ = lazy(__name__, {**dict.fromkeys(_GENERATORS, "generators"), "Lowering": "matching"})
