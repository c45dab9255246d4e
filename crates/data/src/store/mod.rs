//! Elements kept in files: caches, snapshots, saved datasets.

mod cache;
mod codec;
mod file;
mod folder;
mod load;
mod note;
mod write;

pub use note::EmitNote;
pub(crate) use note::register as register_note;

use crate::dataset::{DatasetRef, dataset_of};
use crate::op::{Maker, datasets};
use ferrograph_formats::compression::Compression;
use ferrograph_formats::files::path_of;
use ferrograph_tensor::{Result, Tensor, bail};
use std::path::PathBuf;

datasets! {
    trait EmitStore;

    /// The elements of `input_dataset`, kept in a file by the first iteration that reaches the end; in memory where
    /// `filename` is empty.
    CacheDataset: cache_dataset_in_file(input_dataset: variant, filename: string rank 0) {};

    /// The elements of `input_dataset`, written into the folder `path` on the way; the whole counts once the end is
    /// reached.
    SaveDatasetV2: save_dataset(input_dataset: variant, path: string rank 0) {
        /// How files are compressed: not at all, or by `GZIP`.
        compression: String = String::new(),
        /// Whether the first component of an element is the number of its shard, and no part of it.
        has_shards: bool = false,
        /// What is said of the elements: see `SavedNote`.
        note: String = String::new(),
    };

    /// The elements of `saved_dataset` where the folder `path` holds a whole one when an iteration begins, else those of
    /// `input_dataset`, written there on the way.
    SnapshotDataset: snapshot_dataset(input_dataset: variant, saved_dataset: variant, path: string rank 0) {
        /// As that of `SaveDatasetV2`.
        compression: String = String::new(),
        /// As that of `SaveDatasetV2`.
        has_shards: bool = false,
        /// As that of `SaveDatasetV2`.
        note: String = String::new(),
    };

    /// What the folder `path` holds, one shard after the other.
    LoadDataset: load_dataset(path: string rank 0) {};

    /// What the folder `path` holds: a dataset for each shard.
    LoadShardsDataset: load_shards_dataset(path: string rank 0) {
        /// The types of the components of the elements of a shard.
        shard as ("shard_types", "shard_shapes"): Vec<ferrograph_tensor::TensorSpec>,
    };
}

/// The path that a scalar names.
fn path(t: &Tensor) -> Result<PathBuf> {
    match t.as_strings()? {
        [name] if !name.is_empty() => Ok(path_of(name).into_owned()),
        _ => bail!(InvalidArgument, "a path must not be empty"),
    }
}

/// How files are written for a documented name of a compression.
fn compression(name: &str) -> Result<Compression> {
    Ok(match name {
        "" | "NONE" | "AUTO" => Compression::None,
        "GZIP" | "ZLIB" | "SNAPPY" => Compression::Zlib,
        other => bail!(InvalidArgument, "there is no compression {other:?}"),
    })
}

impl Maker for CacheDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let input = dataset_of(&inputs[0])?;
        match inputs[1].as_strings()? {
            [name] if name.is_empty() => Ok(crate::keep::in_memory(input)),
            _ => Ok(cache::Cache::dataset(
                input,
                &path(&inputs[1])?,
                &self.element,
            )),
        }
    }
}

impl Maker for SaveDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let form = write::Form {
            folder: path(&inputs[1])?,
            compression: compression(&self.compression)?,
            has_shards: self.has_shards,
            note: self.note.clone(),
        };
        Ok(write::Written::dataset(dataset_of(&inputs[0])?, None, form))
    }
}

impl Maker for SnapshotDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let form = write::Form {
            folder: path(&inputs[2])?,
            compression: compression(&self.compression)?,
            has_shards: self.has_shards,
            note: self.note.clone(),
        };
        let saved = dataset_of(&inputs[1])?;
        Ok(write::Written::dataset(
            dataset_of(&inputs[0])?,
            Some(saved),
            form,
        ))
    }
}

impl Maker for LoadDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(load::Folder::dataset(path(&inputs[0])?, &self.element))
    }
}

impl Maker for LoadShardsDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(load::Shards::dataset(path(&inputs[0])?, &self.shard))
    }
}
