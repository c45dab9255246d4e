"""Settings that are numbers: NumPy's numbers, arrays and tensors of one do as well as Python's.

Every public function is called with each number of a call that succeeds in each of these forms.
What tensorflow 2.21 takes otherwise is left out (``recorded/settings.json``, see ``settings.py``).
"""

import json

import ferrograph as fg
import numpy as np
import pytest
from settings import RECORD, alike, dtypes_of, stand_ins
from valid_calls import calls

OTHERS = json.loads(RECORD.read_text())["other stand-ins"]
TURNS = 8
# Where another form of a number gives something else, and tensorflow was not or cannot be asked.
DIFFERENT = {
    "data.experimental.index_table_from_dataset default_value": "a tensor has the dtype of values",
    "raw_ops.UniqueV2 axis": "the operation takes int64 alone",
    "raw_ops.UniqueWithCountsV2 axis": "the operation takes int64 alone",
}


def faults(name, call):
    """Where a call with another form of a number does not give what that of Python gives."""
    fg.random.set_seed(1)
    wanted = call.run()
    fg.random.set_seed(1)
    if not alike(fg, call.run(), wanted):  # it gives something else each time
        return
    for parameter in call.parameters:
        key = f"{name} {parameter.name}"
        value = call.bound().arguments[parameter.name]
        for kind, made in stand_ins(fg, value):
            if kind in OTHERS.get(key, ()) or key in DIFFERENT:
                continue
            fg.random.set_seed(1)
            try:
                found = call.run(**{parameter.name: made})
            except Exception as e:
                yield f"{key} as {kind}: {type(e).__name__}: {str(e)[:150]}"
                continue
            is_data = dtypes_of(fg, found) != dtypes_of(fg, wanted)  # which has its own dtype
            if not is_data and not alike(fg, found, wanted):
                yield f"{key} as {kind}: another result"


@pytest.mark.parametrize("turn", range(TURNS))
def test_other_forms_of_numbers_are_taken(turn):
    found = []
    for name in sorted(calls())[turn::TURNS]:
        found += faults(name, calls()[name])
    assert not found, "\n".join(found)


def test_the_differences_are_of_functions_that_are_called():
    assert {key.split(" ")[0] for key in DIFFERENT} <= set(calls())


X = fg.constant([[1.0, 2.0], [3.0, 4.0]])
SYMBOLIC = {
    "keepdims": lambda n: fg.reduce_sum(X, keepdims=n > 0),
    "axis": lambda n: fg.stack([X, X], axis=n),
    "precision": lambda n: fg.strings.as_string(X, precision=n),
    "num": lambda n: fg.unstack(X, num=n),
    "batch_dims": lambda n: fg.gather(X, [[0], [1]], batch_dims=n),
    "transpose_a": lambda n: fg.matmul(X, X, transpose_a=n > 0),
    "channels": lambda n: fg.image.decode_jpeg("", channels=n),
    "exclusive": lambda n: fg.cumsum(X, exclusive=n > 0),
}


@pytest.mark.parametrize("parameter", SYMBOLIC)
def test_a_number_that_the_trace_does_not_know_is_refused_by_name(parameter):
    function = fg.function(SYMBOLIC[parameter], autograph=False)
    with pytest.raises((TypeError, ValueError), match=parameter):
        function.get_concrete_function(fg.TensorSpec([], fg.int32))


def test_numbers_that_do_not_fit_are_named():
    for axis in (1.5, 10**40, "x", [0]):
        with pytest.raises((TypeError, ValueError), match="axis"):
            fg.stack([X, X], axis=axis)
    assert fg.stack([X, X], axis=np.float64(1)).shape == [2, 2, 2]
