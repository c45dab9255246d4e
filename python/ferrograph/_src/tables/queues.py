"""Queues of elements between threads and calls."""

from __future__ import annotations

from typing import Any

from ..context.thread import init_scope
from ..native import FG, _core
from ..ops import random_ops
from ..values import errors
from ..values.dtypes import as_dtype, int32, int64
from ..values.public import public
from ..values.tensor_shape import TensorShape

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]


def _dtypes(given: Any) -> list[Any]:
    given = given if isinstance(given, (list, tuple)) else [given]
    return [as_dtype(dtype) for dtype in given]


def _shapes(given: Any, n: int) -> list[TensorShape]:
    """The shapes of ``n`` components. ValueError for another number of them."""
    if given is None:
        return [TensorShape(None)] * n
    if isinstance(given, TensorShape) or given and not _holds_shapes(given):
        given = [given]
    if len(given) != n:
        raise ValueError(f"a queue of {n} components takes as many shapes, got {len(given)}")
    return [TensorShape(shape) for shape in given]


def _holds_shapes(given: Any) -> bool:
    """Whether these are shapes, and not the dimensions of one."""
    if isinstance(given, range):
        return False
    return any(isinstance(shape, (list, tuple, TensorShape)) for shape in given)


@public("queue.QueueBase")
class QueueBase:
    """What all queues have in common; see ``FIFOQueue``.

    >>> queue = fg.queue.FIFOQueue(3, fg.int32)
    >>> isinstance(queue, fg.queue.QueueBase)
    True
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Any):
        self._dtypes = _dtypes(dtypes)
        self._shapes = _shapes(shapes, len(self._dtypes))
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError(
                "List of names must have the same length as the list of dtypes, received "
                f"len(names)={len(names)},len(dtypes)={len(self._dtypes)}"
            )
        self._names = None if names is None else list(names)
        self._queue_ref = queue_ref
        self._name = type(self).__name__

    def _make(self, op: str, capacity: int, attrs: dict[Any, Any], name: str) -> None:
        given = {
            "component_types": self._dtypes,
            "shapes": self._shapes,
            "capacity": int(capacity),
            **attrs,
        }
        with init_scope():
            self._queue_ref = _core.emit(op, (), given, name)
        self._name = name

    @staticmethod
    def from_list(index: Any, queues: list[Any]) -> QueueBase:
        """The queue of that number out of a list.

        TypeError for what are no queues, ValueError for an index that only the graph knows.
        """
        if not queues or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        known = _core.convert_to_tensor(index)._constant_value()
        if known is None:
            raise ValueError(
                "the index of the queue is known only when the graph runs; use "
                f"{FG}.switch_case over "
                "what is done with each"
            )
        return queues[int(known)]

    @property
    def queue_ref(self) -> Any:
        """The tensor that refers to the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name that the queue was given."""
        return self._name

    @property
    def dtypes(self) -> list[Any]:
        """The dtypes of the components of an element."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components of an element."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, if they have some."""
        return self._names

    def _components(self, values: Any) -> list[Any]:
        """The components of an element as tensors. ValueError where they do not fit."""
        if isinstance(values, dict):
            values = self._by_name(values)
        elif self._names is not None:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        values = values if isinstance(values, (list, tuple)) else [values]
        n = len(self._dtypes)
        if len(values) != n:
            text = f"an element of the queue has {n} components, got {len(values)}"
            if len(values) > n:
                raise ValueError(text)
            raise errors.InvalidArgumentError(None, None, text)
        pairs = zip(values, self._dtypes, strict=True)
        return [_core.convert_to_tensor(value, dtype) for value, dtype in pairs]

    def _by_name(self, values: dict[Any, Any]) -> list[Any]:
        if self._names is None:
            raise ValueError("Queue must have names to enqueue a dictionary")
        if sorted(self._names) != sorted(values):
            raise ValueError(
                "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                f"{sorted(values)},Queue: {sorted(self._names)}"
            )
        return [values[name] for name in self._names]

    def _given_back(self, found: Any) -> Any:
        """Components as the queue gives them: one by itself, several as a list, or by name."""
        found = found if isinstance(found, list) else [found]
        if self._names is not None:
            return dict(zip(self._names, found, strict=True))
        return found[0] if len(found) == 1 else found

    def _types(self) -> dict[Any, Any]:
        return {"component_types": self._dtypes, "_shapes": self._shapes}

    def enqueue(self, vals: Any, name: str | None = None) -> None:
        """Add an element: a tensor, a tuple of its components, or a dictionary by name.

        Waits for room. CancelledError where the queue is closed, ValueError for an element of
        another type.
        """
        values = self._components(vals)
        for value, shape in zip(values, self._shapes, strict=True):
            if not shape.is_compatible_with(value.shape):
                raise ValueError(f"Shapes {value.shape} and {shape} are incompatible")
        _core.emit("QueueEnqueueV2", (self._queue_ref, *values), None, name)

    def enqueue_many(self, vals: Any, name: str | None = None) -> None:
        """Add the rows of tensors, an element each. As ``enqueue``."""
        values = self._components(vals)
        rows = TensorShape([None])
        for value, shape in zip(values, self._shapes, strict=True):
            if value.shape.rank == 0:
                raise ValueError(f"Shape {value.shape} must have rank at least 1")
            rows = rows.merge_with(value.shape[:1])
            if not shape.is_compatible_with(value.shape[1:]):
                raise ValueError(f"Shapes {value.shape[1:]} and {shape} are incompatible")
        _core.emit("QueueEnqueueManyV2", (self._queue_ref, *values), None, name)

    def dequeue(self, name: str | None = None) -> Any:
        """Take an element: its component, a list of several, or a dictionary by name.

        Waits for one. OutOfRangeError where the queue is closed and ran empty.
        """
        found = _core.emit("QueueDequeueV2", (self._queue_ref,), self._types(), name)
        return self._given_back(found)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Take ``n`` elements as one, along a new first axis.

        Waits for them. OutOfRangeError where the queue is closed and has not as many, which stay in
        it; InvalidArgumentError where the shapes of its components are not known.
        """
        return self._several("QueueDequeueManyV2", n, name)

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """As ``dequeue_many``; a closed queue gives those that it has left, if any."""
        return self._several("QueueDequeueUpToV2", n, name)

    def _several(self, op: str, n: Any, name: str | None) -> Any:
        inputs = (self._queue_ref, _core.convert_to_tensor(n, int32))
        return self._given_back(_core.emit(op, inputs, self._types(), name))

    def size(self, name: str | None = None) -> Any:
        """How many elements are in the queue, a scalar of int32."""
        return _core.emit("QueueSizeV2", (self._queue_ref,), None, name)

    def is_closed(self, name: str | None = None) -> Any:
        """Whether the queue is closed, a scalar bool."""
        return _core.emit("QueueIsClosedV2", (self._queue_ref,), None, name)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """Let no further elements in; those that are in it can still be taken.

        With ``cancel_pending_enqueues`` threads that wait for room get a CancelledError.
        CancelledError where the queue is closed already.
        """
        attrs = {"cancel_pending_enqueues": bool(cancel_pending_enqueues)}
        _core.emit("QueueCloseV2", (self._queue_ref,), attrs, name)


