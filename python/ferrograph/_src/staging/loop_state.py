"""The initial state of a staged loop: its options, its containers, the alias partition of its
locations, and its Python integers.

Iterations begin with copies of the containers from before the loop. A loop is traced for one
iteration: an object with two names in the first iteration must have both in the next. The ranges of
the integers decide which overflow checks are needed (``symbolic.ranges``).
"""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable, Collection, Iterator, Sequence

from .. import ops
from ..heap import aliasing, liveness, structure, trace_context, walk
from ..heap.source_location import refusal
from ..heap.structure import (
    MergedContainer,
    MergedContainers,
    containers_in,
    is_container,
    keys_of,
    part_of,
)
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..symbolic import python_scalars, ranges, values
from ..symbolic.values import key_of
from ..values import nest
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec
from .retrace import Name, RetraceLoop


class LoopOptions:
    """What ``set_loop_options`` was given."""

    def __init__(self) -> None:
        self.maximum_iterations: Any = None
        self.shape_invariants: list = []

    def shapes_of(self, value: Any) -> list | None:
        """The shapes asked for the leaves of what starts as ``value``, None if nothing was."""
        for given, shapes in self.shape_invariants:
            if given is value:
                return leaf_shapes(value, shapes)
        return None


NO_OPTIONS = LoopOptions()


class _Collecting(threading.local):
    def __init__(self) -> None:
        self.stack: list[LoopOptions] = []


_collecting = _Collecting()


def collect_options(thunk: Callable[[], Any] | None) -> LoopOptions:
    """The options that calling ``thunk`` sets."""
    if thunk is None:
        return NO_OPTIONS
    options = LoopOptions()
    _collecting.stack.append(options)
    try:
        thunk()
    finally:
        _collecting.stack.pop()
    return options


def record_options(maximum_iterations: Any, shape_invariants: Any) -> None:
    """Set options of the loop that collects; nothing where none does."""
    if _collecting.stack:
        options = _collecting.stack[-1]
        options.maximum_iterations = maximum_iterations
        options.shape_invariants = [tuple(pair) for pair in shape_invariants or ()]


def leaf_shapes(value: Any, given: Any) -> list:
    """The dimensions asked for each leaf of ``value``, () for one that keeps its own.

    ``given`` has a shape or a spec in place of each tensor; of a value that is one leaf it may be a
    list of dimensions. ValueError where the structures differ or a shape is none.
    """
    found: list = []
    _collect(value, given, found)
    return found


def _collect(value: Any, given: Any, found: list) -> None:
    if isinstance(given, TypeSpec) and not isinstance(given, TensorSpec):
        specs = nest.flatten(given, expand_composites=True)
        found += [dimensions(spec) for spec in specs]
        return
    if not nest.is_nested(value):
        n_leaves = len(structure.leaves_of(value))
        found += [dimensions(given)] if n_leaves == 1 else [()] * n_leaves
        return
    if not nest.is_nested(given) or len(nest.children(given)) != len(nest.children(value)):
        raise ValueError(
            f"shape_invariants must have the structure of the loop variables: {shown(given)} is "
            f"given for {shown(value)}"
        )
    for part, shape in zip(nest.children(value), nest.children(given), strict=True):
        _collect(part, shape, found)


def dimensions(shape: Any) -> list | None:
    """A list of dimensions from a shape in any form, None for an unknown rank."""
    if shape is None:
        return None
    if hasattr(shape, "as_list"):
        return None if shape.rank is None else shape.as_list()
    if hasattr(shape, "shape"):
        return dimensions(shape.shape)
    try:
        return TensorShape(shape).as_list()
    except (TypeError, ValueError) as e:
        raise ValueError(f"a shape invariant is a shape or a spec, got {shown(shape)}") from e


