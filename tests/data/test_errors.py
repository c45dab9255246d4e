"""What datasets refuse, and what happens to an iteration in which something fails."""

import threading

import ferrograph as fg
import numpy as np
import processor_time
import pytest

D = fg.data.Dataset
errors = fg.errors


@pytest.mark.parametrize(
    "build, kind",
    [
        (lambda: D.from_tensor_slices(3), ValueError),
        (lambda: D.from_tensor_slices(([1, 2], [1])), ValueError),
        (lambda: D.range(), ValueError),
        (lambda: D.range(0, 5, 0), errors.InvalidArgumentError),
        (lambda: D.range("a"), TypeError),
        (lambda: D.range(3).batch(0), errors.InvalidArgumentError),
        (lambda: D.range(3).shuffle(0), errors.InvalidArgumentError),
        (lambda: D.range(3).shard(2, 2), errors.InvalidArgumentError),
        (lambda: D.range(3).window(0), errors.InvalidArgumentError),
        (lambda: D.range(3).map(3), TypeError),
        (lambda: D.range(3).map(lambda a, b: a), TypeError),
        (lambda: D.range(3).filter(lambda x: x), ValueError),
        (lambda: D.range(3).flat_map(lambda x: x), TypeError),
        (lambda: D.range(3).unbatch(), ValueError),
        (lambda: D.range(3).reduce(0.0, lambda s, x: x), TypeError),
        (lambda: D.range(3).reduce(np.int64(0), lambda s, x: (s, x)), TypeError),
        (lambda: D.range(3).scan(np.int64(0), lambda s, x: s), TypeError),
        (lambda: D.range(3).concatenate(D.from_tensor_slices(["a"])), TypeError),
        (lambda: D.zip([D.range(3)]), TypeError),
        (lambda: D.zip((D.range(3), 3)), TypeError),
        (lambda: D.from_generator([1, 2], output_signature=fg.TensorSpec([])), TypeError),
        (lambda: D.from_generator(lambda: iter([]), output_signature=fg.int32), TypeError),
        (lambda: D.from_generator(lambda: iter([])), TypeError),
        (lambda: D.range(3).apply(lambda d: 3), TypeError),
        (lambda: D.range(3).padded_batch(2, padded_shapes=[3]), ValueError),
        (lambda: D.range(3).group_by_window(lambda x: x, lambda k, d: d), ValueError),
        (lambda: D.choose_from_datasets([], D.range(3)), ValueError),
        (lambda: D.range(0).get_single_element(), errors.InvalidArgumentError),
        (lambda: D.range(2).get_single_element(), errors.InvalidArgumentError),
        (lambda: len(D.range(2).repeat()), TypeError),
        (lambda: D.range(3).window(2).as_numpy_iterator(), TypeError),
        (lambda: D.range(3).window(2).batch(2), TypeError),
        (lambda: D(3), TypeError),
    ],
)
def test_refused(build, kind):
    with pytest.raises(kind):
        build()


def test_a_generator_whose_elements_do_not_fit():
    def iterate(rows, spec):
        return list(D.from_generator(lambda: iter(rows), output_signature=spec))

    for rows, spec in [
        ([[1, 2], [1, 2, 3]], fg.TensorSpec([2], fg.int32)),
        (["a"], fg.TensorSpec([], fg.int32)),
        ([(1,)], (fg.TensorSpec([], fg.int32),) * 2),
        ([{"b": 1}], {"a": fg.TensorSpec([], fg.int32)}),
    ]:
        with pytest.raises(errors.InvalidArgumentError):
            iterate(rows, spec)


