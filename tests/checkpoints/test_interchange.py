"""Checkpoints of tensorflow are read here; ``record.py`` reads those written here there."""

import shutil
from pathlib import Path

import ferrograph as fg
import pytest
import record

RECORDED = Path(__file__).parent / "recorded" / "tensorflow-1"


def test_every_dtype_and_place_is_read():
    fresh = record.model(fg, False)
    fg.train.Checkpoint(model=fresh).restore(RECORDED).assert_consumed()
    assert record.same(record.contents(fg, fresh), record.contents(fg, record.model(fg, True)))


def test_the_same_objects_are_written_under_the_same_names(tmp_path):
    path = fg.train.Checkpoint(model=record.model(fg, True)).save(tmp_path / "ours")
    ours, theirs = fg.train.load_checkpoint(path), fg.train.load_checkpoint(RECORDED)
    assert ours.get_variable_to_dtype_map() == theirs.get_variable_to_dtype_map()
    assert ours.get_variable_to_shape_map() == theirs.get_variable_to_shape_map()
    views = [fg.train.CheckpointView(p) for p in (path, RECORDED)]
    ways = [sorted(ways_of(view)) for view in views]
    assert ways[0] == ways[1]


def ways_of(view, number=0, way=()):
    """The ways from the root to all objects."""
    yield way
    for name, child in view.children(number).items():
        yield from ways_of(view, child, (*way, name))


@pytest.mark.parametrize("suffix", [".index", ".data-00000-of-00001"])
def test_flipped_bits_are_reported(tmp_path, suffix):
    for file in RECORDED.parent.iterdir():
        shutil.copy(file, tmp_path)
    damaged = tmp_path / f"tensorflow-1{suffix}"
    intact = damaged.read_bytes()
    for bit in range(0, len(intact) * 8, 97):
        content = bytearray(intact)
        content[bit // 8] ^= 1 << bit % 8
        damaged.write_bytes(content)
        with pytest.raises(fg.errors.DataLossError):
            fg.train.Checkpoint(model=record.model(fg, False)).restore(tmp_path / "tensorflow-1")
