"""Control flow on tensors as functions: conditionals, loops, maps and folds over rows."""

from typing import TYPE_CHECKING

from .. import lazy

if TYPE_CHECKING:
    from .functional import map_fn
    from .loops import while_loop

__getattr__ = lazy(__name__, {"map_fn": "functional", "while_loop": "loops"})
