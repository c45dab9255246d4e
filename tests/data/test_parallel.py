"""Datasets on several threads: order, errors, bounds, what runs serially, how threads end."""

import os
import threading
import time

import ferrograph as fg
import numpy as np
import pytest

Dataset = fg.data.Dataset
BAD = "InvalidArgumentError"
CALLS = [1, 2, 5, fg.data.AUTOTUNE]
SPEC = fg.TensorSpec([], fg.int64)


def taken(data, n=100):
    """The elements, with the class of an error where one was raised."""
    found, iterator = [], iter(data)
    while len(found) < n:
        try:
            found.append(
                fg.nest.map_structure(lambda t: np.asarray(t.numpy()).tolist(), next(iterator))
            )
        except StopIteration:
            break
        except fg.errors.OpError as e:
            found.append(type(e).__name__)
    return found


def slow_square(x):
    total = fg.reduce_sum(fg.sin(fg.range(20000 * (1 + x % 3), dtype=fg.float32)))
    return x * x + fg.cast(total * 0.0, fg.int64)


@pytest.mark.parametrize("calls", CALLS)
def test_parallel_maps_keep_the_order(calls):
    data = Dataset.range(30).map(slow_square, num_parallel_calls=calls)
    assert taken(data) == [x * x for x in range(30)]
    assert taken(data.batch(4)) == taken(Dataset.range(30).map(lambda x: x * x).batch(4))
    assert int(data.cardinality()) == 30


def test_without_order_all_elements_come_once():
    data = Dataset.range(30).map(slow_square, num_parallel_calls=3, deterministic=False)
    assert sorted(taken(data)) == [x * x for x in range(30)]


def test_parallel_maps_in_a_function():
    @fg.function
    def total(n):
        found = fg.constant(0, fg.int64)
        for x in Dataset.range(n).map(slow_square, num_parallel_calls=2):
            if x > 200:
                break
            found += x
        return found

    assert int(total(fg.constant(40, fg.int64))) == sum(x * x for x in range(15))


@pytest.mark.parametrize("change", [lambda d: d, lambda d: d.batch(2), lambda d: d.prefetch(2)])
def test_a_parallel_map_goes_on_behind_an_error(change):
    def failing(x):
        return fg.debugging.check_numerics(1.0 / fg.cast(x - 2, fg.float32), "bad")

    serial = taken(change(Dataset.range(6).map(failing)))
    assert BAD in serial
    assert taken(change(Dataset.range(6).map(failing, num_parallel_calls=3))) == serial


def test_an_input_that_fails_keeps_its_place():
    def failing(x):
        return fg.debugging.check_numerics(1.0 / fg.cast(x - 2, fg.float32), "bad")

    data = Dataset.range(5).map(failing).map(lambda x: x * 2, num_parallel_calls=3)
    assert taken(data) == [-1.0, -2.0, BAD, 2.0, 1.0]


def test_an_error_names_the_line():
    data = Dataset.range(3).map(
        lambda x: fg.debugging.check_numerics(1.0 / fg.cast(x, fg.float32), "bad"),
        num_parallel_calls=2,
    )
    with pytest.raises(fg.errors.InvalidArgumentError, match=r"test_parallel\.py"):
        next(iter(data))


def test_functions_of_python_run_at_the_same_time():
    meeting = threading.Barrier(3, timeout=600)

    def meet(x):
        meeting.wait()
        return x

    data = Dataset.range(6).map(lambda x: fg.py_function(meet, [x], fg.int64), num_parallel_calls=3)
    assert taken(data) == list(range(6))


def test_no_more_is_under_way_than_calls():
    made = []

    def rows():
        for i in range(50):
            made.append(i)
            yield i

    data = Dataset.from_generator(rows, output_signature=SPEC)
    iterator = iter(data.map(lambda x: x + 1, num_parallel_calls=4))
    assert not made
    next(iterator)
    time.sleep(0.2)
    assert len(made) == 4
    assert [int(x) for x in iterator] == list(range(2, 51))


def test_draws_are_those_of_the_serial_map():
    fg.random.set_seed(5)

    def draw(x):
        return fg.random.uniform([], seed=3) + 0.0 * fg.cast(x, fg.float32)

    serial = taken(Dataset.range(20).map(draw))
    assert taken(Dataset.range(20).map(draw, num_parallel_calls=4)) != [serial[0]] * 20
    fg.random.set_seed(5)
    assert taken(Dataset.range(20).map(draw, num_parallel_calls=4)) == serial


