"""Every trace is explained: where the call differs from the nearest, in what, and what to do."""

import dataclasses
import enum
import gc
import logging
import sys
import threading
import time

import ferrograph as fg
import pytest

X = fg.ones([2, 3])
RATE = 2
FLAG = None
NAME = "a"


def line_above():
    """The place of the line before the caller's, as records name it."""
    frame = sys._getframe(1)
    return f"{__file__}:{frame.f_lineno - 1}"


def single(f):
    """The one cause of the function's last trace."""
    record = f.explain_last_trace()
    assert record.kind == "retrace"
    (cause,) = record.causes
    assert (record.path, record.facet) == (cause.path, cause.facet)
    return cause.path, cause.facet, cause.old, cause.new


def test_a_first_trace_has_a_record():
    @fg.function
    def f(x):
        return x + 1.0

    assert f.trace_records() == [] and f.explain_last_trace() is None
    f(X)
    here = line_above()
    (record,) = f.trace_records()
    assert (record.kind, record.index, record.nearest) == ("first trace", 1, None)
    assert record.causes == () and record.path == ""
    assert record.function == "f" and record.definition.startswith(__file__)
    assert record.call_site.startswith(here)
    assert record.seconds > 0


def test_a_hit_has_none():
    @fg.function
    def f(x, k=1):
        return x * float(k)

    for _ in range(5):
        f(X)
    assert len(f.trace_records()) == 1


def test_spellings_of_one_call_share_a_trace():
    @fg.function
    def f(x, k=1, *rest, mode="a", **extra):
        return x * float(k)

    f(X)
    f(X, 1)
    f(X, k=1)
    f(x=X)
    f(k=1, x=X)
    f(X, mode="a")
    assert len(f.trace_records()) == 1


@dataclasses.dataclass
class Point:
    x: object
    y: object


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Thing:
    pass


@dataclasses.dataclass(frozen=True)
class Options:
    depth: int


ONE = Thing()
V, W = fg.Variable(1.0), fg.Variable(2.0)

