"""Strings, parsing, and numbers in bytes."""

import numpy as np

from shapes.arrays import case, scalar, words

W = words(b"a b", b"c", b"d e f")
PAIRS = np.array([[b"a", b"b"], [b"c", b"d"]], object)
for name in ("lower", "upper", "length", "strip", "to_number", "unicode_script"):
    given = {"to_number": words(b"1", b"2"), "unicode_script": np.array([1, 2], np.int32)}
    case(name, lambda m, x, f=name: getattr(m.strings, f)(x), given.get(name, W))
case("split", lambda m, x: m.strings.split(x), W)
case("split to a tensor", lambda m, x: m.strings.split(x).to_tensor(), W)
case("split of rows", lambda m, x: m.strings.split(x, "b"), PAIRS)
case("split of one", lambda m, x: m.strings.split(x), np.array(b"a b", object))
case("bytes_split", lambda m, x: m.strings.bytes_split(x), W)
case("join", lambda m, x, y: m.strings.join([x, y], "-"), W, W)
case("join with a scalar", lambda m, x: m.strings.join([x, "!"]), W)
case("reduce_join", lambda m, x: m.strings.reduce_join(x, 1), PAIRS)
case("reduce_join all", lambda m, x: m.strings.reduce_join(x), PAIRS)
case("reduce_join kept", lambda m, x: m.strings.reduce_join(x, 0, keepdims=True), PAIRS)
case("substr", lambda m, x: m.strings.substr(x, 0, 1), W)
case("format", lambda m, x: m.strings.format("{}", x), W)
case("as_string", lambda m, x: m.strings.as_string(x), (2, 3))
case("regex_replace", lambda m, x: m.strings.regex_replace(x, "a", "b"), W)
case("regex_full_match", lambda m, x: m.strings.regex_full_match(x, "a"), PAIRS)
case("to_hash_bucket_fast", lambda m, x: m.strings.to_hash_bucket_fast(x, 7), PAIRS)
case("ngrams", lambda m, x: m.strings.ngrams(x, 2), PAIRS)
case("unicode_decode", lambda m, x: m.strings.unicode_decode(x, "UTF-8"), W)
case("unicode_split", lambda m, x: m.strings.unicode_split(x, "UTF-8"), W)
case(
    "unicode_encode",
    lambda m, x: m.strings.unicode_encode(x, "UTF-8"),
    np.array([[97, 98]], np.int32),
)
case("unicode_transcode", lambda m, x: m.strings.unicode_transcode(x, "UTF-8", "UTF-16-BE"), W)
case("encode_base64", lambda m, x: m.io.encode_base64(x), W)
case("decode_raw", lambda m, x: m.io.decode_raw(x, m.uint8), W)
case("decode_raw of a length", lambda m, x: m.io.decode_raw(x, m.uint8, fixed_length=4), W)
case("decode_csv", lambda m, x: m.io.decode_csv(x, [0.0, [""], [1]]), words(b"1,a,2"))
case("serialize_tensor", lambda m, x: m.io.serialize_tensor(x), (2, 3))
case("parse_tensor", lambda m, x: m.io.parse_tensor(x, m.float32), np.array(b"", object))
case("read_file", lambda m, x: m.io.read_file(x), np.array(b"", object))
case("matching_files", lambda m, x: m.io.matching_files(x), W)
case("decode_wav", lambda m, x: m.audio.decode_wav(x), np.array(b"", object))
case("decode_wav of channels", lambda m, x: m.audio.decode_wav(x, 2, 100), np.array(b"", object))
case("encode_wav", lambda m, x: m.audio.encode_wav(x, 8000), (5, 2))
case("decode_json_example", lambda m, x: m.io.decode_json_example(x), W)


def features(m):
    """One of each kind."""
    return {
        "a": m.io.FixedLenFeature([2, 3], m.float32),
        "b": m.io.FixedLenFeature([], m.int64),
        "c": m.io.VarLenFeature(m.string),
        "d": m.io.FixedLenSequenceFeature([2], m.float32, allow_missing=True),
        "e": m.io.RaggedFeature(m.int64),
        "f": m.io.SparseFeature(["i"], "v", m.float32, [10]),
    }


case("parse_example", lambda m, x: m.io.parse_example(x, features(m)), W)
case(
    "parse_single_example",
    lambda m, x: m.io.parse_single_example(x, {k: v for k, v in features(m).items() if k != "d"}),
    np.array(b"", object),
)
case(
    "parse_sequence_example",
    lambda m, x: m.io.parse_sequence_example(
        x,
        {"a": m.io.FixedLenFeature([2], m.float32)},
        {"s": m.io.FixedLenSequenceFeature([3], m.int64), "r": m.io.VarLenFeature(m.int64)},
    ),
    W,
)
case(
    "parse_single_sequence_example",
    lambda m, x: m.io.parse_single_sequence_example(
        x,
        {"a": m.io.FixedLenFeature([2], m.float32)},
        {"s": m.io.FixedLenSequenceFeature([3], m.int64)},
    ),
    np.array(b"", object),
)


def table(m):
    """From words to numbers."""
    keys, values = m.constant(["a", "b"]), m.constant([1, 2], m.int64)
    return m.lookup.StaticHashTable(m.lookup.KeyValueTensorInitializer(keys, values), -1)


for _name in ("strings", "pairs"):
    case(f"lookup {_name}", lambda m, x: table(m)[x], W if _name == "strings" else PAIRS)
case(
    "of a dataset",
    lambda m, n: (
        m.data.Dataset.range(n).batch(2).reduce(m.constant(0, m.int64), lambda a, b: a + b[0])
    ),
    scalar(4, np.int64),
)
