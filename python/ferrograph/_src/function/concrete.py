"""``ConcreteFunction``: one trace, callable by itself."""

from __future__ import annotations

import weakref

from ..context.hooks import hooks
from ..graph_view import forms
from ..graph_view import graph as graph_module
from ..hints import TYPE_CHECKING, Any
from ..native import _core
from ..state.variable import Variable, variable_by_id
from ..values import nest
from ..values.public import public
from ..values.tensor_spec import TensorSpec
from . import outputs, special
from .outputs import record_fields

if TYPE_CHECKING:
    from ..graph_view.graph import Graph
    from .special import FunctionType

__all__ = ["AtomicFunction", "ConcreteFunction", "by_name", "keepers"]

_KIND_NAMES = (
    "POSITIONAL_ONLY",
    "POSITIONAL_OR_KEYWORD",
    "VAR_POSITIONAL",
    "KEYWORD_ONLY",
    "VAR_KEYWORD",
)


# The functions in use by the names of their graphs, and lists that keep those made meanwhile.
_named: weakref.WeakValueDictionary[str, ConcreteFunction] = weakref.WeakValueDictionary()
keepers: list[list[Any]] = []


def _note(made: ConcreteFunction) -> None:
    _named[made._graph.name] = made
    for keeper in keepers:
        keeper.append(made)


def by_name(name: str) -> ConcreteFunction | None:
    """The function in use whose graph has that name; None where there is none."""
    return _named.get(name)


@public("types.experimental.ConcreteFunction")
class ConcreteFunction(_core.ConcreteBase):
    """One trace of a function: a graph of fixed signature.

    Called with tensors for its tensor arguments, by position or name; Python values it was traced
    with may be left out, or given again.

    >>> f = fg.function(lambda x: x + 1).get_concrete_function(fg.TensorSpec([], fg.int32))
    >>> int(f(fg.constant(1)))
    2
    >>> f.structured_outputs
    <fg.Tensor 'Identity:0' shape=() dtype=int32>
    """

    _was_told = False  # whether it asked which variables its arguments are

    _view: Graph | None = None

    def __new__(cls, source: Any, template: Any, *rest: Any) -> ConcreteFunction:
        return super().__new__(cls, source, template)

    def __init__(
        self,
        source: Any,
        template: Any,
        function: Any,
        args: tuple[Any, ...],
        kwargs: dict[Any, Any],
    ):
        _note(self)
        if hooks.finished is not None:
            hooks.finished(source, self)
        self._template = template
        self._function_name = function.name
        self._params = function._params
        # A tuple stays as it is; anything else is measured before it is gone through.
        self._traced_args = tuple(map(_all_kept, tuple(args)))
        self._traced_kwargs = {name: _all_kept(value) for name, value in kwargs.items()}
        self._bound: list[Any] = []
        self._kept_types: dict[int, Any] = {}
        self._with_instance: weakref.ref[Any] | None = None

    @classmethod
    def _of_graph(cls, graph: Any, captures: list[Any], fields: dict[str, Any]) -> ConcreteFunction:
        """A concrete function of a graph and what it captured, with the other fields as given."""
        made = _core.ConcreteBase.__new__(cls, graph, fields["_template"], captures)
        made.__dict__.update(fields)
        _note(made)
        return made

    @classmethod
    def _of_text(cls, text: str, fields: dict[str, Any]) -> ConcreteFunction:
        """One that was pickled: its graph as text, and the other fields."""
        return cls._of_graph(_core.GraphHandle.from_text(text), fields["_captured"], fields)

    @property
    def _args(self) -> tuple[Any, ...]:
        return nest.map_structure(_found, self._traced_args)

    @property
    def _kwargs(self) -> dict[Any, Any]:
        return nest.map_structure(_found, self._traced_kwargs)

    def bound_to(self, instance: Any) -> ConcreteFunction:
        """This trace of a method, whose calls leave out the instance.

        The trace itself, which the function keeps, does not hold the instance.
        """
        known = self._with_instance() if self._with_instance is not None else None
        if known is not None:
            return known
        fields = {**self.__dict__, "_bound": [instance], "_with_instance": None, "_view": None}
        made = type(self)._of_graph(self._graph, self._captures, fields)
        self._with_instance = weakref.ref(made)
        return made

    @property
    def name(self) -> str:
        """The name of the graph."""
        return self._graph.name

    @property
    def graph(self) -> Graph:
        """The graph."""
        if self._view is None:
            self._view = graph_module.Graph._of_concrete(self)
        return self._view

    @property
    def structured_input_signature(self) -> tuple[Any, ...]:
        """The arguments it was traced with, TensorSpecs for tensors: a tuple and a dict.

        A spec has its own name, or that of its place: ``features_ids`` for ``features["ids"]``.
        """
        skipped = len(self._bound)
        args = [special.named(name, v) for name, _, v in self._positional()[skipped:]]
        return tuple(args), {k: special.named(k, v) for k, v in self._kwargs.items()}

    @property
    def inputs(self) -> list[Any]:
        """The graph's inputs, arguments before captures."""
        return self.graph.inputs

    @property
    def outputs(self) -> list[Any]:
        """The graph's outputs."""
        return self.graph.outputs

    @property
    def structured_outputs(self) -> Any:
        """The result's structure, with a tensor of the graph for each tensor."""
        return outputs.map_template(self._template, self.outputs.__getitem__)

    def _output_specs(self) -> Any:
        """The result's structure, with a TensorSpec for each tensor."""
        specs = [_to_spec(t) for t in self.outputs]
        return outputs.map_template(self._template, specs.__getitem__, typed=True)

    @property
    def output_shapes(self) -> Any:
        """The static shapes in the structure of the result."""
        return nest.map_structure(_shape_of, self._output_specs())

    @property
    def output_dtypes(self) -> Any:
        """The dtypes in the structure of the result."""
        return nest.map_structure(_dtype_of, self._output_specs())

    @property
    def function_def(self) -> Any:
        """The graph in the form of a FunctionDef: ``signature``, ``node_def``, ``ret``.

        A variable is an argument of the type ``DT_RESOURCE``, whether it is passed or captured.
        """
        return forms.function_def(self.graph)

    @property
    def captured_inputs(self) -> list[Any]:
        """The tensors from outside that the graph uses."""
        return list(self._captures)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the graph captured."""
        found = (variable_by_id(t._id) for t in self._captures if t.dtype.name == "resource")
        return tuple(v for v in found if v is not None)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of them that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call_flat(special.flat_arguments(self, (*self._bound, *args), kwargs))

    @property
    def function_type(self) -> FunctionType:
        """The parameters with their types, the type of the result, and those of the captures."""
        names = {p[0] for p in self._params if p[2]}
        parameters = [
            special.Parameter(name, getattr(special.Parameter, kind), name in names, value)
            for name, kind, value in self._parameters()[len(self._bound) :]
        ]
        captures = {t._id: _to_spec(t) for t in self._captures}
        return special.FunctionType(parameters, captures, return_annotation=self._output_specs())

    @property
    def inference_fn(self) -> AtomicFunction:
        """The function of flat tensors below this one."""
        return AtomicFunction(self)

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Nothing: a graph holds the functions that it calls."""

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Nothing: gradients are made when they are asked for."""

    def plan_cache_info(self) -> dict[str, int]:
        """How its graph's plans, one for each set of argument shapes, are used: plans kept, calls
        that found one (hits) or compiled one (misses), plans dropped to make room (evictions)."""
        n, hits, misses, evictions = self._plan_stats()
        return {"plans": n, "hits": hits, "misses": misses, "evictions": evictions}

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The signature as text, a line each parameter."""
        return str(self.function_type)

    def _parameters(self) -> list[tuple[str, str, Any]]:
        only = {p[0] for p in self._params if p[1] == 3}
        kinds = {True: _KIND_NAMES[3], False: _KIND_NAMES[4]}
        named = [(name, kinds[name in only], value) for name, value in self._kwargs.items()]
        return self._positional() + named

    def _positional(self) -> list[tuple[str, str, Any]]:
        """Name, kind and traced value of each positional argument."""
        found = []
        values = list(self._args)
        for name, kind, _, _ in self._params:
            if kind in (0, 1) and values:
                found.append((name, _KIND_NAMES[kind], values.pop(0)))
        rest = next((p[0] for p in self._params if p[1] == 2), None)
        return found + [(f"{rest}_{i}", _KIND_NAMES[2], v) for i, v in enumerate(values)]

    def __reduce__(self) -> Any:
        return special.reduce_concrete(self)

    def __repr__(self) -> str:
        args = ", ".join(name for name, _, _ in self._parameters())
        return f"<ConcreteFunction {self._function_name}({args}) at {id(self):#x}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"


