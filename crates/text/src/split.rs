//! Splitting strings at single bytes.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::push;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Bytes, DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;

declare! {
    trait EmitSplitBytes;

    /// The parts of each of the vector `input` between any of the bytes of `delimiter`, as a sparse matrix; single bytes
    /// where there is none.
    StringSplit: string_split_bytes(input: string rank 1, delimiter: string rank 0)
        -> (indices: int64, values: string, shape: int64), gradient Stops {
        /// Whether empty parts are left out.
        skip_empty: bool = true,
    };
}

impl Op for StringSplit {
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
        let [delimiter] = inputs[1].as_strings()? else {
            bail!(Shape, "delimiter must be a scalar");
        };
        let (mut places, mut values) = (Vec::<i64>::new(), Vec::<Bytes>::new());
        let mut widest = 0;
        for (row, text) in inputs[0].as_strings()?.iter().enumerate() {
            let mut column = 0;
            let mut part = |part: &[u8]| {
                poll_cancellation();
                push(&mut places, row as i64);
                push(&mut places, column);
                push(&mut values, part.into());
                column += 1;
            };
            if delimiter.is_empty() {
                text.chunks(1).for_each(&mut part);
            } else {
                let parts = text.split(|b| delimiter.contains(b));
                parts
                    .filter(|p| !(self.skip_empty && p.is_empty()))
                    .for_each(&mut part);
            }
            widest = widest.max(column);
        }
        let n = values.len();
        Ok(smallvec![
            Tensor::from_slice([n, 2], &places)?,
            Tensor::from_strings([n].into(), values)?,
            Tensor::vector(&[inputs[0].n_elements() as i64, widest])?,
        ])
    }
}
