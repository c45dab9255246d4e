"""Operations of strings."""

import numpy as np
from table import COMPLEX, FLOAT8, FLOATS, INTS, Vary, row

TEXT = np.array([[b"ab ", b" Cde"], [b"", b"\xc3\xa9X"]], object)
NONE, ONE = np.zeros(0, object), np.array(b" Cde", object)
WORDS = np.array([b"ab", b"a1", b""], object)
STRING = ("string",)


def each(function):
    """A function of bytes made elementwise."""
    return lambda s, *rest: np.array([function(x, *rest) for x in s.flat], object).reshape(s.shape)


def of_text(op, call, expect, out="string", **fields):
    """A row over a matrix of strings, no string and one string."""
    row(op, call, [TEXT], expect, out=out, empty=[NONE], scalar=[ONE], **fields)


of_text("StringUpper", lambda fg, s: fg.strings.upper(s), each(bytes.upper))
of_text("StringLower", lambda fg, s: fg.strings.lower(s), each(bytes.lower))
of_text(
    "StringLower",
    lambda fg, s: fg.strings.lower(s, "utf-8"),
    each(lambda b: b.decode().lower().encode()),
)
of_text("StringStrip", lambda fg, s: fg.strings.strip(s), each(bytes.strip))
of_text("StringLength", lambda fg, s: fg.strings.length(s), each(len), "int32")
of_text(
    "StringLength",
    lambda fg, s: fg.strings.length(s, "UTF8_CHAR"),
    each(lambda b: len(b.decode())),
    "int32",
)
of_text(
    "StringJoin",
    lambda fg, s: fg.strings.join([s, "!", s], "-"),
    each(lambda b: b + b"-!-" + b),
)
row(
    "Substr",
    lambda fg, s: fg.strings.substr(s, 1, 2),
    [np.array([b"ab ", b" Cde"], object)],
    each(lambda b: b[1:3]),
    out="string",
)
row(
    "Substr",
    lambda fg, s, p, n: fg.strings.substr(s, p, n),
    [np.array([b"ab ", b" Cde"], object), np.array([-1, 2]), np.array([1, 9])],
    lambda s, p, n: np.array([b" ", b"de"], object),
    out="string",
)
row(
    "ReduceJoin",
    lambda fg, s: fg.strings.reduce_join(s),
    [TEXT],
    lambda s: b"".join(s.flat),
    out="string",
    empty=[NONE],
)
row(
    "ReduceJoin",
    lambda fg, s: fg.strings.reduce_join(s, 0, keepdims=True, separator="+"),
    [TEXT],
    lambda s: np.array([[b"+".join(column) for column in s.T]], object),
    out="string",
)
row(
    "UnsortedSegmentJoin",
    lambda fg, s: fg.strings.unsorted_segment_join(s, [1, 0, 1], 2, separator="-"),
    [WORDS],
    lambda s: np.array([b"a1", b"ab-"], object),
    out="string",
)


def spelled(x):
    """How integers and truth values are written."""
    text = {"True": "true", "False": "false"}
    words = [text.get(str(v), str(v)).encode() for v in x.flat]
    return np.array(words, object).reshape(x.shape)


row(
    "AsString",
    lambda fg, x: fg.strings.as_string(x),
    [Vary(3, 4)],
    spelled,
    dtypes=(*INTS, "bool"),
    out="string",
    scalar=[Vary()],
)
row(
    "AsString",
    lambda fg, x: fg.strings.as_string(x, precision=2),
    [Vary(values=[1.5, -0.25, 100.0, np.inf])],
    lambda x: np.array([b"1.50", b"-0.25", b"100.00", b"inf"], object),
    dtypes=FLOATS,
    out="string",
)
row(
    "AsString",
    lambda fg, x: fg.strings.as_string(x, precision=1),
    [Vary(values=[1.5 - 2j])],
    lambda x: np.array([b"(1.5,-2.0)"], object),
    dtypes=COMPLEX,
    out="string",
)
row(
    "AsString",
    lambda fg, x: fg.strings.as_string(x),
    [Vary(3)],
    lambda x: x,
    dtypes=STRING,
)
row(
    "StringFormat",
    lambda fg, x: fg.strings.format("<{}>", x),
    [Vary(values=[2, 0, 7])],
    lambda x: b"<[2 0 7]>",
    dtypes=INTS,
    out="string",
)
row(
    "StringFormat",
    lambda fg, x, s: fg.strings.format("{} and {}", (x, s)),
    [np.array([True, False]), np.array(b"b", object)],
    lambda x, s: b'[1 0] and "b"',
    out="string",
)
for out in ("float32", "float64", "int32", "int64"):
    row(
        "StringToNumber",
        lambda fg, s, o=out: fg.strings.to_number(s, getattr(fg, o)),
        [np.array([b"15", b"-2", b"7"], object)],
        lambda s: np.array([float(b) for b in s.flat]).reshape(s.shape),
        out=out,
        empty=[NONE],
        scalar=[np.array(b"3", object)],
    )
row(
    "StringToNumber",
    lambda fg, s: fg.strings.to_number(s),
    [np.array([b"1.5", b"-2e3", b"inf"], object)],
    lambda s: np.array([1.5, -2000, np.inf]),
    out="float32",
)
for op, pattern in (
    ("StaticRegexFullMatch", "[a-z]+"),
    ("RegexFullMatch", np.array(b"[a-z]+", object)),
):
    row(
        op,
        lambda fg, s, p=pattern: fg.strings.regex_full_match(s, p),
        [WORDS],
        lambda s: np.array([b.isalpha() for b in s.flat]).reshape(s.shape),
        out="bool",
        empty=[NONE],
        scalar=[np.array(b"ab", object)],
    )
for op, pattern in (("StaticRegexReplace", "[0-9]"), ("RegexReplace", np.array(b"[0-9]", object))):
    row(
        op,
        lambda fg, s, p=pattern: fg.strings.regex_replace(s, p, "<>"),
        [WORDS],
        each(lambda b: b.replace(b"1", b"<>")),
        out="string",
        empty=[NONE],
        scalar=[np.array(b"a1", object)],
    )
row(
    "StringSplitV2",
    lambda fg, s: fg._core.emit("StringSplitV2", (s, ","), {"maxsplit": -1}, None),
    [np.array([b"a,b", b"c", b""], object)],
    lambda s: (
        np.array([[0, 0], [0, 1], [1, 0], [2, 0]]),
        np.array([b"a", b"b", b"c", b""], object),
        np.array([3, 2]),
    ),
    out=("int64", "string", "int64"),
    hidden="its parts are those of a ragged tensor: a function of strings to ragged ones emits it",
)
row(
    "StringFormat",
    lambda fg, x: fg.strings.format("{}", x),
    [Vary(values=[2, 0, 7])],
    lambda x: b"[2 0 7]",
    dtypes=(*FLOATS, *FLOAT8),
    out="string",
)
row(
    "StringFormat",
    lambda fg, x: fg.strings.format("{}", x),
    [Vary(values=[2 + 1j])],
    lambda x: b"[(2,1)]",
    dtypes=COMPLEX,
    out="string",
)
row(
    "StringFormat",
    lambda fg, x: fg.strings.format("{}", x),
    [Vary(values=[True, False])],
    lambda x: b"[1 0]",
    dtypes=("bool", "int8"),
    out="string",
)
