"""Long files of records, which a thread reads ahead: the same records, errors and places."""

import itertools
import os

import ferrograph as fg
import pytest

SIZES = (100, 65536, 3, 0, 300_000, 20_000, 1_500_000)
N_RECORDS = 70


def record(i):
    return i.to_bytes(4, "little") + bytes([i % 251]) * SIZES[i % len(SIZES)]


def write(path, compression=""):
    with fg.io.TFRecordWriter(path, compression) as writer:
        for i in range(N_RECORDS):
            writer.write(record(i))
    return path


@pytest.fixture(scope="module")
def long_file(tmp_path_factory):
    path = write(str(tmp_path_factory.mktemp("long") / "records"))
    assert os.path.getsize(path) > 16 << 20
    return path


def read(dataset):
    return [x.numpy() for x in dataset]


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_all_records_come(tmp_path, compression):
    path = write(str(tmp_path / "records"), compression)
    dataset = fg.data.TFRecordDataset(path, compression)
    expected = [record(i) for i in range(N_RECORDS)]
    assert read(dataset) == expected
    assert read(dataset.repeat(2)) == 2 * expected


def test_iterations_beside_one_another(long_file):
    n = 6
    iterators = [iter(fg.data.TFRecordDataset(long_file)) for _ in range(n)]
    for i in range(N_RECORDS):
        assert {next(it).numpy() for it in iterators} == {record(i)}
    for it in iterators:
        assert next(it, None) is None


def test_what_is_left_unread(long_file):
    for n in (1, 40):
        for _ in range(20):
            dataset = fg.data.TFRecordDataset(long_file)
            assert len(list(itertools.islice(dataset, n))) == n


def test_a_function_takes_them_all(long_file):
    @fg.function
    def lengths(name):
        total = fg.constant(0, fg.int64)
        for x in fg.data.TFRecordDataset(name):
            total += fg.cast(fg.strings.length(x), fg.int64)
        return total

    expected = sum(len(record(i)) for i in range(N_RECORDS))
    assert lengths(fg.constant(long_file)).numpy() == expected


def test_a_function_is_told_of_damage(tmp_path):
    path = str(tmp_path / "records")
    with fg.io.TFRecordWriter(path) as writer:
        for word in (b"one", b"two", b"three"):
            writer.write(word)
    with open(path, "rb") as file:
        content = bytearray(file.read())

    @fg.function
    def joined(name, n):
        found = fg.constant("")
        for x in fg.data.TFRecordDataset(name).take(n):
            found += x
        return found

    assert joined(fg.constant(path), -1).numpy() == b"onetwothree"
    for place, message in ((content.index(b"three"), "corrupted record at 38"), (38, "at 38")):
        damaged = content.copy()
        damaged[place] ^= 1
        with open(path, "wb") as file:
            file.write(damaged)
        assert joined(fg.constant(path), 2).numpy() == b"onetwo"
        with pytest.raises(fg.errors.DataLossError, match=message):
            joined(fg.constant(path), -1)
    with open(path, "wb") as file:
        file.write(content[:40])
    with pytest.raises(fg.errors.DataLossError, match="truncated record at 38"):
        joined(fg.constant(path), -1)


def test_places_in_long_files(long_file, tmp_path):
    iterator = iter(fg.data.TFRecordDataset(long_file))
    for _ in range(45):
        next(iterator)
    path = fg.train.Checkpoint(iterator=iterator).save(str(tmp_path / "place"))
    assert next(iterator).numpy() == record(45)
    other = iter(fg.data.TFRecordDataset(long_file))
    fg.train.Checkpoint(iterator=other).restore(path)
    assert next(other).numpy() == record(45)


@pytest.mark.parametrize("place", [1 << 20, 9 << 20, -1000])
def test_damage_is_told(long_file, tmp_path, place):
    with open(long_file, "rb") as file:
        content = bytearray(file.read())
    path = str(tmp_path / "damaged")
    content[place] ^= 16
    with open(path, "wb") as file:
        file.write(content)
    with pytest.raises(fg.errors.DataLossError, match="corrupted record"):
        read(fg.data.TFRecordDataset(path))
    with open(path, "wb") as file:
        file.write(content[: len(content) - 5])
    with pytest.raises(fg.errors.DataLossError, match="corrupted record|truncated record"):
        read(fg.data.TFRecordDataset(path))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_process_reads_anew(run_python, long_file):
    run_python(
        f"""
        import os
        import ferrograph as fg

        dataset = fg.data.TFRecordDataset({long_file!r})
        iterator = iter(dataset)
        for _ in range(45):
            next(iterator)
        pid = os.fork()
        if pid == 0:
            try:
                for _ in iterator:
                    pass
            except fg.errors.FailedPreconditionError as e:
                assert "begin another iteration" in str(e), e
            else:
                assert os.cpu_count() == 1 or "FERROGRAPH_NUM_THREADS" in os.environ
            del iterator
            n = sum(1 for _ in dataset)
            os._exit(0 if n == {N_RECORDS} else 1)
        assert os.waitpid(pid, 0)[1] == 0
        assert sum(1 for _ in iterator) == {N_RECORDS} - 45
        """
    )
