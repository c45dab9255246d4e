"""Caches in files, snapshots and saved datasets: what is whole is read, nothing else ever is."""

import os
import signal
import subprocess
import sys
import threading
from collections import OrderedDict, namedtuple

import ferrograph as fg
import numpy as np
import pytest

D = fg.data.Dataset
errors = fg.errors


def numbers(dataset):
    return [int(x) for x in dataset]


def counted(n=4):
    """A dataset, and the list of what it computed."""
    calls = []

    def record(x):
        calls.append(int(x))
        return x

    return D.range(n).map(lambda x: fg.py_function(record, [x], fg.int64)), calls


def test_a_cache_outlives_its_dataset(tmp_path):
    dataset, calls = counted()
    path = tmp_path / "cache"
    cached = dataset.cache(path)
    assert numbers(cached) == numbers(cached) == [0, 1, 2, 3]
    assert calls == [0, 1, 2, 3]
    assert numbers(D.range(100, 105).cache(str(path))) == [0, 1, 2, 3]
    assert numbers(D.range(9).cache(fg.constant(str(path)))) == [0, 1, 2, 3]
    assert numbers(D.range(2).cache(fg.constant("")).repeat(2)) == [0, 1, 0, 1]

    @fg.function
    def total():
        return D.range(7).cache(str(path)).reduce(fg.constant(0, fg.int64), lambda s, x: s + x)

    assert int(total()) == 6
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "cache.data-00000-of-00001",
        "cache.index",
    ]


def test_a_part_of_a_cache_does_not_count(tmp_path):
    dataset, calls = counted()
    cached = dataset.filter(lambda x: x >= 0).cache(tmp_path / "c")
    assert numbers(cached.take(2)) == [0, 1]
    assert list(tmp_path.iterdir()) == []
    assert numbers(cached) == [0, 1, 2, 3]
    failing = D.range(3).map(lambda i: fg.gather([1, 2], i)).cache(tmp_path / "f")
    for _ in range(2):
        with pytest.raises(errors.InvalidArgumentError):
            list(failing)
    assert sorted(p.name for p in tmp_path.glob("f*")) == []


def test_a_cache_of_another_type_is_refused(tmp_path):
    numbers(D.range(3).cache(tmp_path / "c"))
    with pytest.raises(errors.InvalidArgumentError):
        list(D.from_tensor_slices([1.0, 2.0]).cache(tmp_path / "c"))
    with pytest.raises(errors.NotFoundError):
        list(D.range(3).cache(tmp_path / "missing" / "c"))
    with pytest.raises(TypeError):
        D.range(3).cache(3)


Pair = namedtuple("Pair", ["left", "right"])
STRUCTURES = [
    {"x": [[1.0, 2.0], [3.0, 4.0]], "s": ["a", "b\0"]},
    (np.arange(4, dtype=np.int8), (np.ones([4, 2, 0]), [True, False, True, True])),
    Pair([1, 2], np.array([1j, 2], np.complex64)),
    OrderedDict(b=[1, 2], a=["x", ""]),
    fg.ragged.constant([[1, 2], [], [3]]),
    {"r": fg.ragged.constant([["a"], []]), "n": [1, 2]},
    (fg.sparse.from_dense([[1, 0], [0, 2]]), [1.5, 2.5]),
]


def plain(value):
    if isinstance(value, fg.SparseTensor):
        value = fg.sparse.to_dense(value)
    if isinstance(value, fg.RaggedTensor):
        return value.to_list()
    return np.asarray(value.numpy()).tolist()


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
@pytest.mark.parametrize("value", STRUCTURES, ids=range(len(STRUCTURES)))
def test_what_is_saved_is_loaded(tmp_path, value, compression):
    dataset = D.from_tensor_slices(value)
    dataset.save(tmp_path / "d", compression=compression)
    loaded = D.load(tmp_path / "d", compression=compression)
    assert fg.nest.map_structure(str, loaded.element_spec) == fg.nest.map_structure(
        str, dataset.element_spec
    )
    assert int(loaded.cardinality()) == len(dataset)
    for got, wanted in zip(loaded, dataset, strict=True):
        leaves = zip(fg.nest.flatten(got), fg.nest.flatten(wanted), strict=True)
        assert all(plain(a) == plain(b) for a, b in leaves)
    again = D.load(str(tmp_path / "d"), element_spec=dataset.element_spec)
    assert len(list(again)) == len(dataset)


def test_saving_anew_replaces(tmp_path):
    D.range(3).save(tmp_path)
    D.range(5, 7).save(tmp_path)
    assert numbers(D.load(tmp_path)) == [5, 6]
    with pytest.raises(errors.InvalidArgumentError):
        D.range(3).map(lambda i: fg.gather([1, 2], i)).save(tmp_path)
    assert numbers(D.load(tmp_path)) == [5, 6]
    D.load(tmp_path).map(lambda x: x * 2).save(tmp_path)
    assert numbers(D.load(tmp_path)) == [10, 12]


