"""Folders of ``Dataset.save`` of tensorflow are read here; those written here are laid out alike.

``saved_folders.json`` holds what tensorflow 2.21.0 wrote and read again; ``saved_folders.py`` made
it, and reads in tensorflow what is written here.
"""

import base64
import json
import shutil

import ferrograph as fg
import pytest
import saved_folders

D = fg.data.Dataset
RECORDED = json.loads(saved_folders.RECORDED.read_text())["folders"]
TYPES = saved_folders.extension_types(fg)
COMPRESSIONS = saved_folders.COMPRESSIONS


@pytest.fixture(autouse=True)
def names_as_recorded():
    """Specs print as tensorflow prints them."""
    fg.config.set_printed_name("tf")
    yield
    fg.config.set_printed_name("fg")


def written(name, folder):
    """The folder as tensorflow wrote it."""
    for path, data in RECORDED[name]["files"].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(base64.b64decode(data))
    return folder


@pytest.mark.parametrize("name", RECORDED)
def test_what_tensorflow_wrote_is_read(tmp_path, name):
    known = RECORDED[name]
    folder = written(name, tmp_path)
    loaded = D.load(folder, compression=known["compression"])
    assert saved_folders.spec_text(loaded.element_spec) == known["spec"]
    assert saved_folders.elements(fg, loaded) == known["elements"]
    assert int(loaded.cardinality()) == len(known["elements"])
    again = D.load(str(folder), loaded.element_spec, known["compression"])
    assert saved_folders.elements(fg, again) == known["elements"]
    by_shards = D.load(
        folder,
        compression=known["compression"],
        reader_func=lambda shards: shards.flat_map(lambda shard: shard),
    )
    assert saved_folders.elements(fg, by_shards) == known["elements"]
    waited = D.load(folder, compression=known["compression"], wait=True)
    assert saved_folders.elements(fg, waited) == known["elements"]


