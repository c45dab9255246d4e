"""Python values that traced code reads from outside are what they are now, not what they were."""

import functools

import ferrograph as fg
import pytest

X = fg.constant(10.0)
SCALE = 2.0
LABEL = "up"
SWITCH = True
OPTIONAL = None
COUNT = 0
UNREAD = 1
shape = 7  # the name of an attribute that a function below reads


def traces(f):
    return f.experimental_get_tracing_count()


@pytest.fixture(autouse=True)
def restore():
    names = ("SCALE", "LABEL", "SWITCH", "OPTIONAL", "COUNT", "UNREAD", "shape")
    before = {name: globals()[name] for name in names}
    yield
    globals().update(before)


def test_a_global_number():
    global SCALE

    @fg.function
    def f(x):
        return x * SCALE

    assert float(f(X)) == 20
    SCALE = 3.0
    assert float(f(X)) == 30
    record = f.explain_last_trace()
    assert record.facet == "captured global"
    assert record.path == f"{__name__}.SCALE"
    assert (record.old, record.new) == (2.0, 3.0)
    assert "SCALE" in record.fix
    SCALE = 2.0
    assert float(f(X)) == 20
    SCALE = float("3")  # another object of the same value
    assert float(f(X)) == 30
    assert traces(f) == 2


def test_other_kinds_of_values():
    global LABEL, SWITCH, OPTIONAL

    @fg.function
    def f(x):
        y = x if SWITCH else -x
        if LABEL == "down":
            y = y - 1.0
        if OPTIONAL is None:
            return y
        return y + OPTIONAL

    assert float(f(X)) == 10
    SWITCH = False
    assert float(f(X)) == -10
    LABEL = "down"
    assert float(f(X)) == -11
    OPTIONAL = 100
    assert float(f(X)) == 89
    assert f.explain_last_trace().old is None
    OPTIONAL = X
    assert float(f(X)) == -1
    SWITCH, LABEL, OPTIONAL = True, "up", None
    assert float(f(X)) == 10
    assert traces(f) == 5


def test_values_are_told_apart_by_class_and_sign():
    k = 1

    @fg.function
    def f():
        return fg.constant(k)

    assert f().dtype == fg.int32
    k = 1.0
    assert f().dtype == fg.float32
    k = True
    assert f().dtype == fg.bool
    k = 0.0
    assert str(f().numpy()) == "0.0"
    k = -0.0
    assert str(f().numpy()) == "-0.0"
    k = float("nan")
    f()
    k = float("nan")
    f()
    assert traces(f) == 6


def test_a_closure():
    k = 3

    @fg.function
    def f(x):
        return x * float(k)

    assert float(f(X)) == 30
    k = 4
    assert float(f(X)) == 40
    record = f.explain_last_trace()
    assert (record.path, record.facet, record.old, record.new) == ("k", "captured closure", 3, 4)


def test_two_causes():
    k = 3

    @fg.function
    def f(x, mode):
        return x * float(k)

    f(X, "a")
    k = 4
    f(X, "b")
    found = [(c.path, c.facet) for c in f.explain_last_trace().causes]
    assert found == [("mode", "value"), ("k", "captured closure")]


def test_frozen_on_request():
    k = 3

    @fg.function(freshness="ignore")
    def f(x):
        return x * float(k)

    assert float(f(X)) == 30
    k = 4
    assert float(f(X)) == 30
    assert traces(f) == 1
    with pytest.raises(ValueError, match="freshness"):
        fg.function(lambda x: x, freshness="always")


def helper(x):
    return x * SCALE


@fg.autograph.experimental.do_not_convert
def plain(x):
    return deeper(x)


def deeper(x):
    return x * SCALE


class Scaler:
    def __call__(self, x):
        return x * SCALE

    def method(self, x):
        return self(x)


