//! Elements that are written into a folder on their way.

use super::folder::{Manifest, Run, Said};
use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, pause};
use crate::history::History;
use ferrograph_formats::compression::Compression;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Result, bail};
use std::path::PathBuf;
use std::sync::Arc;

/// Where and how elements are written.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub folder: PathBuf,
    pub compression: Compression,
    /// Whether the first component of an element is the number of its shard, and no part of it.
    pub has_shards: bool,
    /// What is said of the elements.
    pub said: Said,
}

#[derive(Debug)]
pub(super) struct Written {
    input: DatasetRef,
    /// Read in place of the input where the folder holds a whole dataset.
    saved: Option<DatasetRef>,
    form: Form,
}

impl Written {
    pub(super) fn dataset(input: DatasetRef, saved: Option<DatasetRef>, form: Form) -> DatasetRef {
        Arc::new(Written { input, saved, form })
    }
}

impl Dataset for Written {
    fn inputs(&self) -> Vec<&DatasetRef> {
        self.saved.iter().chain([&self.input]).collect()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        if let Some(saved) = &self.saved
            && Manifest::of(&self.form.folder, self.form.compression)?.is_some()
        {
            return saved.clone().open();
        }
        let history = History::here();
        let n_drawn = history.n_drawn();
        let input = self.input.clone().open()?;
        history.lost_if_drawn(n_drawn)?;
        Ok(Box::new(Writing {
            input,
            run: Some(Run::begin(&self.form.folder, self.form.compression)?),
            written: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
}

struct Writing {
    input: BoxedElements,
    /// Gone once it is finished, or an element failed.
    run: Option<Run>,
    written: Arc<Written>,
}

impl Writing {
    /// Writes what the input gave; the element as it is passed on.
    fn step(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        pause()?;
        let Some(mut element) = self.input.next(runner)? else {
            return match self.run.take() {
                Some(run) => run.finish(&self.written.form.said).map(|()| None),
                None => Ok(None),
            };
        };
        let shard = match self.written.form.has_shards {
            true if element.is_empty() => bail!(Internal, "an element has no shard"),
            true => element.remove(0).item::<i64>()?,
            false => 0,
        };
        if let Some(run) = &mut self.run {
            run.put(shard, &element, &self.written.form.said.layout)?;
        }
        Ok(Some(element))
    }
}

impl Elements for Writing {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let found = self.step(runner);
        if found.is_err() {
            self.run = None;
        }
        found
    }
}
