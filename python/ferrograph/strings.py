"""Functions of string tensors."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.ops.string_ops import (
    as_string,
    format,
    join,
    length,
    lower,
    reduce_join,
    regex_full_match,
    regex_replace,
    strip,
    substr,
    to_number,
    unsorted_segment_join,
    upper,
)
from ._src import door as _door

if TYPE_CHECKING:
    from ._src.ops.texts import (
        to_hash_bucket,
        to_hash_bucket_fast,
        to_hash_bucket_strong,
        unicode_script,
        unicode_transcode,
    )
    from ._src.ragged.text import (
        bytes_split,
        ngrams,
        split,
        unicode_decode,
        unicode_decode_with_offsets,
        unicode_encode,
        unicode_split,
        unicode_split_with_offsets,
    )

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]

if not TYPE_CHECKING:
    _LAZY = {
        "bytes_split": "ragged.text:bytes_split",
        "ngrams": "ragged.text:ngrams",
        "split": "ragged.text:split",
        "to_hash_bucket": "ops.texts:to_hash_bucket",
        "to_hash_bucket_fast": "ops.texts:to_hash_bucket_fast",
        "to_hash_bucket_strong": "ops.texts:to_hash_bucket_strong",
        "unicode_decode": "ragged.text:unicode_decode",
        "unicode_decode_with_offsets": "ragged.text:unicode_decode_with_offsets",
        "unicode_encode": "ragged.text:unicode_encode",
        "unicode_script": "ops.texts:unicode_script",
        "unicode_split": "ragged.text:unicode_split",
        "unicode_split_with_offsets": "ragged.text:unicode_split_with_offsets",
        "unicode_transcode": "ops.texts:unicode_transcode",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
