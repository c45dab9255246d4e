"""Shapes and rearrangements."""

import numpy as np
from table import ALL, DENSE, Vary, row

X, Y, CUBE = Vary(3, 4), Vary(3, 4, seed=1), Vary(2, 3, 4)
NONE = Vary(0, 4)


def rearranged(op, call, expect, x=X, **fields):
    """A row of an operation that moves elements of every dtype."""
    row(op, call, [x], expect, (0,), dtypes=ALL, **fields)


def ordered(op, call, expect, **fields):
    """A row whose result is integers that tell of the shape."""
    for index, kind in (("int32", "int32"), ("int64", "int64")):
        row(
            op,
            lambda fg, x, k=kind: call(fg, x, getattr(fg, k)),
            [X],
            expect,
            dtypes=ALL,
            out=index,
            empty=[NONE],
            scalar=[Vary()],
            **fields,
        )


ordered("Shape", lambda fg, x, i: fg.shape(x, i), lambda x: np.array(x.shape))
ordered("Size", lambda fg, x, i: fg.size(x, i), lambda x: x.size)
ordered("ShapeN", lambda fg, x, i: fg.shape_n([x, x], i), lambda x: (np.array(x.shape),) * 2)
row(
    "Rank",
    lambda fg, x: fg.rank(x),
    [X],
    lambda x: x.ndim,
    dtypes=ALL,
    out="int32",
    empty=[NONE],
    scalar=[Vary()],
)
rearranged(
    "Reshape",
    lambda fg, x: fg.reshape(x, [2, -1]),
    lambda x: x.reshape(2, -1),
    empty=[Vary(2, 0)],
)
row(
    "Reshape",
    lambda fg, x, s: fg.reshape(x, s),
    [X, np.array([6, 2])],
    lambda x, s: x.reshape(s),
    (0,),
    dtypes=ALL,
    empty=[NONE, np.array([4, 0, 2])],
    scalar=[Vary(), np.zeros(0, np.int32)],
)
for axis in (0, 1, -1):
    rearranged(
        "ExpandDims",
        lambda fg, x, a=axis: fg.expand_dims(x, a),
        lambda x, a=axis: np.expand_dims(x, a),
        empty=[NONE],
    )
rearranged(
    "Squeeze",
    lambda fg, x: fg.squeeze(x, [1]),
    lambda x: x[:, 0],
    Vary(3, 1, 4),
    empty=[Vary(0, 1, 4)],
)
row(
    "Squeeze",
    lambda fg, x: fg.squeeze(x),
    [Vary(1, 3, 1)],
    np.squeeze,
    (0,),
    dtypes=ALL,
    empty=[Vary(1, 0, 1)],
    forms={"all": [Vary(1, 1, 1)]},
)
row(
    "BroadcastTo",
    lambda fg, x, s: fg.broadcast_to(x, s),
    [X, np.array([2, 3, 4], np.int32)],
    lambda x, s: np.broadcast_to(x, s),
    (0,),
    dtypes=ALL,
    empty=[Vary(1, 4), np.array([0, 4], np.int64)],
    scalar=[Vary(), np.array([2, 3], np.int64)],
    forms={"inner": [Vary(3, 1), np.array([3, 5], np.int32)]},
)
for index in (np.int32, np.int64):
    row(
        "BroadcastArgs",
        lambda fg, a, b: fg.broadcast_dynamic_shape(a, b),
        [np.array([3, 1], index), np.array([2, 1, 4], index)],
        lambda a, b: np.array([2, 3, 4]),
        out=np.dtype(index).name,
    )
rearranged(
    "EnsureShape",
    lambda fg, x: fg.ensure_shape(x, [None, 4]),
    lambda x: x,
    empty=[NONE],
)
rearranged(
    "Transpose",
    lambda fg, x: fg.transpose(x),
    np.transpose,
    CUBE,
    empty=[Vary(2, 0, 4)],
    scalar=[Vary()],
)
for perm in ([1, 0, 2], [2, 0, 1], [0, 2, 1], [1, 2, 0]):
    rearranged(
        "Transpose",
        lambda fg, x, p=perm: fg.transpose(x, p),
        lambda x, p=perm: x.transpose(p),
        CUBE,
        empty=[Vary(2, 0, 4)],
        forms={"wide": [Vary(5, 9, 17)]},
    )
