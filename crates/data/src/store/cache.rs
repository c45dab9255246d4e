//! Caches in files.

use super::file::{Reader, Writer};
use super::folder::{forked, fresh};
use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, pause};
use crate::history::History;
use crate::op::check_element;
use ferrograph_formats::compression::Compression;
use ferrograph_formats::files::failed;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Result, TensorSpec};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Elements that are computed once and kept in a file. It is whole where it is, and counts once the mark beside it is
/// there.
#[derive(Debug)]
pub(super) struct Cache {
    input: DatasetRef,
    data: PathBuf,
    mark: PathBuf,
    specs: Arc<[TensorSpec]>,
}

/// A path with more behind its name.
fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

impl Cache {
    pub(super) fn dataset(input: DatasetRef, path: &Path, specs: &[TensorSpec]) -> DatasetRef {
        Arc::new(Cache {
            input,
            data: with(path, ".data-00000-of-00001"),
            mark: with(path, ".index"),
            specs: specs.into(),
        })
    }
}

impl Dataset for Cache {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        if self.mark.exists() {
            let reader = Reader::open(&self.data, Compression::None)?;
            let specs = self.specs.clone();
            return Ok(Box::new(Cached { reader, specs }));
        }
        let length = match self.input.cardinality() {
            Cardinality::Known(n) => Some(n),
            _ => None,
        };
        let history = History::here();
        let n_drawn = history.n_drawn();
        let input = self.input.clone().open()?;
        history.lost_if_drawn(n_drawn)?;
        Ok(Box::new(Recording {
            input,
            left: length,
            partial: Some(Partial::begin(&self.data)?),
            cache: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
}

/// A file that is being written, of which nothing stays unless it is finished.
struct Partial {
    path: PathBuf,
    writer: Option<Writer>,
    process: u32,
}

impl Partial {
    fn begin(data: &Path) -> Result<Partial> {
        let path = with(data, &format!(".partial-{:016x}", fresh()));
        Ok(Partial {
            writer: Some(Writer::create(&path, Compression::None)?),
            path,
            process: std::process::id(),
        })
    }

    /// Ends the file and puts it in its place.
    fn finish(mut self, cache: &Cache) -> Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.finish()?;
            fs::rename(&self.path, &cache.data).map_err(|e| failed(&cache.data, &e))?;
            let mark = File::create(&cache.mark).and_then(|file| file.sync_all());
            mark.map_err(|e| failed(&cache.mark, &e))?;
        }
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let Some(writer) = self.writer.take() else {
            return;
        };
        if self.process == std::process::id() {
            drop(writer);
            // A file that stays is never read.
            let _ = fs::remove_file(&self.path);
        } else {
            // What is buffered is the parent's to write.
            std::mem::forget(writer);
        }
    }
}

struct Recording {
    cache: Arc<Cache>,
    input: BoxedElements,
    /// How many elements are still to come, where that is known.
    left: Option<u64>,
    /// Gone once it is finished, or an element failed.
    partial: Option<Partial>,
}

impl Recording {
    fn step(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        pause()?;
        let element = self.input.next(runner)?;
        let Some(partial) = &mut self.partial else {
            return Ok(element);
        };
        if partial.process != std::process::id() {
            return Err(forked());
        }
        if let (Some(element), Some(writer)) = (&element, &mut partial.writer) {
            writer.put(element)?;
            self.left = self.left.map(|n| n.saturating_sub(1));
        }
        if (element.is_none() || self.left == Some(0))
            && let Some(partial) = self.partial.take()
        {
            partial.finish(&self.cache)?;
        }
        Ok(element)
    }
}

impl Elements for Recording {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let found = self.step(runner);
        if found.is_err() {
            self.partial = None;
        }
        found
    }
}

struct Cached {
    reader: Reader,
    specs: Arc<[TensorSpec]>,
}

impl Elements for Cached {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        pause()?;
        let element = self.reader.next()?;
        if let Some(element) = &element {
            check_element(&self.specs, element)?;
        }
        Ok(element)
    }
}
