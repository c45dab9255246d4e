//! Products of stacks of matrices.

use super::{Reading, flops, lower, needs, product_shape};
use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, Op, Specs, Val, VjpCall, declare_family, emit_as, of_family,
};
use ferrograph_kernels::matmul::Operand;
use ferrograph_tensor::{Result, TensorSpec, bail};
use smallvec::smallvec;
use std::sync::Arc;

declare_family! {
    trait EmitBatchMatMul;

    /// The products of stacks of matrices, whose leading dimensions broadcast.
    BatchMatMul {} (x: T in numeric, y: T) -> (output: T) {
        /// `x` is transposed and conjugated.
        adj_x: bool = false,
        /// `y` is transposed and conjugated.
        adj_y: bool = false,
    };

    /// The products of stacks of matrices `x` and `y`. An older name of `BatchMatMulV2`.
    BatchMatMul: batch_matmul_v1, gradient Vjp, batch Broadcasts {};
    /// The products of stacks of matrices `x` and `y`, whose leading dimensions broadcast.
    BatchMatMulV2: batch_matmul, gradient Vjp, batch Broadcasts {};
}

impl Op for BatchMatMul {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        for i in [0, 1] {
            if inputs.shape(i).rank().is_some_and(|r| r < 2) {
                bail!(
                    Shape,
                    "In[{i}] must have at least 2 dimensions, got shapes {} and {}",
                    inputs.shape(0),
                    inputs.shape(1)
                );
            }
        }
        let shape = product_shape(inputs, self.reading())?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let read = |adjoint: bool| Operand {
            transpose: adjoint,
            conj: adjoint && inputs.dtype(0).is_complex(),
        };
        lower(inputs, outputs, read(self.adj_x), read(self.adj_y))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (g, needs) = (call.grad()?, needs(call));
        let (x, y) = (&call.inputs[0], &call.inputs[1]);
        let Reading { a: ax, b: ay } = self.reading();
        let mut grads = Grads::from_elem(None, 2);
        if needs[0] {
            let dx = if ax {
                self.times(e, y, g, ay, true)?
            } else {
                self.times(e, g, y, false, !ay)?
            };
            grads[0] = Some(summed(e, dx, x)?.into());
        }
        if needs[1] {
            let dy = if ay {
                self.times(e, g, x, true, ax)?
            } else {
                self.times(e, x, g, !ax, false)?
            };
            grads[1] = Some(summed(e, dy, y)?.into());
        }
        Ok(grads)
    }
    fn flops(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        flops(inputs, outputs, self.reading())
    }
}

impl BatchMatMul {
    fn reading(&self) -> Reading {
        Reading {
            a: self.adj_x,
            b: self.adj_y,
        }
    }

    /// The product by an operation of the same name.
    fn times(
        &self,
        e: &mut dyn Emitter,
        x: &Val,
        y: &Val,
        adj_x: bool,
        adj_y: bool,
    ) -> Result<Val> {
        let decl = self.decl;
        let op = Arc::new(BatchMatMul { decl, adj_x, adj_y });
        emit_as(e, op, &[x.clone(), y.clone()])
    }
}

/// The gradient summed over the leading dimensions along which the operand was repeated.
fn summed(e: &mut dyn Emitter, grad: Val, like: &Val) -> Result<Val> {
    let (from, to) = (grad.spec().shape, like.spec().shape);
    if from.rank() == Some(2) && to.rank() == Some(2) {
        return Ok(grad);
    }
    e.unbroadcast(&grad, like, &grad)
}
