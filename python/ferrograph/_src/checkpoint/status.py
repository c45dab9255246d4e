"""The status that ``Checkpoint.restore`` returns: which objects and values were matched."""

from __future__ import annotations

from typing import Any

from ..context import thread
from ..values.errors import shown
from . import trackable
from .graph import ObjectGraph, Root
from .restoring import Restoration

__all__ = ["CheckpointLoadStatus", "InitializationOnlyStatus"]

# So many objects or values are named in a message.
_NAMED = 10


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


class CheckpointLoadStatus:
    """The state of a restoration. Values are restored when the objects are there."""

    def __init__(self, restoration: Restoration, root: Root):
        self._restoration, self._root = restoration, root

    def assert_consumed(self) -> CheckpointLoadStatus:
        """AssertionError unless all objects and all values in the checkpoint were matched."""
        self.assert_existing_objects_matched()
        restoration = self._restoration
        saved = restoration.saved
        lost = [
            saved.name_of(number)
            for number, node in enumerate(saved.nodes)
            if node.attributes and number not in restoration.objects
        ]
        if lost:
            raise AssertionError(
                f"{len(lost)} objects in the checkpoint {saved.path} have no object of the program "
                f"that they restore: {_listed(lost)}"
            )
        if restoration.unused:
            unused = [
                f"{saved.name_of(number)}: {', '.join(names)}"
                for number, names in restoration.unused.items()
            ]
            raise AssertionError(
                f"values in the checkpoint {saved.path} that their objects do not hold: "
                f"{_listed(unused)}"
            )
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """AssertionError unless all objects that hold values by now were matched."""
        unmatched = self._unmatched()
        if unmatched:
            raise AssertionError(
                f"{len(unmatched)} objects of the program have no value in the checkpoint "
                f"{self._restoration.saved.path}: {_listed(unmatched)}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """AssertionError unless something besides the root was matched."""
        unmatched = self._unmatched()
        if len(self._restoration.objects) > 1:
            return self
        if unmatched:
            raise AssertionError(
                f"nothing but the root matches the checkpoint {self._restoration.saved.path}; "
                f"these objects have no value in it: {_listed(unmatched)}"
            )
        raise AssertionError(
            f"there is nothing to restore: {shown(self._root.value)} refers to no objects with "
            "values"
        )

    def _unmatched(self) -> list[str]:
        """The objects with values that were not matched."""
        with thread.init_scope():
            self._restoration.bind_root(self._root)
        graph = ObjectGraph(self._root)
        saved = self._restoration.saved
        filled = {
            reference.number
            for number, reference in self._restoration.objects.items()
            if saved.nodes[number].attributes and not reference.is_gone()
        }
        return [
            f"{'.'.join(('(root)', *path))} ({shown(value)})"
            for value, path in zip(graph.objects, graph.paths, strict=True)
            if id(value) not in filled and trackable.holds_tensors(value)
        ]

    def expect_partial(self) -> CheckpointLoadStatus:
        """Say that not everything is expected to match; the status."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing is left to do: values are restored as soon as they can be."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing is left to do: values are restored as soon as they can be."""


class InitializationOnlyStatus:
    """The status where there is no checkpoint: a path of None."""

    def _refuse(self) -> Any:
        raise AssertionError("nothing is restored: no checkpoint was given (save_path=None)")

    def assert_consumed(self) -> Any:
        """AssertionError."""
        return self._refuse()

    def assert_existing_objects_matched(self) -> Any:
        """AssertionError."""
        return self._refuse()

    def assert_nontrivial_match(self) -> Any:
        """AssertionError."""
        return self._refuse()

    def expect_partial(self) -> InitializationOnlyStatus:
        """The status."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing is to do: variables have their values from the beginning."""

    def run_restore_ops(self, session: Any = None) -> None:
        """AssertionError."""
        self._refuse()