CHANGES = {
    "rank": (X, fg.ones([2]), "arg", "rank", 2, 1),
    "dtype": (X, fg.ones([2, 3], fg.float64), "arg", "dtype", "float32", "float64"),
    "integer": (1, 2, "arg", "value", 1, 2),
    "large-integer": (2**70, 2**71, "arg", "value", 2**70, 2**71),
    "float": (0.5, 0.25, "arg", "value", 0.5, 0.25),
    "negative-zero": (0.0, -0.0, "arg", "value", 0.0, 0.0),
    "bool": (True, False, "arg", "value", True, False),
    "string": ("a", "b", "arg", "value", "a", "b"),
    "bytes": (b"a", b"b", "arg", "value", b"a", b"b"),
    "enum": (Color.RED, Color.BLUE, "arg", "value", "<Color.RED: 1>", "<Color.BLUE: 2>"),
    "frozen": (Options(1), Options(2), "arg", "value", "Options(depth=1)", "Options(depth=2)"),
    "type": (1, 1.0, "arg", "type", "int", "float"),
    "bool-to-int": (True, 1, "arg", "type", "bool", "int"),
    "number-to-tensor": (1, X, "arg", "type", "int", "Tensor"),
    "number-to-none": (1, None, "arg", "type", "int", "None"),
    "tensor-to-variable": (fg.constant(1.0), V, "arg", "type", "Tensor", "Variable"),
    "list-to-tuple": ([X], (X,), "arg", "type", "list", "tuple"),
    "object-to-enum": (ONE, Color.RED, "arg", "type", "Thing", "Color"),
    "new-key": (
        {"a": X},
        {"a": X, "b": X},
        "arg['b']",
        "key added",
        None,
        "Tensor(float32, [2, 3])",
    ),
    "missing-key": ({"a": X, "b": 1}, {"a": X}, "arg['b']", "key removed", "1", None),
    "integer-key": ({1: X}, {1: X, 2: 5}, "arg[2]", "key added", None, "5"),
    "length": ([X], [X, X], "arg", "length", 1, 2),
    "nested": (
        {"x": [X, (1, X)]},
        {"x": [X, (2, X)]},
        "arg['x'][1][0]",
        "value",
        1,
        2,
    ),
    "field": (Point(1, X), Point(2, X), "arg.x", "value", 1, 2),
    "aliased": ([V, W], [V, V], "arg[1]", "alias", "a variable of its own", "the variable arg[0]"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_one_change(name):
    first, second, *expected = CHANGES[name]
    log = []

    @fg.function
    def f(x, arg):
        log.append(1)
        return x

    f(X, first)
    f(X, second)
    here = line_above()
    assert len(log) == 2
    assert single(f) == tuple(expected)
    assert f.explain_last_trace().call_site.startswith(here)
    assert f.explain_last_trace().nearest == 1
    f(X, first)
    f(X, second)
    assert len(f.trace_records()) == 2


def test_a_shape():
    @fg.function
    def f(batch):
        return batch["ids"][0] * 2.0

    f({"ids": [X]})
    f({"ids": [fg.ones([2, 4])]})
    here = line_above()
    assert single(f) == ("batch['ids'][0]", "shape", (2, 3), (2, 4))
    record = f.explain_last_trace()
    assert record.call_site.startswith(here)
    assert record.action == "relaxed axis 1 of batch['ids'][0]: other sizes there need no trace"
    assert record.fix == ""
    assert "shape axis 1: 3 -> 4" in str(record)
    f({"ids": [fg.ones([2, 9])]})
    assert len(f.trace_records()) == 2
    f({"ids": [fg.ones([5, 9])]})
    assert single(f) == ("batch['ids'][0]", "shape", (2, None), (5, 9))


def test_a_shape_that_the_trace_needs():
    @fg.function
    def f(x):
        return [x[i] for i in range(x.shape[0])]

    for n in (2, 3, 4):
        f(fg.ones([n]))
    record = f.explain_last_trace()
    assert single(f) == ("x", "shape", (3,), (4,))
    assert record.causes[0].history == ((2,), (3,), (4,))
    assert "(seen: 2, 3, 4)" in str(record)
    assert "fg.shape(x)" in record.fix
    assert f.trace_records()[1].action.startswith("traced at the exact shapes; with them relaxed: ")


def test_shapes_that_are_not_relaxed():
    @fg.function(reduce_retracing=False)
    def f(x):
        return x

    f(fg.ones([2]))
    f(fg.ones([3]))
    assert single(f) == ("x", "shape", (2,), (3,))
    assert f.explain_last_trace().action == "traced"
    assert "reduce_retracing" in f.explain_last_trace().fix


def test_star_arguments_go_by_their_names():
    @fg.function
    def f(x, *rest, **extra):
        return x

    f(X, 1, scale=2)
    f(X, 3, scale=2)
    assert single(f) == ("rest[0]", "value", 1, 3)
    f(X, 3, scale=4)
    assert single(f) == ("extra['scale']", "value", 2, 4)
    f(X, 3, scale=4, shift=5)
    assert single(f) == ("extra['shift']", "key added", None, "5")


def test_keyword_only_arguments():
    @fg.function
    def f(x, *, mode, depth=1):
        return x

    f(X, mode="a")
    f(X, mode="b")
    assert single(f) == ("mode", "value", "a", "b")
    f(X, mode="b", depth=2)
    assert single(f) == ("depth", "value", 1, 2)


def test_a_new_object():
    @fg.function
    def f(x, thing):
        return x

    a, b = Thing(), Thing()
    f(X, a)
    f(X, b)
    path, facet, old, new = single(f)
    assert (path, facet) == ("thing", "identity")
    assert f"{id(a):x}" in old and f"{id(b):x}" in new
    assert "__eq__" in f.explain_last_trace().fix


def test_an_object_that_is_gone():
    @fg.function
    def f(x, thing):
        return x

    f(X, Thing())
    gc.collect()
    f(X, Thing())
    assert single(f)[:2] == ("thing", "identity")


def test_methods_name_self():
    class Model:
        @fg.function
        def step(self, x, k):
            return x

    a, b = Model(), Model()
    a.step(X, 1)
    b.step(X, 1)
    assert Model.step.explain_last_trace().path == "self"
    b.step(X, 2)
    assert single(b.step) == ("k", "value", 1, 2)


def test_a_device():
    @fg.function
    def f(x):
        return x

    f(X)
    with fg.device("/CPU:0"):
        f(X)
        here = line_above()
        f(X)
    assert single(f) == ("device", "device", None, "/device:CPU:0")
    assert f.explain_last_trace().call_site.startswith(here)
    with fg.device("cpu:0"), fg.device(""):
        f(X)
    with fg.device("CPU:0"), fg.device(None):
        f(X)
    assert len(f.trace_records()) == 2


def test_two_causes_are_both_listed():
    @fg.function
    def f(x, k, mode="a"):
        return x

    f(X, 1)
    f(fg.ones([2, 3], fg.float64), 2, mode="b")
    causes = f.explain_last_trace().causes
    assert [(c.path, c.facet, c.old, c.new) for c in causes] == [
        ("x", "dtype", "float32", "float64"),
        ("k", "value", 1, 2),
        ("mode", "value", "a", "b"),
    ]
    f(fg.ones([2], fg.float64), 1)
    assert {(c.path, c.facet) for c in f.explain_last_trace().causes} == {
        ("x", "dtype"),
        ("x", "rank"),
    }


def test_the_nearest_of_several_is_compared():
    @fg.function
    def f(a, b, c):
        return X

    for args in [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (5, 5, 5)]:
        f(*args)
    f(3, 3, 9)
    record = f.explain_last_trace()
    assert record.nearest == 3 and record.n_cached == 5
    assert single(f) == ("c", "value", 3, 9)


def test_a_trace_that_fails_leaves_a_record():
    @fg.function
    def f(x, k):
        if k == 2:
            raise KeyError("no such thing")
        return x

    f(X, 1)
    with pytest.raises(KeyError):
        f(X, 2)
    assert single(f) == ("k", "value", 1, 2)
    assert f.explain_last_trace().action == "tracing failed: KeyError: 'no such thing'"


def test_concrete_functions_and_calls_within_traces_have_records():
    @fg.function
    def inner(x, k):
        return x * float(k)

    @fg.function
    def outer(x):
        y = inner(x, 1)
        return inner(y, 2)

    outer(X)
    assert [r.kind for r in inner.trace_records()] == ["first trace", "retrace"]
    assert single(inner) == ("k", "value", 1, 2)
    assert __file__ in inner.explain_last_trace().call_site
    inner.get_concrete_function(fg.TensorSpec([None], fg.float32), 2)
    here = line_above()
    assert single(inner)[:2] == ("x", "rank")
    assert inner.explain_last_trace().call_site.startswith(here)


def test_after_the_cache_was_cleared():
    @fg.function
    def f(x):
        return x

    f(X)
    f.cache_clear()
    assert f.cache_info()["traces"] == 0
    f(X)
    record = f.explain_last_trace()
    assert (record.kind, record.facet) == ("retrace", "dropped")
    assert "cleared" in record.fix


def test_text():
    @fg.function
    def step(x, k):
        return x

    step(X, 1)
    step(X, 2)
    here = line_above()
    text = step.explain()
    first, *lines = text.splitlines()
    assert first.startswith(f"step ({__file__}:")
    assert any(line.startswith("retrace #2 of step (") and here in line for line in lines)
    assert "  k  value: 1 -> 2" in lines
    assert "  fix: pass k as a tensor, fg.constant(2): one trace then serves all" in lines


class Money:
    """Says its own trace type: the currency."""

    def __init__(self, amount, currency):
        self.amount, self.currency = fg.constant(amount), currency

    def __tf_tracing_type__(self, context):
        return Currency(self.currency)


class Currency(fg.types.experimental.TraceType):
    def __init__(self, name):
        self.name = name

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, context):
        return Money(0.0, self.name)

    def __eq__(self, other):
        return isinstance(other, Currency) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"Currency({self.name})"


def test_trace_types_of_the_program():
    @fg.function
    def f(x, money):
        return x

    f(X, Money(1.0, "EUR"))
    f(X, Money(2.0, "EUR"))
    f(X, Money(1.0, "CHF"))
    assert single(f) == ("money", "type", "Currency(EUR)", "Currency(CHF)")


class Batch(fg.experimental.ExtensionType):
    x: fg.Tensor
    scale: int


def test_extension_types():
    @fg.function
    def f(batch):
        return batch.x

    f(Batch(X, 1))
    f(Batch(X, 2))
    path, facet, old, new = single(f)
    assert (path, facet) == ("batch", "value")
    assert "1" in old and "2" in new


def test_columns():
    @fg.function
    def f(x):
        return x

    _ = [1, f(X)]
    if sys.version_info >= (3, 11):
        assert f.explain_last_trace().call_site == f"{__file__}:{sys._getframe().f_lineno - 2}:13"


def test_a_report_of_all_functions():
    @fg.function
    def costly_and_varied(x, k):
        return x

    for k in range(4):
        costly_and_varied(X, k)
    (line,) = [t for t in fg.trace_report().splitlines() if "costly_and_varied" in t]
    seconds, traces, functions, *_ = line.split()
    assert float(seconds) > 0 and (traces, functions) == ("4", "1")
    assert line.endswith("mostly for the value of k")


def test_printed_as_they_happen(run_python):
    program = """
        import os
        import ferrograph as fg

        @fg.function
        def f(x, k):
            return x

        f(fg.ones([2]), 1)
        os.environ["FERROGRAPH_EXPLAIN"] = "1"
        f(fg.ones([2]), 1)
        f(fg.ones([2]), 2)
        """
    lines = run_python(program).stderr.splitlines()
    assert lines[0].startswith("retrace #2 of f (")
    assert lines[1] == "  k  value: 1 -> 2"
    assert len(lines) == 4


def test_one_warning_where_values_go_on_and_on(caplog):
    @fg.function
    def f(x, k):
        return x

    with caplog.at_level(logging.WARNING, "ferrograph"):
        for k in range(40):
            f(X, k)
    (record,) = caplog.records
    assert "f is traced again and again" in record.getMessage()
    assert "fg.constant" in record.getMessage()


def test_no_warning_where_shapes_were_relaxed(caplog):
    @fg.function
    def f(x, y):
        return x

    with caplog.at_level(logging.WARNING, "ferrograph"):
        for n in range(40):
            f(fg.ones([n]), fg.ones([40 - n, n % 3]))
    assert not caplog.records
    assert f.experimental_get_tracing_count() < 5


def test_no_warning_for_methods_of_many_instances(caplog):
    class Layer:
        @fg.function
        def __call__(self, x):
            return x

    layers = [Layer() for _ in range(20)]
    with caplog.at_level(logging.WARNING, "ferrograph"):
        for layer in layers:
            layer(X)
    assert not caplog.records
    assert Layer.__call__.explain_last_trace().path == "self"


def test_one_warning_for_functions_made_anew(caplog):
    def step(x):
        return x

    with caplog.at_level(logging.WARNING, "ferrograph"):
        for _ in range(40):
            fg.function(step)(X)
    (record,) = caplog.records
    assert "made and traced anew" in record.getMessage()


def test_no_warning_for_functions_of_distinct_objects(caplog):
    class Model:
        def __init__(self):
            self.w = fg.Variable(1.0)

    def step_of(model):
        @fg.function
        def step(x):
            return model.w * x

        return step

    with caplog.at_level(logging.WARNING, "ferrograph"):
        for _ in range(40):
            step_of(Model())(fg.constant(1.0))
    assert not caplog.records


def test_a_warning_for_functions_of_one_object(caplog):
    w = fg.Variable(1.0)
    with caplog.at_level(logging.WARNING, "ferrograph"):
        for _ in range(40):
            fg.function(lambda x: w * x)(fg.constant(1.0))
    (record,) = caplog.records
    assert "10 times so far" in record.getMessage()


def test_no_warning_for_functions_of_installed_packages(caplog, tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "installed_steps"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def step(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(package.parent)
    import installed_steps

    with caplog.at_level(logging.WARNING, "ferrograph"):
        for _ in range(40):
            fg.function(installed_steps.step)(X)
    assert not caplog.records


def test_retraces_refused():
    @fg.function
    def f(x, k):
        return x

    @fg.function
    def g(x):
        return f(f(x, 8), 9)

    f(X, 1)
    with fg.no_retrace():
        f(X, 1)
        with pytest.raises(fg.errors.RetraceError, match="k  value: 1 -> 2") as caught:
            f(X, 2)
        here = line_above()
        g(X)  # a first trace, with all that happens in it
    record = caught.value.record
    assert (record.path, record.facet, record.old, record.new) == ("k", "value", 1, 2)
    assert record.call_site.startswith(here)
    assert "refused" in record.action
    assert f.trace_records()[1] == record
    f(X, 2)


def test_other_threads_may_retrace():
    @fg.function
    def f(x, k):
        return x

    f(X, 1)
    failed = []

    def work():
        try:
            f(X, 2)
        except Exception as error:
            failed.append(error)

    with fg.no_retrace():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert not failed


def test_least_recently_used_traces_make_room():
    traced = []

    @fg.function(max_traces=2)
    def f(x, k):
        traced.append(k)
        return x * float(k)

    def call(k):
        return float(f(fg.constant(10.0), k))

    assert [call(1), call(2), call(1), call(3)] == [10, 20, 10, 30]
    assert traced == [1, 2, 3]
    assert f.explain_last_trace().action == "traced; trace #2 made room, the least recently used"
    assert [call(1), call(3)] == [10, 30]
    assert traced == [1, 2, 3]
    assert call(2) == 20
    record = f.explain_last_trace()
    assert (record.facet, record.old) == ("evicted", "trace #2")
    assert record.fix == "raise max_traces, which is 2"
    info = f.cache_info()
    assert info == {"traces": 2, "hits": 3, "misses": 4, "evictions": 2, "max_traces": 2}


@pytest.mark.parametrize("bad", [0, -1, 2.5, "2", True])
def test_a_bound_that_is_none(bad):
    with pytest.raises(ValueError, match="max_traces"):
        fg.function(lambda x: x, max_traces=bad)


def test_an_evicted_trace_is_freed():
    import weakref

    @fg.function(max_traces=1)
    def f(x, k):
        return x

    gone = weakref.ref(f.get_concrete_function(X, 1))
    f(X, 2)
    gc.collect()
    assert gone() is None


def test_a_hit_among_many_costs_about_a_hit_among_one():
    @fg.function
    def f(x, k):
        return x

    def best():
        times = []
        for _ in range(7):
            start = time.process_time()
            for _ in range(2000):
                f(X, 0)
            times.append(time.process_time() - start)
        return min(times)

    f(X, 0)
    alone = best()
    for k in range(2000):
        f(X, k)
    # The bound is generous, for machines with other things to do; a search would cost many times.
    assert best() < 2 * alone + 1e-4


def test_the_log_is_bounded():
    @fg.function(max_traces=4)
    def f(x, k):
        return x

    for k in range(600):
        f(X, k)
    records = f.trace_records()
    assert len(records) == 64
    assert records[-1].causes[0].history == tuple(range(592, 600))
    assert f.cache_info()["traces"] == 4
