"""Operations over many rows at once: each row of the table against itself row by row.

``vectorized_map`` of a call is held against the calls for three rows, with all arguments that vary
depending on the row, and with each of them alone. How an operation goes with rows is declared;
``batching.txt`` lists those that run row by row.
"""

from pathlib import Path

import ferrograph as fg
import numpy as np
import pytest
from executors import state_of
from families import ROWS
from run import array_of, refused, tensors
from table import Vary

LISTED = Path(__file__).with_name("batching.txt")
N_ROWS = 3
CASES = [row for row in ROWS if row.state is None]
IDS = [f"{i}-{row}" for i, row in enumerate(CASES)]
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float64": 1e-9, "complex128": 1e-9}


def rows_of(array):
    """Three rows: the array and its elements in other orders."""
    flat = array.reshape(-1)
    return [array, np.roll(flat, 1).reshape(array.shape), flat[::-1].reshape(array.shape)]


def one_by_one(row, args, places):
    """The results of the calls for each row; None where it refuses some, or their shapes differ."""
    found = []
    for i in range(N_ROWS):
        picked = [a[i] if k in places else a[0] for k, a in enumerate(args)]
        try:
            results = tensors(row.call(fg, *[fg.constant(a) for a in picked]))
        except Exception as e:
            if not refused(e):
                raise
            return None
        found.append([array_of(t) for t in results])
    stacks = list(zip(*found, strict=True))
    if any(len({a.shape for a in stack}) > 1 for stack in stacks):
        return None
    return [np.stack(stack) for stack in stacks]


def at_once(row, args, places):
    """The results of ``vectorized_map``."""
    fixed = [fg.constant(a[0]) for a in args]
    stacked = tuple(fg.constant(np.stack(args[k])) for k in places)

    def call(parts):
        given = dict(zip(places, parts, strict=True))
        return tensors(row.call(fg, *[given.get(k, a) for k, a in enumerate(fixed)]))

    return [array_of(t) for t in fg.vectorized_map(call, stacked)]


def same(a, b, dtype):
    if a.dtype == object or a.dtype.kind in "biuSO":
        return a.shape == b.shape and (a == b).all()
    near = TOLERANCE.get(dtype, 2e-5)
    a, b = (x.astype(np.complex128) for x in (a, b))
    return a.shape == b.shape and np.allclose(a, b, near, near, equal_nan=True)


def faults_of(row, dtype):
    arrays = row.at(dtype)
    vary = [k for k, a in enumerate(row.args) if isinstance(a, Vary)]
    args = [rows_of(a) if k in vary else [a] * N_ROWS for k, a in enumerate(arrays)]
    choices = [vary] + ([[k] for k in vary] if len(vary) > 1 else [])
    for places in choices:
        wanted = one_by_one(row, args, places)
        if wanted is None:
            args = [[a[0]] * N_ROWS for a in args]
            wanted = one_by_one(row, args, places)
        if wanted is None:
            continue
        try:
            found = at_once(row, args, places)
        except Exception as e:
            yield f"{row} {dtype} {places}: {type(e).__name__}: {e}"
            continue
        if len(found) != len(wanted) or not all(map(same, found, wanted, [dtype] * len(found))):
            yield f"{row} {dtype} {places}: {found} is not {wanted}"


@pytest.mark.parametrize("row", CASES, ids=IDS)
def test_all_rows_are_as_one_by_one(row):
    if not any(isinstance(a, Vary) for a in row.args) or is_random(row):
        return
    dtype = "float32" if "float32" in row.dtypes else row.dtypes[0]
    fg.random.set_seed(None)
    faults = list(faults_of(row, dtype))
    assert not faults, "\n".join(faults)


def is_random(row):
    """Whether the call draws from a stream, or gives what is no tensor."""
    args = [fg.constant(a) for a in row.at(row.dtypes[0])]
    with np.errstate(all="ignore"):
        runs = [row.call(fg, *state_of(row, args), *args) for _ in range(2)]
    try:
        a, b = ([array_of(t) for t in tensors(run)] for run in runs)
    except Exception as e:
        if not refused(e):
            raise
        return True
    return not all(same(x, y, "float16") for x, y in zip(a, b, strict=True))


def test_what_runs_row_by_row_is_listed():
    found = sorted(name for name, kind in fg._core.op_batching() if kind == "loop")
    assert found == LISTED.read_text().split()


def test_every_rule_is_there():
    assert "no rule" not in dict(fg._core.op_batching()).values()
