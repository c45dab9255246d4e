"""Draws of gamma, Poisson and truncated normal numbers and of candidates are tensorflow's."""

import json

import ferrograph as fg
import numpy as np
import pytest
from draws_by_seed import RECORDED, cases, drawn

CASES = dict(cases())
WANTED = json.loads(RECORDED.read_text())


def compare(found, wanted):
    assert isinstance(found, list) == isinstance(wanted, list)
    if not isinstance(wanted, list):
        np.testing.assert_allclose(found, wanted, rtol=2e-6, atol=1e-7)
        return
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        compare(one, other)


@pytest.mark.parametrize("name", CASES)
def test_draws_are_the_recorded_ones(name):
    compare(drawn(fg, CASES[name]), WANTED[name])


def test_every_recorded_case_is_drawn():
    assert CASES.keys() == WANTED.keys()


@pytest.mark.parametrize("draw", [fg.random.gamma, fg.random.poisson])
def test_draws_of_a_function_go_on_as_eager_ones(draw):
    traced = fg.function(lambda n: draw([n], 3.0, seed=4))
    fg.random.set_seed(7)
    eager = [draw([n], 3.0, seed=4).numpy().tolist() for n in (2, 3)]
    fg.random.set_seed(7)
    assert [traced(fg.constant(n)).numpy().tolist() for n in (2, 3)] == eager


def test_bounds_without_an_interval_are_refused():
    draw = fg.random.stateless_parameterized_truncated_normal
    for bounds in ({"minvals": 1.0, "maxvals": 1.0}, {"stddevs": -1.0}):
        with pytest.raises(fg.errors.InvalidArgumentError, match="minvals below maxvals"):
            draw([2], [1, 2], **bounds)
