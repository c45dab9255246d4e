"""What code may do, by its instructions: set, change, call, list attributes."""

from __future__ import annotations

import types

from ...context import bytecode


def sets(code: types.CodeType, name: str) -> bool:
    """Whether code, or code in it, sets an attribute of a name, or the items of what is there."""
    for instruction in bytecode.instructions(code):
        if instruction.opname in ("STORE_ATTR", "DELETE_ATTR") and instruction.argval == name:
            return True
        if instruction.opname in ("STORE_SUBSCR", "DELETE_SUBSCR"):
            return True
    return any(sets(c, name) for c in code.co_consts if type(c) is types.CodeType)


_CHANGING = ("STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "STORE_DEREF", "DELETE_")


def changes(code: types.CodeType) -> bool:
    """Whether code, or code in it, changes anything but its own local names."""
    import dis

    if any(i.opname.startswith(_CHANGING) for i in dis.get_instructions(code)):
        return True
    return any(changes(c) for c in code.co_consts if type(c) is types.CodeType)


def calls(code: types.CodeType) -> bool:
    import dis

    return any(i.opname.startswith("CALL") for i in dis.get_instructions(code))


_LISTING = frozenset({"__dict__", "vars", "__getstate__", "delattr", "__delattr__"})


def lists_attributes(code: types.CodeType) -> bool:
    import dis

    if not _LISTING.isdisjoint(code.co_names):
        return True
    if any(i.opname == "DELETE_ATTR" for i in dis.get_instructions(code)):
        return True
    return any(lists_attributes(c) for c in code.co_consts if type(c) is types.CodeType)
