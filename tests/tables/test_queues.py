"""Queues against what tensorflow 2.21 was recorded to do: eagerly, traced, between threads."""

import _thread
import gc
import threading
import time

import ferrograph as fg
import pytest

MODES = pytest.mark.parametrize("run", [lambda f: f, fg.function], ids=["eager", "traced"])
CANCELLED, ENDED = fg.errors.CancelledError, fg.errors.OutOfRangeError


def numbers(capacity=5, *values):
    queue = fg.queue.FIFOQueue(capacity, fg.int32, shapes=[[]])
    for value in values:
        queue.enqueue(value)
    return queue


@MODES
def test_elements_leave_in_order(run):
    queue = fg.queue.FIFOQueue(5, [fg.int32, fg.string], shapes=[[], []])

    def use():
        queue.enqueue((1, "one"))
        queue.enqueue_many(([2, 3], ["two", "three"]))
        first = queue.dequeue()
        return first, queue.size(), queue.dequeue_many(2), queue.is_closed()

    first, size, rest, is_closed = run(use)()
    assert [x.numpy() for x in first] == [1, b"one"]
    assert [x.numpy().tolist() for x in rest] == [[2, 3], [b"two", b"three"]]
    assert (int(size), bool(is_closed)) == (2, False)


@MODES
def test_names(run):
    types = {"dtypes": [fg.float32, fg.int32], "shapes": [[], []], "names": ["x", "y"]}
    queue = fg.queue.FIFOQueue(3, **types)

    def use():
        queue.enqueue({"y": 2, "x": 1.0})
        queue.enqueue({"y": 3, "x": 2.0})
        return queue.dequeue(), queue.dequeue_many(1)

    one, many = run(use)()
    assert (float(one["x"]), int(one["y"]), many["y"].numpy().tolist()) == (1.0, 2, [3])
    for wrong in ({"x": 1.0}, {"x": 1.0, "z": 2}, (1.0, 2)):
        with pytest.raises(ValueError, match="dictionary"):
            queue.enqueue(wrong)
    with pytest.raises(ValueError, match="names"):
        numbers().enqueue({"x": 1})
    with pytest.raises(ValueError, match="names"):
        fg.queue.FIFOQueue(3, [fg.float32], names=["x", "y"])


@MODES
def test_what_does_not_fit(run):
    queue = fg.queue.FIFOQueue(5, [fg.int32, fg.string], shapes=[[], []])
    for error, value in (
        (fg.errors.InvalidArgumentError, (1,)),
        (ValueError, (1, "a", 2)),
        (TypeError, (1.5, "a")),
        (ValueError, (fg.constant(1.5), "a")),
        (ValueError, ([1], "a")),
    ):
        with pytest.raises(error):
            run(lambda value=value: queue.enqueue(value))()
    for error, value in ((ValueError, ([1, 2], ["a"])), (ValueError, (1, "a"))):
        with pytest.raises(error):
            run(lambda value=value: queue.enqueue_many(value))()
    with pytest.raises(ValueError, match="fully defined"):
        fg.queue.FIFOQueue(3, fg.float32, shapes=[[None]])
    free = fg.queue.FIFOQueue(3, fg.float32)
    free.enqueue(([1.0, 2.0],))
    with pytest.raises(fg.errors.InvalidArgumentError, match="specified shapes"):
        run(lambda: free.dequeue_many(1))()
    assert free.dequeue().numpy().tolist() == [1.0, 2.0]


@MODES
def test_a_closed_queue_gives_what_it_has(run):
    queue = numbers(3, 1, 2)
    queue.close()
    with pytest.raises(CANCELLED, match="closed"):
        run(lambda: queue.enqueue(3))()
    with pytest.raises(CANCELLED, match="already closed"):
        run(lambda: queue.close())()
    with pytest.raises(ENDED, match="requested 3, current size 2"):
        run(lambda: queue.dequeue_many(3))()
    assert int(queue.size()) == 2
    assert run(lambda: queue.dequeue_up_to(5))().numpy().tolist() == [1, 2]
    for take in (queue.dequeue, lambda: queue.dequeue_up_to(1), lambda: queue.dequeue_many(1)):
        with pytest.raises(ENDED, match="insufficient"):
            run(take)()
    assert run(lambda: queue.dequeue_many(0))().shape == (0,)
    with pytest.raises(fg.errors.InvalidArgumentError, match="-1"):
        run(lambda: queue.dequeue_many(-1))()


