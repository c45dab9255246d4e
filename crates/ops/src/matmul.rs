//! Matrix products.

use crate::emit::*;
use crate::movement::static_shape;
use ferrograph_graph as graph;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Runner, Specs, Tensors, VjpCall, declare,
    declared, evaluate,
};
use ferrograph_kernels::matmul::{self as k, BatchMatMul as Shape, Operand, batch_matmul};
use ferrograph_tensor::{
    Dim, Dims, Element, PartialShape, Result, Tensor, TensorSpec, bail, with_element,
};
use smallvec::smallvec;

mod batch;
mod eager;

pub use batch::EmitBatchMatMul;

pub(crate) fn register(registry: &mut graph::Registry) {
    one::register(registry);
    batch::register(registry);
}

/// How the operands of a product are read.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// The left operand is transposed.
    a: bool,
    /// The right operand is transposed.
    b: bool,
}

/// Leading dimensions, rows and columns of an operand as it is read.
fn split(shape: &PartialShape, transpose: bool) -> Option<(&[Dim], Dim, Dim)> {
    let [batch @ .., rows, cols] = shape.dims()? else {
        return None;
    };
    Some(if transpose {
        (batch, *cols, *rows)
    } else {
        (batch, *rows, *cols)
    })
}

fn check_inner(inputs: &Inputs<'_>, reading: Reading, left: Dim, right: Dim) -> Result<()> {
    if left.is_compatible(right) {
        return Ok(());
    }
    let note = |t: bool| if t { " (transposed)" } else { "" };
    bail!(
        Shape,
        "Matrix size-incompatible: In[0]: {}{}, In[1]: {}{}",
        inputs.shape(0),
        note(reading.a),
        inputs.shape(1),
        note(reading.b)
    )
}

/// The shape of the product.
fn product_shape(inputs: &Inputs<'_>, reading: Reading) -> Result<PartialShape> {
    let left = split(inputs.shape(0), reading.a);
    let right = split(inputs.shape(1), reading.b);
    let (Some((batch_a, m, ka)), Some((batch_b, kb, n))) = (left, right) else {
        return Ok(PartialShape::UNKNOWN);
    };
    check_inner(inputs, reading, ka, kb)?;
    let batch = PartialShape::new(batch_a).broadcast(&PartialShape::new(batch_b))?;
    let batch = batch.dims().unwrap_or_default();
    Ok(batch.iter().copied().chain([m, n]).collect())
}

/// The product, its operands read so.
fn lower(inputs: &Inputs<'_>, outputs: &[TensorSpec], a: Operand, b: Operand) -> Result<Lowered> {
    let dims = |spec: &TensorSpec| static_shape(spec).map(ferrograph_tensor::Shape::into_dims);
    let (x, y, out) = (
        dims(inputs.spec(0))?,
        dims(inputs.spec(1))?,
        dims(&outputs[0])?,
    );
    let [.., rows, cols] = x[..] else {
        return Ok(Lowered::Eval);
    };
    let k = if a.transpose { rows } else { cols };
    let plan = Plan {
        a_batch: x[..x.len() - 2].into(),
        b_batch: y[..y.len().saturating_sub(2)].into(),
        out,
        k,
        a,
        b,
    };
    let kernel = with_element!(inputs.dtype(0), numeric, T => plan.bind::<T>(), else => {
        return Ok(Lowered::Eval);
    });
    if (a.conj || b.conj) && inputs.dtype(0).is_complex() {
        return Ok(Lowered::Kernel(kernel));
    }
    Ok(Lowered::MatMul(graph::MatMul {
        transpose_a: a.transpose,
        transpose_b: b.transpose,
        kernel,
    }))
}

struct Plan {
    a_batch: Dims,
    b_batch: Dims,
    out: Dims,
    k: usize,
    a: Operand,
    b: Operand,
}

