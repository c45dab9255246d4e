//! The sum of many tensors, and half the sum of squares.

use super::kernels::EuclideanNorm;
use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Map, Op, Runner, ScalarCode, Specs, Tensors, VjpCall,
    declare, declared,
};
use ferrograph_kernels::elementwise::{Add, Binary};
use ferrograph_kernels::pool;
use ferrograph_kernels::reduce::{ReduceOp, Sum, reduce};
use ferrograph_tensor::{Element, Result, Tensor, TensorSpec, bail, bf16, f16, with_element};
use smallvec::smallvec;
use std::ops::Range;

declare! {
    trait EmitSums;

    /// The sum of all `inputs`, of one dtype and shape.
    AddN: add_n(inputs: [T; N] in summed) -> (sum: T), gradient Vjp, identity OnlyTerm, batch Leads(255);

    /// Half the sum of the squares of `t`.
    L2Loss: l2_loss(t: T in floating) -> (output: T rank 0), gradient Vjp, batch Rule;
}

impl Op for AddN {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if inputs.is_empty() {
            bail!(Value, "AddN needs at least one input");
        }
        let mut shape = inputs.shape(0).clone();
        for i in 1..inputs.len() {
            shape = shape.merge(inputs.shape(i))?;
        }
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let n = inputs.len();
        let code = match n {
            2 => ScalarCode::Add,
            1 => ScalarCode::Opaque,
            _ => ScalarCode::AddN,
        };
        with_element!(inputs.dtype(0), numeric, T => Ok(Lowered::Map(Map {
            code,
            kernel: bind::<T>(n, Binary::of::<Add>()),
        })), else => Ok(Lowered::Eval))
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![crate::variant::sum(runner, inputs)?])
    }
    fn vjp(&self, _e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let g = call.grad()?;
        Ok(call.inputs.iter().map(|_| Some(g.clone().into())).collect())
    }
}

/// Elements that are added up at once, so that partial sums stay in cache.
const TILE: usize = 1024;

fn bind<T: Element>(n: usize, add: Binary<T, T>) -> Kernel {
    Box::new(move |o| {
        let inputs: smallvec::SmallVec<[&[T]; 8]> = (0..n).map(|i| o.input(i)).collect();
        #[allow(clippy::cast_precision_loss)]
        pool::par_chunks_mut(o.output::<T>(0), add.cost_ns * n as f64, |first, out| {
            let mut spare = [T::default(); TILE];
            for (i, out) in out.chunks_mut(TILE).enumerate() {
                let at = first + i * TILE..first + i * TILE + out.len();
                let spare = &mut spare[..out.len()];
                add_up(&inputs, at, add.vec_vec, out, spare);
            }
        });
        Ok(())
    })
}

/// Inputs that are added one after the other. More are added up by halves: the error grows by the logarithm of their number.
const SOME: usize = 16;

/// Adds up that part of all inputs in `out`; `spare` is for what is summed on the way.
fn add_up<T: Element>(
    inputs: &[&[T]],
    at: Range<usize>,
    add: fn(&[T], &[T], &mut [T]),
    out: &mut [T],
    spare: &mut [T],
) {
    if inputs.len() <= SOME {
        return add_in_order(inputs, at, add, out, spare);
    }
    let (left, right) = inputs.split_at(inputs.len() / 2);
    let mut first = [T::default(); TILE];
    let first = &mut first[..out.len()];
    add_up(left, at.clone(), add, first, spare);
    add_up(right, at, add, spare, out);
    add(first, spare, out);
}

/// Adds up that part of few inputs: what is summed so far changes places with `spare`, so that it ends in `out`.
fn add_in_order<T: Element>(
    inputs: &[&[T]],
    at: Range<usize>,
    add: fn(&[T], &[T], &mut [T]),
    out: &mut [T],
    spare: &mut [T],
) {
    let [first, second, rest @ ..] = inputs else {
        return out.copy_from_slice(&inputs[0][at]);
    };
    let (mut to, mut from) = match rest.len() % 2 {
        0 => (out, spare),
        _ => (spare, out),
    };
    add(&first[at.clone()], &second[at.clone()], to);
    for x in rest {
        std::mem::swap(&mut to, &mut from);
        add(from, &x[at.clone()], to);
    }
}

struct HalfSquares;

macro_rules! half_squares {
    ($($t:ty, $acc:ty, |$x:ident| $wide:expr, |$r:ident| $narrow:expr;)*) => {$(
        impl ReduceOp<$t> for HalfSquares {
            type Acc = $acc;
            type Out = $t;
            type Loop = EuclideanNorm;
            type Merge = Sum;
            #[inline(always)]
            fn identity() -> $acc {
                0.0
            }
            #[inline(always)]
            fn lift($x: $t) -> $acc {
                let x = $wide;
                x * x
            }
            #[inline(always)]
            fn merge(a: $acc, b: $acc) -> $acc {
                a + b
            }
            #[inline(always)]
            fn finish(r: $acc, _n: usize) -> $t {
                let $r = r * 0.5;
                $narrow
            }
        }
    )*};
}

half_squares! {
    f32, f32, |x| x, |r| r;
    f64, f64, |x| x, |r| r;
    f16, f32, |x| x.to_f32(), |r| f16::from_f32(r);
    bf16, f32, |x| x.to_f32(), |r| bf16::from_f32(r);
}

impl Op for L2Loss {
    declared!();
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        with_element!(inputs.dtype(0), floating, T => Ok(Lowered::Kernel(Box::new(|o| {
            let x = o.input::<T>(0);
            reduce::<T, HalfSquares>(x, x.len(), 1, o.output(0));
            Ok(())
        }))), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        Ok(smallvec![Some(
            e.mul(&call.inputs[0], call.grad()?)?.into()
        )])
    }
}
