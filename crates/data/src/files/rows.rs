//! Rows of separated values, each as the text it is.

use super::walk::{Items, Stream, unreadable};
use crate::dataset::pause;
use ferrograph_tensor::{Result, bail};
use std::io::BufRead;

/// How the text of a file is rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// What stands between fields.
    pub delimiter: u8,
    /// Whether ends of lines within quotes belong to a field.
    pub has_quotes: bool,
    /// Whether the first row names the columns.
    pub has_header: bool,
}

/// The rows of a file, without their ends.
pub(super) struct Rows {
    file: Stream,
    form: Form,
}

/// Where in a row a byte stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    FieldStart,
    Plain,
    Quoted,
    /// Behind a quote within quotes: a second one represents itself.
    Quote,
}

impl Place {
    /// The place behind a byte that ends no row.
    fn after(self, byte: u8, form: Form) -> Place {
        match (self, byte) {
            (Place::Quoted, b'"') => Place::Quote,
            (Place::Quoted, _) | (Place::Quote, b'"') => Place::Quoted,
            (Place::FieldStart, b'"') if form.has_quotes => Place::Quoted,
            (_, byte) if byte == form.delimiter => Place::FieldStart,
            _ => Place::Plain,
        }
    }
}

impl Rows {
    pub(super) fn new(file: Stream, form: Form) -> Result<Rows> {
        let mut rows = Rows { file, form };
        if form.has_header && !rows.next(&mut Vec::new())? {
            bail!(InvalidArgument, "Can't read header of file");
        }
        Ok(rows)
    }

    /// Passes over the line feed of an end of two characters.
    fn pass_line_feed(&mut self) -> Result<()> {
        let rest = self.file.fill_buf().map_err(|e| unreadable(&e))?;
        let count = usize::from(rest.first() == Some(&b'\n'));
        self.file.consume(count);
        Ok(())
    }
}

impl Items for Rows {
    fn next(&mut self, row: &mut Vec<u8>) -> Result<bool> {
        row.clear();
        let mut place = Place::FieldStart;
        loop {
            pause()?;
            let text = self.file.fill_buf().map_err(|e| unreadable(&e))?;
            if text.is_empty() {
                return Ok(!row.is_empty());
            }
            let is_end = |byte: &u8| {
                if place != Place::Quoted && matches!(byte, b'\n' | b'\r') {
                    return true;
                }
                place = place.after(*byte, self.form);
                false
            };
            let Some(end) = text.iter().position(is_end) else {
                row.extend_from_slice(text);
                let count = text.len();
                self.file.consume(count);
                continue;
            };
            row.extend_from_slice(&text[..end]);
            let is_return = text[end] == b'\r';
            self.file.consume(end + 1);
            if is_return {
                self.pass_line_feed()?;
            }
            return Ok(true);
        }
    }
}
