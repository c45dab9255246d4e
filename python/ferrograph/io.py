"""Files, and what their contents are: tensors, numbers, lines of fields, pictures."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from typing import TYPE_CHECKING

from ._src.ops.image_codecs import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)
from ._src import door as _door

if TYPE_CHECKING:
    from ._src.ops.files import (
        matching_files,
        parse_tensor,
        read_file,
        serialize_tensor,
        write_file,
    )
    from ._src.ops.texts import decode_base64, decode_csv, decode_raw, encode_base64

__all__ = [
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_raw",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "is_jpeg",
    "matching_files",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
]

if not TYPE_CHECKING:
    _LAZY = {
        "decode_base64": "ops.texts:decode_base64",
        "decode_csv": "ops.texts:decode_csv",
        "decode_raw": "ops.texts:decode_raw",
        "encode_base64": "ops.texts:encode_base64",
        "matching_files": "ops.files:matching_files",
        "parse_tensor": "ops.files:parse_tensor",
        "read_file": "ops.files:read_file",
        "serialize_tensor": "ops.files:serialize_tensor",
        "write_file": "ops.files:write_file",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
