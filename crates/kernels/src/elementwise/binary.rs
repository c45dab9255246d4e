//! The loops of binary operations and the kernel that holds them.

use super::BinaryOp;
use crate::isa::{Isa, Job, Unfused, dispatch};
use crate::pool;

/// The loops of one binary operation at one element type.
#[derive(Debug)]
pub struct Binary<T, U> {
    /// `out[i] = op(a[i], b[i])`
    pub vec_vec: fn(&[T], &[T], &mut [U]),
    /// `out[i] = op(a, b[i])`
    pub scalar_vec: fn(T, &[T], &mut [U]),
    /// `out[i] = op(a[i], b)`
    pub vec_scalar: fn(&[T], T, &mut [U]),
    /// A rough cost of one element.
    pub cost_ns: f64,
}

impl<T, U> Clone for Binary<T, U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, U> Copy for Binary<T, U> {}

impl<T: Copy, U> Binary<T, U> {
    /// The kernel of an operation.
    pub const fn of<O: BinaryOp<T, Out = U>>() -> Self {
        Binary {
            vec_vec: O::vec_vec,
            scalar_vec: O::scalar_vec,
            vec_scalar: O::vec_scalar,
            cost_ns: O::COST_NS,
        }
    }
}

impl<T: Copy + Sync, U: Send> Binary<T, U> {
    /// Runs on operands of equal length, over the pool when that is worth it.
    pub fn run(&self, a: &[T], b: &[T], out: &mut [U]) {
        assert!(
            a.len() == out.len() && b.len() == out.len(),
            "operands and result have one length"
        );
        pool::par_chunks_mut(out, self.cost_ns, |at, out| {
            let r = at..at + out.len();
            (self.vec_vec)(&a[r.clone()], &b[r], out);
        });
    }
}

struct VecVec<'a, T, U, O>(&'a [T], &'a [T], &'a mut [U], std::marker::PhantomData<O>);

impl<T: Copy, O: BinaryOp<T>> Job for VecVec<'_, T, O::Out, O> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let VecVec(a, b, out, _) = self;
        let n = out.len();
        let (a, b) = (&a[..n], &b[..n]);
        for i in 0..n {
            out[i] = O::apply::<I>(a[i], b[i]);
        }
    }
}

struct ScalarVec<'a, T, U, O>(T, &'a [T], &'a mut [U], std::marker::PhantomData<O>);

impl<T: Copy, O: BinaryOp<T>> Job for ScalarVec<'_, T, O::Out, O> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let ScalarVec(a, b, out, _) = self;
        let b = &b[..out.len()];
        for i in 0..out.len() {
            out[i] = O::apply::<I>(a, b[i]);
        }
    }
}

struct VecScalar<'a, T, U, O>(&'a [T], T, &'a mut [U], std::marker::PhantomData<O>);

impl<T: Copy, O: BinaryOp<T>> Job for VecScalar<'_, T, O::Out, O> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let VecScalar(a, b, out, _) = self;
        let a = &a[..out.len()];
        for i in 0..out.len() {
            out[i] = O::apply::<I>(a[i], b);
        }
    }
}

pub(super) fn run_vec_vec<T: Copy, O: BinaryOp<T>>(a: &[T], b: &[T], out: &mut [O::Out]) {
    let job = VecVec::<_, _, O>(a, b, out, std::marker::PhantomData);
    if const { O::WIDE } {
        dispatch(job)
    } else {
        job.run::<Unfused>()
    }
}

pub(super) fn run_scalar_vec<T: Copy, O: BinaryOp<T>>(a: T, b: &[T], out: &mut [O::Out]) {
    let job = ScalarVec::<_, _, O>(a, b, out, std::marker::PhantomData);
    if const { O::WIDE } {
        dispatch(job)
    } else {
        job.run::<Unfused>()
    }
}

pub(super) fn run_vec_scalar<T: Copy, O: BinaryOp<T>>(a: &[T], b: T, out: &mut [O::Out]) {
    let job = VecScalar::<_, _, O>(a, b, out, std::marker::PhantomData);
    if const { O::WIDE } {
        dispatch(job)
    } else {
        job.run::<Unfused>()
    }
}
