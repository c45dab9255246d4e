//! The index of a bundle: which tensors there are, and where.

use super::{element, table};
use crate::messages::{BundleEntry, BundleHeader, TensorShapeProto};
use ferrograph_tensor::{DType, Error, MAX_RANK, Result, Shape, Tensor, bail, err};
use prost::Message;
use std::collections::BTreeMap;
use std::io::Read;

/// The version of the layout that is known here.
const VERSION: i32 = 1;

/// Which tensors a bundle holds.
#[derive(Debug)]
pub struct Index {
    entries: BTreeMap<String, Entry>,
    n_shards: usize,
}

/// What is said of one tensor.
#[derive(Debug)]
pub struct Entry {
    message: BundleEntry,
    shape: Shape,
}

impl Index {
    /// The index that these bytes are.
    ///
    /// # Errors
    /// `DataLoss` where they are damaged, `Unimplemented` for a layout that is not read.
    pub fn parse(file: &[u8]) -> Result<Index> {
        let mut pairs = table::read(file)?.into_iter();
        let n_shards = match pairs.next() {
            Some((key, header)) if key.is_empty() => shards(header)?,
            _ => bail!(DataLoss, "the table has no header of a bundle"),
        };
        let mut entries = BTreeMap::new();
        for (key, value) in pairs {
            let name = String::from_utf8(key)
                .map_err(|_| err!(DataLoss, "the name of a tensor is no UTF-8"))?;
            let entry = Entry::parse(value, n_shards)
                .map_err(|e| Error::new(e.kind(), format!("{name}: {}", e.message())))?;
            entries.insert(name, entry);
        }
        Ok(Index { entries, n_shards })
    }

    /// What is said of the tensor of that name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// The names with what stands under them, in the order of the names.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries
            .iter()
            .map(|(name, entry)| (name.as_str(), entry))
    }

    /// Over how many files the elements are spread.
    pub fn n_shards(&self) -> usize {
        self.n_shards
    }
}

/// How many files there are, by the header.
fn shards(header: &[u8]) -> Result<usize> {
    let header =
        BundleHeader::decode(header).map_err(|e| err!(DataLoss, "the header is damaged: {e}"))?;
    if header.endianness != 0 {
        bail!(Unimplemented, "the bundle is big-endian, which is not read");
    }
    let least = header.version.map_or(0, |v| v.min_consumer);
    if least > VERSION {
        bail!(
            Unimplemented,
            "the bundle asks for version {least} of its layout, {VERSION} is known"
        );
    }
    match usize::try_from(header.num_shards) {
        Ok(n) if n > 0 => Ok(n),
        _ => bail!(DataLoss, "the bundle has {} data files", header.num_shards),
    }
}

impl Entry {
    fn parse(bytes: &[u8], n_shards: usize) -> Result<Entry> {
        let message =
            BundleEntry::decode(bytes).map_err(|e| err!(DataLoss, "the entry is damaged: {e}"))?;
        let shape = shape(message.shape.as_ref())?;
        let shard = usize::try_from(message.shard_id);
        if message.offset < 0 || message.size < 0 || shard.is_ok_and(|s| s >= n_shards) {
            bail!(DataLoss, "the place of the elements is damaged");
        }
        Ok(Entry { message, shape })
    }

    /// The dtype.
    ///
    /// # Errors
    /// `Unimplemented` for one that is not known here.
    pub fn dtype(&self) -> Result<DType> {
        let code = self.message.dtype;
        DType::from_graphdef_code(code)
            .ok_or_else(|| err!(Unimplemented, "its dtype, number {code}, is not known here"))
    }

    /// The public number of the dtype, which may be unknown here.
    pub fn dtype_code(&self) -> i32 {
        self.message.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// In which data file the elements are.
    pub fn shard(&self) -> usize {
        usize::try_from(self.message.shard_id).unwrap_or(0)
    }

    /// Where they begin there.
    pub fn offset(&self) -> u64 {
        self.message.offset.unsigned_abs()
    }

    /// Reads the elements: `from` stands where they begin, and has `available` bytes from there on.
    ///
    /// # Errors
    /// `DataLoss` where they are damaged or cut off, `Unimplemented` for what is not read here.
    pub fn read(&self, from: &mut impl Read, available: u64) -> Result<Tensor> {
        let (dtype, size) = (self.dtype()?, self.message.size.unsigned_abs());
        if !self.message.slices.is_empty() {
            bail!(Unimplemented, "it is stored in slices, which are not read");
        }
        if size > available {
            bail!(DataLoss, "{size} bytes are expected, {available} are there");
        }
        let expected = self.shape.n_elements() as u64;
        let expected = expected.checked_mul(dtype.size() as u64);
        if dtype.is_dense() && expected != Some(size) {
            bail!(
                DataLoss,
                "{size} bytes do not fill a {dtype} tensor of shape {}",
                self.shape
            );
        }
        let spec = (dtype, self.shape.clone());
        element::read(from, spec, size, self.message.crc32c)
    }
}

fn shape(message: Option<&TensorShapeProto>) -> Result<Shape> {
    let Some(message) = message else {
        return Ok(Shape::scalar());
    };
    if message.unknown_rank || message.dim.len() > MAX_RANK {
        bail!(
            DataLoss,
            "the shape has no known rank of {MAX_RANK} at most"
        );
    }
    let mut dims = Vec::new();
    for dim in &message.dim {
        let size = usize::try_from(dim.size);
        dims.push(size.map_err(|_| err!(DataLoss, "a dimension is {}", dim.size))?);
    }
    let shape = Shape::new(&dims);
    shape
        .checked_count()
        .map_err(|e| e.with_kind(ferrograph_tensor::ErrorKind::DataLoss))?;
    Ok(shape)
}
