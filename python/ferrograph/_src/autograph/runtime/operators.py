"""The operators: what converted code finds under its one free name, a module a construct.

Each looks at its operands. Staging happens where a condition or an iterable is a tensor of the
graph under construction, or any tensor or variable while a graph is under construction. Everything
else takes the plain Python path, with Python's own evaluation order and short circuits.
"""

from __future__ import annotations

import sys
import types

from ... import lazy
from ...heap.location import augmented, global_name
from ...heap.trace_context import chosen, fresh
from ...hints import TYPE_CHECKING, Any
from ...staging.write_barriers import (
    asked,
    cells,
    changing,
    changing_item,
    container,
    losing,
    names_of_module,
    owner,
)
from .callees import anew, fn, fn_later
from .inline_caches import called, called_later, called_of, stored
from .logic import and_, not_, or_
from .names import bind, own_names
from .special_methods import managed

if TYPE_CHECKING:
    from .arithmetic import augment, binary, compared, item_of, same, unary
    from .attributes import attribute_of
    from .comparisons import compare, contained
    from .comprehensions import (
        added,
        each,
        elements_or_staged,
        listed,
        put,
        sieved,
        sift,
        sifted,
        taken,
        unrolls_list,
    )
    from .conditionals import if_exp, if_stmt
    from .failures import assert_stmt, catching, passed_on, raised
    from .loops import (
        begun,
        followed,
        for_stmt,
        rest_of_for,
        sets_options,
        stopped,
        unrolls,
        while_stmt,
    )
    from .matching import match
    from .sequences import certain, elements, is_list, loaded, unpacked
    from .texts import formatted, joined, shown
    from .unconverted_calls import spread, spread_in_list, spread_in_set

__all__ = [
    "added",
    "and_",
    "anew",
    "asked",
    "begun",
    "assert_stmt",
    "attribute_of",
    "augment",
    "augmented",
    "binary",
    "bind",
    "called",
    "called_later",
    "called_of",
    "catching",
    "cells",
    "changing",
    "changing_item",
    "chosen",
    "certain",
    "compare",
    "compared",
    "contained",
    "container",
    "each",
    "elements",
    "elements_or_staged",
    "fn",
    "fn_later",
    "followed",
    "for_stmt",
    "formatted",
    "fresh",
    "global_name",
    "if_exp",
    "if_stmt",
    "is_list",
    "item_of",
    "joined",
    "listed",
    "loaded",
    "losing",
    "managed",
    "match",
    "names_of_module",
    "not_",
    "or_",
    "own_names",
    "owner",
    "passed_on",
    "put",
    "raised",
    "rest_of_for",
    "same",
    "sets_options",
    "shown",
    "sieved",
    "sift",
    "sifted",
    "spread",
    "spread_in_list",
    "spread_in_set",
    "stored",
    "stopped",
    "taken",
    "unary",
    "unpacked",
    "unrolls",
    "unrolls_list",
    "while_stmt",
]

# Those of constructs that not every function has, by their modules.
__getattr__ = lazy(
    __name__,
    {
        **dict.fromkeys(
            ("augment", "binary", "compared", "item_of", "same", "unary"), "arithmetic"
        ),
        "attribute_of": "attributes",
        **dict.fromkeys(("compare", "contained"), "comparisons"),
        **dict.fromkeys(
            (
                *("added", "each", "elements_or_staged", "listed", "put", "sieved", "sift"),
                *("sifted", "taken", "unrolls_list"),
            ),
            "comprehensions",
        ),
        **dict.fromkeys(("if_exp", "if_stmt"), "conditionals"),
        **dict.fromkeys(("assert_stmt", "catching", "passed_on", "raised"), "failures"),
        **dict.fromkeys(
            (
                *("begun", "followed", "for_stmt", "rest_of_for", "sets_options", "stopped"),
                "unrolls",
                "while_stmt",
            ),
            "loops",
        ),
        "match": "matching",
        "spread": "unconverted_calls",
        "spread_in_list": "unconverted_calls",
        "spread_in_set": "unconverted_calls",
        **dict.fromkeys(("certain", "elements", "is_list", "loaded", "unpacked"), "sequences"),
        **dict.fromkeys(("formatted", "joined", "shown"), "texts"),
    },
)


def without_callees() -> Any:
    """The operators for code whose callees stay as they are."""
    chosen = {name: getattr(sys.modules[__name__], name) for name in __all__}
    chosen["fn"] = lambda callee: callee
    chosen["called"] = chosen["called_of"] = lambda sites, place, callee, *told: callee
    return types.SimpleNamespace(**chosen)