impl Plan {
    fn bind<T: Element + k::MatMul>(self) -> Kernel {
        Box::new(move |o| {
            let at = self.out.len() - 2;
            let shape = Shape {
                batch_a: &self.a_batch,
                batch_b: &self.b_batch,
                batch_out: &self.out[..at],
                m: self.out[at],
                k: self.k,
                n: self.out[at + 1],
                a: self.a,
                b: self.b,
            };
            batch_matmul::<T>(&shape, o.input(0), o.input(1), o.output(0));
            Ok(())
        })
    }
}

#[allow(clippy::cast_precision_loss)]
fn flops(inputs: &Inputs<'_>, outputs: &[TensorSpec], reading: Reading) -> f64 {
    let k = split(inputs.shape(0), reading.a).and_then(|(_, _, k)| k.known());
    let out = outputs.first().and_then(|o| o.shape.n_elements());
    2.0 * k.unwrap_or(0) as f64 * out.unwrap_or(0) as f64
}

pub use one::EmitMatMul;

mod one {
    use super::*;
    declare! {
        trait EmitMatMul;

        /// The product of the matrices `a` and `b`.
        MatMul: matmul(a: T in numeric, b: T) -> (product: T), gradient Vjp, batch Rule {
            /// `a` is transposed.
            transpose_a: bool = false,
            /// `b` is transposed.
            transpose_b: bool = false,
        };
    }
}
use one::MatMul;

impl MatMul {
    fn reading(&self) -> Reading {
        Reading {
            a: self.transpose_a,
            b: self.transpose_b,
        }
    }
}

impl Op for MatMul {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = inputs.dtype(0);
        for i in [0, 1] {
            if inputs.shape(i).rank().is_some_and(|r| r != 2) {
                bail!(
                    Shape,
                    "In[0] and In[1] must be matrices, got shapes {} and {}",
                    inputs.shape(0),
                    inputs.shape(1)
                );
            }
        }
        let matrix = PartialShape::of_rank(2);
        let (a, b) = (
            inputs.shape(0).merge(&matrix)?,
            inputs.shape(1).merge(&matrix)?,
        );
        let specs = [TensorSpec::new(dtype, a), TensorSpec::new(dtype, b)];
        let shape = product_shape(&Inputs::of_specs(&specs), self.reading())?;
        Ok(smallvec![TensorSpec::new(dtype, shape)])
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        if let [a, b] = inputs
            && let Some(product) = self.eval_pair(a, b)
        {
            return Ok(smallvec![product?]);
        }
        evaluate(self, runner, inputs)
    }
    fn eval_pair(&self, a: &Tensor, b: &Tensor) -> Option<Result<Tensor>> {
        eager::product(a, b, self.reading())
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let read = |transposed: bool| match transposed {
            true => Operand::TRANSPOSE,
            false => Operand::PLAIN,
        };
        lower(
            inputs,
            outputs,
            read(self.transpose_a),
            read(self.transpose_b),
        )
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (g, needs) = (call.grad()?, needs(call));
        let Reading { a: ta, b: tb } = self.reading();
        let mut grads = Grads::from_elem(None, 2);
        if needs[0] {
            let b = e.conj(&call.inputs[1])?;
            let da = if ta {
                e.matmul(&b, g, tb, true)?
            } else {
                e.matmul(g, &b, false, !tb)?
            };
            grads[0] = Some(da.into());
        }
        if needs[1] {
            let a = e.conj(&call.inputs[0])?;
            let db = if tb {
                e.matmul(g, &a, true, ta)?
            } else {
                e.matmul(&a, g, !ta, false)?
            };
            grads[1] = Some(db.into());
        }
        Ok(grads)
    }
    fn flops(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        flops(inputs, outputs, self.reading())
    }
}

fn needs(call: &VjpCall<'_>) -> [bool; 2] {
    [0, 1].map(|i| call.needs.get(i).copied().unwrap_or(true))
}

#[cfg(test)]
mod tests;
