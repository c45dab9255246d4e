//! What the index of a bundle of tensors says.

use super::TensorShapeProto;
use prost::Message;

/// Versions of a layout.
#[derive(Clone, PartialEq, Message)]
pub struct VersionDef {
    /// That of who wrote it.
    #[prost(int32, tag = "1")]
    pub producer: i32,
    /// The least that who reads it must know.
    #[prost(int32, tag = "2")]
    pub min_consumer: i32,
}

/// What stands under the empty key: how the data is laid out.
#[derive(Clone, PartialEq, Message)]
pub struct BundleHeader {
    /// How many files the data is spread over.
    #[prost(int32, tag = "1")]
    pub num_shards: i32,
    /// The order of bytes in numbers: 0 for little-endian.
    #[prost(int32, tag = "2")]
    pub endianness: i32,
    /// The version of the layout.
    #[prost(message, optional, tag = "3")]
    pub version: Option<VersionDef>,
}

/// What stands under the name of a tensor: its type, and where its elements are.
#[derive(Clone, PartialEq, Message)]
pub struct BundleEntry {
    /// The public number of the dtype.
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    /// The shape.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
    /// In which file the elements are.
    #[prost(int32, tag = "3")]
    pub shard_id: i32,
    /// Where they begin there, in bytes.
    #[prost(int64, tag = "4")]
    pub offset: i64,
    /// How many bytes they take.
    #[prost(int64, tag = "5")]
    pub size: i64,
    /// The masked checksum of these bytes.
    #[prost(fixed32, tag = "6")]
    pub crc32c: u32,
    /// Of a tensor that is stored in slices under names of their own: which ones.
    #[prost(bytes = "vec", repeated, tag = "7")]
    pub slices: Vec<Vec<u8>>,
}
