//! Operations that give shapes, and check them.

use crate::args::{dims_as_known, elements};
use ferrograph_graph::{
    Inputs, Known, KnownOutputs, Lowered, Op, Operands, Runner, Specs, Tensors, declare, declared,
};
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail, broadcast_shapes, err,
};
use smallvec::smallvec;

declare! {
    trait EmitShapes;

    /// The shape of `input` as a vector.
    Shape: shape(input: T) -> (output: out_type in index), gradient Stops, batch Rule {
        /// The dtype of the result.
        out_type: DType = DType::Int32,
    };

    /// The shapes of all of `input`.
    ShapeN: shape_n(input: [T; N]) -> (output: [out_type; N] in index), gradient Stops, batch Rule {
        /// The dtype of the results.
        out_type: DType = DType::Int32,
    };

    /// How many elements `input` has.
    Size: size(input: T) -> (output: out_type in index rank 0), gradient Stops, batch Rule {
        /// The dtype of the result.
        out_type: DType = DType::Int32,
    };

    /// How many dimensions `input` has.
    Rank: rank(input: T) -> (output: int32 rank 0), gradient Stops, batch Rule;

    /// The shape that the shapes `s0` and `s1` broadcast to.
    BroadcastArgs: broadcast_args(s0: T in index rank 1, s1: T rank 1) -> (r0: T), gradient Stops;

    /// `input`, whose shape must fit.
    EnsureShape: ensure_shape(input: T) -> (output: T), gradient Passes, identity KeepsShape, batch Rule {
        /// What the shape must fit.
        shape: PartialShape,
    };

    /// The inverse of the permutation `x`.
    InvertPermutation: invert_permutation(x: T in index rank 1) -> (y: T like x), gradient Stops;
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
fn constant_ints(outputs: &[TensorSpec], values: Option<Known>) -> Result<Lowered> {
    let Some(values) = values.and_then(|k| k.into_iter().collect::<Option<Vec<i64>>>()) else {
        return Ok(Lowered::Eval);
    };
    let dtype = outputs[0].dtype;
    Ok(Lowered::Kernel(Box::new(move |operands| {
        write_ints(operands, 0, dtype, values.iter().copied());
        Ok(())
    })))
}

impl Op for Shape {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let rank = Dim::from(inputs.shape(0).rank());
        Ok(smallvec![TensorSpec::new(
            self.out_type,
            PartialShape::new(&[rank])
        )])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        dims_as_known(inputs.shape(0))
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        constant_ints(outputs, self.known(inputs))
    }
}

impl Op for ShapeN {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let vector = |i| {
            TensorSpec::new(
                self.out_type,
                PartialShape::new(&[inputs.shape(i).rank().into()]),
            )
        };
        Ok((0..inputs.len()).map(vector).collect())
    }
    fn known_outputs(&self, inputs: &Inputs<'_>) -> KnownOutputs {
        (0..inputs.len())
            .map(|i| dims_as_known(inputs.shape(i)))
            .collect()
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let shape = |t: &Tensor| {
            let dims: Vec<i64> = t.shape().iter().map(|&d| d as i64).collect();
            ints_tensor(self.out_type, &[dims.len()], &dims)
        };
        inputs.iter().map(shape).collect()
    }
}

impl Op for Size {
    declared!();
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let n = i64::try_from(inputs.shape(0).n_elements()?);
        Some(smallvec![Some(n.ok()?)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        constant_ints(outputs, self.known(inputs))
    }
}

impl Op for Rank {
    declared!();
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        Some(smallvec![Some(inputs.shape(0).rank()? as i64)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        constant_ints(outputs, self.known(inputs))
    }
}

impl Op for BroadcastArgs {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let rank = match (
            inputs.shape(0).dim(0).known(),
            inputs.shape(1).dim(0).known(),
        ) {
            (Some(a), Some(b)) => Some(a.max(b)),
            _ => None,
        };
        inputs.shape_value(0).broadcast(&inputs.shape_value(1))?;
        Ok(smallvec![TensorSpec::new(
            inputs.dtype(0),
            PartialShape::new(&[rank.into()])
        )])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let both = inputs.shape_value(0).broadcast(&inputs.shape_value(1));
        dims_as_known(&both.ok()?)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
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
}

impl Op for EnsureShape {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
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
        inputs.known_rows(0)
    }
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Alias(0))
    }
}

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
    declared!();
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let perm: Option<Vec<i64>> = elements(inputs, 0)?.into_iter().collect();
        let inverse = InvertPermutation::invert(&perm?).ok()?;
        Some(inverse.into_iter().map(Some).collect())
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let inverse = InvertPermutation::invert(&inputs[0].to_i64s()?)?;
        Ok(smallvec![ints_tensor(
            inputs[0].dtype(),
            &[inverse.len()],
            &inverse
        )?])
    }
}
