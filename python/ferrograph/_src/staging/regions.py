"""Regions for the branches of a conditional, and the merge of their results.

An unused element of a grown list is not computed: where plain Python would fail without it, the
region checks that it exists. Rows of a larger tensor that two branches leave in different forms are
converted to one form.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

from .. import ops
from ..context import thread
from ..heap import aliasing
from ..heap.source_location import SourceLocation, diagnostic, here
from ..heap.structure import (
    MergedContainers,
    check_same_structure,
    holds_view,
    is_array,
    is_container,
    leaves_of,
    other_order,
    pack,
)
from ..heap.trace_context import NOTHING
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import FG, _core
from ..symbolic import abstract_value, merged_objects, python_scalars, ranges, values
from ..values import nest
from ..values.composite import IndexedSlices
from ..values.dtypes import int64
from ..values.errors import shown


def made_alike(pair: list, branches: Any) -> bool:
    """Whether the ``IndexedSlices`` in two values, put into ``pair``, could be made alike.

    Indices of two dtypes become int64; a tensor beside slices becomes slices of all its rows.
    """
    if not any(_may_hold(value) for value in pair):
        return False
    first, second = (nest.flatten(value) for value in pair)
    if len(first) != len(second):
        return False
    sides, has_changed = (first, second), False
    for i, leaves in enumerate(zip(first, second, strict=True)):
        if not any(isinstance(leaf, IndexedSlices) for leaf in leaves):
            continue
        for leaf, other, side, branch in zip(leaves, leaves[::-1], sides, branches, strict=True):
            with branch:
                made = _like(leaf, other)
            has_changed |= made is not leaf
            side[i] = made
    if has_changed:
        pair[:] = [nest.pack_sequence_as(v, s) for v, s in zip(pair, sides, strict=True)]
    return has_changed


def _may_hold(value: Any) -> bool:
    """Whether a value is slices, or a container that has some: no sequence of a class of its own,
    whose elements may be such sequences without end."""
    if isinstance(value, (list, tuple)):
        return any(_may_hold(one) for one in value)
    if isinstance(value, dict):
        return any(_may_hold(one) for one in value.values())
    return isinstance(value, IndexedSlices)


def _like(leaf: Any, other: Any) -> Any:
    """One of two leaves in the form that both have, itself where it has it already."""
    if isinstance(leaf, IndexedSlices):
        if not isinstance(other, IndexedSlices) or leaf.indices.dtype == other.indices.dtype:
            return leaf
        return IndexedSlices(leaf.values, ops.cast(leaf.indices, int64), leaf.dense_shape)
    if not values.is_tensor(leaf) or not isinstance(other, IndexedSlices):
        return leaf
    rows = ops.range(ops.shape(leaf, other.indices.dtype)[0], dtype=other.indices.dtype)
    known = other.dense_shape
    whole = None if known is None else ops.shape(leaf, known.dtype)
    return IndexedSlices(leaf, rows, whole)


BEYOND, EMPTY = "IndexError: list index out of range", "IndexError: pop from empty list"
NO_PLACE = "IndexError: list assignment index out of range"


def note_element(element: Any, exists: Callable[[], Any], message: str) -> None:
    """Note an element, and what tells, in its graph, whether there is one."""
    if _thread.trace is not None and values.is_symbolic(element):
        text = diagnostic(here(), message, "Ask for the length of the list before.")
        found = (element.name, exists, text)
        _thread.trace.containers.elements.setdefault(element._graph_id, []).append(found)


def check_elements(region: Any, outputs: Iterable[Any]) -> None:
    """Let a region, to which operations are added now, fail where it has to."""
    noted = _thread.trace.containers.elements.pop(region.graph_id, ())
    if not noted:
        return
    needed = _needed(region.nodes(), outputs)
    for name, exists, message in noted:
        if _node(name) not in needed:
            ops.Assert(exists(), [message])


def _needed(nodes: list[dict], outputs: Iterable[Any]) -> set[str]:
    """The names of the nodes that some outputs, and what has effects, need."""
    needed = {_node(v.name) for v in outputs if values.is_symbolic(v)}
    for node in reversed(nodes):
        if node["writes"] or not node["output"]:
            needed.add(node["name"])
        if node["name"] in needed:
            needed.update(map(_node, (*node["input"], *node["control"])))
    return needed


def _node(name: str) -> str:
    return name.rpartition(":")[0] or name


_VALUES_OF = "the values of "  # how a label begins that names a location
_IN_NAMES = frozenset("_.[]'\"")

_TAKE_LATER = "Take the view after the `if`, where it is read, or copy it: `list(d.values())`."


class Traced:
    """A region under construction: entered to trace into it, and again to add to it."""

    def __init__(self, name: str):
        self.region = _core.Region(name)
        self.outputs: list = []
        self.is_traced = False

    def __enter__(self) -> Traced:
        self.region.enter()
        thread.enter_branch(1)
        _thread.regions.append(self)
        if _thread.logs:
            _thread.logs[-1].graphs |= {self.region.graph_id}
        return self

    def __exit__(self, *exception: Any) -> None:
        thread.enter_branch(-1)
        _thread.regions.pop()
        self.region.exit()

    def has(self, leaf: Any) -> bool:
        """Whether a value is a tensor of the region itself."""
        return values.is_symbolic(leaf) and leaf._graph_id == self.region.graph_id

    def abandon(self) -> None:
        self.region.abandon()

    def finish(self) -> Any:
        """Add what the region has to check of its values, and end it."""
        trace = _thread.trace
        if trace is not None and (
            trace.checks is not NOTHING or trace.values.variables or trace.containers.elements
        ):
            with self:
                ranges.check(self.region)
                python_scalars.check_quotients(self.region)
                abstract_value.check_variables(self.region, self.outputs)
                check_elements(self.region, self.outputs)
        self.region.finish(self.outputs)
        return self.region


def itself(value: Any) -> Any:
    """``value``."""
    return value


def _name_in(label: str) -> str:
    """The name of a location in what a label says of it, "" where it has none."""
    if not label.startswith(_VALUES_OF):
        return ""
    name = label.removeprefix(_VALUES_OF).removeprefix("'")
    name = name.removesuffix("'") or name
    return name if all(c.isalnum() or c in _IN_NAMES for c in name) else ""


def _stays(leaf: Any) -> bool:
    """Whether both branches leave an object itself, not a tensor for it."""
    if is_array(leaf) or issubclass(type(leaf), _core.VariableBase):
        return True
    return not values.can_be_tensor(leaf)


class Conditional:
    """Two branches over one predicate: trace each, merge values pairwise, then emit once.

    Used as a context manager it drops both regions when an exception passes.
    """

    def __init__(self, predicate: Any, where: str, sides: tuple[str, str]):
        self._predicate = predicate
        self._where = where
        self._rewrite = "Make both give the same structure, with tensors of the same dtypes."
        self._sides = sides
        self.branches = (Traced("cond_true"), Traced("cond_false"))
        self.lifting: Any = None  # where one branch raises, see ``lifting``
        self.promotes = False  # whether Python ints and floats meet as floats
        self.as_left: tuple[Callable, Callable] = (itself, itself)  # see ``merging.as_left``
        self.copied: dict[int, tuple[Any, Any]] = {}
        self.changed: set[int] = set()  # the ids of objects that a branch changes in place
        self.contents: list[dict[int, Any]] = [{}, {}]  # what each leaves in those, as a whole
        self.snapshot: Any = None  # what was there before the branches
        self._joins = MergedContainers()
        self._arrays: list[tuple[str, Any]] = []
        # What the outputs represent that are more than tensors, by their numbers.
        self._values: list[tuple[int, abstract_value.AbstractValue]] = []
        # What each branch leaves in names and other locations, by their numbers and keys.
        self.left: list[dict[Any, Any]] = [{}, {}]
        self._rebuild: list[Callable[[list], Any]] = []
        # The may-alias sets (see ``heap.aliasing``) from before, and those after each branch.
        self._families = aliasing.known_sets()
        self._families_left: list[list] = []

    def __enter__(self) -> Conditional:
        return self

    def __exit__(self, kind: type | None, *exception: Any) -> None:
        if kind is not None:
            for branch in self.branches:
                branch.abandon()

    def note_left(self, sides: Iterable[dict[Any, Any]]) -> None:
        """Note what each branch leaves in more places."""
        for left, more in zip(self.left, sides, strict=True):
            left.update(more)

    def end_branch(self) -> None:
        """A branch has been traced: the may-alias sets that it noted are not those of the other."""
        known = aliasing.known_sets()
        self._families_left.append(known)
        if known != self._families:
            aliasing.restore_sets(self._families)

    def join_branches(self, failed: Sequence[bool]) -> None:
        """Both have been traced: later code gets the may-alias sets of both, except those of one
        that always fails."""
        first, second = self._families_left
        if first or second or self._families:
            found = [*(() if failed[0] else first), *(() if failed[1] else second)]
            aliasing.restore_sets([*dict.fromkeys(found)])

    def other_than_left(self, then: Callable, orelse: Callable) -> Callable:
        """Of the functions of the branches the one that tracing was not in when it left."""
        return then if self.branches[0].is_traced else orelse

    def merge(
        self, label: str, first: Any, second: Any, filled: tuple[bool, bool] = (False, False)
    ) -> None:
        """Add a value that the branches leave as ``first`` and ``second``.

        A side that is ``filled`` has no value that anyone reads: it gets a placeholder. ValueError
        where one side is None, TypeError where structures, dtypes or Python objects differ.
        """
        if first is second and is_container(first):
            self.keep(first)
            return
        pair = [first, second]
        if first is not second:
            pair = [self.as_left[0](first), self.as_left[1](second)]
        for side in (0, 1):
            if filled[side]:
                with self.branches[side]:
                    pair[side] = values.placeholder_like(pair[1 - side])
        if type(pair[0]) is type(pair[1]) is _core.SymbolicTensor:
            self._rebuild.append(self._leaf(label, filled, *pair))
            return
        difference = check_same_structure(*pair)
        if difference is not None and made_alike(pair, self.branches):
            difference = check_same_structure(*pair)
        if difference is None and isinstance(self._where, SourceLocation):
            difference = other_order(*pair)
        if difference is not None:
            self._refuse_none(label, *pair)
            problem = f"have different structures: {difference}"
            raise TypeError(self._message(label, problem, leaves=tuple(pair)))
        if first is not second and any(map(holds_view, pair)):
            problem = "are views of dicts, and the graph cannot choose which dict one shows"
            raise TypeError(self._message(label, problem, _TAKE_LATER))
        takers = [
            self._leaf(label, filled, *leaves) for leaves in zip(*map(leaves_of, pair), strict=True)
        ]
        structure = pair[0]

        def rebuild(outputs: list) -> Any:
            made = pack(structure, [take(outputs) for take in takers])
            if hasattr(type(structure), "_learn_shape"):
                made._learn_shape(pair)
            return self._joins.join(_name_in(label), tuple(pair), made)

        self._rebuild.append(rebuild)

    def keep(self, value: Any) -> None:
        """Add a value that is the same after both branches."""
        self._rebuild.append(lambda outputs: value)

    def grouped(self, add: Callable[[], Callable]) -> None:
        """Add one value made of several, which ``add`` adds, giving how to take it from them."""
        start = len(self._rebuild)
        take = add()
        parts = self._rebuild[start:]
        del self._rebuild[start:]
        self._rebuild.append(lambda outputs: take(iter([part(outputs) for part in parts])))

    def emit(self) -> list:
        """Add the conditional to the graph around it; the merged values in their order."""
        regions = [branch.finish() for branch in self.branches]
        outputs = _core.emit_if(self._predicate, *regions)
        for index, value in self._values:
            abstract_value.attach(outputs[index], value, outputs, self._where)
        rebuild, self._rebuild = self._rebuild, []  # which refer to this, and to merged values
        return [made(outputs) for made in rebuild]

    def note_aliases(self, result: Any = None) -> None:
        """Note the merged objects as aliases, once the results are in their locations, except one
        that active code holds."""
        originals = [
            join.of([self.copied.get(id(s), (s, s))[1] for s in join.sources])
            for join in self._joins
        ]
        if originals:
            aliasing.note(originals, self.snapshot, self._where, result)
        arrays = [(label, self.copied.get(id(a), (a, a))[1]) for label, a in self._arrays]
        if arrays:
            merged_objects.note_arrays(arrays, self.snapshot, self._where, self.changed)

    def _leaf(
        self, label: str, filled: tuple[bool, bool], first: Any, second: Any
    ) -> Callable[[list], Any]:
        """How to take one leaf of the result from the outputs."""
        if not type(first) is type(second) is _core.SymbolicTensor:
            self._refuse_objects(label, first, second)
            if first is second and _stays(first):
                return lambda outputs: first
            self._arrays += [(_name_in(label), a) for a in (first, second) if is_array(a)]
        if first is second and values.is_tensor(first):
            return lambda outputs: first
        self._add_outputs(label, first, second)
        index = len(self.branches[0].outputs) - 1
        if not abstract_value.is_plain(first, second):
            kinds = None if any(filled) else python_scalars.kinds_of
            flags = functools.partial(self._flags, (first, second), filled)
            value = abstract_value.join(
                (first, second), kinds, label=_name_in(label), flags=flags, unread=filled
            )
            self._values.append((index, value))
        return lambda outputs: outputs[index]

    def _flags(self, leaves: tuple, filled: tuple[bool, bool], standing: Callable) -> Callable:
        """The result of ``standing`` for the value of each branch, True for unused values."""
        flags = []
        for branch, leaf, is_unread in zip(self.branches, leaves, filled, strict=True):
            with branch:
                flags.append(is_unread or standing(leaf))
        return self._flag(flags)

    def _flag(self, flags: list) -> Callable[[list], Any]:
        """How to find from the outputs whether one is a symbolic integer, by the flags of the
        branches."""
        if all(flag is True for flag in flags):
            return lambda outputs: True
        if all(type(flag) is bool for flag in flags):
            test = self._predicate
            return lambda outputs: test if flags[0] else ops.logical_not(test)
        for branch, flag in zip(self.branches, flags, strict=True):
            with branch:
                branch.outputs.append(values.to_tensor(flag))
        index = len(self.branches[0].outputs) - 1
        return lambda outputs: outputs[index]

    def _refuse_objects(self, label: str, first: Any, second: Any) -> None:
        """Refuse two leaves of which one cannot become a tensor."""
        if first is second or all(map(values.can_be_tensor, (first, second))):
            return
        self._refuse_none(label, first, second)
        raise TypeError(
            self._message(
                label,
                f"must be tensors or the same object: {shown(first)} and {shown(second)}",
                "Choose between tensors, and make Python objects before the `if`.",
            )
        )

    def _in_branches(self, first: Any, second: Any) -> list:
        """Two leaves as tensors of their branches."""
        dtype = values.common_dtype([first, second])
        if dtype is None and self.promotes:
            dtype = values.number_dtype(first, second)
        made = []
        for branch, leaf in zip(self.branches, (first, second), strict=True):
            if branch.has(leaf):
                made.append(leaf)
                continue
            with branch:
                try:
                    made.append(values.to_tensor(leaf, dtype))
                except TypeError:
                    made.append(values.to_tensor(leaf))
        return made

    def _add_outputs(self, label: str, first: Any, second: Any) -> None:
        yes, no = self.branches
        made = [first, second]
        if not (yes.has(first) and no.has(second)):
            made = self._in_branches(first, second)
        if made[0].dtype != made[1].dtype:
            raise TypeError(self._other_dtypes(label, (first, second), made))
        for branch, tensor in zip(self.branches, made, strict=True):
            branch.outputs.append(tensor)

    def _other_dtypes(self, label: str, leaves: tuple, tensors: list) -> str:
        kinds = [tensor.dtype for tensor in tensors]
        problem = f"have different dtypes: {kinds[0].name} and {kinds[1].name}"
        wanted = values.wider(*kinds)
        side = self._sides[0 if kinds[1] == wanted else 1]
        name = _name_in(label)
        if name:
            rewrite = f"End {side} with {values.cast(name, wanted)}, or make both of one dtype."
        else:
            cast = f"`{FG}.cast(value, {FG}.{wanted.name})`"
            rewrite = f"Let {side} give {cast} of its value, or make both of one dtype."
        return self._message(label, problem, rewrite, leaves)

    def _refuse_none(self, label: str, first: Any, second: Any) -> None:
        for side, value in enumerate((first, second)):
            if value is None:
                raise ValueError(
                    self._message(
                        label,
                        f"differ: None from {self._sides[side]}, a value from the other",
                        f"Give it a tensor in both, for example `{FG}.zeros_like(value)`, and a "
                        "flag.",
                        (first, second),
                    )
                )

    def _message(
        self, label: str, problem: str, rewrite: str = "", leaves: tuple | None = None
    ) -> str:
        text = f"{label} from {self._sides[0]} and {self._sides[1]} {problem}"
        details: list[str] = []
        for branch, side, leaf in zip(self.branches, self._sides, leaves or (), strict=False):
            details += values.source(side, leaf, branch.region)
        return diagnostic(self._where, text, rewrite or self._rewrite, details)
