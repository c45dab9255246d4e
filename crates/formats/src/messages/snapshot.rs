//! Folders of saved elements.

use prost::Message;

/// What a folder of saved elements holds.
#[derive(Clone, PartialEq, Message)]
pub struct SnapshotMetadata {
    /// What distinguishes pipelines; empty where nothing does.
    #[prost(string, tag = "1")]
    pub graph_hash: String,
    /// The name of the folder within that counts.
    #[prost(string, tag = "2")]
    pub run_id: String,
    /// When it was made, in microseconds since 1970.
    #[prost(int64, tag = "3")]
    pub creation_timestamp: i64,
    /// The version of the layout.
    #[prost(int64, tag = "4")]
    pub version: i64,
    /// The numbers of the dtypes of the components.
    #[prost(int32, repeated, tag = "5")]
    pub dtype: Vec<i32>,
    /// How many elements there are; negative where it is not known.
    #[prost(int64, tag = "6")]
    pub num_elements: i64,
    /// Whether they were written to their end.
    #[prost(bool, tag = "1000")]
    pub finalized: bool,
    /// What ferrograph knows besides. Others pass over it.
    #[prost(message, optional, tag = "2001")]
    pub known: Option<KnownContents>,
}

/// What the files of a folder hold, by the one who wrote them.
#[derive(Clone, PartialEq, Message)]
pub struct KnownContents {
    /// The type of the elements, a structure; empty where it is not known.
    #[prost(bytes = "vec", tag = "1")]
    pub element_spec: Vec<u8>,
    /// How files are compressed: 0 not at all, 1 by gzip, 2 by Snappy.
    #[prost(uint32, tag = "2")]
    pub compression: u32,
    /// The shards in their order.
    #[prost(message, repeated, tag = "3")]
    pub shards: Vec<KnownShard>,
}

/// What the file of a shard holds.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct KnownShard {
    /// The number of the shard.
    #[prost(uint64, tag = "1")]
    pub number: u64,
    /// How many elements it has.
    #[prost(uint64, tag = "2")]
    pub n_elements: u64,
    /// How many bytes the file has.
    #[prost(uint64, tag = "3")]
    pub n_bytes: u64,
    /// The masked checksum of these bytes.
    #[prost(fixed32, tag = "4")]
    pub checksum: u32,
}
