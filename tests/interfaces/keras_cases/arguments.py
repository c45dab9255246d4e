"""Optimizers on variables that are arguments of a traced function.

The values are what the optimizers give eagerly. TensorFlow 2.21.0 gives these for one variable; of
two of one shape it uses the first one's slots for both (-0.422 and 1.956 in the last case).
"""

import ferrograph as fg
import numpy as np

keras = fg.keras


def trained(make, variables, is_traced, is_built):
    optimizer = make()
    if is_built:
        optimizer.build(variables)

    def step(v, x):
        with fg.GradientTape() as tape:
            loss = fg.reduce_sum(v * v * x)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return loss

    run = fg.function(step) if is_traced else step
    for factor in (1.0, 2.0, 1.0):
        for v in variables:
            run(v, fg.constant(factor))
    return [v.numpy() for v in variables]


def case_optimizers_take_variables_that_are_arguments():
    makes = [
        lambda: keras.optimizers.SGD(0.1),
        lambda: keras.optimizers.SGD(0.1, momentum=0.9),
        lambda: keras.optimizers.Adam(0.1),
        lambda: keras.optimizers.RMSprop(0.1),
        lambda: keras.optimizers.Adagrad(0.1),
    ]
    for make in makes:
        for is_built in (True, False):
            eager = trained(make, [fg.Variable([1.0, 2.0])], False, is_built)
            traced = trained(make, [fg.Variable([1.0, 2.0])], True, is_built)
            assert np.allclose(eager, traced, rtol=1e-5), (eager, traced)


def case_variables_of_one_shape_have_slots_of_their_own():
    make = lambda: keras.optimizers.SGD(0.1, momentum=0.9)  # noqa: E731
    eager = trained(make, [fg.Variable(1.0), fg.Variable(5.0)], False, True)
    traced = trained(make, [fg.Variable(1.0), fg.Variable(5.0)], True, True)
    assert np.allclose(eager, traced, rtol=1e-5), (eager, traced)
