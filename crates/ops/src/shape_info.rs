//! Operations that give shapes, and check them.

use crate::args::{dims_as_known, elements, expect_index, expect_rank};
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Inputs, Kernel, Known, Op, OpRef,
    Operands, Registry, Runner, Specs, Tensors, VjpCall, op_object,
};
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail, broadcast_shapes, err,
};
use smallvec::smallvec;
use std::sync::Arc;

/// The integer dtype that the result of a shape query has.
fn out_type(a: &AttrReader<'_>) -> Result<DType> {
    match a.find("out_type") {
        None => Ok(DType::Int32),
        Some(_) => match a.dtype("out_type")? {
            d @ (DType::Int32 | DType::Int64) => Ok(d),
            d => Err(err!(DType, "out_type must be int32 or int64, got {d}")),
        },
    }
}

/// Writes integers to an int32 or int64 output.
pub(crate) fn write_ints(
    operands: &mut Operands<'_>,
    output: usize,
    dtype: DType,
    values: impl Iterator<Item = i64>,
) {
    if dtype == DType::Int32 {
        let out = operands.output::<i32>(output);
        out.iter_mut().zip(values).for_each(|(o, v)| *o = v as i32);
    } else {
        let out = operands.output::<i64>(output);
        out.iter_mut().zip(values).for_each(|(o, v)| *o = v);
    }
}

/// An int32 or int64 tensor of these elements.
pub(crate) fn ints_tensor(dtype: DType, shape: &[usize], values: &[i64]) -> Result<Tensor> {
    if dtype == DType::Int32 {
        let values: Vec<i32> = values.iter().map(|&v| v as i32).collect();
        Tensor::from_slice(shape, &values)
    } else {
        Tensor::from_slice(shape, values)
    }
}

/// A kernel that writes the same integers to its only output at every run.
fn constant_ints(outputs: &[TensorSpec], values: Option<Known>) -> Result<Option<Kernel>> {
    let Some(values) = values.and_then(|k| k.into_iter().collect::<Option<Vec<i64>>>()) else {
        return Ok(None);
    };
    let dtype = outputs[0].dtype;
    Ok(Some(Box::new(move |operands| {
        write_ints(operands, 0, dtype, values.iter().copied());
        Ok(())
    })))
}

/// The shape of its input as a vector.
#[derive(Debug)]
pub struct Shape {
    /// int32 or int64.
    pub out_type: DType,
}

