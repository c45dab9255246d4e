"""Operations on files, and on what their contents are."""

import os
import tempfile
import zlib

import numpy as np
from table import ALL, FIXED, Vary, row

FOLDER = tempfile.TemporaryDirectory()  # goes with the process
PATH = os.path.join(FOLDER.name, "f")
SAVED = tempfile.TemporaryDirectory()
TEXT = np.array(b"\x00some text\xff", object)


def written(fg, text):
    fg.io.write_file(PATH, text)
    return fg.io.read_file(PATH)


def found(fg, text):
    fg.io.write_file(PATH, text)
    return fg.io.matching_files(os.path.join(FOLDER.name, "*"))


def through(fg, x):
    return fg.io.parse_tensor(fg.io.serialize_tensor(x), x.dtype)


row("WriteFile", written, [TEXT], lambda text: text, dtypes=FIXED, out="string")
row("ReadFile", written, [TEXT], lambda text: text, dtypes=FIXED, out="string")
row(
    "MatchingFiles",
    found,
    [TEXT],
    lambda text: np.array([PATH.encode()], object),
    dtypes=FIXED,
    out="string",
)
for op in ("SerializeTensor", "ParseTensor"):
    row(
        op,
        through,
        [Vary(3, 4)],
        lambda x: x,
        None,
        dtypes=ALL,
        empty=[Vary(0, 4)],
        scalar=[Vary()],
    )


def saved(fg, x):
    """Saved and restored under a name that the elements choose."""
    number = fg.strings.to_hash_bucket_fast(fg.io.serialize_tensor(x), 1 << 40)
    path = fg.strings.join([SAVED.name + os.sep, fg.strings.as_string(number)], "-")
    fg._core.emit("SaveV2", (path, ["x"], [""], x))
    return fg._core.emit("RestoreV2", (path, ["x"], [""]), {"dtypes": [x.dtype]})


for op in ("SaveV2", "RestoreV2"):
    row(
        op,
        saved,
        [Vary(3, 4)],
        lambda x: x,
        None,
        dtypes=ALL,
        empty=[Vary(0, 4)],
        scalar=[Vary()],
        hidden="fg.train.Checkpoint emits it for the objects it refers to",
    )

# features {a: [1, 300], b: [0.5], c: ["xy", ""]} and {a: [7]}.
EXAMPLES = np.array(
    [
        b"\n,\n\x0c\n\x01a\x12\x07\x1a\x05\n\x03\x01\xac\x02"
        b"\n\r\n\x01b\x12\x08\x12\x06\n\x04\x00\x00\x00?"
        b"\n\r\n\x01c\x12\x08\n\x06\n\x02xy\n\x00",
        b"\n\x0c\n\n\n\x01a\x12\x05\x1a\x03\n\x01\x07",
    ],
    object,
)
# One step of a: [5], another one of a: [6].
SEQUENCES = np.array(
    [b"\x12\x15\n\x13\n\x01a\x12\x0e\n\x05\x1a\x03\n\x01\x05\n\x05\x1a\x03\n\x01\x06", b""],
    object,
)


def examples(fg, serialized):
    wanted = {
        "a": fg.io.VarLenFeature(fg.int64),
        "b": fg.io.FixedLenFeature([], fg.float32, default_value=-1.0),
        "c": fg.io.RaggedFeature(fg.string),
    }
    found = fg.io.parse_example(fg.ensure_shape(serialized, [None]), wanted)
    a, c = found["a"], found["c"]
    return [a.indices, a.values, a.dense_shape, found["b"], c.values, c.row_splits]


def sequences(fg, serialized):
    wanted = {"a": fg.io.FixedLenSequenceFeature([], fg.int64, allow_missing=True)}
    serialized = fg.ensure_shape(serialized, [None])
    _, lists, lengths = fg.io.parse_sequence_example(serialized, sequence_features=wanted)
    return [lists["a"], lengths["a"]]


row(
    "ParseExampleV2",
    examples,
    [EXAMPLES],
    lambda serialized: (
        np.array([[0, 0], [0, 1], [1, 0]]),
        np.array([1, 300, 7]),
        np.array([2, 2]),
        np.array([0.5, -1.0]),
        np.array([b"xy", b""], object),
        np.array([0, 2, 2]),
    ),
    out=("int64", "int64", "int64", "float32", "string", "int32"),
)
row(
    "ParseSequenceExampleV2",
    sequences,
    [SEQUENCES],
    lambda serialized: (np.array([[5, 6], [0, 0]]), np.array([2, 0])),
    out=("int64", "int64"),
)
row(
    "DecodeCompressed",
    lambda fg, text: fg.io.decode_compressed(text, "ZLIB"),
    [np.array([zlib.compress(b"some"), zlib.compress(b"")], object)],
    lambda text: np.array([b"some", b""], object),
    out="string",
)
row(
    "DecodeJSONExample",
    lambda fg, text: fg.io.decode_json_example(text),
    [np.array([b'{"features": {"feature": {"a": {}}}}', b"{}"], object)],
    lambda text: np.array([b"\n\x07\n\x05\n\x01a\x12\x00", b""], object),
    out="string",
)


def sparse_again(fg, values, pack):
    sparse = fg.sparse.SparseTensor([[0, 1], [1, 0]], values, [2, 3])
    return fg.io.deserialize_many_sparse(pack(sparse), values.dtype).values


for op in ("SerializeManySparse", "DeserializeManySparse"):
    row(
        op,
        lambda fg, x: sparse_again(fg, x, fg.io.serialize_many_sparse),
        [Vary(2)],
        lambda x: x,
        None,
        dtypes=ALL,
    )
row(
    "SerializeSparse",
    lambda fg, x: sparse_again(fg, x, lambda s: fg.io.serialize_sparse(s)[None]),
    [Vary(2)],
    lambda x: x,
    None,
    dtypes=ALL,
)


def recorded(fg, x):
    emit = fg._core.emit
    writer = emit("SummaryWriter", (), None, None)
    text = [fg.constant(FOLDER.name + "/events"), fg.constant(".row")]
    sizes = [fg.constant(10), fg.constant(1000)]
    emit("CreateSummaryFileWriter", (writer, text[0], *sizes, text[1]), None, None)
    step, empty = fg.constant(3, fg.int64), fg.constant("")
    emit("WriteSummary", (writer, step, x, fg.constant("tag"), empty), None, None)
    emit("WriteRawProtoSummary", (writer, step, empty), None, None)
    emit("WriteGraphSummary", (writer, step, empty), None, None)
    emit("FlushSummaryWriter", (writer,), None, None)
    emit("CloseSummaryWriter", (writer,), None, None)
    return x


for op in (
    "SummaryWriter",
    "CreateSummaryFileWriter",
    "WriteSummary",
    "WriteRawProtoSummary",
    "WriteGraphSummary",
    "FlushSummaryWriter",
    "CloseSummaryWriter",
):
    row(
        op,
        recorded,
        [np.float64(1.5)],
        lambda x: x,
        None,
        dtypes=FIXED,
        out="float64",
        hidden="writers of summaries are objects, which functions of fg.summary work on",
    )
