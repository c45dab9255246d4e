//! Writes bundles.

use super::{element, table};
use crate::messages::{BundleEntry, BundleHeader, Dim, TensorShapeProto, VersionDef};
use ferrograph_tensor::{Shape, Tensor};
use prost::Message;
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result, Write};

/// Writes a bundle of one data file.
#[derive(Debug)]
pub struct Writer<W> {
    data: W,
    n_shards: usize,
    at: u64,
    entries: BTreeMap<String, BundleEntry>,
}

impl<W: Write> Writer<W> {
    /// A writer of the data file that begins where `data` stands, the first of `n_shards`, which holds all tensors.
    pub fn new(data: W, n_shards: usize) -> Self {
        Writer {
            data,
            n_shards,
            at: 0,
            entries: BTreeMap::new(),
        }
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
            shard_id: 0,
            offset: self.at.cast_signed(),
            size: size.cast_signed(),
            crc32c,
            slices: Vec::new(),
        };
        self.entries.insert(name.to_owned(), entry);
        self.at += size;
        Ok(())
    }

    /// What the data went to, and the bytes of the index.
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
