"""Operations of neural networks."""

import numpy as np
from table import NUMBERS, Vary, row


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True)) if x.size else x
    return e / e.sum(axis, keepdims=True)


LABELS = Vary(values=softmax(np.random.default_rng(1).uniform(-2, 2, (3, 4))))
CLASSES = np.array([1, 0, 3], np.int32)
X = Vary(3, 4)
row(
    "Softmax",
    lambda fg, x: fg.nn.softmax(x),
    [X],
    softmax,
    (0,),
    empty=[Vary(0, 4)],
    forms={
        "large": [Vary(3, 4, low=-80.0, high=80.0)],
        "vector": [Vary(5)],
        "cube": [Vary(2, 3, 4)],
    },
)
row("Softmax", lambda fg, x: fg.nn.softmax(x, axis=0), [X], lambda x: softmax(x, 0), (0,))
row(
    "LogSoftmax",
    lambda fg, x: fg.nn.log_softmax(x),
    [X],
    lambda x: np.log(softmax(x)),
    (0,),
    empty=[Vary(0, 4)],
)
row(
    "SoftmaxCrossEntropyWithLogits",
    lambda fg, y, x: fg.nn.softmax_cross_entropy_with_logits(y, x),
    [LABELS, X],
    lambda y, x: -(y * np.log(softmax(x))).sum(-1),
    (0, 1),
    tol=2,
    empty=[Vary(0, 4), Vary(0, 4)],
)
for index in (np.int32, np.int64):
    row(
        "SparseSoftmaxCrossEntropyWithLogits",
        lambda fg, y, x: fg.nn.sparse_softmax_cross_entropy_with_logits(y, x),
        [CLASSES.astype(index), X],
        lambda y, x: -np.log(softmax(x))[np.arange(len(y)), y],
        (1,),
        tol=2,
        empty=[np.zeros(0, index), Vary(0, 4)],
    )
row(
    "BiasAdd",
    lambda fg, x, b: fg.nn.bias_add(x, b),
    [X, Vary(4, seed=2)],
    np.add,
    (0, 1),
    dtypes=NUMBERS,
    empty=[Vary(0, 4), Vary(4)],
    forms={"cube": [Vary(2, 3, 4), Vary(4, seed=2)]},
)
row(
    "BiasAdd",
    lambda fg, x, b: fg.nn.bias_add(x, b, "NC"),
    [Vary(2, 3, 4), Vary(3, seed=2)],
    lambda x, b: x + b[:, None],
    (0, 1),
    dtypes=NUMBERS,
)
