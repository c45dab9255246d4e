//! Choosing between operands.

use super::strings::broadcast_indices;
use crate::emit::*;
use crate::movement::static_shape;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Known, Lowered, MOST_KNOWN_IN_ROWS, Map, Op, Runner,
    ScalarCode, Specs, Tensors, Val, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::elementwise::{Broadcast, Chosen, select_broadcast};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail};
use smallvec::smallvec;

declare_family! {
    trait EmitSelect;

    /// One of two operands, element by element.
    Select {
        /// Whether operands broadcast.
        broadcast: bool,
    } (condition: bool, t: T in stored, e: T) -> (output: T) {};

    /// `t` where `condition` holds, else `e`; all three broadcast.
    SelectV2: select, gradient Vjp, identity Selects, batch Broadcasts { broadcast: true };
    /// `t` where `condition` holds, else `e`; the condition is a scalar, a vector that chooses rows, or of the
    /// operands' shape.
    Select: select_rows, gradient Vjp, identity Selects, batch Rule { broadcast: false };
}

impl Select {
    /// The condition's shape as it broadcasts against the operands.
    fn condition_shape(&self, cond: &PartialShape, like: &PartialShape) -> PartialShape {
        match (cond.rank(), like.rank()) {
            (Some(1), Some(rank)) if !self.broadcast && rank > 1 => std::iter::once(cond.dim(0))
                .chain(std::iter::repeat_n(Dim::new(1), rank - 1))
                .collect(),
            _ => cond.clone(),
        }
    }

    fn shape(
        &self,
        cond: &PartialShape,
        a: &PartialShape,
        b: &PartialShape,
    ) -> Result<PartialShape> {
        if self.broadcast {
            return cond.broadcast(&a.broadcast(b)?);
        }
        let both = a.merge(b)?;
        let cond = self.condition_shape(cond, &both);
        if cond.rank() != Some(0)
            && cond.rank().is_some()
            && !cond.broadcast(&both)?.is_compatible(&both)
        {
            bail!(
                Shape,
                "condition of shape {cond} does not fit operands of shape {both}"
            );
        }
        Ok(both)
    }
}

/// Element `i` of what is broadcast along one axis.
fn at<T: Copy>(all: &[T], i: usize) -> Option<T> {
    match all {
        [one] => Some(*one),
        _ => all.get(i).copied(),
    }
}

impl Op for Select {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = self.shape(inputs.shape(0), inputs.shape(1), inputs.shape(2))?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(1), shape)])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let shape = self.shape(inputs.shape(0), inputs.shape(1), inputs.shape(2));
        let shape = shape
            .ok()
            .filter(|s| s.rank().is_some_and(|rank| rank <= 1))?;
        let (a, b) = (inputs.known(1)?, inputs.known(2)?);
        let cond = inputs.constant(0).and_then(|c| c.as_slice::<bool>().ok());
        let chosen = |i| {
            let (a, b) = (at(&a, i)?, at(&b, i)?);
            match cond {
                Some(cond) => {
                    if at(cond, i)? {
                        a
                    } else {
                        b
                    }
                }
                None => a.filter(|_| a == b),
            }
        };
        let n = shape.n_elements().filter(|&n| n <= MOST_KNOWN_IN_ROWS)?;
        Some((0..n).map(chosen).collect())
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let out = static_shape(&outputs[0])?;
        let spread = self.condition_shape(inputs.shape(0), &outputs[0].shape);
        let by_rows = spread != *inputs.shape(0);
        let cond = static_shape(&TensorSpec::new(DType::Bool, spread))?;
        let (a, b) = (static_shape(inputs.spec(1))?, static_shape(inputs.spec(2))?);
        let plan = Broadcast::new([&cond, &a, &b], &out);
        let dtype = inputs.dtype(1).moved_as();
        let kernel = match dtype.is_dense().then(|| dtype.size()) {
            Some(1) => bind::<1>(plan),
            Some(2) => bind::<2>(plan),
            Some(4) => bind::<4>(plan),
            Some(8) => bind::<8>(plan),
            Some(16) => bind::<16>(plan),
            _ => return Ok(Lowered::Eval),
        };
        Ok(match by_rows {
            true => Lowered::Kernel(kernel),
            false => Lowered::Map(Map {
                code: ScalarCode::Select,
                kernel,
            }),
        })
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let specs: Vec<TensorSpec> = inputs.iter().map(Tensor::spec).collect();
        let out = self.infer(&Inputs::of_specs(&specs))?;
        let shape = |s: &PartialShape| s.to_static().unwrap_or_default();
        let out = shape(&out[0].shape);
        let cond = shape(&self.condition_shape(&specs[0].shape, &specs[1].shape));
        Ok(smallvec![choose_strings(inputs, &cond, &out)?])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [cond, a, b] = call.all()?;
        let (g, y) = (call.grad()?, &call.outputs[0]);
        let zero = if self.broadcast {
            e.scalar(0.0, g.dtype())?
        } else {
            e.zeros_like(g)?
        };
        let one = |e: &mut dyn Emitter, x: &Val, left: &Val, right: &Val| -> Result<Val> {
            let grad = match self.broadcast {
                true => e.select(cond, left, right)?,
                false => e.select_rows(cond, left, right)?,
            };
            e.unbroadcast(&grad, x, y)
        };
        let da = one(e, a, g, &zero)?;
        let db = one(e, b, &zero, g)?;
        Ok(smallvec![None, Some(da.into()), Some(db.into())])
    }
}

fn bind<const N: usize>(plan: Broadcast<3>) -> Kernel
where
    [u8; N]: Chosen,
{
    Box::new(move |o| {
        let (cond, a, b) = (o.input(0), o.input_bytes(1), o.input_bytes(2));
        let (a, b) = (a.as_chunks().0, b.as_chunks().0);
        let out = o.output_bytes(0).as_chunks_mut::<N>().0;
        select_broadcast(&plan, cond, a, b, out);
        Ok(())
    })
}

fn choose_strings(inputs: &[Tensor], cond: &Shape, out: &Shape) -> Result<Tensor> {
    let holds = inputs[0].as_slice::<bool>()?;
    let (a, b) = (inputs[1].as_strings()?, inputs[2].as_strings()?);
    let chosen = broadcast_indices(cond, out)
        .zip(broadcast_indices(inputs[1].shape(), out))
        .zip(broadcast_indices(inputs[2].shape(), out))
        .map(|((c, i), j)| if holds[c] { a[i].clone() } else { b[j].clone() })
        .collect();
    Tensor::from_strings(out.clone(), chosen)
}
