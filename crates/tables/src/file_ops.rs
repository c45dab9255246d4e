//! The operation that fills a table with the lines of a file.

use crate::cell::TableCell;
use crate::lines::{Field, each_line};
use crate::rows::Elements;
use ferrograph_formats::files::path_of;
use ferrograph_graph::{Inputs, Op, Runner, Tensors, declare, declared};
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail, err};
use std::path::Path;

/// What reading a file counts as: plans with it run without the lock of a caller.
const READING_FLOPS: f64 = 1e9;

declare! {
    trait EmitTableFiles;

    /// Makes what the lines of the file `filename` say all that is in the table.
    InitializeTableFromTextFileV2: initialize_table_from_text_file(
        table_handle: resource, filename: string rank 0,
    ) -> (), gradient Stops, effect Writes {
        /// What of a line the key is: a column, -1 for its number, -2 for all of it.
        key_index: i64,
        /// What of a line the value is.
        value_index: i64,
        /// How many lines there are to be read; all where negative.
        vocab_size: i64 = -1,
        /// What stands between columns: one byte.
        delimiter: String = String::from("\t"),
        /// The number of the first line.
        offset: i64 = 0,
    };
}

impl InitializeTableFromTextFileV2 {
    fn delimiter(&self) -> Result<u8> {
        match self.delimiter.as_bytes() {
            [one] => Ok(*one),
            _ => bail!(InvalidArgument, "delimiter should be only 1 char"),
        }
    }

    /// How many lines are read, where that is told.
    ///
    /// # Errors
    /// `InvalidArgument` where none are.
    fn most(&self) -> Result<Option<usize>> {
        match self.vocab_size {
            -1 => Ok(None),
            n => match usize::try_from(n) {
                Ok(n) if n > 0 => Ok(Some(n)),
                _ => bail!(InvalidArgument, "vocab_size must be positive, got {n}"),
            },
        }
    }

    fn fill(&self, cell: &TableCell, path: &Path) -> Result<()> {
        let key = Field::of(self.key_index, self.offset)?;
        let value = Field::of(self.value_index, self.offset)?;
        let (again, mut store) = (cell.again(), cell.empty());
        each_line(path, self.delimiter()?, self.most()?, |line| {
            let found = (
                line.value(key, cell.key().dtype, path)?,
                line.value(value, cell.value().dtype, path)?,
            );
            let row = |t| Elements::of(t).map(|elements| elements.rows(1).row(0));
            store.reserve(1);
            store.insert(row(&found.0)?, row(&found.1)?, again)
        })?;
        cell.fill(store)
    }
}

impl Op for InitializeTableFromTextFileV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let cell = TableCell::of(&inputs[0])?;
        if cell.key().shape.rank() + cell.value().shape.rank() > 0 {
            bail!(
                InvalidArgument,
                "lines hold keys and values that are scalars"
            );
        }
        let path = inputs[1].as_strings()?.first();
        let path = path.ok_or_else(|| err!(Internal, "a scalar of no elements"))?;
        self.fill(cell, &path_of(path))?;
        Ok(Tensors::new())
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        READING_FLOPS
    }
}
