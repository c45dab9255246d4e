//! Padding at the ends of axes.

use crate::args::{elements, scalar};
use crate::attrs::attr_enum;
use crate::emit::*;
use crate::movement::{Ground, Moving, Placed, moving, static_shape};
use crate::number::Number;
use ferrograph_graph::{
    Emitter, Grad, Grads, Inputs, Known, Lowered, MOST_KNOWN_IN_ROWS, Op, Specs, Val, VjpCall,
    declare, declared,
};
use ferrograph_kernels::movement::{
    self as k, PadMode, Stretches, Strided, View, mapped, mirrored, unmapped,
};
use ferrograph_tensor::{Dim, PartialShape, Result, TensorSpec, bail, err, with_element};
use smallvec::{SmallVec, smallvec};

attr_enum! {
    /// How a tensor is continued by its mirror image.
    MirrorMode {
        /// The outermost elements are not repeated.
        Reflect = "REFLECT",
        /// The outermost elements are themselves repeated.
        Symmetric = "SYMMETRIC",
    }
}

impl MirrorMode {
    /// How many of `n` elements can be mirrored at an end.
    fn most(self, n: usize) -> usize {
        match self {
            MirrorMode::Reflect => n.saturating_sub(1),
            MirrorMode::Symmetric => n,
        }
    }
}

declare! {
    trait EmitPad;

    /// `input` with zeros around it; a row of `paddings` says how many before and after each axis.
    Pad: pad(input: T, paddings: Tpaddings in index rank 2) -> (output: T), gradient Vjp, identity PADS, batch Rule;

    /// `input` with `constant_values` around it; a row of `paddings` says how many before and after each axis.
    PadV2: pad_v2(input: T, paddings: Tpaddings in index rank 2, constant_values: T rank 0) -> (output: T), gradient Vjp, identity PADS, batch Rule;

    /// `input` continued at both ends of each axis by its mirror image; a row of `paddings` says how far.
    MirrorPad: mirror_pad(input: T, paddings: Tpaddings in index rank 2) -> (output: T), gradient Vjp, batch Rule {
        /// Whether the outermost elements are themselves repeated.
        mode: MirrorMode,
    };

    /// The gradient of `MirrorPad`: what was mirrored is added to where it came from.
    MirrorPadGrad: mirror_pad_grad(input: T, paddings: Tpaddings in index rank 2) -> (output: T), gradient Vjp, batch Rule {
        /// As in the padding.
        mode: MirrorMode,
    };
}

type Pads = SmallVec<[(usize, usize); 4]>;

/// Elements before and after an axis, as far as they are known.
type Ends = (Option<usize>, Option<usize>);

/// Elements before and after each axis, from matrix input 1 where it is known; what is certain is checked.
fn paddings(inputs: &Inputs<'_>) -> Result<Option<Pads>> {
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
    let Some(ends) = ends(inputs)? else {
        return Ok(None);
    };
    let pair = |(before, after): Ends| Some((before?, after?));
    Ok(ends.into_iter().map(pair).collect())
}

/// The rows of matrix input 1 where it is known how many there are, as far as their elements are known.
fn ends(inputs: &Inputs<'_>) -> Result<Option<SmallVec<[Ends; 4]>>> {
    let size = |n: &Option<i64>| match n.map(usize::try_from) {
        None => Ok(None),
        Some(Ok(n)) => Ok(Some(n)),
        Some(Err(_)) => {
            let n = n.unwrap_or_default();
            Err(err!(Shape, "paddings must not be negative, got {n}"))
        }
    };
    let all = match (inputs.known_rows(1), inputs.constant(1)) {
        (Some(known), _) => known,
        (None, Some(constant)) => constant.to_i64s()?.into_iter().map(Some).collect(),
        (None, None) => return Ok(None),
    };
    let pair = |p: &[Option<i64>]| Ok((size(&p[0])?, size(&p[1])?));
    all.chunks_exact(2)
        .map(pair)
        .collect::<Result<_>>()
        .map(Some)
}

/// The shape of the padded tensor.
fn padded(inputs: &Inputs<'_>) -> Result<PartialShape> {
    paddings(inputs)?;
    let shape = inputs.shape(0);
    let (Some(dims), Some(pads)) = (shape.dims(), ends(inputs)?) else {
        let rank = shape.rank().or(inputs.shape(1).dim(0).known());
        return Ok(rank.map_or(PartialShape::UNKNOWN, PartialShape::of_rank));
    };
    let grown = |(d, &(before, after)): (&Dim, &Ends)| {
        let (Some(n), Some(before), Some(after)) = (d.known(), before, after) else {
            return Ok(Dim::UNKNOWN);
        };
        let n = n.checked_add(before).and_then(|n| n.checked_add(after));
        n.map(Dim::new)
            .ok_or_else(|| err!(Shape, "a padded axis has too many elements"))
    };
    dims.iter().zip(&pads).map(grown).collect()
}

/// The elements of a padded vector as far as they are known, with `value` at both ends.
fn padded_elements(inputs: &Inputs<'_>, value: Option<i64>) -> Option<Known> {
    let pads = paddings(inputs).ok()??;
    let &[(before, after)] = &pads[..] else {
        return None;
    };
    let inner = elements(inputs, 0)?;
    let is_small = before.max(after) <= MOST_KNOWN_IN_ROWS;
    let ends = |n| std::iter::repeat_n(value, n);
    is_small.then(|| ends(before).chain(inner).chain(ends(after)).collect())
}

