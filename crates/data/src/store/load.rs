//! Elements that a folder holds.

use super::file::Reader;
use super::folder::Manifest;
use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetHandle, DatasetRef, Elements, pause,
};
use crate::op::check_element;
use ferrograph_formats::files::failed;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Result, TensorSpec};
use smallvec::smallvec;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The manifest of a folder, which has to be there.
pub(super) fn manifest(folder: &Path) -> Result<Arc<Manifest>> {
    let found = Manifest::of(folder)?;
    let found = found.ok_or_else(|| failed(folder, &io::ErrorKind::NotFound.into()))?;
    Ok(Arc::new(found))
}

/// All that a folder holds.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    specs: Arc<[TensorSpec]>,
}

impl Folder {
    pub(super) fn dataset(path: PathBuf, specs: &[TensorSpec]) -> DatasetRef {
        let specs = specs.into();
        Arc::new(Folder { path, specs })
    }
}

impl Dataset for Folder {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let manifest = manifest(&self.path)?;
        Ok(Box::new(Reading {
            left: (0..manifest.n_shards()).rev().collect(),
            folder: self.path.clone(),
            manifest,
            specs: self.specs.clone(),
            reader: None,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match Manifest::of(&self.path) {
            Ok(Some(manifest)) => Cardinality::Known(manifest.total()),
            // Iterating tells what is wrong.
            _ => Cardinality::Unknown,
        }
    }
}

struct Reading {
    folder: PathBuf,
    manifest: Arc<Manifest>,
    specs: Arc<[TensorSpec]>,
    /// The shards behind the open one, the next one last.
    left: Vec<usize>,
    reader: Option<Reader>,
}

impl Elements for Reading {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            if let Some(reader) = &mut self.reader {
                if let Some(element) = reader.next()? {
                    check_element(&self.specs, &element)?;
                    return Ok(Some(element));
                }
                self.reader = None;
            }
            let Some(shard) = self.left.pop() else {
                return Ok(None);
            };
            self.reader = Some(self.manifest.read(&self.folder, shard)?);
        }
    }
}

/// One shard of a folder.
#[derive(Debug)]
struct Shard {
    folder: PathBuf,
    manifest: Arc<Manifest>,
    number: usize,
    specs: Arc<[TensorSpec]>,
}

impl Dataset for Shard {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Reading {
            left: vec![self.number],
            folder: self.folder.clone(),
            manifest: self.manifest.clone(),
            specs: self.specs.clone(),
            reader: None,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        Cardinality::Known(self.manifest.count(self.number))
    }
}

/// The shards of a folder as datasets.
#[derive(Debug)]
pub(super) struct Shards {
    path: PathBuf,
    specs: Arc<[TensorSpec]>,
}

impl Shards {
    pub(super) fn dataset(path: PathBuf, specs: &[TensorSpec]) -> DatasetRef {
        let specs = specs.into();
        Arc::new(Shards { path, specs })
    }
}

impl Dataset for Shards {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(ShardElements {
            manifest: manifest(&self.path)?,
            next: 0,
            shards: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match Manifest::of(&self.path) {
            Ok(Some(manifest)) => Cardinality::Known(manifest.n_shards() as u64),
            _ => Cardinality::Unknown,
        }
    }
}

struct ShardElements {
    shards: Arc<Shards>,
    manifest: Arc<Manifest>,
    next: usize,
}

impl Elements for ShardElements {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        if self.next == self.manifest.n_shards() {
            return Ok(None);
        }
        let specs = self.shards.specs.clone();
        let shard = Shard {
            folder: self.shards.path.clone(),
            manifest: self.manifest.clone(),
            number: self.next,
            specs: specs.clone(),
        };
        self.next += 1;
        let dataset: DatasetRef = Arc::new(shard);
        Ok(Some(smallvec![
            DatasetHandle::new(dataset, specs).into_tensor()
        ]))
    }
}
