"""Items, lengths and members of containers that traced code reads from outside are what they are
now: what plain Python gives at each call is right."""

import collections
import dataclasses
import functools
import gc
import logging
import types
import weakref

import ferrograph as fg
import numpy as np
import pytest

X = fg.constant(10.0)
CFG: dict = {}
RATES: list = []
SEEN: dict = {}


def traces(f):
    return f.experimental_get_tracing_count()


@pytest.fixture(autouse=True)
def restore():
    global CFG, RATES
    CFG = {"lr": 0.5, "on": True, "name": "a", "deep": {"list": [1.0, {"k": 2.0}]}, "none": None}
    RATES = [1.0, 2.0, 3.0]
    SEEN.clear()
    yield


def by_name(name):
    return CFG[name]


def passed(cfg):
    return cfg["lr"]


def aliased():
    cfg = CFG
    return cfg["lr"] * 2.0


def product():
    found = 1.0
    for rate in RATES:
        found *= rate
    return found


def keys():
    return float(len("".join(key for key in CFG)))


# What is read, how it changes, where the change is by name; what is not read may change as well.
READS = {
    "item": (lambda: CFG["lr"], lambda: CFG.update(lr=7.0), "CFG['lr']"),
    "nested": (
        lambda: CFG["deep"]["list"][1]["k"],
        lambda: CFG["deep"]["list"][1].update(k=9.0),
        "CFG['deep']['list'][1]['k']",
    ),
    "replaced": (
        lambda: CFG["deep"]["list"][0],
        lambda: CFG.update(deep={"list": [8.0]}),
        "CFG['deep']['list'][0]",
    ),
    "get": (lambda: CFG.get("lr", 1.0), lambda: CFG.update(lr=7.0), "CFG['lr']"),
    "default": (lambda: CFG.get("more", 1.0), lambda: CFG.update(more=2.0), "'more' in CFG"),
    "gone": (lambda: CFG.get("lr", 1.0), lambda: CFG.pop("lr"), "CFG['lr']"),
    "in": (lambda: 1.0 if "k" in CFG else 2.0, lambda: CFG.update(k=1), "'k' in CFG"),
    "not in": (lambda: 1.0 if "lr" not in CFG else 2.0, lambda: CFG.pop("lr"), "'lr' in CFG"),
    "none": (lambda: 1.0 if CFG["none"] is None else 2.0, lambda: CFG.update(none=0), "none"),
    "bool": (lambda: 1.0 if CFG["on"] else 2.0, lambda: CFG.update(on=False), "CFG['on']"),
    "string": (lambda: float(len(CFG["name"])), lambda: CFG.update(name="abc"), "CFG['name']"),
    "dynamic": (lambda: by_name("lr"), lambda: CFG.update(lr=7.0), "CFG['lr']"),
    "passed": (lambda: passed(CFG), lambda: CFG.update(lr=7.0), "CFG['lr']"),
    "aliased": (aliased, lambda: CFG.update(lr=7.0), "CFG['lr']"),
    "unpacked": (lambda: dict(**CFG)["lr"], lambda: CFG.update(lr=7.0), "CFG['lr']"),
    "keys": (keys, lambda: CFG.update(longer=1), "len(CFG)"),
    "values": (lambda: list(CFG.values())[0], lambda: CFG.update(lr=7.0), "CFG['lr']"),
    "index": (lambda: RATES[0], lambda: RATES.__setitem__(0, 4.0), "RATES[0]"),
    "negative": (lambda: RATES[-1], lambda: RATES.append(4.0), "RATES[-1]"),
    "slice": (lambda: sum(RATES[1:]), lambda: RATES.__setitem__(1, 4.0), "RATES[1]"),
    "len": (lambda: float(len(RATES)), lambda: RATES.append(4.0), "len(RATES)"),
    "iterated": (product, lambda: RATES.append(4.0), "len(RATES)"),
    "element": (product, lambda: RATES.__setitem__(2, 4.0), "RATES[2]"),
    "sum": (lambda: sum(RATES), lambda: RATES.__setitem__(2, 4.0), "RATES[2]"),
    "unpacked list": (lambda: max(*RATES), lambda: RATES.__setitem__(2, 4.0), "RATES[2]"),
    "comprehended": (lambda: sum([r * 2 for r in RATES]), lambda: RATES.pop(), "len(RATES)"),
    "truth": (lambda: 1.0 if RATES else 2.0, lambda: RATES.clear(), "bool(RATES)"),
    "not": (lambda: 1.0 if not RATES else 2.0, lambda: RATES.clear(), "bool(RATES)"),
    "member": (lambda: 1.0 if 5.0 in RATES else 2.0, lambda: RATES.append(5.0), "len(RATES)"),
}


