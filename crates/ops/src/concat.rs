//! Joining tensors along an axis, old or new.

use crate::args::{axis_of, elements_of_rows, expect_one, scalar, sum_dims, without_axis};
use crate::emit::*;
use crate::movement::{Io, Moving, Rearrange, moving, static_shape};
use ferrograph_graph::{
    Emitter, Grad, Grads, Inputs, Known, MOST_KNOWN_IN_ROWS, Op, Places, Specs, Val, VjpCall,
    declare, declared,
};
use ferrograph_kernels::movement::Join;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail};
use smallvec::{SmallVec, smallvec};

declare! {
    trait EmitJoin;

    /// The tensors `values` joined along `axis`.
    ConcatV2 as "concat": concat_v2(values: [T; N], axis: Tidx in index) -> (output: T), gradient Vjp, identity OnlyPart, batch Rule;

    /// The tensors `values`, of one shape, stacked along a new axis.
    Pack as "stack": pack(values: [T; N]) -> (output: T), gradient Vjp, batch Rule {
        /// Where the new axis is in the output.
        axis: i64 = 0,
    };
}

/// Inputs 0.. side by side in the only output.
pub(crate) struct Joined {
    places: Places,
    join: Join,
}

impl Rearrange for Joined {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let pieces: SmallVec<[&[T]; 8]> = (0..self.join.count()).map(|i| io.input(i)).collect();
        self.join.run(&pieces, io.output(0));
        Ok(())
    }
    fn places(&self) -> Places {
        self.places.clone()
    }
}

impl ConcatV2 {
    fn merged(inputs: &Inputs<'_>, n: usize, axis: usize, rank: usize) -> Result<PartialShape> {
        let mut rest = PartialShape::of_rank(rank);
        let mut sizes: SmallVec<[Dim; 4]> = SmallVec::new();
        for i in 0..n {
            let shape = inputs.shape(i);
            sizes.push(shape.dim(axis));
            let open: PartialShape = match shape.dims() {
                Some(dims) => {
                    let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(dims);
                    dims[axis] = Dim::UNKNOWN;
                    PartialShape::new(&dims)
                }
                None => PartialShape::UNKNOWN,
            };
            rest = match rest.merge(&open) {
                Ok(rest) => rest,
                Err(_) => bail!(
                    Shape,
                    "cannot concatenate along axis {axis}: values[{i}] has shape {shape}, values[0] has shape {}; \
                     sizes may differ along that axis only",
                    inputs.shape(0)
                ),
            };
        }
        let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(rest.dims().unwrap_or(&[]));
        if let Some(dim) = dims.get_mut(axis) {
            *dim = sum_dims(sizes);
        }
        Ok(PartialShape::new(&dims))
    }
}

/// The elements of the first inputs, one after the other, which are joined along the first axis to a tensor of that rank.
fn joined(inputs: &Inputs<'_>, n: usize, rank: usize) -> Option<Known> {
    let mut all = Known::new();
    for i in 0..n {
        match inputs.shape(i).rank() {
            // It has the rank of the others, and is a scalar if they are.
            None if rank == 1 && inputs.dtype(i).is_integer() => all.push(None),
            _ => all.extend(elements_of_rows(inputs, i)?),
        }
    }
    (rank == 1 || all.len() <= MOST_KNOWN_IN_ROWS).then_some(all)
}

impl Op for ConcatV2 {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let Some(n) = inputs.len().checked_sub(1).filter(|&n| n > 0) else {
            bail!(
                Value,
                "expected at least one tensor to concatenate and an axis"
            );
        };
        expect_one(inputs, n, "axis")?;
        let mut rank = None;
        for i in 0..n {
            match (rank, inputs.shape(i).rank()) {
                (Some(a), Some(b)) if a != b => bail!(
                    Shape,
                    "cannot concatenate tensors of different rank: values[{i}] has shape {}, another one rank {a}",
                    inputs.shape(i)
                ),
                (None, b) => rank = b,
                _ => {}
            }
        }
        if rank == Some(0) {
            bail!(Shape, "scalars cannot be concatenated; stack them instead");
        }
        let shape = match (rank, scalar(inputs, n)) {
            (Some(rank), Some(axis)) => {
                ConcatV2::merged(inputs, n, axis_of(axis, rank, "axis")?, rank)?
            }
            (Some(rank), None) => PartialShape::of_rank(rank),
            (None, _) => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let n = inputs.len().checked_sub(1)?;
        let rank = inputs.shape(0).rank()?;
        let is_first = rank == 1 || axis_of(scalar(inputs, n)?, rank, "axis").ok()? == 0;
        if !is_first || (0..n).any(|i| inputs.shape(i).rank() != Some(rank)) {
            return None;
        }
        joined(inputs, n, rank)
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some((axis, values)) = call.inputs.split_last() else {
            bail!(Internal, "a concatenation without inputs");
        };
        let mut grads: Grads = smallvec![None; call.inputs.len()];
        if let [_] = values {
            grads[0] = Some(call.grad()?.clone().into());
            return Ok(grads);
        }
        let sizes = sizes_along(e, values, axis)?;
        let parts = e.split_v(call.grad()?, &sizes, axis, values.len() as i64)?;
        for (slot, part) in grads.iter_mut().zip(parts) {
            *slot = Some(Grad::Dense(part));
        }
        Ok(grads)
    }
}

