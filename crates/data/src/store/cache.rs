//! Caches in files: records, of which the first says what the file is, and the last how many elements there are. A file
//! without that last record is not whole.

use super::file::{Reader, Writer, within};
use super::folder::{forked, fresh};
use super::layout::Layout;
use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, pause};
use crate::history::History;
use crate::op::check_element;
use ferrograph_formats::compression::Compression;
use ferrograph_formats::files::failed;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Error, Result, TensorSpec, err};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The first record.
const MAGIC: &[u8] = b"ferrograph elements 2";
/// What the last record begins with. That of a component begins otherwise.
const END: u8 = 0;

/// Elements that are computed once and kept in a file. It is whole where it is, and counts once the mark beside it is
/// there.
#[derive(Debug)]
pub(super) struct Cache {
    input: DatasetRef,
    data: PathBuf,
    mark: PathBuf,
    layout: Layout,
    specs: Arc<[TensorSpec]>,
}

/// A path with more behind its name.
fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

impl Cache {
    pub(super) fn dataset(
        input: DatasetRef,
        path: &Path,
        specs: &[TensorSpec],
    ) -> Result<DatasetRef> {
        Ok(Arc::new(Cache {
            input,
            data: with(path, ".data-00000-of-00001"),
            mark: with(path, ".index"),
            layout: Layout::of("", specs.len())?,
            specs: specs.into(),
        }))
    }
}

impl Dataset for Cache {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        if self.mark.exists() {
            return Ok(Box::new(Cached::open(self)?));
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
    /// How many elements were written.
    count: u64,
    record: Vec<u8>,
    process: u32,
}

impl Partial {
    fn begin(data: &Path) -> Result<Partial> {
        let path = with(data, &format!(".partial-{:016x}", fresh()));
        let mut writer = Writer::create(&path, Compression::None)?;
        writer.put(MAGIC)?;
        Ok(Partial {
            writer: Some(writer),
            path,
            count: 0,
            record: Vec::new(),
            process: std::process::id(),
        })
    }

    fn put(&mut self, layout: &Layout, element: &Tensors) -> Result<()> {
        if let Some(writer) = &mut self.writer {
            layout.write(element, &mut self.record, |record| writer.put(record))?;
            self.count += 1;
        }
        Ok(())
    }

    /// Ends the file and puts it in its place.
    fn finish(mut self, cache: &Cache) -> Result<()> {
        if let Some(mut writer) = self.writer.take() {
            writer.put(&end(self.count))?;
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
        if let Some(element) = &element {
            partial.put(&self.cache.layout, element)?;
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

/// The last record of so many elements.
fn end(count: u64) -> Vec<u8> {
    let mut record = vec![END];
    record.extend(count.to_le_bytes());
    record
}

struct Cached {
    reader: Reader,
    cache: Arc<Cache>,
    /// How many elements came so far.
    count: u64,
    has_ended: bool,
}

impl Cached {
    fn open(cache: Arc<Cache>) -> Result<Cached> {
        let mut reader = Reader::open(&cache.data, Compression::None, None)?;
        if reader.next()? != Some(MAGIC) {
            return Err(lost(&reader, "it does not begin as a cache"));
        }
        Ok(Cached {
            reader,
            cache,
            count: 0,
            has_ended: false,
        })
    }

    fn step(&mut self) -> Result<Option<Tensors>> {
        let expected = end(self.count);
        let mut last = None;
        let ends = |record: &[u8]| {
            let ends = record.first() == Some(&END);
            last = ends.then(|| record == expected);
            ends
        };
        let specs = &self.cache.specs;
        match self.cache.layout.read(&mut self.reader, specs, ends)? {
            Some(element) => {
                check_element(specs, &element)?;
                self.count += 1;
                Ok(Some(element))
            }
            None if last.is_none() => {
                Err(lost(&self.reader, "the file was not written to its end"))
            }
            None if last == Some(false) || self.reader.next()?.is_some() => {
                Err(lost(&self.reader, "elements are missing"))
            }
            None => Ok(None),
        }
    }
}

fn lost(reader: &Reader, why: &str) -> Error {
    within(reader.path(), &err!(DataLoss, "{why}"))
}

impl Elements for Cached {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        pause()?;
        if self.has_ended {
            return Ok(None);
        }
        let found = self.step();
        self.has_ended = !matches!(found, Ok(Some(_)));
        found
    }
}