@pytest.mark.parametrize("how", READS)
@pytest.mark.parametrize("autograph", [True, False])
def test_a_change_is_noticed_and_named(how, autograph):
    read, change, path = READS[how]
    f = fg.function(lambda x: x * read(), autograph=autograph)
    before = float(f(X))
    assert float(f(X)) == before == 10.0 * read()
    assert traces(f) == 1
    change()
    assert float(f(X)) == 10.0 * read() != before
    assert traces(f) == 2
    record = f.explain_last_trace()
    assert record.facet == "captured global"
    paths = [cause.path.replace(f"{__name__}.", "") for cause in record.causes]
    assert any(path in found for found in paths), paths
    assert record.path in f.explain()
    assert float(f(X)) == 10.0 * read()
    assert traces(f) == 2


def test_a_former_value_finds_its_trace():
    f = fg.function(lambda x: x * CFG["lr"])
    for rate in (0.5, 1.5, 0.5, 1.5, 0.5):
        CFG["lr"] = float(str(rate))  # another object of the same value
        assert float(f(X)) == 10 * rate
    assert traces(f) == 2


def test_what_is_not_read_may_change():
    @fg.function
    def f(x):
        cfg = CFG
        if "lr" in CFG and RATES and len(cfg["deep"]["list"]) == 2:
            return x * cfg["lr"] * RATES[1]
        return x

    assert float(f(X)) == 10
    CFG["epoch"] = 1
    CFG["deep"]["list"][0] = 5.0
    CFG["deep"]["more"] = 5.0
    RATES.append(4.0)
    RATES[0] = 0.0
    assert float(f(X)) == 10
    assert traces(f) == 1


def test_classes_and_signs_are_told_apart():
    @fg.function
    def f():
        return fg.constant(CFG["lr"])

    found = []
    for value in (1, 1.0, True, 0.0, -0.0):
        CFG["lr"] = value
        found.append((f().dtype.name, str(f().numpy())))
    assert found == [
        ("int32", "1"),
        ("float32", "1.0"),
        ("bool", "True"),
        ("float32", "0.0"),
        ("float32", "-0.0"),
    ]


def test_closures():
    cfg, rates = {"a": {"b": 2.0}}, [1.0]

    @fg.function
    def f(x):
        return x * cfg["a"]["b"] + sum(rates)

    assert float(f(X)) == 21
    cfg["a"]["b"] = 3.0
    assert float(f(X)) == 31
    record = f.explain_last_trace()
    assert (record.path, record.facet) == ("cfg['a']['b']", "captured closure")
    assert (record.old, record.new) == (2.0, 3.0)
    rates.append(5.0)
    assert float(f(X)) == 36
    cfg = {"a": {"b": 1.0}}
    assert float(f(X)) == 16


class Model:
    shared = {"k": 1.0}

    def __init__(self):
        self.cfg = {"a": {"b": 2.0}, "units": [1.0, 2.0]}
        self.child = types.SimpleNamespace(cfg={"k": 3.0})

    @property
    def scale(self):
        return self.cfg["a"]["b"]

    def helper(self):
        return sum(self.cfg["units"])

    @fg.function
    def direct(self, x):
        return x * self.cfg["a"]["b"]

    @fg.function
    def by_property(self, x):
        return x * self.scale

    @fg.function
    def by_helper(self, x):
        return x * self.helper() if x > 0.0 else x

    @fg.function
    def by_child(self, x):
        return x * self.child.cfg["k"]

    @fg.function
    def by_class(self, x):
        return x * self.shared["k"]


def put(container, key, value):
    container[key] = value


