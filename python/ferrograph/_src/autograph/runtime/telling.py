"""Functions that tell a number or a text of Python's from a tensor, and give no error for it."""

from __future__ import annotations

import itertools
from typing import Any

from ...staging import chosen_numbers, chosen_texts, notes
from ...staging.journal import loud
from ...staging.places import here, say
from ...staging.values import is_staged
from ...values import constants, errors
from . import foreign

__all__ = ["is_tensor", "islice"]


def is_tensor(x: Any) -> bool:
    """``fg.is_tensor``: false of what stands for a number or a text."""
    if chosen_texts.is_chosen(x) or chosen_numbers.is_foreign(x):
        return False
    if chosen_numbers.is_chosen(x):
        if chosen_numbers.standing(x) is not True:
            chosen_numbers.refuse(x, "`is_tensor`")
        return False
    return constants.is_tensor(x)


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
