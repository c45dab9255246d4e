//! Datasets of what stands in files: lines, records, records of one length.

mod bytes;
mod csv;
mod lines;
mod records;
mod rows;
mod walk;

use crate::dataset::DatasetRef;
use crate::op::{Maker, datasets, int};
use ferrograph_tensor::{Result, Tensor};
use walk::{Files, Layout};

datasets! {
    trait EmitFiles;

    /// The lines of the text files `filenames`, without their ends.
    TextLineDataset: text_line_dataset(filenames: string, compression_type: string rank 0, buffer_size: int64 rank 0) {};

    /// The framed records of the files `filenames`.
    TFRecordDataset: tf_record_dataset(filenames: string, compression_type: string rank 0, buffer_size: int64 rank 0) {};

    /// The records of `record_bytes` bytes each between head and foot of each of the files `filenames`.
    FixedLengthRecordDatasetV2: fixed_length_record_dataset(filenames: string, header_bytes: int64 rank 0, record_bytes: int64 rank 0, footer_bytes: int64 rank 0, buffer_size: int64 rank 0, compression_type: string rank 0) {};

    /// The rows of the files `filenames` of separated values: a component for each of `record_defaults`.
    CSVDataset: csv_dataset(filenames: string, compression_type: string rank 0, buffer_size: int64 rank 0, header: bool rank 0, field_delim: string rank 0, use_quote_delim: bool rank 0, na_value: string rank 0, select_cols: int64 rank 1, record_defaults: [Toutput_types]) {};
}

impl Maker for TextLineDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Files::dataset(Layout::Lines, &inputs[0], &inputs[1], &inputs[2])
    }
}

impl Maker for CSVDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let columns = csv::Columns::new(&inputs[4..])?;
        let layout = Layout::Rows(rows::Form {
            delimiter: columns.delimiter(),
            has_quotes: inputs[5].item::<bool>()?,
            has_header: inputs[3].item::<bool>()?,
        });
        let rows = Files::dataset(layout, &inputs[0], &inputs[1], &inputs[2])?;
        Ok(csv::Csv::dataset(rows, columns))
    }
}

impl Maker for TFRecordDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Files::dataset(Layout::Records, &inputs[0], &inputs[1], &inputs[2])
    }
}

impl Maker for FixedLengthRecordDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let [header, record, footer] = [int(&inputs[1])?, int(&inputs[2])?, int(&inputs[3])?];
        let layout = Layout::Bytes(bytes::Lengths::new(header, record, footer)?);
        Files::dataset(layout, &inputs[0], &inputs[5], &inputs[4])
    }
}
