//! Choosing between operands.

use super::strings::broadcast_indices;
use crate::emit::*;
use ferrograph_graph::{
    Differentiability, Emitter, Grads, Inputs, Kernel, Op, Registry, Runner, Specs, Tensors, Val,
    VjpCall, evaluate, op_object,
};
use ferrograph_kernels::elementwise::{Broadcast, select_broadcast};
use ferrograph_kernels::pool;
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err, with_element,
};
use smallvec::smallvec;
use std::sync::Arc;

/// `a` where the condition holds, else `b`. All three broadcast, or in the older form the condition is a scalar, a
/// vector that chooses rows, or of the operands' shape.
#[derive(Debug)]
pub struct Select {
    /// Whether operands broadcast.
    pub broadcast: bool,
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

impl Op for Select {
    op_object!();
    fn name(&self) -> &'static str {
        if self.broadcast { "SelectV2" } else { "Select" }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        inputs.expect_dtype(0, DType::Bool)?;
        let dtype = inputs.same_dtype(1, 2)?;
        if !dtype.is_dense() && dtype != DType::String {
            bail!(DType, "{} is not defined for {dtype} tensors", self.name());
        }
        let shape = self.shape(inputs.shape(0), inputs.shape(1), inputs.shape(2))?;
        Ok(smallvec![TensorSpec::new(dtype, shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let fixed = |s: &PartialShape| {
            s.to_static()
                .ok_or_else(|| err!(Internal, "a kernel was bound to the open shape {s}"))
        };
        let out = fixed(&outputs[0].shape)?;
        let cond = fixed(&self.condition_shape(inputs.shape(0), &outputs[0].shape))?;
        let (a, b) = (fixed(inputs.shape(1))?, fixed(inputs.shape(2))?);
        let plan = Broadcast::new([&cond, &a, &b], &out);
        Ok(with_element!(inputs.dtype(1), dense, T => Some(bind::<T>(plan)), else => None))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        if inputs.get(1).is_none_or(|a| a.dtype() != DType::String) {
            return evaluate(self, inputs);
        }
        let specs: Vec<TensorSpec> = inputs.iter().map(Tensor::spec).collect();
        let out = self.infer(&Inputs::of_specs(&specs))?;
        let shape = |s: &PartialShape| s.to_static().unwrap_or_default();
        let out = shape(&out[0].shape);
        let cond = shape(&self.condition_shape(&specs[0].shape, &specs[1].shape));
        Ok(smallvec![choose_strings(inputs, &cond, &out)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [cond, a, b] = call.inputs else {
            bail!(Internal, "{} has three inputs", self.name());
        };
        let (g, y) = (call.grad()?, &call.outputs[0]);
        let zero = if self.broadcast {
            e.scalar(0.0, g.dtype())?
        } else {
            e.zeros_like(g)?
        };
        let one = |e: &mut dyn Emitter, x: &Val, left: &Val, right: &Val| -> Result<Val> {
            let grad = e.op(self.name(), &[cond, left, right], vec![])?;
            e.unbroadcast(&grad, x, y)
        };
        let da = one(e, a, g, &zero)?;
        let db = one(e, b, &zero, g)?;
        Ok(smallvec![None, Some(da.into()), Some(db.into())])
    }
}

fn bind<T: Element>(plan: Broadcast<3>) -> Kernel {
    Box::new(move |o| {
        select_broadcast(&plan, o.input(0), o.input::<T>(1), o.input(2), o.output(0));
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

/// Values moved to the nearest bound where they lie outside; each bound is a scalar or of the values' shape.
#[derive(Debug)]
pub struct ClipByValue;

impl Op for ClipByValue {
    op_object!();
    fn name(&self) -> &'static str {
        "ClipByValue"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        let dtype = inputs.same_dtype(0, 1)?;
        inputs.same_dtype(0, 2)?;
        if !dtype.is_integer() && !dtype.is_floating() {
            bail!(DType, "ClipByValue is not defined for {dtype} tensors");
        }
        let mut shape = inputs.shape(0).clone();
        for bound in [1, 2] {
            shape = shape.broadcast(inputs.shape(bound))?;
        }
        Ok(smallvec![TensorSpec::new(dtype, shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let fixed = |s: &PartialShape| {
            s.to_static()
                .ok_or_else(|| err!(Internal, "a kernel was bound to the open shape {s}"))
        };
        let out = fixed(&outputs[0].shape)?;
        let shapes = [0, 1, 2].map(|i| fixed(inputs.shape(i)));
        let [Ok(x), Ok(low), Ok(high)] = shapes else {
            return Ok(None);
        };
        Ok(
            with_element!(inputs.dtype(0), real, T => Some(clip::<T>([x, low, high], out)), else => None),
        )
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [x, low, high] = call.inputs else {
            bail!(Internal, "ClipByValue has three inputs");
        };
        let (g, y) = (call.grad()?, &call.outputs[0]);
        let zero = e.scalar(0.0, g.dtype())?;
        let below = e.op("Less", &[x, low], vec![])?;
        let above = e.op("Greater", &[x, high], vec![])?;
        let outside = e.op("LogicalOr", &[&below, &above], vec![])?;
        let parts = [
            (x, e.select(&outside, &zero, g)?),
            (low, e.select(&below, g, &zero)?),
            (high, e.select(&above, g, &zero)?),
        ];
        let mut grads = Grads::new();
        for (like, part) in parts {
            grads.push(Some(e.unbroadcast(&part, like, y)?.into()));
        }
        Ok(grads)
    }
}

fn clip<T: Element + PartialOrd>(shapes: [Shape; 3], out: Shape) -> Kernel {
    let one = |x: T, low: T, high: T| {
        if x < low {
            low
        } else if x > high {
            high
        } else {
            x
        }
    };
    if shapes[0] == out && shapes[1].n_elements() == 1 && shapes[2].n_elements() == 1 {
        return Box::new(move |o| {
            let (x, low, high) = (o.input::<T>(0), o.input::<T>(1)[0], o.input::<T>(2)[0]);
            pool::par_chunks_mut(o.output::<T>(0), 0.5, |at, out| {
                for (o, &x) in out.iter_mut().zip(&x[at..]) {
                    *o = one(x, low, high);
                }
            });
            Ok(())
        });
    }
    Box::new(move |o| {
        let (x, low, high) = (o.input::<T>(0), o.input::<T>(1), o.input::<T>(2));
        let [sx, sl, sh] = &shapes;
        let places = broadcast_indices(sx, &out)
            .zip(broadcast_indices(sl, &out).zip(broadcast_indices(sh, &out)));
        for (o, (i, (j, k))) in o.output::<T>(0).iter_mut().zip(places) {
            *o = one(x[i], low[j], high[k]);
        }
        Ok(())
    })
}

pub(crate) fn register(r: &mut Registry) {
    r.add("SelectV2", |_| Ok(Arc::new(Select { broadcast: true })));
    r.add("Select", |_| Ok(Arc::new(Select { broadcast: false })));
    r.add("ClipByValue", |_| Ok(Arc::new(ClipByValue)));
}