@MODES
def test_padding(run):
    queue = fg.queue.PaddingFIFOQueue(5, [fg.int32, fg.string], shapes=[[None], [None, 2]])

    def use():
        queue.enqueue(([1, 2, 3], [["a", "b"]]))
        queue.enqueue(([4], [["c", "d"], ["e", "f"]]))
        return queue.dequeue_many(2)

    first, second = run(use)()
    assert first.numpy().tolist() == [[1, 2, 3], [4, 0, 0]]
    assert second.numpy().tolist() == [[[b"a", b"b"], [b"", b""]], [[b"c", b"d"], [b"e", b"f"]]]
    with pytest.raises(ValueError, match="shapes"):
        fg.queue.PaddingFIFOQueue(5, fg.int32, shapes=None)


@MODES
def test_priorities(run):
    queue = fg.queue.PriorityQueue(10, [fg.string], [()])
    order = fg.constant([3, 1, -2, 1], fg.int64)

    def use():
        queue.enqueue_many((order, ["c", "a", "b", "a2"]))
        return [queue.dequeue()[1] for _ in range(4)]

    assert [x.numpy() for x in run(use)()] == [b"b", b"a", b"a2", b"c"]
    assert queue.dtypes == [fg.int64, fg.string]


def test_random_orders_are_the_recorded_ones():
    def order(seed):
        queue = fg.queue.RandomShuffleQueue(20, 0, fg.int32, shapes=[[]], seed=seed)
        queue.enqueue_many((fg.range(10),))
        return queue.dequeue_many(10).numpy().tolist()

    fg.random.set_seed(None)
    assert order(3) == [7, 1, 4, 5, 6, 8, 0, 9, 2, 3]
    assert order(7) == [7, 1, 5, 6, 4, 3, 2, 0, 9, 8]
    fg.random.set_seed(5)
    assert order(3) == [0, 8, 6, 4, 9, 1, 7, 3, 5, 2]
    fg.random.set_seed(None)


def test_some_stay_behind_for_a_choice():
    queue = fg.queue.RandomShuffleQueue(5, 2, fg.int32, shapes=[[]])
    queue.enqueue_many(([1, 2, 3],))
    taken = [int(queue.dequeue())]
    queue.close()
    assert sorted(taken + queue.dequeue_many(2).numpy().tolist()) == [1, 2, 3]
    with pytest.raises(fg.errors.InvalidArgumentError, match="min_after_dequeue"):
        fg.queue.RandomShuffleQueue(3, 5, fg.int32)


def test_loops_of_a_graph_add_in_order():
    queue = fg.queue.FIFOQueue(10, fg.int32, shapes=[[]])

    @fg.function
    def f(n):
        for i in fg.range(n):
            queue.enqueue(i)
        return queue.dequeue_many(2), queue.dequeue_up_to(1), queue.size(), queue.dequeue()

    many, up_to, size, one = f(fg.constant(5))
    assert many.numpy().tolist() == [0, 1]
    assert (up_to.numpy().tolist(), int(size), int(one)) == ([2], 2, 3)


@MODES
def test_threads_wait_for_room_and_for_elements(run):
    queue = numbers(2)
    add = run(lambda i: queue.enqueue(i))
    take = run(lambda: queue.dequeue())

    def produce():
        for i in range(30):
            add(fg.constant(i))
        queue.close()

    thread = threading.Thread(target=produce)
    thread.start()
    got = []
    with pytest.raises(ENDED):
        while True:
            got.append(int(take()))
    thread.join()
    assert got == list(range(30))


def started(work):
    """A thread that does work which waits, and what came of it."""
    found = []

    def run():
        try:
            found.append(work())
        except fg.errors.OpError as error:
            found.append(type(error).__name__)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.05)
    return thread, found


def test_who_waits_when_a_queue_is_closed():
    full = numbers(1, 1)
    thread, found = started(lambda: full.enqueue(2))
    full.close(cancel_pending_enqueues=True)
    thread.join()
    assert (found, int(full.size())) == (["CancelledError"], 1)
    full = numbers(1, 1)
    thread, found = started(lambda: full.enqueue(2))
    full.close()
    assert [int(full.dequeue()), int(full.dequeue())] == [1, 2]
    thread.join()
    assert found == [None]
    empty = numbers()
    thread, found = started(lambda: empty.dequeue())
    empty.close()
    thread.join()
    assert found == ["OutOfRangeError"]


@pytest.mark.alone
@MODES
def test_an_interrupt_ends_a_wait(run):
    queue = numbers(5, 1)
    take = run(lambda n: queue.dequeue_many(n))
    queue.enqueue(6)
    assert int(fg.size(take(fg.constant(2)))) == 2  # all that it needs is there
    queue.enqueue(5)
    gc.collect()  # a collection that the interrupt meets would lose it
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        take(fg.constant(2))
    timer.join()
    assert int(queue.size()) == 1


def test_a_queue_out_of_a_list():
    first, second = numbers(5, 1), numbers(5, 2)
    assert fg.queue.QueueBase.from_list(1, [first, second]) is second
    with pytest.raises(TypeError, match="queues"):
        fg.queue.QueueBase.from_list(0, [1])
