"""A user's program without mistakes: a type checker reports nothing."""

from typing import Any

import ferrograph as fg
import ferrograph as tf
import numpy as np
from ferrograph import math as fm


class Dense(fg.Module):
    def __init__(self, n_in: int, n_out: int):
        super().__init__()
        self.w = fg.Variable(fg.zeros([n_in, n_out]), name="w")
        self.b = fg.Variable(fg.zeros([n_out]))

    @fg.function
    def __call__(self, x: fg.Tensor) -> fg.Tensor:
        return fg.nn.relu(x @ self.w + self.b)


@fg.function(input_signature=[fg.TensorSpec([None, 3], fg.float32)])
def total(x: fg.Tensor) -> fg.Tensor:
    result = fg.constant(0.0)
    for row in x:
        if fg.reduce_sum(row) > 0:
            result += fg.reduce_max(row, axis=-1, keepdims=False)
    return result


@tf.function
def loss(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(tf.square(x) - 1.0)


layer = Dense(3, 2)
x = fg.constant(np.ones((4, 3)), dtype=fg.float32)
with fg.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = fg.reduce_sum(layer(x)) + fm.erf(x)[0, 1]
slopes = tape.gradient(y, [x, layer.w])
first, *rest = fg.split(x, 3, axis=1)


def doubled(row: fg.Tensor) -> fg.Tensor:
    return row * 2


dataset = fg.data.Dataset.from_tensor_slices(x).map(doubled).batch(2)
for batch in dataset:
    print(batch.shape, float(fg.reduce_sum(batch)), batch.numpy().tolist())
ragged = fg.ragged.constant([[1.0], [2.0, 3.0]])
print(fg.reduce_sum(ragged, axis=1), ragged.row_lengths(), fg.float32.name, x.dtype == fg.float32)
print(-x, x[..., None], x > 0, 2.0 / x, fg.where(x > 0, x, 0.0), total(x), loss(x))


class Counter:
    """A traced method keeps its parameters and its result, as a function does."""

    def __init__(self) -> None:
        self.count = fg.Variable(0)

    @fg.function(reduce_retracing=True)
    def add(self, by: fg.Tensor, times: int = 1) -> dict[str, fg.Tensor]:
        return {"count": self.count.assign_add(by * times).value()}


counted: dict[str, fg.Tensor] = Counter().add(fg.constant(2), times=3)
value: Any = counted["count"].numpy()
shape: fg.TensorShape = x.shape
kind: fg.DType = (x + 1).dtype
concrete = total.get_concrete_function()
print(concrete.graph, total.experimental_get_tracing_count())
