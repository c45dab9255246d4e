"""The table is complete: every operation has a row, and a public name or the reason why not."""

import ferrograph as fg
import pytest
from executors import emits, state_of, traced
from families import ROWS

OPS = sorted(fg._core.op_names())
IDS = [f"{i}-{row}" for i, row in enumerate(ROWS)]


def test_every_operation_has_a_row():
    assert sorted(set(OPS) - {row.op for row in ROWS}) == []


def test_no_row_without_an_operation():
    assert sorted({row.op for row in ROWS} - set(OPS)) == []


class Public:
    """The package as users see it: no name that begins with an underscore."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(fg, name)


# What is a constant of the graph where the rank is known.
OF_UNKNOWN_RANKS = ("Rank",)


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_call_emits_the_operation(row):
    """A row's call names its operation in public, or says why there is no such name."""
    args = [fg.constant(a) for a in row.at(row.main)]
    is_known = row.op not in OF_UNKNOWN_RANKS
    specs = [fg.TensorSpec([None] * a.ndim if is_known else None, a.dtype) for a in args]
    assert emits(traced(row, state_of(row, args), specs), row.op)
    if row.hidden:
        with pytest.raises(AttributeError, match="_core"):
            row.call(Public(), *state_of(row, args), *args)
    else:
        row.call(Public(), *state_of(row, args), *args)
