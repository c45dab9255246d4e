//! Splitting strings.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::push;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Bytes, DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;

declare! {
    trait EmitStringSplit;

    /// The parts of each of the vector `input` between separators `sep` (white space where empty), as a sparse matrix.
    StringSplitV2: string_split(input: string rank 1, sep: string rank 0)
        -> (indices: int64, values: string, shape: int64), gradient Stops {
        /// At most so many cuts a string; all where negative.
        maxsplit: i64 = -1,
    };
}

/// White space, vertical tabs among it.
fn space(b: &u8) -> bool {
    b.is_ascii_whitespace() || *b == 0x0b
}

/// Parts between runs of white space.
fn by_space(mut text: &[u8], max: usize) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    if max == 0 {
        return vec![text];
    }
    loop {
        let start = text.iter().position(|b| !space(b));
        text = &text[start.unwrap_or(text.len())..];
        if parts.len() == max {
            push(&mut parts, text);
            return parts;
        }
        if text.is_empty() {
            return parts;
        }
        let end = text.iter().position(space);
        let end = end.unwrap_or(text.len());
        push(&mut parts, &text[..end]);
        text = &text[end..];
    }
}

/// Parts between separators, empty ones included.
fn by_separator<'a>(mut text: &'a [u8], separator: &[u8], max: usize) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    while parts.len() < max {
        let found = text.windows(separator.len()).position(|w| w == separator);
        let Some(at) = found else { break };
        push(&mut parts, &text[..at]);
        text = &text[at + separator.len()..];
    }
    push(&mut parts, text);
    parts
}

impl Op for StringSplitV2 {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        let spec = |dtype, dims: &[Dim]| TensorSpec::new(dtype, PartialShape::new(dims));
        Ok(smallvec![
            spec(DType::Int64, &[Dim::UNKNOWN, Dim::new(2)]),
            spec(DType::String, &[Dim::UNKNOWN]),
            spec(DType::Int64, &[Dim::new(2)]),
        ])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [separator] = inputs[1].as_strings()? else {
            bail!(Shape, "sep must be a scalar");
        };
        let max = usize::try_from(self.maxsplit).unwrap_or(usize::MAX);
        let (mut indices, mut values) = (Vec::<i64>::new(), Vec::<Bytes>::new());
        let mut widest = 0;
        for (row, text) in inputs[0].as_strings()?.iter().enumerate() {
            poll_cancellation();
            let parts = if separator.is_empty() {
                by_space(text, max)
            } else {
                by_separator(text, separator, max)
            };
            widest = widest.max(parts.len());
            for (column, part) in parts.into_iter().enumerate() {
                push(&mut indices, row as i64);
                push(&mut indices, column as i64);
                push(&mut values, part.into());
                poll_cancellation();
            }
        }
        let n = values.len();
        let shape = [inputs[0].n_elements() as i64, widest as i64];
        Ok(smallvec![
            Tensor::from_slice([n, 2], &indices)?,
            Tensor::from_strings([n].into(), values)?,
            Tensor::vector(&shape)?,
        ])
    }
}