class Copies:
    """The containers of a loop's variables at the beginning of an iteration, made like those from
    before the loop."""

    def __init__(self) -> None:
        self._joins = MergedContainers()
        self._all: list[MergedContainers] = []
        self._begun: dict[int, tuple[MergedContainer, list, list]] = {}  # by the ids of the copies

    def given(self, label: str, before: Any, start: Any, alone: bool = False) -> Any:
        """``start``, made like ``before``, with one container for each one in that and in others;
        those of one that is ``alone`` are distinct, also from one another."""
        joins = self._joins if not alone else MergedContainers(apart=True)
        self._all.append(joins)
        return joins.join(label, (before,), start)

    def begin(self) -> None:
        """The iteration is traced from here on."""
        found = {id(j.made): j for joins in self._all for j in joins}.values()
        self._begun = {
            id(j.made): (j, aliasing.held_by(j.made), structure.leaves_of(j.made)) for j in found
        }
        if self._begun:
            copies = {key: (j.made, j.sources[0]) for key, (j, *_) in self._begun.items()}
            aliasing.Aliases.of_trace().copies.update(copies)

    def are_made(self) -> bool:
        """Whether the loop's variables hold containers."""
        return bool(self._begun)

    def changed(self, held: Any) -> bool:
        """Whether the iteration changed one of the containers that it began with in place."""
        begun = self._begun.get(id(held))
        return begun is not None and _is_changed(*begun)

    def changed_within(self, held: Any) -> bool:
        """Whether it changed one of those in a value that it began with."""
        return any(map(self.changed, containers_in(held)))

    def settled(self, moved: dict[int, Any], functions: tuple, place: str) -> MergedContainers:
        """For what the loop leaves: a container that no iteration changes is one of those from
        before. One that an iteration changes is refused where others may read those.

        ``moved`` are what the iteration leaves in the places of the containers that it began with,
        by the ids of these.
        """
        if not self._begun:
            return MergedContainers()
        known = {key: join for key, (join, *_) in self._begun.items()}
        changed = {key for key, begun in self._begun.items() if _is_changed(*begun)}
        stands_for = {}
        snapshot = trace_context.current_snapshot()

        def is_outer(value: Any) -> bool:
            return snapshot is None or snapshot.knows(value)

        for join in known.values():
            path, end = _followed(join, known, moved)
            before = [j.sources[0] for j in path]
            if id(join.made) in changed:
                others = aliasing.relatives([*before, *filter(is_outer, end)], known)
                if liveness.is_alive([*others, *_copied(others, known, before)], functions):
                    aliasing.MayAliasSet([], join.label, place).refuse(place)
                aliasing.Aliases.of_trace().replaced += before
            elif len(path) == 1 and not end:
                stands_for[id(join.made)] = before
            else:
                own = [] if all(b is before[0] for b in before) and not end else [join.made]
                stands_for[id(join.made)] = aliasing.distinct([*before, *end, *own])
        return MergedContainers(stands_for)


def _copied(found: list, known: dict[int, MergedContainer], but: list) -> list:
    """What an iteration begins with in place of some containers, ``but`` of some of these."""
    wanted = {id(v) for v in found} - {id(v) for v in but}
    return [join.made for join in known.values() if id(join.sources[0]) in wanted]


def _followed(
    join: MergedContainer, known: dict[int, MergedContainer], moved: dict[int, Any]
) -> tuple[list, list]:
    """Where the container behind one of an iteration may have been in earlier iterations:
    containers that these began with, and others that they made or found."""
    path: list[MergedContainer] = []
    pending, ends = [join], {}
    while pending:
        reached = pending.pop()
        if reached in path:
            continue
        path.append(reached)
        for left in aliasing.relatives([moved.get(id(reached.made), reached.made)], known):
            found = known.get(id(left))
            if found is None:
                ends[id(left)] = left
            else:
                pending.append(found)
    return path, list(ends.values())


