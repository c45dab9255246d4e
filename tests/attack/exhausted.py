"""Results that no machine holds, each asked for eagerly or by a trace, in this process."""

import resource
import sys
from pathlib import Path

import ferrograph as fg
import numpy as np

MEMORY = 3 << 30
# What a refusal may have touched.
TOUCHED = 200 << 10

CASES = {
    "sequence_mask": lambda: fg.sequence_mask(2**62),
    "sequence_mask of lengths": lambda: fg.sequence_mask([1, 2], maxlen=fg.constant(2**62)),
    "normal": lambda: fg.random.normal([2**31, 2**31]),
    "uniform": lambda: fg.random.uniform([2**62]),
    "truncated_normal": lambda: fg.random.truncated_normal([2**62]),
    "stateless": lambda: fg.random.stateless_uniform([2**40, 2**40], [1, 2]),
    "shuffle": lambda: fg.random.shuffle(fg.zeros([2**50, 0])),
    "repeat": lambda: fg.repeat([1.0, 2.0], [0, 2**62]),
    "sparse.eye": lambda: fg.sparse.eye(2**62),
    "eye": lambda: fg.eye(2**31),
    "fill": lambda: fg.fill([2**40], 1.0),
    "fill of strings": lambda: fg.fill([2**33], "a"),
    "zeros of strings": lambda: fg.zeros([2**33], fg.string),
    "tile of strings": lambda: fg.tile(["a"], [2**33]),
    "broadcast of strings": lambda: fg.broadcast_to(["a"], [2**33]),
    "pad of strings": lambda: fg.pad(["a"], [[2**33, 0]]),
    "reduce_join": lambda: fg.strings.reduce_join(fg.zeros([2**40, 0], fg.string), 1),
    "join": lambda: fg.strings.unsorted_segment_join(["a"], [0], 2**40),
    "ragged.range": lambda: fg.ragged.range([2**40, 2**40]),
    "row_splits_to_segment_ids": lambda: fg.ragged.row_splits_to_segment_ids([0, 2**62]),
    "range": lambda: fg.range(2**62),
    "linspace": lambda: fg.linspace(0.0, 1.0, 2**62),
    "one_hot": lambda: fg.one_hot([1, 2], 2**62),
    "pad": lambda: fg.pad([1.0], [[2**61, 2**61]]),
    "tile": lambda: fg.tile([1.0, 2.0], [2**62]),
    "broadcast_to": lambda: fg.broadcast_to(1.0, [2**31, 2**31]),
    "scatter_nd": lambda: fg.scatter_nd([[0]], [1.0], [2**62]),
    "unsorted_segment_sum": lambda: fg.math.unsorted_segment_sum([1.0], [0], 2**62),
    "reduce_sum": lambda: fg.reduce_sum(fg.zeros([2**40, 0]), 1),
    "matmul": lambda: fg.matmul(fg.zeros([2**31, 0]), fg.zeros([0, 2**31])),
    "tensordot": lambda: fg.tensordot(fg.zeros([2**31, 0]), fg.zeros([0, 2**31]), 1),
    "sum of two": lambda: fg.ones([2**40]) + fg.ones([2**40]),
    "many that are one": lambda: fg.zeros_like(fg.broadcast_to(1.0, [2**31, 2**31])),
    "meshgrid": lambda: fg.meshgrid(*[fg.range(2**17)] * 3),
    "to_dense": lambda: fg.sparse.to_dense(fg.SparseTensor([[0, 0]], [1.0], [2**31, 2**31])),
    "array of strings": lambda: fg.TensorArray(fg.string, 2**31 - 1, element_shape=[]).stack(),
    "array": lambda: fg.TensorArray(fg.float64, 2**31 - 1, element_shape=[2**20]).stack(),
    "in a branch": lambda: fg.cond(
        fg.constant(True), lambda: fg.zeros([2**40, 2**40]), lambda: fg.zeros([2, 2])
    ),
    "in a loop": lambda: fg.while_loop(
        lambda i, x: i < 2,
        lambda i, x: (i + 1, fg.tile(x, [2**30])),
        [0, fg.zeros([2])],
        shape_invariants=[fg.TensorShape([]), fg.TensorShape([None])],
    ),
}


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def outcome(case, way):
    """What is wrong with one case; nothing where it is refused as it should be."""
    call = fg.function(case, autograph=False) if way == "traced" else case
    before = peak()
    try:
        call()
    except fg.errors.ResourceExhaustedError:
        touched = peak() - before
        return f"touches {touched >> 10} MiB" if touched > TOUCHED else None
    except BaseException as e:
        return f"{type(e).__name__}: {e}"
    return "is answered"


def main(way):
    np.zeros(1)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    found = {name: outcome(case, way) for name, case in CASES.items()}
    wrong = [f"{name} {text}" for name, text in found.items() if text]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(sys.argv[1])
