"""Kills while caches, snapshots and saved datasets are written: each is whole or not there."""

import os
import random

import ferrograph as fg
import pytest
from killing import N_KILLS, killed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
N_ELEMENTS = 40
D = fg.data.Dataset


def elements(number):
    """A dataset whose elements tell where they belong, of many lengths."""
    rows = [fg.fill([i * 37 % 500], number) for i in range(N_ELEMENTS)]
    return D.from_generator(
        lambda: iter(rows), output_signature=fg.TensorSpec([None], rows[0].dtype)
    )


def number_of(dataset):
    """What all the elements of a whole dataset say, -1 where it has none."""
    found = [row.numpy().tolist() for row in dataset]
    if not found:
        return -1
    assert [len(row) for row in found] == [i * 37 % 500 for i in range(N_ELEMENTS)]
    (number,) = {x for row in found for x in row}
    return number


def write_caches(folder, begun, report):
    """Caches, each in a file of its own; says which are whole."""
    for i in range(begun, begun + 10**6):
        for _ in elements(i).cache(str(folder / str(i))):
            pass
        os.write(report, f"{i}\n".encode())


def test_killed_writers_of_caches(tmp_path):
    chance, begun, n_whole, n_partial = random.Random(11), 0, 0, 0
    for _ in range(N_KILLS):
        delay = chance.uniform(0, 0.02)
        lines = killed(lambda to, i=begun: write_caches(tmp_path, i, to), delay)
        whole = {i for (i,) in lines}
        names = {path.name.split(".")[0] for path in tmp_path.iterdir()}
        for i in sorted(map(int, names)):
            # A cache that is not whole is computed again, of other elements.
            found = number_of(elements(-1).cache(str(tmp_path / str(i))))
            assert found == i if i in whole else found in (i, -1)
            n_whole += found == i
            n_partial += found == -1
        begun = max([*map(int, names), begun]) + 1
        for path in tmp_path.iterdir():
            path.unlink()
    assert n_whole > 0 and n_partial > 0


def write_saved(folder, begun, compression, report):
    """One dataset in the place of another; says which are whole."""
    for i in range(begun, begun + 10**6):
        elements(i).save(str(folder), compression)
        os.write(report, f"{i}\n".encode())


@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_killed_writers_of_saved_datasets(tmp_path, compression):
    chance, folder, last = random.Random(13), tmp_path / "d", -1
    elements(last).save(str(folder), compression)
    for _ in range(N_KILLS // 2):
        delay = chance.uniform(0, 0.02)
        lines = killed(lambda to, i=last + 1: write_saved(folder, i, compression, to), delay)
        found = number_of(D.load(str(folder)))
        assert found - max([last, *(i for (i,) in lines)]) in (0, 1)
        last = found
    assert last > 0


def write_snapshots(folder, begun, report):
    """Snapshots, each in a folder of its own; says which are whole."""
    for i in range(begun, begun + 10**6):
        for _ in elements(i).snapshot(str(folder / str(i))):
            pass
        os.write(report, f"{i}\n".encode())


def test_killed_writers_of_snapshots(tmp_path):
    chance, begun, n_whole, n_partial = random.Random(17), 0, 0, 0
    for k in range(N_KILLS):
        folder = tmp_path / str(k)
        folder.mkdir()
        delay = chance.uniform(0, 0.02)
        lines = killed(lambda to, i=begun, f=folder: write_snapshots(f, i, to), delay)
        whole = {i for (i,) in lines}
        names = sorted(int(path.name) for path in folder.iterdir())
        for i in names:
            found = number_of(elements(-1).snapshot(str(folder / str(i))))
            assert found == i if i in whole else found in (i, -1)
            n_whole += found == i
            n_partial += found == -1
        begun = max([*names, begun]) + 1
    assert n_whole > 0 and n_partial > 0