ATTRIBUTES = {
    "direct": (lambda m: put(m.cfg["a"], "b", 5.0), "self.cfg['a']['b']"),
    "by_property": (lambda m: put(m.cfg["a"], "b", 5.0), "self.cfg['a']['b']"),
    "by_helper": (lambda m: m.cfg["units"].append(5.0), "len(self.cfg['units'])"),
    "by_child": (lambda m: put(m.child.cfg, "k", 5.0), "self.child.cfg['k']"),
    "by_class": (lambda m: put(m.shared, "k", 5.0), "self.shared['k']"),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes(name):
    change, path = ATTRIBUTES[name]
    model = Model()
    f = getattr(model, name)
    before = float(f(X))
    try:
        change(model)
        assert float(f(X)) == float(f.python_function(X)) != before
        assert f.explain_last_trace().path == path
        assert f.explain_last_trace().facet == "captured attribute"
        assert traces(f) == 2
    finally:
        Model.shared["k"] = 1.0


def test_an_attribute_that_is_bound_to_another_container():
    model = Model()
    assert float(model.direct(X)) == 20
    model.cfg = {"a": {"b": 2.0}}
    assert float(model.direct(X)) == 20
    assert traces(model.direct) == 1
    model.cfg = {"a": {"b": 4.0}}
    assert float(model.direct(X)) == 40


def test_attributes_of_captured_objects():
    model = Model()
    f = fg.function(lambda x: x * model.cfg["a"]["b"])
    assert float(f(X)) == 20
    model.cfg["a"]["b"] = 3.0
    assert float(f(X)) == 30


class Plain(dict):
    """A class that reads as dictionaries do."""


class AsAttributes(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class Own:
    """A class with an item access of its own over data that can be looked at."""

    def __init__(self):
        self.data = {"k": 2.0}

    def __getitem__(self, key):
        return self.data[key]

    def __len__(self):
        return len(self.data)


@dataclasses.dataclass
class Settings:
    rate: float = 2.0
    sizes: list = dataclasses.field(default_factory=lambda: [1.0])


Pair = collections.namedtuple("Pair", "a b")

KINDS = {
    "ordered": (
        lambda: collections.OrderedDict(k=2.0),
        lambda c: c["k"],
        lambda c: c.update(k=3.0),
    ),
    "order": (
        lambda: collections.OrderedDict(a=1.0, b=2.0),
        lambda c: next(iter(c.values())),
        lambda c: c.move_to_end("a"),
    ),
    "default": (
        lambda: collections.defaultdict(float, k=2.0),
        lambda c: c["k"],
        lambda c: c.update(k=3.0),
    ),
    "counter": (lambda: collections.Counter(k=2), lambda c: float(c["k"]), lambda c: c.update("k")),
    "missing": (lambda: collections.Counter(), lambda c: float(c["k"]), lambda c: c.update("k")),
    "subclass": (lambda: Plain(k=2.0), lambda c: c["k"], lambda c: c.update(k=3.0)),
    "keys as attributes": (lambda: AsAttributes(k=2.0), lambda c: c.k, lambda c: put(c, "k", 3.0)),
    "own class": (lambda: Own(), lambda c: c["k"], lambda c: put(c.data, "k", 3.0)),
    "own length": (lambda: Own(), lambda c: float(len(c)), lambda c: put(c.data, "j", 3.0)),
    "set": (lambda: {1, 2}, lambda c: float(sum(c)), lambda c: c.add(5)),
    "member": (lambda: {"a"}, lambda c: 1.0 if "b" in c else 2.0, lambda c: c.add("b")),
    "tuples": (lambda: [(1.0, 2.0)], lambda c: c[0][1], lambda c: put(c, 0, (1.0, 3.0))),
    "tuple of lists": (lambda: ([1.0],), lambda c: c[0][0], lambda c: put(c[0], 0, 3.0)),
    "named tuple": (lambda: [Pair(1.0, [2.0])], lambda c: c[0].b[0], lambda c: put(c[0].b, 0, 3.0)),
    "tuple keys": (lambda: {(1, 2): 2.0}, lambda c: c[1, 2], lambda c: put(c, (1, 2), 3.0)),
    "numbers of NumPy": (
        lambda: [np.float32(2.0)],
        lambda c: c[0],
        lambda c: put(c, 0, np.float32(3)),
    ),
    "functions": (lambda: {"f": abs}, lambda c: c["f"](-2.0), lambda c: put(c, "f", float)),
    "data": (lambda: [Settings()], lambda c: c[0].rate, lambda c: setattr(c[0], "rate", 3.0)),
    "iterated data": (
        lambda: [Settings(), Settings()],
        lambda c: sum(s.rate for s in c),
        lambda c: setattr(c[1], "rate", 3.0),
    ),
    "lists of data": (
        lambda: [Settings()],
        lambda c: c[0].sizes[0],
        lambda c: put(c[0].sizes, 0, 3.0),
    ),
    "replaced data": (
        lambda: [Settings()],
        lambda c: c[0].rate,
        lambda c: put(c, 0, Settings(3.0)),
    ),
    "tensors": (lambda: [fg.constant(2.0)], lambda c: c[0], lambda c: put(c, 0, fg.constant(3.0))),
}
CONTAINER = None


SETTINGS = Settings()


def test_a_field_that_holds_a_list():
    f = fg.function(lambda x: x * SETTINGS.sizes[0])
    assert float(f(X)) == 10
    SETTINGS.sizes[0] = 3.0
    assert float(f(X)) == 30
    assert f.explain_last_trace().path == "SETTINGS.sizes[0]"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scope", ["global", "closure"])
def test_kinds_of_containers(kind, scope):
    global CONTAINER
    make, read, change = KINDS[kind]
    container = CONTAINER = make()
    if scope == "global":
        f = fg.function(lambda x: x * of_global[kind]())
        of_global = {kind: (lambda: read(CONTAINER))}
    else:
        f = fg.function(lambda x: x * read(container))
    before = float(f(X))
    assert float(f(X)) == before == 10.0 * float(read(container))
    assert traces(f) == 1
    change(container)
    assert float(f(X)) == 10.0 * float(read(container)) != before
    assert traces(f) == 2


def test_equal_numbers_of_numpy_are_no_change():
    RATES[0] = np.float32(2.0)
    f = fg.function(lambda x: x * RATES[0])
    for _ in range(3):
        RATES[0] = np.float32(2.0)
        assert float(f(X)) == 20
    assert traces(f) == 1


def test_what_traced_code_writes_is_its_own():
    CFG["calls"], history, counts = 0, [], collections.defaultdict(int)

    @fg.function
    def f(x):
        CFG["calls"] += 1
        history.append(x.shape.rank)
        counts["f"] += 1
        for name in ("a", "b"):
            SEEN[name, x.shape.rank] = len(SEEN)
        return x * float(len(history) >= 0) * CFG["lr"]

    for _ in range(3):
        f(X)
        f(fg.constant([1.0]))
    assert traces(f) == CFG["calls"] == len(history) == counts["f"] == 2
    CFG["lr"] = 1.0
    assert float(f(X)) == 10
    assert traces(f) == 3


def test_memos_of_shapes_do_not_go_on_and_on():
    memo = {}

    @fg.function
    def f(x):
        n = x.shape[0]
        if n not in memo:
            memo[n] = float(n)
        return fg.reduce_sum(x) * memo[n]

    sizes = [1, 2, 3, 4]
    for _ in range(4):
        assert [float(f(fg.ones([n]))) for n in sizes] == [n * n for n in sizes]
    settled = traces(f)
    for n in sizes:
        f(fg.ones([n]))
    assert traces(f) == settled


def test_a_function_that_is_called_hands_its_guards_on():
    @fg.function
    def inner(x):
        return x * CFG["lr"]

    @fg.function
    def outer(x):
        return inner(x) + 1.0

    inner(X)
    assert float(outer(X)) == 6
    CFG["lr"] = 2.0
    assert float(outer(X)) == 21
    assert outer.explain_last_trace().path.endswith("CFG['lr']")
    assert (traces(inner), traces(outer)) == (2, 2)


def test_traces_are_bounded():
    @fg.function(max_traces=3)
    def f(x):
        return x * CFG["lr"]

    for k in range(20):
        CFG["lr"] = float(k)
        assert float(f(X)) == 10.0 * k
    assert f.cache_info()["traces"] == 3


def test_frozen_on_request():
    f = fg.function(lambda x: x * CFG["lr"], freshness="ignore")
    assert float(f(X)) == 5
    CFG["lr"] = 2.0
    assert float(f(X)) == 5


class Computed:
    def __init__(self):
        self.values = iter([2.0] * 9)

    def __getitem__(self, key):
        return next(self.values)


class Slotted:
    __slots__ = ("cfg",)

    def __init__(self):
        self.cfg = {"k": 2.0}

    def read(self):
        return self.cfg["k"]


SLOTTED = Slotted()
MANY = [1.0] * 300
ARRAY = np.array([2.0, 3.0])
COMPUTED = Computed()
OBJECTS = {object()}
FROZEN = {
    "many": (lambda: sum(MANY), "MANY", "more than"),
    "array": (lambda: ARRAY[0], "ARRAY", "array"),
    "own item access": (lambda: COMPUTED["k"], "COMPUTED", "__getitem__"),
    "slots": (lambda: SLOTTED.cfg["k"], "SLOTTED.cfg", "weak"),
    "set of objects": (lambda: float(len(list(OBJECTS))), "OBJECTS", "set"),
}


@pytest.mark.parametrize("how", FROZEN)
def test_what_is_not_guarded_is_said_once(how, caplog):
    read, name, reason = FROZEN[how]
    f = fg.function(lambda x: x * read())
    with caplog.at_level(logging.WARNING, logger="ferrograph"):
        for x in (X, X, fg.constant([1.0]), fg.constant([1])):
            f(fg.cast(x, fg.float32) if x.dtype != fg.float32 else x)
    said = [r.getMessage() for r in caplog.records if "does not notice" in r.getMessage()]
    assert len(said) == 1
    assert f"{name} changes" in said[0]
    assert reason in said[0]
    assert "test_freshness_of_items.py:" in said[0]
    caplog.clear()
    frozen = fg.function(lambda x: x * read(), freshness="ignore")
    frozen(X)
    assert not caplog.records


COUNTS = [1, 0]


def counting(x):
    def count(n):
        if n == 0:
            raise KeyError("zero")
        count(n - 1)

    try:
        count(2)
    except KeyError as e:
        COUNTS[1] = len(e.args[0])
    return x + COUNTS[1]


def test_names_of_the_converter_are_none_of_the_programs(caplog):
    with caplog.at_level(logging.WARNING, logger="ferrograph"):
        fg.function(lambda x: counting(x))(fg.constant(1))
    assert not [r.getMessage() for r in caplog.records if "ag__" in r.getMessage()]


def test_guards_do_not_keep_objects():
    class Part:
        rate = 2.0

    parts = [Part(), Part()]
    held = weakref.ref(parts[0])
    f = fg.function(lambda x: x * sum(p.rate for p in parts))
    assert float(f(X)) == 40
    del parts[0]
    gc.collect()
    assert held() is None
    assert float(f(X)) == 20


def test_containers_that_hold_themselves():
    loop = {"k": 2.0}
    loop["self"] = loop
    f = fg.function(lambda x: x * dict(loop)["k"])
    assert float(f(X)) == 20
    loop["k"] = 3.0
    assert float(f(X)) == 30
    assert traces(f) == 2


def test_layers_of_a_list():
    layers = [functools.partial(fg.multiply, 2.0)]

    @fg.function
    def f(x):
        for layer in layers:
            x = layer(x)
        return x

    assert float(f(X)) == 20
    layers.append(functools.partial(fg.multiply, 3.0))
    assert float(f(X)) == 60
    layers[0] = functools.partial(fg.multiply, 1.0)
    assert float(f(X)) == 30
    f(X)
    assert traces(f) == 3


def test_a_report_names_the_item():
    f = fg.function(lambda x: x * CFG["lr"])
    for k in range(3):
        CFG["lr"] = float(k)
        f(X)
    assert "CFG['lr']" in fg.trace_report()


# Guards that held are not looked up again while dictionaries have the same version: whatever
# changes one, or the name that it has, is noticed.
rates = {"a": 1.0, "b": 2.0}
inner = {"held": {"a": 1.0}}
several = [1.0, 2.0]


def read_rates():
    return rates["a"] + len(rates) + ("c" in rates) + sum(rates.values())


def read_inner():
    return inner["held"]["a"] + len(inner["held"])


def read_several():
    return several[0] + len(several)


def rebound(name, value):
    globals()[name] = value


CHANGES = {
    "set": lambda: rates.__setitem__("a", 5.0),
    "set_to_another_equal_one": lambda: rates.__setitem__("a", float("1.0")),
    "updated": lambda: rates.update(b=7.0),
    "added": lambda: rates.setdefault("c", 3.0),
    "deleted": lambda: rates.__delitem__("b"),
    "popped": lambda: rates.pop("b"),
    "popped_last": lambda: rates.popitem(),
    "joined": lambda: rates.__ior__({"c": 1.0}),
    "rebound": lambda: rebound("rates", {"a": 9.0, "b": 2.0}),
    "another_name": lambda: rebound("unrelated", object()),
    "inner_set": lambda: inner["held"].__setitem__("a", 4.0),
    "inner_replaced": lambda: inner.__setitem__("held", {"a": 6.0}),
    "inner_added": lambda: inner["held"].__setitem__("b", 4.0),
    "list_set": lambda: several.__setitem__(0, 8.0),
    "list_grown": lambda: several.append(3.0),
    "list_rebound": lambda: rebound("several", [3.0]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("read", [read_rates, read_inner, read_several])
def test_guards_that_held_notice_every_change(read, change):
    global rates, inner, several
    rates, inner, several = {"a": 1.0, "b": 2.0}, {"held": {"a": 1.0}}, [1.0, 2.0]

    @fg.function
    def f(x):
        return x * read()

    one = fg.constant(1.0)
    for _ in range(3):
        assert float(f(one)) == read()
    change()
    for _ in range(3):
        assert float(f(one)) == read()
    rates, inner, several = {"a": 1.0, "b": 2.0}, {"held": {"a": 1.0}}, [1.0, 2.0]
    assert float(f(one)) == read()
