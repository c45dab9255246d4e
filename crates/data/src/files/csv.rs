//! Rows of separated values as their columns.

use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements};
use ferrograph_graph::{Inputs, Op, Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail, err};
use ferrograph_text::DecodeCSV;
use std::sync::Arc;

/// The columns that are taken of a row, and what replaces missing fields.
#[derive(Debug)]
pub(super) struct Columns {
    decode: DecodeCSV,
    defaults: Vec<Tensor>,
}

impl Columns {
    /// The columns for these inputs: what stands between fields, whether there are quotes, what replaces a missing
    /// field, the numbers of the columns, their defaults.
    pub(super) fn new(inputs: &[Tensor]) -> Result<Columns> {
        let [delimiter, quotes, missing, numbers, defaults @ ..] = inputs else {
            bail!(Internal, "a dataset of separated values has more inputs");
        };
        let columns = Columns {
            decode: DecodeCSV {
                field_delim: text(delimiter)?,
                use_quote_delim: quotes.item::<bool>()?,
                na_value: text(missing)?,
                select_cols: numbers.to_i64s()?,
            },
            defaults: defaults.to_vec(),
        };
        columns.check()?;
        Ok(columns)
    }

    fn check(&self) -> Result<()> {
        let numbers = &self.decode.select_cols;
        if numbers.iter().any(|n| *n < 0) {
            bail!(
                InvalidArgument,
                "select_cols should be non-negative indices"
            );
        }
        if !numbers.is_sorted_by(|a, b| a < b) {
            bail!(
                InvalidArgument,
                "select_cols should be strictly increasing indices"
            );
        }
        if self.defaults.is_empty() {
            bail!(
                InvalidArgument,
                "there must be at least one of record_defaults"
            );
        }
        let row = TensorSpec::scalar(ferrograph_tensor::DType::String);
        let defaults = self.defaults.iter().map(Tensor::spec);
        let specs: Vec<TensorSpec> = std::iter::once(row).chain(defaults).collect();
        self.decode.infer(&Inputs::of_specs(&specs)).map(drop)
    }

    /// What stands between fields.
    pub(super) fn delimiter(&self) -> u8 {
        self.decode.field_delim.as_bytes()[0]
    }
}

fn text(t: &Tensor) -> Result<String> {
    let bytes = t.as_strings()?.first().map_or(&[][..], |b| b);
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|_| err!(InvalidArgument, "{:?} is no text", bytes.escape_ascii()))?;
    Ok(text.to_owned())
}

/// Rows, taken apart.
#[derive(Debug)]
pub(super) struct Csv {
    rows: DatasetRef,
    columns: Columns,
}

impl Csv {
    pub(super) fn dataset(rows: DatasetRef, columns: Columns) -> DatasetRef {
        Arc::new(Csv { rows, columns })
    }
}

impl Dataset for Csv {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.rows]
    }
    fn commutes(&self) -> bool {
        self.rows.commutes()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(CsvElements {
            rows: self.rows.clone().open()?,
            csv: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.rows.cardinality()
    }
}

struct CsvElements {
    rows: BoxedElements,
    csv: Arc<Csv>,
}

impl Elements for CsvElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let Some(row) = self.rows.next(runner)? else {
            return Ok(None);
        };
        let Columns { decode, defaults } = &self.csv.columns;
        decode.values(&row[0].as_strings()?[0], defaults).map(Some)
    }
}
