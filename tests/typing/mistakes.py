"""A user's mistakes: a type checker reports the lines marked ``# error: CODE`` and no others."""

import ferrograph as fg

x = fg.constant([1.0, 2.0])

fg.reduce_summ(x)  # error: attr-defined
fg.math.errf(x)  # error: attr-defined
fg.nn.conv4d(x)  # error: attr-defined
print(fg.imagee)  # error: attr-defined
print(fg.float23)  # error: attr-defined
print(fg.RaggedTenser)  # error: attr-defined
print(fg.data.Datasett)  # error: attr-defined
print(fg.linalg.choleski)  # error: attr-defined

fg.reduce_sum(x, axes=0)  # error: call-arg
fg.reduce_sum()  # error: call-arg
fg.math.erf(x, None, x)  # error: call-arg
fg.add(x)  # error: call-arg
fg.concat([x, x])  # error: call-arg
fg.one_hot([1], depht=3)  # error: call-arg
fg.nn.softmax(x, dim=0)  # error: call-arg
fg.random.stateless_uniform([2])  # error: call-arg

fg.math.erf(x, name=3)  # error: arg-type
fg.reduce_sum(x, keepdims="yes")  # error: arg-type

x.shape = [2]  # error: misc, assignment
x.numpyy()  # error: attr-defined
print(fg.reduce_sum(x).foo)  # error: attr-defined
fg.float32()  # error: operator
x[0].assign(3)  # error: attr-defined


@fg.function
def scaled(a: fg.Tensor, by: int = 2) -> fg.Tensor:
    return a * by


scaled("text")  # error: arg-type
scaled(x, bye=3)  # error: call-arg
scaled()  # error: call-arg
scaled(x).numpyy()  # error: attr-defined
scaled.experimental_get_tracing_counts()  # error: attr-defined


class Layer:
    @fg.function
    def apply(self, a: fg.Tensor) -> fg.Tensor:
        return a


Layer().apply("text")  # error: arg-type
Layer().apply(x, x)  # error: call-arg
fg.Variable(1.0).assing(2.0)  # error: attr-defined
