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


class Settings:
    limit = 3


class Head:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return x * self.scale


class Model:
    offset = 1.0

    def __init__(self):
        self.rate, self.head, self.calls, self.hidden = 0.5, Head(2.0), 0, 4.0
        self.heads = [Head(1.0), Head(3.0)]

    @property
    def doubled(self):
        return self.hidden * 2.0

    @fg.function
    def straight(self, x):
        return x * self.rate + self.offset

    @fg.function
    def nested(self, x):
        return self.head(x) if x > 0.0 else x * self.head.scale

    @fg.function
    def through_property(self, x):
        return x * self.doubled

    @fg.function
    def through_helper(self, x):
        return scaled(self, x) if x > 0.0 else x

    @fg.function
    def over_list(self, x):
        for head in self.heads:
            x = head(x)
        return x

    @fg.function
    def counting(self, x):
        self.calls += 1
        return x * 1.0

    @fg.function
    def inner(self, x):
        return fg.cond(x > 0.0, lambda: x * self.rate, lambda: x)


def scaled(model, x):
    return x * model.rate


ATTRIBUTES = [
    ("straight", "rate", 6.0),
    ("straight", "offset", 6.0),
    ("nested", "head.scale", 20.0),
    ("through_property", "hidden", 80.0),
    ("through_helper", "rate", 5.0),
    ("inner", "rate", 5.0),
]


@pytest.mark.parametrize(("method", "path", "before"), ATTRIBUTES)
def test_an_attribute_of_an_argument(method, path, before):
    model = Model()
    f = getattr(model, method)
    assert float(f(X)) == before
    owner, _, name = path.rpartition(".")
    owner = getattr(model, owner) if owner else model
    value = getattr(owner, name)
    setattr(owner, name, value * 3.0)
    assert float(f(X)) == float(f.python_function(X)) != before
    record = f.explain_last_trace()
    assert (record.facet, record.old, record.new) == ("captured attribute", value, value * 3.0)
    assert record.path.endswith(name)
    setattr(owner, name, float(value))
    n = f.experimental_get_tracing_count()
    assert float(f(X)) == before
    assert f.experimental_get_tracing_count() == n


def test_attributes_of_objects_in_a_list():
    model = Model()
    assert float(model.over_list(X)) == 30
    model.heads[1].scale = 4.0
    assert float(model.over_list(X)) == 40


class Pair:
    """Objects that are handed to one another and to functions, in loops of Python's."""

    def __init__(self, rate, bias=0.0):
        self.rate, self.bias = rate, bias

    def own(self):
        return 0.0 + self.bias * 0.0

    def of(self, other):
        return other.rate

    def __private(self):
        return self.rate

    def privately(self):
        return self.__private()

    @staticmethod
    def static(other):
        return other.rate

    def __add__(self, other):
        return self.rate + other.bias


def rate_of(pair):
    return pair.rate


def rates_of(*, pair):
    return pair.rate


def rate_and_bias(first, second):
    return first.rate + second.bias


def yielded(pair):
    for _ in range(3):
        yield pair.rate


def twice(f):
    """What ``f`` gives the second of two times in a loop."""
    for _ in range(2):
        found = f()
    return found


HANDED = {
    "method": lambda a, b: twice(lambda: a.own() + b.own() + a.of(b)),
    "unbound": lambda a, b: twice(lambda: Pair.own(b) + Pair.of(a, b)),
    "private": lambda a, b: twice(lambda: b.privately()),
    "static": lambda a, b: twice(lambda: b.own() + a.static(b)),
    "function": lambda a, b: twice(lambda: b.own() + rate_of(b)),
    "keyword": lambda a, b: twice(lambda: b.own() + rates_of(pair=b)),
    "star": lambda a, b: twice(lambda: b.own() + rate_of(*[b])),
    "several": lambda a, b: twice(lambda: b.own() + rate_and_bias(b, a)),
    "lambda": lambda a, b: twice(lambda: b.own() + (lambda pair: pair.rate)(b)),
    "generator": lambda a, b: twice(lambda: b.own() + max(yielded(b))),
    "operator": lambda a, b: twice(lambda: b + a),
    "later": lambda a, b: [rate_of(b), b.own(), rate_of(b)][-1],
    "comprehended": lambda a, b: [p.own() + rate_of(p) for p in (a, b)][-1],
}


