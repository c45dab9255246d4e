"""Views of the objects of a program and of a checkpoint: ``TrackableView`` and the like."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from ..context import thread
from ..values import dtypes
from ..values.public import public
from . import trackable
from .graph import GRAPH_KEY, serialized
from .paths import path_text, read_tensors

__all__ = ["CheckpointView", "TrackableView"]


@public("train.TrackableView")
class TrackableView:
    """The objects below a root, as a checkpoint follows them.

    >>> part = fg.Module()
    >>> part.weight = fg.Variable(1.0)
    >>> list(fg.train.TrackableView(part).children(part))
    ['weight']

    Args:
      root: the object, or a weak reference to it.
    """

    def __init__(self, root: Any):
        self._reference = root if isinstance(root, weakref.ref) else lambda: root

    @property
    def root(self) -> Any:
        """The object where the view begins."""
        return self._reference()

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The objects that an object refers to, by name, for a ``"checkpoint"`` or a
        ``"savedmodel"``."""
        return trackable.children_of(obj, save_type)

    def descendants(self) -> list[Any]:
        """The root and all that can be reached from it, the nearest first."""
        found, seen, queue = [], set(), deque([self.root])
        while queue:
            value = queue.popleft()
            if id(value) not in seen:
                seen.add(id(value))
                found.append(value)
                queue.extend(self.children(value).values())
        return found


@public("train.CheckpointView")
class CheckpointView:
    """The objects that a checkpoint holds the values of, by number; the root is 0.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = fg.train.Checkpoint(v=fg.Variable([1, 2])).write(folder + "/c")
    ...     view = fg.train.CheckpointView(path)
    >>> view.children(0)
    {'v': 1}

    Args:
      save_path: the path of the checkpoint.
      options: kept.

    Raises:
      NotFoundError: where there is no such checkpoint, or it knows no objects.
    """

    def __init__(self, save_path: Any, options: Any = None):
        with thread.init_scope():
            (content,) = read_tensors(path_text(save_path), [GRAPH_KEY], [dtypes.string])
            self._nodes = serialized(content.numpy())

    @property
    def root(self) -> int:
        """The number of the root."""
        return 0

    def children(self, node_id: int) -> dict[str, int]:
        """The numbers of the objects that an object refers to, by name."""
        return {name: number for number, name in self._nodes[node_id].children}

    def descendants(self) -> list[int]:
        """The numbers of the root and all that can be reached from it, the nearest first."""
        found, queue = [0], deque([0])
        while queue:
            for number in self.children(queue.popleft()).values():
                if number not in found:
                    found.append(number)
                    queue.append(number)
        return found

    def match(self, obj: Any) -> dict[int, Any]:
        """The objects of a program that a restoration would find, by number."""
        root = obj.root if isinstance(obj, TrackableView) else obj
        found, queue = {0: root}, deque([0])
        while queue:
            number = queue.popleft()
            children = trackable.children_of(found[number])
            for name, child in self.children(number).items():
                if name in children and child not in found:
                    found[child] = children[name]
                    queue.append(child)
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """What ``match`` gives; the numbers, and the objects below ``obj``, without a partner."""
        matched = self.match(obj)
        partners = {id(value) for value in matched.values()}
        view = obj if isinstance(obj, TrackableView) else TrackableView(obj)
        lost = [number for number in self.descendants() if number not in matched]
        found = [value for value in view.descendants() if id(value) not in partners]
        return matched, lost, found
