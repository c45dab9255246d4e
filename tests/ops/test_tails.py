"""Incomplete gamma and beta functions in their tails, against values of sixty digits."""

import json
import pathlib

import ferrograph as fg
import numpy as np
import pytest

TAILS = json.loads((pathlib.Path(__file__).parent / "tails" / "tails.json").read_text())
# Units in the last place that results may be off.
OFF = 24


@pytest.mark.parametrize("name", ["igamma", "igammac", "betainc"])
def test_tails_keep_their_digits(name):
    args, values = zip(*[entry[1:] for entry in TAILS if entry[0] == name], strict=True)
    found = getattr(fg.math, name)(*[fg.constant(a, fg.float64) for a in zip(*args, strict=True)])
    off = np.abs(found.numpy() - values) / np.spacing(values)
    worst = int(np.argmax(off))
    assert off[worst] <= OFF, (args[worst], values[worst], float(found[worst]))
    assert np.median(off) <= 4


def test_derivatives_by_the_parameter_hold_in_tails():
    """In units of the value: they are its logarithm's."""
    a = fg.constant([150.0, 2000.0, 20000.0], fg.float64)
    x = a + 20.0 * fg.sqrt(a)
    with fg.GradientTape() as tape:
        tape.watch(a)
        y = fg.math.igammac(a, x)
    step = 1e-4 * fg.sqrt(a)
    logs = [fg.math.log(fg.math.igammac(a + s * step, x)) for s in (1.0, -1.0)]
    np.testing.assert_allclose(tape.gradient(y, a) / y, (logs[0] - logs[1]) / (2 * step), rtol=1e-6)
