//! The greatest and the least elements.

use crate::args::scalar;
use crate::emit::*;
use crate::movement::static_shape;
use crate::slice::{element, span};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, Op, Specs, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::movement::top_k;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail, with_element};
use smallvec::smallvec;

declare_family! {
    trait EmitTopK;

    /// The first `k` elements along the last axis of `input` in an order, and their places; NaN counts as the greatest.
    TopK {
        /// The least come first; else the greatest.
        least: bool,
    } (input: T in real, k: Tk in index rank 0) -> (values: T, indices: int32) {
        /// Whether they must come in order; they do in any case.
        sorted: bool = true,
    };

    /// The `k` greatest, the greatest first.
    TopKV2: top_k_v2, gradient Vjp, batch Leads(1) { least: false };
    /// The `k` least, the least first.
    BottomK: bottom_k, gradient Vjp, batch Leads(1) { least: true };
}

impl Op for TopK {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let k = match scalar(inputs, 1) {
            Some(k) if k < 0 => bail!(Shape, "k must not be negative, got {k}"),
            k => Dim::from(k.and_then(|k| usize::try_from(k).ok())),
        };
        let shape = match inputs.shape(0).dims() {
            None => PartialShape::UNKNOWN,
            Some([]) => bail!(Shape, "input must have rank 1 at least, got a scalar"),
            Some([lead @ .., last]) => {
                if let (Some(k), Some(n)) = (k.known(), last.known())
                    && k > n
                {
                    bail!(
                        Shape,
                        "k is {k}, the last axis of shape {} has {n} elements",
                        inputs.shape(0)
                    );
                }
                lead.iter().copied().chain([k]).collect()
            }
        };
        let places = TensorSpec::new(DType::Int32, shape.clone());
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape), places])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (from, to) = (static_shape(inputs.spec(0))?, static_shape(&outputs[0])?);
        let (Some(&n), Some(&k)) = (from.last(), to.last()) else {
            return Ok(Lowered::Eval);
        };
        if k > n {
            bail!(Shape, "k is {k}, the last axis has {n} elements");
        }
        let least = self.least;
        with_element!(inputs.dtype(0), real, T => Ok(Lowered::Kernel(Box::new(move |operands| {
            let x = operands.input::<T>(0);
            if k > 0 && !x.is_empty() {
                let (values, places) = operands.two_outputs::<T, i32>();
                if least {
                    top_k::<T, true>(x, n, k, values, places);
                } else {
                    top_k::<T, false>(x, n, k, values, places);
                }
            }
            Ok(())
        }))), else => Ok(Lowered::Eval))
    }
    fn flops(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        let looked_at = inputs.shape(0).n_elements().unwrap_or(0) as f64;
        let sorted = outputs[0].shape.n_elements().unwrap_or(0) as f64;
        let last = outputs[0].shape.dims().and_then(<[Dim]>::last);
        let row = last.and_then(|k| k.known()).unwrap_or(0) as f64;
        2.0 * looked_at + 5.0 * sorted * (row + 1.0).log2()
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some(Some(grad)) = call.grads.first() else {
            return Ok(smallvec![None, None]);
        };
        let (x, places) = (&call.inputs[0], &call.outputs[1]);
        let shape = e.shape_of(x)?;
        let minus_one = e.int_vector(&[-1])?;
        // Rows of the input one after another: place p of row r is r * n + p.
        let n = element(e, &shape, -1)?;
        let kept = e.shape_of(places)?;
        let k = span(e, &kept, &minus_one, None)?;
        let size = e.size(x, DType::Int32)?;
        let (zero, one) = (e.scalar(0.0, DType::Int32)?, e.scalar(1.0, DType::Int32)?);
        let n_or_one = e.maximum(&n, &one)?;
        let starts = e.range(&zero, &size, &n_or_one)?;
        let n_rows = e.shape_of(&starts)?;
        let rows = e.concat_v2(&[n_rows, k], &zero)?;
        let by_row = e.reshape(places, &rows)?;
        let column = e.expand_dims(&starts, &one)?;
        let ids = e.add(&by_row, &column)?;
        let ids = e.reshape(&ids, &minus_one)?;
        let flat = e.reshape(grad, &minus_one)?;
        let summed = e.unsorted_segment_sum(&flat, &ids, &size)?;
        let grad = e.reshape(&summed, &shape)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}
