//! Parting a tensor along an axis.

use crate::args::{axis_of, elements, expect_one, scalar, size_of};
use crate::concat::unstacked;
use crate::emit::*;
use crate::movement::{Io, Moving, Rearrange, moving, static_shape};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Known, KnownOutputs, Op, Places, Specs, Val, VjpCall, declare, declared,
};
use ferrograph_kernels::movement::{Strided, View};
use ferrograph_tensor::{Dim, PartialShape, Result, Shape, TensorSpec, bail};
use smallvec::{SmallVec, smallvec};

declare! {
    trait EmitSplit;

    /// `value` in `num_split` equal parts along the axis `split_dim`.
    Split as "split": split(split_dim: _ in index, value: T) -> (output: [T; num_split]), gradient Vjp, batch Rule {
        /// How many parts.
        num_split: i64,
    };

    /// `value` in parts of the sizes `size_splits` along the axis `split_dim`; one size may be -1 for what is left.
    SplitV as "split": split_v(value: T, size_splits: Tlen in index rank 1, split_dim: _ in index)
        -> (output: [T; num_split]), gradient Vjp, batch Rule {
        /// How many parts.
        num_split: i64,
    };

    /// The slices of `value` along an axis, which they lose.
    Unpack as "unstack": unpack(value: T) -> (output: [T; num]), gradient Vjp, batch Rule {
        /// How many there are.
        num: i64,
        /// The axis.
        axis: i64 = 0,
    };
}

/// Copies of parts of one input to the outputs.
pub(crate) struct Part {
    from: usize,
    axis: usize,
    parts: Vec<Strided>,
}

impl Rearrange for Part {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let from = io.input(self.from);
        for (i, part) in self.parts.iter().enumerate() {
            part.copy(from, io.output(i));
        }
        Ok(())
    }
    fn places(&self) -> Places {
        Places::Split {
            input: self.from,
            axis: self.axis,
        }
    }
}

impl Part {
    /// Parts of these shapes one after another along `axis`.
    fn along(axis: usize, from: usize, dims: &Shape, outputs: &[TensorSpec]) -> Result<Part> {
        let sizes = outputs.iter().map(|spec| Ok(static_shape(spec)?[axis]));
        let sizes = sizes.collect::<Result<Vec<usize>>>()?;
        let all: usize = sizes.iter().sum();
        if all != dims[axis] {
            bail!(
                Shape,
                "the parts have {all} elements along axis {axis} of shape {dims}"
            );
        }
        let mut at = 0;
        let part = |n: usize| {
            at += n;
            Strided::read(&View::of(dims).slice(axis, at - n, 1, n))
        };
        let parts = sizes.into_iter().map(part).collect();
        Ok(Part { from, axis, parts })
    }
}

/// `dims` with another size along `axis`; all sizes but the rank are unknown where the axis is.
fn resized(shape: &PartialShape, axis: Option<usize>, size: Dim) -> PartialShape {
    match (shape.dims(), axis) {
        (Some(dims), Some(axis)) => {
            let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(dims);
            dims[axis] = size;
            PartialShape::new(&dims)
        }
        (Some(dims), None) => PartialShape::of_rank(dims.len()),
        (None, _) => PartialShape::UNKNOWN,
    }
}

/// The axis in input `i` for a tensor of that shape, where both are known.
fn axis_in(inputs: &Inputs<'_>, i: usize, shape: &PartialShape) -> Result<Option<usize>> {
    expect_one(inputs, i, "axis")?;
    match (scalar(inputs, i), shape.rank()) {
        (Some(axis), Some(rank)) => Ok(Some(axis_of(axis, rank, "axis")?)),
        _ => Ok(None),
    }
}

/// The gradients of the outputs, with zeros where there is none.
fn all_grads(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Vec<Val>> {
    call.outputs
        .iter()
        .zip(call.grads)
        .map(|(out, grad)| match grad {
            Some(grad) => Ok(grad.clone()),
            None => e.zeros_like(out),
        })
        .collect()
}

/// The gradients of the outputs joined along `axis`.
fn joined_grads(e: &mut dyn Emitter, call: &VjpCall<'_>, axis: &Val) -> Result<Val> {
    let parts = all_grads(e, call)?;
    e.concat_v2(&parts, axis)
}

impl Op for Split {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n_parts = num_split(self.num_split)?;
        let from = inputs.shape(1);
        let axis = axis_in(inputs, 0, from)?;
        let size = axis.and_then(|axis| from.dim(axis).known());
        if let Some(n) = size
            && n % n_parts != 0
        {
            bail!(
                Shape,
                "cannot split {n} elements of shape {from} into {n_parts} equal parts"
            );
        }
        let part = Dim::from(size.map(|n| n / n_parts));
        let spec = TensorSpec::new(inputs.dtype(1), resized(from, axis, part));
        Ok(smallvec![spec; n_parts])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = joined_grads(e, call, &call.inputs[0])?;
        Ok(smallvec![None, Some(grad.into())])
    }
}

