"""Numbered checkpoints: what is kept, what the file beside them says, and what a kill leaves."""

import os
import random
import signal
import subprocess
import sys
import time

import ferrograph as fg
import pytest

N_KILLS = int(os.environ.get("FERROGRAPH_KILLS", "2"))

WRITER = """
import sys, ferrograph as fg
v = fg.Variable(fg.zeros([200_000], fg.int32))
checkpoint = fg.train.Checkpoint(v=v, w=fg.Variable(0))
manager = fg.train.CheckpointManager(checkpoint, sys.argv[1], max_to_keep=3)
manager.restore_or_initialize()
print("ready", flush=True)
while True:
    v.assign_add(fg.ones([200_000], fg.int32))
    checkpoint.w.assign(v[0])
    manager.save()
    checkpoint.write(sys.argv[1] + "/same")
    print(int(checkpoint.w), flush=True)
"""


def names(paths):
    return [os.path.basename(path) for path in paths]


def manager_of(folder, **options):
    checkpoint = fg.train.Checkpoint(v=fg.Variable(0))
    return fg.train.CheckpointManager(checkpoint, folder, **{"max_to_keep": 2, **options})


def test_the_last_few_are_kept(tmp_path):
    manager = manager_of(tmp_path)
    assert manager.latest_checkpoint is None
    for _ in range(4):
        manager.save()
    assert names(manager.checkpoints) == ["ckpt-3", "ckpt-4"]
    files = sorted(path.name.partition(".")[0] for path in tmp_path.glob("*.index"))
    assert files == ["ckpt-3", "ckpt-4"]
    text = (tmp_path / "checkpoint").read_text().splitlines()
    assert text[:3] == [
        'model_checkpoint_path: "ckpt-4"',
        'all_model_checkpoint_paths: "ckpt-3"',
        'all_model_checkpoint_paths: "ckpt-4"',
    ]
    assert [line.partition(":")[0] for line in text[3:]] == [
        *["all_model_checkpoint_timestamps"] * 2,
        "last_preserved_timestamp",
    ]


def test_one_in_so_many_hours_stays(tmp_path):
    manager = manager_of(tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
    for _ in range(3):
        manager.save()
    assert names(manager.checkpoints) == ["ckpt-3"]
    assert len(list(tmp_path.glob("*.index"))) == 3


def test_another_manager_goes_on(tmp_path):
    first = manager_of(tmp_path, max_to_keep=None)
    for _ in range(3):
        first.save()
    second = manager_of(tmp_path)
    assert names([second.restore_or_initialize()]) == ["ckpt-3"]
    assert names([second.save()]) == ["ckpt-4"]
    assert names(second.checkpoints) == ["ckpt-3", "ckpt-4"]


def test_steps_between_checkpoints(tmp_path):
    step, started = fg.Variable(0), []
    manager = manager_of(
        tmp_path, step_counter=step, checkpoint_interval=3, init_fn=lambda: started.append(1)
    )
    assert manager.restore_or_initialize() is None and started == [1]
    saved = []
    for _ in range(7):
        saved.append(manager.save() is not None)
        step.assign_add(1)
    assert saved == [True, False, False, True, False, False, True]
    assert manager.save(check_interval=False) is not None
    with pytest.raises(ValueError, match="step_counter"):
        manager_of(tmp_path, checkpoint_interval=3)
    with pytest.raises(ValueError, match="max_to_keep"):
        manager_of(tmp_path, max_to_keep=0)


@pytest.mark.parametrize("text", ["", "nonsense", "model_checkpoint_path: 3", '\x00"'])
def test_a_damaged_state_is_none(tmp_path, text):
    (tmp_path / "checkpoint").write_text(text)
    assert fg.train.get_checkpoint_state(tmp_path) is None
    assert fg.train.latest_checkpoint(tmp_path) is None


def test_odd_names_come_back(tmp_path):
    folder = tmp_path / 'a "quoted" \\ näme\n'
    path = fg.train.Checkpoint(v=fg.Variable(1)).save(folder / "c")
    assert fg.train.latest_checkpoint(folder) == path


def read_back(path):
    """The value in a checkpoint, which is whole: all numbers are the same."""
    ckpt = fg.train.Checkpoint(v=fg.Variable(fg.zeros([200_000], fg.int32)), w=fg.Variable(0))
    ckpt.read(path)
    low, high = int(fg.reduce_min(ckpt.v)), int(fg.reduce_max(ckpt.v))
    assert low == high == int(ckpt.w)
    return low


def test_a_kill_leaves_whole_checkpoints(tmp_path):
    """What was complete when the process was killed is intact, and nothing else is found."""
    chance, last, complete = random.Random(3), 0, 0
    for _ in range(N_KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        with writer:
            assert writer.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0.05, 0.3))
            writer.send_signal(signal.SIGKILL)
            lines = writer.stdout.read().split("\n")
        complete = max([complete, *map(int, filter(None, lines[:-1]))])
        state = fg.train.get_checkpoint_state(tmp_path)
        if state is None:
            continue
        values = [read_back(path) for path in state.all_model_checkpoint_paths]
        assert values == sorted(values) and values[-1] >= max(last, complete)
        last = values[-1]
        if (tmp_path / "same.index").exists():
            assert complete <= read_back(tmp_path / "same") <= last
    assert last > 0
