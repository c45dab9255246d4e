//! Framed records.

use super::walk::{Items, Stream};
use ferrograph_formats::record::Reader;
use ferrograph_tensor::{Bytes, Result};
use std::io::Read;

/// The records of a file.
pub(super) struct Records(Reader<Box<dyn Read + Send>>);

impl Records {
    /// Of a file of which nothing was read: records have a buffer of their own.
    pub(super) fn new(file: Stream) -> Records {
        Records(Reader::new(file.into_inner()))
    }
}

impl Items for Records {
    fn next(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        self.0.read(record)
    }
    fn next_string(&mut self, _item: &mut Vec<u8>) -> Result<Option<Bytes>> {
        self.0.next_shared()
    }
}