def _is_changed(join: MergedContainer, held: list, leaves: list) -> bool:
    """Whether a container that a loop made is another one than it was, or is replaced by one in a
    loop inside that changes it."""
    now = structure.leaves_of(join.made)
    as_before = len(now) == len(leaves) and all(map(operator.is_, now, leaves))
    if not as_before or aliasing.differs(join.made, held):
        return True
    return any(join.made is one for one in _thread.trace.aliases.replaced or ())


def refuse_copies(*compared: Any) -> None:
    """Refuse a comparison by identity of a container that an iteration begins with: the trace is
    for all iterations, and each may have another one."""
    copies = (_thread.trace.aliases.copies or {}) if _thread.trace is not None else {}
    if copies and any(id(v) in copies for v in compared) and all(map(is_container, compared)):
        raise refusal(
            "this line asks which object a container is that a staged loop carries: the loop is "
            "traced once for all iterations, of which each may have another one",
            "Keep a number beside it that says which one it is, and compare that.",
        )


Position = tuple[Any, ...]


Pairs = list[tuple[Any, Any, str]]


def check_partition(pairs: Pairs, changes: Callable[[Any], bool], place: str) -> None:
    """Start again, or refuse, where the locations of a loop share other objects after an iteration
    than at its start. ``changes`` says whether the iteration changes an object in place."""
    split = _unlike(pairs)
    merged = _unlike([(b, a, label) for a, b, label in pairs])
    if not (split or merged):
        return
    involved = [(a, label) for a, _, label in pairs if label in split or label in merged]
    for held, label in involved:
        if changes(held):
            refuse_partition(label, place)
    if split:
        raise RetraceLoop(split=split)


def check_other_partitions(
    label: str,
    start: Any,
    after: Any,
    owners: set[int],
    changes: Callable[[Any], bool],
    place: str,
) -> None:
    """Refuse that an iteration leaves in a place what is held outside of the loop, where it changes
    what the location held at the ``start``, or that: one of ``owners``."""
    snapshot, held = trace_context.current_snapshot(), dict(_positions(start))
    for path, left in _positions(after):
        if snapshot is None or left is held.get(path) or not snapshot.knows(left):
            continue
        if id(left) in owners or (path in held and changes(held[path])):
            refuse_partition(label, place)


def container_pairs(names: dict[int, str], start: list, after: list) -> Pairs:
    """The containers before and after an iteration at the positions that have one both times, with
    the labels of their locations: ``names``, by their numbers."""
    found = []
    for i, label in names.items():
        before = dict(_positions(start[i]))
        left = dict(_positions(after[i]))
        found += [(before[p], left[p], label) for p in before if p in left]
    return found


def _positions(value: Any, path: Position = ()) -> Iterator[tuple[Position, Any]]:
    """The containers in a value, by the keys that lead to them."""
    if is_container(value):
        yield path, value
    if isinstance(value, tuple):
        for i, part in enumerate(walk.elements(value)):
            yield from _positions(part, (*path, i))
    elif (keys := keys_of(value)) is not None:
        for key in keys:
            yield from _positions(part_of(value, key), (*path, key))
    elif is_container(value):
        inner = (part for part in containers_in(value)[1:] if is_container(part))
        yield from (((*path, i), part) for i, part in enumerate(inner))


def _unlike(pairs: Pairs) -> set[str]:
    """The labels of the positions that share one of the first objects, but none of the second."""
    shared: dict[int, list[tuple[Any, str]]] = {}
    for first, second, label in pairs:
        shared.setdefault(id(first), []).append((second, label))
    found = set()
    for group in shared.values():
        if len({id(second) for second, _ in group}) > 1:
            found |= {label for _, label in group}
    return found


def refuse_partition(label: str, place: str) -> None:
    """Refuse that names are one object in some iterations alone, which changes in place."""
    raise refusal(
        f"{label!r} and another name are one object in some iterations of this staged loop and "
        "several in others, and an iteration changes it in place",
        "Make copies before the loop (`list(a)`, `dict(a)`), make a new object instead of changing "
        "one, or put another object under both names.",
        place,
    )


