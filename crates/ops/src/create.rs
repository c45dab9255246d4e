//! Tensors made of counts and single values.

use crate::args::scalar;
use crate::emit::*;
use crate::movement::{Io, Moving, Rearrange, moving};
use ferrograph_graph::{
    Emitter, Grad, Grads, Inputs, Known, Lowered, MOST_KNOWN_IN_ROWS, Op, Places, Specs, Val,
    VjpCall, declare, declared,
};
use ferrograph_kernels::movement::{fill, one_hot};
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, TensorSpec, bail, err, with_element,
};
use half::{bf16, f16};
use num_traits::AsPrimitive;
use smallvec::{SmallVec, smallvec};

declare! {
    trait EmitCreate;

    /// A tensor of the shape `dims` full of the scalar `value`.
    Fill: fill(dims: index_type in index rank 1, value: T rank 0) -> (output: T), gradient Vjp, batch Rule;

    /// Numbers from `start` to before `limit` in steps of `delta`.
    Range as "range": range(start: Tidx in real rank 0, limit: Tidx rank 0, delta: Tidx rank 0) -> (output: Tidx), gradient Vjp;

    /// `num` evenly spaced numbers from `start` to `stop`, both included.
    LinSpace: lin_space(start: T in floating rank 0, stop: T rank 0, num: Tidx in index rank 0) -> (output: T), gradient Vjp;

    /// Vectors of `depth` along a new axis that hold `on_value` at the index and `off_value` elsewhere.
    OneHot as "one_hot": one_hot(indices: TI in label, depth: Tdepth in index rank 0, on_value: T rank 0, off_value: T rank 0)
        -> (output: T), gradient Vjp, batch Rule {
        /// Where the new axis is in the output; -1 for last.
        axis: i64 = -1,
    };
}

/// The sum of all elements: the gradient of a scalar that each of them holds once.
fn sum_of_all(e: &mut dyn Emitter, x: &Val) -> Result<Val> {
    let minus_one = e.int_vector(&[-1])?;
    let flat = e.reshape(x, &minus_one)?;
    let axis = e.int_vector(&[0])?;
    e.sum(&flat, &axis, false)
}

/// The gradient of a scalar that the elements hold as many times as `counts` says.
fn sum_weighted(e: &mut dyn Emitter, grad: &Val, counts: &Val) -> Result<Option<Grad>> {
    let parts = e.mul(grad, counts)?;
    Ok(Some(sum_of_all(e, &parts)?.into()))
}

/// Writes one value everywhere.
pub(crate) struct Spread;

impl Rearrange for Spread {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let value = io.input(1);
        if let [value] = value {
            fill(value, io.output(0));
        }
        Ok(())
    }
    fn places(&self) -> Places {
        Places::Fill
    }
}

impl Op for Fill {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if let Some(known) = inputs.known(0)
            && let Some(d) = known.iter().flatten().find(|d| **d < 0)
        {
            bail!(Shape, "dims holds {d}, which is no size");
        }
        Ok(smallvec![TensorSpec::new(
            inputs.dtype(1),
            inputs.shape_value(0)
        )])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let value = inputs.known(1)?.first().copied()?;
        let sizes = inputs.ints(0)?;
        let mut sizes = sizes.iter().map(|&n| usize::try_from(n).ok());
        let n = sizes.try_fold(1_usize, |all, n| all.checked_mul(n?))?;
        (n <= MOST_KNOWN_IN_ROWS).then(|| smallvec![value; n])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let sum = sum_of_all(e, call.grad()?)?;
        Ok(smallvec![None, Some(sum.into())])
    }
}

