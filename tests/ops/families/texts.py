"""Operations on the characters of strings, hashes, n-grams, and numbers in bytes and lines."""

import base64

import numpy as np
from table import FLOATS, row

from families.strings import each

TEXT = np.array([["a", "hé"], ["", "日 x"]], object)
BYTES = np.vectorize(str.encode, otypes=[object])(TEXT)
FLAT = BYTES.ravel()
NONE = np.zeros(0, object)
TWO = np.array([b"\x01\x00\x02\x00", b"\xff\xff\x00\x3c"], object)


def row_of(fg, s):
    """Strings whose rank is known, as splitting them wants it."""
    return fg.ensure_shape(s, [None])


def decoded(s):
    """Row splits, code points and the bytes at which they start."""
    points, starts, splits = [], [], [0]
    for text in s.flat:
        at = 0
        for c in text.decode():
            points.append(ord(c))
            starts.append(at)
            at += len(c.encode())
        splits.append(len(points))
    return np.array(splits), np.array(points, np.int32), np.array(starts, np.int64)


row(
    "UnicodeDecode",
    lambda fg, s: [
        (r := fg.strings.unicode_decode(row_of(fg, s), "UTF-8")).row_splits,
        r.values,
    ],
    [FLAT],
    lambda s: decoded(s)[:2],
    out=("int64", "int32"),
    empty=[NONE],
)
row(
    "UnicodeDecodeWithOffsets",
    lambda fg, s: [
        (r := fg.strings.unicode_decode_with_offsets(row_of(fg, s), "UTF-8"))[0].row_splits,
        r[0].values,
        r[1].values,
    ],
    [FLAT],
    decoded,
    out=("int64", "int32", "int64"),
    empty=[NONE],
)
row(
    "UnicodeEncode",
    lambda fg, p: fg.strings.unicode_encode(fg.ensure_shape(p, [None, None]), "UTF-8"),
    [np.array([[97, 233], [26085, 128512]], np.int32)],
    lambda p: np.array(["".join(map(chr, points)).encode() for points in p], object),
    out="string",
    scalar=[np.array([[97]], np.int32)],
)
row(
    "UnicodeTranscode",
    lambda fg, s: fg.strings.unicode_transcode(s, "UTF-8", "UTF-16-BE"),
    [BYTES],
    each(lambda b: b.decode().encode("utf-16-be")),
    out="string",
    empty=[NONE],
    scalar=[FLAT[3]],
)
row(
    "UnicodeScript",
    lambda fg, p: fg.strings.unicode_script(p),
    [np.array([[97, 945], [26085, -1]], np.int32)],
    lambda p: np.vectorize({97: 25, 945: 14, 26085: 17, -1: -1}.get, otypes=[np.int32])(p),
    out="int32",
    empty=[np.zeros((0, 2), np.int32)],
)


def pieces(s):
    """The bytes of vectors of strings as a sparse matrix."""
    places = [(i, j) for i, text in enumerate(s) for j in range(len(text))]
    values = [s[i][j : j + 1] for i, j in places]
    widest = max([len(text) for text in s], default=0)
    return (
        np.array(places, np.int64).reshape(-1, 2),
        np.array(values, object).reshape(-1),
        np.array([len(s), widest]),
    )


row(
    "StringSplit",
    lambda fg, s: [
        (r := fg.strings.bytes_split(row_of(fg, s)).to_sparse()).indices,
        r.values,
        r.dense_shape,
    ],
    [FLAT],
    pieces,
    out=("int64", "string", "int64"),
    empty=[NONE],
)
row(
    "StringNGrams",
    lambda fg, s: fg.strings.ngrams(row_of(fg, s), [1, 2], "-"),
    [FLAT],
    lambda s: np.array([*s, *(b"-".join(s[i : i + 2]) for i in range(len(s) - 1))], object),
    out="string",
    empty=[NONE],
)

MASK = 2**64 - 1


