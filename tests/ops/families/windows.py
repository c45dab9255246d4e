"""Convolutions and pools, against loops over windows."""

import itertools

import numpy as np
from table import FLOATS, REAL, Vary, row

from families.slopes import of_gradient

HIDDEN = "a gradient emits it, and its own gradient has it again"


def placed(n, k, stride, dilation, padding):
    """How many windows lie on an axis, and how far the first begins before it."""
    reach = (k - 1) * dilation + 1
    if padding == "SAME":
        count = -(-n // stride)
        return count, max((count - 1) * stride + reach - n, 0) // 2
    before, after = padding if isinstance(padding, tuple) else (0, 0)
    return (n + before + after - reach) // stride + 1, before


def windows(x, size, stride, dilation, padding):
    """Each window of ``x``, its places in one axis, with NaN where it leaves the image."""
    axes = range(len(size))
    inner = x.shape[1:-1]
    pads = padding if isinstance(padding, list) else [padding] * len(size)
    places = [placed(inner[i], size[i], stride, dilation, pads[i]) for i in axes]
    counts = [count for count, _ in places]
    out = np.full((x.shape[0], *counts, int(np.prod(size)), x.shape[-1]), np.nan, x.dtype)
    for window in itertools.product(*map(range, counts)):
        for tap, offset in enumerate(itertools.product(*map(range, size))):
            at = [window[i] * stride + offset[i] * dilation - places[i][1] for i in axes]
            if all(0 <= at[i] < inner[i] for i in axes):
                out[(slice(None), *window, tap)] = x[(slice(None), *at)]
    return out


def convolved(x, f, stride=1, dilation=1, padding="VALID"):
    seen = np.nan_to_num(windows(x, f.shape[:-2], stride, dilation, padding))
    deep, filters = f.shape[-2:]
    groups = x.shape[-1] // deep
    f = f.reshape(int(np.prod(f.shape[:-2])), deep, groups, filters // groups)
    seen = seen.reshape(*seen.shape[:-1], groups, deep)
    out = np.einsum("...tgd,tdgf->...gf", seen, f)
    return out.reshape(*out.shape[:-2], filters)


def deepwise(x, f, stride=1, dilation=1, padding="VALID"):
    seen = np.nan_to_num(windows(x, f.shape[:2], stride, dilation, padding))
    f = f.reshape(f.shape[0] * f.shape[1], *f.shape[2:])
    out = np.einsum("...tc,tcm->...cm", seen, f)
    return out.reshape(*out.shape[:-2], out.shape[-2] * out.shape[-1])


def spread(function, shape):
    """The transpose of a linear function of arrays of that shape, by its columns."""

    def transposed(g):
        out = np.zeros(shape, g.dtype)
        for at in np.ndindex(shape):
            one = np.zeros(shape, g.dtype)
            one[at] = 1
            out[at] = np.sum(function(one) * g)
        return out

    return transposed


CASES = (
    {"padding": "VALID"},
    {"padding": "SAME"},
    {"padding": "SAME", "stride": 2},
    {"padding": "VALID", "dilation": 2},
    {"padding": [(1, 0), (0, 2)]},
)


def words(case):
    """The arguments of the public functions for a case."""
    padding = case["padding"]
    if isinstance(padding, list):
        padding = [(0, 0), *padding, (0, 0)]
    return case.get("stride", 1), padding, case.get("dilation", 1)


X, F, D = Vary(2, 5, 6, 4), Vary(2, 3, 2, 4, seed=1), Vary(2, 2, 4, 2, seed=2)
for case in CASES:
    stride, padding, dilation = words(case)
    row(
        "Conv2D",
        lambda fg, x, f, s=stride, p=padding, d=dilation: fg.nn.conv2d(x, f, s, p, dilations=d),
        [X, F],
        lambda x, f, c=case: convolved(x, f, **c),
        (0, 1),
        dtypes=FLOATS,
        tol=16,
        forms={
            "no images": [Vary(0, 5, 6, 4), F],
            "no filters": [X, Vary(2, 2, 4, 0)],
            "one channel": [Vary(1, 5, 5, 1), Vary(2, 2, 1, 3, seed=1)],
        },
        about=str(case),
    )
    row(
        "DepthwiseConv2dNative",
        lambda fg, x, f, s=stride, p=padding, d=dilation: fg.nn.depthwise_conv2d(
            x, f, [1, s, s, 1], p, dilations=[d, d]
        ),
        [X, D],
        lambda x, f, c=case: deepwise(x, f, **c),
        (0, 1),
        dtypes=FLOATS,
        tol=16,
        forms={"no images": [Vary(0, 5, 6, 4), D], "one each": [X, Vary(3, 1, 4, 1, seed=2)]},
        about=str(case),
    )
row(
    "Conv2D",
    lambda fg, x, f: fg.nn.conv2d(x, f, 1, "VALID"),
    [Vary(3, 2, 2, 3), Vary(1, 1, 3, 2, seed=1)],
    convolved,
    (0, 1),
    dtypes=FLOATS,
    tol=16,
    about="of one place",
)
row(
    "Conv2D",
    lambda fg, x, f: fg.nn.conv2d(x, f, [1, 1, 2, 1], "SAME", "NCHW"),
    [Vary(1, 2, 4, 4), Vary(2, 2, 2, 3, seed=1)],
    lambda x, f: np.moveaxis(across(np.moveaxis(x, 1, -1), f), -1, 1),
    (0, 1),
    dtypes=FLOATS,
    tol=16,
    about="channels first",
)


def across(x, f):
    """A stride of 2 along the height alone: images are padded by hand."""
    padded = np.pad(x, [(0, 0), (0, 0), (0, 1), (0, 0)])
    return convolved(padded, f)[:, ::2]


row(
    "Conv2DBackpropInput",
    lambda fg, g, f: fg.nn.conv2d_transpose(g, f, [2, 5, 4, 2], 2, "SAME"),
    [Vary(2, 3, 2, 4), Vary(2, 3, 2, 4, seed=1)],
    lambda g, f: spread(lambda x: convolved(x, f, padding="SAME", stride=2), (2, 5, 4, 2))(g),
    (0, 1),
    dtypes=FLOATS,
    tol=16,
)
row(
    "Conv3D",
    lambda fg, x, f: fg.nn.conv3d(x, f, 2, "SAME"),
    [Vary(1, 3, 4, 2, 2), Vary(2, 2, 1, 2, 3, seed=1)],
    lambda x, f: convolved(x, f, padding="SAME", stride=2),
    (0, 1),
    dtypes=FLOATS,
    tol=16,
    forms={"no images": [Vary(0, 3, 4, 2, 2), Vary(2, 2, 1, 2, 3)]},
)
row(
    "Conv3DBackpropInputV2",
    lambda fg, g, f: fg.nn.conv3d_transpose(g, f, [1, 3, 4, 2, 2], 1, "VALID"),
    [Vary(1, 2, 3, 2, 3), Vary(2, 2, 1, 2, 3, seed=1)],
    lambda g, f: spread(lambda x: convolved(x, f), (1, 3, 4, 2, 2))(g),
    (0, 1),
    dtypes=FLOATS,
    tol=16,
)


def of_filter(op, image, filters, call, expect, out_shape):
    """The gradient of filters, linear in the gradient of the output and in the input."""
    row(
        op,
        lambda fg, x, g: slope_of_filters(fg, lambda f: call(fg, x, f), filters, x, g),
        [Vary(*image), Vary(*out_shape, seed=1)],
        lambda x, g: spread(lambda f: expect(x, f), filters)(g),
        (0, 1),
        dtypes=FLOATS,
        tol=24,
    )


def slope_of_filters(fg, function, shape, x, g):
    filters = fg.zeros(shape, x.dtype)
    with fg.GradientTape() as tape:
        tape.watch(filters)
        y = function(filters)
    return fg.convert_to_tensor(tape.gradient(y, filters, output_gradients=g))


of_filter(
    "Conv2DBackpropFilter",
    (1, 4, 3, 2),
    (2, 2, 2, 3),
    lambda fg, x, f: fg.nn.conv2d(x, f, 2, "SAME"),
    lambda x, f: convolved(x, f, padding="SAME", stride=2),
    (1, 2, 2, 3),
)
of_filter(
    "Conv3DBackpropFilterV2",
    (1, 2, 3, 3, 2),
    (2, 2, 1, 2, 2),
    lambda fg, x, f: fg.nn.conv3d(x, f, 1, "VALID"),
    convolved,
    (1, 1, 2, 3, 2),
)
of_filter(
    "DepthwiseConv2dNativeBackpropFilter",
    (1, 4, 3, 2),
    (2, 2, 2, 2),
    lambda fg, x, f: fg.nn.depthwise_conv2d(x, f, [1, 2, 2, 1], "SAME"),
    lambda x, f: deepwise(x, f, padding="SAME", stride=2),
    (1, 2, 2, 4),
)
row(
    "DepthwiseConv2dNativeBackpropInput",
    lambda fg, g, f: fg.nn.depthwise_conv2d_backprop_input(
        [1, 3, 3, 2], f, g, [1, 1, 1, 1], "VALID"
    ),
    [Vary(1, 2, 2, 4), Vary(2, 2, 2, 2, seed=1)],
    lambda g, f: spread(lambda x: deepwise(x, f), (1, 3, 3, 2))(g),
    (0, 1),
    dtypes=FLOATS,
    tol=16,
)


def largest(x, size, stride, padding):
    x = x.astype(np.float64) if x.dtype.kind in "iu" else x
    return np.nanmax(windows(x, size, stride, 1, padding), -2)


def mean(x, size, stride, padding):
    return np.nanmean(windows(x, size, stride, 1, padding), -2)


def first_largest(x, size, stride, padding):
    """Which place of its window each largest element is."""
    return np.nanargmax(windows(x, size, stride, 1, padding), -2)


IMAGE, VOLUME = Vary(2, 5, 4, 2), Vary(1, 3, 4, 3, 2)
EMPTY = {"no images": [Vary(0, 5, 4, 2)]}
for stride, padding in ((2, "VALID"), (2, "SAME"), (1, "SAME")):
    row(
        "MaxPool",
        lambda fg, x, s=stride, p=padding: fg.nn.max_pool2d(x, [2, 3], s, p),
        [IMAGE],
        lambda x, s=stride, p=padding: largest(x, (2, 3), s, p),
        (0,),
        dtypes=REAL,
        forms=EMPTY,
        about=f"{padding} {stride}",
    )
    row(
        "AvgPool",
        lambda fg, x, s=stride, p=padding: fg.nn.avg_pool2d(x, [2, 3], s, p),
        [IMAGE],
        lambda x, s=stride, p=padding: mean(x, (2, 3), s, p),
        (0,),
        dtypes=FLOATS,
        tol=8,
        forms=EMPTY,
        about=f"{padding} {stride}",
    )
row(
    "MaxPool3D",
    lambda fg, x: fg.nn.max_pool3d(x, 2, 1, "SAME"),
    [VOLUME],
    lambda x: largest(x, (2, 2, 2), 1, "SAME"),
    (0,),
    dtypes=FLOATS,
)
row(
    "AvgPool3D",
    lambda fg, x: fg.nn.avg_pool3d(x, 2, 2, "SAME"),
    [VOLUME],
    lambda x: mean(x, (2, 2, 2), 2, "SAME"),
    (0,),
    dtypes=FLOATS,
    tol=8,
)


def place(x):
    """Where the largest elements of windows of 2 by 2 stand in their flattened images."""
    numbers = np.arange(x[0].size, dtype=np.float64).reshape(1, *x.shape[1:])
    numbers = np.broadcast_to(numbers, x.shape)
    seen, at = windows(numbers, (2, 2), 2, 1, "VALID"), first_largest(x, (2, 2), 2, "VALID")
    return np.take_along_axis(seen, at[..., None, :], -2)[..., 0, :].astype(np.int64)


row(
    "MaxPoolWithArgmax",
    lambda fg, x: fg.nn.max_pool_with_argmax(x, 2, 2, "VALID"),
    [IMAGE],
    lambda x: (largest(x, (2, 2), 2, "VALID"), place(x)),
    (0,),
    dtypes=REAL,
    out=("T", "int64"),
)


def to_largest(x, g, size, stride, padding):
    """Each gradient at the first largest element of its window."""
    numbers = np.arange(x.size, dtype=np.float64).reshape(x.shape)
    seen, at = windows(numbers, size, stride, 1, padding), first_largest(x, size, stride, padding)
    flat = np.take_along_axis(seen, at[..., None, :], -2)[..., 0, :].astype(int)
    out = np.zeros(x.size, g.dtype)
    np.add.at(out, flat.ravel(), g.ravel())
    return out.reshape(x.shape)


of_gradient(
    "MaxPoolGrad",
    lambda fg: lambda x: fg.nn.max_pool2d(x, 2, 1, "SAME"),
    lambda x, g: to_largest(x, g, (2, 2), 1, "SAME"),
    [IMAGE, Vary(2, 5, 4, 2, seed=1)],
)
of_gradient(
    "MaxPool3DGrad",
    lambda fg: lambda x: fg.nn.max_pool3d(x, 2, 1, "SAME"),
    lambda x, g: to_largest(x, g, (2, 2, 2), 1, "SAME"),
    [VOLUME, Vary(1, 3, 4, 3, 2, seed=1)],
)
of_gradient(
    "AvgPoolGrad",
    lambda fg: lambda x: fg.nn.avg_pool2d(x, 2, 2, "SAME"),
    lambda x, g: spread(lambda x: mean(x, (2, 2), 2, "SAME"), x.shape)(g),
    [IMAGE, Vary(2, 3, 2, 2, seed=1)],
    tol=8,
)
of_gradient(
    "AvgPool3DGrad",
    lambda fg: lambda x: fg.nn.avg_pool3d(x, 2, 2, "VALID"),
    lambda x, g: spread(lambda x: mean(x, (2, 2, 2), 2, "VALID"), x.shape)(g),
    [Vary(1, 2, 4, 3, 1), Vary(1, 1, 2, 1, 1, seed=1)],
    tol=8,
)


def taken(x, g, size):
    """The elements of ``g`` where those of ``x`` are the first largest of their windows."""
    seen, at = windows(g, size, 1, 1, "VALID"), first_largest(x, size, 1, "VALID")
    return np.take_along_axis(seen, at[..., None, :], -2)[..., 0, :]


for op, form, image, size in (
    ("MaxPoolGradGrad", "max_pool2d", (1, 4, 3, 2), (2, 2)),
    ("MaxPool3DGradGrad", "max_pool3d", (1, 2, 3, 3, 1), (2, 2, 2)),
):
    ones = [1] * len(image)
    attrs = {"ksize": [1, *size, 1], "strides": ones, "padding": "VALID"}
    row(
        op,
        lambda fg, x, g, op=op, form=form, attrs=attrs: fg._core.emit(
            op, (x, getattr(fg.nn, form)(x, 2, 1, "VALID"), g), attrs, None
        ),
        [Vary(*image), Vary(*image, seed=1)],
        lambda x, g, size=size: taken(x, g, size),
        (1,),
        dtypes=FLOATS,
        hidden=HIDDEN,
    )
