//! Operations that read the elements of one tensor in another order, or more than once.

use crate::args::{axis_of, elements, expect_few, expect_integers};
use crate::emit::*;
use crate::movement::{Moving, Viewed, moving, static_shape};
use ferrograph_graph::{Emitter, Grads, Inputs, Op, Specs, VjpCall, declare, declared};
use ferrograph_kernels::movement::{Stretches, Strided, View, mapped, rolled};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail};
use smallvec::{SmallVec, smallvec};

declare! {
    trait EmitTranspose;

    /// `x` with its axes in another order: axis `i` of the output is axis `perm[i]`.
    Transpose as "transpose": transpose(x: T, perm: Tperm in index rank 1) -> (y: T), gradient Vjp, identity Permutes, batch Rule;

    /// `input` repeated along axes of size 1, and along new leading ones, to the shape `shape`.
    BroadcastTo: broadcast_to(input: T, shape: Tidx in index rank 1) -> (output: T), gradient Vjp, identity KeepsShape, batch Rule;

    /// `input` repeated along each axis as often as `multiples` says.
    Tile: tile(input: T, multiples: Tmultiples in index rank 1) -> (output: T), gradient Vjp, identity TILES, batch Rule;

    /// `tensor` with the axes in `axis` reversed.
    ReverseV2: reverse_v2(tensor: T, axis: Tidx in index rank 1) -> (output: T), gradient Vjp, batch Axes(1);

    /// `input` with its elements rotated along each of the axes `axis` by its count in `shift`.
    Roll: roll(input: T, shift: Tshift in index, axis: Taxis in index) -> (output: T), gradient Vjp, batch Axes(2);
}

impl Transpose {
    fn perm(inputs: &Inputs<'_>, rank: usize) -> Result<Option<SmallVec<[usize; 6]>>> {
        let Some(perm) = inputs.ints(1) else {
            return Ok(None);
        };
        if perm.len() != rank {
            bail!(
                Shape,
                "perm has {} elements for a tensor of rank {rank}",
                perm.len()
            );
        }
        let mut seen: SmallVec<[bool; 6]> = smallvec![false; rank];
        let mut axes = SmallVec::new();
        for &p in &perm {
            let axis = axis_of(p, rank, "perm element")?;
            if std::mem::replace(&mut seen[axis], true) {
                bail!(Shape, "perm {perm:?} names axis {axis} twice");
            }
            axes.push(axis);
        }
        Ok(Some(axes))
    }
}

