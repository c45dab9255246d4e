"""``TensorArray``: tensors of one dtype by index, written and read one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..native import _core
from ..values import errors
from ..values.dtypes import as_dtype, int32, int64
from ..values.public import public
from ..values.tensor_shape import TensorShape

__all__ = ["TensorArray"]

_emit = _core.emit


@public("TensorArray")
class TensorArray:
    """An array of tensors, such as the results of the iterations of a loop.

    ``write`` and the other methods that fill places return the array with them filled. While a
    graph is under construction that is another array, and only what is returned holds the values;
    run eagerly it is the array itself.

    With ``dynamic_size`` the array grows where a place behind its end is written. Unless
    ``clear_after_read`` is False a place may be read once only when run eagerly. Elements must fit
    ``element_shape``, and with ``infer_shape`` the shape of the first one. Places that were not
    written read as zeros.

    >>> squares = fg.TensorArray(fg.int32, size=3)
    >>> for i in range(3):
    ...     squares = squares.write(i, i * i)
    >>> squares.stack().numpy().tolist()
    [0, 1, 4]
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ):
        if handle is not None:
            raise ValueError("a TensorArray is not made from a handle: pass `flow` of another one")
        self._dtype = as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._clears = clear_after_read is None or bool(clear_after_read)
        self._infers = bool(infer_shape)
        self._name = name or "TensorArray"
        self._read: set[int] = set()
        # Shared with the arrays made from this one: what an iteration learns holds after the loop.
        self._shape = [TensorShape(element_shape)]
        self._size = None
        if flow is None:
            count = _core.convert_to_tensor(0 if size is None else size, dtype_hint=int32)
            known = count._constant_value()
            if known is not None and not self._dynamic:
                self._size = int(known)
            inputs = (self._shape_input(), count)
            flow = _emit("TensorListReserve", inputs, self._attrs(), name)
        self._list = flow

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def element_shape(self) -> TensorShape:
        """The static shape of the elements as far as it is known."""
        return self._shape[0]

    @property
    def dynamic_size(self) -> bool:
        """Whether writing behind the end makes the array longer."""
        return self._dynamic

    @property
    def flow(self) -> Any:
        """The list that holds the elements, a scalar of dtype variant."""
        return self._list

    @property
    def handle(self) -> None:
        """None: an array is its flow."""
        return None

    def size(self, name: str | None = None) -> Any:
        """The number of places, a scalar int32 tensor."""
        if self._size is not None:
            return _core.convert_to_tensor(self._size, int32)
        return _emit("TensorListLength", (self._list,), None, name)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with ``value`` at ``index``.

        OutOfRangeError where there is no such place, unless the array grows; ValueError where the
        shape of ``value`` does not fit. Another dtype is InvalidArgumentError, TypeError while
        tracing.
        """
        value, index = self._element(value), _place(index)
        self._learn(value.shape)
        attrs = {**self._attrs(), "resize_if_index_out_of_bounds": self._dynamic}
        made = self._with(_emit("TensorListSetItem", (self._list, index, value), attrs, name))
        if made is self:
            self._read.discard(int(index))
        return made

    def read(self, index: Any, name: str | None = None) -> Any:
        """The element at ``index``.

        OutOfRangeError where there is no such place; run eagerly, InvalidArgumentError for a second
        read unless ``clear_after_read=False``.
        """
        index = _place(index)
        if self._is_eager():
            self._note_read([int(index)])
        inputs = (self._list, index, self._shape_input())
        return _emit("TensorListGetItem", inputs, self._attrs(), name)

    def stack(self, name: str | None = None) -> Any:
        """All elements as one tensor with a new first axis."""
        attrs = self._attrs()
        if self._size is not None and not self._is_eager():
            attrs["num_elements"] = self._size
        shape = self._shape_input() if self._holds_some() else self._shape_of_none()
        return _emit("TensorListStack", (self._list, shape), attrs, name)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """The elements at ``indices`` as one tensor with a new first axis."""
        inputs = (self._list, _indices(indices), self._shape_input())
        return _emit("TensorListGather", inputs, self._attrs(), name)

    def concat(self, name: str | None = None) -> Any:
        """All elements joined along their first axis, in which they may differ."""
        shape = self.element_shape
        if shape.rank is not None and not self._infers:
            shape = TensorShape([None, *shape.as_list()[1:]])
        leading = _core.convert_to_tensor([], int64)
        inputs = (self._list, self._shape_input(shape), leading)
        return _emit("TensorListConcatV2", inputs, self._attrs(), name)[0]

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array with the rows of ``value`` as its elements.

        ValueError where it has another number of rows than a fixed size known while tracing.
        """
        value = self._element(value)
        if value.shape.rank == 0:
            raise ValueError("a scalar has no rows to unstack")
        if value.shape.rank is not None:
            self._check_count(value.shape[0], "rows to unstack")
            self._learn(value.shape[1:])
        inputs = (value, self._shape_input())
        return self._with(_emit("TensorListFromTensor", inputs, self._attrs(), name))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the rows of ``value`` at ``indices``.

        Run eagerly, OutOfRangeError for a place that is not there, unless the array grows.
        """
        value, indices = self._element(value), _indices(indices)
        if value.shape.rank:
            self._learn(value.shape[1:])
        if self._is_eager() and not self._dynamic:
            self._check_places(indices)
        op = "TensorListScatterIntoExistingList"
        return self._with(_emit(op, (self._list, value, indices), self._attrs(), name))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array with pieces of ``value``, ``lengths`` long in the first axis, as elements."""
        value, lengths = self._element(value), _indices(lengths)
        known = lengths._constant_value()
        if lengths.shape.rank is not None and lengths.shape.rank != 1:
            raise ValueError(f"lengths must be a vector, got shape {lengths.shape}")
        if known is not None:
            self._check_count(len(known.numpy()), "lengths")
            if value.shape.rank:
                self._learn_pieces(set(known.numpy().tolist()), value.shape.as_list()[1:])
        inputs = (value, self._shape_input(), lengths)
        return self._with(_emit("TensorListSplit", inputs, self._attrs(), name))

    def identity(self) -> TensorArray:
        """The same array under another flow."""
        return self._from_components([_emit("Identity", (self._list,))])

    def close(self, name: str | None = None) -> None:
        """Forget the elements, when run eagerly."""
        if self._is_eager():
            self._list = _emit("TensorListReserve", (self._shape_input(), 0), self._attrs())

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Not there: gradients of arrays are taken by a ``GradientTape``."""
        raise NotImplementedError("gradients of arrays are taken by a GradientTape")

    def __repr__(self) -> str:
        return f"<TensorArray dtype={self._dtype.name} element_shape={self.element_shape}>"

    # What makes it a composite value.

    def _component_list(self) -> list[Any]:
        return [self._list]

    def _from_components(self, components: Sequence[Any]) -> TensorArray:
        (made,) = components
        other = object.__new__(TensorArray)
        other.__dict__.update(self.__dict__)
        other._list, other._read = made, set(self._read)
        return other

    def _separate(self) -> TensorArray:
        """This array, from now on learning the shape of its elements by itself."""
        self._shape = [self._shape[0]]
        return self

    def _trace_key(self) -> tuple[Any, ...]:
        """What tells arrays apart for a trace, beside their elements."""
        dims = self.element_shape
        return (
            TensorArray,
            self._dtype.name,
            None if dims.rank is None else tuple(dims.as_list()),
            (self._dynamic, self._clears, self._infers, self._size),
        )

    # Parts.

    def _attrs(self) -> dict[Any, Any]:
        return {"element_dtype": self._dtype}

    def _is_eager(self) -> bool:
        return _core.executing_eagerly() and not _core.is_symbolic(self._list)

    def _with(self, made: Any) -> TensorArray:
        """The array whose elements are ``made``."""
        if not self._is_eager():
            return self._from_components([made])
        self._list = made
        return self

    def _element(self, value: Any) -> Any:
        value = _core.convert_to_tensor(value, dtype_hint=self._dtype)
        if value.dtype != self._dtype:
            text = f"a TensorArray of {self._dtype.name} cannot hold a {value.dtype.name} tensor"
            text += _core.explain_dtype("value", value, self._dtype)
            if _core.executing_eagerly():
                raise errors.InvalidArgumentError(None, None, text)
            raise TypeError(text)
        return value

    def _learn(self, shape: TensorShape) -> None:
        """Check the shape of an element, and note what it says of the others."""
        known = self._shape[0]
        if shape.is_fully_defined() and shape == known:
            return
        self._check_fits(shape)
        if self._infers:
            self._shape[0] = known.merge_with(shape)

    def _learn_pieces(self, lengths: set[int], inner: list[Any]) -> None:
        """Check pieces of ``lengths`` rows, and note what all of them have in common."""
        for n in lengths:
            self._check_fits(TensorShape([n, *inner]))
        self._learn(TensorShape([lengths.pop() if len(lengths) == 1 else None, *inner]))

    def _check_fits(self, shape: TensorShape) -> None:
        known = self._shape[0]
        if not known.is_compatible_with(shape):
            raise ValueError(
                f"a TensorArray of elements of shape {known} cannot hold one of shape {shape}"
            )

    def _shape_input(self, shape: TensorShape | None = None) -> Any:
        shape = self._shape[0] if shape is None else shape
        if shape.rank is None:
            return -1
        return _core.convert_to_tensor([-1 if d is None else d for d in shape.as_list()], int32)

    def _holds_some(self) -> bool:
        """Whether there are places, as far as it is known."""
        return not self._is_eager() or int(_emit("TensorListLength", (self._list,))) > 0

    def _shape_of_none(self) -> Any:
        """A shape for the elements that are not there: what is not known is empty or scalar."""
        known = self._shape[0]
        dims = [] if known.rank is None else [d or 0 for d in known.as_list()]
        return self._shape_input(TensorShape(dims))

    def _check_count(self, count: int | None, what: str) -> None:
        if self._size is not None and count is not None and count != self._size:
            raise ValueError(f"{count} {what}, but the TensorArray has the fixed size {self._size}")

    def _check_places(self, indices: Any) -> None:
        size = int(self.size())
        for i in indices.numpy().tolist():
            if not 0 <= i < size:
                raise errors.OutOfRangeError(
                    None, None, f"index {i} is outside of a TensorArray of size {size}"
                )

    def _note_read(self, places: list[int]) -> None:
        if not self._clears:
            return
        for i in places:
            if i in self._read:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"element {i} was read before, which clears it: to read twice make the "
                    "TensorArray with clear_after_read=False",
                )
            self._read.add(i)


def _place(index: Any) -> Any:
    """``index``, of which there is one."""
    if type(index) is int:
        return index
    index = _core.convert_to_tensor(index, dtype_hint=int32)
    if index.shape.rank:
        raise ValueError(f"a place of a TensorArray is a scalar, got shape {index.shape}")
    return index


def _indices(value: Any) -> Any:
    return _core.convert_to_tensor(value, dtype_hint=int32)
