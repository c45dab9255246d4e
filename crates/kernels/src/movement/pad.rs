//! Padding, and copies by an index map for each dimension.

use super::View;

/// What a mirroring pad shows beyond the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PadMode {
    /// The mirror stands on the edge element.
    Reflect,
    /// The mirror stands beyond the edge element.
    Symmetric,
}

/// The shape of a padded array.
fn padded(shape: &[usize], pads: &[(usize, usize)]) -> Vec<usize> {
    shape
        .iter()
        .zip(pads)
        .map(|(n, (before, after))| n + before + after)
        .collect()
}

/// Surrounds an array by a value; `pads` is before and after for each dimension.
pub fn pad_constant<T: Copy>(
    x: &[T],
    shape: &[usize],
    pads: &[(usize, usize)],
    value: T,
    out: &mut [T],
) {
    out.fill(value);
    if x.is_empty() {
        return;
    }
    let inside = View::of(&padded(shape, pads));
    let inside = shape
        .iter()
        .zip(pads)
        .enumerate()
        .fold(inside, |v, (d, (&n, p))| v.slice(d, p.0, 1, n));
    inside.write(x, out);
}

/// Which element of a dimension each padded place shows.
pub fn index_map(n: usize, pad: (usize, usize), mode: PadMode) -> Vec<usize> {
    let n = n as isize;
    let edge = if mode == PadMode::Reflect { 1 } else { 0 };
    let mirror = |i: isize| match i {
        i if i < 0 => edge - 1 - i,
        i if i >= n => 2 * n - 1 - edge - i,
        i => i,
    };
    (-(pad.0 as isize)..n + pad.1 as isize)
        .map(|i| mirror(i) as usize)
        .collect()
}

/// `out[i, j, …] = x[maps[0][i], maps[1][j], …]`
pub fn take<T: Copy>(x: &[T], shape: &[usize], maps: &[Vec<usize>], out: &mut [T]) {
    let mut rest = &mut out[..];
    each(shape, maps, 0, &mut |at, last| {
        let (row, after) = std::mem::take(&mut rest).split_at_mut(last.len());
        row.iter_mut().zip(last).for_each(|(o, &i)| *o = x[at + i]);
        rest = after;
    });
}

/// `out[maps[0][i], maps[1][j], …] += x[i, j, …]`: the transpose of [`take`].
pub fn take_add<T: Copy>(
    x: &[T],
    shape: &[usize],
    maps: &[Vec<usize>],
    out: &mut [T],
    add: impl Fn(T, T) -> T,
) {
    let mut rest = x;
    each(shape, maps, 0, &mut |at, last| {
        let (row, after) = rest.split_at(last.len());
        row.iter()
            .zip(last)
            .for_each(|(&v, &i)| out[at + i] = add(out[at + i], v));
        rest = after;
    });
}

/// Calls `f(offset, last map)` for each row of the mapped array.
fn each(shape: &[usize], maps: &[Vec<usize>], at: usize, f: &mut impl FnMut(usize, &[usize])) {
    match maps {
        [] => f(at, &[0]),
        [last] => f(at, last),
        [first, rest @ ..] => {
            let stride: usize = shape[1..].iter().product();
            first
                .iter()
                .for_each(|i| each(&shape[1..], rest, at + i * stride, f));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant() {
        let mut out = [0; 12];
        pad_constant(&[1, 2, 3, 4], &[2, 2], &[(1, 0), (0, 2)], 9, &mut out);
        assert_eq!(out, [9, 9, 9, 9, 1, 2, 9, 9, 3, 4, 9, 9]);
    }

    #[test]
    fn mirrors() {
        assert_eq!(
            index_map(3, (2, 2), PadMode::Reflect),
            [2, 1, 0, 1, 2, 1, 0]
        );
        assert_eq!(
            index_map(3, (2, 2), PadMode::Symmetric),
            [1, 0, 0, 1, 2, 2, 1]
        );
        let maps = [vec![1, 0], vec![0, 1, 1]];
        let mut out = [0; 6];
        take(&[1, 2, 3, 4], &[2, 2], &maps, &mut out);
        assert_eq!(out, [3, 4, 4, 1, 2, 2]);
        let mut back = [0; 4];
        take_add(&[1; 6], &[2, 2], &maps, &mut back, |a, b| a + b);
        assert_eq!(back, [1, 2, 1, 2]);
    }
}