/// The gradients of the padded tensor and of the paddings.
fn pad_grads(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<(Val, Grads)> {
    let paddings = &call.inputs[1];
    let (first, one) = (e.int_vector(&[0, 0])?, e.int_vector(&[1, 1])?);
    let before = e.strided_slice(paddings, &first, &one, &one, 1, 1, 0, 0, 2)?;
    let size = e.shape_of(&call.inputs[0])?;
    let size = e.cast(&size, before.dtype())?;
    let inner = e.slice(call.grad()?, &before, &size)?;
    Ok((inner.clone(), smallvec![Some(inner.into()), None]))
}

/// The input in the middle of the output, which holds something else around it.
fn framed(inputs: &Inputs<'_>, outputs: &[TensorSpec], around: Ground) -> Result<Option<Placed>> {
    let Some(pads) = paddings(inputs)? else {
        return Ok(None);
    };
    let (from, to) = (static_shape(inputs.spec(0))?, static_shape(&outputs[0])?);
    let inside = |view: View, axis: usize| view.slice(axis, pads[axis].0, 1, from[axis]);
    let view = (0..from.rank()).fold(View::of(&to), inside);
    Ok(Some(Placed {
        ground: around,
        from: 0,
        parts: vec![Strided::write(&view)],
    }))
}

impl Op for Pad {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = padded(inputs)?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        padded_elements(inputs, Some(0))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        Ok(pad_grads(e, call)?.1)
    }
}

impl Moving for Pad {
    type Bound = Placed;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Placed>> {
        framed(inputs, outputs, Ground::Zero)
    }
}

impl Op for PadV2 {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Pad.infer(inputs)
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        padded_elements(inputs, scalar(inputs, 2))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (inner, mut grads) = pad_grads(e, call)?;
        grads.push(filling_grad(e, call, 2, &inner)?);
        Ok(grads)
    }
}

impl Moving for PadV2 {
    type Bound = Placed;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Placed>> {
        framed(inputs, outputs, Ground::Value(2))
    }
}

/// The gradient of the value, input `i`, that fills what does not come from `rest`, where it is needed: what of the
/// output's gradient did not go there.
pub(crate) fn filling_grad(
    e: &mut dyn Emitter,
    call: &VjpCall<'_>,
    i: usize,
    rest: &Val,
) -> Result<Option<Grad>> {
    if call.needs.get(i) != Some(&true) {
        return Ok(None);
    }
    let all = sum_of_all(e, call.grad()?)?;
    let elsewhere = sum_of_all(e, rest)?;
    Ok(Some(e.sub(&all, &elsewhere)?.into()))
}

/// The sum of all elements.
fn sum_of_all(e: &mut dyn Emitter, x: &Val) -> Result<Val> {
    let minus_one = e.int_vector(&[-1])?;
    let flat = e.reshape(x, &minus_one)?;
    let axis = e.int_vector(&[0])?;
    e.sum(&flat, &axis, false)
}

/// What each axis of a padded tensor shows of one of these dimensions.
fn mirrors(dims: &[usize], pads: &Pads, mode: MirrorMode) -> Vec<Stretches> {
    let mode = match mode {
        MirrorMode::Symmetric => PadMode::Symmetric,
        MirrorMode::Reflect => PadMode::Reflect,
    };
    let axes = dims.iter().zip(pads);
    axes.map(|(&n, &pad)| mirrored(n, pad, mode)).collect()
}

impl MirrorPad {
    fn check(&self, axis: usize, n: usize, pad: (usize, usize)) -> Result<()> {
        let most = self.mode.most(n);
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
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let pads = paddings(inputs)?;
        if let (Some(pads), Some(dims)) = (&pads, inputs.shape(0).dims()) {
            for (axis, (d, pad)) in dims.iter().zip(pads).enumerate() {
                if let Some(n) = d.known() {
                    self.check(axis, n, *pad)?;
                }
            }
        }
        let shape = padded(inputs)?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = e.mirror_pad_grad(call.grad()?, &call.inputs[1], self.mode)?;
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
        let axes = mirrors(&from, &pads, self.mode);
        Ok(Some(mapped(&from, &axes)))
    }
}

impl Op for MirrorPadGrad {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = inputs.shape(0);
        let shape = match (paddings(inputs)?, shape.dims()) {
            (Some(pads), Some(dims)) => {
                let shrunk = |(d, &(before, after)): (&Dim, &(usize, usize))| match d.known() {
                    None => Ok(Dim::UNKNOWN),
                    Some(n) => {
                        let inner = n.checked_sub(before).and_then(|n| n.checked_sub(after));
                        let inner = inner.filter(|&n| before.max(after) <= self.mode.most(n));
                        let inner = inner.map(Dim::new);
                        inner.ok_or_else(|| err!(Shape, "paddings do not fit an axis of size {n}"))
                    }
                };
                dims.iter().zip(&pads).map(shrunk).collect::<Result<_>>()?
            }
            (None, Some(dims)) => PartialShape::of_rank(dims.len()),
            (_, None) => match inputs.shape(1).dim(0).known() {
                Some(rank) => PartialShape::of_rank(rank),
                None => PartialShape::UNKNOWN,
            },
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let Some(pads) = paddings(inputs)? else {
            return Ok(Lowered::Eval);
        };
        let dims = static_shape(&outputs[0])?;
        let parts = unmapped(&dims, &mirrors(&dims, &pads, self.mode));
        with_element!(inputs.dtype(0), numeric, T => Ok(Lowered::Kernel(Box::new(move |operands| {
            let from = operands.input::<T>(0);
            let to = operands.output::<T>(0);
            k::fill(&T::default(), to);
            parts.iter().for_each(|part| part.combine(from, to, Number::plus));
            Ok(())
        }))), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = e.mirror_pad(call.grad()?, &call.inputs[1], self.mode)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}
