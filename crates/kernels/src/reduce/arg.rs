//! Where the extreme is.

use crate::pool;
use crate::scratch::vec_of;

/// Which of two elements wins.
pub trait ArgOp<T>: 'static {
    /// The finite number that loses to all others: the first element to replace it wins, and where none does, index 0.
    ///
    /// Infinities that lose and NaN never replace it.
    const WORST: T;
    /// Whether `x` replaces the best so far; the first of equals stays, and NaN replaces nothing.
    fn beats(x: T, best: T) -> bool;
}

/// The place of the greatest.
#[derive(Debug, Clone, Copy)]
pub struct ArgMax;

/// The place of the least.
#[derive(Debug, Clone, Copy)]
pub struct ArgMin;

macro_rules! arg {
    ($($t:ty: $least:expr, $greatest:expr;)*) => {$(
        impl ArgOp<$t> for ArgMax {
            const WORST: $t = $least;
            #[inline(always)]
            fn beats(x: $t, best: $t) -> bool {
                x > best
            }
        }
        impl ArgOp<$t> for ArgMin {
            const WORST: $t = $greatest;
            #[inline(always)]
            fn beats(x: $t, best: $t) -> bool {
                x < best
            }
        }
    )*};
    (numbers $($t:ty)*) => { arg! { $($t: <$t>::MIN, <$t>::MAX;)* } };
}
arg!(numbers i8 i16 i32 i64 u8 u16 u32 u64 half::f16 half::bf16 f32 f64);
arg! { bool: false, true; }

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
    let (mut best, mut place) = (O::WORST, 0);
    for (i, &x) in x.iter().enumerate() {
        if O::beats(x, best) {
            (best, place) = (x, i);
        }
    }
    place as i64
}

fn across<T: Copy, O: ArgOp<T>>(slab: &[T], out: &mut [i64]) {
    let inner = out.len();
    let mut best = vec_of(O::WORST, inner);
    out.fill(0);
    for (j, row) in slab.chunks_exact(inner).enumerate() {
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

    /// tensorflow 2.21: the search begins with the least finite number at index 0.
    #[test]
    fn of_what_never_wins_the_index_is_0() {
        const NAN: f64 = f64::NAN;
        const INF: f64 = f64::INFINITY;
        let rows = [
            ([NAN, NAN, NAN], 0, 0),
            ([-INF, NAN, -INF], 0, 0),
            ([NAN, -INF, NAN], 0, 1),
            ([NAN, INF, NAN], 1, 0),
            ([NAN, f64::MIN, NAN], 0, 1),
            ([-INF, f64::MIN, -INF], 0, 0),
            ([INF, f64::MAX, INF], 0, 0),
            ([-INF, NAN, f64::MIN], 0, 0),
            ([NAN, -INF, 1.0], 2, 1),
            ([NAN, INF, 1.0], 1, 2),
        ];
        for (row, greatest, least) in rows {
            for inner in [1, 2] {
                let slab: Vec<f64> = row.iter().flat_map(|&x| vec![x; inner]).collect();
                let mut out = vec![9; inner];
                arg_reduce::<f64, ArgMax>(&slab, 3, inner, &mut out);
                assert_eq!(out, vec![greatest; inner], "{row:?}");
                arg_reduce::<f64, ArgMin>(&slab, 3, inner, &mut out);
                assert_eq!(out, vec![least; inner], "{row:?}");
            }
        }
    }

    #[test]
    fn middle_axis() {
        let x = [1, 9, 3, 4, 5, 6, 7, 0, 2, 8, 1, 9];
        let mut out = [0; 4];
        arg_reduce::<i32, ArgMax>(&x, 3, 2, &mut out);
        assert_eq!(out, [2, 0, 0, 2]);
    }
}
