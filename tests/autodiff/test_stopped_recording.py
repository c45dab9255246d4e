"""``stop_recording`` and ``back_prop=False`` in loops and branches of the graph.

The right value of ``stop_recording`` is what the same function gives eagerly, as documented: what
runs in the block is not recorded. TensorFlow 2.21 records a staged loop as a whole. That of
``back_prop`` was seen on tensorflow-cpu 2.21.0: none in a graph, all eagerly.
"""

import ferrograph as fg
import pytest


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return None if value is None else fg.convert_to_tensor(value).numpy().tolist()


def both(f, *args):
    wanted = plain(f(*args))
    found = plain(fg.function(f)(*args))
    assert found == pytest.approx(wanted) if isinstance(wanted, float) else found == wanted
    return wanted


def test_nothing_in_the_block():
    w = fg.Variable([[1.0], [2.0]])

    def f(x):
        total = fg.zeros_like(w)
        with fg.GradientTape(persistent=True) as tape:
            ta = fg.TensorArray(fg.float32, size=0, dynamic_size=True).unstack(x @ w)
            for i in fg.range(fg.shape(x)[0]):
                loss = fg.reduce_sum(ta.read(i) ** 2)
                with tape.stop_recording():
                    pass
                total += loss
        return total, tape.gradient(total, w)

    x = fg.constant([[1.0, 0.0], [2.0, 1.0]])
    assert plain(fg.function(f)(x)) == [[[17.0], [17.0]], [[36.0], [16.0]]]


def test_a_value_of_the_block_is_a_constant():
    def in_a_loop(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in fg.range(3):
                with tape.stop_recording():
                    scale = x * 2.0
                y = y * scale
        return tape.gradient(y, x)

    assert both(in_a_loop, fg.constant(3.0)) == 216.0

    def in_a_branch(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            if x > 0.0:
                with tape.stop_recording():
                    a = x * x
                y = a * x
            else:
                y = -x
        return tape.gradient(y, x)

    assert [both(in_a_branch, fg.constant(v)) for v in (3.0, -3.0)] == [9.0, -1.0]

    def in_a_while(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = x
            while y < 50.0:
                y = y * x
                with tape.stop_recording():
                    y = y + x
        return y, tape.gradient(y, x)

    values, slope = fg.function(in_a_while)(fg.constant(3.0))
    assert float(values) == float(in_a_while(fg.constant(3.0))[0])
    assert slope is None or float(slope) == 0.0  # the last addition cuts all

    def in_a_nest(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in fg.range(2):
                if x > 1.0:
                    for _ in fg.range(2):
                        with tape.stop_recording():
                            k = fg.sin(x) + fg.cast(i, fg.float32)
                        y = y * k + x
        return tape.gradient(y, x)

    both(in_a_nest, fg.constant(1.5))


def test_variables_and_conditions_in_the_block():
    v = fg.Variable(3.0)

    def f(x):
        with fg.GradientTape() as tape:
            y = fg.constant(0.0)
            for _ in fg.range(2):
                with tape.stop_recording():
                    if x > 0.0:  # noqa: SIM108
                        scale = v * x
                    else:
                        scale = -v
                    v.assign_add(1.0)
                y = y + scale * v
        return tape.gradient(y, v)

    v.assign(3.0)
    wanted = float(f(fg.constant(2.0)))
    v.assign(3.0)
    assert float(fg.function(f)(fg.constant(2.0))) == wanted


def test_a_tape_of_the_loop_itself_still_records():
    def f(x):
        with fg.GradientTape() as outer:
            outer.watch(x)
            total = x * 0.0
            for _ in fg.range(2):
                with fg.GradientTape() as inner:
                    inner.watch(x)
                    with outer.stop_recording():
                        y = x * x * x
                    z = y * 2.0
                total += inner.gradient(z, x) * x
        return total

    assert both(f, fg.constant(2.0)) == 96.0


def test_two_tapes_are_refused():
    @fg.function
    def f(x):
        with fg.GradientTape() as other:
            other.watch(x)
            with fg.GradientTape() as tape:
                tape.watch(x)
                for _ in fg.range(2):
                    with tape.stop_recording():
                        x = x * 2.0
        return x

    with pytest.raises(fg.errors.StagingError, match="two tapes"):
        f(fg.constant(1.0))
    with (
        fg.GradientTape() as tape,
        pytest.raises(ValueError, match="not recording"),
        tape.stop_recording(),
        tape.stop_recording(),
    ):
        pass


LOOPS = {
    "while_loop": lambda x, **k: fg.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x], **k
    )[1],
    "map_fn": lambda x, **k: fg.map_fn(lambda v: v * v, x, **k),
    "scan": lambda x, **k: fg.scan(lambda a, v: a * v, x, **k),
    "foldl": lambda x, **k: fg.foldl(lambda a, v: a * v, x, **k),
    "foldr": lambda x, **k: fg.foldr(lambda a, v: a * v, x, **k),
}


@pytest.mark.parametrize("name", LOOPS)
def test_back_prop(name):
    loop, x = LOOPS[name], fg.constant([1.0, 2.0])

    def slope(x, **k):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = fg.reduce_sum(loop(x, **k)) + fg.reduce_sum(x)
        return tape.gradient(y, x)

    whole = plain(slope(x))
    assert plain(fg.function(slope)(x)) == whole
    assert plain(slope(x, back_prop=False)) == whole
    assert plain(fg.function(lambda x: slope(x, back_prop=False))(x)) == [1.0, 1.0]
