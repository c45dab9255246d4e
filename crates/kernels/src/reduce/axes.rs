//! Reduction over any set of axes.

use super::ReduceOp;
use super::tree::middle;
use crate::scratch::vec_of;

/// Reduces the middle of `[outer, n, inner]`; `out` has `outer * inner` elements.
pub fn reduce<T: Copy + Sync + 'static, O: ReduceOp<T>>(
    x: &[T],
    n: usize,
    inner: usize,
    out: &mut [O::Out],
) {
    assert_eq!(
        x.len(),
        out.len() * n,
        "the operand has n elements for each of the result"
    );
    let mut acc = vec_of(O::identity(), out.len());
    middle::<T, O::Loop>(x, n, inner, &mut acc);
    finish::<T, O>(&acc, n, out);
}

fn finish<T: Copy, O: ReduceOp<T>>(acc: &[O::Acc], n: usize, out: &mut [O::Out]) {
    out.iter_mut()
        .zip(acc)
        .for_each(|(o, &a)| *o = O::finish(a, n));
}

/// A run of neighbouring dimensions that are all kept or all reduced.
struct Group {
    len: usize,
    reduced: bool,
}

fn groups(shape: &[usize], reduced: &[bool]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::with_capacity(shape.len());
    for (&len, &reduced) in shape.iter().zip(reduced) {
        match groups.last_mut() {
            _ if len == 1 => {}
            Some(last) if last.reduced == reduced => last.len *= len,
            _ => groups.push(Group { len, reduced }),
        }
    }
    groups
}

/// Reduces the axes marked in `reduced`; `out` holds the kept ones in order.
pub fn reduce_axes<T: Copy + Sync + 'static, O: ReduceOp<T>>(
    x: &[T],
    shape: &[usize],
    reduced: &[bool],
    out: &mut [O::Out],
) {
    let marked = |want: bool| {
        shape
            .iter()
            .zip(reduced)
            .filter(|&(_, &r)| r == want)
            .map(|(&n, _)| n)
            .product()
    };
    let (n, kept): (usize, usize) = (marked(true), marked(false));
    assert_eq!(
        x.len(),
        shape.iter().product::<usize>(),
        "the operand fills its shape"
    );
    assert_eq!(out.len(), kept, "the result holds the kept axes");
    if x.is_empty() {
        return out.fill(O::finish(O::identity(), n));
    }
    let mut groups = groups(shape, reduced);
    let Some(first) = first_pass(&groups) else {
        return out
            .iter_mut()
            .zip(x)
            .for_each(|(o, &v)| *o = O::finish(O::lift(v), n));
    };
    let mut acc = pass::<T, O::Loop>(x, &mut groups, first);
    while let Some(next) = groups.iter().rposition(|g| g.reduced) {
        acc = pass::<O::Acc, O::Merge>(&acc, &mut groups, next);
    }
    finish::<T, O>(&acc, n, out);
}

/// Columns side by side that fill vectors, and elements of a row that do.
const WIDE: usize = 32;

/// The group that is reduced first, while there is most to read: the longest of those whose elements fill vectors, or else
/// the last one.
fn first_pass(groups: &[Group]) -> Option<usize> {
    let mut inner = 1;
    let mut found: Option<(usize, usize)> = None;
    for (at, group) in groups.iter().enumerate().rev() {
        if group.reduced {
            let is_wide = inner >= WIDE || inner == 1 && group.len >= WIDE;
            let len = if is_wide { group.len } else { 0 };
            if found.is_none_or(|(_, most)| len > most) {
                found = Some((at, len));
            }
        }
        inner *= group.len;
    }
    found.map(|(at, _)| at)
}

