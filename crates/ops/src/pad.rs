//! Padding at the ends of axes.

use crate::args::{expect_index, expect_rank};
use crate::emit::*;
use crate::movement::{Ground, Moving, Placed, moving, static_shape};
use crate::number::Number;
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Inputs, Kernel, Op, Registry,
    Specs, VjpCall, op_object,
};
use ferrograph_kernels::movement::{
    self as k, PadMode, Stretches, Strided, View, mapped, mirrored, unmapped,
};
use ferrograph_tensor::{Dim, PartialShape, Result, TensorSpec, bail, err, with_element};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

type Pads = SmallVec<[(usize, usize); 4]>;

/// Elements before and after each axis, from matrix input 1 where it is known; what is certain is checked.
fn paddings(inputs: &Inputs<'_>) -> Result<Option<Pads>> {
    expect_index(inputs, 1, "paddings")?;
    expect_rank(inputs, 1, 2, "paddings")?;
    let shape = inputs.shape(1);
    let rank = inputs.shape(0).rank();
    let rows_fit = rank.is_none_or(|r| shape.dim(0).is_compatible(Dim::new(r)));
    if !rows_fit || !shape.dim(1).is_compatible(Dim::new(2)) {
        bail!(
            Shape,
            "paddings must have a row of 2 for each axis of shape {}, got shape {shape}",
            inputs.shape(0)
        );
    }
    let Some(constant) = inputs.constant(1) else {
        return Ok(None);
    };
    let size = |n: i64| {
        usize::try_from(n).map_err(|_| err!(Shape, "paddings must not be negative, got {n}"))
    };
    let all = constant.to_i64s()?;
    let pair = |p: &[i64]| Ok((size(p[0])?, size(p[1])?));
    all.chunks_exact(2)
        .map(pair)
        .collect::<Result<_>>()
        .map(Some)
}

/// The shape of the padded tensor.
fn padded(inputs: &Inputs<'_>, pads: Option<&Pads>) -> Result<PartialShape> {
    let shape = inputs.shape(0);
    let (Some(dims), Some(pads)) = (shape.dims(), pads) else {
        let rank = shape.rank().or(inputs.shape(1).dim(0).known());
        return Ok(rank.map_or(PartialShape::UNKNOWN, PartialShape::of_rank));
    };
    let grown = |(d, &(before, after)): (&Dim, &(usize, usize))| {
        let Some(n) = d.known() else {
            return Ok(Dim::UNKNOWN);
        };
        let n = n.checked_add(before).and_then(|n| n.checked_add(after));
        n.map(Dim::new)
            .ok_or_else(|| err!(Shape, "a padded axis has too many elements"))
    };
    dims.iter().zip(pads).map(grown).collect()
}

/// Input 0 with zeros, or the scalar input 2, around it; matrix input 1 says how many.
#[derive(Debug)]
pub struct Pad {
    /// Whether input 2 gives the value.
    pub with_value: bool,
}

impl Op for Pad {
    op_object!();
    moving!();
    fn name(&self) -> &'static str {
        if self.with_value { "PadV2" } else { "Pad" }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(if self.with_value { 3 } else { 2 })?;
        if self.with_value {
            inputs.same_dtype(0, 2)?;
            expect_rank(inputs, 2, 0, "constant_values")?;
        }
        let shape = padded(inputs, paddings(inputs)?.as_ref())?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let paddings = &call.inputs[1];
        let (first, one) = (e.int_vector(&[0, 0])?, e.int_vector(&[1, 1])?);
        let before = e.op(
            "StridedSlice",
            &[paddings, &first, &one, &one],
            vec![
                ("begin_mask", Attr::Int(1)),
                ("end_mask", Attr::Int(1)),
                ("shrink_axis_mask", Attr::Int(2)),
            ],
        )?;
        let size = e.shape_of(&call.inputs[0])?;
        let size = e.cast(&size, before.dtype())?;
        let inner = e.op("Slice", &[call.grad()?, &before, &size], vec![])?;
        let mut grads: Grads = smallvec![Some(inner.clone().into()), None];
        if self.with_value && call.needs.get(2) == Some(&true) {
            let all = sum_of_all(e, call.grad()?)?;
            let inside = sum_of_all(e, &inner)?;
            grads.push(Some(e.sub(&all, &inside)?.into()));
        } else if self.with_value {
            grads.push(None);
        }
        Ok(grads)
    }
}

/// The sum of all elements.
pub(crate) fn sum_of_all(
    e: &mut dyn Emitter,
    x: &ferrograph_graph::Val,
) -> Result<ferrograph_graph::Val> {
    let minus_one = e.int_vector(&[-1])?;
    let flat = e.reshape(x, &minus_one)?;
    let axis = e.int_vector(&[0])?;
    e.sum(&flat, &axis, false)
}

impl Moving for Pad {
    type Bound = Placed;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Placed>> {
        let Some(pads) = paddings(inputs)? else {
            return Ok(None);
        };
        let (from, to) = (static_shape(inputs.spec(0))?, static_shape(&outputs[0])?);
        let inside = |view: View, axis: usize| view.slice(axis, pads[axis].0, 1, from[axis]);
        let view = (0..from.rank()).fold(View::of(&to), inside);
        let value = self.with_value.then_some(Ground::Value(2));
        Ok(Some(Placed {
            ground: value.unwrap_or(Ground::Zero),
            from: 0,
            parts: vec![Strided::write(&view)],
        }))
    }
}

