//! Choosing between two operands by a condition.

use super::Broadcast;
use super::broadcast::Run;
use crate::pool;

/// `out[i] = if cond[i] { a[i] } else { b[i] }`, over the pool when that is worth it; the plan is of condition, `a` and `b`.
pub fn select_broadcast<T: Copy + Send + Sync>(
    plan: &Broadcast<3>,
    cond: &[bool],
    a: &[T],
    b: &[T],
    out: &mut [T],
) {
    assert_eq!(out.len(), plan.size(), "the result has the planned size");
    pool::par_chunks_mut(out, 0.6, |first, out| {
        plan.runs(first..first + out.len(), |run| {
            inner_loop(cond, a, b, &mut out[run.out - first..][..run.len], &run);
        });
    });
}

fn inner_loop<T: Copy>(cond: &[bool], a: &[T], b: &[T], out: &mut [T], run: &Run<3>) {
    let Run {
        len, at: [c, i, j], ..
    } = *run;
    match run.strides {
        [0, sa, sb] => {
            let (from, at, stride) = if cond[c] { (a, i, sa) } else { (b, j, sb) };
            match stride {
                0 => out.fill(from[at]),
                _ => out.copy_from_slice(&from[at..at + len]),
            }
        }
        [_, 0, 0] => choose(&cond[c..c + len], out, |_| a[i], |_| b[j]),
        [_, 0, _] => choose(&cond[c..c + len], out, |_| a[i], |k| b[j..j + len][k]),
        [_, _, 0] => choose(&cond[c..c + len], out, |k| a[i..i + len][k], |_| b[j]),
        _ => {
            let (a, b) = (&a[i..i + len], &b[j..j + len]);
            choose(&cond[c..c + len], out, |k| a[k], |k| b[k]);
        }
    }
}

#[inline(always)]
fn choose<T>(cond: &[bool], out: &mut [T], a: impl Fn(usize) -> T, b: impl Fn(usize) -> T) {
    for (k, (o, &c)) in out.iter_mut().zip(cond).enumerate() {
        let (x, y) = (a(k), b(k));
        *o = if c { x } else { y };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn select_broadcasts_each_operand() {
        let plan = Broadcast::new([&[2, 1], &[3], &[]], &[2, 3]);
        let mut out = [0; 6];
        select_broadcast(&plan, &[true, false], &[1, 2, 3], &[9], &mut out);
        assert_eq!(out, [1, 2, 3, 9, 9, 9]);
        let plan = Broadcast::new([&[3], &[2, 3], &[2, 1]], &[2, 3]);
        select_broadcast(
            &plan,
            &[true, false, true],
            &[1, 2, 3, 4, 5, 6],
            &[7, 8],
            &mut out,
        );
        assert_eq!(out, [1, 7, 3, 4, 8, 6]);
    }

    #[test]
    fn select_of_equal_lengths() {
        let mut out = [0.0f32; 3];
        select_broadcast(
            &Broadcast::new([&[3]; 3], &[3]),
            &[true, false, true],
            &[1.0, 2.0, f32::NAN],
            &[-1.0, -0.0, 5.0],
            &mut out,
        );
        assert!(out[0] == 1.0 && out[1].is_sign_negative() && out[2].is_nan());
    }
}
