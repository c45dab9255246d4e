"""Queues. Each row leaves its queue as empty as it was, or makes one in the graph itself."""

import numpy as np
from table import ALL, Vary, row

X = Vary(3, 2)
MADE_OUTSIDE = "a queue is made outside of graphs"


def queue(fg, x):
    return fg.queue.FIFOQueue(10, x.dtype, shapes=[x.shape[1:]])


def rows(fg, line, x):
    line.enqueue_many((x,))
    return line.size(), line.dequeue_many(3)


def whole(fg, line, x):
    line.enqueue((x[0],))
    line.enqueue((x[1],))
    return line.dequeue(), line.dequeue()


def up_to(fg, line, x):
    line.enqueue_many((x,))
    return line.dequeue_up_to(2), line.dequeue()


def passing(op, call, expect, out="T"):
    row(op, call, [X], expect, None, dtypes=ALL, out=out, state=queue)


for op in ("QueueEnqueueManyV2", "QueueDequeueManyV2", "QueueSizeV2"):
    passing(op, rows, lambda x: (3, x), ("int32", "T"))
for op in ("QueueEnqueueV2", "QueueDequeueV2"):
    passing(op, whole, lambda x: (x[0], x[1]))
passing("QueueDequeueUpToV2", up_to, lambda x: (x[:2], x[2]))


def made(op, call, expect, out="T", about="", **attrs):
    """A row that makes a queue in the graph, of a component behind those that attributes say."""

    def use(fg, x):
        before = attrs.get("before", [])
        types = [*before, x.dtype]
        shapes = [*(fg.TensorShape([]) for _ in before), fg.TensorShape([2])]
        given = {"component_types": types, "shapes": shapes, "capacity": 5}
        handle = fg._core.emit(op, (), given)
        line = fg.queue.QueueBase(types, shapes, None, handle)
        return call(fg, line, x)

    row(about or op, use, [X], expect, None, dtypes=ALL, out=out, hidden=MADE_OUTSIDE)


def closed(fg, line, x):
    before = line.is_closed()
    line.enqueue_many((x,))
    line.close()
    return before, line.is_closed(), line.dequeue_up_to(5)


def by_priority(fg, line, x):
    line.enqueue_many((fg.constant([3, 1, 2], fg.int64), x))
    return line.dequeue_many(3)


def sorted_counts(fg, line, x):
    line.enqueue_many((x,))
    taken = line.dequeue_many(3)
    return fg.shape(taken), line.size()


for op in ("QueueCloseV2", "QueueIsClosedV2"):
    made(
        "FIFOQueueV2",
        closed,
        lambda x: (False, True, x),
        ("bool", "bool", "T"),
        about=op,
    )
made("FIFOQueueV2", rows, lambda x: (3, x), ("int32", "T"))
made("PaddingFIFOQueueV2", rows, lambda x: (3, x), ("int32", "T"))
made(
    "PriorityQueueV2",
    by_priority,
    lambda x: (np.array([1, 2, 3]), x[[1, 2, 0]]),
    ("int64", "T"),
    before=["int64"],
)
made(
    "RandomShuffleQueueV2",
    sorted_counts,
    lambda x: (np.array([3, 2]), 0),
    "int32",
)
