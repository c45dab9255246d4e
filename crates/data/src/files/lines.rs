//! Lines of text.

use super::walk::{Items, Stream, unreadable};
use crate::dataset::pause;
use ferrograph_tensor::Result;
use std::io::{BufRead, Read};

/// What is read of a line before the program is asked whether to go on.
const STEP: u64 = 1 << 20;

/// The lines of a file, without line feeds and carriage returns.
pub(super) struct Lines(pub Stream);

impl Items for Lines {
    fn next(&mut self, line: &mut Vec<u8>) -> Result<bool> {
        line.clear();
        loop {
            let some = self.0.by_ref().take(STEP).read_until(b'\n', line);
            let count = some.map_err(|e| unreadable(&e))?;
            let is_whole = line.last() == Some(&b'\n') && count > 0;
            if is_whole || count == 0 {
                line.truncate(line.len() - usize::from(is_whole));
                line.retain(|b| *b != b'\r');
                return Ok(is_whole || !line.is_empty());
            }
            pause()?;
        }
    }
}
