"""A saved model in the place of another: one of the two is whole whenever its writer is killed."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import ferrograph as fg
import pytest

N_KILLS = int(os.environ.get("FERROGRAPH_KILLS", "6"))
PACKAGE = str(Path(fg.__file__).parent.parent)
WRITER = """
import sys
import ferrograph as fg

n = int(sys.argv[2])
while True:
    n += 1
    model = fg.Module()
    model.values = [fg.Variable(fg.fill([1000], float(n))) for _ in range(4)]
    spec = [fg.TensorSpec([], fg.float32)]
    model.f = fg.function(lambda x: x + float(n), input_signature=spec)
    fg.saved_model.save(model, sys.argv[1])
    print(n, flush=True)
"""


def written(folder):
    """The number that the whole model in a folder was written with."""
    loaded = fg.saved_model.load(folder)
    found = {float(x) for value in loaded.values for x in value.numpy()}
    found.add(float(loaded.f(0.0)))
    assert len(found) == 1, "parts of several models"
    return int(found.pop())


def test_a_killed_writer_leaves_the_old_model_or_the_new_one(tmp_path):
    folder, chance, last = tmp_path / "m", random.Random(5), 0
    for _ in range(N_KILLS):
        args = [sys.executable, "-c", WRITER, str(folder), str(last)]
        env = {**os.environ, "PYTHONPATH": PACKAGE}
        with subprocess.Popen(args, stdout=subprocess.PIPE, text=True, env=env) as writer:
            reported = int(writer.stdout.readline())
            time.sleep(chance.uniform(0, 0.1))
            writer.kill()
            lines = writer.stdout.read().split("\n")
        reported = max([reported, *(int(line) for line in lines[:-1] if line)])
        last = written(folder)
        assert last - reported in (0, 1)


def save(folder, number):
    model = fg.Module()
    model.values = [fg.Variable([float(number)])]
    spec = [fg.TensorSpec([], fg.float32)]
    model.f = fg.function(lambda x: x + float(number), input_signature=spec)
    fg.saved_model.save(model, folder)


def test_nothing_is_left_of_the_old_model(tmp_path):
    for number in range(3):
        save(tmp_path / "m", number)
        assert written(tmp_path / "m") == number
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_other_files_in_the_folder_stay(tmp_path):
    save(tmp_path / "m", 1)
    (tmp_path / "m" / "notes.txt").write_text("mine")
    save(tmp_path / "m", 2)
    assert written(tmp_path / "m") == 2
    assert (tmp_path / "m" / "notes.txt").read_text() == "mine"


def test_a_link_to_the_folder_stays_a_link(tmp_path):
    save(tmp_path / "m", 1)
    try:
        (tmp_path / "link").symlink_to(tmp_path / "m", target_is_directory=True)
    except OSError:
        pytest.skip("there are no links here")
    save(tmp_path / "link", 2)
    assert (tmp_path / "link").is_symlink()
    assert written(tmp_path / "m") == 2


HOLDER = """
import sys, time
from ferrograph._src.saved.drafts import draft_of

with draft_of(sys.argv[1]) as draft:
    open(draft + "/part", "w").close()
    print(draft, flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no locks of files (fcntl)")
def test_the_next_save_removes_what_a_killed_writer_left(tmp_path):
    folder = tmp_path / "m"
    args = [sys.executable, "-c", HOLDER, str(folder)]
    env = {**os.environ, "PYTHONPATH": PACKAGE}
    # Another model's draft, and a folder that is none.
    (tmp_path / f"n.tmp{'0' * 32}").mkdir()
    (tmp_path / "m.tmp1").mkdir()
    with subprocess.Popen(args, stdout=subprocess.PIPE, text=True, env=env) as writer:
        draft = Path(writer.stdout.readline().strip())
        save(folder, 1)
        assert (draft / "part").exists(), "it is removed while its writer lives"
        writer.kill()
    assert draft.exists()
    save(folder, 2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "m.tmp1", f"n.tmp{'0' * 32}"]
