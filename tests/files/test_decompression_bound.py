"""``FERROGRAPH_MAX_DECOMPRESSED_BYTES`` bounds what a compressed file or string decompresses to."""

import gzip
import os
import subprocess
import sys
import zlib

import pytest

PROGRAM = """
import sys
import ferrograph as fg

folder, kind = sys.argv[1], sys.argv[2]
path, records = f"{folder}/{kind}", f"{folder}/records"
with fg.io.TFRecordWriter(records, kind) as writer:
    for _ in range(4):
        writer.write(b"a" * 1984)  # 2,000 bytes as a record
reads = {
    "lines": lambda: fg.data.TextLineDataset(path, compression_type=kind),
    "records": lambda: fg.data.TFRecordDataset(records, compression_type=kind),
    "bytes": lambda: fg.data.FixedLengthRecordDataset(path, 8, compression_type=kind),
}
for name, read in reads.items():
    try:
        print(name, sum(1 for _ in read()))
    except fg.errors.OpError as e:
        print(name, type(e).__name__, "FERROGRAPH_MAX_DECOMPRESSED_BYTES" in str(e))
try:
    print("string", len(fg.io.decode_compressed(open(path, "rb").read(), kind).numpy()))
except fg.errors.OpError as e:
    print("string", type(e).__name__, "FERROGRAPH_MAX_DECOMPRESSED_BYTES" in str(e))
"""
TEXT = b"7 bytes\n" * 1000


def packed(kind):
    return gzip.compress(TEXT) if kind == "GZIP" else zlib.compress(TEXT)


def run(folder, kind, bound):
    (folder / kind).write_bytes(packed(kind))
    environment = {**os.environ, "FERROGRAPH_MAX_DECOMPRESSED_BYTES": bound}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder, kind],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_more_than_the_bound_is_refused(tmp_path, kind):
    found = run(tmp_path, kind, "7999")
    kinds = ("lines", "records", "bytes", "string")
    assert found == dict.fromkeys(kinds, "ResourceExhaustedError True")


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_as_much_as_the_bound_is_read(tmp_path, kind):
    found = run(tmp_path, kind, "8000")
    assert found == {"lines": "1000", "records": "4", "bytes": "1000", "string": "8000"}


def test_a_bound_that_is_no_number_is_refused(tmp_path):
    found = run(tmp_path, "GZIP", "8 kB")
    kinds = ("lines", "records", "bytes", "string")
    assert found == dict.fromkeys(kinds, "InvalidArgumentError True")
