"""The integers of Python's that a staged loop carries, among its variables.

What becomes of them decides what is checked: see ``bounds``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from .. import ops
from ..heap.source_location import SourceLocation
from ..hints import Any
from ..symbolic import overflow_checks, python_numbers, values
from ..symbolic.provenance import key_of
from .retrace import RetraceLoop

OWN = "loop variable "  # how the variables of a call of ``while_loop`` are labelled
_LARGE = 2**30  # from which steps by one may leave int32

Name = tuple[str, int]  # the label of a variable, and which leaf of the value it is


class Integers:
    """Those of the ``variables`` of one loop."""

    def __init__(self, variables: Any):
        self._variables = variables
        self.flagged: set[Name] = set()  # integers that some iterations alone have
        self.large: set[Name] = set()  # those that grow by more than steps of one
        self._known: dict[int, Name] = {}  # those that start as integers
        self._starts: dict[int, Any] = {}  # what ``bounds.standing`` says of their first values
        self._mosts: dict[int, int | None] = {}  # how far from zero those start at most
        self._made_of: dict[int, set] = {}  # the keys of the integers of which they start
        self._flags: dict[int, int] = {}  # the variables that say of some which are integers yet
        self._first_only: dict[int, Any] = {}  # those that are integers without an iteration alone
        self._n_checks, self._n_unchecked = (
            overflow_checks.n_checks(),
            overflow_checks.n_unchecked(),
        )

    def add(self, index: int, name: Name, leaf: Any) -> None:
        """Note a variable that starts as an integer of Python's, or may become one."""
        if not (overflow_checks.is_integer(leaf) or name in self.flagged):
            return
        self._known[index], self._starts[index] = name, overflow_checks.standing(leaf)
        self._made_of[index] = overflow_checks.noted_in(leaf)
        if overflow_checks.is_large(leaf):
            self.large.add(name)
        self._mosts[index] = overflow_checks.most(leaf)
        self._note(index)

    def add_late(self, index: int, name: Name, leaf: Any) -> None:
        """Note a variable that the body is the first to set."""
        if overflow_checks.is_integer(leaf):
            self._known[index] = name
            self.large.add(name)

    def add_flags(self) -> None:
        """Carry of the variables that need it whether they are integers of Python's yet."""
        for index, name in list(self._known.items()):
            if name in self.flagged:
                start = values.to_tensor(self._starts[index])
                label = f"whether {name[0]!r} is an integer"
                self._flags[index] = self._variables.add(label, start)
                self._note(index)

    def _note(self, index: int) -> None:
        flag, large = self._flags.get(index), self._known[index] in self.large
        for inputs in self._variables.inputs:
            is_one = self._starts[index] if flag is None else inputs[flag]
            overflow_checks.note(inputs[index], large, is_one, self._made_of.get(index, ()))

    def settle(self, left: dict[int, Any]) -> Callable[[list], None]:
        """Keep those that iterations leave so, as ``left`` says; how to note the outputs.

        Where integers that may be too large are made of the others, which they are in the first
        iteration, the graph says which they are.
        """
        self._find_late(left)
        made_tensors: dict[int, Name] = {}
        while found := {
            index: name
            for index, name in self._known.items()
            if index not in self._flags and not overflow_checks.is_integer(left.get(index))
        }:
            made_tensors.update(found)
            for index in found:
                del self._known[index]
        for index in made_tensors:  # which have the value of the start where they are integers
            self._limit(index, self._mosts.get(index))
        self._forget(made_tensors)
        if self._known:
            self._settle_flags(left)
            self._settle_large(left)
            self._settle_mosts(left)
        ran = self._variables.ran() if self._first_only else None
        return lambda outputs: self._leave(left, outputs, ran)

    def _find_late(self, left: dict[int, Any]) -> None:
        """Start again where an iteration may leave an integer in a variable that starts as a
        tensor, or the tensor."""
        starting = self._variables.starting
        if not (starting or overflow_checks.are_met()) or not isinstance(
            self._variables.place, SourceLocation
        ):
            return
        own = self._variables
        late = {
            i: s for i, s in own.spots.items() if i not in self._known and s not in self.flagged
        }
        found = [late[i] for i in late if overflow_checks.are_met() and _may_be_one(left.get(i))]
        found += [
            late[i] for i in late if i in starting and overflow_checks.is_integer(left.get(i))
        ]
        if found:
            raise RetraceLoop(flagged=found)

    def _forget(self, made_tensors: dict[int, Name]) -> None:
        """Note no more that variables are integers which iterations make tensors."""
        own = self._variables
        used = overflow_checks.used(own.body.region, own.condition.region) if made_tensors else ()
        flagged = [name for index, name in made_tensors.items() if self._is_used(index, used)]
        if flagged:
            raise RetraceLoop(flagged=flagged)
        for index, (label, _) in made_tensors.items():
            for inputs in own.inputs:
                overflow_checks.forget(inputs[index])
            if isinstance(own.place, SourceLocation) or not label.startswith(OWN):
                self._first_only[index] = self._starts[index]

    def _is_used(self, index: int, used: Collection) -> bool:
        return any(key_of(inputs[index]) in used for inputs in self._variables.inputs)

    def _settle_flags(self, left: dict[int, Any]) -> None:
        """Give the flags what an iteration leaves in them; start again where one more is needed."""
        missing, body = [], self._variables.body
        with body:
            standing = {index: overflow_checks.standing(left.get(index)) for index in self._known}
        for index, is_one in standing.items():
            if index in self._flags:
                self._variables.result(self._flags[index], is_one)
            elif index in self._starts and is_one is not self._starts[index]:
                missing.append(self._known[index])
        if missing and (
            overflow_checks.n_checks() > self._n_checks or overflow_checks.are_made_in(body.region)
        ):
            raise RetraceLoop(flagged=missing)

    def _settle_large(self, left: dict[int, Any]) -> None:
        """Find the variables that grow by more than steps of one; start again where such steps were
        not checked."""
        met = set()
        while found := {
            index
            for index, name in self._known.items()
            if name not in self.large
            and overflow_checks.is_integer(leaf := left.get(index))
            and overflow_checks.is_large(leaf)
        }:
            for index in found:
                met.add(self._known[index])
                self.large.add(self._known[index])
                self._note(index)
        if met and overflow_checks.n_unchecked() > self._n_unchecked:
            raise RetraceLoop(large=met)

    def _settle_mosts(self, left: dict[int, Any]) -> None:
        """Find how far from zero integers stay, whatever the number of iterations."""
        found = {index: self._mosts.get(index) for index in self._known}
        for index, start in found.items():
            after = overflow_checks.most(left.get(index))
            found[index] = start if start is None or after is None else max(start, after)
        while True:
            for index, at_most in found.items():
                self._limit(index, at_most)
            beyond = [i for i, n in found.items() if n is not None and not _keeps(left.get(i), n)]
            if not beyond:
                break
            found.update(dict.fromkeys(beyond))
        self._mosts.update(found)

    def _limit(self, index: int, at_most: int | None) -> None:
        for inputs in self._variables.inputs:
            overflow_checks.limited(inputs[index], at_most)

    def _leave(self, left: dict[int, Any], outputs: list, ran: Any) -> None:
        """Note which outputs of the loop are integers."""
        inputs = self._variables.inputs[1]
        for index, name in self._known.items():
            at_most = self._mosts.get(index)
            flag = outputs[self._flags[index]] if index in self._flags else True
            large = name in self.large and (at_most is None or at_most >= _LARGE)
            made_of = overflow_checks.noted_in(left.get(index)) | overflow_checks.noted_in(
                inputs[index]
            )
            overflow_checks.note(outputs[index], large, flag, made_of, at_most)
        happened = ran(outputs) if ran is not None else True
        for index, start in self._first_only.items() if happened is not True else ():
            at_most = self._mosts[index]
            told = overflow_checks.Told(lambda: ops.logical_not(happened), start)
            overflow_checks.note(
                outputs[index], at_most is None, told, self._made_of[index], at_most
            )


def _may_be_one(leaf: Any) -> bool:
    """Whether a value is an integer of Python's or a tensor, as the graph decides."""
    return overflow_checks.is_integer(leaf) and not python_numbers.is_number(leaf)


def _keeps(leaf: Any, at_most: int) -> bool:
    found = overflow_checks.most(leaf)
    return found is not None and found <= at_most
