"""``load``: reads a saved model."""

from __future__ import annotations

import os

from .. import later
from ..checkpoint.graph import GRAPH_KEY
from ..checkpoint.paths import file_errors, list_tensors, path_text, read_tensors
from ..context import thread
from ..files.structured_values import decoded, template_of
from ..function.concrete import ConcreteFunction
from ..hints import TYPE_CHECKING, Any
from ..native import _core
from ..ops._dispatch import told
from ..state.variable import Variable, VariableAggregation, VariableSynchronization
from ..values.dtypes import as_dtype
from ..values.errors import DataLossError
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .asset import Asset
from .constants import (
    ASSETS_DIRECTORY,
    FINGERPRINT_FILENAME,
    LIST_KINDS,
    SAVED_MODEL_FILENAME_PB,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from .loaded import CallableObject, LoadedFunction, LoadedObject, LoadedResource, SignatureMap
from .options import LoadOptions

if TYPE_CHECKING:
    from . import foreign
else:
    (foreign,) = later(__package__, "foreign")

__all__ = ["contains_saved_model", "load"]


@public("saved_model.contains_saved_model")
@told
def contains_saved_model(export_dir: Any) -> bool:
    """Whether a folder holds a saved model.

    >>> fg.saved_model.contains_saved_model("/nowhere")
    False

    Args:
      export_dir: its path, a string, bytes or a path object.

    Returns:
      A bool.

    Raises:
      TypeError: for what is no path.
    """
    return os.path.isfile(os.path.join(path_text(export_dir), SAVED_MODEL_FILENAME_PB))


@public("saved_model.load")
def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """The object that `save` wrote, or another program that writes SavedModels.

    It has the functions, variables and other objects that were saved as attributes. No code of the
    program that saved it is run, and none of it is traced: a function has the traces that it had;
    a call that none of them fits is a ValueError that names the closest one and what differs.
    ``signatures`` has the signatures by their names.

    >>> import tempfile
    >>> model = fg.Module()
    >>> spec = fg.TensorSpec([None], fg.float32, name="x")
    >>> model.double = fg.function(lambda x: x + x, input_signature=[spec])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fg.saved_model.save(model, folder + "/m", signatures=model.double)
    ...     loaded = fg.saved_model.load(folder + "/m")
    >>> loaded.double([1.0, 2.0]).numpy()
    array([2., 4.], dtype=float32)
    >>> loaded.signatures["serving_default"](x=fg.constant([3.0]))
    {'output_0': <fg.Tensor: shape=(1,), dtype=float32, numpy=array([6.], dtype=float32)>}

    Args:
      export_dir: the folder.
      tags: the tags of the graph, where a model has several.
      options: see ``LoadOptions``.

    Raises:
      OSError: where there is no model in the folder.
      DataLossError: where a file is damaged.
      NotFoundError: where no graph has these tags.
      UnimplementedError: for an operation or dtype that there is not here; function and node are
        named.
    """
    folder = path_text(export_dir)
    if isinstance(tags, str):
        tags = [tags]
    with thread.init_scope():
        model, fingerprint = _files(folder)
        file = _core.SavedModelFile(model, fingerprint, None if tags is None else list(tags))
        return _Loading(folder, file, LoadOptions() if options is None else options).root()


def _files(folder: str) -> tuple[bytes, bytes | None]:
    """The bytes of a model, and of its fingerprint where there is one. OSError without a model."""
    path = os.path.join(folder, SAVED_MODEL_FILENAME_PB)
    if not os.path.isfile(path):
        raise OSError(f"SavedModel file does not exist at: {path}")
    with file_errors():
        with open(path, "rb") as file:
            model = file.read()
        path = os.path.join(folder, FINGERPRINT_FILENAME)
        if not os.path.isfile(path):
            return model, None
        with open(path, "rb") as file:
            return model, file.read()


class _Loading:
    """One model being read."""

    def __init__(self, folder: str, file: Any, options: LoadOptions):
        self._folder, self._file, self._options = folder, file, options
        self._rows = file.objects()
        self._names = file.names()
        self._values = self._saved_values()
        self._objects: list[Any] = [self._object(n) for n in range(len(self._rows))]
        self._concretes: dict[str, ConcreteFunction] = {}

    def root(self) -> Any:
        """The root, with all that it refers to."""
        self._make_resources()
        self._add_functions()
        for number in range(len(self._rows)):
            self._add_children(number)
        self._fill_resources()
        root = self._settled(0, {})
        vars(root).setdefault("signatures", SignatureMap({}))
        return root

    # Objects without functions.

    def _object(self, number: int) -> Any:
        kind, children, _, _ = self._rows[number]
        if kind[0] == "variable":
            return self._variable(number, kind)
        if kind[0] == "asset":
            return Asset(os.path.join(self._folder, ASSETS_DIRECTORY, self._file.asset(kind[1])))
        if kind[0] == "constant":
            return self._file.constant(kind[1])
        if kind[0] == "resource":
            return LoadedResource()
        if kind[0] == "user" and kind[1] in (LIST_KINDS["list"], LIST_KINDS["tuple"]):
            return []
        if kind[0] == "user" and kind[1] == LIST_KINDS["dict"]:
            return {}
        if kind[0] in ("function", "concrete", "captured"):
            return None
        is_callable = any(name == "__call__" for _, name in children)
        return CallableObject() if is_callable else LoadedObject()

    def _variable(self, number: int, kind: tuple[Any, ...]) -> Any:
        _, name, code, dims, trainable, synchronization, aggregation = kind
        dtype = as_dtype(code)
        shape = TensorShape(dims if dims is None else [None if d < 0 else d for d in dims])
        value = self._values.get(number)
        options = {
            "trainable": trainable,
            "name": name or None,
            "shape": shape,
            "synchronization": VariableSynchronization(synchronization),
            "aggregation": VariableAggregation(aggregation),
        }
        if value is None:
            return self._empty_variable(name, dtype, shape, options)
        if value.dtype != dtype or not shape.is_compatible_with(value.shape):
            raise DataLossError(
                None,
                None,
                f"the saved model has a value of {value.dtype.name} and shape {value.shape} for "
                f"variable {name!r} of {dtype.name} and shape {shape}",
            )
        return Variable(value, **options)

    def _empty_variable(
        self, name: str, dtype: Any, shape: TensorShape, options: dict[Any, Any]
    ) -> Any:
        """A variable whose value is not read; it is zeros instead."""
        may_lack = self._options.allow_partial_checkpoint
        if not (may_lack or self._options.experimental_skip_checkpoint):
            raise DataLossError(
                None,
                None,
                f"the files of the saved model hold no value of variable {name!r}. Where that is "
                "meant to be, use LoadOptions(allow_partial_checkpoint=True)",
            )
        dims = [] if shape.rank is None else [size or 0 for size in shape.as_list()]
        return Variable(_core.emit("Fill", (dims, _core.convert_to_tensor(0, dtype))), **options)

    def _saved_values(self) -> dict[int, Any]:
        """The values of the variables in the model's checkpoint, by the variables' numbers; keys
        and values of tables, by the tables'."""
        if self._options.experimental_skip_checkpoint:
            return {}
        kinds = {kind[0] for kind, _, _, _ in self._rows}
        prefix = os.path.join(self._folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
        # A model of tables that do not change may have no such files.
        if "variable" not in kinds and not (
            "resource" in kinds and os.path.isfile(f"{prefix}.index")
        ):
            return {}
        listed = list_tensors(prefix)
        (content,) = read_tensors(prefix, [GRAPH_KEY], [as_dtype("string")])
        graph = content.numpy()
        keys = {n: (k,) for n, k in self._file.value_keys(graph)}
        keys |= {n: tuple(both) for n, both in self._file.table_keys(graph)}
        keys = {n: found for n, found in keys.items() if all(key in listed for key in found)}
        all_keys = [key for found in keys.values() for key in found]
        if not all_keys:
            return {}
        dtypes = [as_dtype(listed[key][0]) for key in all_keys]
        tensors = dict(zip(all_keys, read_tensors(prefix, all_keys, dtypes), strict=True))
        values = {n: [tensors[key] for key in found] for n, found in keys.items()}
        return {n: found[0] if len(found) == 1 else found for n, found in values.items()}

    # Functions.

    def _make_resources(self) -> None:
        """Make tables anew, each by the function that the model has for it."""
        for number, (kind, _, _, _) in enumerate(self._rows):
            if kind[0] != "resource":
                continue
            name = self._file.creator(number)
            self._make_concretes([name])
            self._objects[number]._handle = self._run(self._concretes[name], number)

    def _run(self, function: Any, number: int) -> Any:
        """Call a function of a table, which takes nothing."""
        traces = getattr(function, "concrete_functions", [function])
        if not all(isinstance(t, ConcreteFunction) and t._n_args == 0 for t in traces):
            raise DataLossError(
                None,
                None,
                f"table {self._names[number]!r} of the saved model has no sound functions",
            )
        return function()

    def _add_functions(self) -> None:
        """Make all other functions, of which one may call what another one does."""
        self._make_concretes([n for n in self._file.functions() if n not in self._concretes])
        for number, (kind, _, _, _) in enumerate(self._rows):
            if kind[0] == "function":
                self._objects[number] = self._function(number, kind)
            elif kind[0] == "concrete":
                self._objects[number] = self._concretes[kind[1]]

    def _function(self, number: int, kind: tuple[Any, ...]) -> LoadedFunction:
        _, names, arguments, signature = kind
        params = _parameters(arguments)
        traces = [self._concretes[name] for name in names]
        for trace in traces:
            trace._function_name, trace._params = self._names[number], params
        made = LoadedFunction(self._names[number], params, traces)
        made.input_signature = None if signature is None else decoded(signature)
        return made

    def _make_concretes(self, names: list[str]) -> None:
        made = self._file.concretes(names, _expanded)
        for name, (graph, bound, arguments, result) in zip(names, made, strict=True):
            self._concretes[name] = self._concrete(name, graph, bound, arguments, result)

    def _concrete(
        self, name: str, graph: Any, bound: list[int], arguments: Any, result: Any
    ) -> ConcreteFunction:
        try:
            args, kwargs = _arguments(decoded(arguments))
            template = template_of(result)
        except ValueError as e:
            raise ValueError(f"function {name!r}: {e}") from e
        fields = {
            "_template": template,
            "_function_name": name,
            "_params": [("kwargs", 4, False, None)],
            "_traced_args": args,
            "_traced_kwargs": dict(kwargs),
            "_bound": [],
            "_kept_types": {},
            "_with_instance": None,
        }
        captures = [self._capture(name, number) for number in bound]
        # Whoever holds the function holds what its graph refers to.
        fields["_captured"] = captures
        return ConcreteFunction._of_graph(graph, captures, fields)

    def _capture(self, name: str, number: int) -> Any:
        """What a function takes for an object that is bound to it."""
        value = self._objects[number]
        if isinstance(value, Asset):
            return value.asset_path
        if isinstance(value, LoadedResource):
            value = value.resource_handle
        if not isinstance(value, (Variable, _core.Tensor)):
            kind = self._rows[number][0]
            raise ValueError(
                f"function {name!r} captured {self._names[number] or 'an object'!r} of kind "
                f"{kind[0]}, which is no variable, tensor, table or file"
            )
        return value

    def _fill_resources(self) -> None:
        """Fill tables by the functions that the model has for it, then with what they had."""
        for number, (kind, children, _, _) in enumerate(self._rows):
            if kind[0] == "resource":
                for child, name in children:
                    if name == "_initialize":
                        self._run(self._objects[child], number)
                contents = self._values.get(number)
                if contents is not None:
                    handle = self._objects[number].resource_handle
                    _core.emit("LookupTableImportV2", (handle, *contents))

    # The ways from object to object.

    def _add_children(self, number: int) -> None:
        value = self._objects[number]
        for child, name in self._rows[number][1]:
            found = self._objects[child]
            if isinstance(value, dict):
                value[name] = found
            elif isinstance(value, (LoadedObject, LoadedResource)):
                vars(value)[name] = found
        if isinstance(value, list):
            _fill_list(value, [(name, self._objects[n]) for n, name in self._rows[number][1]])

    def _settled(self, number: int, seen: dict[int, Any]) -> Any:
        """An object whose parts are what they were saved as: tuples, signatures."""
        if number in seen:
            return seen[number]
        kind, children, _, _ = self._rows[number]
        value = seen[number] = self._objects[number]
        for child, name in children:
            found = self._settled(child, seen)
            if found is self._objects[child]:
                continue
            if isinstance(value, list):
                value[int(name)] = found
            elif isinstance(value, dict):
                value[name] = found
            elif isinstance(value, LoadedObject):
                vars(value)[name] = found
        if kind[0] == "user" and kind[1] == LIST_KINDS["tuple"]:
            seen[number] = tuple(value)
        elif kind[0] == "user" and kind[1] == LIST_KINDS["signatures"]:
            seen[number] = SignatureMap({name: self._objects[n] for n, name in children})
        return seen[number]


def _fill_list(value: list[Any], items: list[tuple[str, Any]]) -> None:
    """Put items into a list by their numbers; None stands where nothing was saved."""
    numbered = {int(name): item for name, item in items if name.isdecimal()}
    # More places than items are those of a damaged file, or of what was left out of a short list.
    n = max(numbered, default=-1) + 1
    if n > 4096 + 64 * len(numbered):
        raise DataLossError(None, None, f"the saved model has a list of {n} places")
    value.extend(numbered.get(i) for i in range(n))


def _arguments(found: Any) -> tuple[tuple[Any, ...], dict[Any, Any]]:
    """The arguments of a trace by place and by name. ValueError where they are neither."""
    if found is None:
        return (), {}
    if isinstance(found, tuple) and len(found) == 2:
        args, kwargs = found
        if isinstance(args, (tuple, list)) and isinstance(kwargs, dict):
            return tuple(args), kwargs
    raise ValueError(f"its arguments are damaged: {found!r:.200}")


def _parameters(arguments: Any) -> list[tuple[Any, ...]]:
    """The parameters of a function in the structure of ``inspect.FullArgSpec``.

    ValueError for another structure.
    """
    if arguments is None:
        return [("args", 2, False, None), ("kwargs", 4, False, None)]
    spec = decoded(arguments)
    _expect_arguments(spec)
    names = list(spec.args)
    defaults = list(spec.defaults or ())
    first = len(names) - len(defaults)
    params = [
        (name, 1, i >= first, defaults[i - first] if i >= first else None)
        for i, name in enumerate(names)
    ]
    if params and params[0][0] == "self":
        params = params[1:]
    if spec.varargs:
        params.append((spec.varargs, 2, False, None))
    only = spec.kwonlydefaults or {}
    params += [(name, 3, name in only, only.get(name)) for name in spec.kwonlyargs or ()]
    if spec.varkw:
        params.append((spec.varkw, 4, False, None))
    return params


def _expect_arguments(spec: Any) -> None:
    """ValueError for what is no ``inspect.FullArgSpec``."""
    kinds: dict[str, Any] = {
        "args": (list, tuple),
        "varargs": (str, type(None)),
        "varkw": (str, type(None)),
        "defaults": (list, tuple, type(None)),
        "kwonlyargs": (list, tuple, type(None)),
        "kwonlydefaults": (dict, type(None)),
    }
    is_one = all(isinstance(getattr(spec, name, 0), kind) for name, kind in kinds.items())
    names = [*spec.args, *(spec.kwonlyargs or ())] if is_one else [None]
    if not is_one or not all(isinstance(name, str) for name in names):
        raise ValueError(f"the saved model has damaged parameters of a function: {spec!r:.200}")
    if len(spec.defaults or ()) > len(spec.args):
        raise ValueError("the saved model has more defaults of a function than parameters")


def _expanded(*operation: Any) -> Any:
    """The graph that replaces an operation that does not exist here, from ``foreign``."""
    return foreign.expand(*operation)
