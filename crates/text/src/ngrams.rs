//! Runs of consecutive strings.

use crate::splits;
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::{push, reserve};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{
    Bytes, DType, Made, PartialShape, Result, Tensor, TensorSpec, bail, string_of,
};
use smallvec::smallvec;
use std::sync::Arc;

declare! {
    trait EmitNGrams;

    /// In each row of `data`, which `data_splits` end, all runs of as many strings as each of the widths says, joined.
    StringNGrams: string_ngrams(data: string rank 1, data_splits: Tsplits in index rank 1)
        -> (ngrams: string, ngrams_splits: Tsplits), gradient Stops {
        /// What stands between.
        separator: Arc<[u8]>,
        /// How many strings there are in a run.
        ngram_widths: Vec<i64>,
        /// What stands before the first string.
        left_pad: Arc<[u8]>,
        /// What stands behind the last string.
        right_pad: Arc<[u8]>,
        /// How often; one less than the width where negative, which is the most.
        pad_width: i64,
        /// Whether a row that is too short for every width gives one run of all it has.
        preserve_short_sequences: bool,
    };
}

impl Op for StringNGrams {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if let Some(width) = self.ngram_widths.iter().find(|w| **w < 1) {
            bail!(
                InvalidArgument,
                "ngram_widths must be greater than 0, got {width}"
            );
        }
        let rows = inputs.shape(1).merge(&PartialShape::of_rank(1))?;
        Ok(smallvec![
            TensorSpec::new(DType::String, PartialShape::of_rank(1)),
            TensorSpec::new(inputs.dtype(1), rows)
        ])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (data, ends) = (inputs[0].as_strings()?, inputs[1].to_i64s()?);
        let mut runs = Runs::default();
        let mut counts = Vec::new();
        if !ends.is_empty() {
            push(&mut counts, 0);
        }
        if ends.first().is_some_and(|&first| first != 0)
            || ends.last().is_some_and(|&last| last != data.len() as i64)
        {
            bail!(
                InvalidArgument,
                "data_splits must begin with 0 and end with the number of strings, {}",
                data.len()
            );
        }
        for pair in ends.windows(2) {
            let ends = usize::try_from(pair[0])
                .ok()
                .zip(usize::try_from(pair[1]).ok());
            let Some(row) = ends.and_then(|(from, to)| data.get(from..to)) else {
                bail!(
                    InvalidArgument,
                    "data_splits must not fall, got {} before {}",
                    pair[0],
                    pair[1]
                );
            };
            self.of_row(row, &mut runs)?;
            push(&mut counts, runs.all.len() as i64);
        }
        let n = runs.all.len();
        Ok(smallvec![
            Tensor::from_strings([n].into(), runs.all)?,
            splits(inputs[1].dtype(), &counts)?
        ])
    }
}

/// The runs so far, and the bytes that they take.
#[derive(Default)]
struct Runs {
    all: Vec<Bytes>,
    made: Made,
}

impl StringNGrams {
    /// How often the padding stands at either end for a width.
    fn padding(&self, width: usize) -> usize {
        let most = width - 1;
        usize::try_from(self.pad_width).map_or(most, |n| n.min(most))
    }

    fn of_row(&self, row: &[Bytes], runs: &mut Runs) -> Result<()> {
        let before = runs.all.len();
        for width in &self.ngram_widths {
            let width = usize::try_from(*width).unwrap_or(usize::MAX);
            let pad = self.padding(width);
            let padded = row.len().saturating_add(pad.saturating_mul(2));
            for first in 0..(padded.saturating_add(1)).saturating_sub(width) {
                self.run(row, pad, first..first + width, runs)?;
            }
        }
        if self.preserve_short_sequences && runs.all.len() == before && !row.is_empty() {
            // No width fits: one run of all that there is, with its padding.
            let pad = usize::try_from(self.pad_width).unwrap_or(0);
            self.run(row, pad, 0..row.len() + 2 * pad, runs)?;
        }
        Ok(())
    }

    /// Adds the run of those places of the padded row.
    fn run(
        &self,
        row: &[Bytes],
        pad: usize,
        places: std::ops::Range<usize>,
        runs: &mut Runs,
    ) -> Result<()> {
        let mut text = Vec::new();
        let first = places.start;
        for place in places {
            poll_cancellation();
            let part = match place.checked_sub(pad) {
                None => &self.left_pad[..],
                Some(i) => row.get(i).map_or(&self.right_pad[..], |s| &s[..]),
            };
            reserve(&mut text, part.len() + self.separator.len());
            if place > first {
                text.extend_from_slice(&self.separator);
            }
            text.extend_from_slice(part);
        }
        let text = string_of(&text)?;
        runs.made.add(&text)?;
        push(&mut runs.all, text);
        Ok(())
    }
}