impl Moving for Fill {
    type Bound = Spread;
    fn data(&self) -> usize {
        1
    }
    fn bind(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Spread>> {
        Ok(Some(Spread))
    }
}

/// A number that ranges are made of.
trait Ranged: Element {
    /// How many steps lead from `start` to before `limit`.
    fn count(start: Self, limit: Self, delta: Self) -> Result<usize>;
    /// The number after `i` steps.
    fn at(start: Self, delta: Self, i: usize) -> Self;
}

fn wrong_sign(
    start: impl std::fmt::Debug,
    limit: impl std::fmt::Debug,
    delta: impl std::fmt::Debug,
) -> ferrograph_tensor::Error {
    err!(
        Shape,
        "a range from {start:?} to {limit:?} needs a delta towards the limit, got {delta:?}"
    )
}

macro_rules! ranged_ints {
    ($($t:ty)*) => { $(
        impl Ranged for $t {
            fn count(start: $t, limit: $t, delta: $t) -> Result<usize> {
                let (a, b, d) = (i128::from(start), i128::from(limit), i128::from(delta));
                if d == 0 {
                    bail!(Shape, "the delta of a range must not be 0");
                }
                if a != b && (b > a) != (d > 0) {
                    return Err(wrong_sign(start, limit, delta));
                }
                let n = (b - a).unsigned_abs().div_ceil(d.unsigned_abs());
                usize::try_from(n).map_err(|_| err!(Shape, "a range of {n} elements is too long"))
            }
            fn at(start: $t, delta: $t, i: usize) -> $t {
                start.wrapping_add(delta.wrapping_mul(i as $t))
            }
        }
    )* };
}
ranged_ints!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! ranged_floats {
    ($($t:ty)*) => { $(
        impl Ranged for $t {
            fn count(start: $t, limit: $t, delta: $t) -> Result<usize> {
                let (a, b, d): (f64, f64, f64) = (start.as_(), limit.as_(), delta.as_());
                if d == 0.0 || !d.is_finite() || !a.is_finite() || !b.is_finite() {
                    bail!(Shape, "a range from {a} to {b} in steps of {d} has no end");
                }
                if a != b && (b > a) != (d > 0.0) {
                    return Err(wrong_sign(a, b, d));
                }
                let steps: f64 = ((limit - start) / delta).as_(); // as exact as the dtype is
                let n = steps.abs().ceil();
                if n > isize::MAX as f64 {
                    bail!(Shape, "a range of {n} elements is too long");
                }
                Ok(n as usize)
            }
            fn at(start: $t, delta: $t, i: usize) -> $t {
                let steps: $t = (i as f64).as_();
                start + delta * steps
            }
        }
    )* };
}
ranged_floats!(f16 bf16 f32 f64);

impl Range {
    fn length(inputs: &Inputs<'_>) -> Result<Option<usize>> {
        if let (Some(a), Some(b), Some(d)) =
            (scalar(inputs, 0), scalar(inputs, 1), scalar(inputs, 2))
        {
            return i64::count(a, b, d).map(Some);
        }
        let (Some(a), Some(b), Some(d)) =
            (inputs.constant(0), inputs.constant(1), inputs.constant(2))
        else {
            return Ok(None);
        };
        with_element!(inputs.dtype(0), real, T => {
            Ok(Some(T::count(a.item::<T>()?, b.item::<T>()?, d.item::<T>()?)?))
        }, else => Err(err!(DType, "there is no range of {}", inputs.dtype(0))))
    }
}

impl Op for Range {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n = Dim::from(Range::length(inputs)?);
        Ok(smallvec![TensorSpec::new(
            inputs.dtype(0),
            PartialShape::new(&[n])
        )])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let (a, d) = (scalar(inputs, 0)?, scalar(inputs, 2)?);
        let n = Range::length(inputs).ok()??;
        (n <= 64).then(|| (0..n).map(|i| Some(i64::at(a, d, i))).collect())
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        with_element!(inputs.dtype(0), real, T => Ok(Lowered::Kernel(Box::new(|operands| {
            let (start, delta) = (operands.input::<T>(0)[0], operands.input::<T>(2)[0]);
            for (i, out) in operands.output::<T>(0).iter_mut().enumerate() {
                *out = T::at(start, delta, i);
            }
            Ok(())
        }))), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = call.grad()?;
        let start = sum_of_all(e, grad)?;
        let (zero, one) = (e.scalar(0.0, DType::Int64)?, e.scalar(1.0, DType::Int64)?);
        let n = e.size(grad, DType::Int64)?;
        let steps = e.range(&zero, &n, &one)?;
        let steps = e.cast(&steps, call.inputs[2].dtype())?;
        let delta = sum_weighted(e, grad, &steps)?;
        Ok(smallvec![Some(start.into()), None, delta])
    }
}

impl Op for LinSpace {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n = match scalar(inputs, 2) {
            Some(n) if n < 1 => bail!(Shape, "num must be positive, got {n}"),
            n => Dim::from(n.and_then(|n| usize::try_from(n).ok())),
        };
        Ok(smallvec![TensorSpec::new(
            inputs.dtype(0),
            PartialShape::new(&[n])
        )])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        with_element!(inputs.dtype(0), floating, T => Ok(Lowered::Kernel(Box::new(|operands| {
            let (first, last) = (operands.input::<T>(0)[0], operands.input::<T>(1)[0]);
            let (start, stop): (f64, f64) = (first.as_(), last.as_());
            let out = operands.output::<T>(0);
            let n = out.len();
            let step = (stop - start) / (n.max(2) - 1) as f64;
            for (i, out) in out.iter_mut().enumerate() {
                *out = match i {
                    0 => first,
                    i if i + 1 == n => last,
                    i => (start + step * i as f64).as_(),
                };
            }
            Ok(())
        }))), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (grad, num) = (call.grad()?, &call.inputs[2]);
        let (zero, one) = (e.scalar(0.0, grad.dtype())?, e.scalar(1.0, grad.dtype())?);
        let falling = e.lin_space(&one, &zero, num)?;
        let rising = e.lin_space(&zero, &one, num)?;
        let (start, stop) = (
            sum_weighted(e, grad, &falling)?,
            sum_weighted(e, grad, &rising)?,
        );
        Ok(smallvec![start, stop, None])
    }
}

/// A one-hot encoding as `[outer, depth, inner]`.
pub(crate) struct BoundOneHot {
    depth: usize,
    inner: usize,
    index: DType,
}

impl Rearrange for BoundOneHot {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let (on, off) = (io.input(2), io.input(3));
        let ([on], [off]) = (on, off) else {
            bail!(Internal, "on_value and off_value must be scalars");
        };
        let indices = io.ints(0, self.index);
        one_hot(indices, self.depth, self.inner, on, off, io.output(0));
        Ok(())
    }
}