OWN = "loop variable "  # how the variables of a call of ``while_loop`` are labelled
_LARGE = 2**30  # from which steps by one may leave int32


class Integer:
    """A variable of a loop that starts as an integer, or that the body is the first to set."""

    def __init__(self, name: Name, start: Any = None):
        self.name = name
        self.start = start  # its ``ranges.Fact`` before the loop, None of one that is set later
        self.most: int | None = start and start.most  # that after iterations, too
        self.flag: int | None = None  # the variable that says whether it is one yet


class Integers:
    """Those of the ``variables`` of one loop."""

    def __init__(self, variables: Any):
        self._variables, self._widened = variables, variables.widened
        self._known: dict[int, Integer] = {}
        self._first_only: dict[int, Integer] = {}  # those without an iteration alone
        self._ran: Any = None  # how to take from the outputs whether there was one

    def add(self, index: int, name: Name, leaf: Any) -> None:
        """Note a variable that starts as a Python integer, or may become one."""
        if not (ranges.is_integer(leaf) or name in self._widened["flagged"]):
            return
        start = ranges.joined([leaf], ranges.standing(leaf))
        if start.large:
            self._widened["large"].add(name)
        self._known[index] = Integer(name, start)
        self._note(index)

    def add_late(self, index: int, name: Name) -> None:
        """Note a variable that the body is the first to set."""
        self._known[index] = Integer(name)
        self._widened["large"].add(name)

    def add_flags(self) -> None:
        """Carry a flag for the variables that need one: whether they are Python integers yet."""
        for index, known in list(self._known.items()):
            if known.name in self._widened["flagged"]:
                start = values.to_tensor(known.start.flag)
                label = f"whether {known.name[0]!r} is an integer"
                known.flag = self._variables.add(label, start)
                self._note(index)

    def _note(self, index: int) -> None:
        known = self._known[index]
        large = known.name in self._widened["large"]
        for inputs in self._variables.inputs:
            is_one = known.start.flag if known.flag is None else inputs[known.flag]
            ranges.note(inputs[index], large, is_one, known.start.made_of)

    def settle(self, left: dict[int, Any]) -> None:
        """Keep those that iterations leave so, as ``left`` says.

        Where integers that may be too large are made of the others, which they are in the first
        iteration, the graph says which they are.
        """
        self._find_late(left)
        if not self._known:
            return
        made_tensors: dict[int, Integer] = {}
        while found := {
            index: known
            for index, known in self._known.items()
            if known.flag is None and not ranges.is_integer(left.get(index))
        }:
            made_tensors.update(found)
            for index in found:
                del self._known[index]
        for index, known in made_tensors.items():  # the value of the start where they are integers
            self._limit(index, known.most)
        if made_tensors:
            self._forget(made_tensors)
        if self._known:
            self._settle_flags(left)
            self._settle_large(left)
            self._settle_mosts(left)
        self._ran = self._variables.ran() if self._first_only else None

    def _find_late(self, left: dict[int, Any]) -> None:
        """Start again where an iteration may leave an integer in a variable that starts as a
        tensor, or the tensor."""
        own = self._variables
        if not (own.values or ranges.are_met()) or not own.is_statement:
            return
        flagged = self._widened["flagged"]
        late = {i: s for i, s in own.spots.items() if i not in self._known and s not in flagged}
        found = [late[i] for i in late if ranges.are_met() and _may_be_one(left.get(i))]
        numbers = [i for i in late if own.is_number(i)]
        found += [late[i] for i in numbers if ranges.is_integer(left.get(i))]
        if found:
            raise RetraceLoop(flagged=found)

    def _forget(self, made_tensors: dict[int, Integer]) -> None:
        """Note no more that variables are integers which iterations make tensors."""
        own = self._variables
        used = ranges.used(own.body.region, own.condition.region)
        flagged = [known.name for i, known in made_tensors.items() if self._is_used(i, used)]
        if flagged:
            raise RetraceLoop(flagged=flagged)
        for index, known in made_tensors.items():
            for inputs in own.inputs:
                ranges.forget(inputs[index])
            if own.is_statement or not known.name[0].startswith(OWN):
                self._first_only[index] = known

    def _is_used(self, index: int, used: Collection) -> bool:
        return any(key_of(inputs[index]) in used for inputs in self._variables.inputs)

    def _settle_flags(self, left: dict[int, Any]) -> None:
        """Give the flags what an iteration leaves in them; start again where one more is needed."""
        missing, body = [], self._variables.body
        with body:
            standing = {index: ranges.standing(left.get(index)) for index in self._known}
        for index, is_one in standing.items():
            known = self._known[index]
            if known.flag is not None:
                self._variables.result(known.flag, is_one)
            elif known.start is not None and is_one is not known.start.flag:
                missing.append(known.name)
        if missing and (self._variables.has_met("checks") or ranges.are_made_in(body.region)):
            raise RetraceLoop(flagged=missing)

    def _settle_large(self, left: dict[int, Any]) -> None:
        """Find the variables that grow by more than steps of one; start again where such steps were
        not checked."""
        met, large = set(), self._widened["large"]
        while found := {
            index: known.name
            for index, known in self._known.items()
            if known.name not in large
            and ranges.is_integer(leaf := left.get(index))
            and ranges.is_large(leaf)
        }:
            for index, name in found.items():
                met.add(name)
                large.add(name)
                self._note(index)
        if met and self._variables.has_met("unchecked"):
            raise RetraceLoop(large=met)

    def _settle_mosts(self, left: dict[int, Any]) -> None:
        """Find how far from zero integers stay, whatever the number of iterations."""
        for index, known in self._known.items():
            after = ranges.most(left.get(index))
            if known.most is not None and after is not None:
                known.most = max(known.most, after)
        while True:
            for index, known in self._known.items():
                self._limit(index, known.most)
            found = [(known, left.get(index)) for index, known in self._known.items()]
            beyond = [k for k, leaf in found if k.most is not None and not _keeps(leaf, k.most)]
            if not beyond:
                break
            for known in beyond:
                known.most = None

    def _limit(self, index: int, at_most: int | None) -> None:
        for inputs in self._variables.inputs:
            ranges.limited(inputs[index], at_most)

    def known(self, left: dict[int, Any]) -> dict[int, ranges.Fact]:
        """What is known of the outputs of the loop that are integers."""
        found, inputs = {}, self._variables.inputs[1]
        for index, known in self._known.items():
            flag: Any = True if known.flag is None else operator.itemgetter(known.flag)
            is_small = known.most is not None and known.most < _LARGE
            large = not is_small and known.name in self._widened["large"]
            made_of = ranges.noted_in(left.get(index)) | ranges.noted_in(inputs[index])
            found[index] = ranges.Fact(large, flag, known.most, made_of)
        for index, known in self._first_only.items():
            flag = functools.partial(self._has_not_run, known.start.flag)
            found[index] = ranges.Fact(known.most is None, flag, known.most, known.start.made_of)
        return found

    def _has_not_run(self, start: Any, outputs: Sequence) -> Any:
        """The flag of one that is an integer, as at its ``start``, where there is no iteration."""
        happened = self._ran(outputs)
        return happened is not True and ranges.Told(lambda: ops.logical_not(happened), start)


def _may_be_one(leaf: Any) -> bool:
    """Whether a value is a Python integer or a tensor depending on the graph."""
    return ranges.is_integer(leaf) and not python_scalars.is_number(leaf)


def _keeps(leaf: Any, at_most: int) -> bool:
    found = ranges.most(leaf)
    return found is not None and found <= at_most