# A reader of messages that shares nothing with the one that is tested.


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, at, shift = value | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a message: numbers and values, numbers of varying length or bytes."""
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, key
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
            assert len(value) == size
        found.append((key >> 3, value))
    return found


def tree(data):
    """A message as a tree, in which the order of maps does not matter."""
    try:
        found = [(n, tree(v) if isinstance(v, bytes) else v) for n, v in fields(data)]
    except (IndexError, AssertionError):
        return data
    return sorted(found, key=repr)


# The fields of ``SnapshotMetadataRecord``.
RUN_ID, TIME, VERSION, DTYPE, NUM_ELEMENTS, FINALIZED = 2, 3, 4, 5, 6, 1000
OWN = {2000, 2001, 2002}


def layout(files):
    """What tells folders of the same elements apart, but for their times and numbers."""
    metadata = dict(fields(files["snapshot.metadata"]))
    run = metadata[RUN_ID].decode()
    assert run.isdigit() and metadata[VERSION] == 2 and metadata[TIME] > 10**15
    names = {path.removeprefix(f"{run}/") for path in files}
    told = metadata[DTYPE], metadata.get(NUM_ELEMENTS), metadata[FINALIZED]
    return names, told, tree(files["dataset_spec.pb"])


@pytest.mark.parametrize("name", [n for n in RECORDED if n != "checkpoints"])
def test_folders_are_laid_out_alike(tmp_path, name):
    dataset, options = saved_folders.datasets(fg, TYPES)[name]
    dataset.save(tmp_path, **options)
    theirs = {k: base64.b64decode(v) for k, v in RECORDED[name]["files"].items()}
    ours = saved_folders.files_in(tmp_path)
    assert layout(ours) == layout(theirs)
    own = {number for number, _ in fields(ours["snapshot.metadata"])} & OWN
    assert own == OWN


def contents(name):
    """The files of shards of a recorded folder by their paths below that of the run."""
    files = {k.partition("/")[2]: base64.b64decode(v) for k, v in RECORDED[name]["files"].items()}
    return {k: v for k, v in files.items() if k}


# Variants hold lists of numbers there and bytes here; what is compressed depends on who does it.
SAME_BYTES = ["numbers", "auto", "shards", "dict", "tuples", "named", "strings", "dtypes", "none"]


@pytest.mark.parametrize("name", [*SAME_BYTES, "lengths", "extension"])
def test_files_of_tensors_have_the_same_bytes(tmp_path, name):
    dataset, options = saved_folders.datasets(fg, TYPES)[name]
    dataset.save(tmp_path, **options)
    ours = {k.partition("/")[2]: v for k, v in saved_folders.files_in(tmp_path).items()}
    assert {k: v for k, v in ours.items() if k} == contents(name)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_what_is_written_is_read(tmp_path, compression):
    for name, (dataset, options) in saved_folders.datasets(fg, TYPES).items():
        folder = tmp_path / name
        dataset.save(folder, compression, options.get("shard_func"))
        known = RECORDED[name]
        # The folder says itself how it is compressed.
        loaded = D.load(folder)
        assert saved_folders.spec_text(loaded.element_spec) == known["spec"]
        assert saved_folders.elements(fg, loaded) == known["elements"]
        kept = dataset.snapshot(folder, compression or "NONE")
        assert saved_folders.elements(fg, kept) == known["elements"]


def test_another_compression_is_refused(tmp_path):
    folder = written("gzip", tmp_path)
    for other in (None, "SNAPPY"):
        with pytest.raises(fg.errors.DataLossError, match="saved with another compression"):
            list(D.load(folder, compression=other))


def test_types_that_do_not_fit(tmp_path):
    folder = written("ragged", tmp_path)
    with pytest.raises(fg.errors.InvalidArgumentError, match="component 0.*RaggedTensorVariant"):
        list(D.load(folder, fg.TensorSpec([None], fg.int32)))
    with pytest.raises(fg.errors.InvalidArgumentError, match="ragged along 1 axes"):
        list(D.load(folder, fg.RaggedTensorSpec([None, None, None], fg.int32)))
    with pytest.raises(fg.errors.InvalidArgumentError, match="expected a tensorflow::Tensor"):
        list(D.load(folder, fg.SparseTensorSpec([None, None], fg.int32)))
    with pytest.raises(fg.errors.InvalidArgumentError, match="expected"):
        list(D.load(folder, fg.RaggedTensorSpec([None, None], fg.float32)))
    shutil.rmtree(folder)
    folder = written("numbers", tmp_path)
    with pytest.raises(fg.errors.InvalidArgumentError, match="tensor of int64"):
        list(D.load(folder, fg.RaggedTensorSpec([None], fg.int64, 0)))


def replaced(name, folder, records):
    """A recorded folder with other records in its file."""
    folder = written(name, folder)
    (path,) = folder.rglob("*.snapshot")
    with fg.io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)
    return folder


def variant_record(kind):
    """A record of a variant that is called so."""
    one = bytes([10, len(kind)]) + kind
    content = bytes([len(one)]) + one
    return bytes([8, 21, 18, 0, 34, len(content)]) + content


def test_what_there_is_nothing_for_is_refused(tmp_path):
    array = replaced("numbers", tmp_path / "a", [variant_record(b"tensorflow::TensorList")] * 5)
    with pytest.raises(fg.errors.UnimplementedError, match="component 0.*TensorList.*in its place"):
        list(D.load(array, fg.TensorArraySpec([], fg.int64)))
    of_int4 = replaced("numbers", tmp_path / "b", [bytes([8, 29, 18, 0, 34, 1, 1])] * 5)
    with pytest.raises(fg.errors.UnimplementedError, match="component 0.*dtype number 29"):
        list(D.load(of_int4))
    with pytest.raises(fg.errors.UnimplementedError, match="component 0.*variant"):
        D.range(2).map(lambda x: fg.TensorArray(fg.int64, 1).write(0, x)).save(tmp_path / "c")
    service = tmp_path / "d"
    service.mkdir()
    (service / "snapshot.metadata").write_text('element_spec: "x"\ncompression: "SNAPPY"\n')
    with pytest.raises(fg.errors.UnimplementedError, match="service"):
        D.load(service)


def test_runs_that_do_not_count(tmp_path):
    folder = written("numbers", tmp_path / "a")
    path = folder / "snapshot.metadata"
    whole = path.read_bytes()
    # Without the last field, the run is not finished.
    path.write_bytes(whole.removesuffix(b"\xc0\x3e\x01"))
    with pytest.raises(fg.errors.NotFoundError, match="to its end"):
        D.load(folder)
    path.write_bytes(whole.replace(b"\x20\x02", b"\x20\x01"))
    with pytest.raises(fg.errors.UnimplementedError, match="version 1"):
        list(D.load(folder))
    run = dict(fields(whole))[RUN_ID]
    path.write_bytes(whole.replace(run, b"../" + run[3:]))
    with pytest.raises(fg.errors.DataLossError, match="no such run"):
        list(D.load(folder))


def test_damage_to_what_tensorflow_wrote(tmp_path):
    for name in ("numbers", "dict", "ragged batches", "sparse rows", "optional", "gzip"):
        known = RECORDED[name]
        folder = written(name, tmp_path / name)
        spec = D.load(folder).element_spec
        read = lambda f=folder, s=spec, k=known: saved_folders.elements(  # noqa: E731
            fg, D.load(f, s, k["compression"])
        )
        for path in folder.rglob("*.snapshot"):
            whole = path.read_bytes()
            for bit in range(0, len(whole) * 8, 3):
                damaged = bytearray(whole)
                damaged[bit // 8] ^= 1 << bit % 8
                path.write_bytes(damaged)
                try:
                    found = read()
                except fg.errors.DataLossError:
                    continue
                # The head of a gzip file has fields that no checksum covers.
                assert name == "gzip" and found == known["elements"], (name, bit)
            path.write_bytes(whole)
            # Records that are missing as a whole.
            path.write_bytes(b"" if name == "gzip" else whole[: len(whole) // 2])
            with pytest.raises(fg.errors.DataLossError):
                read()


def test_an_extension_type_without_a_name_needs_its_type(tmp_path):
    class Own(fg.experimental.ExtensionType):
        x: fg.Tensor

    dataset = D.range(3).map(lambda x: Own(x))
    D.range(2).save(tmp_path)
    assert (tmp_path / "dataset_spec.pb").exists()
    dataset.save(tmp_path)
    assert not (tmp_path / "dataset_spec.pb").exists()
    with pytest.raises(ValueError, match="pass it as element_spec"):
        D.load(tmp_path)
    found = D.load(tmp_path, dataset.element_spec)
    assert [int(value.x) for value in found] == [0, 1, 2]


def test_a_type_that_is_not_read_here(tmp_path):
    folder = written("numbers", tmp_path)
    spec = folder / "dataset_spec.pb"
    # A type of the class 9, that of variables.
    spec.write_bytes(b"\x92\x02\x06\x08\x09\x1a\x02Vs")
    with pytest.raises(ValueError, match="element_spec"):
        D.load(folder)
    spec.unlink()
    with pytest.raises(ValueError, match="pass it as element_spec"):
        D.load(folder)
    assert len(list(D.load(folder, fg.TensorSpec([], fg.int64)))) == 5
    spec.write_bytes(b"\xff\xff")
    with pytest.raises(fg.errors.DataLossError):
        D.load(folder)
