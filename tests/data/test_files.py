"""Lines, records and names of files as elements, as tensorflow 2.21 was seen to have them."""

import gzip
import pathlib
import struct
import zlib

import ferrograph as fg
import numpy as np
import pytest

errors = fg.errors
data = fg.data


def crc32c(text):
    """The checksum bit by bit, as its definition says."""
    crc = 0xFFFFFFFF
    for byte in text:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(text):
    crc = crc32c(text)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def framed(*records):
    """The bytes of a TFRecord file."""
    found = b""
    for record in records:
        length = struct.pack("<Q", len(record))
        found += length + struct.pack("<I", masked(length))
        found += record + struct.pack("<I", masked(record))
    return found


def items(dataset):
    return [x.numpy() for x in dataset]


def inside(make):
    """The items of a dataset that is made and iterated in a function, joined by bars."""

    @fg.function
    def run():
        found = fg.constant("")
        for x in make():
            found = found + x + "|"
        return found

    return run().numpy().split(b"|")[:-1]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file of that name into a folder of the test's own, which is the current one."""
    monkeypatch.chdir(tmp_path)

    def write(name, contents):
        (tmp_path / name).write_bytes(contents)
        return name

    return write


@pytest.mark.parametrize(
    "text, lines",
    [
        (b"one\n\ntwo\r\nthr\ree\n\r\n", [b"one", b"", b"two", b"three", b""]),
        (b"", []),
        (b"\n", [b""]),
        (b"a", [b"a"]),
        (b"a\n\r", [b"a"]),
        (b"\xff\x00\nb", [b"\xff\x00", b"b"]),
        (b"x" * 3_000_000 + b"\ny", [b"x" * 3_000_000, b"y"]),
    ],
)
def test_lines_lose_their_ends(write, text, lines):
    write("a", text)
    assert items(data.TextLineDataset("a")) == lines
    assert items(data.TextLineDataset("a", buffer_size=1 << 40)) == lines


@pytest.mark.parametrize(
    "names",
    [
        ["a", "b"],
        ("a", pathlib.Path("b")),
        np.array(["a", "b"]),
        [["a"], ["b"]],
        lambda: fg.constant([["a", "b"]]),
        lambda: data.Dataset.from_tensor_slices(["a", "b"]),
    ],
)
def test_names_come_in_any_form(write, names):
    write("a", b"1\n2\n")
    write("b", b"3\n")
    names = names() if callable(names) else names
    found = data.TextLineDataset(names)
    assert items(found) == [b"1", b"2", b"3"]
    assert found.element_spec == fg.TensorSpec([], fg.string)
    assert isinstance(found, data.TextLineDataset) and isinstance(found, data.Dataset)
    assert int(found.cardinality()) == -2
    assert inside(lambda: data.TextLineDataset(names)) == [b"1", b"2", b"3"]


def test_one_name(write):
    write("a", b"1\n")
    for name in ("a", b"a", pathlib.Path("a"), fg.constant("a")):
        assert items(data.TextLineDataset(name)) == [b"1"]
    assert items(data.TextLineDataset([])) == []
    assert repr(data.TextLineDataset("a")).startswith("<TextLineDatasetV2 element_spec=")


def test_several_files_by_turns(write):
    for name in "abc":
        write(name, b"".join(b"%c%d\n" % (name.encode(), i) for i in range(2)))
    found = data.TextLineDataset(list("abc"), num_parallel_reads=2)
    assert items(found) == [b"a0", b"b0", b"a1", b"b1", b"c0", b"c1"]
    every = data.TextLineDataset(list("abc"), num_parallel_reads=data.AUTOTUNE)
    assert sorted(items(every)) == sorted(items(found))


