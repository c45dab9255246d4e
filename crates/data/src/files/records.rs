//! Framed records.

use super::walk::{Items, Stream};
use crate::worker::within;
use ferrograph_formats::record::{Ahead, Reader};
use ferrograph_kernels::pool::n_threads;
use ferrograph_tensor::{Bytes, Result};

/// The records of a file.
pub(super) struct Records(Reader<Ahead>);

impl Records {
    /// Of a file of which nothing was read: records have a buffer of their own.
    pub(super) fn new(file: Stream) -> Records {
        let most = match n_threads() {
            1 => 0,
            n => n,
        };
        Records(Reader::new(Ahead::new(file.into_inner(), most, within)))
    }
}

impl Items for Records {
    fn next(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        self.0.read(record)
    }
    fn next_string(&mut self, _item: &mut Vec<u8>) -> Result<Option<Bytes>> {
        self.0.next_shared()
    }
    fn has_more(&self) -> bool {
        self.0.is_within()
    }
    fn is_at_hand(&self) -> bool {
        self.0.is_at_hand()
    }
}
