"""Operations on files, and on what their contents are."""

import os
import tempfile

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
