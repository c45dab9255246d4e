"""Work that is done over and over: what it leaves in memory must not grow.

``python leaks.py NAME`` runs one, ends badly where more than ``MOST`` bytes stay beyond what its
first round left.
"""

import gc
import os
import pickle
import sys
import threading

import ferrograph as fg
import numpy as np

MOST = 5 << 20
_ROUNDS = 6


def resident():
    """The bytes of this process that lie in memory."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def eager_arithmetic():
    x = fg.ones([100, 100])
    for _ in range(300):
        fg.reduce_sum(fg.matmul(x, x) + x * 2.0)


def new_functions():
    for k in range(60):
        fg.function(lambda x, k=k: x * k)(fg.ones([4]))


def new_shapes():
    f = fg.function(lambda x: fg.reduce_sum(x * x))
    for k in range(200):
        f(fg.ones([k + 1]))
    f.cache_clear()


def growing_shapes():
    f = fg.function(lambda x: fg.reduce_sum(x * x))
    for k in range(15_000):
        f(fg.ones([k + 1]))
    f.cache_clear()


def functions_dropped_with_their_shapes():
    f = fg.function(lambda x: x * x)
    for k in range(2000):
        f(fg.ones([k + 1]))


def new_literals():
    f = fg.function(lambda x, k: x * k)
    for k in range(100):
        f(fg.constant(1.0), k)
    f.cache_clear()


def tapes():
    v = fg.Variable(fg.ones([50, 50]))
    for _ in range(100):
        with fg.GradientTape(persistent=True) as tape:
            y = fg.reduce_sum(fg.matmul(v, v))
        tape.gradient(y, v)
        tape.gradient(y, v)


def abandoned_tapes():
    for _ in range(200):
        tape = fg.GradientTape()
        tape.__enter__()
        tape.watch(x := fg.ones([1000]))
        x * 2.0
        tape.__exit__(None, None, None)


def failing_traces():
    def fail(x):
        raise ValueError("no")

    for _ in range(100):
        try:
            fg.function(fail)(fg.constant(1.0))
        except ValueError:
            continue


def failing_calls():
    x, y = fg.ones([2, 3]), fg.ones([2, 3])
    for _ in range(500):
        try:
            fg.matmul(x, y)
        except fg.errors.InvalidArgumentError:
            continue


def _leak():
    kept = []
    fg.function(lambda x: kept.append(x) or x)(fg.constant(1.0))


def leaked_tensors():
    for _ in range(50):
        _leak()


def variables():
    for _ in range(300):
        v = fg.Variable(fg.ones([1000]))
        v.assign_add(fg.ones([1000]))
        v[0].assign(2.0)


def variables_made_in_functions():
    for _ in range(100):

        class Own:
            v = None

            @fg.function
            def f(self, x):
                if self.v is None:
                    self.v = fg.Variable(1.0)
                return x * self.v

        Own().f(fg.constant(1.0))


def classes_with_slots():
    for _ in range(60):

        class Own:
            __slots__ = ("value",)

            @fg.function
            def f(self, x):
                self.value = x * 2.0
                return self.value

        Own().f(fg.constant(1.0))


def extension_types():
    for _ in range(60):

        class Own(fg.experimental.ExtensionType):
            x: fg.Tensor

        fg.function(lambda own: own.x * 2.0)(Own(fg.ones([3])))


def objects_as_arguments():
    class Own:
        pass

    f = fg.function(lambda own, x: x * 2.0)
    for _ in range(200):
        f(Own(), fg.constant(1.0))


def methods():
    class Own:
        @fg.function
        def f(self, x):
            return x * 2.0

    for _ in range(60):
        Own().f(fg.constant(1.0))


def datasets():
    for _ in range(10):
        data = fg.data.Dataset.range(100).map(lambda x: x + 1).batch(7).prefetch(2)
        list(data)
        next(iter(data))


def unfinished_iterators():
    for _ in range(30):
        next(iter(fg.data.Dataset.range(10**6).map(lambda x: x + 1).prefetch(8)))


def failing_datasets():
    def rows():
        yield 1
        raise ValueError("no")

    for _ in range(20):
        spec = fg.TensorSpec([], fg.int32)
        data = fg.data.Dataset.from_generator(rows, output_signature=spec)
        try:
            list(data.map(lambda x: x + 1).prefetch(1))
        except (ValueError, fg.errors.OpError):
            continue


def threads():
    def work():
        x = fg.ones([1000])
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = fg.function(lambda x: x * 2.0 + 1.0)(x)
        tape.gradient(y, x)

    for _ in range(20):
        several = [threading.Thread(target=work) for _ in range(4)]
        for thread in several:
            thread.start()
        for thread in several:
            thread.join()


def generators():
    def rows():
        yield from np.ones((20, 100), np.float32)

    for _ in range(10):
        spec = fg.TensorSpec([100])
        data = fg.data.Dataset.from_generator(rows, output_signature=spec)
        list(data.prefetch(2))
        next(iter(data))


def caches():
    for _ in range(10):
        data = fg.data.Dataset.from_tensor_slices(fg.ones([100, 1000])).cache()
        list(data)


def strings():
    for _ in range(50):
        fg.strings.join([fg.fill([200], "some text"), fg.fill([200], "more")])


def arrays():
    for _ in range(100):
        x = fg.constant(np.ones((100, 100)))
        x.numpy()
        memoryview(x)
        np.asarray(x)


def pickles():
    concrete = fg.function(lambda x: x * x).get_concrete_function(fg.TensorSpec([None]))
    for _ in range(40):
        pickle.loads(pickle.dumps(concrete))(fg.ones([2]))


def structures():
    for k in range(60):
        r = fg.ragged.constant([[1.0] * (k % 5), [2.0]])
        s = fg.sparse.from_dense(fg.eye(10))
        fg.function(lambda r, s: (r * 2.0, fg.sparse.reduce_sum(s)))(r, s)


def loops():
    @fg.function
    def f(n):
        array = fg.TensorArray(fg.float32, 0, dynamic_size=True)
        for i in fg.range(n):
            array = array.write(i, fg.ones([100]))
        return array.stack()

    for _ in range(20):
        f(fg.constant(50))


def gradients_of_functions():
    for _ in range(20):
        f = fg.function(lambda x: fg.reduce_sum(fg.map_fn(lambda e: e * e, x)))
        x = fg.ones([20])
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        tape.gradient(y, x)


def callbacks():
    for _ in range(30):
        f = fg.function(lambda x: fg.py_function(lambda v: v * 2.0, [x], fg.float32))
        f(fg.constant(1.0))


def names():
    """All of them, in the order of this file."""
    own = [
        (v.__code__.co_firstlineno, n)
        for n, v in globals().items()
        if hasattr(v, "__code__") and v.__module__ == __name__
    ]
    return [n for _, n in sorted(own) if n not in ("main", "names", "resident") and n[0] != "_"]


def main(name):
    work, sizes = globals()[name], []
    for _ in range(_ROUNDS):
        work()
        gc.collect()
        sizes.append(resident())
    grown = min(sizes[3:]) - sizes[0]
    if grown > MOST:
        raise SystemExit(f"{name} left {grown >> 20} MiB: {[s >> 20 for s in sizes]} MiB")


if __name__ == "__main__":
    main(sys.argv[1])