@public("queue.FIFOQueue")
class FIFOQueue(QueueBase):
    """A queue whose elements leave it in the order in which they came.

    Threads that add wait for room, those that take wait for elements; other threads of the program
    run meanwhile, and an interrupt ends the wait. A traced function refers to the queue; one that
    it makes is made once.

    >>> queue = fg.queue.FIFOQueue(5, [fg.int32, fg.string], shapes=[[], []])
    >>> queue.enqueue((1, "one"))
    >>> queue.enqueue_many(([2, 3], ["two", "three"]))
    >>> number, word = queue.dequeue()
    >>> int(number), int(queue.size())
    (1, 2)
    >>> queue.dequeue_many(2)[0].numpy()
    array([2, 3], dtype=int32)

    Args:
      capacity: how many elements it holds at most; any number where negative.
      dtypes: the dtype of an element, or those of its components.
      shapes: their shapes, fully known; without them elements may be of any shape, and are taken
        one at a time.
      names: names of the components; elements are dictionaries then.
      shared_name: changes nothing: queues are never shared by name.
      name: of the queue.

    Raises:
      ValueError: for another number of names or shapes than of components, or a shape that is not
        fully known.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ):
        super().__init__(dtypes, shapes, names, None)
        _expect_known(self._shapes, shapes)
        self._make("FIFOQueueV2", capacity, {}, name)


def _expect_known(shapes: list[TensorShape], given: Any) -> None:
    if given is not None and not all(shape.is_fully_defined() for shape in shapes):
        raise ValueError(f"All shapes must be fully defined: {shapes}")


@public("queue.PaddingFIFOQueue")
class PaddingFIFOQueue(QueueBase):
    """As ``FIFOQueue``, of shapes with unknown sizes: what is taken at once is padded.

    Padding is zeros, empty strings or false, behind the elements.

    >>> queue = fg.queue.PaddingFIFOQueue(5, fg.int32, shapes=[[None]])
    >>> queue.enqueue(([1, 2, 3],))
    >>> queue.enqueue(([4],))
    >>> queue.dequeue_many(2).numpy().tolist()
    [[1, 2, 3], [4, 0, 0]]

    Args:
      capacity: how many elements it holds at most; any number where negative.
      dtypes: the dtype of an element, or those of its components.
      shapes: a list of their shapes, of known ranks.
      names: names of the components; elements are dictionaries then.
      shared_name: changes nothing: queues are never shared by name.
      name: of the queue.

    Raises:
      ValueError: without shapes, or for one of unknown rank.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ):
        super().__init__(dtypes, shapes, names, None)
        if any(shape.rank is None for shape in self._shapes):
            raise ValueError("a queue that pads takes a list of shapes of known ranks")
        self._make("PaddingFIFOQueueV2", capacity, {}, name)


