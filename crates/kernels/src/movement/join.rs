//! Joining arrays along an axis.

use smallvec::SmallVec;

use super::block::Block;
use super::{Strided, View};
use crate::pool;

/// Arrays of `[outer, width]` that become one of `[outer, total]`, side by side.
#[derive(Debug, Clone)]
pub struct Join {
    outer: usize,
    widths: SmallVec<[usize; 4]>,
    total: usize,
}

/// Rows of the result at least this long are filled array by array, which takes long stretches of each.
const WIDE: usize = 4096;

impl Join {
    /// The join of arrays of these widths.
    pub fn new(outer: usize, widths: &[usize]) -> Join {
        Join {
            outer,
            widths: SmallVec::from_slice(widths),
            total: widths.iter().sum(),
        }
    }

    /// How many arrays are joined.
    pub fn count(&self) -> usize {
        self.widths.len()
    }

    /// Joins.
    pub fn run<T: Clone + Send + Sync>(&self, pieces: &[&[T]], out: &mut [T]) {
        assert_eq!(pieces.len(), self.count(), "an array for each width");
        if self.total >= WIDE {
            return self.by_piece(pieces, out);
        }
        let cost = 2.0 * pieces.len() as f64 + (self.total * size_of::<T>()) as f64 * 0.08;
        pool::par_rows_mut(out, self.total, cost, |first, out| {
            self.by_rows(pieces, first, out);
        });
    }

    fn by_piece<T: Clone + Send + Sync>(&self, pieces: &[&[T]], out: &mut [T]) {
        let mut at = 0;
        for (piece, &width) in pieces.iter().zip(&self.widths) {
            if width > 0 {
                let place = View::of(&[self.outer, self.total]).slice(1, at, 1, width);
                Strided::write(&place).copy(piece, out);
                at += width;
            }
        }
    }

    /// Fills rows of the result from `first` on, a few at a time, so that they stay in the cache for all arrays.
    fn by_rows<T: Clone>(&self, pieces: &[&[T]], first: usize, out: &mut [T]) {
        let n = WIDE.div_ceil(self.total);
        for (i, part) in out.chunks_mut(n * self.total).enumerate() {
            let (row, n) = (first + i * n, part.len() / self.total);
            let mut at = 0;
            for (piece, &width) in pieces.iter().zip(&self.widths) {
                let from = &piece[row * width..][..n * width];
                match n {
                    1 => part[at..at + width].clone_from_slice(from),
                    _ => Block::of_rows(n, width, width, self.total)
                        .copy_slice(from, &mut part[at..]),
                }
                at += width;
            }
        }
    }
}
