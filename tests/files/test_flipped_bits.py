"""Each bit of files that have checksums, flipped: what is read is an error, never other data."""

import os
from pathlib import Path

import ferrograph as fg
import pytest

D = fg.data.Dataset


def flips(path, step=1):
    """A file with each of its bits flipped in turn, or each of so many: the numbers of the bits."""
    whole = path.read_bytes()
    for bit in range(0, len(whole) * 8, step):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        yield bit
    path.write_bytes(whole)


def unreported(path, read, expected):
    """The bits that may be flipped without an error; what is read is the same all the same."""
    assert read() == expected
    found = []
    for bit in flips(path):
        try:
            value = read()
        except fg.errors.DataLossError:
            continue
        assert value == expected, f"bit {bit}"
        found.append(bit)
    assert read() == expected
    return found


def plain(tensor):
    value = tensor.numpy()
    return value if isinstance(value, bytes) else value.tolist()


def elements(dataset):
    return list(map(plain, dataset))


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records(tmp_path, compression):
    path = tmp_path / "r"
    with fg.io.TFRecordWriter(str(path), compression) as writer:
        for record in [b"abc", b"", b"abcabcabc"]:
            writer.write(record)
    read = lambda: elements(fg.data.TFRecordDataset(str(path), compression))  # noqa: E731
    found = unreported(path, read, [b"abc", b"", b"abcabcabc"])
    # Some bits of a compressed stream fill a byte up: no data depends on them.
    assert len(found) < 8 and (compression or not found)


def test_event_files(tmp_path):
    with fg.summary.create_file_writer(str(tmp_path)).as_default():
        fg.summary.scalar("loss", 0.5, step=1)
        fg.summary.text("note", "x", step=1)
    (path,) = tmp_path.iterdir()
    whole = elements(fg.data.TFRecordDataset(str(path)))
    assert len(whole) == 3
    read = lambda: elements(fg.data.TFRecordDataset(str(path)))  # noqa: E731
    assert unreported(path, read, whole) == []


def test_checkpoints(tmp_path):
    v, w = fg.Variable([1.0, 2.0]), fg.Variable("word")
    prefix = fg.train.Checkpoint(v=v, w=w).write(tmp_path / "c")

    def read():
        reader = fg.train.load_checkpoint(prefix)
        names = reader.get_variable_to_shape_map()
        return {name: plain(fg.constant(reader.get_tensor(name))) for name in names}

    whole = read()
    for path in [Path(prefix + ".index"), *tmp_path.glob("c.data*")]:
        assert unreported(path, read, whole) == []


def files_below(folder):
    """The files of a saved dataset, but for the one that says the type to tensorflow alone."""
    files = [p for p in Path(folder).rglob("*") if p.is_file()]
    return [p for p in files if p.name != "dataset_spec.pb"]


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
def test_saved_datasets_and_snapshots(tmp_path, compression):
    folder = str(tmp_path / "d")
    D.range(3).save(folder, compression)
    read = lambda: elements(D.load(folder))  # noqa: E731
    for path in files_below(folder):
        assert unreported(path, read, [0, 1, 2]) == []
    taken = str(tmp_path / "s")
    again = lambda: elements(D.range(3).snapshot(taken, compression or "NONE"))  # noqa: E731
    again()
    for path in files_below(taken):
        assert unreported(path, again, [0, 1, 2]) == []


def test_caches(tmp_path):
    read = lambda: elements(D.range(3).cache(str(tmp_path / "c")))  # noqa: E731
    read()
    for path in tmp_path.iterdir():
        assert unreported(path, read, [0, 1, 2]) == []


def test_saved_models(tmp_path):
    module = fg.Module()
    module.v = fg.Variable(2.0)
    spec = [fg.TensorSpec([], fg.float32)]
    module.f = fg.function(lambda x: x * module.v, input_signature=spec)
    fg.saved_model.save(module, tmp_path)
    path = tmp_path / "saved_model.pb"
    for _ in flips(path, int(os.environ.get("FERROGRAPH_FLIPS", "13"))):
        with pytest.raises(fg.errors.DataLossError):
            fg.saved_model.load(tmp_path)
    assert fg.saved_model.load(tmp_path).f(3.0) == 6.0


def test_png_pictures():
    image = fg.reshape(fg.range(12), [2, 2, 3])
    whole = fg.io.encode_png(fg.cast(image, fg.uint8)).numpy()
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(fg.errors.InvalidArgumentError):
            fg.io.decode_png(bytes(damaged))


BMP = (
    b"BM"
    + (70).to_bytes(4, "little")
    + bytes([0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0])
    + bytes(24)
    + bytes([9]) * 16
)
GIF = b"GIF89a" + bytes(
    [2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3, 0x44]
    + [2, 5, 0, 0x3B]
)
UNCHECKED = {
    "jpeg": (lambda: fg.io.encode_jpeg(fg.zeros([9, 9, 3], fg.uint8)).numpy(), fg.io.decode_jpeg),
    "gif": (lambda: GIF, fg.io.decode_gif),
    "bmp": (lambda: BMP, fg.io.decode_bmp),
    "wav": (lambda: fg.audio.encode_wav(fg.zeros([4, 1]), 8000).numpy(), fg.audio.decode_wav),
    "csv": (lambda: b'1,"a,b"', lambda text: fg.io.decode_csv(text, [[0], ["x"]])),
}


@pytest.mark.parametrize("kind", UNCHECKED)
def test_formats_without_checksums_give_a_value_or_an_error(kind):
    make, read = UNCHECKED[kind]
    whole, n_read = make(), 0
    for bit in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            read(bytes(damaged))
            n_read += 1
        except (fg.errors.InvalidArgumentError, fg.errors.ResourceExhaustedError):
            continue
    assert n_read > 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of processes are set in a child")
@pytest.mark.parametrize("kind", ["jpeg", "gif", "bmp", "wav", "csv"])
def test_no_flipped_bit_takes_more_than_the_bound(kind):
    """A picture takes 4 GiB at most beyond what the process holds."""
    import resource

    make, read = UNCHECKED[kind]
    whole = make()
    child = os.fork()
    if child == 0:
        held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + (4 << 30), resource.RLIM_INFINITY))
        status = 1
        try:
            for bit in range(len(whole) * 8):
                damaged = bytearray(whole)
                damaged[bit // 8] ^= 1 << bit % 8
                try:
                    read(bytes(damaged))
                except fg.errors.InvalidArgumentError:
                    continue
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
