//! Finding elements: by truth, by order.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::reserve;
use ferrograph_kernels::stop::{breathe, pause};
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, Tensor, TensorSpec, err, with_element,
};
use smallvec::smallvec;

declare! {
    trait EmitWhere;

    /// The coordinates of the true or nonzero elements of `input`, one a row.
    Where: where_true(input: T in dense) -> (index: int64), gradient Stops;
}

impl Op for Where {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
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
                breathe();
            }
        }
        Ok(smallvec![out])
    }
}

/// Elements that are looked at at a stretch.
const BLOCK: usize = 1 << 16;

fn nonzero<T: Element>(t: &Tensor) -> Result<Vec<usize>> {
    let zero = T::default();
    let mut found = Vec::new();
    for (b, block) in t.as_slice::<T>()?.chunks(BLOCK).enumerate() {
        reserve(&mut found, block.iter().filter(|x| **x != zero).count());
        let elements = (b * BLOCK..).zip(block);
        found.extend(elements.filter(|(_, x)| **x != zero).map(|(i, _)| i));
        pause();
    }
    Ok(found)
}
