"""Time records, iteration, parallel maps and saved models: processor time where one thread works.

    python benches/files.py [SECONDS]

Each figure is the best of as many rounds as fit into SECONDS (10 where none are given). Where one
thread does the work, its processor's time counts, which other work on the machine disturbs little.
Long files of records are read ahead by a second thread and parallel maps have several: these are
timed by the clock beside what they are compared with, in turns, so that they need two idle cores.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable

import ferrograph as fg

BLOCK, LARGE, SMALL = 1 << 20, 64 << 10, 100
N_BYTES = 64 << 20
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0


def best(work: Callable[[], object], clock: Callable[[], float] = time.thread_time) -> float:
    """The least time that ``work`` took, in seconds."""
    least, end = float("inf"), time.monotonic() + SECONDS
    while time.monotonic() < end:
        begin = clock()
        work()
        least = min(least, clock() - begin)
    return least


def plain_read(path: str) -> None:
    buffer = bytearray(BLOCK)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def plain_write(path: str) -> None:
    block = b"x" * BLOCK
    with open(path, "wb", buffering=0) as file:
        for _ in range(N_BYTES // BLOCK):
            file.write(block)


def write_records(path: str, size: int) -> None:
    record = b"x" * size
    with fg.io.TFRecordWriter(path) as writer:
        for _ in range(N_BYTES // size):
            writer.write(record)


@fg.function
def count(path: fg.Tensor) -> fg.Tensor:
    n = fg.constant(0, fg.int64)
    for _ in fg.data.TFRecordDataset(path):
        n += 1
    return n


def iterate(path: str) -> None:
    for _ in fg.data.TFRecordDataset(path):
        pass


def iterate_bytes(path: str) -> None:
    for record in fg.data.TFRecordDataset(path):
        record.numpy()


def in_turns(works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The least time by the clock that each of ``works`` took, in rounds of all of them."""
    least, end = dict.fromkeys(works, float("inf")), time.monotonic() + len(works) * SECONDS
    while time.monotonic() < end:
        for name, work in works.items():
            begin = time.perf_counter()
            work()
            least[name] = min(least[name], time.perf_counter() - begin)
    return least


def records(folder: str) -> None:
    path = os.path.join(folder, "records")
    plain_write(path)
    plain = best(lambda: plain_write(path))
    for size in (LARGE, SMALL):
        n = N_BYTES // size
        took = best(lambda size=size: write_records(path, size))
        print(f"records of {size:5}, written from Python: ", end="")
        print(f"{n / took / 1e6:.2f} million/s, {plain / took:.0%} of plain writes")
        name = fg.constant(path)
        reads = in_turns(
            {
                "plain": lambda: plain_read(path),
                "counted in a function": lambda name=name: count(name),
                "iterated from Python": lambda: iterate(path),
                "iterated, with their bytes": lambda: iterate_bytes(path),
            }
        )
        whole = reads.pop("plain")
        for how, took in reads.items():
            print(f"records of {size:5}, {how}: ", end="")
            print(f"{n / took / 1e6:.2f} million/s, {whole / took:.0%} of plain reads")


@fg.function
def total(n: fg.Tensor) -> fg.Tensor:
    found = fg.constant(0, fg.int64)
    for x in fg.data.Dataset.range(n):
        found += x
    return found


def iteration() -> None:
    n = 20_000
    numbers = fg.data.Dataset.range(n)

    def from_python() -> None:
        for _ in numbers:
            pass

    print(f"iteration from Python   : {best(from_python) / n * 1e6:.3f} us an element")
    m = fg.constant(10 * n, fg.int64)
    print(f"iteration in a function : {best(lambda: total(m)) / (10 * n) * 1e6:.3f} us an element")


def parallel_map() -> None:
    x = fg.random.stateless_uniform([64, 64], [1, 2])

    def work(i: fg.Tensor) -> fg.Tensor:
        y = x + fg.cast(i, fg.float32)
        for _ in range(20):
            y = fg.sin(y)
        return fg.reduce_sum(y)

    def run(parallel: int | None) -> Callable[[], object]:
        found = fg.data.Dataset.range(200).map(work, num_parallel_calls=parallel)
        return lambda: found.reduce(0.0, lambda a, b: a + b)

    one, two = run(None), run(2)
    pairs = [(best_of(one), best_of(two)) for _ in range(max(1, int(SECONDS)))]
    alone, both = min(a for a, _ in pairs), min(b for _, b in pairs)
    print(f"parallel map on 2 cores : {alone / both:.2f} times as fast")


def best_of(work: Callable[[], object], n: int = 15) -> float:
    """The least time of a few rounds by the clock."""
    times = []
    for _ in range(n):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def saved_model(folder: str) -> None:
    path = os.path.join(folder, "model")
    made = fg.Module()
    made.w = fg.Variable(fg.ones([4, 4]))

    @fg.function(input_signature=[fg.TensorSpec([None, 4], name="x")])
    def serve(x: fg.Tensor) -> fg.Tensor:
        for i in range(287):
            x = fg.tanh(x @ made.w) if i % 2 else x * 0.5 + 0.1
        return x

    made.serve = serve
    fg.saved_model.save(made, path, signatures=serve)
    x = fg.ones([2, 4])
    loads, calls = [], []
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        begin = time.thread_time()
        loaded = fg.saved_model.load(path)
        loads.append(time.thread_time() - begin)
        begin = time.thread_time()
        loaded.serve(x)
        calls.append(time.thread_time() - begin)
    n = len(serve.get_concrete_function().graph.get_operations())
    print(f"a model of {n} operations: load {min(loads) * 1e3:.1f} ms, ", end="")
    print(f"first call {min(calls) * 1e3:.1f} ms")
    print(
        f"the first load of the process: {loads[0] * 1e3:.1f} ms, its call {calls[0] * 1e3:.1f} ms"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        saved_model(folder)
        records(folder)
    iteration()
    parallel_map()


if __name__ == "__main__":
    main()
