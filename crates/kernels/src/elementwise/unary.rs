//! The loop of unary operations and the kernel that holds it.

use std::marker::PhantomData;

use super::UnaryOp;
use crate::isa::{Isa, Job, Unfused, dispatch};
use crate::pool;

/// The loop of one unary operation at one element type.
#[derive(Debug)]
pub struct Unary<T, U> {
    /// `out[i] = op(x[i])`
    pub slice: fn(&[T], &mut [U]),
    /// A rough cost of one element.
    pub cost_ns: f64,
}

impl<T, U> Clone for Unary<T, U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, U> Copy for Unary<T, U> {}

impl<T: Copy, U> Unary<T, U> {
    /// The kernel of an operation.
    pub const fn of<O: UnaryOp<T, Out = U>>() -> Self {
        Unary {
            slice: O::slice,
            cost_ns: O::COST_NS,
        }
    }
}

impl<T: Copy + Sync, U: Send> Unary<T, U> {
    /// Runs over the pool when that is worth it.
    pub fn run(&self, x: &[T], out: &mut [U]) {
        assert_eq!(x.len(), out.len(), "operand and result have one length");
        pool::par_chunks_mut(out, self.cost_ns, |at, out| {
            (self.slice)(&x[at..at + out.len()], out)
        });
    }
}

struct Loop<'a, T, U, O>(&'a [T], &'a mut [U], PhantomData<O>);

impl<T: Copy, O: UnaryOp<T>> Job for Loop<'_, T, O::Out, O> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Loop(x, out, _) = self;
        let x = &x[..out.len()];
        for i in 0..out.len() {
            out[i] = O::apply::<I>(x[i]);
        }
        let mut any_rare = false;
        for &v in x {
            any_rare |= O::is_rare(v);
        }
        if any_rare {
            fix_rare::<T, O>(x, out);
        }
    }
}

#[cold]
fn fix_rare<T: Copy, O: UnaryOp<T>>(x: &[T], out: &mut [O::Out]) {
    for (&v, o) in x.iter().zip(out) {
        if O::is_rare(v) {
            *o = O::rare(v);
        }
    }
}

pub(super) fn run<T: Copy, O: UnaryOp<T>>(x: &[T], out: &mut [O::Out]) {
    let job = Loop::<_, _, O>(x, out, PhantomData);
    if const { O::WIDE } {
        dispatch(job)
    } else {
        job.run::<Unfused>()
    }
}
