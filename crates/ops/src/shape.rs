//! Operations that give the same elements another shape.

use crate::args::{axis_of, elements, expect_few, expect_one, scalar};
use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grad, Grads, Inputs, Known, Lowered, Op, Runner, Specs, Tensors, VjpCall, declare,
    declared,
};
use ferrograph_tensor::{Dim, PartialShape, Result, Tensor, TensorSpec, bail, err};
use smallvec::{SmallVec, smallvec};

declare! {
    trait EmitReshape;

    /// The elements of `tensor` under the shape `shape`; a -1 in it is what is left.
    Reshape: reshape(tensor: T, shape: Tshape in index rank 1) -> (output: T), gradient Vjp, identity Reshapes, batch Rule;

    /// `input` with an axis of size 1 put in at `dim`.
    ExpandDims: expand_dims(input: T, dim: Tdim in index) -> (output: T), gradient Vjp, identity KeepsShape, batch Axes(1);

    /// `input` without axes of size 1: those named, or all.
    Squeeze: squeeze(input: T) -> (output: T), gradient Vjp, identity KeepsShape, batch Rule {
        /// The axes to drop; all of size 1 where empty.
        squeeze_dims: Vec<i64> = Vec::new(),
    };

    /// `input`, all at once.
    IdentityN: identity_n(input: [T]) -> (output: [T]), gradient Vjp, identity Forwards, batch Rule;
}

/// The gradient with respect to the first of `n` inputs: that of the output under the input's shape.
fn reshape_back(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
    let grad = e.reshape_like(call.grad()?, &call.inputs[0])?;
    let mut grads: Grads = smallvec![None; call.inputs.len()];
    grads[0] = Some(grad.into());
    Ok(grads)
}

/// The known elements of input 0, where the output is a scalar or vector of them.
fn same_elements(inputs: &Inputs<'_>, output: Result<Specs>) -> Option<Known> {
    let spec = output.ok()?.into_iter().next()?;
    let known = inputs.known_rows(0)?;
    let is_sized = spec.shape.rank()? <= 1 || spec.shape.n_elements() == Some(known.len());
    is_sized.then_some(known)
}

impl Reshape {
    /// The dimensions asked for, where the length of the shape is known: -1 where to be inferred, else checked.
    fn target(inputs: &Inputs<'_>) -> Result<Option<Known>> {
        expect_few(inputs, 1, "shape")?;
        let Some(target) = elements(inputs, 1) else {
            return Ok(None);
        };
        let mut inferred = 0;
        for d in target.iter().flatten() {
            match d {
                -1 => inferred += 1,
                d if *d < 0 => bail!(Shape, "shape holds {d}, which is no size"),
                _ => {}
            }
        }
        if inferred > 1 {
            bail!(Shape, "shape holds -1 more than once");
        }
        Ok(Some(target))
    }

    /// Replaces the only open dimension by what the other ones leave of `total` elements.
    fn infer_open(target: &mut [Option<i64>], total: usize, from: &PartialShape) -> Result<()> {
        let open = |d: &Option<i64>| d.is_none_or(|d| d < 0);
        let others = target
            .iter()
            .filter(|d| !open(d))
            .try_fold(1i64, |n, d| n.checked_mul(d.unwrap_or(1)))
            .ok_or_else(|| err!(Shape, "the shape asked for has too many elements"))?;
        let total = total as i64;
        let n_open = target.iter().filter(|d| open(d)).count();
        let shown = || {
            let dims: Vec<_> = target
                .iter()
                .map(|d| d.map_or("?".to_owned(), |d| d.to_string()))
                .collect();
            format!("[{}]", dims.join(","))
        };
        if n_open == 0 && others != total {
            bail!(
                Shape,
                "cannot reshape a tensor of shape {from} ({total} elements) to shape {} ({others} elements)",
                shown()
            );
        }
        if n_open != 1 {
            return Ok(());
        }
        let missing = match others {
            0 if total == 0 => Reshape::beside_zeros(target, from),
            0 => None,
            _ if total % others == 0 => Some(total / others),
            _ => None,
        };
        if missing.is_none() && (total != 0 || others != 0) {
            bail!(
                Shape,
                "cannot reshape a tensor of shape {from} ({total} elements) to shape {}: {total} is not a multiple of {others}",
                shown()
            );
        }
        for d in target.iter_mut().filter(|d| open(d)) {
            *d = missing.or(*d);
        }
        Ok(())
    }