impl Op for Shape {
    op_object!();
    fn name(&self) -> &'static str {
        "Shape"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("out_type", Attr::DType(self.out_type))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let rank = Dim::from(inputs.shape(0).rank());
        Ok(smallvec![TensorSpec::new(
            self.out_type,
            PartialShape::new(&[rank])
        )])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        dims_as_known(inputs.shape(0))
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        constant_ints(outputs, self.known(inputs))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// The shapes of all its inputs.
#[derive(Debug)]
pub struct ShapeN {
    /// int32 or int64.
    pub out_type: DType,
}

impl Op for ShapeN {
    op_object!();
    fn name(&self) -> &'static str {
        "ShapeN"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("out_type", Attr::DType(self.out_type))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let vector = |i| {
            TensorSpec::new(
                self.out_type,
                PartialShape::new(&[inputs.shape(i).rank().into()]),
            )
        };
        Ok((0..inputs.len()).map(vector).collect())
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        if inputs.is_empty() {
            return None;
        }
        dims_as_known(inputs.shape(0))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let shape = |t: &Tensor| {
            let dims: Vec<i64> = t.shape().iter().map(|&d| d as i64).collect();
            ints_tensor(self.out_type, &[dims.len()], &dims)
        };
        inputs.iter().map(shape).collect()
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// How many elements its input has.
#[derive(Debug)]
pub struct Size {
    /// int32 or int64.
    pub out_type: DType,
}

impl Op for Size {
    op_object!();
    fn name(&self) -> &'static str {
        "Size"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("out_type", Attr::DType(self.out_type))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        Ok(smallvec![TensorSpec::scalar(self.out_type)])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        Some(smallvec![Some(inputs.shape(0).n_elements()? as i64)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        constant_ints(outputs, self.known(inputs))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// How many dimensions its input has, as an int32 scalar.
#[derive(Debug)]
pub struct Rank;

impl Op for Rank {
    op_object!();
    fn name(&self) -> &'static str {
        "Rank"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        Ok(smallvec![TensorSpec::scalar(DType::Int32)])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        Some(smallvec![Some(inputs.shape(0).rank()? as i64)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        constant_ints(outputs, self.known(inputs))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// The shape that two shapes, given as vectors, broadcast to.
#[derive(Debug)]
pub struct BroadcastArgs;

impl Op for BroadcastArgs {
    op_object!();
    fn name(&self) -> &'static str {
        "BroadcastArgs"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        for (i, what) in ["s0", "s1"].iter().enumerate() {
            expect_index(inputs, i, what)?;
            expect_rank(inputs, i, 1, what)?;
        }
        let dtype = inputs.same_dtype(0, 1)?;
        let rank = match (
            inputs.shape(0).dim(0).known(),
            inputs.shape(1).dim(0).known(),
        ) {
            (Some(a), Some(b)) => Some(a.max(b)),
            _ => None,
        };
        inputs.shape_value(0).broadcast(&inputs.shape_value(1))?;
        Ok(smallvec![TensorSpec::new(
            dtype,
            PartialShape::new(&[rank.into()])
        )])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let both = inputs.shape_value(0).broadcast(&inputs.shape_value(1));
        dims_as_known(&both.ok()?)
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        crate::args::checked(self, inputs)?;
        let dims = |t: &Tensor| -> Result<Vec<usize>> {
            let size = |d| usize::try_from(d).map_err(|_| err!(Shape, "dimension {d} in a shape"));
            t.to_i64s()?.into_iter().map(size).collect()
        };
        let shape = broadcast_shapes(&dims(&inputs[0])?, &dims(&inputs[1])?)?;
        let shape: Vec<i64> = shape.iter().map(|&d| d as i64).collect();
        Ok(smallvec![ints_tensor(
            inputs[0].dtype(),
            &[shape.len()],
            &shape
        )?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Its input, whose shape must fit.
#[derive(Debug)]
pub struct EnsureShape {
    /// What the shape must fit.
    pub shape: PartialShape,
}

impl Op for EnsureShape {
    op_object!();
    fn name(&self) -> &'static str {
        "EnsureShape"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("shape", Attr::Shape(self.shape.clone()))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let shape = inputs.shape(0);
        if !shape.is_compatible(&self.shape) {
            bail!(
                Shape,
                "shape {shape} is not compatible with the expected shape {}",
                self.shape
            );
        }
        Ok(smallvec![TensorSpec::new(
            inputs.dtype(0),
            shape.merge(&self.shape)?
        )])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        inputs.known(0)
    }
    fn alias(&self) -> Option<usize> {
        Some(0)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, _e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        Ok(smallvec![Some(call.grad()?.clone().into())])
    }
}

/// The inverse of a permutation.
#[derive(Debug)]
pub struct InvertPermutation;

impl InvertPermutation {
    fn invert(perm: &[i64]) -> Result<Vec<i64>> {
        let mut inverse = vec![-1; perm.len()];
        for (i, &p) in perm.iter().enumerate() {
            match usize::try_from(p).ok().and_then(|p| inverse.get_mut(p)) {
                Some(slot) if *slot < 0 => *slot = i as i64,
                Some(_) => bail!(InvalidArgument, "{p} is duplicated in the permutation"),
                None => bail!(InvalidArgument, "{p} is not in [0, {})", perm.len()),
            }
        }
        Ok(inverse)
    }
}

impl Op for InvertPermutation {
    op_object!();
    fn name(&self) -> &'static str {
        "InvertPermutation"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        expect_index(inputs, 0, "x")?;
        expect_rank(inputs, 0, 1, "x")?;
        let shape = inputs.shape(0).merge(&PartialShape::of_rank(1))?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let perm: Option<Vec<i64>> = elements(inputs, 0)?.into_iter().collect();
        let inverse = InvertPermutation::invert(&perm?).ok()?;
        Some(inverse.into_iter().map(Some).collect())
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        crate::args::checked(self, inputs)?;
        let inverse = InvertPermutation::invert(&inputs[0].to_i64s()?)?;
        Ok(smallvec![ints_tensor(
            inputs[0].dtype(),
            &[inverse.len()],
            &inverse
        )?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

pub(crate) fn register(r: &mut Registry) {
    fn shared(op: impl Op) -> Result<OpRef> {
        Ok(Arc::new(op))
    }
    r.add("Shape", |a| {
        shared(Shape {
            out_type: out_type(a)?,
        })
    });
    r.add("ShapeN", |a| {
        shared(ShapeN {
            out_type: out_type(a)?,
        })
    });
    r.add("Size", |a| {
        shared(Size {
            out_type: out_type(a)?,
        })
    });
    r.add("Rank", |_| shared(Rank));
    r.add("BroadcastArgs", |_| shared(BroadcastArgs));
    r.add("EnsureShape", |a| {
        shared(EnsureShape {
            shape: a.shape("shape")?,
        })
    });
    r.add("InvertPermutation", |_| shared(InvertPermutation));
}
