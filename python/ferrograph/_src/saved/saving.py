"""``save``: writes an object with its functions and variables to a folder."""

from __future__ import annotations

import os
import uuid
from typing import Any

from ..checkpoint import trackable
from ..checkpoint.graph import GRAPH_KEY, ObjectGraph, Root, saved_tensors
from ..checkpoint.paths import file_errors, path_text
from ..context import thread
from ..files.structured_values import encoded
from ..function.concrete import ConcreteFunction
from ..function.function import Function
from ..native import _core
from ..ops._dispatch import told
from ..state.variable import Variable, variable_by_id
from ..tables.table import Table
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_spec import TensorSpec
from .asset import Asset
from .constants import SERVING
from .functions import (
    arguments_of,
    is_function,
    parameters,
    result,
    signature_of,
    traces_of,
)
from .loaded import LoadedResource, SignatureMap
from .objects import SavedObjects, children_of, kind_of_container
from .options import SaveOptions
from .signatures import default_signatures, signatures_of
from .writing import write

__all__ = ["save"]

# What the file of a table is called among its children.
_TABLE_FILE = "_filename"


@public("saved_model.save")
@told
def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Write an object to a folder: its functions as graphs, its variables, and what it refers to.

    Saved are, of the object and of those that it refers to by attributes, lists, tuples and
    dictionaries: functions made by `function`, with all their traces; variables and tensors; lookup
    tables; assets. Other attributes are left out. `load` does not need the code of the program.

    >>> import tempfile
    >>> model = fg.Module()
    >>> model.w = fg.Variable(3.0)
    >>> spec = fg.TensorSpec([], fg.float32)
    >>> model.scale = fg.function(lambda x: x * model.w, input_signature=[spec])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fg.saved_model.save(model, folder + "/m")
    ...     loaded = fg.saved_model.load(folder + "/m")
    >>> float(loaded.scale(2.0))
    6.0

    The format is the public one of SavedModel. The model is written and flushed to the disk beside
    its folder, then put in its place. At any moment, and after a crash, the folder holds the old
    model or the new one, each whole: the two change places in one step of the file system. Who is
    in the midst of reading the old one then gets a DataLossError, or all of one of them. Where the
    folder holds other files besides a model, or the system has no such step (it is Linux's), these
    files stay, and between the old model and the new one there is a moment without a model.

    Args:
      obj: a `Module` or another object that a `Checkpoint` follows.
      export_dir: the folder, made where it is not there.
      signatures: functions of named tensors, for programs that serve models: one with an
        ``input_signature``, a trace, or a dictionary of these; one alone is ``serving_default``.
        Where none is given, the one function of ``obj`` that can be a signature is.
      options: see ``SaveOptions``.

    Raises:
      AssertionError: where a function uses a variable or table that the object does not refer to.
      ValueError: for arguments, defaults and results that a file can't hold.
      UnimplementedError: for an operation that a file can't hold, such as a ``py_function``; it is
        named with the line that made it.
    """
    if not _core.executing_eagerly():
        raise RuntimeError("saved_model.save can't be called while a function is traced")
    if isinstance(obj, (list, dict, tuple)) or not _may_be_root(obj):
        raise ValueError(
            f"a Module or an object that a Checkpoint follows is needed, got {shown(obj)}; make "
            "it an attribute of a Module"
        )
    options = SaveOptions() if options is None else options
    with thread.init_scope():
        if signatures is None:
            known = default_signatures(obj, children_of(obj))
        else:
            known = signatures_of(signatures)
        saving = _Saving(obj, SignatureMap(known), options)
        tensors, graph = saved_tensors(ObjectGraph(Root(obj, {}, "savedmodel")))
        model, fingerprint = saving.finish(graph)
        tensors[GRAPH_KEY] = _core.convert_to_tensor(graph)
        with file_errors():
            write(os.path.abspath(path_text(export_dir)), model, fingerprint, tensors, saving.files)


def _may_be_root(obj: Any) -> bool:
    return trackable.is_trackable(obj) or hasattr(obj, "__dict__")


class _Saving:
    """One model on its way to a file."""

    def __init__(self, root: Any, signatures: SignatureMap, options: SaveOptions):
        self._objects = SavedObjects(root, {"signatures": signatures})
        tags = [SERVING, *options.extra_tags]
        self._writer = _core.SavedModelWriter(tags, bool(options.experimental_custom_gradients))
        self._concretes: list[tuple[Any, ...]] = []
        # The names of traces in the file, by their identity.
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []
        # What captured tensors are, by their identity.
        self._captured: dict[int, int] = {}
        # The files that travel along: names in the model, and where they are.
        self.files: dict[str, str] = {}
        self._file_constants: list[tuple[str, str]] = []
        self._add_tables()
        for number, value in enumerate(self._objects.values):
            tensor = _tensor_of(value)
            if tensor is not None:
                self._captured[tensor._id] = number

    def _add_tables(self) -> None:
        """Give each table the functions that make and fill it."""
        tables = [(n, v) for n, v in enumerate(self._objects.values) if isinstance(v, Table)]
        for number, table in tables:
            path = self._objects.paths[number]
            asset = self._asset_of(table, number)
            for name, function in _table_functions(table, asset).items():
                child = self._objects.add_alone(function, f"{path}.{name}")
                self._objects.children[number][name] = child

    def _asset_of(self, table: Table, number: int) -> Asset | None:
        """The file that a table is filled from, which travels along; None without one."""
        path = None if table._filler is None else table._filler.file()
        if path is None or not os.path.isfile(path_text(path)):
            return None
        known = [v for v in self._objects.values if isinstance(v, Asset)]
        found = next((v for v in known if v.asset_path._id == path._id), None)
        asset = Asset(path) if found is None else found
        place = f"{self._objects.paths[number]}.{_TABLE_FILE}"
        self._objects.children[number][_TABLE_FILE] = self._objects.add_alone(asset, place)
        return asset

    def finish(self, graph: bytes) -> tuple[bytes, bytes]:
        """The bytes of the model and of its fingerprint, given its checkpoint's objects."""
        objects: list[tuple[Any, ...]] = []
        # Captured constants join the objects behind those that refer to them.
        while len(objects) < len(self._objects.values):
            number = len(objects)
            kind = self._kind(self._objects.values[number], self._objects.paths[number])
            objects.append(kind)
        rows: list[tuple[Any, ...]] = []
        for number, kind in enumerate(objects):
            children = [(n, name) for name, n in self._objects.children[number].items()]
            rows.append((kind, children, [], ""))
        return self._writer.finish(
            rows, self._concretes, self._file_constants, graph, uuid.uuid4().hex
        )

    def _kind(self, value: Any, path: str) -> tuple[Any, ...]:
        if isinstance(value, Variable):
            return _variable_kind(value)
        if isinstance(value, ConcreteFunction):
            return self._concrete_kind(value, path)
        if is_function(value):
            return self._function_kind(value, path)
        if isinstance(value, Asset):
            return self._asset_kind(value)
        if isinstance(value, _core.EagerTensor):
            return "constant", self._writer.constant(value)
        if isinstance(value, (Table, LoadedResource)):
            return "resource", ""
        return "user", kind_of_container(value), ""

    def _function_kind(self, function: Any, path: str) -> tuple[Any, ...]:
        names = [self._name_of(trace, path) for trace in traces_of(function)]
        signature = function.input_signature
        arguments = arguments_of(parameters(function), path)
        return "function", names, arguments, None if signature is None else encoded(signature)

    def _concrete_kind(self, trace: ConcreteFunction, path: str) -> tuple[Any, ...]:
        name = self._name_of(trace, path)
        keywords = [text.rpartition(":")[0] for text in trace._graph.input_names()[: trace._n_args]]
        params = [p for p in parameters(trace) if p[1] in (0, 1)]
        n = len(keywords) if params else 0
        return "concrete", name, keywords, n, arguments_of(parameters(trace), path), None

    def _name_of(self, trace: ConcreteFunction, path: str) -> str:
        """The name of a trace in the file, which is written where it is not there yet."""
        if id(trace) in self._names:
            return self._names[id(trace)]
        arguments = signature_of(trace, path)
        try:
            structure, order = result(trace)
        except ValueError as e:
            raise ValueError(f"{path} can't be saved: {e}") from e
        name = self._writer.function(trace._graph, order)
        bound = [self._number_of(captured, path) for captured in trace._captures]
        self._concretes.append((name, bound, arguments, structure))
        self._names[id(trace)] = name
        self._kept.append(trace)
        return name

    def _number_of(self, captured: Any, path: str) -> int:
        """The number of the object that a captured tensor is."""
        if _core.is_symbolic(captured):
            raise ValueError(f"{path} captured a tensor of a function that is being traced")
        known = self._captured.get(captured._id)
        if known is not None:
            return known
        if captured.dtype.name not in ("resource", "variant"):
            number = self._objects.add_alone(captured, f"{path}, a captured tensor")
            self._captured[captured._id] = number
            return number
        variable = variable_by_id(captured._id)
        what = "a table or another resource" if variable is None else repr(variable)
        raise AssertionError(
            f"{path} uses {what}, which the object that is saved does not refer to. Make it an "
            "attribute of that object, or of one that it refers to"
        )

    def _asset_kind(self, asset: Asset) -> tuple[Any, ...]:
        path = path_text(asset.asset_path)
        name = _free_name(os.path.basename(path), path, self.files)
        self.files[name] = path
        index = len(self._file_constants)
        self._file_constants.append((self._writer.constant(asset.asset_path), name))
        return "asset", index


def _free_name(name: str, path: str, taken: dict[str, str]) -> str:
    """A name for a file that no other one has."""
    found, n = name, 0
    while found in taken and taken[found] != path:
        n += 1
        found = f"{name}_{n}"
    return found


def _variable_kind(variable: Variable) -> tuple[Any, ...]:
    spec = encoded(TensorSpec(variable.shape, variable.dtype))
    return (
        "variable",
        variable._name,
        spec[3],
        spec[2],
        variable.trainable,
        variable.synchronization.value,
        variable.aggregation.value,
    )


def _tensor_of(value: Any) -> Any:
    """What has the identity by which functions capture an object; None where they don't."""
    if isinstance(value, Variable):
        return value
    if isinstance(value, (Table, LoadedResource)):
        return value.resource_handle
    if isinstance(value, Asset):
        return value.asset_path
    return value if isinstance(value, _core.EagerTensor) else None


def _table_functions(table: Table, asset: Asset | None) -> dict[str, Any]:
    """The functions that make a table anew, and fill it: from its file, or with what it holds."""
    if asset is None:
        keys, values = table.export()

    def initialize() -> Any:
        if asset is None:
            table._fill(keys, values)
        else:
            table._filler.fill_from(table, asset.asset_path)
        return _core.convert_to_tensor(1)

    made = {
        "_create_resource": table._create,
        "_initialize": initialize,
        "_destroy_resource": lambda: _core.convert_to_tensor(1),
    }
    return {
        name: Function(f, input_signature=[], autograph=False, name=name)
        for name, f in made.items()
    }
