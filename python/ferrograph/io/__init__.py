"""Files, and what their contents are: tensors, numbers, lines of fields, pictures."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.ops.image_codecs import (
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
from .._src import door as _door

if TYPE_CHECKING:
    from . import gfile
    from .._src.files.features import (
        FixedLenFeature,
        FixedLenSequenceFeature,
        RaggedFeature,
        SparseFeature,
        VarLenFeature,
    )
    from .._src.files.matched import match_filenames_once
    from .._src.files.parsing import (
        parse_example,
        parse_sequence_example,
        parse_single_example,
        parse_single_sequence_example,
    )
    from .._src.files.records import TFRecordOptions, TFRecordWriter
    from .._src.files.sparse_features import (
        deserialize_many_sparse,
        serialize_many_sparse,
        serialize_sparse,
    )
    from .._src.ops.files import (
        decode_compressed,
        decode_json_example,
        matching_files,
        parse_tensor,
        read_file,
        serialize_tensor,
        write_file,
    )
    from .._src.ops.texts import decode_base64, decode_csv, decode_raw, encode_base64
    from .._src.saved.graph_text import write_graph

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json_example",
    "decode_png",
    "decode_raw",
    "deserialize_many_sparse",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "match_filenames_once",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "write_file",
    "write_graph",
]

if not TYPE_CHECKING:
    _LAZY = {
        "FixedLenFeature": "files.features:FixedLenFeature",
        "FixedLenSequenceFeature": "files.features:FixedLenSequenceFeature",
        "RaggedFeature": "files.features:RaggedFeature",
        "SparseFeature": "files.features:SparseFeature",
        "TFRecordOptions": "files.records:TFRecordOptions",
        "TFRecordWriter": "files.records:TFRecordWriter",
        "VarLenFeature": "files.features:VarLenFeature",
        "decode_base64": "ops.texts:decode_base64",
        "decode_compressed": "ops.files:decode_compressed",
        "decode_csv": "ops.texts:decode_csv",
        "decode_json_example": "ops.files:decode_json_example",
        "decode_raw": "ops.texts:decode_raw",
        "deserialize_many_sparse": "files.sparse_features:deserialize_many_sparse",
        "encode_base64": "ops.texts:encode_base64",
        "match_filenames_once": "files.matched:match_filenames_once",
        "matching_files": "ops.files:matching_files",
        "parse_example": "files.parsing:parse_example",
        "parse_sequence_example": "files.parsing:parse_sequence_example",
        "parse_single_example": "files.parsing:parse_single_example",
        "parse_single_sequence_example": "files.parsing:parse_single_sequence_example",
        "parse_tensor": "ops.files:parse_tensor",
        "read_file": "ops.files:read_file",
        "serialize_many_sparse": "files.sparse_features:serialize_many_sparse",
        "serialize_sparse": "files.sparse_features:serialize_sparse",
        "serialize_tensor": "ops.files:serialize_tensor",
        "write_file": "ops.files:write_file",
        "write_graph": "saved.graph_text:write_graph",
    }
    _MODULES = ("gfile",)
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
