"""Variables that hold text work in functions as numbers do."""

import ferrograph as fg
import pytest


@pytest.fixture(params=[(), (0,), (2,), (2, 3)], ids=str)
def variable(request):
    return fg.Variable(fg.fill(request.param, "a"))


def listed(x):
    return fg.reshape(x, [-1]).numpy().tolist(), x.shape.as_list()


def written(v):
    v.assign(fg.strings.join([v, v]))
    return v.read_value()


def carried(v):
    return fg.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s + v), [0, v.read_value()])[1]


@pytest.mark.parametrize(
    "use",
    [
        lambda v: v + "b",
        lambda v: fg.strings.join([v, v], separator="-"),
        lambda v: fg.shape(v),
        lambda v: fg.reshape(v, [-1]),
        lambda v: v.read_value(),
        lambda v: fg.stack([v, v]),
        lambda v: fg.where(fg.equal(v, "a"), v, "c"),
        lambda v: fg.cond(fg.size(v) > 1, lambda: v + "x", lambda: v + "y"),
        carried,
        written,
    ],
)
def test_a_function_reads_and_writes_them(variable, use):
    traced = fg.function(lambda: use(variable), autograph=False)
    found = traced()
    twice = traced() if use is written else None
    variable.assign(fg.fill(variable.shape, "a"))
    assert listed(found) == listed(use(variable))
    if twice is not None:
        assert listed(twice) == listed(fg.fill(variable.shape, "aaaa"))
