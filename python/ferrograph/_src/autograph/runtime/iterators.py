"""Functions of ``itertools`` with numbers in the place of which no tensor can stand."""

from __future__ import annotations

import itertools

from ...hints import Any
from ...staging import notes
from ...staging.journal import loud
from ...staging.places import here, say
from ...staging.values import is_staged
from ...values import errors
from . import foreign

__all__ = ["islice"]


def islice(iterable: Any, *numbers: Any) -> Any:
    """``itertools.islice``, which has an error of values for what is no integer."""
    if any(map(is_staged, numbers)):
        raise errors.OperatorNotAllowedInGraphError(
            say(
                here(),
                "`islice` is to end where a tensor says, which has no value while the function is "
                "traced",
                "Write `for i in fg.range(n):`, or slice a tensor.",
            )
        )
    args = foreign.given(itertools.islice, (iterable, *numbers)) if loud else (iterable, *numbers)
    return notes.fresh(itertools.islice(*args))