/// Reduces one group of dimensions and removes it.
fn pass<T: Copy + Sync + 'static, O: ReduceOp<T>>(
    x: &[T],
    groups: &mut Vec<Group>,
    which: usize,
) -> Vec<O::Acc> {
    let inner: usize = groups[which + 1..].iter().map(|g| g.len).product();
    let n = groups.remove(which).len;
    let mut acc = vec_of(O::identity(), x.len() / n);
    middle::<T, O>(x, n, inner, &mut acc);
    acc
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;

    fn naive_sum(x: &[i64], shape: &[usize], reduced: &[bool]) -> Vec<i64> {
        let kept: Vec<usize> = (0..shape.len()).filter(|&d| !reduced[d]).collect();
        let mut out = vec![0; kept.iter().map(|&d| shape[d]).product()];
        for (flat, v) in x.iter().enumerate() {
            let mut idx = vec![0; shape.len()];
            let mut rest = flat;
            for d in (0..shape.len()).rev() {
                idx[d] = rest % shape[d];
                rest /= shape[d];
            }
            out[kept.iter().fold(0, |o, &d| o * shape[d] + idx[d])] += v;
        }
        out
    }

    #[test]
    fn sums_over_any_axes() {
        let shapes: &[&[usize]] = &[
            &[],
            &[1],
            &[7],
            &[3, 5],
            &[4, 1, 6],
            &[2, 3, 4, 5],
            &[0, 3],
            &[3, 0],
            &[100, 700],
            &[5000, 3],
            &[3, 5000],
            &[2, 70, 5, 8],
            &[40, 4, 33, 6],
        ];
        for shape in shapes {
            let x: Vec<i64> = (0..shape.iter().product::<usize>() as i64)
                .map(|i| i * i % 1009 - 500)
                .collect();
            for mask in 0..1 << shape.len() {
                let reduced: Vec<bool> = (0..shape.len()).map(|d| mask >> d & 1 == 1).collect();
                let want = naive_sum(&x, shape, &reduced);
                let mut out = vec![0; want.len()];
                reduce_axes::<i64, Sum>(&x, shape, &reduced, &mut out);
                assert_eq!(out, want, "{shape:?} {reduced:?}");
            }
        }
    }

    #[test]
    fn float_sums_are_close_to_exact() {
        let x: Vec<f32> = (0..1_000_003)
            .map(|i| (i as f32 * 0.37).sin() + 0.5)
            .collect();
        let exact: f64 = x.iter().map(|&v| v as f64).sum();
        let mut out = [0.0f32];
        reduce::<f32, Sum>(&x, x.len(), 1, &mut out);
        assert!(((out[0] as f64 - exact) / exact).abs() < 1e-6);
    }

    #[test]
    fn threads_do_not_change_the_result() {
        let (outer, n, inner) = (3, 4001, 130);
        let x: Vec<f32> = (0..outer * n * inner)
            .map(|i| ((i * 7919) % 10007) as f32 * 1e-3 - 4.9)
            .collect();
        for (n, inner) in [
            (n, inner),
            (n * inner, 1),
            (n * inner * outer, 1),
            (n * outer, inner),
        ] {
            let kept = x.len() / n;
            let (mut a, mut b) = (vec![0.0; kept], vec![0.0; kept]);
            reduce::<f32, Sum>(&x, n, inner, &mut a);
            super::super::tree::sequential::<f32, Sum>(&x, n, inner, &mut b);
            assert_eq!(a, b);
        }
    }

    #[test]
    fn empty_reductions_give_the_identity() {
        let mut out = [7.0f32; 3];
        reduce_axes::<f32, Sum>(&[], &[0, 3], &[true, false], &mut out);
        assert_eq!(out, [0.0; 3]);
        reduce_axes::<f32, Max>(&[], &[0, 3], &[true, false], &mut out);
        assert_eq!(out, [f32::NEG_INFINITY; 3]);
        reduce_axes::<f32, Mean>(&[], &[0, 3], &[true, false], &mut out);
        assert!(out.iter().all(|v| v.is_nan()));
    }

    #[test]
    fn nan_spreads_through_max_and_min() {
        for len in [3, 40, 3000, 200_000] {
            for at in [0, len / 2, len - 1] {
                let mut x = vec![1.0f32; len];
                x[at] = f32::NAN;
                let (mut max, mut min) = ([0.0], [0.0]);
                reduce::<f32, Max>(&x, len, 1, &mut max);
                reduce::<f32, Min>(&x, len, 1, &mut min);
                assert!(max[0].is_nan() && min[0].is_nan());
            }
        }
    }

    #[test]
    fn logic_and_means() {
        let mut b = [false; 2];
        reduce::<bool, All>(&[true, true, false, true], 2, 1, &mut b);
        assert_eq!(b, [true, false]);
        reduce::<bool, Any>(&[false, false, false, true], 2, 1, &mut b);
        assert_eq!(b, [false, true]);
        let mut m = [0i32];
        reduce::<i32, Mean>(&[-3, -4], 2, 1, &mut m);
        assert_eq!(m, [-3]);
        let mut m = [0i8];
        reduce::<i8, Mean>(&[100; 256], 256, 1, &mut m);
        assert_eq!(m, [100]);
    }
}
