//! Sorting along the last axis; NaN counts as the greatest.

use std::cmp::Ordering;

use half::{bf16, f16};

use crate::pool;

/// An element type with a total order.
pub trait Ordered: Copy + Send + Sync {
    /// The order, with NaN above everything.
    fn order(&self, other: &Self) -> Ordering;
}

macro_rules! plain {
    ($($t:ty)*) => {$(
        impl Ordered for $t {
            #[inline(always)]
            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }
        }
    )*};
}
plain!(bool i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! float {
    ($($t:ty)*) => {$(
        impl Ordered for $t {
            #[inline(always)]
            fn order(&self, other: &Self) -> Ordering {
                self.partial_cmp(other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
            }
        }
    )*};
}
float!(f16 bf16 f32 f64);

fn cost(n: usize) -> f64 {
    n as f64 * (2.0 + (n as f64).max(1.0).log2() * 2.0)
}

/// Sorts each row of `n` elements.
pub fn sort<T: Ordered>(x: &[T], n: usize, descending: bool, out: &mut [T]) {
    out.copy_from_slice(x);
    pool::par_rows_mut(out, n, cost(n), |_, out| {
        for row in out.chunks_exact_mut(n) {
            if descending {
                row.sort_by(|a, b| b.order(a))
            } else {
                row.sort_by(|a, b| a.order(b))
            }
        }
    });
}

/// The places of each row's elements in order; equals keep theirs.
pub fn argsort<T: Ordered>(x: &[T], n: usize, descending: bool, out: &mut [i32]) {
    assert_eq!(x.len(), out.len(), "operand and result have one length");
    pool::par_rows_mut(out, n, 2.0 * cost(n), |first, out| {
        for (r, out) in out.chunks_exact_mut(n).enumerate() {
            let row = &x[(first + r) * n..][..n];
            out.iter_mut().enumerate().for_each(|(i, o)| *o = i as i32);
            let at = |i: &i32| &row[*i as usize];
            if descending {
                out.sort_by(|i, j| at(j).order(at(i)))
            } else {
                out.sort_by(|i, j| at(i).order(at(j)))
            }
        }
    });
}

/// The `k` greatest of each row of `n`, the greatest first, with their places; of equals the first wins.
pub fn top_k<T: Ordered>(x: &[T], n: usize, k: usize, values: &mut [T], indices: &mut [i32]) {
    assert!(k <= n && values.len() == indices.len(), "k of n");
    if k == 0 {
        return;
    }
    pool::par_rows_mut(indices, k, cost(n), |first, out| {
        for (r, out) in out.chunks_exact_mut(k).enumerate() {
            let row = &x[(first + r) * n..][..n];
            let mut places: Vec<i32> = (0..n as i32).collect();
            let order = |i: &i32, j: &i32| row[*j as usize].order(&row[*i as usize]).then(i.cmp(j));
            if k < n {
                places.select_nth_unstable_by(k - 1, order);
            }
            places[..k].sort_unstable_by(order);
            out.copy_from_slice(&places[..k]);
        }
    });
    for (r, (values, places)) in values
        .chunks_exact_mut(k)
        .zip(indices.chunks_exact(k))
        .enumerate()
    {
        values
            .iter_mut()
            .zip(places)
            .for_each(|(v, &p)| *v = x[r * n + p as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_sort_with_nan_last() {
        let x = [2.0, f32::NAN, 1.0, -0.0, 3.0, 0.0];
        let mut out = [0.0; 6];
        sort(&x, 3, false, &mut out);
        assert!(out[..2] == [1.0, 2.0] && out[2].is_nan() && out[3..] == [0.0, 0.0, 3.0]);
        let mut places = [0; 6];
        argsort(&x, 3, false, &mut places);
        assert_eq!(places, [2, 0, 1, 0, 2, 1]);
        argsort(&x, 3, true, &mut places);
        assert_eq!(places, [1, 0, 2, 1, 0, 2]);
    }

    #[test]
    fn top_k_takes_the_first_of_equals() {
        let (mut v, mut i) = ([0; 4], [0; 4]);
        top_k(&[3, 1, 3, 2, 9, 9, 9, 0], 4, 2, &mut v, &mut i);
        assert_eq!((v, i), ([3, 3, 9, 9], [0, 2, 0, 1]));
    }
}
