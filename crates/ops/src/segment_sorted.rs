//! Combining the rows of a tensor that carry the same id, where ids do not decrease.

use crate::args::expect_numbers;
use crate::emit::*;
use crate::movement::indices_of;
use crate::number::Number;
use crate::scatter::behind;
use crate::segment::{Combine, check_ids, combine_rows, extremum_grad, gather_kept, prod_grad};
use crate::slice::element;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Op, Runner, Specs, Tensors, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::movement::Indices;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err, with_element,
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
    fn reduce<T: Number>(&self, data: &Tensor, ids: Indices<'_>, n: usize) -> Result<Tensor> {
        let mut dims = data.shape().clone().into_dims();
        dims[0] = n;
        let mut out = Tensor::empty(data.dtype(), Shape::from(dims))?;
        let inner: usize = data.shape()[1..].iter().product();
        check_ids(ids, n, &[ids.len()])?;
        let elements = out.as_mut_slice::<T>()?;
        let rows = data.as_slice::<T>()?;
        elements.fill(self.combine.identity());
        if matches!(self.combine, Combine::Max | Combine::Min) {
            begin(rows, inner, ids, elements);
        }
        combine_rows(rows, inner, ids, elements, self.combine.function::<T>());
        if inner > 0 && self.combine != Combine::Prod {
            self.finish(ids, inner, elements);
        }
        Ok(out)
    }

    /// Makes rows of no id zero, and means of sums.
    fn finish<T: Number>(&self, ids: Indices<'_>, inner: usize, elements: &mut [T]) {
        let mut next = 0;
        for (row, to) in elements.chunks_exact_mut(inner).enumerate() {
            let begin = next;
            while next < ids.len() && ids.get(next) == row as i64 {
                next += 1;
            }
            match next - begin {
                0 => to.fill(T::default()),
                n if self.combine == Combine::Mean => to.iter_mut().for_each(|x| *x = x.over(n)),
                _ => {}
            }
            poll_cancellation();
        }
    }
}

/// Puts the first row of each id in its place: what is infinite is beyond the numbers that extrema begin with.
fn begin<T: Number>(rows: &[T], inner: usize, ids: Indices<'_>, elements: &mut [T]) {
    for row in (0..ids.len()).filter(|&i| i == 0 || ids.get(i) != ids.get(i - 1)) {
        let to = usize::try_from(ids.get(row)).unwrap_or_default() * inner;
        elements[to..to + inner].copy_from_slice(&rows[row * inner..(row + 1) * inner]);
        poll_cancellation();
    }
}

/// The place of the first id that is less than the one before it.
fn falling(ids: Indices<'_>) -> Option<usize> {
    fn any<T: Ord>(ids: &[T]) -> bool {
        ids.iter().zip(ids.iter().skip(1)).any(|(a, b)| b < a)
    }
    let falls = match ids {
        Indices::Bytes(ids) => any(ids),
        Indices::Signed(ids) => any(ids),
        Indices::Narrow(ids) => any(ids),
        Indices::Wide(ids) => any(ids),
    };
    falls
        .then(|| (1..ids.len()).find(|&i| ids.get(i) < ids.get(i - 1)))
        .flatten()
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
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let ids = indices_of(&inputs[1])?;
        if let Some(i) = falling(ids) {
            bail!(
                InvalidArgument,
                "segment_ids[{i}] = {} is less than the one before it",
                ids.get(i)
            );
        }
        let end = |i: Option<usize>| i.map(|i| ids.get(i));
        if let Some(first) = end((!ids.is_empty()).then_some(0)).filter(|id| *id < 0) {
            bail!(InvalidArgument, "segment_ids[0] = {first} is negative");
        }
        let last = end(ids.len().checked_sub(1));
        let n = last.map_or(Some(0), |id| usize::try_from(id).ok()?.checked_add(1));
        let n = n.ok_or_else(|| err!(InvalidArgument, "segment_ids are too large"))?;
        let out = with_element!(inputs[0].dtype(), numeric, T => self.reduce::<T>(&inputs[0], ids, n)?,
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
