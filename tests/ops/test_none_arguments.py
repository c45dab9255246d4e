"""``dtype=None`` and ``name=None`` are taken wherever tensorflow 2.21 takes them, with the dtype
that it gives (``recorded/settings.json``, see ``settings.py``).
"""

import json

import ferrograph as fg
import pytest
from settings import RECORD
from valid_calls import calls

NONES = json.loads(RECORD.read_text())["None"]
TAKEN = sorted(key for key, found in NONES.items() if found != "refused")
# Names that are no names of operations.
OF_FILES = {"io.write_graph"}
# Whose `name` is no name of an operation.
OTHER_NAMES = {"config.set_printed_name"}
# Where the plain call has another dtype than tensorflow's for reasons of its own.
OTHER_DTYPES = {
    key: "Python integers and floats are of 32 bits unless 64 are asked for"
    for key in NONES
    if key.startswith("experimental.numpy.")
}


@pytest.mark.parametrize("key", TAKEN)
def test_no_dtype_is_a_dtype(key):
    name, parameter = key.split(" ")
    call = calls()[name]
    found = call.run(**{parameter: None})
    dtype = getattr(getattr(found, "dtype", None), "name", None)
    if dtype is not None and NONES[key] != "taken" and key not in OTHER_DTYPES:
        assert dtype == NONES[key]


def test_no_name_is_taken():
    refused = []
    for name, call in calls().items():
        if "name" in [p.name for p in call.parameters] and name not in OF_FILES | OTHER_NAMES:
            try:
                call.run(name=None)
            except Exception as e:
                refused.append(f"{name}: {type(e).__name__}: {e}")
    assert not refused, "\n".join(refused)


def test_what_none_means_where_it_is_not_the_default():
    assert fg.random.poisson([2], 3.0, dtype=None).dtype == fg.int64
    drawn = fg.random.stateless_binomial([2], [1, 2], 3.0, 0.5, output_dtype=None)
    assert drawn.dtype == fg.int64
    with pytest.raises(TypeError, match="argument 'dtype' of ones"):
        fg.ones([2], dtype=None)
