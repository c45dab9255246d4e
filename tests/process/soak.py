"""A soak: many calls over many signatures from many threads, under a small bound of traces.

Prints figures as JSON and exits with an error where an answer is wrong, memory grows or a thread
hangs. ``python tests/process/soak.py --calls 1000000`` is the full run; the test suite runs a
short one.
"""

import argparse
import faulthandler
import gc
import json
import random
import threading
import time

import ferrograph as fg

HOT = 0.9  # the part of the calls that go to a few signatures, as in most programs


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--signatures", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--max-traces", type=int, default=64)
    parser.add_argument("--growth-mib", type=float, default=16, help="memory that may be added")
    parser.add_argument(
        "--timeout", type=float, default=1800, help="seconds until it counts as hung"
    )
    return parser.parse_args()


def resident_mib():
    gc.collect()
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096 / 2**20


class Soak:
    """One function that all threads call, and what they found."""

    def __init__(self, chosen):
        self.chosen = chosen
        self.offset = fg.Variable(0.5)
        self.inputs = [fg.fill([n + 1], 2.0) for n in range(8)]
        self.wrong = []
        self.seen = set()

        @fg.function(max_traces=chosen.max_traces, reduce_retracing=False)
        def f(x, k, mode):
            total = fg.reduce_sum(x) * float(k)
            for i in fg.range(2):
                if total > 10.0:
                    total = total + fg.cast(i, fg.float32)
            return total + self.offset if mode == "add" else total - self.offset

        self.f = f

    def expected(self, n, k, mode):
        total = 2.0 * (n + 1) * k
        total += total > 10.0  # the second of the two iterations adds one
        return total + 0.5 if mode == "add" else total - 0.5

    def call(self, signature):
        n, rest = signature % 8, signature // 8
        k, mode = rest // 2, ("add", "subtract")[rest % 2]
        got = float(self.f(self.inputs[n], k, mode))
        if abs(got - self.expected(n, k, mode)) > 1e-3 * max(1.0, abs(got)):
            self.wrong.append((signature, got))
        self.seen.add(signature)

    def work(self, seed, calls):
        draw = random.Random(seed)
        n_signatures, n_hot = self.chosen.signatures, max(1, self.chosen.max_traces // 2)
        for _ in range(calls):
            hot = draw.random() < HOT
            self.call(draw.randrange(n_hot if hot else n_signatures))

    def run(self, calls):
        """Share the calls among threads that start together; seconds taken."""
        share = calls // self.chosen.threads
        threads = [
            threading.Thread(target=self.work, args=(random.random(), share), daemon=True)
            for _ in range(self.chosen.threads)
        ]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - start


def main():
    chosen = options()
    faulthandler.dump_traceback_later(chosen.timeout, exit=True)
    soak = Soak(chosen)
    seconds = soak.run(chosen.calls // 5)
    before = resident_mib()
    seconds += soak.run(chosen.calls - chosen.calls // 5)
    growth = resident_mib() - before
    info = soak.f.cache_info()
    figures = {
        "calls": info["hits"] + info["misses"],
        "signatures": len(soak.seen),
        "seconds": round(seconds, 1),
        "resident_mib": round(resident_mib(), 1),
        "growth_mib": round(growth, 2),
        "wrong": len(soak.wrong),
        **info,
    }
    print(json.dumps(figures))
    assert not soak.wrong, soak.wrong[:10]
    assert info["traces"] <= chosen.max_traces, info
    assert growth < chosen.growth_mib, figures


if __name__ == "__main__":
    main()
