//! Choosing between two operands by a condition.

use super::Broadcast;
use super::broadcast::Run;
use crate::isa::{Isa, Job, dispatch};
use crate::pool;

/// The bytes of an element, which are chosen as a number.
pub trait Chosen: Copy + Send + Sync {
    /// The first where the condition holds, else the second.
    fn choose(holds: bool, a: Self, b: Self) -> Self;
}

macro_rules! chosen {
    ($($number:ty)*) => {$(
        impl Chosen for [u8; size_of::<$number>()] {
            #[inline(always)]
            fn choose(holds: bool, a: Self, b: Self) -> Self {
                let (a, b) = (<$number>::from_ne_bytes(a), <$number>::from_ne_bytes(b));
                if holds { a } else { b }.to_ne_bytes()
            }
        }
    )*};
}
chosen!(u8 u16 u32 u64 u128);

/// `out[i] = if cond[i] { a[i] } else { b[i] }`, over the pool when that is worth it; the plan is of condition, `a` and `b`.
pub fn select_broadcast<T: Chosen>(
    plan: &Broadcast<3>,
    cond: &[bool],
    a: &[T],
    b: &[T],
    out: &mut [T],
) {
    assert_eq!(out.len(), plan.size(), "the result has the planned size");
    let cost = 0.3 + size_of::<T>() as f64 * 0.05;
    pool::par_chunks_mut(out, cost, |first, out| {
        plan.runs(first..first + out.len(), |run| {
            inner_loop(cond, a, b, &mut out[run.out - first..][..run.len], &run);
        });
    });
}

fn inner_loop<T: Chosen>(cond: &[bool], a: &[T], b: &[T], out: &mut [T], run: &Run<3>) {
    let Run {
        len, at: [c, i, j], ..
    } = *run;
    let [sc, sa, sb] = run.strides;
    if sc == 0 {
        let (from, at, stride) = if cond[c] { (a, i, sa) } else { (b, j, sb) };
        return match stride {
            0 => out.fill(from[at]),
            _ => out.copy_from_slice(&from[at..at + len]),
        };
    }
    let operand = |x, at, stride| match stride {
        0 => From::One(x, at),
        _ => From::Each(x, at),
    };
    dispatch(Loop {
        cond: &cond[c..c + len],
        a: operand(a, i, sa),
        b: operand(b, j, sb),
        out,
    });
}

/// An element for each place, or one for all.
enum From<'a, T> {
    Each(&'a [T], usize),
    One(&'a [T], usize),
}

struct Loop<'a, T> {
    cond: &'a [bool],
    a: From<'a, T>,
    b: From<'a, T>,
    out: &'a mut [T],
}

impl<T: Chosen> Job for Loop<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (out, n) = (self.out, self.cond.len());
        let cond = &self.cond[..out.len()];
        match (self.a, self.b) {
            (From::Each(a, i), From::Each(b, j)) => {
                let (a, b) = (&a[i..i + n], &b[j..j + n]);
                for k in 0..out.len() {
                    out[k] = T::choose(cond[k], a[k], b[k]);
                }
            }
            (From::Each(a, i), From::One(b, j)) => {
                let (a, b) = (&a[i..i + n], b[j]);
                for k in 0..out.len() {
                    out[k] = T::choose(cond[k], a[k], b);
                }
            }
            (From::One(a, i), From::Each(b, j)) => {
                let (a, b) = (a[i], &b[j..j + n]);
                for k in 0..out.len() {
                    out[k] = T::choose(cond[k], a, b[k]);
                }
            }
            (From::One(a, i), From::One(b, j)) => {
                let (a, b) = (a[i], b[j]);
                for k in 0..out.len() {
                    out[k] = T::choose(cond[k], a, b);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(x: &[i32]) -> Vec<[u8; 4]> {
        x.iter().map(|x| x.to_ne_bytes()).collect()
    }

    #[test]
    fn select_broadcasts_each_operand() {
        let plan = Broadcast::new([&[2, 1], &[3], &[]], &[2, 3]);
        let mut out = bytes(&[0; 6]);
        let (a, b) = (bytes(&[1, 2, 3]), bytes(&[9]));
        select_broadcast(&plan, &[true, false], &a, &b, &mut out);
        assert_eq!(out, bytes(&[1, 2, 3, 9, 9, 9]));
        let plan = Broadcast::new([&[3], &[2, 3], &[2, 1]], &[2, 3]);
        let (a, b) = (bytes(&[1, 2, 3, 4, 5, 6]), bytes(&[7, 8]));
        select_broadcast(&plan, &[true, false, true], &a, &b, &mut out);
        assert_eq!(out, bytes(&[1, 7, 3, 4, 8, 6]));
    }

    #[test]
    fn elements_of_every_size_are_chosen() {
        fn check<const N: usize>()
        where
            [u8; N]: Chosen,
        {
            let n = 1000;
            let cond: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
            let a: Vec<[u8; N]> = (0..n).map(|i| [i as u8; N]).collect();
            let b: Vec<[u8; N]> = (0..n).map(|i| [(i * 7) as u8; N]).collect();
            for (sa, sb) in [(n, n), (1, n), (n, 1), (1, 1)] {
                let plan = Broadcast::new([&[n], &[sa], &[sb]], &[n]);
                let mut out = vec![[0; N]; n];
                select_broadcast(&plan, &cond, &a[..sa], &b[..sb], &mut out);
                for k in 0..n {
                    let want = if cond[k] { a[k % sa] } else { b[k % sb] };
                    assert_eq!(out[k], want);
                }
            }
        }
        check::<1>();
        check::<2>();
        check::<4>();
        check::<8>();
        check::<16>();
    }
}
