//! Parting a tensor along an axis.

use crate::args::{axis_of, elements, expect_index, scalar, size_of};
use crate::concat::unstacked;
use crate::emit::*;
use crate::movement::{Io, Moving, Rearrange, moving, static_shape};
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Inputs, Known, Op, Registry, Specs,
    Val, VjpCall, op_object,
};
use ferrograph_kernels::movement::{Strided, View};
use ferrograph_tensor::{Dim, PartialShape, Result, Shape, TensorSpec, bail};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Copies of parts of one input to the outputs.
pub(crate) struct Part {
    from: usize,
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
        Ok(Part { from, parts })
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
    expect_index(inputs, i, "axis")?;
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
    let mut parts = all_grads(e, call)?;
    parts.push(axis.clone());
    let parts: Vec<&Val> = parts.iter().collect();
    e.op("ConcatV2", &parts, vec![])
}

/// Input 1 in `num_split` equal parts along the axis input 0.
#[derive(Debug)]
pub struct Split {
    /// How many parts.
    pub num_split: usize,
}

impl Op for Split {
    op_object!();
    moving!();
    fn name(&self) -> &'static str {
        "Split"
    }
    fn node_name(&self) -> &'static str {
        "split"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("num_split", Attr::Int(self.num_split as i64))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        let from = inputs.shape(1);
        let axis = axis_in(inputs, 0, from)?;
        let size = axis.and_then(|axis| from.dim(axis).known());
        if let Some(n) = size
            && (self.num_split == 0 || n % self.num_split != 0)
        {
            bail!(
                Shape,
                "cannot split {n} elements of shape {from} into {} equal parts",
                self.num_split
            );
        }
        let part = Dim::from(size.map(|n| n / self.num_split));
        let spec = TensorSpec::new(inputs.dtype(1), resized(from, axis, part));
        Ok(smallvec![spec; self.num_split])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
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

/// Input 0 in parts of the sizes input 1 along the axis input 2; one size may be -1 for what is left.
#[derive(Debug)]
pub struct SplitV {
    /// How many parts.
    pub num_split: usize,
}

impl SplitV {
    fn sizes(&self, inputs: &Inputs<'_>, total: Option<usize>) -> Result<Known> {
        let mut sizes = match elements(inputs, 1) {
            Some(sizes) if sizes.len() != self.num_split => bail!(
                Shape,
                "size_splits has {} elements for {} parts",
                sizes.len(),
                self.num_split
            ),
            Some(sizes) => sizes,
            None => Known::from_elem(None, self.num_split),
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
    op_object!();
    moving!();
    fn name(&self) -> &'static str {
        "SplitV"
    }
    fn node_name(&self) -> &'static str {
        "split"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("num_split", Attr::Int(self.num_split as i64))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        expect_index(inputs, 1, "size_splits")?;
        let from = inputs.shape(0);
        let axis = axis_in(inputs, 2, from)?;
        let sizes = self.sizes(inputs, axis.and_then(|a| from.dim(a).known()))?;
        let spec = |size: &Option<i64>| {
            let size = Dim::from(size.and_then(|s| usize::try_from(s).ok()));
            TensorSpec::new(inputs.dtype(0), resized(from, axis, size))
        };
        Ok(sizes.iter().map(spec).collect())
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
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

/// The slices of its input along an axis, which they lose.
#[derive(Debug)]
pub struct Unpack {
    /// How many there are.
    pub num: usize,
    /// The axis.
    pub axis: i64,
}

impl Op for Unpack {
    op_object!();
    moving!();
    fn name(&self) -> &'static str {
        "Unpack"
    }
    fn node_name(&self) -> &'static str {
        "unstack"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("num", Attr::Int(self.num as i64))
            .with("axis", Attr::Int(self.axis))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let shape = inputs.shape(0);
        if let Some(rank) = shape.rank() {
            let dim = shape.dim(axis_of(self.axis, rank, "axis")?);
            if !dim.is_compatible(Dim::new(self.num)) {
                bail!(
                    Shape,
                    "cannot unstack shape {shape} along axis {} into {} tensors",
                    self.axis,
                    self.num
                );
            }
        }
        let spec = TensorSpec::new(inputs.dtype(0), unstacked(shape, self.axis)?);
        Ok(smallvec![spec; self.num])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        if inputs.shape(0).rank()? != 1 {
            return None;
        }
        Some(smallvec![*inputs.known(0)?.first()?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let parts = all_grads(e, call)?;
        let parts: Vec<&Val> = parts.iter().collect();
        let grad = e.op("Pack", &parts, vec![("axis", Attr::Int(self.axis))])?;
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
        Ok(Some(Part { from: 0, parts }))
    }
}

/// More parts than this are refused rather than listed.
const MAX_PARTS: usize = 1 << 20;

fn n_parts(a: &AttrReader<'_>, name: &str) -> Result<usize> {
    match size_of(a.int(name)?, name)? {
        n if n > MAX_PARTS => bail!(Value, "{name} is {n}, more than {MAX_PARTS}"),
        n => Ok(n),
    }
}

fn num_split(a: &AttrReader<'_>) -> Result<usize> {
    match n_parts(a, "num_split")? {
        0 => bail!(Value, "num_split must be positive"),
        n => Ok(n),
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("Split", |a| {
        Ok(Arc::new(Split {
            num_split: num_split(a)?,
        }))
    });
    r.add("SplitV", |a| {
        Ok(Arc::new(SplitV {
            num_split: num_split(a)?,
        }))
    });
    r.add("Unpack", |a| {
        Ok(Arc::new(Unpack {
            num: n_parts(a, "num")?,
            axis: a.int_or("axis", 0)?,
        }))
    });
}
