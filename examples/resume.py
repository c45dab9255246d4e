"""Train from files with checkpoints, be killed ten times, and end where an uninterrupted run ends.

The pipeline reads TFRecords, parses them on several threads, shuffles, and prefetches. A checkpoint
holds the weights, their momentum, the number of steps and the iterator; it is written every few
steps. A killed program goes on from the last one: the weights at the end have the same bits.

    python examples/resume.py
"""

import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import ferrograph as fg
import numpy as np

SEED = 0
N_FILES, N_RECORDS, N_FEATURES = 4, 200, 8
BATCH = 16
STEPS = 150
SAVED_EVERY = 5
KILLS = 10
LEARNING_RATE, MOMENTUM = 0.02, 0.9


def write_records(folder: Path) -> None:
    """Files of examples: features, and a label that is a linear function of them with noise."""
    rng = np.random.default_rng(SEED)
    weights = rng.standard_normal(N_FEATURES)
    for i in range(N_FILES):
        with fg.io.TFRecordWriter(str(folder / f"{i}.tfrecord")) as writer:
            for x in rng.standard_normal((N_RECORDS, N_FEATURES)):
                label = x @ weights + 0.1 * rng.standard_normal()
                feature = {
                    "x": fg.train.Feature(float_list=fg.train.FloatList(value=x)),
                    "y": fg.train.Feature(float_list=fg.train.FloatList(value=[label])),
                }
                example = fg.train.Example(features=fg.train.Features(feature=feature))
                writer.write(example.SerializeToString())


def parsed(record: fg.Tensor) -> tuple[fg.Tensor, fg.Tensor]:
    """Features and label of a record."""
    kinds = {
        "x": fg.io.FixedLenFeature([N_FEATURES], fg.float32),
        "y": fg.io.FixedLenFeature([], fg.float32),
    }
    found = fg.io.parse_single_example(record, kinds)
    return found["x"], found["y"]


def batches(folder: Path) -> fg.data.Dataset:
    """Batches without end, in an order that each epoch draws anew."""
    names = [str(folder / f"{i}.tfrecord") for i in range(N_FILES)]
    files = fg.data.Dataset.from_tensor_slices(names)
    records = files.interleave(
        fg.data.TFRecordDataset, cycle_length=N_FILES, num_parallel_calls=fg.data.AUTOTUNE
    )
    examples = records.map(parsed, num_parallel_calls=fg.data.AUTOTUNE)
    return examples.shuffle(256, seed=SEED).repeat().batch(BATCH).prefetch(2)


class Model:
    """A linear model with momentum."""

    def __init__(self) -> None:
        self.weights = fg.Variable(fg.zeros([N_FEATURES]))
        self.momentum = fg.Variable(fg.zeros([N_FEATURES]))

    @fg.function
    def train(self, x: fg.Tensor, y: fg.Tensor) -> fg.Tensor:
        """One step; the loss before it."""
        with fg.GradientTape() as tape:
            loss = fg.reduce_mean((fg.linalg.matvec(x, self.weights) - y) ** 2)
        gradient = tape.gradient(loss, self.weights)
        self.momentum.assign(MOMENTUM * self.momentum + gradient)
        self.weights.assign_sub(LEARNING_RATE * self.momentum)
        return loss


def train(records: Path, folder: Path) -> None:
    """Train up to ``STEPS``, from the last checkpoint in the folder where there is one."""
    model, step, iterator = Model(), fg.Variable(0), iter(batches(records))
    checkpoint = fg.train.Checkpoint(
        weights=model.weights, momentum=model.momentum, step=step, iterator=iterator
    )
    manager = fg.train.CheckpointManager(checkpoint, str(folder), max_to_keep=2)
    if manager.latest_checkpoint:
        checkpoint.restore(manager.latest_checkpoint).assert_consumed()
    while int(step) < STEPS:
        loss = model.train(*next(iterator))
        step.assign_add(1)
        if int(step) % SAVED_EVERY == 0:
            manager.save(checkpoint_number=int(step))
        print(int(step), float(loss), flush=True)
    np.save(folder / "weights.npy", model.weights.numpy())


def run(records: Path, folder: Path, kill_after: int | None = None) -> None:
    """Train in a process of its own, which is killed behind so many steps."""
    command = [sys.executable, __file__, str(records), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for n, line in enumerate(child.stdout, 1):
            if n == kill_after:
                child.send_signal(signal.SIGKILL)
                print(f"killed behind step {line.split()[0]}")
                return
    if child.returncode:
        raise SystemExit(f"training failed with {child.returncode}")


def main() -> None:
    """Train twice, once with kills, and compare."""
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as scratch:
        records, whole, killed = (Path(scratch) / name for name in ("records", "whole", "killed"))
        for folder in (records, whole, killed):
            folder.mkdir()
        write_records(records)
        run(records, whole)
        for _ in range(KILLS):
            run(records, killed, kill_after=chance.randrange(3, 15))
        run(records, killed)
        expected, found = (np.load(folder / "weights.npy") for folder in (whole, killed))
        if expected.tobytes() != found.tobytes():
            raise SystemExit(f"the weights differ:\n{expected}\n{found}")
        print(f"killed {KILLS} times, and the weights are the same: {found}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        train(*map(Path, sys.argv[1:]))
    else:
        main()
