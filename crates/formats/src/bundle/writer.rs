//! Writes bundles.

use super::{element, table};
use crate::messages::{BundleEntry, BundleHeader, Dim, TensorShapeProto, VersionDef};
use ferrograph_tensor::{Shape, Tensor};
use prost::Message;
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result, Write};

/// Writes a bundle, one data file after the other.
#[derive(Debug)]
pub struct Writer<W> {
    data: W,
    shard: usize,
    n_shards: usize,
    at: u64,
    entries: BTreeMap<String, BundleEntry>,
}

impl<W: Write> Writer<W> {
    /// A writer of the data file that begins where `data` stands, the first of `n_shards`.
    pub fn new(data: W, n_shards: usize) -> Self {
        Writer {
            data,
            shard: 0,
            n_shards,
            at: 0,
            entries: BTreeMap::new(),
        }
    }

    /// Goes on with the next data file; gives the one before.
    pub fn next(&mut self, data: W) -> W {
        self.shard += 1;
        self.at = 0;
        std::mem::replace(&mut self.data, data)
    }

    /// Appends a tensor under that name, which must be new and not empty.
    pub fn add(&mut self, name: &str, tensor: &Tensor) -> Result<()> {
        if name.is_empty() || self.entries.contains_key(name) {
            let text = format!("there can't be another tensor named {name:?}");
            return Err(Error::new(ErrorKind::InvalidInput, text));
        }
        let (size, crc32c) = element::write(&mut self.data, tensor)?;
        let entry = BundleEntry {
            dtype: tensor.dtype().graphdef_code(),
            shape: Some(shape(tensor.shape())),
            shard_id: i32::try_from(self.shard).unwrap_or(i32::MAX),
            offset: self.at.cast_signed(),
            size: size.cast_signed(),
            crc32c,
            slices: Vec::new(),
        };
        self.entries.insert(name.to_owned(), entry);
        self.at += size;
        Ok(())
    }

    /// What the data of the last file went to, and the bytes of the index.
    pub fn finish(self) -> (W, Vec<u8>) {
        let header = BundleHeader {
            num_shards: i32::try_from(self.n_shards).unwrap_or(i32::MAX),
            endianness: 0,
            version: Some(VersionDef {
                producer: 1,
                min_consumer: 0,
            }),
        };
        let entries = self.entries.iter();
        let entries = entries.map(|(name, entry)| (name.as_bytes(), entry.encode_to_vec()));
        let header = std::iter::once((&b""[..], header.encode_to_vec()));
        (self.data, table::write(header.chain(entries)))
    }
}

fn shape(shape: &Shape) -> TensorShapeProto {
    let dim = |&size: &usize| Dim {
        size: size as i64,
        name: String::new(),
    };
    TensorShapeProto {
        dim: shape.dims().iter().map(dim).collect(),
        unknown_rank: false,
    }
}