@public("queue.PriorityQueue")
class PriorityQueue(QueueBase):
    """A queue whose elements leave it by their first component, an int64: the least first.

    Of several with one priority the first that came leaves first.

    >>> queue = fg.queue.PriorityQueue(10, [fg.string], [()])
    >>> queue.enqueue_many((fg.constant([3, 1], fg.int64), ["later", "soon"]))
    >>> queue.dequeue()[1].numpy()
    b'soon'

    Args:
      capacity: how many elements it holds at most; any number where negative.
      types: the dtypes of the components behind the priority.
      shapes: their shapes.
      names: names of all components, the priority's first.
      shared_name: changes nothing: queues are never shared by name.
      name: of the queue.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ):
        behind = _dtypes(types)
        all_shapes = [TensorShape([]), *_shapes(shapes, len(behind))]
        super().__init__([int64, *behind], all_shapes, names, None)
        self._make("PriorityQueueV2", capacity, {}, name)


@public("queue.RandomShuffleQueue")
class RandomShuffleQueue(QueueBase):
    """A queue whose elements leave it in random order.

    >>> queue = fg.queue.RandomShuffleQueue(20, 0, fg.int32, shapes=[[]], seed=3)
    >>> queue.enqueue_many(([0, 1, 2, 3],))
    >>> sorted(queue.dequeue_many(4).numpy().tolist())
    [0, 1, 2, 3]

    Args:
      capacity: how many elements it holds at most; any number where negative.
      min_after_dequeue: how many stay in it until it is closed, so that there is a choice.
      dtypes: the dtype of an element, or those of its components.
      shapes: their shapes, fully known; without them elements are taken one at a time.
      names: names of the components; elements are dictionaries then.
      seed: of the order.
      shared_name: changes nothing: queues are never shared by name.
      name: of the queue.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ):
        super().__init__(dtypes, shapes, names, None)
        _expect_known(self._shapes, shapes)
        with init_scope():
            seeds = [int(part) for part in random_ops.operation_seeds(seed)]
        attrs = {
            "min_after_dequeue": int(min_after_dequeue),
            "seed": seeds[0],
            "seed2": seeds[1],
        }
        self._make("RandomShuffleQueueV2", capacity, attrs, name)
