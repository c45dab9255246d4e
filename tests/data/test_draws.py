"""What datasets draw: the numbers are those that tensorflow 2.21 gave for the same programs."""

import ferrograph as fg
import pytest

D = fg.data.Dataset


@pytest.fixture(autouse=True)
def seed():
    fg.random.set_seed(8)
    yield
    fg.random.set_seed(None)


def listed(dataset, most=100):
    return [fg.nest.map_structure(lambda x: x.numpy().tolist(), e) for e in dataset.take(most)]


def test_datasets_are_drawn_as_recorded():
    parts = [D.range(5), D.range(10, 15), D.range(20, 25)]

    def drawn(n, *args, **kwargs):
        return listed(D.sample_from_datasets(parts[:n], *args, **kwargs))

    assert drawn(3, [0.2, 0.3, 0.5], seed=1) == [
        *(20, 10, 21, 22, 23, 0, 24, 1, 11, 2, 3, 12, 13, 14, 4)
    ]
    assert drawn(3, [0.0, 0.3, 0.7], seed=1) == [20, 21, 22, 23, 24, 10, 11, 12, 13, 14]
    assert drawn(3, seed=1) == [*(10, 11, 20, 21, 22, 0, 23, 12, 1, 2, 3, 13, 4, 24, 14)]
    assert drawn(1, seed=1) == [0, 1, 2, 3, 4]
    weights = D.from_tensors([0.3, 0.7]).repeat()
    assert drawn(2, weights, seed=4) == [10, 11, 12, 13, 14, 0, 1, 2, 3, 4]
    wide = fg.constant([0.3, 0.7], fg.float64)
    assert drawn(2, wide, seed=4, stop_on_empty_dataset=True) == [10, 11, 12, 13, 14, 0, 1, 2]
