//! Combining the rows of a tensor that carry the same id, where ids do not decrease.

use crate::args::expect_numbers;
use crate::emit::*;
use crate::number::Number;
use crate::scatter::behind;
use crate::segment::{Combine, check_ids, combine_rows, extremum_grad, gather_kept, prod_grad};
use crate::slice::element;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Op, Runner, Specs, Tensors, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::movement::Indices;
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err, vec_of, with_element,
};
use smallvec::smallvec;

declare_family! {
    trait EmitSegment;

    /// Rows of `data` combined by the ids `segment_ids`; there are as many rows as the last id says.
    Segment {
        /// How.
        combine: Combine,
    } (data: T in numeric, segment_ids: Tindices in index rank 1) -> (output: T) {};

    /// The sum of the rows of each id.
    SegmentSum: segment_sum, gradient Vjp, batch Rule { combine: Combine::Sum };
    /// The mean of the rows of each id.
    SegmentMean: segment_mean, gradient Vjp, batch Rule { combine: Combine::Mean };
    /// The product of the rows of each id.
    SegmentProd: segment_prod, gradient Vjp, batch Rule { combine: Combine::Prod };
    /// The greatest elements of the rows of each id.
    SegmentMax: segment_max, gradient Vjp, batch Rule { combine: Combine::Max };
    /// The least elements of the rows of each id.
    SegmentMin: segment_min, gradient Vjp, batch Rule { combine: Combine::Min };
}

impl Segment {
    fn reduce<T: Number>(&self, data: &Tensor, ids: &[i64], n: usize) -> Result<Tensor> {
        let mut dims = data.shape().clone().into_dims();
        dims[0] = n;
        let mut out = Tensor::empty(data.dtype(), Shape::from(dims))?;
        let inner: usize = data.shape()[1..].iter().product();
        let at = Indices::Wide(ids);
        check_ids(at, n, &[ids.len()])?;
        let elements = out.as_mut_slice::<T>()?;
        elements.fill(self.combine.identity());
        combine_rows(
            data.as_slice::<T>()?,
            inner,
            at,
            elements,
            self.combine.function::<T>(),
        );
        let mut counts = vec_of(0usize, n)?;
        let rows = at.iter().filter_map(|id| usize::try_from(id).ok());
        rows.for_each(|row| counts[row] += 1);
        if inner > 0 {
            for (row, &count) in elements.chunks_exact_mut(inner).zip(&counts) {
                if count == 0 && self.combine != Combine::Prod {
                    row.fill(T::default());
                } else if self.combine == Combine::Mean {
                    row.iter_mut().for_each(|x| *x = x.over(count));
                }
            }
        }
        Ok(out)
    }
}

impl Op for Segment {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let ordered = matches!(self.combine, Combine::Max | Combine::Min);
        expect_numbers(inputs, 0, "data", ordered)?;
        let ids = inputs.shape(1).merge(&PartialShape::of_rank(1))?;
        let shape = behind(inputs.shape(0), &ids, Dim::UNKNOWN)?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        crate::args::checked(self, inputs)?;
        let ids = inputs[1].to_i64s()?;
        if let Some(i) = (1..ids.len()).find(|&i| ids[i] < ids[i - 1]) {
            bail!(
                InvalidArgument,
                "segment_ids[{i}] = {} is less than the one before it",
                ids[i]
            );
        }
        if let Some(first) = ids.first().filter(|id| **id < 0) {
            bail!(InvalidArgument, "segment_ids[0] = {first} is negative");
        }
        let n = ids
            .last()
            .map_or(Some(0), |&id| usize::try_from(id).ok()?.checked_add(1));
        let n = n.ok_or_else(|| err!(InvalidArgument, "segment_ids are too large"))?;
        let out = with_element!(inputs[0].dtype(), numeric, T => self.reduce::<T>(&inputs[0], &ids, n)?,
            else => bail!(DType, "data must be numbers, got {}", inputs[0].spec()));
        Ok(smallvec![out])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = call.grad()?;
        let (data, ids, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let shape = e.shape(out, DType::Int32)?;
        let n = element(e, &shape, 0)?;
        // The rows fall into the same segments as in the unsorted operations, whose rules serve here.
        let inputs = [data.clone(), ids.clone(), n];
        let call = VjpCall {
            inputs: &inputs,
            outputs: call.outputs,
            grads: call.grads,
            needs: &[true, false, false],
        };
        let grad = match self.combine {
            Combine::Sum => gather_kept(e, grad, ids)?,
            Combine::Mean => {
                let ones = e.ones_like(data)?;
                let counts = e.segment_sum(&ones, ids)?;
                let share = e.div_no_nan(grad, &counts)?;
                gather_kept(e, &share, ids)?
            }
            Combine::Prod => prod_grad(e, &call)?,
            Combine::Max | Combine::Min => extremum_grad(e, &call)?,
        };
        Ok(smallvec![Some(grad.into()), None])
    }
}