CALLERS = {
    "helper": lambda x: helper(x),
    "unconverted": lambda x: plain(x),
    "object": lambda x: Scaler()(x),
    "method": lambda x: Scaler().method(x),
    "partial": lambda x: functools.partial(helper)(x),
    "nested": lambda x: (lambda y: helper(y))(x),
    "staged": lambda x: fg.cond(x > 0.0, lambda: helper(x), lambda: x),
    "mapped": lambda x: fg.map_fn(helper, fg.reshape(x, [1]))[0],
}


@pytest.mark.parametrize("caller", CALLERS)
def test_functions_called(caller):
    global SCALE
    f = fg.function(CALLERS[caller])
    assert float(f(X)) == 20
    SCALE = 3.0
    assert float(f(X)) == 30
    assert f.explain_last_trace().path == f"{__name__}.SCALE"
    assert traces(f) == 2


@pytest.mark.parametrize("target", [Scaler(), Scaler().method, functools.partial(helper)])
def test_callables_of_all_kinds(target):
    global SCALE
    f = fg.function(target)
    assert float(f(X)) == 20
    SCALE = 3.0
    assert float(f(X)) == 30


def test_without_autograph():
    global SCALE

    @fg.function(autograph=False)
    def f(x):
        return deeper(x)

    assert float(f(X)) == 20
    SCALE = 3.0
    assert float(f(X)) == 30


def test_functions_within_functions():
    global SCALE

    @fg.function
    def inner(x):
        return x * SCALE

    @fg.function
    def outer(x):
        return inner(x) + 1.0

    inner(X)  # so that the outer trace finds the inner one
    assert float(outer(X)) == 21
    SCALE = 3.0
    assert float(outer(X)) == 31
    assert outer.explain_last_trace().path == f"{__name__}.SCALE"
    assert (traces(inner), traces(outer)) == (2, 2)


def test_relaxed_traces_are_guarded_too():
    global SCALE

    @fg.function
    def f(x):
        return fg.reduce_sum(x) * SCALE

    assert [float(f(fg.ones([n]))) for n in (1, 2, 3)] == [2, 4, 6]
    SCALE = 3.0
    assert [float(f(fg.ones([n]))) for n in (1, 2, 3, 4)] == [3, 6, 9, 12]
    assert traces(f) <= 4


def test_what_traced_code_writes_is_its_own():
    n_calls = 0

    def bump():
        global COUNT
        COUNT += 1

    @fg.function
    def f(x):
        nonlocal n_calls
        n_calls += 1
        bump()
        return x

    for _ in range(3):
        f(X)
        f(fg.constant([1.0]))
    assert n_calls == COUNT == 2


def test_names_that_are_not_read_do_not_count():
    global UNREAD, shape

    @fg.function
    def f(x):
        if x.shape.rank == 0:
            return x
        return x + UNREAD

    def unused(x):
        return x + UNREAD

    f(X)
    shape = 8
    f(X)
    assert traces(f) == 1
    assert unused is not f


def test_a_name_that_is_gone():
    @fg.function
    def f(x):
        return x * TEMPORARY  # noqa: F821

    globals()["TEMPORARY"] = 2.0
    assert float(f(X)) == 20
    del globals()["TEMPORARY"]
    with pytest.raises(NameError):
        f(X)
    globals()["TEMPORARY"] = 3.0
    try:
        assert float(f(X)) == 30
    finally:
        del globals()["TEMPORARY"]


def test_concrete_functions_stay_as_they_were_traced():
    k = 3

    @fg.function
    def f(x):
        return x * float(k)

    concrete = f.get_concrete_function(X)
    k = 4
    assert float(concrete(X)) == 30
    assert float(f.get_concrete_function(X)(X)) == 40


def test_a_schedule_keeps_the_traces_that_fit_the_bound():
    rate = 1.0

    @fg.function(max_traces=3)
    def f(x):
        return x * rate

    for k in range(20):
        rate = float(k)
        assert float(f(X)) == 10.0 * k
    assert f.cache_info()["traces"] == 3