/// The sizes of tensors along an axis, as an int32 vector.
fn sizes_along(e: &mut dyn Emitter, values: &[Val], axis: &Val) -> Result<Val> {
    let at = |v: &Val| -> Option<i64> {
        let axis = axis.constant()?.to_i64s().ok()?.first().copied()?;
        let shape = v.spec().shape;
        let axis = axis_of(axis, shape.rank()?, "axis").ok()?;
        Some(shape.dim(axis).known()? as i64)
    };
    if let Some(sizes) = values.iter().map(at).collect::<Option<Vec<i64>>>() {
        return e.int_vector(&sizes);
    }
    let zero = e.scalar(0.0, DType::Int32)?;
    let mut sizes = Vec::new();
    for v in values {
        let shape = e.shape_of(v)?;
        let rank = match v.spec().shape.rank() {
            Some(rank) => e.scalar(rank as f64, axis.dtype())?,
            None => {
                let rank = e.rank(v)?;
                e.cast(&rank, axis.dtype())?
            }
        };
        let axis = e.floor_mod(axis, &rank)?;
        sizes.push(e.gather_v2(&shape, &axis, &zero, 0)?);
    }
    e.pack(&sizes, 0)
}

impl Moving for ConcatV2 {
    type Bound = Joined;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Joined>> {
        let n = inputs.len() - 1;
        let out = static_shape(&outputs[0])?;
        let Some(axis) = scalar(inputs, n) else {
            return Ok(None);
        };
        let axis = axis_of(axis, out.rank(), "axis")?;
        let count = |dims: &[usize]| dims.iter().product::<usize>();
        let width = |i| Ok(count(&static_shape(inputs.spec(i))?[axis..]));
        let widths = (0..n)
            .map(width)
            .collect::<Result<SmallVec<[usize; 8]>>>()?;
        Ok(Some(Joined {
            places: Places::Join(axis),
            join: Join::new(count(&out[..axis]), &widths),
        }))
    }
}

impl Op for Pack {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n = inputs.len();
        if n == 0 {
            bail!(Value, "expected at least one tensor to stack");
        }
        let mut all = PartialShape::UNKNOWN;
        for i in 0..n {
            all = match all.merge(inputs.shape(i)) {
                Ok(all) => all,
                Err(_) => bail!(
                    Shape,
                    "shapes of all tensors to stack must match: values[0] has shape {}, values[{i}] has shape {}",
                    inputs.shape(0),
                    inputs.shape(i)
                ),
            };
        }
        let shape = match all.dims() {
            None => PartialShape::UNKNOWN,
            Some(dims) => {
                let axis = axis_of(self.axis, dims.len() + 1, "axis")?;
                let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(dims);
                dims.insert(axis, Dim::new(n));
                PartialShape::new(&dims)
            }
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let n = inputs.len();
        let rank = (0..n).find_map(|i| inputs.shape(i).rank())?;
        if rank > 0 && axis_of(self.axis, rank + 1, "axis").ok()? != 0 {
            return None;
        }
        joined(inputs, n, rank + 1)
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let parts = e.unpack(call.grad()?, call.inputs.len() as i64, self.axis)?;
        Ok(parts.into_iter().map(|g| Some(g.into())).collect())
    }
}

impl Moving for Pack {
    type Bound = Joined;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Joined>> {
        let out = static_shape(&outputs[0])?;
        let axis = axis_of(self.axis, out.rank(), "axis")?;
        let width = out[axis + 1..].iter().product();
        let widths: SmallVec<[usize; 8]> = smallvec![width; inputs.len()];
        Ok(Some(Joined {
            places: Places::Join(axis),
            join: Join::new(out[..axis].iter().product(), &widths),
        }))
    }
}

/// The shape of one part of `shape` unstacked along `axis`.
pub(crate) fn unstacked(shape: &PartialShape, axis: i64) -> Result<PartialShape> {
    match shape.rank() {
        Some(rank) => Ok(without_axis(shape, Some(axis_of(axis, rank, "axis")?))),
        None => Ok(PartialShape::UNKNOWN),
    }
}