impl Op for Transpose {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = match (inputs.shape(0).dims(), inputs.shape(1).dim(0).known()) {
            (Some(dims), n) => match Transpose::perm(inputs, dims.len())? {
                Some(perm) => perm.iter().map(|&p| dims[p]).collect(),
                None if n.is_some_and(|n| n != dims.len()) => bail!(
                    Shape,
                    "perm has shape {} for a tensor of rank {}",
                    inputs.shape(1),
                    dims.len()
                ),
                None => PartialShape::of_rank(dims.len()),
            },
            (None, Some(n)) => PartialShape::of_rank(n),
            (None, None) => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let perm = &call.inputs[1];
        let inverse = match perm.constant() {
            Some(perm) => {
                let perm = perm.to_i64s()?;
                let n = perm.len() as i64;
                let mut inverse = vec![0; perm.len()];
                for (i, p) in perm.iter().enumerate() {
                    let axis = if *p < 0 { p + n } else { *p };
                    inverse[axis as usize] = i as i64;
                }
                e.int_vector(&inverse)?
            }
            None => e.invert_permutation(perm)?,
        };
        let grad = e.transpose(call.grad()?, &inverse)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

impl Moving for Transpose {
    type Bound = Viewed;
    fn bind(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Viewed>> {
        let from = static_shape(inputs.spec(0))?;
        let perm = Transpose::perm(inputs, from.rank())?;
        Ok(perm.map(|perm| Viewed::new(&View::of(&from).permute(&perm))))
    }
}

/// The shape `to` that a tensor of shape `from` is broadcast to: where that has several elements, so many are there.
fn widened(from: &PartialShape, to: PartialShape) -> PartialShape {
    let (Some(own), Some(dims)) = (from.dims(), to.dims()) else {
        return to;
    };
    let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(dims);
    for (d, own) in dims.iter_mut().rev().zip(own.iter().rev()) {
        if d.known().is_none() && own.known().is_some_and(|n| n != 1) {
            *d = *own;
        }
    }
    PartialShape::new(&dims)
}

impl Op for BroadcastTo {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if let Some(d) = inputs
            .known(1)
            .and_then(|k| k.into_iter().flatten().find(|&d| d < 0))
        {
            bail!(Shape, "shape holds {d}, which is no size");
        }
        let (from, to) = (inputs.shape(0), inputs.shape_value(1));
        let fits = match (from.dims(), to.dims()) {
            (Some(a), Some(b)) => {
                a.len() <= b.len()
                    && a.iter()
                        .rev()
                        .zip(b.iter().rev())
                        .all(|(x, y)| *x == Dim::new(1) || x.is_compatible(*y))
            }
            _ => true,
        };
        if !fits {
            bail!(Shape, "cannot broadcast shape {from} to shape {to}");
        }
        let shape = widened(from, to);
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = e.unbroadcast(call.grad()?, &call.inputs[0], &call.outputs[0])?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

impl Moving for BroadcastTo {
    type Bound = Viewed;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Viewed>> {
        let from = static_shape(inputs.spec(0))?;
        let to = static_shape(&outputs[0])?;
        match View::of(&from).broadcast_to(&to) {
            Some(view) => Ok(Some(Viewed::new(&view))),
            None => bail!(Shape, "cannot broadcast shape {from} to shape {to}"),
        }
    }
}

impl Op for Tile {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        expect_few(inputs, 1, "multiples")?;
        let multiples = elements(inputs, 1);
        if let Some(m) = multiples.iter().flatten().flatten().find(|m| **m < 0) {
            bail!(Shape, "multiples must not be negative, got {m}");
        }
        let shape = match (inputs.shape(0).dims(), multiples) {
            (Some(dims), Some(multiples)) => {
                if dims.len() != multiples.len() {
                    bail!(
                        Shape,
                        "multiples has {} elements for a tensor of shape {}",
                        multiples.len(),
                        inputs.shape(0)
                    );
                }
                let mut sizes: SmallVec<[Dim; 4]> = SmallVec::new();
                for (d, m) in dims.iter().zip(&multiples) {
                    sizes.push(match (d.known(), m) {
                        (_, Some(0)) | (Some(0), _) => Dim::new(0),
                        (Some(d), Some(m)) => Dim::new(match d.checked_mul(*m as usize) {
                            Some(n) => n,
                            None => bail!(Shape, "a size of {d} times {m} is too large"),
                        }),
                        _ => Dim::UNKNOWN,
                    });
                }
                PartialShape::new(&sizes)
            }
            (Some(dims), None) => PartialShape::of_rank(dims.len()),
            (None, Some(multiples)) => multiples
                .iter()
                .map(|m| Dim::from(m.filter(|&m| m == 0).map(|_| 0)))
                .collect(),
            (None, None) => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let multiples = e.cast(&call.inputs[1], DType::Int32)?;
        let shape = e.shape_of(&call.inputs[0])?;
        let pairs = e.pack(&[multiples, shape], 1)?;
        let minus_one = e.int_vector(&[-1])?;
        let split = e.reshape(&pairs, &minus_one)?;
        let split_grad = e.reshape(call.grad()?, &split)?;
        let (own, given) = (call.inputs[0].spec().shape, call.inputs[1].spec().shape);
        let axes = match own.rank().or(given.dim(0).known()) {
            Some(rank) => {
                let axes: Vec<i64> = (0..rank as i64).map(|i| 2 * i).collect();
                e.int_vector(&axes)?
            }
            None => {
                let size = e.size(&split, DType::Int32)?;
                let (zero, two) = (e.scalar(0.0, DType::Int32)?, e.scalar(2.0, DType::Int32)?);
                e.range(&zero, &size, &two)?
            }
        };
        let summed = e.sum(&split_grad, &axes, false)?;
        // The sizes are there already; the reshape says of them what is known.
        let grad = match own.rank() {
            Some(_) => e.reshape_like(&summed, &call.inputs[0])?,
            None => summed,
        };
        Ok(smallvec![Some(grad.into()), None])
    }
}

impl Moving for Tile {
    type Bound = Strided;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Strided>> {
        let from = static_shape(inputs.spec(0))?;
        let to = static_shape(&outputs[0])?;
        let times = to.iter().zip(from.iter()).map(|(t, f)| t / f.max(&1));
        let times: SmallVec<[usize; 6]> = times.collect();
        Ok(Some(Strided::read(&View::of(&from).tile(&times))))
    }
}

impl ReverseV2 {
    fn axes(inputs: &Inputs<'_>, rank: usize) -> Result<Option<SmallVec<[bool; 6]>>> {
        let Some(axes) = inputs.ints(1) else {
            return Ok(None);
        };
        let mut reversed: SmallVec<[bool; 6]> = smallvec![false; rank];
        for axis in axes {
            let axis = axis_of(axis, rank, "axis")?;
            if std::mem::replace(&mut reversed[axis], true) {
                bail!(Shape, "axis {axis} is given twice");
            }
        }
        Ok(Some(reversed))
    }
}

impl Op for ReverseV2 {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        expect_few(inputs, 1, "axis")?;
        if let Some(rank) = inputs.shape(0).rank() {
            ReverseV2::axes(inputs, rank)?;
        }
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = e.reverse_v2(call.grad()?, &call.inputs[1])?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

impl Moving for ReverseV2 {
    type Bound = Viewed;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Viewed>> {
        let dims = static_shape(&outputs[0])?;
        let Some(reversed) = ReverseV2::axes(inputs, dims.rank())? else {
            return Ok(None);
        };
        let turned = |view: View, axis| {
            if reversed[axis] {
                view.reverse(axis)
            } else {
                view
            }
        };
        let view = (0..dims.rank()).fold(View::of(&dims), turned);
        Ok(Some(Viewed::new(&view)))
    }
}

impl Op for Roll {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        expect_integers(inputs, 1, "shift")?;
        expect_integers(inputs, 2, "axis")?;
        let counts = (elements(inputs, 1), elements(inputs, 2));
        if let (Some(a), Some(b)) = counts
            && a.len() != b.len()
        {
            bail!(
                Shape,
                "shift and axis must have the same size, got {} and {}",
                inputs.shape(1),
                inputs.shape(2)
            );
        }
        if let (Some(rank), Some(axes)) = (inputs.shape(0).rank(), inputs.ints(2)) {
            for axis in axes {
                axis_of(axis, rank, "axis")?;
            }
        }
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let back = e.neg(&call.inputs[1])?;
        let grad = e.roll(call.grad()?, &back, &call.inputs[2])?;
        Ok(smallvec![Some(grad.into()), None, None])
    }
}

impl Moving for Roll {
    type Bound = Vec<Strided>;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Vec<Strided>>> {
        let dims = static_shape(&outputs[0])?;
        let (Some(counts), Some(axes)) = (inputs.ints(1), inputs.ints(2)) else {
            return Ok(None);
        };
        let mut shifts: SmallVec<[usize; 6]> = smallvec![0; dims.rank()];
        for (&count, &axis) in counts.iter().zip(&axes) {
            let axis = axis_of(axis, dims.rank(), "axis")?;
            let n = dims[axis].max(1);
            let count = count.rem_euclid(n as i64) as usize;
            shifts[axis] = (shifts[axis] + count) % n;
        }
        let axes: Vec<Stretches> = dims
            .iter()
            .zip(shifts)
            .map(|(&n, s)| rolled(n, s))
            .collect();
        Ok(Some(mapped(&dims, &axes)))
    }
}
