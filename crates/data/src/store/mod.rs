//! Elements kept in files: caches, snapshots, saved datasets.

mod cache;
mod composite;
mod file;
mod folder;
mod layout;
mod load;
mod note;
mod write;

pub use note::EmitNote;
pub(crate) use note::register as register_note;

use crate::dataset::{DatasetRef, dataset_of};
use crate::op::{Maker, datasets};
use ferrograph_formats::compression::Compression;
use ferrograph_formats::files::path_of;
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail};
use std::path::PathBuf;
use std::sync::Arc;

datasets! {
    trait EmitStore;

    /// The elements of `input_dataset`, kept in a file by the first iteration that reaches the end; in memory where
    /// `filename` is empty.
    CacheDataset: cache_dataset_in_file(input_dataset: variant, filename: string rank 0) {};

    /// The elements of `input_dataset`, written into the folder `path` on the way; the whole counts once the end is
    /// reached.
    SaveDatasetV2: save_dataset(input_dataset: variant, path: string rank 0) {
        /// How files are compressed: not at all, or by `GZIP` or `SNAPPY`.
        compression: String = String::new(),
        /// Whether the first component of an element is the number of its shard, and no part of it.
        has_shards: bool = false,
        /// What is said of the elements: see `SavedNote`.
        note: Arc<[u8]> = [][..].into(),
        /// Which tensors make up a component: `t` for one, `r2` for a ragged tensor with two partitioned axes, `s` for a
        /// sparse one, `o(...)` for an optional; empty where all are single ones.
        layout: String = String::new(),
    };

    /// The elements of `saved_dataset` where the folder `path` holds a whole one when an iteration begins, else those of
    /// `input_dataset`, written there on the way.
    SnapshotDataset: snapshot_dataset(input_dataset: variant, saved_dataset: variant, path: string rank 0) {
        /// As that of `SaveDatasetV2`.
        compression: String = String::new(),
        /// As that of `SaveDatasetV2`.
        has_shards: bool = false,
        /// As that of `SaveDatasetV2`.
        note: Arc<[u8]> = [][..].into(),
        /// As that of `SaveDatasetV2`.
        layout: String = String::new(),
    };

    /// What the folder `path` holds, one shard after the other.
    LoadDataset: load_dataset(path: string rank 0) {
        /// How files are compressed, where the folder does not say it itself.
        compression: String = String::new(),
        /// As that of `SaveDatasetV2`.
        layout: String = String::new(),
    };

    /// What the folder `path` holds: a dataset for each shard.
    LoadShardsDataset: load_shards_dataset(path: string rank 0) {
        /// The types of the components of the elements of a shard.
        shard as ("shard_types", "shard_shapes"): Vec<TensorSpec>,
        /// As that of `LoadDataset`.
        compression: String = String::new(),
        /// As that of `SaveDatasetV2`.
        layout: String = String::new(),
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
        "GZIP" => Compression::Gzip,
        "SNAPPY" => Compression::Snappy,
        other => bail!(InvalidArgument, "there is no compression {other:?}"),
    })
}

/// What is said of elements of these types.
fn said(note: &Arc<[u8]>, layout: &str, specs: &[TensorSpec]) -> Result<folder::Said> {
    Ok(folder::Said {
        specs: specs.to_vec(),
        element_spec: note.clone(),
        layout: layout::Layout::of(layout, specs.len())?,
    })
}

impl Maker for CacheDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let input = dataset_of(&inputs[0])?;
        match inputs[1].as_strings()? {
            [name] if name.is_empty() => Ok(crate::keep::in_memory(input)),
            _ => cache::Cache::dataset(input, &path(&inputs[1])?, &self.element),
        }
    }
}

impl Maker for SaveDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let form = write::Form {
            folder: path(&inputs[1])?,
            compression: compression(&self.compression)?,
            has_shards: self.has_shards,
            said: said(&self.note, &self.layout, &self.element)?,
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
            said: said(&self.note, &self.layout, &self.element)?,
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
        let made = expected(&inputs[0], &self.compression, &self.layout, &self.element)?;
        Ok(load::Folder::dataset(made))
    }
}

impl Maker for LoadShardsDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let made = expected(&inputs[0], &self.compression, &self.layout, &self.shard)?;
        Ok(load::Shards::dataset(made))
    }
}

/// What is known of the elements of a folder before they are read.
fn expected(
    folder: &Tensor,
    how: &str,
    layout: &str,
    specs: &[TensorSpec],
) -> Result<load::Expected> {
    Ok(load::Expected {
        folder: path(folder)?,
        compression: compression(how)?,
        layout: layout::Layout::of(layout, specs.len())?,
        specs: specs.into(),
    })
}