    /// The size that -1 is beside sizes of 0: what the other sizes leave of the elements that there would be
    /// without those of 0, on both sides. `None` where that is not known yet.
    fn beside_zeros(target: &[Option<i64>], from: &PartialShape) -> Option<i64> {
        if !target.contains(&Some(-1)) {
            return None;
        }
        let known = from.dims()?.iter().map(|d| d.known());
        let elements = known
            .filter(|d| *d != Some(0))
            .try_fold(1i64, |n, d| Some(n.saturating_mul(i64::try_from(d?).ok()?)))?;
        let sizes = target.iter().flatten().filter(|d| **d > 0);
        Some(elements / sizes.fold(1i64, |n, d| n.saturating_mul(*d)))
    }
}

impl Op for Reshape {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = match Reshape::target(inputs)? {
            None => PartialShape::UNKNOWN,
            Some(mut target) => {
                let total = inputs.shape(0).n_elements();
                if let Some(total) = total.filter(|&n| i64::try_from(n).is_ok()) {
                    Reshape::infer_open(&mut target, total, inputs.shape(0))?;
                }
                target
                    .iter()
                    .map(|d| Dim::from(d.and_then(|d| usize::try_from(d).ok())))
                    .collect()
            }
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        // A size that nobody knows yet may contradict the elements, whatever was inferred of it.
        let is_told = Reshape::target(inputs)?.is_some_and(|t| t.iter().all(Option::is_some));
        Ok(if is_told {
            Lowered::Alias(0)
        } else {
            Lowered::Eval
        })
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        same_elements(inputs, self.infer(inputs))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        reshape_back(e, call)
    }
}

impl Op for ExpandDims {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        expect_one(inputs, 1, "axis")?;
        let shape = match (inputs.shape(0).dims(), scalar(inputs, 1)) {
            (Some(dims), Some(axis)) => {
                let n = dims.len() as i64;
                if axis < -1 - n || axis > n {
                    bail!(
                        Shape,
                        "axis {axis} is not in [{}, {n}]: the tensor has rank {n}",
                        -1 - n
                    );
                }
                let at = if axis < 0 { axis + n + 1 } else { axis } as usize;
                let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(dims);
                dims.insert(at, Dim::new(1));
                PartialShape::new(&dims)
            }
            (Some(dims), None) => PartialShape::of_rank(dims.len() + 1),
            (None, _) => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Alias(0))
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        same_elements(inputs, self.infer(inputs))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        reshape_back(e, call)
    }
}

impl Squeeze {
    fn output(&self, dims: &[Dim]) -> Result<PartialShape> {
        let one = Dim::new(1);
        if self.squeeze_dims.is_empty() {
            return Ok(if dims.iter().all(|d| d.known().is_some()) {
                dims.iter().copied().filter(|d| *d != one).collect()
            } else {
                PartialShape::UNKNOWN
            });
        }
        let mut dropped: SmallVec<[bool; 8]> = smallvec![false; dims.len()];
        for &axis in &self.squeeze_dims {
            let axis = axis_of(axis, dims.len(), "axis")?;
            if !dims[axis].is_compatible(one) {
                bail!(
                    Shape,
                    "cannot squeeze axis {axis}: expected size 1, got {} in shape {}",
                    dims[axis],
                    PartialShape::new(dims)
                );
            }
            dropped[axis] = true;
        }
        let kept = dims.iter().zip(&dropped).filter(|(_, dropped)| !**dropped);
        Ok(kept.map(|(d, _)| *d).collect())
    }
}

impl Op for Squeeze {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = match inputs.shape(0).dims() {
            Some(dims) => self.output(dims)?,
            None => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Alias(0))
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        same_elements(inputs, self.infer(inputs))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        reshape_back(e, call)
    }
}

impl Op for IdentityN {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok((0..inputs.len()).map(|i| inputs.spec(i).clone()).collect())
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        if inputs.is_empty() {
            return None;
        }
        inputs.known_rows(0)
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(inputs.iter().cloned().collect())
    }
    fn vjp(&self, _e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        Ok(call
            .grads
            .iter()
            .map(|g| g.clone().map(Grad::from))
            .collect())
    }
}
