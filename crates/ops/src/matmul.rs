//! Matrix products.

use crate::emit::*;
use ferrograph_graph::{
    Attr, Attrs, Differentiability, Emitter, Grads, Inputs, Kernel, Op, Registry, Specs, Val,
    VjpCall, op_object,
};
use ferrograph_kernels::matmul::{self as k, BatchMatMul as Shape, Operand, batch_matmul};
use ferrograph_tensor::{
    DType, Dim, Dims, Element, PartialShape, Result, TensorSpec, bail, with_element,
};
use smallvec::smallvec;
use std::sync::Arc;

/// How the operands of a product are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The left operand is transposed.
    pub a: bool,
    /// The right operand is transposed.
    pub b: bool,
}

/// The product of two matrices.
#[derive(Debug)]
pub struct MatMul {
    /// Which operands are transposed.
    pub transpose: Reading,
}

/// The products of stacks of matrices, whose leading dimensions broadcast.
#[derive(Debug)]
pub struct BatchMatMul {
    /// Which operands are transposed and conjugated.
    pub adjoint: Reading,
    /// The name: leading dimensions broadcast in all but the oldest form.
    pub name: &'static str,
}

fn check_dtype(inputs: &Inputs<'_>, name: &str) -> Result<DType> {
    inputs.expect(2)?;
    let dtype = inputs.same_dtype(0, 1)?;
    if !dtype.is_numeric() {
        bail!(DType, "{name} is not defined for {dtype} tensors");
    }
    Ok(dtype)
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

fn kernel(
    inputs: &Inputs<'_>,
    outputs: &[TensorSpec],
    a: Operand,
    b: Operand,
) -> Result<Option<Kernel>> {
    let fixed = |s: &PartialShape| s.to_static().map(ferrograph_tensor::Shape::into_dims);
    let shapes = (
        fixed(inputs.shape(0)),
        fixed(inputs.shape(1)),
        fixed(&outputs[0].shape),
    );
    let (Some(x), Some(y), Some(out)) = shapes else {
        return Ok(None);
    };
    let [.., rows, cols] = x[..] else {
        return Ok(None);
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
    Ok(with_element!(inputs.dtype(0), numeric, T => Some(plan.bind::<T>()), else => None))
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

impl Op for MatMul {
    op_object!();
    fn name(&self) -> &'static str {
        "MatMul"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("transpose_a", Attr::Bool(self.transpose.a))
            .with("transpose_b", Attr::Bool(self.transpose.b))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = check_dtype(inputs, "MatMul")?;
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
        let shape = product_shape(&Inputs::of_specs(&specs), self.transpose)?;
        Ok(smallvec![TensorSpec::new(dtype, shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let read = |t: bool| {
            if t {
                Operand::TRANSPOSE
            } else {
                Operand::PLAIN
            }
        };
        kernel(
            inputs,
            outputs,
            read(self.transpose.a),
            read(self.transpose.b),
        )
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (g, needs) = (call.grad()?, needs(call));
        let Reading { a: ta, b: tb } = self.transpose;
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
        flops(inputs, outputs, self.transpose)
    }
}

fn needs(call: &VjpCall<'_>) -> [bool; 2] {
    [0, 1].map(|i| call.needs.get(i).copied().unwrap_or(true))
}

impl Op for BatchMatMul {
    op_object!();
    fn name(&self) -> &'static str {
        self.name
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("adj_x", Attr::Bool(self.adjoint.a))
            .with("adj_y", Attr::Bool(self.adjoint.b))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = check_dtype(inputs, self.name)?;
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
        let shape = product_shape(inputs, self.adjoint)?;
        Ok(smallvec![TensorSpec::new(dtype, shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let read = |t: bool| if t { Operand::ADJOINT } else { Operand::PLAIN };
        kernel(inputs, outputs, read(self.adjoint.a), read(self.adjoint.b))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (g, needs) = (call.grad()?, needs(call));
        let (x, y) = (&call.inputs[0], &call.inputs[1]);
        let Reading { a: ax, b: ay } = self.adjoint;
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
        flops(inputs, outputs, self.adjoint)
    }
}

impl BatchMatMul {
    fn times(
        &self,
        e: &mut dyn Emitter,
        x: &Val,
        y: &Val,
        adj_x: bool,
        adj_y: bool,
    ) -> Result<Val> {
        let attrs = vec![("adj_x", Attr::Bool(adj_x)), ("adj_y", Attr::Bool(adj_y))];
        e.op(self.name, &[x, y], attrs)
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

macro_rules! register_batch {
    ($r:ident, $($name:literal)*) => {$(
        $r.add($name, |a| {
            Ok(Arc::new(BatchMatMul {
                adjoint: Reading {
                    a: a.bool_or("adj_x", false)?,
                    b: a.bool_or("adj_y", false)?,
                },
                name: $name,
            }))
        });
    )*};
}

pub(crate) fn register(r: &mut Registry) {
    r.add("MatMul", |a| {
        Ok(Arc::new(MatMul {
            transpose: Reading {
                a: a.bool_or("transpose_a", false)?,
                b: a.bool_or("transpose_b", false)?,
            },
        }))
    });
    register_batch!(r, "BatchMatMul" "BatchMatMulV2");
}

#[cfg(test)]
mod tests {
    use crate::testing::{check_gradients, f64s, infer, run, spec, t64};
    use ferrograph_graph::Attr;
    use ferrograph_tensor::{Complex64, DType, ErrorKind, Tensor};

    fn flags(names: [&'static str; 2], a: bool, b: bool) -> Vec<(&'static str, Attr)> {
        vec![(names[0], Attr::Bool(a)), (names[1], Attr::Bool(b))]
    }

    fn tensor(shape: &[usize]) -> Tensor {
        let n = shape.iter().product();
        let elements: Vec<f64> = (0..n)
            .map(|i: usize| ((i * 37 + 11) % 17) as f64 * 0.25 - 2.0)
            .collect();
        t64(shape, &elements)
    }

    #[test]
    fn products_and_their_gradients() {
        for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
            let a = tensor(if ta { &[3, 2] } else { &[2, 3] });
            let b = tensor(if tb { &[4, 3] } else { &[3, 4] });
            let attrs = flags(["transpose_a", "transpose_b"], ta, tb);
            assert_eq!(
                run("MatMul", &[&a, &b], attrs.clone())
                    .unwrap()
                    .shape()
                    .dims(),
                [2, 4]
            );
            check_gradients("MatMul", &[&a, &b], &attrs);
        }
        let (a, b) = (
            t64(&[2, 2], &[1.0, 2.0, 3.0, 4.0]),
            t64(&[2, 1], &[5.0, 6.0]),
        );
        assert_eq!(
            f64s(&run("MatMul", &[&a, &b], vec![]).unwrap()),
            [17.0, 39.0]
        );
    }

    #[test]
    fn stacks_broadcast() {
        for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
            let a = tensor(if ta { &[2, 1, 3, 2] } else { &[2, 1, 2, 3] });
            let b = tensor(if tb { &[3, 2, 3] } else { &[3, 3, 2] });
            let attrs = flags(["adj_x", "adj_y"], ta, tb);
            assert_eq!(
                run("BatchMatMulV2", &[&a, &b], attrs.clone())
                    .unwrap()
                    .shape()
                    .dims(),
                [2, 3, 2, 2]
            );
            check_gradients("BatchMatMulV2", &[&a, &b], &attrs);
        }
    }

    #[test]
    fn adjoints_conjugate() {
        let i = Tensor::from_slice([1, 1], &[Complex64::new(0.0, 1.0)]).unwrap();
        let y = run(
            "BatchMatMulV2",
            &[&i, &i],
            flags(["adj_x", "adj_y"], true, false),
        )
        .unwrap();
        assert_eq!(y.item::<Complex64>().unwrap(), Complex64::new(1.0, 0.0));
        let y = run(
            "MatMul",
            &[&i, &i],
            flags(["transpose_a", "transpose_b"], true, false),
        )
        .unwrap();
        assert_eq!(y.item::<Complex64>().unwrap(), Complex64::new(-1.0, 0.0));
    }

    #[test]
    fn every_number_has_products() {
        for &dtype in DType::ALL.iter().filter(|d| d.is_numeric()) {
            let a = Tensor::zeros(dtype, [2, 3].into()).unwrap();
            let b = Tensor::zeros(dtype, [3, 2].into()).unwrap();
            assert_eq!(run("MatMul", &[&a, &b], vec![]).unwrap().dtype(), dtype);
        }
        let empty = run("MatMul", &[&t64(&[2, 0], &[]), &t64(&[0, 2], &[])], vec![]).unwrap();
        assert_eq!(f64s(&empty), [0.0; 4]);
    }

    #[test]
    fn shapes() {
        let f = DType::Float32;
        let out = infer("MatMul", &[spec(f, &[-1, 3]), spec(f, &[3, 4])], vec![]).unwrap();
        assert_eq!(out[0], spec(f, &[-1, 4]));
        let out = infer(
            "BatchMatMulV2",
            &[spec(f, &[-1, 2, 3]), spec(f, &[3, 4])],
            vec![],
        )
        .unwrap();
        assert_eq!(out[0], spec(f, &[-1, 2, 4]));
        let e = infer("MatMul", &[spec(f, &[2, 3]), spec(f, &[4, 5])], vec![]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Shape);
        assert!(e.message().contains("[2,3]") && e.message().contains("[4,5]"));
        assert!(infer("MatMul", &[spec(f, &[3]), spec(f, &[3, 5])], vec![]).is_err());
        assert!(
            infer(
                "BatchMatMulV2",
                &[spec(f, &[2, 2, 3]), spec(f, &[3, 3, 4])],
                vec![]
            )
            .is_err()
        );
    }
}
