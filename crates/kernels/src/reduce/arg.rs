//! Where the extreme is.

use crate::pool;
use crate::scratch::collected;

/// Which of two elements wins.
pub trait ArgOp<T>: 'static {
    /// Whether `x` replaces the best so far; the first of equals stays, and all beat NaN.
    fn beats(x: T, best: T) -> bool;
}

/// The place of the greatest.
#[derive(Debug, Clone, Copy)]
pub struct ArgMax;

/// The place of the least.
#[derive(Debug, Clone, Copy)]
pub struct ArgMin;

macro_rules! arg {
    ($($t:ty)*) => {$(
        impl ArgOp<$t> for ArgMax {
            #[inline(always)]
            #[allow(clippy::eq_op)]
            fn beats(x: $t, best: $t) -> bool {
                x > best || (best != best && x == x)
            }
        }
        impl ArgOp<$t> for ArgMin {
            #[inline(always)]
            #[allow(clippy::eq_op)]
            fn beats(x: $t, best: $t) -> bool {
                x < best || (best != best && x == x)
            }
        }
    )*};
}
arg!(bool i8 i16 i32 i64 u8 u16 u32 u64 half::f16 half::bf16 f32 f64);

/// The index of the winner along the middle of `[outer, n, inner]`; `n` is at least 1.
pub fn arg_reduce<T: Copy + Sync, O: ArgOp<T>>(x: &[T], n: usize, inner: usize, out: &mut [i64]) {
    assert!(
        n > 0 && x.len() == out.len() * n,
        "the operand has n elements for each of the result"
    );
    if out.is_empty() {
        return;
    }
    pool::par_rows_mut(out, inner, (n * inner) as f64, |first, out| {
        for (o, out) in out.chunks_mut(inner).enumerate() {
            let slab = &x[(first + o) * n * inner..][..n * inner];
            if inner == 1 {
                out[0] = along::<T, O>(slab)
            } else {
                across::<T, O>(slab, out)
            }
        }
    });
}

fn along<T: Copy, O: ArgOp<T>>(x: &[T]) -> i64 {
    let mut best = 0;
    for i in 1..x.len() {
        if O::beats(x[i], x[best]) {
            best = i;
        }
    }
    best as i64
}

fn across<T: Copy, O: ArgOp<T>>(slab: &[T], out: &mut [i64]) {
    let inner = out.len();
    let mut best = collected(slab[..inner].iter().copied());
    out.fill(0);
    for (j, row) in slab.chunks_exact(inner).enumerate().skip(1) {
        for i in 0..inner {
            if O::beats(row[i], best[i]) {
                best[i] = row[i];
                out[i] = j as i64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_wins_and_nan_never() {
        let mut out = [0];
        arg_reduce::<i32, ArgMax>(&[1, 5, 5, 2], 4, 1, &mut out);
        assert_eq!(out, [1]);
        arg_reduce::<f32, ArgMin>(&[f32::NAN, -5.0, f32::NAN, 1.0], 4, 1, &mut out);
        assert_eq!(out, [1]);
        arg_reduce::<f32, ArgMax>(&[f32::NAN, f32::NAN], 2, 1, &mut out);
        assert_eq!(out, [0]);
    }

    #[test]
    fn middle_axis() {
        let x = [1, 9, 3, 4, 5, 6, 7, 0, 2, 8, 1, 9];
        let mut out = [0; 4];
        arg_reduce::<i32, ArgMax>(&x, 3, 2, &mut out);
        assert_eq!(out, [2, 0, 0, 2]);
    }
}