impl Moving for Split {
    type Bound = Part;
    fn data(&self) -> usize {
        1
    }
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Part>> {
        let Some(axis) = axis_in(inputs, 0, inputs.shape(1))? else {
            return Ok(None);
        };
        Part::along(axis, 1, &static_shape(inputs.spec(1))?, outputs).map(Some)
    }
}

impl SplitV {
    fn sizes(&self, inputs: &Inputs<'_>, total: Option<usize>) -> Result<Known> {
        let n_parts = num_split(self.num_split)?;
        let mut sizes = match elements(inputs, 1) {
            Some(sizes) if sizes.len() != n_parts => bail!(
                Shape,
                "size_splits has {} elements for {n_parts} parts",
                sizes.len()
            ),
            Some(sizes) => sizes,
            None => Known::from_elem(None, n_parts),
        };
        if let Some(bad) = sizes.iter().flatten().find(|s| **s < -1) {
            bail!(Shape, "size_splits holds {bad}, which is no size");
        }
        if sizes.iter().filter(|s| **s == Some(-1)).count() > 1 {
            bail!(Shape, "size_splits holds -1 more than once");
        }
        let sum = sizes
            .iter()
            .try_fold(0i64, |n, s| n.checked_add((*s)?.max(0)));
        if sum.is_none() && sizes.iter().all(Option::is_some) {
            bail!(Shape, "size_splits add up to more than there can be");
        }
        if let (Some(sum), Some(total)) = (sum, total) {
            let rest = total as i64 - sum;
            let open = sizes.iter_mut().find(|s| **s == Some(-1));
            match open {
                Some(open) if rest >= 0 => *open = Some(rest),
                None if rest == 0 => {}
                _ => bail!(
                    Shape,
                    "size_splits add up to {sum}, the axis has {total} elements"
                ),
            }
        }
        Ok(sizes)
    }
}

impl Op for SplitV {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let from = inputs.shape(0);
        let axis = axis_in(inputs, 2, from)?;
        let sizes = self.sizes(inputs, axis.and_then(|a| from.dim(a).known()))?;
        let spec = |size: &Option<i64>| {
            let size = Dim::from(size.and_then(|s| usize::try_from(s).ok()));
            TensorSpec::new(inputs.dtype(0), resized(from, axis, size))
        };
        Ok(sizes.iter().map(spec).collect())
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = joined_grads(e, call, &call.inputs[2])?;
        Ok(smallvec![Some(grad.into()), None, None])
    }
}

impl Moving for SplitV {
    type Bound = Part;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Part>> {
        let Some(axis) = axis_in(inputs, 2, inputs.shape(0))? else {
            return Ok(None);
        };
        Part::along(axis, 0, &static_shape(inputs.spec(0))?, outputs).map(Some)
    }
}

impl Op for Unpack {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n = n_parts(self.num, "num")?;
        let shape = inputs.shape(0);
        if let Some(rank) = shape.rank() {
            let dim = shape.dim(axis_of(self.axis, rank, "axis")?);
            if !dim.is_compatible(Dim::new(n)) {
                bail!(
                    Shape,
                    "cannot unstack shape {shape} along axis {} into {n} tensors",
                    self.axis
                );
            }
        }
        let spec = TensorSpec::new(inputs.dtype(0), unstacked(shape, self.axis)?);
        Ok(smallvec![spec; n])
    }
    fn known_outputs(&self, inputs: &Inputs<'_>) -> KnownOutputs {
        match (inputs.shape(0).rank(), inputs.known(0)) {
            (Some(1), Some(known)) => known.iter().map(|&n| Some(smallvec![n])).collect(),
            _ => KnownOutputs::new(),
        }
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let parts = all_grads(e, call)?;
        let grad = e.pack(&parts, self.axis)?;
        Ok(smallvec![Some(grad.into())])
    }
}

impl Moving for Unpack {
    type Bound = Part;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Part>> {
        let dims = static_shape(inputs.spec(0))?;
        let axis = axis_of(self.axis, dims.rank(), "axis")?;
        let part = |i| Strided::read(&View::of(&dims).at(axis, i));
        let parts = (0..outputs.len()).map(part).collect();
        Ok(Some(Part {
            from: 0,
            axis,
            parts,
        }))
    }
}

/// More parts than this are refused rather than listed.
const MAX_PARTS: usize = 1 << 20;

fn n_parts(n: i64, name: &str) -> Result<usize> {
    match size_of(n, name)? {
        n if n > MAX_PARTS => bail!(Value, "{name} is {n}, more than {MAX_PARTS}"),
        n => Ok(n),
    }
}

fn num_split(n: i64) -> Result<usize> {
    match n_parts(n, "num_split")? {
        0 => bail!(Value, "num_split must be positive"),
        n => Ok(n),
    }
}
