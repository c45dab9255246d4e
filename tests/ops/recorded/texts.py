"""Strings that come apart, in encodings, hashed, joined in runs, and as bytes and lines."""

from .indices import CASES, call

__all__ = ["CASES"]

DAMAGED = [b"a\xff\xe6\x97b\x00", b"\xd8\x3d\xde\x00", b"\xf0\x9f\x98", b""]
WORDS = [["a b", "c"], ["", " d  e"]]

for sep in (None, ",", "::", " "):
    for maxsplit in (-1, 0, 1):
        call(
            f"split {sep!r} {maxsplit}",
            lambda m, s=sep, n=maxsplit: m.strings.split(
                ["a b  c", " x,y ,", "p,,q", "", "1::2:::3", "\x0ba\tb\n"], s, n
            ),
        )
call("split one", lambda m: m.strings.split(" a b "))
call("split matrix", lambda m: m.strings.split(WORDS))
call("bytes_split", lambda m: m.strings.bytes_split(["ab", "", "é"]))
call("bytes_split matrix", lambda m: m.strings.bytes_split([["ab"], ["c"]]))
for errors in ("strict", "replace", "ignore"):
    for encoding in (
        "UTF-8",
        "UTF-16-BE",
        "UTF-32-BE",
        "UTF-16-LE",
        "US-ASCII",
        "ISO-8859-1",
        "utf8",
    ):
        call(
            f"unicode_decode {encoding} {errors}",
            lambda m, c=encoding, e=errors: m.strings.unicode_decode(DAMAGED, c, errors=e),
        )
        call(
            f"unicode_decode_with_offsets {encoding} {errors}",
            lambda m, c=encoding, e=errors: list(
                m.strings.unicode_decode_with_offsets(DAMAGED, c, errors=e)
            ),
        )
    call(
        f"unicode_split {errors}",
        lambda m, e=errors: m.strings.unicode_split(DAMAGED, "UTF-8", errors=e),
    )
    for target in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        call(
            f"unicode_transcode {target} {errors}",
            lambda m, c=target, e=errors: m.strings.unicode_transcode(
                DAMAGED, "UTF-8", c, errors=e, replace_control_characters=True
            ),
        )
        call(
            f"unicode_encode {target} {errors}",
            lambda m, c=target, e=errors: m.strings.unicode_encode(
                [[65, 0xD800], [0x110000, -1], [0x1F600, 0]], c, errors=e
            ),
        )
call(
    "unicode_split_with_offsets",
    lambda m: list(m.strings.unicode_split_with_offsets(["\0a\0b"], "UTF-16-BE")),
)
call("unicode_split one", lambda m: m.strings.unicode_split("aé", "UTF-8"))
call("unicode_decode bad name", lambda m: m.strings.unicode_decode(["a"], "nonsense"))
call(
    "unicode_decode bad replacement",
    lambda m: m.strings.unicode_decode(["a"], "UTF-8", replacement_char=0x110000),
)
call("unicode_script", lambda m: m.strings.unicode_script(list(range(-2, 0x3000, 7))))
for width in (1, 2, [3, 1], 4):
    for pads in (None, "x", ("l", "r")):
        for padding in (None, 1):
            for short in (False, True):
                call(
                    f"ngrams {width} {pads} {padding} {short}",
                    lambda m, w=width, p=pads, n=padding, s=short: m.strings.ngrams(
                        m.ragged.constant([["a", "b", "c"], ["d"], [], ["e", "f"]]),
                        w,
                        "-",
                        p,
                        n,
                        s,
                    ),
                )
call("ngrams matrix", lambda m: m.strings.ngrams([["a", "b"], ["c", "d"]], 2))
call("ngrams of nothing", lambda m: m.strings.ngrams(["a"], 0))
TEXTS = ["", "a", "ab", "abc", "abcd", "x" * 7, "y" * 8, "z" * 16, "a1" * 9, "b" * 32, "c" * 33]
TEXTS += ["long " * 12, "d" * 64, "e" * 65, "f" * 128, "g" * 200]
for n in (1, 10, 2**62):
    call(f"to_hash_bucket {n}", lambda m, n=n: m.strings.to_hash_bucket(TEXTS, n))
    call(f"to_hash_bucket_fast {n}", lambda m, n=n: m.strings.to_hash_bucket_fast(TEXTS, n))
    call(
        f"to_hash_bucket_strong {n}",
        lambda m, n=n: m.strings.to_hash_bucket_strong(TEXTS, n, [-5, 2**63 - 1]),
    )
call("to_hash_bucket_strong bad key", lambda m: m.strings.to_hash_bucket_strong(["a"], 5, [1]))
for pad in (False, True):
    call(
        f"encode_base64 {pad}",
        lambda m, p=pad: m.io.encode_base64(["", "a", "ab", "abc", b"\xff\xfe"], pad=p),
    )
for text in ("", "YQ", "YQ==", "YW I", "_-7_", "/+7/", "Y", "YR", "Y=Q=", "YQ=", "YWJj=", "===="):
    call(f"decode_base64 {text}", lambda m, t=text: m.io.decode_base64([t]))
for d in ("int16", "uint8", "float32", "float16", "bool", "complex64", "int64"):
    for little in (True, False):
        call(
            f"decode_raw {d} {little}",
            lambda m, d=d, e=little: m.io.decode_raw(
                [b"\1\0\2\0\0\0\x80\x3f", b"\3\0\4\0\0\0\0\x40"], m.as_dtype(d), e
            ),
        )
call("decode_raw uneven", lambda m: m.io.decode_raw([b"abcd", b"ab"], m.int16))
call("decode_raw odd", lambda m: m.io.decode_raw([b"abc"], m.int16))
for length in (2, 3, 4, 6):
    call(
        f"decode_raw fixed {length}",
        lambda m, n=length: m.io.decode_raw([b"\1\0\2", b"\3", b""], m.int16, fixed_length=n),
    )
LINES = {
    "plain": ["1,2", "3,4.5"],
    "quoted": ['"1","2"'],
    "missing": [",2", "1,"],
    "spaces": [" 1 , 2 "],
    "short": ["1"],
    "long": ["1,2,3"],
    "none": [""],
    "words": ["a,b"],
    "large": ["2147483648,1"],
    "not": ["1.5,1"],
    "infinite": ["1,inf"],
}
for name, lines in LINES.items():
    call(f"decode_csv {name}", lambda m, t=lines: m.io.decode_csv(t, [[7], [8.5]]))
TEXTUAL = ['"a""b",c', 'a"b,c', '"a"b,c', "a\n,c", '"a\n",c', '"a,c', "NA,c", '"",']
for text in TEXTUAL:
    for quotes in (True, False):
        call(
            f"decode_csv {text!r} {quotes}",
            lambda m, t=text, q=quotes: m.io.decode_csv(
                [t], [["x"], ["y"]], use_quote_delim=q, na_value="NA"
            ),
        )
call(
    "decode_csv of columns",
    lambda m: m.io.decode_csv(["1;2;3"], [[0], [""]], ";", select_cols=[0, 2]),
)