def test_what_changes_state_is_called_in_order():
    count = fg.Variable(0, dtype=fg.int64)
    data = Dataset.range(20).map(lambda x: count.assign_add(1) - x, num_parallel_calls=4)
    assert taken(data) == [1] * 20


def test_variables_are_read():
    scale = fg.Variable(3, dtype=fg.int64)
    data = Dataset.range(4).map(lambda x: x * scale, num_parallel_calls=2)
    assert taken(data) == [0, 3, 6, 9]


def test_abandoned_threads_stop():
    called = []

    def note(x):
        called.append(1)
        return x

    def endless():
        data = Dataset.range(10**9).map(
            lambda x: fg.py_function(note, [x], fg.int64), num_parallel_calls=3
        )
        next(iter(data))

    for _ in range(5):
        endless()
    time.sleep(0.2)
    before = len(called)
    time.sleep(0.2)
    assert len(called) == before <= 5 * 3


def test_options_that_are_refused():
    for calls in (0, -2):
        with pytest.raises(fg.errors.InvalidArgumentError, match="num_parallel_calls"):
            Dataset.range(3).map(lambda x: x, num_parallel_calls=calls)


def inner(i):
    return Dataset.range(i % 4 * 3).map(lambda x: i * 100 + x)


@pytest.mark.parametrize("calls", CALLS)
@pytest.mark.parametrize("cycle, block", [(1, 1), (2, 1), (3, 2), (7, 5), (20, 1)])
def test_parallel_interleave_keeps_the_order(calls, cycle, block):
    serial = Dataset.range(12).interleave(inner, cycle, block)
    parallel = Dataset.range(12).interleave(inner, cycle, block, num_parallel_calls=calls)
    assert taken(parallel, 1000) == taken(serial, 1000) != []


def test_parallel_interleave_with_errors():
    def failing(i):
        fg.debugging.assert_less(i % 5, fg.constant(4, fg.int64))
        return Dataset.range(4).map(
            lambda x: fg.debugging.check_numerics(1.0 / fg.cast(x + i - 3, fg.float32), "bad")
        )

    serial = taken(Dataset.range(9).interleave(failing, 3, 2))
    assert serial.count(BAD) > 3
    assert taken(Dataset.range(9).interleave(failing, 3, 2, num_parallel_calls=3)) == serial


def test_parallel_interleave_of_what_draws():
    def shuffled(i):
        return Dataset.range(6).shuffle(6, seed=4).map(lambda x: x + 10 * i)

    def drawn(i):
        return Dataset.range(6).map(lambda x: fg.random.uniform([], seed=2) + fg.cast(i, "float32"))

    for part in (shuffled, drawn):
        fg.random.set_seed(1)
        serial = taken(Dataset.range(4).interleave(part, 2, 2))
        fg.random.set_seed(1)
        assert taken(Dataset.range(4).interleave(part, 2, 2, num_parallel_calls=2)) == serial


def test_parallel_interleave_of_files(tmp_path):
    names = []
    for i in range(5):
        names.append(str(tmp_path / f"{i}.tfrecord"))
        with fg.io.TFRecordWriter(names[-1]) as writer:
            for j in range(30 * i):
                writer.write(f"{i}-{j}".encode())
    files = Dataset.from_tensor_slices([*names, str(tmp_path / "absent")])
    serial = taken(files.interleave(fg.data.TFRecordDataset, 3, 4), 1000)
    assert serial.count("NotFoundError") == 1 and len(serial) == 301
    parallel = files.interleave(fg.data.TFRecordDataset, 3, 4, num_parallel_calls=2)
    assert taken(parallel, 1000) == serial


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_process_begins_anew(run_python):
    run_python(
        """
        import os
        import ferrograph as fg
        D = fg.data.Dataset
        mapped = D.range(100).map(lambda x: x + 1, num_parallel_calls=3)
        turns = D.range(9).interleave(D.range, 3, num_parallel_calls=3)
        iterators = iter(mapped), iter(turns)
        for it in iterators:
            next(it)
        pid = os.fork()
        if pid == 0:
            assert len(list(mapped)) == 100 and len(list(turns)) == 36
            try:
                list(iterators[0])
            except fg.errors.FailedPreconditionError:
                os._exit(0)
            os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0
        assert int(next(iterators[0])) == 2
        """
    )


def test_a_program_ends_while_threads_compute(run_python):
    run_python(
        """
        import time
        import ferrograph as fg
        D = fg.data.Dataset
        def slow(x):
            time.sleep(0.05)
            return x
        data = D.range(10**6).map(
            lambda x: fg.py_function(slow, [x], fg.int64), num_parallel_calls=4)
        it = iter(data)
        next(it)
        """
    )
