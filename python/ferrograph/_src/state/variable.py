"""``Variable``: a tensor that keeps its identity while its value changes."""

from __future__ import annotations

import enum
import threading
import weakref
from collections.abc import Callable

from ..context import thread
from ..context.ownership import is_own_file
from ..hints import TYPE_CHECKING, Any
from ..native import FG, _core
from ..values import errors
from ..values.formatting import variable_repr
from ..values.markers import Trackable
from ..values.public import public
from ..values.reference import Reference
from ..values.tensor_shape import TensorShape

__all__ = ["Variable", "VariableAggregation", "VariableSynchronization", "variable_creator_scope"]


@public("VariableSynchronization")
class VariableSynchronization(enum.Enum):
    """When copies of a variable are brought together. There is one copy here.

    >>> v = fg.Variable(1, synchronization=fg.VariableSynchronization.ON_READ)
    >>> v.synchronization.name
    'ON_READ'
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@public("VariableAggregation")
class VariableAggregation(enum.Enum):
    """How copies of a variable are brought together. There is one copy here.

    >>> v = fg.Variable(1, aggregation=fg.VariableAggregation.SUM)
    >>> v.aggregation.name
    'SUM'
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class Creation:
    """What a trace may do with variables: whether it may make some, and which it made.

    Where ``at_once`` is said, initial values that functions give are computed outside of the graph.
    """

    def __init__(self, allowed: bool, at_once: bool = False):
        self.allowed, self.at_once = allowed, at_once
        self.graph_id: int | None = None  # of the traced function, where values may be of its graph
        self.made: list[tuple[weakref.ref[Any], Any]] = []
        self.n_outputs = 0
        self.lines: list[str] = []
        self.is_in_graph = False  # whether some were made in no branch or loop of the function
        # How many nodes the graph had when the last one was made; 0 where it was not this graph.
        self.n_nodes = 0

    def note_place(self, region: Any) -> None:
        """A variable was made while operations went to this region."""
        is_here = region is not None and region.graph_id == _core.current_graph_id()
        self.n_nodes = region.n_nodes() if is_here else 0


class _Thread(threading.local):
    def __init__(self) -> None:
        self.creations: list[Creation] = []
        self.creators: list[Callable[..., Any]] = []


class _Told(threading.local):
    """How often the thread asked a placeholder of a variable which variable it is."""

    n = 0


_thread = _Thread()
told = _Told()
_variables: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def variable_by_id(number: int) -> Any:
    """The variable of that identity, None where it is gone."""
    return _variables.get(number)


def push_creation(creation: Creation) -> None:
    """Begin a trace."""
    _thread.creations.append(creation)


def pop_creation() -> None:
    """End the trace begun last."""
    _thread.creations.pop()


def keep_value(variable: Any) -> None:
    """Have a variable that a trace is making keep the value it has, in place of its first one."""
    for creation in _thread.creations:
        made = creation.made
        made[:] = [(ref, None if ref() is variable else value) for ref, value in made]


