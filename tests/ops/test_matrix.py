"""Each row of the table over its dtypes, forms and executors.

Eager results are held against the reference, and so are those of traces that do not know ranks,
which may take other operations; those of the other executors against the eager ones bit for bit. A
combination that fails in a documented way has to be in ``exceptions.py``.
"""

import ferrograph as fg
import pytest
from exceptions import EXCEPTIONS
from executors import EXECUTORS, Combination, Runs, combinations, emits, state_of, traced
from families import ROWS
from run import DTYPES, differences, expected, mismatches, refused
from table import Vary

IDS = [f"{i}-{row}" for i, row in enumerate(ROWS)]
# At most this part of the combinations may be exceptions.
EXCEPTED = 0.05


def excepted(combination):
    return any(e.covers(combination) for e in EXCEPTIONS)


def outcome(form, combination):
    """The results, or the exception of a documented class; anything else is a fault."""
    try:
        return form.by(combination.executor), None
    except Exception as e:
        return None, e


def faults_of_form(runs, name):
    """What is wrong with one list of arguments, a line each."""
    row, form, eager = runs.row, runs.form(name), None
    wanted = expected(row, row.at(runs.dtype, name), runs.dtype)
    for executor in EXECUTORS:
        combination = Combination(row, runs.dtype, name, executor)
        found, error = outcome(form, combination)
        if excepted(combination):
            if error is None or not refused(error):
                yield f"{combination}: an exception, answers {error or found!r}"
        elif error is not None:
            yield f"{combination}: {type(error).__name__}: {error}"
        elif executor == "eager":
            eager = found
            for text in mismatches(row, found, wanted, runs.dtype):
                yield f"{combination}: {text}"
        elif executor == "rankless":
            for text in mismatches(row, found, wanted, runs.dtype):
                yield f"{combination}: {text}"
        elif eager is not None:
            for text in differences(found, eager):
                yield f"{combination}: {text} as eagerly"


@pytest.fixture(autouse=True)
def without_a_global_seed():
    """Rows say what is drawn where no test has set one."""
    fg.random.set_seed(None)


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_row(row):
    faults = []
    for dtype in row.dtypes:
        runs = Runs(row, dtype)
        for form in ("own", *row.forms):
            faults += faults_of_form(runs, form)
    assert not faults, "\n".join(faults)


ACCEPTED = {
    op: {d for row in ROWS if row.op == op for d in row.dtypes} for op in fg._core.op_names()
}


@pytest.mark.parametrize("op", sorted(ACCEPTED))
def test_other_dtypes_are_refused(op):
    """No dtype runs that the rows leave out: a refusal is of a documented class."""
    faults = []
    for row in ROWS:
        if row.op != op or not any(isinstance(a, Vary) for a in row.args):
            continue
        for dtype in DTYPES:
            if dtype not in ACCEPTED[op]:
                faults += accepted(row, dtype)
    assert not faults, "\n".join(faults)


def accepted(row, dtype):
    """What is wrong with a dtype that a row does not list."""
    try:
        args = [fg.constant(a) for a in row.at(dtype)]
    except ValueError:
        return []
    state = []
    for run in (
        lambda: state.extend(state_of(row, args)) or row.call(fg, *state, *args),
        lambda: traced(row, state, [fg.TensorSpec(a.shape, a.dtype) for a in args]),
    ):
        try:
            found = run()
        except Exception as e:
            if not refused(e):
                return [f"{row} {dtype}: {type(e).__name__}: {e}"]
        else:
            if hasattr(found, "graph") and emits(found, row.op):
                return [f"{row} runs {dtype}, which no row lists"]
    return []


def test_few_combinations_are_exceptions_and_none_is_idle():
    every = [c for row in ROWS for c in combinations(row)]
    outside = [c for c in every if excepted(c)]
    assert len(outside) <= EXCEPTED * len(every), f"{len(outside)} of {len(every)}"
    for e in EXCEPTIONS:
        assert any(e.covers(c) for c in outside), e
