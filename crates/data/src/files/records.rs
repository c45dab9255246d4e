//! Framed records.

use super::walk::{Items, Stream};
use ferrograph_formats::record::Reader;
use ferrograph_tensor::Result;

/// The records of a file.
pub(super) struct Records(Reader<Stream>);

impl Records {
    pub(super) fn new(file: Stream) -> Records {
        Records(Reader::new(file))
    }
}

impl Items for Records {
    fn next(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        self.0.read(record)
    }
}
