"""Checkpoints of several data files."""

import os

import ferrograph as fg
import pytest

sharding = fg.train.experimental


def checkpoint():
    values = {f"v{i}": fg.Variable(fg.fill([10 * (i + 1)], float(i))) for i in range(4)}
    return fg.train.Checkpoint(text=fg.Variable(["one", "three"]), **values)


def files(folder):
    return sorted(p.name for p in folder.iterdir() if ".data-" in p.name)


def options(callback):
    return fg.train.CheckpointOptions(experimental_sharding_callback=callback)


def restored(path):
    made = checkpoint()
    for i in range(4):
        getattr(made, f"v{i}").assign(fg.zeros([10 * (i + 1)]))
    made.read(path).assert_consumed()
    return [float(getattr(made, f"v{i}")[-1]) for i in range(4)]


@pytest.mark.parametrize(("size", "n_files"), [(10_000, 1), (200, 3), (100, 4), (1, 6), (2**40, 1)])
def test_files_have_a_largest_size(tmp_path, size, n_files):
    path = checkpoint().write(tmp_path / "c", options(sharding.MaxShardSizePolicy(size)))
    assert len(files(tmp_path)) == n_files
    assert restored(path) == [0.0, 1.0, 2.0, 3.0]
    largest = 160  # bytes of the last variable, which stays whole
    graph = 1000  # more than the graph of the objects takes
    assert all(os.path.getsize(tmp_path / f) <= max(size, largest) + graph for f in files(tmp_path))


def test_one_task_writes_one_file(tmp_path):
    path = checkpoint().write(tmp_path / "c", options(sharding.ShardByTaskPolicy()))
    assert files(tmp_path) == ["c.data-00000-of-00001"]
    assert restored(path) == [0.0, 1.0, 2.0, 3.0]


def test_a_checkpoint_in_the_place_of_one_with_as_many_files(tmp_path):
    made = checkpoint()
    for n in range(3):
        made.v3.assign(fg.fill([40], float(n)))
        path = made.write(tmp_path / "c", options(sharding.MaxShardSizePolicy(200)))
        assert restored(path)[3] == n
        assert len(files(tmp_path)) == 3
    made.write(tmp_path / "c")
    assert len(files(tmp_path)) == 1
    assert restored(path)[3] == 2


def test_a_traced_function_writes_files(tmp_path):
    made = checkpoint()
    policy = options(sharding.MaxShardSizePolicy(200))

    @fg.function
    def write(path):
        return made.write(path, policy)

    write(fg.constant(str(tmp_path / "c")))
    assert len(files(tmp_path)) > 1
    assert restored(tmp_path / "c") == [0.0, 1.0, 2.0, 3.0]


def parts(tensors):
    return {t.checkpoint_key: {t.slice_spec: t.tensor} for t in tensors}


def test_a_callback_of_the_programs_own(tmp_path):
    seen = []

    class OddAndEven(sharding.ShardingCallback):
        @property
        def description(self):
            return "two files"

        def __call__(self, shardable_tensors):
            seen.extend(shardable_tensors)
            return [parts(shardable_tensors[::2]), {}, parts(shardable_tensors[1::2])]

    path = checkpoint().write(tmp_path / "c", options(OddAndEven()))
    assert files(tmp_path) == ["c.data-00000-of-00002", "c.data-00001-of-00002"]
    assert restored(path) == [0.0, 1.0, 2.0, 3.0]
    keys = [t.checkpoint_key for t in seen]
    assert keys == sorted(keys)
    assert "v1/.ATTRIBUTES/VARIABLE_VALUE" in keys
    found = seen[keys.index("v1/.ATTRIBUTES/VARIABLE_VALUE")]
    assert (found.dtype, found.shape, found.slice_spec) == (fg.float32, [20], "")


@pytest.mark.parametrize(
    ("callback", "said"),
    [
        (lambda ts: [parts(ts[1:])], r"left out the tensors \['_CHECKPOINTABLE"),
        (lambda ts: [parts(ts), parts(ts[:1])], "twice"),
        (lambda ts: [parts(ts), {"other": {"": ts[0].tensor}}], "was not given"),
        (lambda ts: [{t.checkpoint_key: {"1 0,1": t.tensor} for t in ts}], "gave slices"),
        (
            lambda ts: [{t.checkpoint_key: {"": fg.zeros([3])} for t in ts}],
            "came back as a float32 of shape",
        ),
    ],
)
def test_what_a_callback_may_not_do(tmp_path, callback, said):
    with pytest.raises(ValueError, match=said):
        checkpoint().write(tmp_path / "c", options(callback))
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_callback():
    with pytest.raises(ValueError, match="must be a train.experimental.ShardingCallback, got 5"):
        options(5)
    with pytest.raises(ValueError, match="max_shard_size must be positive, got 0"):
        sharding.MaxShardSizePolicy(0)
    with pytest.raises(NotImplementedError, match="ShardingCallback"):
        sharding.ShardingCallback()([])
