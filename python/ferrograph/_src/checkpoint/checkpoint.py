"""``Checkpoint``: writes the values of objects to files, and reads them back."""

from __future__ import annotations

import inspect
import os
import weakref
from typing import Any

from ..context import thread
from ..native import _core
from ..state.variable import Variable
from ..values import dtypes, errors
from ..values.errors import shown
from ..values.markers import Trackable
from ..values.public import public
from . import trackable, watching
from .graph import GRAPH_KEY, ObjectGraph, Root, SavedGraph, SavedObject, saved_tensors, serialized
from .options import CheckpointOptions
from .paths import list_tensors, make_folder, path_text, read_tensors
from .restoring import Restoration
from .sharding import sharded
from .state import update_checkpoint_state
from .status import CheckpointLoadStatus, InitializationOnlyStatus

__all__ = ["Checkpoint"]


@public("train.Checkpoint")
class Checkpoint(Trackable):
    """Objects whose values are written to files and read back.

    Values are saved under the way from the checkpoint to the object that holds them: attributes,
    elements of lists and tuples, keys of dictionaries. They are restored into whatever object is
    found at the end of the same way, now or when it is set later, so that the program may be
    another one, as long as the parts have the same names.

    What is followed: variables, modules, random generators, lookup tables, other checkpoints; and
    lists, tuples and dictionaries of them.

    >>> import tempfile
    >>> step = fg.Variable(1)
    >>> checkpoint = fg.train.Checkpoint(step=step)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = checkpoint.save(folder + "/training")
    ...     step.assign(100)
    ...     status = checkpoint.restore(path).assert_consumed()
    <fg.Variable 'Variable:0' shape=() dtype=int32, numpy=100>
    >>> int(step)
    1

    Args:
      root: the object where the ways begin; the checkpoint itself where there is none.
      **kwargs: objects that are set as attributes of the checkpoint.

    Raises:
      ValueError: for an argument that is not followed, or a name that ``root`` uses for another
        object.
    """

    def __init__(self, root: Any = None, **kwargs: Any):
        if isinstance(root, weakref.ref):
            root = root()
        if root is not None and (isinstance(root, (list, dict)) or not _is_followed(root)):
            raise _not_followed("root", root)
        self._root_value = root
        self._counter: Any = None
        self._own_attributes = frozenset(vars(self)) | {"_own_attributes"}
        taken = {} if root is None else trackable.children_of(root)
        for name, value in kwargs.items():
            if not _is_followed(value):
                raise _not_followed(name, value)
            if name in taken and taken[name] is not value:
                raise ValueError(
                    f"the name {name} can't be given to another object: root.{name} exists already"
                )
            setattr(self, name, value)

    def _trackable_children(self, save_type: str = "checkpoint") -> dict[str, Any]:
        own = vars(self)
        found = {n: v for n, v in own.items() if n not in self._own_attributes}
        children = {n: v for n, v in found.items() if trackable.is_trackable(v)}
        if self._root_value is not None:
            children["root"] = self._root_value
        if self._counter is not None:
            children["save_counter"] = self._counter
        return children

    @property
    def _root(self) -> Root:
        if self._root_value is None:
            return Root(self, {})
        return Root(self._root_value, self._trackable_children(), holder=self)

    @property
    def save_counter(self) -> Variable:
        """How many times ``save`` was called: a variable of int64."""
        self._make_counter()
        return self._counter

    def _make_counter(self) -> None:
        if self._counter is None:
            with thread.init_scope():
                self._counter = Variable(
                    0, trainable=False, name="save_counter", dtype=dtypes.int64
                )
                watching.arrived(self._root.value, "save_counter", self._counter)

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> Any:
        """Write the values to files whose names begin with ``file_prefix``; that, as text.

        Nothing else is noted: ``save`` numbers checkpoints and keeps track of the latest one. The
        files are whole or are not there: a checkpoint under the same name is replaced at the end.
        While a function is traced each of its runs writes, and the prefix comes back as a tensor.

        Args:
          file_prefix: a string, bytes, an ``os.PathLike`` or a string tensor. Folders that do not
            exist are made, unless it is a tensor of a graph.
          options: see ``CheckpointOptions``.
        """
        tensors, graph = saved_tensors(ObjectGraph(self._root))
        tensors[GRAPH_KEY] = _core.convert_to_tensor(graph)
        prefix = file_prefix
        if not _core.is_symbolic(prefix):
            prefix = path_text(prefix)
            make_folder(prefix)
        names = sorted(tensors)
        inputs = (prefix, names, [""] * len(names), *(tensors[name] for name in names))
        callback = options and options.experimental_sharding_callback
        shards = [] if callback is None else sharded(tensors, callback)
        _core.emit("SaveV2", inputs, {"shards": shards})
        if not _core.executing_eagerly():
            return _core.convert_to_tensor(prefix)
        _tell(options, prefix)
        return prefix

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a numbered checkpoint and note that it is the latest one; its path.

        The path is ``file_prefix``, a hyphen and the number of the call, which ``save_counter``
        counts and the checkpoint holds too. ``latest_checkpoint`` finds it.

        NotImplementedError while a function is traced: what is noted is not part of a graph.
        """
        if not _core.executing_eagerly():
            raise NotImplementedError(
                "Checkpoint.save notes which checkpoint is the latest one, which a traced function "
                "can't do. Use Checkpoint.write in it, or call save outside of it"
            )
        self.save_counter.assign_add(1)
        path = self.write(f"{path_text(file_prefix)}-{int(self.save_counter)}", options)
        update_checkpoint_state(os.path.dirname(path), path, [path])
        return path

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Read what ``write`` wrote: as ``restore``, without the number that ``save`` counts."""
        return self._restored(path_text(save_path), False)

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Give the objects the values they have in a checkpoint; how far they match, a status.

        Objects that are there are restored at once, those that are not when they are set: as an
        attribute of a module or checkpoint, an element of a list, a key of a dictionary. The
        status has methods that raise an AssertionError where objects and values do not match:
        ``assert_consumed``, ``assert_existing_objects_matched`` and ``assert_nontrivial_match``;
        ``expect_partial`` says that they need not.

        Args:
          save_path: what ``save`` or ``write`` gave, also that of a saved model's folder; None
            does nothing, for ``restore(latest_checkpoint(folder))`` at the first start.
          options: see ``CheckpointOptions``.

        Raises:
          NotFoundError: where there is no such checkpoint.
          ValueError: where a variable has another shape than the tensor in the checkpoint.
          InvalidArgumentError: where it has another dtype.
          DataLossError: where a file is damaged.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        path = path_text(save_path)
        try:
            return self._restored(path, True)
        except errors.NotFoundError as e:
            raise errors.NotFoundError(
                None,
                None,
                f"Error when restoring from checkpoint or SavedModel at {path}: {e.message}\n"
                "Please double-check that the path is correct: it ends as the one that save() gave "
                "does, such as '-1' in 'path/to/ckpt-1'",
            ) from e

    def _restored(self, path: str, has_counter: bool) -> CheckpointLoadStatus:
        if os.path.isfile(os.path.join(path, "saved_model.pb")):
            path = os.path.join(path, "variables", "variables")
        listed = list_tensors(path)
        if has_counter:
            self._make_counter()
        if GRAPH_KEY in listed:
            with thread.init_scope():
                (content,) = read_tensors(path, [GRAPH_KEY], [dtypes.string])
                nodes = serialized(content.numpy())
        else:
            nodes = _by_full_names(ObjectGraph(self._root), listed)
        restoration = Restoration(SavedGraph(path, nodes, listed))
        restoration.bind_root(self._root)
        return CheckpointLoadStatus(restoration, self._root)

    def sync(self) -> None:
        """Nothing is left to do: a checkpoint is on the disk when the call returns."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"this Checkpoint has no {name!r}: what it has is given to it by name")


trackable.with_attributes.append(Checkpoint)


def _is_followed(value: Any) -> bool:
    return trackable.is_trackable(value)


def _not_followed(name: str, value: Any) -> ValueError:
    return ValueError(
        f"a Checkpoint can't follow {name}, got {shown(value)}: it must be a variable, a module, "
        "another object with variables, or a list or dictionary of them"
    )


def _by_full_names(graph: ObjectGraph, listed: dict[str, tuple[Any, ...]]) -> list[SavedObject]:
    """The graph of objects for a checkpoint that has none: objects are known by full names."""
    nodes = []
    for value, children in zip(graph.objects, graph.children, strict=True):
        name = trackable.full_name_of(value)
        held = [(trackable.VALUE, name, name)] if name in listed else []
        nodes.append(SavedObject(children, held, [], True))
    known = {key for node in nodes for _, _, key in node.attributes}
    others = (name for name in listed if name not in known)
    return nodes + [SavedObject([], [(trackable.VALUE, n, n)], [], True) for n in others]


def _tell(options: CheckpointOptions | None, path: str) -> None:
    """Call what the options say is called when a checkpoint is written."""
    for callback in (options and options.experimental_write_callbacks) or ():
        callback(path) if inspect.signature(callback).parameters else callback()
