"""Records, the file system, examples and summaries."""

import gzip
import os
import struct
import zlib

import ferrograph as fg
import numpy as np
import pytest

RAGGED = fg.io.RaggedFeature


def example(**features):
    message = fg.train.Example()
    for name, values in features.items():
        feature = message.features.feature[name]
        kinds = {int: feature.int64_list, float: feature.float_list, bytes: feature.bytes_list}
        kinds[type(values[0])].value.extend(values)
    return message.SerializeToString()


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records_are_framed(tmp_path, kind):
    path = tmp_path / "records"
    with fg.io.TFRecordWriter(path, kind) as writer:
        for record in (b"first", "", b"x" * 100_000):
            writer.write(record)
    text = path.read_bytes()
    unpacked = {"": bytes, "GZIP": gzip.decompress, "ZLIB": zlib.decompress}[kind](text)
    assert struct.unpack("<Q", unpacked[:8]) == (5,) and unpacked[12:17] == b"first"
    assert len(unpacked) == 100_005 + 3 * 16
    with pytest.raises(fg.errors.FailedPreconditionError, match="closed"):
        writer.write(b"more")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(fg.errors.NotFoundError, match="none/f; No such file"):
        fg.io.TFRecordWriter(tmp_path / "none" / "f")
    with pytest.raises(fg.errors.NotFoundError, match="none; No such file"):
        fg.io.gfile.GFile(tmp_path / "none").read()
    with pytest.raises(ValueError, match="Not a valid compression_type"):
        fg.io.TFRecordWriter(tmp_path / "f", "XX")


def test_files_are_written_and_read_in_the_order_of_the_program(tmp_path):
    path = str(tmp_path / "f")

    @fg.function
    def twice(x):
        fg.io.write_file(path, x)
        first = fg.io.read_file(path)
        fg.io.write_file(path, first + x)
        return fg.io.read_file(path)

    assert twice("ab").numpy() == b"abab"
    assert twice("c").numpy() == b"cc"


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (RAGGED.RowSplits("p"), [0, 1, 3]),
        (RAGGED.RowLengths("p"), [1, 2]),
        (RAGGED.RowStarts("p"), [0, 1]),
        (RAGGED.RowLimits("p"), [1, 3]),
        (RAGGED.ValueRowIds("p"), [0, 1, 1]),
    ],
)
@pytest.mark.parametrize("traced", [False, True])
def test_ragged_features_are_divided(part, told, traced):
    wanted = {"a": RAGGED(fg.int64, value_key="v", partitions=[part])}
    batch = [example(v=[1, 2, 3], p=told), example(z=[1]), example(v=[4, 5, 6], p=told)]

    def parse(serialized):
        return fg.io.parse_example(serialized, wanted)["a"]

    parse = fg.function(parse) if traced else parse
    assert parse(fg.constant(batch)).to_list() == [[[1], [2, 3]], [], [[4], [5, 6]]]
    one = fg.io.parse_single_example(batch[0], wanted)["a"]
    assert one.to_list() == [[1], [2, 3]]


def test_sparse_features_are_put_in_order():
    wanted = {"s": fg.io.SparseFeature(["i", "j"], "v", fg.float32, [5, 6])}
    batch = [example(i=[3, 1], j=[2, 4], v=[0.5, 1.5]), example(q=[1])]
    found = fg.io.parse_example(batch, wanted)["s"]
    assert found.indices.numpy().tolist() == [[0, 1, 4], [0, 3, 2]]
    assert found.values.numpy().tolist() == [1.5, 0.5]
    assert found.dense_shape.numpy().tolist() == [2, 5, 6]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (fg.io.FixedLenFeature([], fg.int64), "Feature: x .* is required"),
        (fg.io.FixedLenFeature([3], fg.int64), "Number of int64 values"),
        (fg.io.FixedLenFeature([2], fg.float32), "types don't match"),
        (fg.io.VarLenFeature(fg.string), "types don't match"),
    ],
)
def test_examples_that_lack_what_is_wanted(wanted, message):
    name = "x" if "required" in message else "a"
    with pytest.raises(fg.errors.InvalidArgumentError, match=message):
        fg.io.parse_example([example(a=[1, 2])], {name: wanted})


def test_damaged_examples_are_refused():
    text = example(a=[1, 2])
    for end in range(1, len(text)):
        with pytest.raises(fg.errors.InvalidArgumentError, match="Could not parse"):
            fg.io.parse_single_example(text[:end], {"a": fg.io.VarLenFeature(fg.int64)})


def events(folder):
    """The steps and the tags of an event file."""
    text = next(iter(folder.iterdir())).read_bytes()
    found, at = [], 0
    while at < len(text):
        (length,) = struct.unpack("<Q", text[at : at + 8])
        found.append(text[at + 12 : at + 12 + length])
        at += length + 16
    return found


def test_summaries_of_functions_are_written_in_order(tmp_path):
    writer, step = fg.summary.create_file_writer(str(tmp_path)), fg.Variable(0, dtype=fg.int64)

    @fg.function
    def train(x):
        with fg.summary.record_if(x > 1.0):
            is_written = fg.summary.scalar("loss", x)
        fg.summary.histogram("weights", fg.stack([x, 2 * x]))
        return is_written

    with writer.as_default(step=step):
        assert [bool(train(fg.constant(x))) for x in (1.0, 2.0)] == [False, True]
    writer.close()
    found = events(tmp_path)
    assert b"brain.Event:2" in found[0] and len(found) == 4
    assert [b"loss" in event for event in found] == [False, False, True, False]
    assert not fg.summary.scalar("loss", 1.0, step=0).numpy()


def test_texts_of_summaries_are_strings(tmp_path):
    words = "'data' of text: data must be strings, got int32"
    writer = fg.summary.create_file_writer(str(tmp_path))
    with writer.as_default(), pytest.raises(ValueError, match=words):
        fg.summary.text("note", [1, 2], step=0)


def test_summaries_need_a_step(tmp_path):
    writer = fg.summary.create_file_writer(str(tmp_path))
    with writer.as_default(), pytest.raises(ValueError, match="No step set"):
        fg.summary.scalar("loss", 1.0)


def test_histograms_count():
    counted = fg._src.files.summaries._counted
    rows = counted([1.0, 2.0, 2.0, 5.0], 2).numpy()
    np.testing.assert_allclose(rows, [[1, 3, 3], [3, 5, 1]])
    np.testing.assert_allclose(counted([2.0, 2.0], 2).numpy(), [[2, 2, 0], [2, 2, 2]])
    np.testing.assert_allclose(counted(np.zeros(0), 2).numpy(), np.zeros([2, 3]))


def test_names_of_files_with_their_scheme(tmp_path):
    path = tmp_path / "f"
    with fg.io.gfile.GFile(f"file://{path}", "w") as f:
        f.write("one")
    assert path.read_text() == "one"
    assert fg.io.gfile.exists(f"file://{path}")
    fg.io.gfile.copy(str(path), f"file://{path}2")
    assert fg.io.gfile.GFile(f"{path}2").read() == "one"
    assert fg.io.gfile.glob(f"file://{path}*") == [str(path), f"{path}2"]
    assert fg.io.gfile.glob([os.fsencode(f"file://{path}"), "file:///none"]) == [str(path)]
