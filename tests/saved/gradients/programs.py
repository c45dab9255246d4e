"""A model of functions with gradients of their own, and these gradients, for any library.

Those saved here with loops over datasets are not loaded by TensorFlow: see ``datasets``.
"""

NAMES = [
    "clipped",
    "between",
    "variable",
    "two",
    "outer",
    "none",
    "scaled",
    "passed",
    "stopped",
    "recomputed",
    "recomputed_with_variable",
    "rows",
    "branch",
    "branch_between",
    "branch_variable",
    "branch_around",
    "branch_nested",
    "picked",
    "loop",
    "loop_constant",
    "loop_between",
    "loop_around",
    "loop_nested",
    "nested",
    "nested_between",
    "inside",
    "other",
    "branch_other",
    "nested_other",
    "mapped",
]

# What functions are called with that do not take one number.
ARGUMENTS = {
    "two": [2.0, 3.0],
    "passed": [[1.2, -0.4]],
    "scaled": [[1.0, 2.0]],
    "rows": [[0, 0, 2]],
}


def make(tf, datasets=True):
    model = tf.Module()
    model.w = tf.Variable(3.0, name="w")
    model.v = tf.Variable([1.0, 2.0], name="v")
    model.e = tf.Variable([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], name="e")
    scalar, vector = tf.TensorSpec([], tf.float32), tf.TensorSpec([None], tf.float32)

    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda dy: tf.clip_by_value(2.0 * x * dy, -1.0, 1.0)

    @tf.custom_gradient
    def between(x):
        y = tf.sin(x)
        return y * y, lambda dy: dy * y * 10.0

    @tf.custom_gradient
    def constant(x):
        return x * x, lambda dy: dy * 100.0

    @tf.custom_gradient
    def of_variable(x):
        y = x * model.w

        def grad(dy, variables=None):
            return dy * 7.0 * model.w, [dy * x * 11.0]

        return y, grad

    @tf.custom_gradient
    def two(x, y):
        return (x + y, x * y), lambda a, b: (a * 5.0 + b * x * y, None)

    @tf.custom_gradient
    def outer(x):
        return clipped(x), lambda dy: dy * 20.0

    @tf.custom_gradient
    def none(x):
        return x * 2.0, lambda dy: None

    @tf.custom_gradient
    def of_other(x):
        return x * 2.0, lambda dy: dy * model.w

    def mapped(x):
        numbers = tf.data.Dataset.range(3).map(lambda n: clipped(tf.cast(n, tf.float32)))
        return numbers.reduce(0.0, lambda a, b: a + b) * x

    def added(name, function, *specs):
        setattr(model, name, tf.function(function, input_signature=specs or [scalar]))

    def branched(x, function):
        return tf.cond(x > 0.0, lambda: function(x), lambda: -x)

    def around(x):
        z = tf.exp(x)

        @tf.custom_gradient
        def taking(a):
            return a * a, lambda dy: dy * z

        return tf.cond(x > 0.0, lambda: taking(x * 2.0), lambda: -x)

    def looped(x, step):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, step(y)), [0, x])[1]

    def sloped(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = between(x)
        return tape.gradient(y, x)

    inner = tf.function(lambda x: clipped(x) + 1.0, input_signature=[scalar])
    deeper = tf.function(lambda x: between(x) + 1.0, input_signature=[scalar])
    others = tf.function(lambda x: of_other(x) + 1.0, input_signature=[scalar])
    again = tf.recompute_grad(lambda x: tf.sin(x) * x)
    again_with_variable = tf.recompute_grad(lambda x: tf.sin(x) * model.w * x)
    looked_up = tf.recompute_grad(lambda i: tf.gather(model.e, i) * model.w)
    rounded = tf.grad_pass_through(tf.round)

    added("clipped", lambda x: clipped(x))
    added("between", lambda x: between(x) * 2.0)
    added("variable", lambda x: of_variable(x))
    added("two", lambda x, y: two(x, y), scalar, scalar)
    added("outer", lambda x: outer(x))
    added("none", lambda x: none(x) + x)
    added("scaled", lambda x: constant(x) * model.v, vector)
    added("passed", lambda x: rounded(x * 3.0), vector)
    added("stopped", lambda x: tf.stop_gradient(x) * x)
    added("recomputed", lambda x: again(x) * 2.0)
    added("recomputed_with_variable", lambda x: again_with_variable(x) * 2.0)
    added("rows", lambda i: looked_up(i), tf.TensorSpec([None], tf.int32))
    added("branch", lambda x: branched(x, clipped))
    added("branch_between", lambda x: branched(x, between))
    added("branch_variable", lambda x: branched(x, of_variable))
    added("branch_around", around)
    added("branch_nested", lambda x: branched(x, deeper))
    added(
        "picked",
        lambda x: tf.switch_case(tf.cast(x, tf.int32), [lambda: x] * 2 + [lambda: between(x)]),
    )
    added("loop", lambda x: looped(x, clipped))
    added("loop_constant", lambda x: looped(x, constant))
    added("loop_between", lambda x: looped(x, between))
    added("loop_around", lambda x: looped(x, lambda y: y * clipped(x)))
    added("loop_nested", lambda x: looped(x, deeper))
    added("nested", lambda x: inner(x * 2.0) * 3.0)
    added("nested_between", lambda x: deeper(x * 2.0) * 3.0)
    added("inside", sloped)
    added("other", lambda x: of_other(x))
    added("branch_other", lambda x: branched(x, of_other))
    added("nested_other", lambda x: others(x) * 2.0)
    if datasets:
        added("mapped", mapped)
    return model


def gradients(tf, model, name, order=1, staged=False):
    """What a function gives, and its gradients: nested lists, None where there is none."""
    args = [tf.constant(value) for value in ARGUMENTS.get(name, [2.0])]
    watched = [arg for arg in args if arg.dtype == tf.float32]
    sources = [*watched, model.w, model.v, model.e]

    def dense(found):
        return [None if g is None else tf.convert_to_tensor(g) for g in found]

    def first():
        with tf.GradientTape() as tape:
            tape.watch(watched)
            result = getattr(model, name)(*args)
        return result, dense(tape.gradient(result, sources))

    def second():
        with tf.GradientTape() as tape:
            tape.watch(watched)
            _, found = first()
            kept = [g for g in found if g is not None]
        return kept, dense(tape.gradient(kept, sources)) if kept else []

    run = first if order == 1 else second
    result, found = (tf.function(run) if staged else run)()
    return [t.numpy().tolist() for t in tf.nest.flatten(result)], [
        None if g is None else g.numpy().tolist() for g in found
    ]