def _user_line() -> str:
    import sys

    frame = sys._getframe(1)
    while frame.f_back is not None and is_own_file(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@public("variable_creator_scope")
class variable_creator_scope:
    """Variables made in a block are made by ``creator(next_creator, **kwargs)``.

    >>> def frozen(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, 'trainable': False})
    >>> with fg.variable_creator_scope(frozen):
    ...     v = fg.Variable(1.0)
    >>> v.trainable
    False
    """

    def __init__(self, variable_creator: Callable[..., Any]):
        self._creator = variable_creator

    def __enter__(self) -> None:
        _thread.creators.append(self._creator)

    def __exit__(self, *exc: Any) -> None:
        _thread.creators.pop()


# The arguments that a creator gets, and what they are where a program says nothing.
_UNSAID: dict[str, Any] = {
    "initial_value": None,
    "trainable": None,
    "validate_shape": True,
    "caching_device": None,
    "name": None,
    "variable_def": None,
    "dtype": None,
    "import_scope": None,
    "constraint": None,
    "synchronization": VariableSynchronization.AUTO,
    "aggregation": VariableAggregation.NONE,
    "shape": None,
    "experimental_enable_variable_lifting": None,
}


class _Meta(type(_core.VariableBase)):  # type: ignore[misc]
    if not TYPE_CHECKING:  # a checker takes what is made from the constructor

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            """Variables are made through the creators in scope, the innermost first."""
            if not _thread.creators or cls is not Variable or "_handle" in kwargs:
                return super().__call__(*args, **kwargs)
            if len(args) > len(_UNSAID):
                raise TypeError(
                    f"Variable() takes at most {len(_UNSAID)} arguments, got {len(args)}"
                )
            kwargs = {**_UNSAID, **dict(zip(_UNSAID, args, strict=False)), **kwargs}
            make = super().__call__

            def chain(creators: list[Any]) -> Callable[..., Any]:
                if not creators:
                    return make
                return lambda **kw: creators[-1](chain(creators[:-1]), **kw)

            return chain(list(_thread.creators))(**kwargs)


def _initial(value: Any, dtype: Any, creation: Creation | None) -> Any:
    """The tensor that a variable begins with. ValueError for one that only the graph knows, where
    the variable is made at once.
    """
    is_of_graph = creation is not None and creation.graph_id == _core.current_graph_id()
    if creation is None or (is_of_graph and not creation.at_once):
        return _core.convert_to_tensor(value() if callable(value) else value, dtype)
    if callable(value):
        with thread.init_scope():
            value = _core.convert_to_tensor(value(), dtype)
    else:
        value = _core.convert_to_tensor(value, dtype)
        if value._constant_value() is None:
            value = value._value_so_far()
    if value is None:
        raise ValueError(
            f"the initial value of the Variable at {_user_line()} is computed from the elements "
            "that the function is traced for, or from what a branch or loop computes: make the "
            "variable outside of it, or let a function of no arguments give a value that is known"
        )
    return value


@public("Variable")
class Variable(_core.VariableBase, Trackable, metaclass=_Meta):
    """A tensor whose value can be assigned; traced functions refer to it, they do not copy it.

    ``initial_value`` is a value that converts to a tensor, or a function of no arguments that gives
    one. The dtype is fixed by it; the shape too, unless ``shape`` leaves dimensions open.
    ``trainable`` variables are watched by gradient tapes. A ``constraint`` is kept for optimizers.

    ValueError for a value of another shape, or of a dtype that does not convert.

    >>> v = fg.Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0]).numpy()
    array([2., 3.], dtype=float32)
    >>> float(fg.function(lambda: fg.reduce_sum(v))())
    5.0
    """

    def __new__(
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool | None = None,
        _handle: Any = None,
    ) -> Variable:
        if _handle is not None:
            like = initial_value
            fields = like.dtype, like.shape, like._name, like.trainable, _handle
            self = super().__new__(cls, *fields)
            _variables[self._id] = self
            return self
        if initial_value is None:
            raise ValueError("a Variable needs an initial_value")
        creation = _thread.creations[-1] if _thread.creations else None
        if _core.executing_eagerly():
            creation = None
        if creation is not None and not creation.allowed:
            raise ValueError(
                "a traced function tried to create a Variable on a call that is not its first, at "
                f"{_user_line()}: each trace would make a new one. Create it once, outside the "
                "function or behind a guard such as `if self.v is None: self.v = Variable(...)`"
            )
        value = _initial(initial_value, dtype, creation)
        known = value if creation is None else value._constant_value()
        declared = value.shape if shape is None else TensorShape(shape)
        if validate_shape and not declared.is_compatible_with(value.shape):
            raise ValueError(
                f"an initial value of shape {value.shape} does not fit shape {declared}"
            )
        scope = thread.current_scope()
        self = super().__new__(
            cls, value.dtype, declared, f"{scope}{name or 'Variable'}", trainable is not False
        )
        _variables[self._id] = self
        if known is not None:
            self._initialise(known)
        if creation is not None:
            creation.made.append((weakref.ref(self), None if known is not None else value))
            creation.lines.append(_user_line())
            is_of_graph = creation.graph_id == _core.current_graph_id()
            creation.is_in_graph |= is_of_graph or not thread.n_branches()
            creation.note_place(thread.current_region())
            thread.variables_made.n += 1
            thread.variables_made.line = creation.lines[-1]
        return self

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._constraint = kwargs.get("constraint")
        self._synchronization = kwargs.get("synchronization", VariableSynchronization.AUTO)
        self._aggregation = kwargs.get("aggregation", VariableAggregation.NONE)

    # Of the placeholder of an argument: the argument, and whether its identity was asked for.
    _stands_for: Callable[[], Any] = staticmethod(lambda: None)
    _was_told = False

    @property
    def _name(self) -> str:
        """The name without the index of the output; a user-defined class may set it."""
        return vars(self).get("_own_name") or super()._name

    @_name.setter
    def _name(self, name: str) -> None:
        self._own_name = name

    @property
    def name(self) -> str:
        """The name, with the index of the output: ``w:0``."""
        return f"{self._name}:0"

    @property
    def _unique_id(self) -> str:
        """A name that no other variable of the process has.

        The placeholder of an argument has the name of the argument while a function is traced; once
        it is read, the trace serves this argument alone.
        """
        like = self._stands_for()
        if like is None:
            return f"{self._name}_{self._id}"
        self._was_told = True
        told.n += 1
        return like._unique_id

    @property
    def _shared_name(self) -> str:
        """The name without the index of the output."""
        return self._name

    @property
    def constraint(self) -> Callable[..., Any] | None:
        """The function given to keep the value in bounds."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """As given."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """As given."""
        return self._aggregation

    @property
    def device(self) -> str:
        """Where the value lies."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def value(self) -> _core.Tensor:
        """The value at this point of the program, a tensor."""
        return self._read()

    def read_value(self) -> _core.Tensor:
        """The value at this point of the program, a tensor."""
        return self._read()

    def read_value_no_copy(self) -> _core.Tensor:
        """As ``read_value``, which copies nothing: what is read stays as it is."""
        return self._read()

    def load(self, value: Any, session: Any = None) -> None:
        """Replace the value, as ``assign`` does; there is no session that it could be in."""
        self.assign(value)

    def numpy(self) -> Any:
        """The value as a NumPy array. NotImplementedError while a function is traced."""
        if not _core.executing_eagerly():
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return self._read().numpy()

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Replace the value. ValueError where dtype or shape do not fit."""
        return self._change("set", value, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Add to the value."""
        return self._change("add", delta, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Variable:
        """Subtract from the value."""
        return self._change("sub", delta, read_value)

    def _change(self, kind: str, value: Any, read_value: bool = True) -> Any:
        if isinstance(value, Variable):
            value = value._read()
        if not isinstance(value, _core.Tensor):
            value = _core.convert_to_tensor(value, self.dtype)
        if value.dtype != self.dtype:
            raise ValueError(
                f"Variable {self.name} is {self.dtype.name}, a {value.dtype.name} tensor cannot "
                f"be assigned{_core.explain_dtype('value', value, self.dtype)}"
            )
        fits = self.shape.is_compatible_with(value.shape)
        if kind == "set" and not fits:
            raise ValueError(
                f"Variable {self.name} has shape {self.shape}, a value of shape {value.shape} "
                "cannot be assigned"
            )
        self._assign(kind, value)
        # In a graph, too, the result is the variable: it is read where it is used.
        return self if read_value else None

    def scatter_nd_update(self, indices: Any, updates: Any, name: Any = None) -> Variable:
        """Replace the elements or slices at ``indices``."""
        return self._scatter("TensorScatterUpdate", indices, updates)

    def scatter_nd_add(self, indices: Any, updates: Any, name: Any = None) -> Variable:
        """Add to the elements or slices at ``indices``."""
        return self._scatter("TensorScatterAdd", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: Any = None) -> Variable:
        """Subtract from the elements or slices at ``indices``."""
        return self._scatter("TensorScatterSub", indices, updates)

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: Any = None
    ) -> Variable:
        """Replace the rows that an ``IndexedSlices`` names."""
        return self._scatter_rows("TensorScatterUpdate", sparse_delta)

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: Any = None
    ) -> Variable:
        """Add an ``IndexedSlices``."""
        return self._scatter_rows("TensorScatterAdd", sparse_delta)

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: Any = None
    ) -> Variable:
        """Subtract an ``IndexedSlices``."""
        return self._scatter_rows("TensorScatterSub", sparse_delta)

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: Any = None
    ) -> Variable:
        """The larger of what is there and an ``IndexedSlices``."""
        return self._scatter_rows("TensorScatterMax", sparse_delta)

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: Any = None
    ) -> Variable:
        """The smaller of what is there and an ``IndexedSlices``."""
        return self._scatter_rows("TensorScatterMin", sparse_delta)

    def scatter_nd_max(self, indices: Any, updates: Any, name: Any = None) -> Variable:
        """The larger of what is there and of updates, at the elements or slices at ``indices``."""
        return self._scatter("TensorScatterMax", indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: Any = None) -> Variable:
        """The smaller of what is there and of updates, at the elements or slices at ``indices``."""
        return self._scatter("TensorScatterMin", indices, updates)

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: Any = None
    ) -> Any:
        """Replace rows of each of a batch: axes of the indices but the last count the batch."""
        indices, values = _rows_of(sparse_delta)
        shape = _core.emit("Shape", (indices,))
        axes = indices.shape.rank
        if axes is None:
            raise ValueError("the rank of the indices of a batch must be known")
        places = []
        for axis in range(axes - 1):
            numbers = _core.emit("Range", (0, shape[axis], 1))
            across = [-1 if other == axis else 1 for other in range(axes)]
            numbers = _core.emit("Reshape", (numbers, across))
            numbers = _core.emit("BroadcastTo", (numbers, shape))
            places.append(_core.emit("Cast", (numbers,), {"DstT": indices.dtype}))
        places = _core.emit("Pack", (*places, indices), {"axis": -1})
        return self._scatter("TensorScatterUpdate", places, values)

    def count_up_to(self, limit: int) -> Any:
        """The value of a scalar integer variable, to which 1 is added.

        OutOfRangeError once it is ``limit``.

        >>> steps = fg.Variable(0)
        >>> int(steps.count_up_to(2)), int(steps.count_up_to(2)), int(steps)
        (0, 1, 2)
        """
        if self.shape.rank != 0:
            raise errors.InvalidArgumentError(
                None, None, f"count_up_to needs a scalar variable, this one has shape {self.shape}"
            )
        attrs = {"limit": int(limit), "T": self.dtype}
        return _core.emit("ResourceCountUpTo", (self.handle,), attrs)

    def _scatter_rows(self, op: str, delta: Any) -> Any:
        indices, values = _rows_of(delta)
        indices, values = self._row_updates(indices, values)
        return self._scatter(op, _core.emit("ExpandDims", (indices, -1)), values)

    def _row_updates(self, indices: Any, values: Any) -> tuple[Any, ...]:
        """Indices and a row for each; a scalar is broadcast to rows."""
        values = _core.convert_to_tensor(values, self.dtype)
        if values.shape.rank != 0:
            return indices, values
        row = _core.emit("Shape", (self._read(),))
        row = _core.emit("Slice", (row, [1], [-1]))
        shape = _core.emit("ConcatV2", (_core.emit("Shape", (indices,)), row, 0))
        return indices, _core.emit("BroadcastTo", (values, shape))

    def _scatter(self, op: str, indices: Any, updates: Any) -> Any:
        indices = _core.convert_to_tensor(indices)
        updates = _core.convert_to_tensor(updates, self.dtype)
        return self._change("set", _core.emit(op, (self._read(), indices, updates)))

    def scatter_mul(
        self, sparse_delta: Any, use_locking: bool = False, name: Any = None
    ) -> Variable:
        """Multiply the rows that an ``IndexedSlices`` names."""
        return self._scatter_with("Mul", sparse_delta)

    def scatter_div(
        self, sparse_delta: Any, use_locking: bool = False, name: Any = None
    ) -> Variable:
        """Divide the rows that an ``IndexedSlices`` names."""
        return self._scatter_with("RealDiv", sparse_delta)

    def _scatter_with(self, op: str, delta: Any) -> Any:
        factors = _core.emit("OnesLike", (self._read(),))
        indices, values = self._row_updates(*_rows_of(delta))
        indices = _core.emit("ExpandDims", (indices, -1))
        updates = _core.convert_to_tensor(values, self.dtype)
        factors = _core.emit("TensorScatterUpdate", (factors, indices, updates))
        return self._change("set", _core.emit(op, (self._read(), factors)))

    def sparse_read(self, indices: Any, name: Any = None) -> Any:
        """The rows at ``indices``."""
        return _core.emit("GatherV2", (self._read(), indices, 0))

    def gather_nd(self, indices: Any, name: Any = None) -> Any:
        """The elements or slices at ``indices``."""
        return _core.emit("GatherNd", (self._read(), indices))

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The tensor that a checkpoint keeps, by its name there."""
        return {"VARIABLE_VALUE": self._read()}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Take such a tensor back; outside a trace that makes the variable, as its first value."""
        done = self.assign(restored_tensors["VARIABLE_VALUE"])
        if _core.executing_eagerly():
            keep_value(self)
        return done

    @property
    def initializer(self) -> None:
        """None: a variable has its value from the beginning."""
        return None

    @property
    def op(self) -> Any:
        """The operation that made the variable: AttributeError, as nothing in a graph did."""
        raise AttributeError("a Variable belongs to no graph: it has no `op`; see Variable.name")

    @property
    def graph(self) -> Any:
        """The graph the variable belongs to: AttributeError, as it belongs to none."""
        raise AttributeError("a Variable belongs to no graph; see ConcreteFunction.graph")

    @property
    def initial_value(self) -> Any:
        """RuntimeError: the value that it began with is not kept."""
        raise RuntimeError("a Variable does not keep the value that it began with")

    def is_initialized(self, name: Any = None) -> bool:
        """Whether it has a value."""
        return self._is_initialised()

    def get_shape(self) -> TensorShape:
        """The declared shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Check a shape against the declared one."""
        if not self.shape.is_compatible_with(TensorShape(shape)):
            raise ValueError(
                f"shape {shape} does not fit Variable {self.name} of shape {self.shape}"
            )

    def ref(self) -> Any:
        """A hashable reference to this variable, for use as a dictionary key."""
        return Reference(self)

    def __hash__(self) -> int:
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __complex__(self) -> complex:
        return complex(self._read())

    def __index__(self) -> int:
        return self._read().__index__()

    def __len__(self) -> int:
        return len(self._read())

    def __iter__(self) -> Any:
        return iter(self._read())

    def __getitem__(self, key: Any) -> Any:
        return _core.part_of(self, key, self._read()[key])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._read().__array__(dtype, copy)

    def __format__(self, spec: str) -> str:
        return format(self._read(), spec)

    def __repr__(self) -> str:
        if _core.executing_eagerly():
            return variable_repr(self)
        return f"<{FG}.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __deepcopy__(self, memo: dict[Any, Any]) -> Variable:
        return Variable(self._read(), trainable=self.trainable, name=self._name, shape=self.shape)

    def __reduce__(self) -> Any:
        options = {"trainable": self.trainable, "name": self._name, "shape": self.shape}
        for name in ("constraint", "synchronization", "aggregation"):
            options[name] = getattr(self, name)
        return _rebuilt, (type(self), self._read(), options)

    def __iadd__(self, other: Any) -> Any:
        _refuse_in_place("+=", "assign_add")

    def __isub__(self, other: Any) -> Any:
        _refuse_in_place("-=", "assign_sub")

    def __imul__(self, other: Any) -> Any:
        _refuse_in_place("*=", "assign")

    def __itruediv__(self, other: Any) -> Any:
        _refuse_in_place("/=", "assign")


