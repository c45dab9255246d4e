//! Where elements are true.

use std::borrow::Cow;

use crate::pool::{self, Base};
use crate::scratch::{vec_for, vec_of};
use crate::stop;

/// Elements that are looked at at a stretch.
const BLOCK: usize = 1 << 13;

/// Nanoseconds of an element, roughly.
const COST_NS: f64 = 1.0;

/// Which elements of an array are true, and how many before each block.
pub struct Truths<'a> {
    all: Cow<'a, [bool]>,
    before: Vec<usize>,
}

impl<'a> Truths<'a> {
    /// Of bools.
    pub fn of(all: &'a [bool]) -> Truths<'a> {
        Truths::counted(Cow::Borrowed(all))
    }

    /// Which elements are not zero.
    pub fn nonzero<T: PartialEq + Default + Sync>(elements: &[T]) -> Truths<'static> {
        let (zero, mut all) = (T::default(), vec_of(false, elements.len()));
        pool::par_chunks_mut(&mut all, 0.3, |at, all| {
            let both = all.iter_mut().zip(&elements[at..]);
            both.for_each(|(to, x)| *to = *x != zero);
        });
        Truths::counted(Cow::Owned(all))
    }

    fn counted(all: Cow<'a, [bool]>) -> Truths<'a> {
        let mut counts = vec_of(0, all.len().div_ceil(BLOCK));
        pool::par_chunks_mut(&mut counts, 0.1 * BLOCK as f64, |first, counts| {
            for (count, block) in counts.iter_mut().zip(all[first * BLOCK..].chunks(BLOCK)) {
                *count = trues(block);
                stop::pause();
            }
        });
        let (mut before, mut total) = (vec_for(counts.len() + 1), 0);
        before.push(0);
        for count in counts {
            total += count;
            before.push(total);
        }
        Truths { all, before }
    }

    /// How many elements are true.
    pub fn count(&self) -> usize {
        self.before.last().copied().unwrap_or(0)
    }

    /// Which elements are true.
    pub(super) fn all(&self) -> &[bool] {
        &self.all
    }

    /// How many elements in front of that one are true.
    pub(super) fn before(&self, at: usize) -> usize {
        let block = at / BLOCK;
        self.before[block] + trues(&self.all[block * BLOCK..at])
    }

    /// Writes the coordinates of those, in an array of that shape, one row after another.
    pub fn coordinates(&self, shape: &[usize], out: &mut [i64]) {
        let rank = shape.len();
        assert_eq!(out.len(), self.count() * rank, "a coordinate for each axis");
        if out.is_empty() {
            return;
        }
        let out = Base::of(out);
        let cost = COST_NS * (BLOCK * rank) as f64;
        pool::par_chunks(self.before.len() - 1, cost, |blocks| {
            let mut places = [0; BLOCK];
            for b in blocks {
                let (from, to) = (self.before[b], self.before[b + 1]);
                // SAFETY: the rows of a block are within `out`, and no other block has them.
                let out = unsafe { out.piece(from * rank, (to - from) * rank) };
                let block = &self.all[b * BLOCK..self.all.len().min((b + 1) * BLOCK)];
                let n = found(block, &mut places);
                match shape {
                    [_] => {
                        let both = out.iter_mut().zip(&places[..n]);
                        both.for_each(|(to, i)| *to = (b * BLOCK) as i64 + i64::from(*i));
                    }
                    _ => unravelled(shape, b * BLOCK, &places[..n], out),
                }
                stop::pause();
            }
        });
    }
}

fn trues(block: &[bool]) -> usize {
    let pieces = block.chunks(128);
    let of_piece = |piece: &[bool]| piece.iter().map(|x| u8::from(*x)).sum::<u8>();
    pieces.map(|piece| usize::from(of_piece(piece))).sum()
}

/// Writes where the true ones of a block stand in it, and says how many there are.
fn found(block: &[bool], places: &mut [u32; BLOCK]) -> usize {
    let mut n = 0;
    for (i, x) in block.iter().enumerate() {
        // A place that is none is written over by the next one.
        places[n & (BLOCK - 1)] = i as u32;
        n += usize::from(*x);
    }
    n
}

/// Writes the coordinates of ascending places, which count from `first` on.
fn unravelled(shape: &[usize], first: usize, places: &[u32], out: &mut [i64]) {
    let Some((&columns, lead)) = shape.split_last() else {
        return;
    };
    // The row in which the last place stood, and its coordinates.
    let (mut row, mut at) = (usize::MAX, vec_of(0, lead.len()));
    for (to, place) in out.chunks_exact_mut(shape.len()).zip(places) {
        let flat = first + *place as usize;
        if row == usize::MAX || flat - row * columns >= columns {
            row = flat / columns;
            let mut rest = row;
            for (at, n) in at.iter_mut().zip(lead).rev() {
                *at = (rest % n) as i64;
                rest /= n;
            }
        }
        to[..lead.len()].copy_from_slice(&at);
        to[lead.len()] = (flat - row * columns) as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(all: &[bool], shape: &[usize]) -> Vec<i64> {
        let mut rows = Vec::new();
        for (flat, _) in all.iter().enumerate().filter(|(_, x)| **x) {
            let (mut rest, mut row) = (flat, vec![0; shape.len()]);
            for (at, n) in row.iter_mut().zip(shape).rev() {
                *at = (rest % n) as i64;
                rest /= n;
            }
            rows.extend(row);
        }
        rows
    }

    #[test]
    fn truths_are_found_in_order() {
        let shapes: &[&[usize]] = &[
            &[0],
            &[1],
            &[7],
            &[300_001],
            &[3, 5],
            &[20_000, 3],
            &[3, 20_000],
            &[0, 4],
            &[7, 11, 13],
        ];
        for shape in shapes {
            let n: usize = shape.iter().product();
            for share in [0, 1, 7, 10] {
                let all: Vec<bool> = (0..n).map(|i| i * 7919 % 101 % 10 < share).collect();
                let truths = Truths::of(&all);
                let mut out = vec![-1; truths.count() * shape.len()];
                truths.coordinates(shape, &mut out);
                assert_eq!(out, plain(&all, shape), "{shape:?} {share}");
            }
        }
        assert_eq!(Truths::of(&[true]).count(), 1);
    }

    #[test]
    fn what_is_not_zero_is_true() {
        let x = [0.0, -0.0, f32::NAN, 1.0];
        let truths = Truths::nonzero(&x);
        let mut out = [0; 2];
        truths.coordinates(&[4], &mut out);
        assert_eq!(out, [2, 3]);
    }
}
