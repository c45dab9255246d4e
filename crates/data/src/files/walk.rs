//! One file after the other.

use super::{bytes, lines, records, rows};
use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, pause};
use crate::op::int;
use ferrograph_formats::compression::{Compression, kind_of};
use ferrograph_formats::files::{failed, path_of};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Bytes, Error, Made, Result, Tensor, bail, string_of};
use smallvec::smallvec;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// The bytes that a file is read in where the program leaves that open.
const OPEN_SIZE: usize = 256 << 10;
/// The most that it is read in.
const LARGEST: usize = 16 << 20;

/// How the bytes of a file are elements.
#[derive(Debug, Clone, Copy)]
pub(super) enum Layout {
    /// Lines of text.
    Lines,
    /// Framed records.
    Records,
    /// Records of one length.
    Bytes(bytes::Lengths),
    /// Rows of separated values.
    Rows(rows::Form),
}

/// What a file holds, with compression undone.
pub(super) type Stream = BufReader<Box<dyn Read + Send>>;

/// The elements of one file.
pub(super) trait Items: Send {
    /// Replaces what is in `item` by the next one; false at the end.
    fn next(&mut self, item: &mut Vec<u8>) -> Result<bool>;

    /// The next one in memory of its own, by way of `item`; nothing at the end.
    fn next_string(&mut self, item: &mut Vec<u8>) -> Result<Option<Bytes>> {
        match self.next(item)? {
            true => string_of(item).map(Some),
            false => Ok(None),
        }
    }

    /// Whether it is known without reading that there is another one, or an error.
    fn has_more(&self) -> bool {
        false
    }

    /// Whether the next one can be given without waiting for the file.
    fn is_at_hand(&self) -> bool {
        false
    }
}

impl Layout {
    /// The elements of a file of which `length` bytes are stored.
    fn items(self, file: Stream, how: Compression, length: u64) -> Result<Box<dyn Items>> {
        Ok(match self {
            Layout::Lines => Box::new(lines::Lines(file)),
            Layout::Records => Box::new(records::Records::new(file)),
            Layout::Rows(form) => Box::new(rows::Rows::new(file, form)?),
            Layout::Bytes(lengths) => {
                let known = (how == Compression::None).then_some(length);
                Box::new(bytes::Fixed::new(file, lengths, known)?)
            }
        })
    }
}

/// The elements of files, one file after the other.
#[derive(Debug)]
pub(super) struct Files {
    names: Tensor,
    layout: Layout,
    compression: Compression,
    buffer: usize,
}

impl Files {
    pub(super) fn dataset(
        layout: Layout,
        names: &Tensor,
        compression: &Tensor,
        buffer: &Tensor,
    ) -> Result<DatasetRef> {
        let buffer = match usize::try_from(int(buffer)?) {
            Ok(0) => OPEN_SIZE,
            Ok(size) => size.min(LARGEST),
            Err(_) => bail!(InvalidArgument, "`buffer_size` must be >= 0 (0 == default)"),
        };
        Ok(Arc::new(Files {
            names: names.clone(),
            layout,
            compression: Compression::named(&compression.as_strings()?[0])?,
            buffer,
        }))
    }

    fn open_file(&self, name: &[u8]) -> Result<Box<dyn Items>> {
        let path = path_of(name);
        let (file, length) = opened(&path).map_err(|e| failed(&path, &e))?;
        let reader = |from: Box<dyn Read + Send>| BufReader::with_capacity(self.buffer, from);
        let stream: Stream = match self.compression {
            Compression::None => reader(Box::new(file)),
            how => reader(how.reader(BufReader::with_capacity(self.buffer, file))),
        };
        let items = self.layout.items(stream, self.compression, length);
        items.map_err(|e| in_file(name, &e))
    }
}

/// A file to read, and how many bytes it has.
fn opened(path: &Path) -> io::Result<(File, u64)> {
    let file = File::open(path)?;
    let data = file.metadata()?;
    match data.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok((file, data.len())),
    }
}

/// An error with the name of the file that it is about.
fn in_file(name: &[u8], e: &Error) -> Error {
    let name = String::from_utf8_lossy(name);
    Error::new(e.kind(), format!("{name}: {}", e.message()))
}

/// What reading a file failed with.
pub(super) fn unreadable(e: &io::Error) -> Error {
    Error::new(kind_of(e), format!("it can't be read: {e}"))
}

impl Dataset for Files {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Walk {
            files: self,
            at: 0,
            items: None,
            item: Vec::new(),
        }))
    }
    fn commutes(&self) -> bool {
        true
    }
    fn cardinality(&self) -> Cardinality {
        match self.names.n_elements() {
            0 => Cardinality::Known(0),
            _ => Cardinality::Unknown,
        }
    }
}

struct Walk {
    files: Arc<Files>,
    /// The number of the file after the open one.
    at: usize,
    items: Option<Box<dyn Items>>,
    item: Vec<u8>,
}

impl Walk {
    /// The next element; nothing at the end.
    fn next_item(&mut self) -> Result<Option<Bytes>> {
        loop {
            if let Some(items) = &mut self.items {
                match items.next_string(&mut self.item) {
                    Ok(Some(item)) => return Ok(Some(item)),
                    Ok(None) => self.items = None,
                    // What comes behind in the file cannot be told any more.
                    Err(e) => {
                        self.items = None;
                        return Err(in_file(&self.files.names.as_strings()?[self.at - 1], &e));
                    }
                }
            }
            let Some(name) = self.files.names.as_strings()?.get(self.at) else {
                return Ok(None);
            };
            pause()?;
            self.at += 1;
            self.items = Some(self.files.open_file(name)?);
        }
    }

    /// Up to `n` elements, fewer at the end only.
    fn next_items(&mut self, n: usize) -> Result<Vec<Bytes>> {
        let (mut items, mut made) = (Vec::new(), Made::default());
        while items.len() < n {
            pause()?;
            let Some(item) = self.next_item()? else {
                break;
            };
            made.add(&item)?;
            items.push(item);
        }
        Ok(items)
    }
}

impl Elements for Walk {
    fn has_more(&mut self) -> Option<bool> {
        let items = self.items.as_ref()?;
        items.has_more().then_some(true)
    }
    fn is_at_hand(&self) -> bool {
        self.items.as_ref().is_some_and(|items| items.is_at_hand())
    }
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let mut element = Tensors::new();
        Ok(self.next_to(runner, &mut element)?.then_some(element))
    }
    fn next_to(&mut self, _runner: &dyn Runner, element: &mut Tensors) -> Result<bool> {
        pause()?;
        let item = self.next_item()?;
        Ok(item
            .map(|item| element.push(Tensor::string(item)))
            .is_some())
    }
    fn next_stacked(&mut self, n: usize) -> Option<Result<Tensors>> {
        let items = self.next_items(n);
        let stacked = |items: Vec<Bytes>| Tensor::from_strings([items.len()].into(), items);
        Some(items.and_then(stacked).map(|rows| smallvec![rows]))
    }
}