def test_what_a_generator_raises_is_the_cause():
    def broken():
        yield 1
        raise RuntimeError("no more")

    it = iter(D.from_generator(broken, output_signature=fg.TensorSpec([], fg.int32)))
    next(it)
    with pytest.raises(errors.UnknownError, match="no more") as caught:
        next(it)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_an_iteration_goes_on_behind_an_error():
    dataset = D.range(4).map(lambda x: 12 // (x - 1))
    it = iter(dataset)
    assert int(next(it)) == -12
    with pytest.raises(errors.InvalidArgumentError):
        next(it)
    assert [int(x) for x in it] == [12, 6]


def test_an_error_names_the_line_of_the_function():
    dataset = D.range(1).map(
        lambda x: fg.debugging.check_numerics(1.0 / fg.cast(x, fg.float32), "no")
    )
    for run in (lambda: list(dataset), lambda: dataset.reduce(0.0, lambda s, x: s + x)):
        with pytest.raises(errors.InvalidArgumentError, match="test_errors.py:"):
            run()


def test_a_batch_of_different_shapes_names_both():
    dataset = D.range(1, 3).map(lambda n: fg.fill([n], n)).batch(2)
    with pytest.raises(errors.InvalidArgumentError, match=r"int64\[1\].*int64\[2\]|\(1.*\(2"):
        list(dataset)


def test_padding_cannot_cut():
    dataset = D.range(3, 4).map(lambda n: fg.fill([n], n)).padded_batch(1, padded_shapes=[2])
    with pytest.raises(errors.DataLossError):
        list(dataset)


def test_a_dataset_with_fewer_elements_than_said():
    said = D.range(3).apply(fg.data.experimental.assert_cardinality(4))
    assert len(said) == 4
    with pytest.raises(errors.FailedPreconditionError):
        list(said)


def test_an_iterator_that_asks_itself_for_an_element():
    holder = []

    def again(x):
        return next(holder[0])

    dataset = D.range(3).map(lambda x: fg.py_function(again, [x], fg.int64))
    holder.append(iter(dataset))
    with pytest.raises(errors.OpError, match="that same iterator"):
        next(holder[0])


def test_threads_share_an_iterator_with_callbacks():
    dataset = D.range(400).map(lambda x: fg.py_function(lambda v: v + 1, [x], fg.int64))
    it, found = iter(dataset), []

    @fg.function
    def traced(it):
        return next(it)

    def work(take):
        while True:
            try:
                found.append(int(take(it)))
            except (StopIteration, errors.OutOfRangeError):
                return

    threads = [threading.Thread(target=work, args=(t,)) for t in (next, traced, next, traced)]
    for thread in threads:
        thread.start()
    processor_time.join(*threads)
    assert sorted(found) == list(range(1, 401))


def test_an_endless_pipeline_can_be_interrupted(run_python):
    done = run_python(
        """
        import signal, threading, os, time
        import ferrograph as fg

        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        signal.alarm(1)
        try:
            list(fg.data.Dataset.range(1).repeat().filter(lambda x: x > 1))
        except KeyboardInterrupt:
            print("stopped")
        """,
        timeout=30,
    )
    assert done.stdout == "stopped\n"


def test_a_batch_of_slow_elements_can_be_interrupted(run_python):
    done = run_python(
        """
        import signal, time
        import ferrograph as fg

        def stop(*_):
            raise KeyboardInterrupt

        def slow(x):
            m = fg.fill([500, 500], fg.cast(x, fg.float32))
            for _ in range(5):
                m = fg.matmul(m, m)
            return fg.reduce_sum(m)

        signal.signal(signal.SIGALRM, stop)
        batch = iter(fg.data.Dataset.range(10_000).map(slow).batch(10_000))
        signal.alarm(1)
        start = time.process_time()
        try:
            next(batch)
        except KeyboardInterrupt:
            print(time.process_time() - start < 10)
        """,
        timeout=60,
    )
    assert done.stdout == "True\n"


def test_iterating_leaves_nothing_behind(run_python):
    done = run_python(
        """
        import resource
        import ferrograph as fg

        def numbers():
            for i in range(200_000):
                yield i

        spec = fg.TensorSpec([], fg.int64)
        dataset = fg.data.Dataset.from_generator(numbers, output_signature=spec)
        dataset = dataset.map(lambda x: x + 1).batch(32)

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        for _ in dataset:
            pass
        before = peak()
        for _ in range(2):
            for _ in dataset:
                pass
        print(peak() - before)
        """
    )
    assert int(done.stdout) < 5000, done.stdout


def _failing(x):
    return fg.debugging.assert_less(x, fg.constant(3, fg.int64))


def _checked(x):
    with fg.control_dependencies([_failing(x)]):
        return fg.identity(x)


MAPPED = {
    "map": lambda d: d.map(_checked),
    "parallel map": lambda d: d.map(_checked, num_parallel_calls=2),
    "any order": lambda d: d.map(_checked, num_parallel_calls=2, deterministic=False),
    "filter": lambda d: d.filter(lambda x: _checked(x) >= 0),
    "take while": lambda d: d.take_while(lambda x: _checked(x) >= 0),
    "flat map": lambda d: d.flat_map(lambda x: fg.data.Dataset.from_tensors(_checked(x))),
    "interleave": lambda d: d.interleave(lambda x: fg.data.Dataset.from_tensors(_checked(x))),
    "scan": lambda d: d.scan(fg.constant(0, fg.int64), lambda s, x: (s, _checked(x))),
    "behind others": lambda d: d.map(lambda x: x).map(_checked).batch(1).prefetch(1),
}


@pytest.mark.parametrize("how", MAPPED)
def test_errors_say_which_element_it_was(how):
    dataset = MAPPED[how](fg.data.Dataset.range(5))
    with pytest.raises(fg.errors.InvalidArgumentError, match=r"\(element 3\)"):
        list(dataset)
    with pytest.raises(fg.errors.InvalidArgumentError, match=r"\(element 3\)"):
        fg.function(lambda: dataset.reduce(fg.constant(0), lambda n, _: n + 1))()
