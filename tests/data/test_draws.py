"""What functions of a pipeline draw: each iteration begins their streams again.

The numbers are those that tensorflow 2.21 gave for the same programs after ``set_seed(7)``.
"""

import ferrograph as fg
import numpy as np
import pytest

D = fg.data.Dataset
FIRST = [0.46037483, 0.5189736, 0.74075186, 0.37715578, 0.30915654, 0.04523921]


@pytest.fixture(autouse=True)
def seed():
    fg.random.set_seed(7)
    yield
    fg.random.set_seed(None)


def draw(*_):
    return fg.random.uniform([], seed=1)


def listed(dataset, most=100):
    return [fg.nest.map_structure(lambda x: x.numpy().tolist(), e) for e in dataset.take(most)]


PIPELINES = {
    "map": (lambda: D.range(3).map(draw), FIRST[:3]),
    "a function": (lambda: D.range(3).map(fg.function(draw)), FIRST[:3]),
    "repeat": (lambda: D.range(3).map(draw).repeat(2), FIRST),
    "prefetch": (lambda: D.range(4).map(draw).prefetch(2), FIRST[:4]),
    "batch": (lambda: D.range(4).map(draw).batch(4).unbatch(), FIRST[:4]),
    "flat_map": (lambda: D.range(3).flat_map(lambda x: D.range(2).map(draw)), FIRST),
    "interleave": (lambda: D.range(3).interleave(lambda x: D.range(2).map(draw)), FIRST),
    "window": (lambda: D.range(4).map(draw).window(2).flat_map(lambda w: w), FIRST[:4]),
    "scan": (lambda: D.range(3).scan(0.0, lambda s, x: (s + 1, draw())), FIRST[:3]),
    "cond": (
        lambda: D.range(4).map(lambda x: fg.cond(x % 2 == 0, draw, lambda: 0.0)),
        [FIRST[0], 0.0, FIRST[1], 0.0],
    ),
    "group": (
        lambda: D.range(4).group_by_window(lambda x: x % 2, lambda k, d: d.batch(2).map(draw), 2),
        FIRST[:2],
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_iterations_draw_alike(name):
    make, want = PIPELINES[name]
    dataset = make()
    for _ in range(2):
        np.testing.assert_allclose(listed(dataset), want, rtol=1e-6)


def test_an_iteration_left_in_the_middle_is_nothing_to_the_next():
    dataset = D.range(4).map(draw)
    assert listed(dataset, 2) == listed(dataset)[:2]


def test_iterations_beside_one_another_have_streams_of_their_own():
    a, b = iter(D.range(4).map(draw)), iter(D.range(4).map(draw))
    found = [float(next(i)) for i in (a, b, a, b)]
    np.testing.assert_allclose(found, [FIRST[0], FIRST[0], FIRST[1], FIRST[1]], rtol=1e-6)


def test_operations_of_one_seed_draw_alike():
    pairs = listed(D.range(3).map(lambda x: (draw(), draw())))
    assert all(a == b for a, b in pairs)


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (lambda x: fg.random.shuffle(fg.range(5), seed=1), [[3, 4, 1, 0, 2], [4, 1, 2, 3, 0]]),
        (lambda x: fg.random.categorical([[0.0] * 3], 4, seed=1), [[[2, 2, 1, 0]], [[1, 0, 2, 1]]]),
        (lambda x: fg.random.uniform([], 0, 100, fg.int32, seed=1), [28, 58]),
    ],
)
def test_every_operation_that_draws(function, want):
    dataset = D.range(2).map(function)
    assert listed(dataset) == listed(dataset) == want


def test_without_a_seed_of_its_own_an_operation_has_its_number_in_the_function():
    dataset = D.range(3).map(lambda x: fg.random.uniform([]))
    want = [0.75372851, 0.58760154, 0.3971017]
    np.testing.assert_allclose(listed(dataset), want, rtol=1e-6)
    two = D.range(3).map(lambda x: (fg.random.uniform([]), fg.random.uniform([])))
    (first, second), *_ = listed(two)
    assert first == pytest.approx(want[0]) and second != pytest.approx(want[0])
    # Iterations take nothing from the numbers that the program draws itself.
    assert float(fg.random.uniform([])) == pytest.approx(0.83445382)


def test_without_any_seed_iterations_differ():
    fg.random.set_seed(None)
    dataset = D.range(9).map(lambda x: fg.random.uniform([]))
    assert listed(dataset) != listed(dataset)


def test_a_generator_draws_as_the_program():
    def numbers():
        for _ in range(2):
            yield float(fg.random.uniform([]))

    dataset = D.from_generator(numbers, output_signature=fg.TensorSpec([], fg.float32))
    np.testing.assert_allclose(listed(dataset), [0.83445382, 0.01905346], rtol=1e-5)
    assert listed(dataset) != [0.83445382, 0.01905346]


def test_reductions_and_functions_begin_again():
    dataset = D.range(3).map(draw)

    @fg.function
    def total():
        found = 0.0
        for x in dataset:
            found += x
        return found

    sums = [float(total()), float(total())]
    sums += [float(dataset.reduce(0.0, lambda a, b: a + b)) for _ in range(2)]
    np.testing.assert_allclose(sums, sum(FIRST[:3]), rtol=1e-6)


def test_a_cache_is_full_once_all_elements_were_taken():
    dataset = D.range(6).shuffle(6, seed=3).cache()
    first = [int(x) for _, x in zip(range(6), dataset, strict=False)]
    assert listed(dataset) == first == [5, 0, 3, 4, 2, 1]


def test_a_cache_read_in_part_is_not_kept():
    dataset = D.range(6).map(draw).cache()
    assert listed(dataset, 2) == listed(dataset)[:2]


def test_random_numbers_of_each_iteration():
    numbers = D.random(seed=3, rerandomize_each_iteration=True)
    assert listed(numbers, 2) == [4050681059, 564015354]
    assert listed(numbers, 2) == [3509502076, 686816167]


def test_datasets_are_drawn_as_recorded():
    parts = [D.range(5), D.range(10, 15), D.range(20, 25)]
    fg.random.set_seed(8)

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
