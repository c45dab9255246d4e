//! Records of one length between a head and a foot.

use super::walk::{Items, Stream, unreadable};
use crate::dataset::pause;
use ferrograph_tensor::{Error, ErrorKind, Result, bail, err};
use std::io::{BufRead, Read};

/// What is read before the program is asked whether to go on.
const STEP: u64 = 1 << 20;

/// The lengths of the parts of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lengths {
    header: u64,
    record: u64,
    footer: u64,
}

impl Lengths {
    pub(super) fn new(header: i64, record: i64, footer: i64) -> Result<Lengths> {
        let part = |n: i64, what| {
            u64::try_from(n).map_err(|_| err!(InvalidArgument, "`{what}` must be >= 0, got {n}"))
        };
        if record <= 0 {
            bail!(InvalidArgument, "`record_bytes` must be > 0, got {record}");
        }
        Ok(Lengths {
            header: part(header, "header_bytes")?,
            record: part(record, "record_bytes")?,
            footer: part(footer, "footer_bytes")?,
        })
    }

    /// How many records a file of that length has.
    fn count(self, length: u64) -> Result<u64> {
        let ends = self.header.saturating_add(self.footer);
        match length.checked_sub(ends) {
            Some(body) if body % self.record == 0 => Ok(body / self.record),
            _ => Err(self.misfit(ErrorKind::InvalidArgument, length)),
        }
    }

    /// That a file of that length has no whole number of records.
    fn misfit(self, kind: ErrorKind, length: u64) -> Error {
        let body = i128::from(length) - i128::from(self.header) - i128::from(self.footer);
        let text = format!(
            "Excluding the header ({} bytes) and footer ({} bytes), input file has body length {body} bytes, which is \
             not an exact multiple of the record length ({} bytes)",
            self.header, self.footer, self.record
        );
        Error::new(kind, text)
    }
}

/// The records of a file.
pub(super) struct Fixed {
    file: Stream,
    lengths: Lengths,
    /// How many are left, where the length of the file is known.
    left: Option<u64>,
    /// What was read of the next record and, where the end of the file is not known, of what may be the foot.
    ahead: Vec<u8>,
    /// How many bytes were read.
    at: u64,
}

impl Fixed {
    /// The records of a file of that length; of one that ends where it ends.
    pub(super) fn new(file: Stream, lengths: Lengths, length: Option<u64>) -> Result<Fixed> {
        let mut found = Fixed {
            file,
            lengths,
            left: length.map(|n| lengths.count(n)).transpose()?,
            ahead: Vec::new(),
            at: 0,
        };
        found.pass(lengths.header)?;
        Ok(found)
    }

    /// Passes over the head.
    fn pass(&mut self, mut left: u64) -> Result<()> {
        while left > 0 {
            pause()?;
            let here = self.file.fill_buf().map_err(|e| unreadable(&e))?.len() as u64;
            if here == 0 {
                return Err(self.lengths.misfit(ErrorKind::DataLoss, self.at));
            }
            let count = here.min(left);
            self.file.consume(count as usize);
            (left, self.at) = (left - count, self.at + count);
        }
        Ok(())
    }

    /// Reads on until that many bytes are there, or the end; memory grows with what is there.
    fn read_ahead(&mut self, wanted: u64) -> Result<()> {
        while (self.ahead.len() as u64) < wanted {
            pause()?;
            let missing = wanted - self.ahead.len() as u64;
            let mut step = self.file.by_ref().take(missing.min(STEP));
            match step.read_to_end(&mut self.ahead) {
                Ok(0) => break,
                Ok(count) => self.at += count as u64,
                Err(e) => return Err(unreadable(&e)),
            }
        }
        Ok(())
    }
}

impl Items for Fixed {
    fn next(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        let Lengths {
            record: own,
            footer,
            ..
        } = self.lengths;
        if self.left == Some(0) {
            return Ok(false);
        }
        let behind = if self.left.is_some() { 0 } else { footer };
        self.read_ahead(own.saturating_add(behind))?;
        let there = self.ahead.len() as u64;
        if there < own.saturating_add(behind) {
            return match self.left.is_none() && there == footer {
                true => Ok(false),
                false => Err(self.lengths.misfit(ErrorKind::DataLoss, self.at)),
            };
        }
        record.clear();
        record.extend(self.ahead.drain(..own as usize));
        self.left = self.left.map(|n| n - 1);
        Ok(true)
    }
}