/// Input 0 continued at both ends of each axis by its mirror image; matrix input 1 says how far.
#[derive(Debug)]
pub struct MirrorPad {
    /// Whether the outermost elements are themselves repeated.
    pub symmetric: bool,
}

fn mode_attr(symmetric: bool) -> Attr {
    Attr::str(if symmetric { "SYMMETRIC" } else { "REFLECT" })
}

/// What each axis of a padded tensor shows of one of these dimensions.
fn mirrors(dims: &[usize], pads: &Pads, symmetric: bool) -> Vec<Stretches> {
    let mode = if symmetric {
        PadMode::Symmetric
    } else {
        PadMode::Reflect
    };
    let axes = dims.iter().zip(pads);
    axes.map(|(&n, &pad)| mirrored(n, pad, mode)).collect()
}

impl MirrorPad {
    fn check(&self, axis: usize, n: usize, pad: (usize, usize)) -> Result<()> {
        let most = if self.symmetric {
            n
        } else {
            n.saturating_sub(1)
        };
        if pad.0.max(pad.1) > most {
            bail!(
                Shape,
                "paddings of axis {axis} are {} and {}, at most {most} of its {n} elements can be mirrored",
                pad.0,
                pad.1
            );
        }
        Ok(())
    }
}

impl Op for MirrorPad {
    op_object!();
    moving!();
    fn name(&self) -> &'static str {
        "MirrorPad"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("mode", mode_attr(self.symmetric))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        let pads = paddings(inputs)?;
        if let (Some(pads), Some(dims)) = (&pads, inputs.shape(0).dims()) {
            for (axis, (d, pad)) in dims.iter().zip(pads).enumerate() {
                if let Some(n) = d.known() {
                    self.check(axis, n, *pad)?;
                }
            }
        }
        let shape = padded(inputs, pads.as_ref())?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let attrs = vec![("mode", mode_attr(self.symmetric))];
        let grad = e.op("MirrorPadGrad", &[call.grad()?, &call.inputs[1]], attrs)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

impl Moving for MirrorPad {
    type Bound = Vec<Strided>;
    fn bind(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Vec<Strided>>> {
        let Some(pads) = paddings(inputs)? else {
            return Ok(None);
        };
        let from = static_shape(inputs.spec(0))?;
        let axes = mirrors(&from, &pads, self.symmetric);
        Ok(Some(mapped(&from, &axes)))
    }
}

/// The gradient of [`MirrorPad`]: what was mirrored is added to where it came from.
#[derive(Debug)]
pub struct MirrorPadGrad {
    /// As in the padding.
    pub symmetric: bool,
}

impl Op for MirrorPadGrad {
    op_object!();
    fn name(&self) -> &'static str {
        "MirrorPadGrad"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("mode", mode_attr(self.symmetric))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        let shape = inputs.shape(0);
        let shape = match (paddings(inputs)?, shape.dims()) {
            (Some(pads), Some(dims)) => {
                let shrunk = |(d, &(before, after)): (&Dim, &(usize, usize))| match d.known() {
                    None => Ok(Dim::UNKNOWN),
                    Some(n) => {
                        let inner = n.checked_sub(before).and_then(|n| n.checked_sub(after));
                        let inner = inner.filter(|&n| {
                            let most = if self.symmetric {
                                n
                            } else {
                                n.saturating_sub(1)
                            };
                            before.max(after) <= most
                        });
                        let inner = inner.map(Dim::new);
                        inner.ok_or_else(|| err!(Shape, "paddings do not fit an axis of size {n}"))
                    }
                };
                dims.iter().zip(&pads).map(shrunk).collect::<Result<_>>()?
            }
            (None, Some(dims)) => PartialShape::of_rank(dims.len()),
            (_, None) => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let (Some(pads), true) = (paddings(inputs)?, outputs[0].shape.is_static()) else {
            return Ok(None);
        };
        let dims = static_shape(&outputs[0])?;
        let parts = unmapped(&dims, &mirrors(&dims, &pads, self.symmetric));
        with_element!(inputs.dtype(0), numeric, T => Ok(Some(Box::new(move |operands| {
            let from = operands.input::<T>(0);
            let to = operands.output::<T>(0);
            k::fill(&T::default(), to);
            parts.iter().for_each(|part| part.combine(from, to, Number::plus));
            Ok(())
        }))), else => Ok(None))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let attrs = vec![("mode", mode_attr(self.symmetric))];
        let grad = e.op("MirrorPad", &[call.grad()?, &call.inputs[1]], attrs)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

fn is_symmetric(a: &AttrReader<'_>) -> Result<bool> {
    match a.str("mode")?.as_str() {
        "SYMMETRIC" => Ok(true),
        "REFLECT" => Ok(false),
        other => Err(err!(
            Value,
            "mode must be REFLECT or SYMMETRIC, got {other:?}"
        )),
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("Pad", |_| Ok(Arc::new(Pad { with_value: false })));
    r.add("PadV2", |_| Ok(Arc::new(Pad { with_value: true })));
    r.add("MirrorPad", |a| {
        Ok(Arc::new(MirrorPad {
            symmetric: is_symmetric(a)?,
        }))
    });
    r.add("MirrorPadGrad", |a| {
        Ok(Arc::new(MirrorPadGrad {
            symmetric: is_symmetric(a)?,
        }))
    });
}
