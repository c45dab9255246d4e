//! Tiles of a product that stay in registers while the summed dimension passes by.

use std::ops::Range;

use super::direct::Numbers;
use crate::pool::Base;
use crate::tiles::lanes::Lanes;
use crate::tiles::stored::Holds;

/// Where the rows of an operand are: the first one, and how far one is from the next.
#[derive(Clone, Copy)]
pub(super) struct Lying<S> {
    pub first: *const S,
    pub stride: usize,
}

/// Where the numbers of the rows are that a strip is multiplied with.
#[derive(Clone, Copy)]
pub(super) struct Rows<T> {
    pub first: *const T,
    /// How far a row is from the next one, and a number of a row.
    pub down: usize,
    pub right: usize,
    /// So many numbers of each row are laid out as said, and the next ones that far behind those.
    pub depth: usize,
    pub behind: usize,
}

/// Some rows times a strip of columns, over some summands, for columns of a result of `n`.
pub(super) struct Tiles<T, S> {
    pub a: Rows<T>,
    /// The strip, a row for each summand.
    pub b: Lying<S>,
    pub summands: usize,
    /// What they are of the result.
    pub rows: Range<usize>,
    pub columns: Range<usize>,
    pub n: usize,
    /// Whether the sums are added to the result.
    pub adds: bool,
}

impl<T: Numbers, S: Copy> Tiles<T, S> {
    /// All rows, by tiles of at most `M`, of `W` vectors. `DOWN` is how far a row is from the next one, or 0 where that is
    /// known only now: of many rows whose distance is known the addresses cost nothing.
    ///
    /// # Safety
    /// The operands must be within their slices, of which the strip has whole vectors; nobody else may use these rows
    /// and columns of the result, and the machine must have the instruction set.
    #[inline(always)]
    // SAFETY: strips call it, with rows of their own and as many vectors as the strip has.
    pub(super) unsafe fn all<
        O: Copy + Default,
        V,
        const M: usize,
        const W: usize,
        const DOWN: usize,
    >(
        &self,
        out: &Base<O>,
    ) where
        V: Lanes<T> + Holds<S> + Holds<O>,
    {
        let mut row = 0;
        while row < self.rows.len() {
            // SAFETY: promised by the caller; as many rows are left as a tile takes.
            row += unsafe {
                match self.rows.len() - row {
                    left if left >= M && (left != 16 || M < 8) => {
                        self.tile::<O, V, M, W, DOWN>(row, out)
                    }
                    8.. => self.tile::<O, V, 8, W, DOWN>(row, out),
                    4.. => self.tile::<O, V, 4, W, DOWN>(row, out),
                    2.. => self.tile::<O, V, 2, W, DOWN>(row, out),
                    _ => self.tile::<O, V, 1, W, DOWN>(row, out),
                }
            };
        }
    }

    /// Some rows from one on; says how many.
    ///
    /// # Safety
    /// As for [`Self::all`], and there must be as many rows.
    #[inline(always)]
    // SAFETY: only `all` calls it, with no more rows than are left.
    unsafe fn tile<O: Copy + Default, V, const R: usize, const W: usize, const DOWN: usize>(
        &self,
        row: usize,
        out: &Base<O>,
    ) -> usize
    where
        V: Lanes<T> + Holds<S> + Holds<O>,
    {
        let down = if DOWN > 0 { DOWN } else { self.a.down };
        let columns = self.columns.len();
        // SAFETY: promised by the caller.
        unsafe {
            let mut b = self.b.first;
            let mut sums = [[V::splat(T::default()); W]; R];
            let mut a = self.a.first.add(row * down);
            let mut end = a.wrapping_add(self.a.depth * self.a.right);
            let jump = self.a.behind.wrapping_sub(self.a.depth * self.a.right);
            for _ in 0..self.summands {
                // One loop: where there are two, the sums are not kept in registers.
                if a == end {
                    a = a.wrapping_add(jump);
                    end = end.wrapping_add(self.a.behind);
                }
                let columns: [V; W] =
                    std::array::from_fn(|w| <V as Holds<S>>::read(b.add(w * V::N)));
                for (i, sums) in sums.iter_mut().enumerate() {
                    let x = V::splat(*a.add(i * down));
                    (0..W).for_each(|w| sums[w] = sums[w].fused(x, columns[w]));
                }
                a = a.wrapping_add(self.a.right);
                b = b.wrapping_add(self.b.stride);
            }
            for (i, sums) in sums.iter().enumerate() {
                let row = self.rows.start + row + i;
                let to = out.at((row * self.n + self.columns.start) as isize);
                match columns == W * V::N {
                    true => put(sums, to, self.adds),
                    false => {
                        let mut row = [O::default(); 32];
                        std::ptr::copy_nonoverlapping(to, row.as_mut_ptr(), columns);
                        put(sums, row.as_mut_ptr(), self.adds);
                        std::ptr::copy_nonoverlapping(row.as_ptr(), to, columns);
                    }
                }
            }
        }
        R
    }
}

/// Writes vectors, or adds them to what is there.
///
/// # Safety
/// There must be room for them, and the machine must have the instruction set.
#[inline(always)]
// SAFETY: tiles call it, with `W` vectors of the result or a row of their own that is as long as the longest.
pub(super) unsafe fn put<T: Numbers, O, V: Lanes<T> + Holds<O>, const W: usize>(
    sums: &[V; W],
    to: *mut O,
    adds: bool,
) {
    for (w, &sum) in sums.iter().enumerate() {
        // SAFETY: promised by the caller.
        unsafe {
            let to = to.add(w * V::N);
            let all = match adds {
                true => <V as Holds<O>>::read(to).fused(sum, V::splat(T::ONE)),
                false => sum,
            };
            <V as Holds<O>>::write(all, to);
        }
    }
}
