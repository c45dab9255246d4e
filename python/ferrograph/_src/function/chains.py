"""Access paths: the attributes and constant keys that code reads, and what it does with the result.

A chain begins at a global, a free variable or an argument, continues through attributes and items
under constant keys (``self.cfg["a"][0]``), and ends where anything else is done with the object:
its length or its members are read, a method is called with constants, or it is used in another way.
A local variable that is set once, to the end of a chain, continues that chain.

Instructions are read in order, without regard to jumps: a chain holds on every path through the
code.
"""

from __future__ import annotations

import opcode
import sys
import types
from functools import lru_cache

from ..context import bytecode
from ..hints import Any

__all__ = ["ANY", "METHODS", "Chain", "Item", "Use", "chains_of", "has_item", "n_parameters"]
__all__ += ["uses"]

_MOST = 8  # steps of a chain


class Item:
    """A step to the item under a constant key."""

    __slots__ = ("key",)

    def __init__(self, key: Any):
        self.key = key

    def __eq__(self, other: Any) -> bool:
        return type(other) is Item and type(other.key) is type(self.key) and other.key == self.key

    def __hash__(self) -> int:
        return hash((Item, self.key))

    def __repr__(self) -> str:
        return f"[{self.key!r}]"


# What is done at the end of a chain: its kind, and the constants that belong to it. ``any``:
# everything may be read; ``call``: it is called with these constants; ``len``, ``bool``: of its
# length, or whether it is empty; ``in``: whether it holds that constant; ``none``: whether it is
# None; ``store``: what stands under that key is set, or under another one where there is none.
Use = tuple[Any, ...]
ANY: Use = ("any",)
# The special methods that answer in the place of objects that are no containers.
METHODS = {
    "len": ("__len__",),
    "bool": ("__bool__", "__len__"),
    "in": ("__contains__", "__iter__", "__getitem__"),
    "iter": ("__iter__", "__len__", "__getitem__"),
}
# Where a chain begins (``local``, ``global``, ``free``), the name there, attributes and items, and
# what is done at the end.
Chain = tuple[str, str, tuple[Any, ...], Use]


@lru_cache(maxsize=4096)
def chains_of(code: types.CodeType) -> tuple[Chain, ...]:
    """The chains that code reads, and functions inside it as far as they read what is outside."""
    found = dict.fromkeys(_Walk(code).chains())
    parameters = set(code.co_varnames[: n_parameters(code)])
    for nested in code.co_consts:
        if type(nested) is types.CodeType:
            for chain in chains_of(nested):
                scope, name, steps, use = chain
                if scope == "free" and name in parameters:
                    if steps:
                        found["local", name, steps, use] = None
                elif scope != "local":
                    found[chain] = None
    return tuple(found)


def has_item(chain: Chain) -> bool:
    """Whether a chain may lead into a container: beyond an attribute."""
    _, _, steps, use = chain
    return len(steps) > 1 or bool(steps and use != ANY) or any(type(s) is Item for s in steps)


def n_parameters(code: types.CodeType) -> int:
    """How many parameters can be given by name."""
    return code.co_argcount + code.co_kwonlyargcount


