//! Text: characters of several encodings, hashes, n-grams, base64, numbers in bytes and in lines of CSV.
//!
//! Each operation works on strings as bytes; what it does to one string stands in a function of slices beside it.

mod base64;
mod buckets;
mod csv;
mod encoding;
mod farmhash;
mod hash;
mod ngrams;
mod raw;
mod script;
mod split;
mod unicode;

pub use csv::DecodeCSV;

use ferrograph_graph::Registry;
use ferrograph_tensor::{DType, Result, Tensor, err};

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    split::register(registry);
    unicode::register(registry);
    script::register(registry);
    ngrams::register(registry);
    buckets::register(registry);
    base64::register(registry);
    raw::register(registry);
    csv::register(registry);
}

/// A vector of row splits of that dtype.
fn splits(dtype: DType, values: &[i64]) -> Result<Tensor> {
    if dtype == DType::Int64 {
        return Tensor::vector(values);
    }
    let narrow: Option<Vec<i32>> = values.iter().map(|&v| i32::try_from(v).ok()).collect();
    let narrow = narrow.ok_or_else(|| {
        err!(
            InvalidArgument,
            "there are too many values for int32 splits"
        )
    })?;
    Tensor::vector(&narrow)
}
