//! Combining slices of a tensor with updates by index.

use crate::args::expect_numbers;
use crate::emit::*;
use crate::gather::Tuples;
use crate::movement::{index_input, static_shape};
use crate::number::{Merge, Number, merge};
use crate::scatter::infer_update;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, Op, Specs, Val, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::movement::{copy, scatter_rows};
use ferrograph_tensor::{Result, TensorSpec, with_element};
use smallvec::smallvec;

/// How an update combines with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScatterKind {
    /// It is added.
    Add,
    /// It is subtracted.
    Sub,
    /// The greater one stays.
    Max,
    /// The lesser one stays.
    Min,
}

impl ScatterKind {
    fn combine<T: Number>(self) -> Merge<T> {
        match self {
            ScatterKind::Add => merge!(T::plus),
            ScatterKind::Sub => merge!(T::minus),
            ScatterKind::Max => merge!(|to, x| x.greater(to)),
            ScatterKind::Min => merge!(|to, x| x.lesser(to)),
        }
    }
}

declare_family! {
    trait EmitTensorScatter;

    /// `tensor` with the slices at the index tuples `indices` combined with `updates`.
    TensorScatter {
        /// How.
        kind: ScatterKind,
    } (tensor: T in numeric, indices: Tindices in index, updates: T) -> (output: T) {};

    /// `tensor` with `updates` added at `indices`.
    TensorScatterAdd: tensor_scatter_add, gradient Vjp, batch Rule { kind: ScatterKind::Add };
    /// `tensor` with `updates` subtracted at `indices`.
    TensorScatterSub: tensor_scatter_sub, gradient Vjp, batch Rule { kind: ScatterKind::Sub };
    /// `tensor` where it is greater than `updates` at `indices`, else those.
    TensorScatterMax: tensor_scatter_max, gradient Vjp, batch Rule { kind: ScatterKind::Max };
    /// `tensor` where it is less than `updates` at `indices`, else those.
    TensorScatterMin: tensor_scatter_min, gradient Vjp, batch Rule { kind: ScatterKind::Min };
}

impl TensorScatter {
    /// The gradients of a greatest or least: shared evenly by all that are equal to it.
    fn extremum_vjp(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [tensor, indices, updates] = call.all()?;
        let (grad, out) = (call.grad()?, &call.outputs[0]);
        let equal = |e: &mut dyn Emitter, a: &Val, b: &Val| {
            let same = e.equal(a, b, true)?;
            e.cast(&same, grad.dtype())
        };
        let kept = equal(e, tensor, out)?;
        let chosen = e.gather_nd(out, indices)?;
        let taken = equal(e, updates, &chosen)?;
        let count = e.tensor_scatter_add(&kept, indices, &taken)?;
        let share = e.div_no_nan(grad, &count)?;
        let of_tensor = e.mul(&kept, &share)?;
        let share = e.gather_nd(&share, indices)?;
        let of_updates = e.mul(&taken, &share)?;
        Ok(smallvec![
            Some(of_tensor.into()),
            None,
            Some(of_updates.into())
        ])
    }
}

impl Op for TensorScatter {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let ordered = matches!(self.kind, ScatterKind::Max | ScatterKind::Min);
        expect_numbers(inputs, 0, "tensor", ordered)?;
        infer_update(inputs)
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (shape, at) = (static_shape(&outputs[0])?, static_shape(inputs.spec(1))?);
        let index = inputs.dtype(1);
        let tuples = Tuples::new(&shape, &at, index)?;
        with_element!(inputs.dtype(0), numeric, T => {
            let combine = self.kind.combine::<T>();
            Ok(Lowered::Kernel(Box::new(move |operands| {
                let rows = tuples.checked_rows(index_input(operands, 1, index))?;
                let (tensor, updates) = (operands.input::<T>(0), operands.input::<T>(2));
                let out = operands.output::<T>(0);
                copy(tensor, out);
                let rows = |at, to: &mut [usize]| rows.places(at, to);
                scatter_rows(updates, tuples.inner, &rows, out, combine);
                Ok(())
            })))
        }, else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        if matches!(self.kind, ScatterKind::Max | ScatterKind::Min) {
            return TensorScatter::extremum_vjp(e, call);
        }
        let grad = call.grad()?.clone();
        let mut updates = e.gather_nd(&grad, &call.inputs[1])?;
        if self.kind == ScatterKind::Sub {
            updates = e.neg(&updates)?;
        }
        Ok(smallvec![Some(grad.into()), None, Some(updates.into())])
    }
}