_LOCAL = {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW"}
_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME"}
_FREE = {"LOAD_DEREF", "LOAD_CLASSDEREF"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
_STORES = {"STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF"}
_SILENT = {"NOP", "PRECALL", "TO_BOOL", "PUSH_NULL"}
_CALLS = {"CALL", "CALL_FUNCTION", "CALL_METHOD"}
_COPIES = {"COPY", "DUP_TOP_TWO"}
_KEY_STORES = {"STORE_SUBSCR", "DELETE_SUBSCR"}


class _Walk:
    """One reading of the instructions of a code object."""

    def __init__(self, code: types.CodeType):
        self._code = code
        self._found: list[Chain] = []
        self._stored: dict[str, int] = {}
        self._start: tuple[str, str] | None = None
        self._steps: list[Any] = []
        self._consts: list[Any] = []  # constants that were loaded behind the chain
        self._before: Use = ANY  # what was loaded before the chain
        self._last: int | None = None  # of ``_found``, the chain that this one stands behind
        # By the names of variables: where their chains begin, the steps, and the whole chain.
        self._aliases: dict[str, tuple[tuple[str, str], list[Any], Chain]] = {}

    def chains(self) -> list[Chain]:
        """The chains in the instructions of the code itself."""
        former = "", 0
        for operation, arg in bytecode.steps(self._code):
            if operation in _SILENT:
                continue
            if self._start is None or not self._goes_on(operation, arg):
                if self._start is not None:
                    self._end(operation, arg)
                self._begin(operation, arg, former)
                if operation in _STORES:
                    is_cell = operation.endswith("_DEREF")
                    name = self._cell_name(arg) if is_cell else self._local_name(arg)
                    self._stored[name] = self._stored.get(name, 0) + 1
            former = operation, arg
        self._drop_aliases()
        return [c for c in self._found if c[0] == "global" or self._is_read(c)]

    def _is_read(self, chain: Chain) -> bool:
        """Whether a chain begins at a variable that is not set here; what is read of arguments
        themselves is read of what their caller gives."""
        scope, name, steps, _ = chain
        return name not in self._stored and (scope == "free" or type(steps[0]) is str)

    def _drop_aliases(self) -> None:
        """Variables that are set again do not continue their chains: anything may be read."""
        for name, (_, _, chain) in self._aliases.items():
            if self._stored.get(name, 0) != 1:
                self._found.append(chain)

    def _goes_on(self, operation: str, arg: int) -> bool:
        """Whether an instruction belongs to the chain, or to how it ends."""
        steps, consts = self._steps, self._consts
        if operation == "LOAD_CONST":
            consts.append(self._code.co_consts[arg])
            return len(consts) <= 2
        if operation == "LOAD_SMALL_INT":
            consts.append(arg)
            return True
        is_key = len(consts) == 1 and _is_key(consts[0])
        if operation in _ATTRIBUTE and not consts and len(steps) < _MOST:
            steps.append(self._code.co_names[_attribute_index(operation, arg)])
            return True
        is_item = operation == "BINARY_SUBSCR" or (operation, arg) == _SUBSCRIPT
        if is_key and is_item and len(steps) < _MOST:
            steps.append(Item(consts.pop()))
            return True
        return False

    def _end(self, operation: str, arg: int) -> None:
        """The chain ends at an instruction."""
        scope, name = self._start or ("", "")
        use = self._use(operation, arg)
        last, self._last = self._last, None
        if last is not None and operation in _KEY_STORES and not self._steps:
            self._found[last] = (*self._found[last][:3], ("store",))
        if scope != "local" or self._steps:
            chain = scope, name, tuple(self._steps), use
            if operation == "STORE_FAST" and use is ANY and not self._consts:
                to = self._local_name(arg)
                if to not in self._aliases:
                    self._aliases[to] = (scope, name), list(self._steps), chain
                    return
            self._found.append(chain)
            if operation in _LOCAL or operation in _GLOBAL or operation in _FREE:
                self._last = len(self._found) - 1

    def _use(self, operation: str, arg: int) -> Use:
        consts = self._consts
        if operation in _CALLS:
            if consts and len(consts) == arg and self._steps:
                return "call", *consts
            if not consts and arg == 1 and self._before[0] in ("len", "bool"):
                return self._before
            return ANY
        if len(consts) == 1 and _is_key(consts[0]):
            if operation in _KEY_STORES or operation in _COPIES:
                return "store", consts[0]
            if consts[0] is None and operation == "IS_OP":
                return ("none",)
        if consts:
            return ANY
        if operation == "CONTAINS_OP" and self._before[0] == "const":
            return "in", self._before[1]
        if operation.endswith(("_IF_NONE", "_IF_NOT_NONE")):
            return ("none",)
        if operation == "UNARY_NOT" or operation.endswith(("_IF_TRUE", "_IF_FALSE")):
            return ("bool",)
        return ("iter",) if operation == "GET_ITER" else ANY

    def _begin(self, operation: str, arg: int, former: tuple[str, int]) -> None:
        """Begin a chain at an instruction, if it is one that loads a variable."""
        self._start, self._steps, self._consts = None, [], []
        code = self._code
        if operation in _GLOBAL:
            self._start = "global", code.co_names[_global_index(operation, arg)]
        elif operation in _LOCAL:
            name = self._local_name(arg)
            if name in self._aliases:
                self._start, steps, _ = self._aliases[name]
                self._steps = list(steps)
            else:
                self._start = "local", name
        elif operation in _FREE:
            name = self._cell_name(arg)
            self._start = ("free" if name in code.co_freevars else "local"), name
        if self._start is None or self._is_converters(*self._start):
            self._start = self._last = None
            return
        self._before = self._loaded(*former)

    def _is_converters(self, scope: str, name: str) -> bool:
        """Whether a name is one under which converted code finds operators and classes."""
        return scope != "local" and name.startswith("ag__")

    def _loaded(self, operation: str, arg: int) -> Use:
        """What an instruction loads that says what is asked of the chain behind it."""
        if operation == "LOAD_CONST" and _is_key(self._code.co_consts[arg]):
            return "const", self._code.co_consts[arg]
        if operation == "LOAD_SMALL_INT":
            return "const", arg
        if operation in _GLOBAL:
            name = self._code.co_names[_global_index(operation, arg)]
            return (name,) if name in ("len", "bool") else ANY
        return ANY

    def _local_name(self, arg: int) -> str:
        code = self._code
        if hasattr(code, "_varname_from_oparg"):
            return code._varname_from_oparg(arg)
        return code.co_varnames[arg]

    def _cell_name(self, arg: int) -> str:
        return _cell_name(self._code, arg)


def _is_key(value: Any) -> bool:
    """Whether a constant is what items stand under."""
    if type(value) is tuple:
        return all(map(_is_key, value))
    return value is None or type(value) in (str, int, bool, bytes, float)


def _global_index(operation: str, arg: int) -> int:
    """The place of a name; the lowest bit may say whether a call follows."""
    return arg >> 1 if operation == "LOAD_GLOBAL" and sys.version_info >= (3, 11) else arg


def _attribute_index(operation: str, arg: int) -> int:
    return arg >> 1 if operation == "LOAD_ATTR" and sys.version_info >= (3, 12) else arg


def _cell_name(code: types.CodeType, index: int) -> str:
    if hasattr(code, "_varname_from_oparg"):
        return code._varname_from_oparg(index)
    return (code.co_cellvars + code.co_freevars)[index]


def _subscript() -> tuple[str, int]:
    """The general instruction that reads an item, where Python has no other for it."""
    names = [name for name, _ in getattr(opcode, "_nb_ops", ())]
    return "BINARY_OP", names.index("NB_SUBSCR") if "NB_SUBSCR" in names else -1


_SUBSCRIPT = _subscript()


@lru_cache(maxsize=1)
def _opcodes() -> dict[int, str]:
    loads = ["LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS", "EXTENDED_ARG"]
    wanted = [*loads, "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF"]
    return {opcode.opmap[name]: name for name in wanted if name in opcode.opmap}


@lru_cache(maxsize=4096)
def uses(code: types.CodeType) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Global names that code reads, that it writes, and cells that it writes."""
    loaded: set[str] = set()
    stored: set[str] = set()
    cells: set[str] = set()
    wanted, text, high = _opcodes(), code.co_code, 0
    for i in range(0, len(text), 2):
        name = wanted.get(text[i])
        arg = text[i + 1] | high
        high = 0
        if name is None:
            continue
        if name == "EXTENDED_ARG":
            high = arg << 8
        elif name.endswith("_DEREF"):
            cells.add(_cell_name(code, arg))
        elif name.startswith("LOAD"):
            loaded.add(code.co_names[_global_index(name, arg)])
        else:
            stored.add(code.co_names[arg])
    return frozenset(loaded), frozenset(stored), frozenset(cells)
