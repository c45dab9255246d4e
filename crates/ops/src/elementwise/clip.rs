//! Keeping values within bounds.

use super::strings::broadcast_indices;
use crate::emit::*;
use crate::movement::static_shape;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Map, Op, ScalarCode, Specs, VjpCall, declare, declared,
};
use ferrograph_kernels::elementwise::{clip, clipped_to};
use ferrograph_kernels::pool;
use ferrograph_tensor::{Element, Result, Shape, TensorSpec, with_element};
use smallvec::smallvec;

declare! {
    trait EmitClip;

    /// `t` moved to the nearest bound where it is outside; each bound is a scalar or of the shape of `t`.
    ClipByValue: clip_by_value(t: T in real, clip_value_min: T, clip_value_max: T)
        -> (output: T), gradient Vjp, batch Broadcasts;
}

impl Op for ClipByValue {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let mut shape = inputs.shape(0).clone();
        for bound in [1, 2] {
            shape = shape.broadcast(inputs.shape(bound))?;
        }
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let out = static_shape(&outputs[0])?;
        let shapes = [
            static_shape(inputs.spec(0))?,
            static_shape(inputs.spec(1))?,
            static_shape(inputs.spec(2))?,
        ];
        with_element!(inputs.dtype(0), real, T => Ok(Lowered::Map(Map {
            code: ScalarCode::Clip,
            kernel: clipped::<T>(shapes, out),
        })), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [x, low, high] = call.all()?;
        let (g, y) = (call.grad()?, &call.outputs[0]);
        let zero = e.scalar(0.0, g.dtype())?;
        let below = e.less(x, low)?;
        let above = e.greater(x, high)?;
        let outside = e.logical_or(&below, &above)?;
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

fn clipped<T: Element + PartialOrd>(shapes: [Shape; 3], out: Shape) -> Kernel {
    if shapes[0] == out && shapes[1].n_elements() == 1 && shapes[2].n_elements() == 1 {
        return Box::new(move |o| {
            let (x, low, high) = (o.input::<T>(0), o.input::<T>(1)[0], o.input::<T>(2)[0]);
            pool::par_chunks_mut(o.output::<T>(0), 0.4, |at, out| {
                clip(&x[at..at + out.len()], low, high, out);
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
            *o = clipped_to(x[i], low[j], high[k]);
        }
        Ok(())
    })
}
