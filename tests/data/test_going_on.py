"""What iterations go on with: errors, empty rounds, threads ahead; and kinds of elements."""

import dataclasses
import os
import threading
import time

import ferrograph as fg
import pytest

Dataset = fg.data.Dataset


def taken(data, n=30):
    """The elements, with the class of an error where one was raised."""
    found, iterator = [], iter(data)
    while len(found) < n:
        try:
            found.append(fg.nest.map_structure(lambda t: t.numpy().tolist(), next(iterator)))
        except StopIteration:
            break
        except fg.errors.OpError as e:
            found.append(type(e).__name__)
    return found


def failing(x):
    return fg.debugging.check_numerics(1.0 / fg.cast(x - 2, fg.float32), "bad")


BAD = "InvalidArgumentError"


@pytest.mark.parametrize(
    "change, expected",
    [
        (lambda d: d, [-0.5, -1.0, BAD, 1.0, 0.5]),
        (lambda d: d.take(4), [-0.5, -1.0, BAD, 1.0, 0.5]),
        (lambda d: d.skip(1), [-1.0, BAD, 1.0, 0.5]),
        (lambda d: d.batch(2), [[-0.5, -1.0], BAD, [0.5]]),
        (
            lambda d: Dataset.zip((d, Dataset.range(5))),
            [(-0.5, 0), (-1.0, 1), BAD, (1.0, 3), (0.5, 4)],
        ),
        (lambda d: d.shard(2, 0), [-0.5, BAD, 1.0]),
        (lambda d: d.prefetch(2), [-0.5, -1.0, BAD, 1.0, 0.5]),
        (lambda d: d.repeat(2), [-0.5, -1.0, BAD, 1.0, 0.5] * 2),
        (lambda d: d.enumerate().map(lambda i, x: x), [-0.5, -1.0, BAD, 1.0, 0.5]),
        (lambda d: d.cache(), [-0.5, -1.0, BAD, 1.0, 0.5]),
        (lambda d: d.filter(lambda x: x > -0.7), [-0.5, BAD, 1.0, 0.5]),
        (lambda d: d.flat_map(Dataset.from_tensors), [-0.5, -1.0, BAD, 1.0, 0.5]),
        (lambda d: d.ignore_errors(), [-0.5, -1.0, 1.0, 0.5]),
    ],
)
def test_an_iteration_goes_on_behind_an_error(change, expected):
    assert taken(change(Dataset.range(5).map(failing))) == expected


def test_a_mapped_function_that_stops_is_no_end():
    def stop(x):
        if x == 1:
            raise StopIteration
        return x

    data = Dataset.range(4).map(lambda x: fg.py_function(stop, [x], fg.int64))
    assert taken(data) == [0, BAD, 2, 3]


@pytest.mark.parametrize("full", [0, 1])
@pytest.mark.parametrize("times, rounds", [(5, 5), (2, 2), (0, 0)])
def test_empty_rounds_do_not_end_a_repetition(full, times, rounds):
    opened = []

    def every_other():
        opened.append(1)
        if len(opened) % 2 == full:
            yield 1

    data = Dataset.from_generator(every_other, output_signature=fg.TensorSpec([], fg.int32))
    expected = sum(n % 2 == full for n in range(1, rounds + 1))
    assert taken(data.repeat(times)) == [1] * expected
    assert len(opened) == rounds


def test_an_endless_repetition_ends_with_an_empty_round():
    opened = []

    def twice():
        opened.append(1)
        if len(opened) < 3:
            yield 1

    data = Dataset.from_generator(twice, output_signature=fg.TensorSpec([], fg.int32))
    assert taken(data.repeat()) == [1, 1]
    assert taken(Dataset.range(0).repeat(2**62)) == []


SPEC = fg.TensorSpec([], fg.int32)


def test_prefetching_runs_ahead():
    third = threading.Event()

    def rows():
        for i in range(5):
            if i == 2:
                third.set()
            yield i

    iterator = iter(Dataset.from_generator(rows, output_signature=SPEC).prefetch(3))
    assert not third.wait(0.05)
    assert int(next(iterator)) == 0
    assert third.wait(600)
    assert [int(x) for x in iterator] == [1, 2, 3, 4]


