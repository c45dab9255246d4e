"""Kills while records and events are written: what was complete is intact, the rest no data."""

import os
import random

import ferrograph as fg
import pytest
from killing import N_KILLS, killed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
N_RECORDS = 20


def record(i, j):
    """Bytes that tell where they belong, of many lengths."""
    return f"{i}:{j}:".encode() + bytes([j % 251]) * (j * 37 % 5000)


def write_records(folder, begun, report):
    """Files one after the other; says how many records of which are flushed."""
    for i in range(begun, begun + 10**6):
        how = "GZIP" if i % 3 == 2 else ""
        with fg.io.TFRecordWriter(str(folder / f"{i}.tfrecord"), how) as writer:
            for j in range(N_RECORDS):
                writer.write(record(i, j))
                if j == N_RECORDS // 2 and not how:
                    writer.flush()
                    os.write(report, f"{i} {j + 1}\n".encode())
        os.write(report, f"{i} {N_RECORDS}\n".encode())


def readable(path, how=""):
    """The records of a file up to where it is damaged, and whether it is."""
    found = []
    try:
        for item in fg.data.TFRecordDataset(str(path), how):
            found.append(item.numpy())
    except fg.errors.DataLossError:
        return found, True
    return found, False


def test_killed_writers_of_records(tmp_path):
    chance, begun, n_partial, n_complete = random.Random(5), 0, 0, 0
    for _ in range(N_KILLS):
        delay = chance.uniform(0, 0.012)
        lines = killed(lambda to, i=begun: write_records(tmp_path, i, to), delay)
        complete = dict(lines)
        written = sorted(tmp_path.glob("*.tfrecord"), key=lambda path: int(path.stem))
        for path in written:
            i = int(path.stem)
            found, is_damaged = readable(path, "GZIP" if i % 3 == 2 else "")
            assert found == [record(i, j) for j in range(len(found))]
            assert len(found) >= complete.get(i, 0)
            assert not (is_damaged and complete.get(i) == N_RECORDS)
            n_partial += len(found) < N_RECORDS
            n_complete += len(found) == N_RECORDS
            path.unlink()
        begun = int(written[-1].stem) + 1 if written else begun
    assert n_complete > 0 and n_partial > 0


def write_events(folder, report):
    with fg.summary.create_file_writer(str(folder)).as_default() as writer:
        for step in range(10**6):
            fg.summary.scalar("loss", step, step=step)
            fg.summary.text("note", "x" * (step * 37 % 3000), step=step)
            if step % 5 == 4:
                writer.flush()
                os.write(report, f"{step} 0\n".encode())


def test_killed_writers_of_events(tmp_path):
    chance, n_events = random.Random(7), 0
    for i in range(N_KILLS):
        folder = tmp_path / str(i)
        lines = killed(lambda to, folder=folder: write_events(folder, to), chance.uniform(0, 0.02))
        flushed = lines[-1][0] + 1 if lines else 0
        for path in folder.glob("*tfevents*"):
            found, _ = readable(path)
            # The first event says the version of the format; two follow for each step.
            assert len(found) >= 2 * flushed + (flushed > 0)
            loss = [event for event in found if b"loss" in event]
            note = [event for event in found if b"note" in event]
            assert len(loss) - len(note) in (0, 1)
            n_events += len(found)
    assert n_events > 0