def test_shards(tmp_path):
    D.range(6).save(tmp_path, shard_func=lambda x: x % 3)
    assert numbers(D.load(tmp_path)) == [0, 3, 1, 4, 2, 5]
    by_turns = D.load(tmp_path, reader_func=lambda shards: shards.interleave(lambda x: x, 3))
    assert numbers(by_turns) == [0, 1, 2, 3, 4, 5]
    one = D.load(tmp_path, reader_func=lambda shards: shards.skip(1).flat_map(lambda x: x))
    assert numbers(one) == [1, 4, 2, 5]
    pairs = D.zip((D.range(4), D.range(4, 8)))
    pairs.save(tmp_path, shard_func=lambda a, b: fg.cast(a % 2, fg.int32))
    assert [(int(a), int(b)) for a, b in D.load(tmp_path)] == [(0, 4), (2, 6), (1, 5), (3, 7)]
    for bad in (lambda x: 1.5, lambda x: [x, x]):
        with pytest.raises((TypeError, ValueError)):
            D.range(3).save(tmp_path, shard_func=bad)


def test_a_snapshot_is_written_once(tmp_path):
    dataset, calls = counted()
    for _ in range(2):
        found = dataset.snapshot(tmp_path / "s").map(lambda x: x + 1)
        assert numbers(found) == [1, 2, 3, 4]
    assert calls == [0, 1, 2, 3]
    assert numbers(dataset.snapshot(tmp_path / "s").repeat(2).take(5)) == [0, 1, 2, 3, 0]
    options = {
        "compression": "GZIP",
        "shard_func": lambda x: x % 2,
        "reader_func": lambda shards: shards.flat_map(lambda x: x),
    }
    sharded = D.range(4).snapshot(tmp_path / "t", **options)
    assert numbers(sharded) == [0, 1, 2, 3]
    assert numbers(sharded) == [0, 2, 1, 3]

    @fg.function
    def total():
        found = D.range(9).snapshot(str(tmp_path / "t"))
        return found.reduce(fg.constant(0, fg.int64), lambda s, x: s + x)

    assert int(total()) == 6


def test_a_part_of_a_snapshot_does_not_count(tmp_path):
    dataset, calls = counted()
    found = dataset.snapshot(tmp_path)
    assert numbers(found.take(2)) == [0, 1]
    assert list(tmp_path.iterdir()) == []
    assert numbers(found) == [0, 1, 2, 3]


def test_saved_in_a_function(tmp_path):
    @fg.function
    def keep(n):
        D.range(n).save(str(tmp_path))

    keep(fg.constant(3, fg.int64))
    keep(fg.constant(2, fg.int64))
    assert numbers(D.load(tmp_path)) == [0, 1]


def test_what_is_not_there(tmp_path):
    with pytest.raises(errors.NotFoundError):
        D.load(tmp_path / "missing")
    spec = fg.TensorSpec([], fg.int64)
    with pytest.raises(errors.NotFoundError):
        list(D.load(tmp_path / "missing", spec))
    D.range(3).save(tmp_path)
    with pytest.raises(errors.InvalidArgumentError):
        list(D.load(tmp_path, fg.TensorSpec([], fg.float32)))
    with pytest.raises(ValueError):
        D.range(3).save(tmp_path, compression="LZ4")
    datasets = D.range(3).window(2)
    with pytest.raises((TypeError, errors.UnimplementedError)):
        datasets.save(tmp_path / "w")


def test_every_flipped_bit_is_reported(tmp_path):
    D.from_tensor_slices(["ab", "c"]).save(tmp_path)
    files = {p.name: p for p in tmp_path.rglob("*") if p.is_file()}
    # What says the type to tensorflow alone is not read.
    files.pop("dataset_spec.pb").write_bytes(b"damaged")
    assert len(files) == 2
    for path in files.values():
        whole = path.read_bytes()
        for bit in range(len(whole) * 8):
            damaged = bytearray(whole)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(bytes(damaged))
            with pytest.raises(errors.DataLossError):
                list(D.load(tmp_path))
        path.write_bytes(whole)
    assert len(list(D.load(tmp_path))) == 2


WRITER = """
import sys
import threading
import ferrograph as fg
D = fg.data.Dataset
print("begun", flush=True)
slow = D.range(10**6).map(lambda x: fg.repeat(x, 100))
slow.{what}
for x in slow.{again}:
    pass
"""


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.2])
def test_a_killed_process_leaves_what_was_whole(tmp_path, delay):
    D.range(3).save(tmp_path / "d")
    path = str(tmp_path / "d")
    cache = str(tmp_path / "c")
    code = WRITER.format(what=f"save({path!r})", again=f"cache({cache!r})")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"begun\n"
        try:
            child.wait(delay)
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
    assert numbers(D.load(path)) == [0, 1, 2]
    assert numbers(D.range(2).cache(cache)) == [0, 1]


def test_loading_waits_until_another_thread_has_saved(tmp_path):
    folder = str(tmp_path / "elements")
    saving = threading.Timer(0.3, lambda: D.range(5).save(folder))
    with pytest.raises(fg.errors.NotFoundError):
        D.load(folder)
    saving.start()
    assert [int(x) for x in D.load(folder, wait=True)] == [0, 1, 2, 3, 4]
    saving.join()