impl OneHot {
    fn axis(&self, rank: usize) -> Result<usize> {
        if self.axis == -1 {
            return Ok(rank);
        }
        usize::try_from(self.axis)
            .ok()
            .filter(|a| *a <= rank)
            .ok_or_else(|| {
                err!(
                    Shape,
                    "axis {} is not in [-1, {rank}]: the indices have rank {rank}",
                    self.axis
                )
            })
    }
}

impl Op for OneHot {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let depth = match scalar(inputs, 1) {
            Some(depth) if depth < 0 => bail!(Shape, "depth must not be negative, got {depth}"),
            depth => Dim::from(depth.and_then(|d| usize::try_from(d).ok())),
        };
        let shape = match inputs.shape(0).dims() {
            Some(dims) => {
                let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(dims);
                dims.insert(self.axis(dims.len())?, depth);
                PartialShape::new(&dims)
            }
            None => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(2), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (grad, indices, depth) = (call.grad()?, &call.inputs[0], &call.inputs[1]);
        let (zero, one) = (e.scalar(0.0, grad.dtype())?, e.scalar(1.0, grad.dtype())?);
        let hot = e.one_hot(indices, depth, &one, &zero, self.axis)?;
        let cold = e.one_hot(indices, depth, &zero, &one, self.axis)?;
        let (on, off) = (sum_weighted(e, grad, &hot)?, sum_weighted(e, grad, &cold)?);
        Ok(smallvec![None, None, on, off])
    }
}

impl Moving for OneHot {
    type Bound = BoundOneHot;
    fn data(&self) -> usize {
        2
    }
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<BoundOneHot>> {
        let out = crate::movement::static_shape(&outputs[0])?;
        let axis = self.axis(out.rank().saturating_sub(1))?;
        Ok(Some(BoundOneHot {
            depth: out[axis],
            inner: out[axis + 1..].iter().product::<usize>().max(1),
            index: inputs.dtype(0),
        }))
    }
}