def test_prefetching_keeps_its_bound_and_the_order():
    made = []

    def rows():
        for i in range(100):
            made.append(i)
            yield i

    iterator = iter(Dataset.from_generator(rows, output_signature=SPEC).prefetch(3))
    next(iterator)
    time.sleep(0.3)
    assert len(made) == 4
    assert [int(x) for x in iterator] == list(range(1, 100))


def test_a_consumer_may_give_what_a_prefetching_producer_waits_for():
    gate = threading.Semaphore(1)

    def rows():
        for i in range(20):
            gate.acquire()
            yield i

    data = Dataset.from_generator(rows, output_signature=SPEC).prefetch(2)
    for i, x in enumerate(data):
        assert int(x) == i
        gate.release()


def test_abandoned_prefetching_stops():
    made = []

    def rows():
        for i in range(10**6):
            made.append(i)
            yield i

    for _ in range(5):
        next(iter(Dataset.from_generator(rows, output_signature=SPEC).prefetch(2)))
    time.sleep(0.3)
    before = len(made)
    time.sleep(0.3)
    assert len(made) == before


def test_prefetching_in_a_function():
    @fg.function
    def total():
        found = fg.constant(0, fg.int64)
        for x in Dataset.range(10).map(lambda x: x * 2).prefetch(3):
            found += x
            if found > 20:
                break
        return found

    assert int(total()) == 30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_process_prefetches_anew(run_python):
    run_python(
        """
        import os
        import ferrograph as fg
        data = fg.data.Dataset.range(100).map(lambda x: x + 1).prefetch(3)
        iterator = iter(data)
        next(iterator)
        pid = os.fork()
        if pid == 0:
            assert len(list(data)) == 100
            try:
                next(iterator)
            except fg.errors.FailedPreconditionError:
                os._exit(0)
            os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0
        assert int(next(iterator)) == 2
        """
    )


@dataclasses.dataclass
class Record:
    x: fg.Tensor

    def __tf_flatten__(self):
        return (), (self.x,)

    @classmethod
    def __tf_unflatten__(cls, metadata, parts):
        return cls(*parts)


def test_kinds_of_elements():
    ones = Dataset.from_generator(lambda: [(1,)], output_signature=(SPEC,))
    assert taken(ones) == taken(Dataset.from_tensors((1,))) == [(1,)]
    assert taken(ones.map(lambda x: x + 1)) == [2]

    (record,) = Dataset.from_tensors(Record(1)).map(lambda r: Record(r.x + 1))
    assert isinstance(record, Record) and int(record.x) == 2

    (batch,) = Dataset.range(2).map(lambda x: (x, None)).batch(2)
    assert batch[0].numpy().tolist() == [0, 1] and batch[1] is None

    parts = [[int(y) for y in d] for d in Dataset.range(3).map(Dataset.range)]
    assert parts == [[], [0], [0, 1]]

    arrays = Dataset.range(2).map(lambda x: fg.TensorArray(fg.int64, 2).unstack([x, x]))
    assert arrays.element_spec == fg.TensorArraySpec([], fg.int64)
    assert [a.stack().numpy().tolist() for a in arrays] == [[0, 0], [1, 1]]
    assert [int(x) for x in arrays.map(lambda a: a.read(1))] == [0, 1]


def test_unequal_lengths_do_not_unbatch():
    with pytest.raises(ValueError, match="different numbers of rows"):
        Dataset.from_tensors(([1, 2], [1, 2, 3])).unbatch()
    specs = (fg.TensorSpec([None], fg.int32),) * 2
    late = Dataset.from_generator(lambda: [([1, 2], [1, 2, 3])], output_signature=specs)
    assert taken(late.unbatch(), 1) == [BAD]
    ragged = Dataset.from_tensors((fg.ragged.constant([[1], [2, 3]]), [1, 2, 3]))
    with pytest.raises(fg.errors.InvalidArgumentError):
        list(ragged.unbatch())
