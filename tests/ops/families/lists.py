"""Lists of tensors: what tensor arrays and the lists of converted code are made of."""

import numpy as np
from table import ALL, Vary, row

X = Vary(3, 4)
LISTS = "the lists of converted code emit it, and saved graphs have it"


def array(fg, x, size=3, shape=None, **options):
    """A tensor array of the dtype of ``x``."""
    return fg.TensorArray(x.dtype, size=size, element_shape=shape, **options)


def listed(fg, op, inputs, x, **attrs):
    """What an operation of lists gives for elements of the dtype of ``x``."""
    return fg._core.emit(op, inputs, {"element_dtype": x.dtype, **attrs}, None)


def length(fg, handle):
    return fg._core.emit("TensorListLength", (handle,), None, None)


def of_list(op, call, expect, args=(X,), grad=(0,), **fields):
    row(op, call, list(args), expect, grad, dtypes=ALL, **fields)


of_list(
    "TensorListReserve",
    lambda fg, x: array(fg, x, 2, [4]).write(0, x[0]).write(1, x[1]).stack(),
    lambda x: x[:2],
)
of_list(
    "TensorListFromTensor",
    lambda fg, x: array(fg, x).unstack(x).stack(),
    lambda x: x,
    empty=[Vary(3, 0)],
    forms={"vector": [Vary(3)]},
)
of_list("TensorListStack", lambda fg, x: array(fg, x).unstack(x).stack(), lambda x: x)
of_list("TensorListGetItem", lambda fg, x: array(fg, x).unstack(x).read(1), lambda x: x[1])
of_list(
    "TensorListSetItem",
    lambda fg, x: array(fg, x).unstack(x).write(1, x[2]).stack(),
    lambda x: x[[0, 2, 2]],
)
of_list(
    "TensorListSetItem",
    lambda fg, x: array(fg, x, 0, dynamic_size=True).write(0, x[1]).write(1, x[0]).stack(),
    lambda x: x[[1, 0]],
)
of_list(
    "TensorListGather",
    lambda fg, x: array(fg, x).unstack(x).gather([2, 0]),
    lambda x: x[[2, 0]],
)
of_list(
    "TensorListConcatV2",
    lambda fg, x: array(fg, x, 2, infer_shape=False).write(0, x).write(1, x[:1]).concat(),
    lambda x: np.concatenate([x, x[:1]]),
)
of_list(
    "TensorListSplit",
    lambda fg, x: array(fg, x, 2, infer_shape=False).split(x, [1, 2]).read(1),
    lambda x: x[1:],
)
of_list(
    "TensorListScatterIntoExistingList",
    lambda fg, x: array(fg, x, 3).scatter([2, 0, 1], x).stack(),
    lambda x: x[[1, 2, 0]],
)
of_list(
    "TensorListLength",
    lambda fg, x: array(fg, x, 0, dynamic_size=True).unstack(x).size(),
    lambda x: 3,
    grad=(),
    out="int32",
)
of_list(
    "TensorListLength",
    lambda fg, x: length(fg, empty_list(fg, x)),
    lambda x: 0,
    grad=(),
    out="int32",
    hidden=LISTS,
)


def empty_list(fg, x):
    return listed(fg, "EmptyTensorList", ([4], 10), x)


def pushed(fg, x):
    """A list of the first two rows of ``x``."""
    one = listed(fg, "TensorListPushBack", (empty_list(fg, x), x[0]), x)
    return listed(fg, "TensorListPushBack", (one, x[1]), x)


def popped(fg, x):
    rest, last = listed(fg, "TensorListPopBack", (pushed(fg, x), [4]), x)
    return last, listed(fg, "TensorListStack", (rest, [4]), x)


def resized(fg, x):
    longer = fg._core.emit("TensorListResize", (pushed(fg, x), 3), None, None)
    shorter = fg._core.emit("TensorListResize", (longer, 1), None, None)
    return (
        listed(fg, "TensorListStack", (shorter, [4]), x),
        length(fg, longer),
    )


of_list(
    "EmptyTensorList",
    lambda fg, x: listed(fg, "TensorListStack", (pushed(fg, x), [4]), x),
    lambda x: x[:2],
    hidden=LISTS,
)
of_list(
    "TensorListPushBack",
    lambda fg, x: listed(fg, "TensorListGetItem", (pushed(fg, x), 1, [4]), x),
    lambda x: x[1],
    hidden=LISTS,
)
of_list("TensorListPopBack", popped, lambda x: (x[1], x[:1]), hidden=LISTS)
of_list("TensorListResize", resized, lambda x: (x[:1], 3), out=("T", "int32"), hidden=LISTS)
of_list(
    "TensorListScatterV2",
    lambda fg, x: listed(
        fg,
        "TensorListStack",
        (listed(fg, "TensorListScatterV2", (x, [1, 2, 0], [4], 3), x), [4]),
        x,
    ),
    lambda x: x[[2, 0, 1]],
    hidden="an older form of scatter that saved graphs have",
)


def bundled(fg, x):
    """``x`` and its first row, as one value and back."""
    one = fg._core.emit("CompositeTensorVariantFromComponents", (x, x[0]), None, None)
    types = {"Tcomponents": [x.dtype] * 2, "output_shapes": [x.shape, x.shape[1:]]}
    return tuple(fg._core.emit("CompositeTensorVariantToComponents", (one,), types, None))


for name in ("CompositeTensorVariantFromComponents", "CompositeTensorVariantToComponents"):
    of_list(name, bundled, lambda x: (x, x[0]), out=("T", "T"), hidden="recursion emits it")
