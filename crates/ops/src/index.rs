//! Finding elements: by truth, by order.

use ferrograph_graph::{
    Differentiability, Inputs, Op, Registry, Runner, Specs, Tensors, op_object,
};
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, Tensor, TensorSpec, err, with_element,
};
use smallvec::smallvec;
use std::sync::Arc;

/// The coordinates of the true or nonzero elements of its input, one a row, as int64.
#[derive(Debug)]
pub struct Where;

impl Op for Where {
    op_object!();
    fn name(&self) -> &'static str {
        "Where"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        if !inputs.dtype(0).is_dense() {
            return Err(err!(
                DType,
                "condition must be bool or a number, got {}",
                inputs.spec(0)
            ));
        }
        let shape = PartialShape::new(&[Dim::UNKNOWN, inputs.shape(0).rank().into()]);
        Ok(smallvec![TensorSpec::new(DType::Int64, shape)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        crate::args::checked(self, inputs)?;
        let t = &inputs[0];
        let found = with_element!(t.dtype(), dense, T => nonzero::<T>(t)?,
            else => return Err(err!(DType, "condition must be bool or a number, got {}", t.spec())));
        let rank = t.rank();
        let mut out = Tensor::empty(DType::Int64, [found.len(), rank].into())?;
        if rank > 0 {
            for (row, mut flat) in out.as_mut_slice::<i64>()?.chunks_exact_mut(rank).zip(found) {
                for (slot, &n) in row.iter_mut().zip(t.shape().iter()).rev() {
                    *slot = (flat % n) as i64;
                    flat /= n;
                }
            }
        }
        Ok(smallvec![out])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

fn nonzero<T: Element>(t: &Tensor) -> Result<Vec<usize>> {
    let zero = T::default();
    let elements = t.as_slice::<T>()?.iter().enumerate();
    Ok(elements
        .filter(|(_, x)| **x != zero)
        .map(|(i, _)| i)
        .collect())
}

pub(crate) fn register(r: &mut Registry) {
    r.add("Where", |_| Ok(Arc::new(Where)));
}
