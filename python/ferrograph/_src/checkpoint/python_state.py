"""Python state in checkpoints, as bytes."""

from __future__ import annotations

from typing import Any

from ..native import _core
from ..values.dtypes import string
from ..values.public import public

__all__ = ["PythonState"]

# What the one entry is called in checkpoints.
_STATE = "py_state"


@public("train.experimental.PythonState")
class PythonState:
    """A base class of objects that checkpoints hold as the bytes that they make of themselves.

    A class of it writes ``serialize`` and ``deserialize``.

    >>> class Note(fg.train.experimental.PythonState):
    ...     text = "one"
    ...     def serialize(self):
    ...         return self.text.encode()
    ...     def deserialize(self, string_value):
    ...         self.text = string_value.decode()
    >>> import tempfile
    >>> note = Note()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = fg.train.Checkpoint(note=note).write(folder + "/c")
    ...     note.text = "two"
    ...     _ = fg.train.Checkpoint(note=note).read(path)
    >>> note.text
    'one'
    """

    def serialize(self) -> Any:
        """What is saved: bytes or text."""
        raise NotImplementedError(f"{type(self).__name__} does not define serialize()")

    def deserialize(self, string_value: bytes) -> None:
        """Take the state out of the bytes that were saved."""
        raise NotImplementedError(f"{type(self).__name__} does not define deserialize()")

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {_STATE: _core.convert_to_tensor(self.serialize(), string)}

    def _restore_from_tensors(self, tensors: dict[str, Any]) -> None:
        self.deserialize(tensors[_STATE].numpy())