@public("types.experimental.AtomicFunction")
class AtomicFunction:
    """The graph of a trace as a function of flat tensors: arguments in the graph's order.

    >>> f = fg.function(lambda x: x + 1).get_concrete_function(fg.TensorSpec([], fg.int32))
    >>> f.inference_fn(fg.constant(1))
    [<fg.Tensor: shape=(), dtype=int32, numpy=2>]
    """

    def __init__(self, concrete: ConcreteFunction):
        self._concrete = concrete

    @property
    def name(self) -> str:
        """The name of the graph."""
        return self._concrete.name

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._concrete.graph

    @property
    def function_type(self) -> FunctionType:
        """The types of the structured function above."""
        return self._concrete.function_type

    def call_flat(self, *args: Any) -> list[Any]:
        """The flat results for the tensors of the arguments."""
        return nest.flatten(self._concrete._call_flat(args), expand_composites=True)

    def __call__(self, *args: Any) -> list[Any]:
        return self.call_flat(*args)

    def __repr__(self) -> str:
        return f"<AtomicFunction {self.name}>"


def _to_spec(value: Any) -> Any:
    if isinstance(value, _core.Tensor):
        name = value.name.split(":")[0] if _core.is_symbolic(value) else None
        return TensorSpec(value.shape, value.dtype, name)
    if isinstance(value, Variable):
        return TensorSpec(value.shape, value.dtype, value._name)
    spec = getattr(value, "_type_spec", None)
    return value if spec is None else spec


class _Weak:
    """An object argument, which a trace does not keep alive."""

    def __init__(self, value: Any):
        self.ref = weakref.ref(value)


def _all_kept(value: Any) -> Any:
    """An argument as a trace keeps it: specs for tensors, no object kept alive."""
    return nest.map_structure(_kept, value) if nest.is_nested(value) else _kept(value)


def _kept(value: Any) -> Any:
    if isinstance(value, _core.Tensor):
        return _to_spec(value)
    names = record_fields(value)
    if names is not None:
        made = object.__new__(type(value))
        for name in names:
            kept = nest.map_structure(_kept, getattr(value, name))
            object.__setattr__(made, name, kept)
        return made
    spec = _to_spec(value)
    if spec is not value or value is None or isinstance(value, (bool, int, float, str, bytes)):
        return spec
    try:
        return _Weak(value)
    except TypeError:
        return value


def _found(value: Any) -> Any:
    return value.ref() if isinstance(value, _Weak) else value


def _shape_of(value: Any) -> Any:
    return getattr(value, "shape", value)


def _dtype_of(value: Any) -> Any:
    return getattr(value, "dtype", value)