def murmured(text):
    """MurmurHash64A."""
    m = 0xC6A4A7935BD1E995
    h = 0xDECAFCAFFE ^ (len(text) * m & MASK)
    whole = len(text) // 8 * 8
    for i in range(0, whole, 8):
        k = int.from_bytes(text[i : i + 8], "little") * m & MASK
        h = (h ^ ((k ^ (k >> 47)) * m & MASK)) * m & MASK
    if text[whole:]:
        h = (h ^ int.from_bytes(text[whole:], "little")) * m & MASK
    h = (h ^ (h >> 47)) * m & MASK
    return h ^ (h >> 47)


def short_fingerprint(text):
    """FarmHash's fingerprint of at most 3 bytes."""
    k0, k2 = 0xC3A5C85C97CB3127, 0x9AE16A3B2F90404F
    if not text:
        return k2
    y = text[0] + (text[len(text) // 2] << 8)
    z = len(text) + (text[-1] << 2)
    mixed = (y * k2 & MASK) ^ (z * k0 & MASK)
    return (mixed ^ (mixed >> 47)) * k2 & MASK


def buckets(hash_of):
    return lambda s: np.vectorize(lambda b: hash_of(b) % 1000, otypes=[np.int64])(s)


SHORT = np.array([[b"", b"a"], [b"xy", b"abc"]], object)
row(
    "StringToHashBucket",
    lambda fg, s: fg.strings.to_hash_bucket(s, 1000),
    [np.array([b"", b"a", b"0123456789"], object)],
    buckets(murmured),
    out="int64",
    scalar=[np.array(b"ab", object)],
)
row(
    "StringToHashBucketFast",
    lambda fg, s: fg.strings.to_hash_bucket_fast(s, 1000),
    [SHORT],
    buckets(short_fingerprint),
    out="int64",
    scalar=[np.array(b"ab", object)],
)
# Hashes of tensorflow 2.21 under the key (1, 2), modulo 2^62.
SIPPED = {
    b"": 443797209252341627,
    b"a": 546566331822570742,
    b"abc": 1250540936487842205,
    b"hello world, this is": 3729325047839356511,
}
row(
    "StringToHashBucketStrong",
    lambda fg, s: fg.strings.to_hash_bucket_strong(s, 2**62, [1, 2]),
    [np.array(list(SIPPED), object)],
    lambda s: np.vectorize(SIPPED.get, otypes=[np.int64])(s),
    out="int64",
)
row(
    "EncodeBase64",
    lambda fg, s: fg.io.encode_base64(s, pad=True),
    [BYTES],
    each(base64.urlsafe_b64encode),
    out="string",
    empty=[NONE],
    scalar=[FLAT[1]],
)
row(
    "DecodeBase64",
    lambda fg, s: fg.io.decode_base64(s),
    [each(base64.urlsafe_b64encode)(BYTES)],
    each(base64.urlsafe_b64decode),
    out="string",
    empty=[NONE],
    scalar=[np.array(b"_-7_", object)],
)
for out in (*(f for f in FLOATS if f != "bfloat16"), "int16", "uint8", "complex64"):
    row(
        "DecodeRaw",
        lambda fg, s, o=out: fg.io.decode_raw(s, getattr(fg, o)),
        [np.array([t + t for t in TWO], object)],
        lambda s, o=out: np.stack([np.frombuffer(t, o) for t in s]),
        out=out,
    )
row(
    "DecodeRaw",
    lambda fg, s: fg.io.decode_raw(s, fg.int32, little_endian=False),
    [TWO],
    lambda s: np.stack([np.frombuffer(t, ">i4") for t in s]),
    out="int32",
)
row(
    "DecodePaddedRaw",
    lambda fg, s: fg.io.decode_raw(s, fg.int16, fixed_length=6),
    [np.array([b"\x01", b"\x01\x02\x03\x04\x05\x06\x07"], object)],
    lambda s: np.stack([np.frombuffer(t[:6].ljust(6, b"\0"), np.int16) for t in s]),
    out="int16",
)
row(
    "DecodeCSV",
    lambda fg, s: fg.io.decode_csv(s, [[0], [0.5], [""]]),
    [np.array([b'1,2.5,"a,""b"', b"4,,c"], object)],
    lambda s: (
        np.array([1, 4]),
        np.array([2.5, 0.5]),
        np.array([b'a,"b', b"c"], object),
    ),
    out=("int32", "float32", "string"),
)