@pytest.mark.parametrize("how", HANDED)
def test_attributes_of_objects_that_are_handed_on(how):
    a, b = Pair(1.0), Pair(5.0)

    def read():
        return fg.constant(HANDED[how](b if how == "unbound" else a, b))

    f = fg.function(read)
    assert float(f()) == 5
    b.rate = 7.0
    assert float(f()) == 7
    a.rate = b.bias = 0.5
    assert float(f()) == 7


def test_an_attribute_of_another_argument_is_no_guard():
    a, b = Pair(1.0), Pair(5.0)
    f = fg.function(lambda: fg.constant(a.own() + b.own() + a.of(b)))
    assert float(f()) == 5
    a.rate = 2.0  # which is read of the other object alone
    assert float(f()) == 5
    assert traces(f) == 1


settings = Settings()


def test_attributes_of_globals_and_classes():
    @fg.function
    def f(x):
        return x + settings.limit + Settings.limit

    assert float(f(X)) == 16
    settings.limit = 5
    assert float(f(X)) == 18
    Settings.limit = 4
    try:
        assert float(f(X)) == 19
    finally:
        Settings.limit = 3


def test_attributes_of_modules(tmp_path, monkeypatch):
    import sys

    (tmp_path / "settings_module.py").write_text("limit = 2.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    import settings_module

    @fg.function
    def f(x):
        return x * settings_module.limit

    assert float(f(X)) == 20
    settings_module.limit = 3.0
    assert float(f(X)) == 30
    del sys.modules["settings_module"]


def test_what_traced_code_changes_itself_is_no_guard():
    model = Model()
    for _ in range(3):
        model.counting(X)
    assert traces(model.counting) == 1


def test_attributes_of_objects_that_are_passed_or_captured_are_not_seen_to_change():
    model = Model()
    passed = fg.function(lambda m, x: x * m.rate)
    captured = fg.function(lambda x: x * model.rate)
    assert float(passed(model, X)) == float(captured(X)) == 5
    model.rate = 2.0
    assert float(passed(model, X)) == float(captured(X)) == 5


def test_attributes_may_be_frozen():
    class Scaled:
        rate = 0.5

        def __call__(self, x):
            return x * self.rate

    scaled = Scaled()
    fresh, frozen = fg.function(scaled), fg.function(scaled, freshness="ignore")
    assert float(fresh(X)) == float(frozen(X)) == 5
    scaled.rate = 2.0
    assert (float(fresh(X)), float(frozen(X))) == (20, 5)


def test_a_guard_does_not_keep_its_object():
    import gc
    import weakref

    head = Head(2.0)
    found = weakref.ref(head)

    @fg.function
    def f(x, head):
        return x * head.scale

    f(X, head)
    del head
    gc.collect()
    assert found() is None
    assert float(f(X, Head(3.0))) == 30


def test_a_retrace_names_the_value_that_changed_since_it_served():
    k, m = 1, 1

    @fg.function
    def f(x):
        return x * k + m

    f(X)
    k = 2
    f(X)
    k, m = 1, 5
    f(X)
    causes = f.explain_last_trace().causes
    assert [(c.path, c.old, c.new) for c in causes] == [("m", 1, 5)]


def test_two_lambdas_on_one_line_are_two_functions():
    first, second = fg.function(lambda x: x + 1.0), fg.function(lambda x: x * 2.0)
    both = [first, second]
    assert [float(f(X)) for f in both] == [11.0, 20.0]
    assert [f.explain_last_trace().causes for f in both] == [(), ()]


def test_objects_of_a_trace_are_gone_as_soon_as_nothing_holds_them():
    import gc
    import weakref

    found = []

    @fg.function
    def f(x):
        first, second = Pair(1.0), Pair(4.0)
        found.extend(map(weakref.ref, (first, second)))
        for _ in range(3):
            rate = first.own() + first.of(second) + second.of(first) + rate_of(first)
        return x * rate

    gc.collect()
    gc.disable()
    try:
        assert float(f(X)) == 60
        assert [ref() for ref in found] == [None, None]
    finally:
        gc.enable()
