"""Modules of this package that few programs need: each is imported when a name of it is first
asked for."""

# ruff: noqa: F401 (the names are for those that import them from here)

from __future__ import annotations

from .. import later
from ..hints import TYPE_CHECKING

_NAMES = (
    "aliases",
    "array_names",
    "arrays",
    "building",
    "by_tensors",
    "chosen_arrays",
    "chosen_variables",
    "failures",
    "families",
    "frames",
    "holders",
    "joins",
    "library_states",
    "lifting",
    "list_arguments",
    "lists",
    "membership",
    "memory",
    "merging",
    "nested",
    "origins",
    "outside",
    "partitions",
    "parts",
    "plain_reads",
    "presence",
    "quotients",
    "reach",
    "readers",
    "remains",
    "replaced_lists",
    "row_slices",
    "settings",
    "several",
    "stacks",
    "unread",
    "versions",
    "walking",
)

if TYPE_CHECKING:
    from . import (
        aliases,
        array_names,
        arrays,
        building,
        by_tensors,
        chosen_arrays,
        chosen_variables,
        failures,
        families,
        frames,
        holders,
        joins,
        library_states,
        lifting,
        list_arguments,
        lists,
        membership,
        memory,
        merging,
        nested,
        origins,
        outside,
        partitions,
        parts,
        plain_reads,
        presence,
        quotients,
        reach,
        readers,
        remains,
        replaced_lists,
        row_slices,
        settings,
        several,
        stacks,
        unread,
        versions,
        walking,
    )
else:
    globals().update(zip(_NAMES, later(__package__, *_NAMES), strict=True))
