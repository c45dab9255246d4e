//! Elements that a folder holds.

use super::folder::{self, Manifest, missing};
use super::layout::Layout;
use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetHandle, DatasetRef, Elements, pause,
};
use crate::op::check_element;
use ferrograph_formats::compression::Compression;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Result, TensorSpec, err};
use smallvec::smallvec;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The manifest of a folder, which has to be there.
pub(super) fn manifest(folder: &Path, compression: Compression) -> Result<Arc<Manifest>> {
    let found = Manifest::of(folder, compression)?;
    let nothing = || {
        err!(
            NotFound,
            "{}: no dataset was saved here to its end",
            folder.display()
        )
    };
    found.map(Arc::new).ok_or_else(nothing)
}

/// What is known of the elements before they are read.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub folder: PathBuf,
    /// How files are compressed where the folder does not say it.
    pub compression: Compression,
    pub layout: Layout,
    pub specs: Arc<[TensorSpec]>,
}

impl Expected {
    fn manifest(&self) -> Result<Arc<Manifest>> {
        manifest(&self.folder, self.compression)
    }
}

fn cardinality(count: Option<u64>) -> Cardinality {
    count.map_or(Cardinality::Unknown, Cardinality::Known)
}

/// All that a folder holds.
#[derive(Debug)]
pub(super) struct Folder(Arc<Expected>);

impl Folder {
    pub(super) fn dataset(expected: Expected) -> DatasetRef {
        Arc::new(Folder(Arc::new(expected)))
    }
}

impl Dataset for Folder {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let manifest = self.0.manifest()?;
        Ok(Box::new(Reading {
            left: (0..manifest.n_shards()).rev().collect(),
            count: 0,
            total: manifest.total(),
            manifest,
            expected: self.0.clone(),
            shard: None,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match Manifest::of(&self.0.folder, self.0.compression) {
            Ok(Some(manifest)) => cardinality(manifest.total()),
            // Iterating raises the error.
            _ => Cardinality::Unknown,
        }
    }
}

struct Reading {
    manifest: Arc<Manifest>,
    expected: Arc<Expected>,
    /// The shards behind the open one, the next one last.
    left: Vec<usize>,
    shard: Option<folder::Shard>,
    /// How many elements came so far.
    count: u64,
    /// How many there have to be, where that is known.
    total: Option<u64>,
}

impl Elements for Reading {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        let Expected { layout, specs, .. } = &*self.expected;
        loop {
            pause()?;
            if let Some(shard) = &mut self.shard {
                if let Some(element) = shard.next(layout, specs)? {
                    check_element(specs, &element)?;
                    self.count += 1;
                    return Ok(Some(element));
                }
                self.shard = None;
            }
            let Some(shard) = self.left.pop() else {
                return match self.total.take() {
                    Some(total) if total != self.count => Err(missing(&self.expected.folder)),
                    _ => Ok(None),
                };
            };
            self.shard = Some(self.manifest.read(shard)?);
        }
    }
}

/// One shard of a folder.
#[derive(Debug)]
struct Shard {
    manifest: Arc<Manifest>,
    expected: Arc<Expected>,
    number: usize,
}

impl Dataset for Shard {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Reading {
            left: vec![self.number],
            count: 0,
            total: None,
            manifest: self.manifest.clone(),
            expected: self.expected.clone(),
            shard: None,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        cardinality(self.manifest.count(self.number))
    }
}

/// The shards of a folder as datasets.
#[derive(Debug)]
pub(super) struct Shards(Arc<Expected>);

impl Shards {
    pub(super) fn dataset(expected: Expected) -> DatasetRef {
        Arc::new(Shards(Arc::new(expected)))
    }
}

impl Dataset for Shards {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(ShardElements {
            manifest: self.0.manifest()?,
            next: 0,
            expected: self.0.clone(),
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match Manifest::of(&self.0.folder, self.0.compression) {
            Ok(Some(manifest)) => Cardinality::Known(manifest.n_shards() as u64),
            _ => Cardinality::Unknown,
        }
    }
}

struct ShardElements {
    expected: Arc<Expected>,
    manifest: Arc<Manifest>,
    next: usize,
}

impl Elements for ShardElements {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        if self.next == self.manifest.n_shards() {
            return Ok(None);
        }
        let shard = Shard {
            manifest: self.manifest.clone(),
            expected: self.expected.clone(),
            number: self.next,
        };
        self.next += 1;
        let dataset: DatasetRef = Arc::new(shard);
        Ok(Some(smallvec![
            DatasetHandle::new(dataset, self.expected.specs.clone()).into_tensor()
        ]))
    }
}
