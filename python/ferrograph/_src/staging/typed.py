"""Attributes that Python keeps for values of one class: the names of a function, its defaults."""

from __future__ import annotations

from ..values import errors
from .places import here, say
from .state import Place


def takes_no_choice(label: str) -> Exception:
    """The refusal of such an attribute where the graph would choose what it is."""
    return errors.StagingError(
        say(
            here(),
            f"{label!r} changes in a branch or a loop of the graph, and takes nothing that the "
            "graph chooses",
            "Choose between two functions or classes that are made before.",
        )
    )


def seen_from_outside(place: Place) -> Exception:
    """The refusal of such an attribute of what can be seen from outside the function."""
    return errors.StagingError(
        say(
            here(),
            f"{place.label!r} changes in a branch or a loop of the graph, and can be seen from "
            "outside the function: that would happen once, while tracing",
            "Pass what changes as an argument.",
        )
    )
