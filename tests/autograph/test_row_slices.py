"""Rows of larger tensors that two branches leave in different forms."""

import ferrograph as fg
import pytest


def slices(rows, dtype):
    return fg.IndexedSlices(fg.ones([len(rows), 2]), fg.constant(rows, dtype), fg.constant([3, 2]))


OTHERS = {
    "indices of another dtype": lambda: slices([2], fg.int64),
    "a tensor": lambda: fg.ones([3, 2]),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("chosen", [True, False])
def test_branches_leave_slices_of_two_forms(other, chosen):
    def choose(p):
        made = fg.cond(p, lambda: (slices([0, 0], fg.int32), 1.0), lambda: (other(), 2.0))
        return fg.convert_to_tensor(made[0]), made[1]

    eager, staged = choose(fg.constant(chosen)), fg.function(choose)(fg.constant(chosen))
    assert eager[0].numpy().tolist() == staged[0].numpy().tolist()
    assert float(eager[1]) == float(staged[1])