@pytest.mark.parametrize("how, pack", [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_compressed_files(write, how, pack):
    packed = pack(b"x\ny\n")
    write("z", packed)
    assert items(data.TextLineDataset("z", how)) == [b"x", b"y"]
    write("zz", packed + packed)
    assert items(data.TextLineDataset("zz", how)) == [b"x", b"y"] * 2
    write("r", pack(framed(b"one", b"", b"two")))
    assert items(data.TFRecordDataset("r", how)) == [b"one", b"", b"two"]
    for end in range(1, len(packed)):
        write("cut", packed[:end])
        with pytest.raises(errors.DataLossError, match="cut"):
            items(data.TextLineDataset("cut", how))


def test_what_is_not_compressed(write):
    write("a", b"plain text")
    with pytest.raises(errors.DataLossError, match="a: "):
        items(data.TextLineDataset("a", "GZIP"))
    for make in (data.TextLineDataset, data.TFRecordDataset):
        with pytest.raises(errors.InvalidArgumentError, match="Unsupported compression_type"):
            items(make("a", "LZ4"))


def test_records_are_their_bytes(write):
    records = [b"first", b"", b"third\0", bytes(range(256)) * 300]
    write("r", framed(*records))
    assert items(data.TFRecordDataset("r")) == records
    assert items(data.TFRecordDataset(["r", "r"], num_parallel_reads=2)) == [
        r for record in records for r in (record, record)
    ]


def test_every_flipped_bit_of_records_is_reported(write):
    whole = framed(b"ab", b"c")
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        write("r", bytes(damaged))
        with pytest.raises(errors.DataLossError, match="r: "):
            items(data.TFRecordDataset("r"))


def test_after_a_damaged_file_comes_the_next(write):
    damaged = bytearray(framed(b"one", b"two"))
    damaged[13] ^= 1
    write("bad", bytes(damaged))
    write("good", framed(b"x", b"y"))
    it = iter(data.TFRecordDataset(["bad", "good"]))
    with pytest.raises(errors.DataLossError):
        next(it)
    assert [x.numpy() for x in it] == [b"x", b"y"]
    found = data.TFRecordDataset(["bad", "missing", "good"]).ignore_errors()
    assert items(found) == [b"x", b"y"]


@pytest.mark.parametrize(
    "make",
    [data.TextLineDataset, data.TFRecordDataset, lambda f: data.FixedLengthRecordDataset(f, 1)],
)
def test_files_that_cannot_be_read(write, make, tmp_path):
    write("a", b"")
    cases = [
        ("missing", errors.NotFoundError, "missing; No such file"),
        ("", errors.NotFoundError, "No such file"),
        (str(tmp_path), errors.FailedPreconditionError, "directory"),
        ("a/x", errors.FailedPreconditionError, "a/x; Not a directory"),
    ]
    for name, kind, text in cases:
        dataset = make(name)
        with pytest.raises(kind, match=text):
            items(dataset)
        with pytest.raises(kind, match=text):
            inside(lambda name=name: make(name))
    with pytest.raises(TypeError, match="filenames"):
        make(3)
    with pytest.raises(TypeError, match="filenames"):
        make(data.Dataset.range(3))
    with pytest.raises(TypeError, match="scalars"):
        make(data.Dataset.from_tensors(["a", "b"]))


FIXED = b"HH" + bytes(range(12)) + b"F"


@pytest.mark.parametrize(
    "args, found",
    [
        ((4, 2, 1), [bytes(range(i, i + 4)) for i in (0, 4, 8)]),
        ((15,), [FIXED]),
        ((4, 14, 1), []),
        ((6, 2, 1), [bytes(range(6)), bytes(range(6, 12))]),
    ],
)
def test_records_of_one_length(write, args, found):
    write("f", FIXED)
    write("f.gz", gzip.compress(FIXED))
    make = data.FixedLengthRecordDataset
    assert items(make("f", *args)) == found
    assert items(make("f.gz", *args, compression_type="GZIP")) == found
    tensors = [fg.constant(n, fg.int64) for n in args]
    assert items(make("f", *tensors)) == found
    assert items(make(["f", "f"], *args, num_parallel_reads=1)) == found * 2


@pytest.mark.parametrize("args", [(4,), (5, 2, 1), (4, 20, 1), (0,), (-1,), (3, -1), (3, 0, -1)])
def test_lengths_that_do_not_fit(write, args):
    write("f", FIXED)
    with pytest.raises(errors.InvalidArgumentError):
        items(data.FixedLengthRecordDataset("f", *args))


def test_lengths_that_do_not_fit_are_found_at_the_end_of_compressed_files(write):
    write("f.gz", gzip.compress(FIXED))
    it = iter(data.FixedLengthRecordDataset("f.gz", 5, 2, 1, compression_type="GZIP"))
    assert [next(it).numpy(), next(it).numpy()] == [bytes(range(5)), bytes(range(5, 10))]
    with pytest.raises(errors.DataLossError, match="body length 12"):
        next(it)


def test_names_of_files(write, tmp_path):
    for name in ("x1", "x2", "y", ".hidden"):
        write(name, b"")
    files = data.Dataset.list_files
    assert items(files("x*", shuffle=False)) == [b"./x1", b"./x2"]
    assert items(files(str(tmp_path / "x?"), shuffle=False)) == [
        str(tmp_path / name).encode() for name in ("x1", "x2")
    ]
    assert items(files(["y", "x*"], shuffle=False)) == [b"./x1", b"./x2", b"y"]
    assert items(files(["nothing", "y"], shuffle=False)) == [b"y"]
    assert len(files("x*")) == 2
    shuffled = items(files("*", seed=1))
    assert sorted(shuffled) == [b"./.hidden", b"./x1", b"./x2", b"./y"]
    assert items(files("*", seed=1)) == shuffled
    assert inside(lambda: files("x*", shuffle=False)) == [b"./x1", b"./x2"]
    for make in (lambda: files("q*"), lambda: files([]), lambda: inside(lambda: files("q*"))):
        with pytest.raises(errors.InvalidArgumentError, match="No files matched pattern"):
            make()
    with pytest.raises(TypeError):
        files(3)


def test_files_by_turns(write):
    for name in ("x1", "x2"):
        write(name, f"{name}-a\n{name}-b\n".encode())
    names = data.Dataset.list_files("x*", shuffle=False)
    found = names.interleave(data.TextLineDataset, cycle_length=2)
    assert items(found) == [b"x1-a", b"x2-a", b"x1-b", b"x2-b"]


@pytest.mark.parametrize("kind", [None, "GZIP", "ZLIB"])
def test_a_dataset_is_written_to_records(tmp_path, kind):
    path = str(tmp_path / "records")
    words = fg.data.Dataset.from_tensor_slices(["a", "", "b\0c"])
    fg.data.experimental.TFRecordWriter(path, kind).write(words)
    fg.data.experimental.TFRecordWriter(fg.constant(path), kind).write(words.take(2))
    found = fg.data.TFRecordDataset(path, kind)
    assert [record.numpy() for record in found] == [b"a", b""]
    for wrong in (fg.data.Dataset.range(2), words.batch(2), ["a"]):
        with pytest.raises(TypeError):
            fg.data.experimental.TFRecordWriter(path).write(wrong)
    with pytest.raises(RuntimeError):
        fg.function(lambda: fg.data.experimental.TFRecordWriter(path).write(words))()