for times in ([2, 1], [1, 3], [0, 2]):
    rearranged(
        "Tile",
        lambda fg, x, t=times: fg.tile(x, t),
        lambda x, t=times: np.tile(x, t),
        empty=[NONE],
    )
PADS = [[1, 0], [0, 2]]


def padded(x, with_value):
    """``x`` between constants; empty strings where no value is given."""
    out = np.full((x.shape[0] + 1, x.shape[1] + 2), with_value, x.dtype)
    out[1:, : x.shape[1]] = x
    return out


row(
    "Pad",
    lambda fg, x: fg.pad(x, PADS),
    [X],
    lambda x: padded(x, b"" if x.dtype == object else 0),
    (0,),
    dtypes=ALL,
    empty=[NONE],
)
row(
    "PadV2",
    lambda fg, x, v: fg.pad(x, PADS, constant_values=v),
    [X, Vary(values=7.0)],
    lambda x, v: padded(x, v),
    (0, 1),
    dtypes=DENSE,
    empty=[NONE, Vary(values=7.0)],
)
row(
    "PadV2",
    lambda fg, x: fg.pad(x, PADS, constant_values=b"-"),
    [X],
    lambda x: padded(x, b"-"),
    dtypes=("string",),
)
for mode in ("reflect", "symmetric"):
    rearranged(
        "MirrorPad",
        lambda fg, x, m=mode: fg.pad(x, [[1, 2], [0, 1]], m),
        lambda x, m=mode: np.pad(x, [[1, 2], [0, 1]], m),
    )
for axes in ([0, -1], [1], []):
    rearranged(
        "ReverseV2",
        lambda fg, x, a=axes: fg.reverse(x, a),
        lambda x, a=axes: np.flip(x, tuple(a)),
        empty=[NONE],
    )
rearranged(
    "Roll",
    lambda fg, x: fg.roll(x, [1, -2], [0, 1]),
    lambda x: np.roll(x, (1, -2), (0, 1)),
    empty=[NONE],
)
row(
    "IdentityN",
    lambda fg, x, y: fg.identity_n([x, y]),
    [X, Y],
    lambda x, y: (x, y),
    (0, 1),
    dtypes=ALL,
    empty=[NONE, Y],
    scalar=[Vary(), Y],
)
for axis in (0, 1, -1):
    row(
        "ConcatV2",
        lambda fg, x, y, a=axis: fg.concat([x, y], a),
        [X, Y],
        lambda x, y, a=axis: np.concatenate([x, y], a),
        (0, 1),
        dtypes=ALL,
        empty=[NONE, NONE],
    )
row(
    "ConcatV2",
    lambda fg, x, y: fg.concat([x, y, x], 0),
    [X, Vary(0, 4)],
    lambda x, y: np.concatenate([x, y, x]),
    (0, 1),
    dtypes=ALL,
)
for axis in (0, 1, -1):
    row(
        "Pack",
        lambda fg, x, y, a=axis: fg.stack([x, y], a),
        [X, Y],
        lambda x, y, a=axis: np.stack([x, y], a),
        (0, 1),
        dtypes=ALL,
        empty=[NONE, NONE],
    )
row(
    "Pack",
    lambda fg, x, y: fg.stack([x, y]),
    [Vary(), Vary(seed=1)],
    lambda x, y: np.stack([x, y]),
    (0, 1),
    dtypes=ALL,
)
row(
    "Unpack",
    lambda fg, x: fg.unstack(x, 3),
    [X],
    tuple,
    (0,),
    dtypes=ALL,
    empty=[Vary(3, 0)],
    forms={"vector": [Vary(3)]},
)
row(
    "Unpack",
    lambda fg, x: fg.unstack(x, 4, axis=-1),
    [X],
    lambda x: tuple(x[:, i] for i in range(4)),
    (0,),
    dtypes=ALL,
)
row(
    "Split",
    lambda fg, x: fg.split(x, 2, 1),
    [X],
    lambda x: tuple(np.split(x, 2, 1)),
    (0,),
    dtypes=ALL,
    empty=[NONE],
)
row(
    "SplitV",
    lambda fg, x: fg.split(x, [1, -1, 0]),
    [X],
    lambda x: (x[:1], x[1:], x[:0]),
    (0,),
    dtypes=ALL,
    forms={"thin": [Vary(3, 0)]},
)