def _rebuilt(cls: Any, value: Any, options: dict[Any, Any]) -> Variable:
    return cls(value, **options)


def _rows_of(delta: Any) -> tuple[Any, ...]:
    """Indices and values of an ``IndexedSlices``; TypeError for anything else."""
    if not hasattr(delta, "indices") or not hasattr(delta, "values"):
        raise TypeError(f"`sparse_delta` must be an {FG}.IndexedSlices, got {type(delta).__name__}")
    return _core.convert_to_tensor(delta.indices), delta.values


def _refuse_in_place(operator: str, method: str) -> None:
    raise RuntimeError(f"Variable {operator} value is not supported. Use variable.{method}(value).")


_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "matmul", "pow", "and", "or", "xor")
_OTHERS = ("neg", "abs", "invert", "lt", "le", "gt", "ge")


def _install_operators() -> None:
    """Operators on a variable are those on its value."""

    def forward(name: str) -> Callable[..., Any]:
        def operator(self: Variable, *others: Any) -> Any:
            return getattr(self._read(), name)(*others)

        operator.__name__ = name
        return operator

    for name in _BINARY:
        setattr(Variable, f"__{name}__", forward(f"__{name}__"))
        setattr(Variable, f"__r{name}__", forward(f"__r{name}__"))
    for name in _OTHERS:
        setattr(Variable, f"__{name}__", forward(f"__{name}__"))

    def equal(self: Variable, other: Any) -> Any:
        return False if other is None else self._read() == other

    def not_equal(self: Variable, other: Any) -> Any:
        return True if other is None else self._read() != other

    Variable.__eq__ = equal  # type: ignore[method-assign, assignment]
    Variable.__ne__ = not_equal  # type: ignore[method-assign, assignment]
    Variable.__array_priority__ = 100


_install_operators()


def variable_from_handle(like: Variable, handle: Any) -> Variable:
    """The placeholder of a variable argument while a function is traced."""
    made = Variable(like, _handle=handle)
    made._stands_for = weakref.ref(like)
    return made
