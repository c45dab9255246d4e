//! The innermost loops of a strided copy.

use super::square;

/// A loop: how often it goes round and how far each round moves on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loop {
    pub n: usize,
    pub from: isize,
    pub to: isize,
}

impl Loop {
    /// One round.
    pub const ONCE: Loop = Loop {
        n: 1,
        from: 1,
        to: 1,
    };

    /// The loop that takes `step` rounds of this one at once.
    pub fn in_steps_of(self, step: usize) -> Loop {
        Loop {
            n: self.n.div_ceil(step),
            from: self.from * step as isize,
            to: self.to * step as isize,
        }
    }
}

/// Rows of columns of runs: a run is a few contiguous elements, and columns are next to one another in the
/// destination.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub rows: Loop,
    pub columns: Loop,
    pub run: usize,
    /// Whether the destination is not expected to be in a cache, nor wanted there.
    pub past_cache: bool,
}

/// Contiguous elements up to this many are a run.
pub(super) const LONGEST_RUN: usize = 32;

/// The edge of the square that a transposing copy takes at once.
pub(super) const TILE: usize = 16;

impl Block {
    /// `n` contiguous rows of `width`, at these distances.
    pub fn of_rows(n: usize, width: usize, from: usize, to: usize) -> Block {
        let down = Loop {
            n,
            from: from as isize,
            to: to as isize,
        };
        if width <= LONGEST_RUN {
            return Block {
                rows: Loop::ONCE,
                columns: down,
                run: width,
                past_cache: false,
            };
        }
        Block {
            rows: down,
            columns: Loop {
                n: width,
                ..Loop::ONCE
            },
            run: 1,
            past_cache: false,
        }
    }

    /// Copies the block, whose strides must not be negative, from one slice to another.
    pub fn copy_slice<T: Clone>(&self, from: &[T], to: &mut [T]) {
        let loops = [self.rows, self.columns];
        if self.run == 0 || loops.iter().any(|l| l.n == 0) {
            return;
        }
        let reach = |stride: fn(&Loop) -> isize| {
            let far = |l: &Loop| usize::try_from(stride(l)).map(|s| s * (l.n - 1));
            let all = loops.iter().map(far).sum::<Result<usize, _>>();
            all.expect("strides are not negative") + self.run
        };
        assert!(reach(|l| l.from) <= from.len() && reach(|l| l.to) <= to.len());
        // SAFETY: what the loops reach is within the slices.
        unsafe { self.copy(from.as_ptr(), to.as_mut_ptr()) }
    }

    /// Calls `f` with the offsets of each element on both sides, in the order of the destination.
    pub fn each(&self, mut f: impl FnMut(isize, isize)) {
        for r in 0..self.rows.n as isize {
            for c in 0..self.columns.n as isize {
                let from = r * self.rows.from + c * self.columns.from;
                let to = r * self.rows.to + c * self.columns.to;
                (0..self.run as isize).for_each(|i| f(from + i, to + i));
            }
        }
    }

    fn transposes(&self) -> bool {
        let goes_far = !matches!(self.columns.from, 0 | 1);
        self.run == 1 && self.rows.from == 1 && self.columns.to == 1 && goes_far
    }

    /// A rough cost of an element.
    pub fn cost_ns<T>(&self) -> f64 {
        let bytes = size_of::<T>() as f64;
        let each = match (self.columns.from, self.columns.to) {
            (0 | 1, 1) => 4.0 / (self.columns.n * self.run) as f64,
            _ => 0.7 / self.run as f64,
        };
        each + bytes * 0.06
    }

    /// Copies the block.
    ///
    /// # Safety
    /// All that the loops reach from `from` may be read and from `to` written, and nobody else does the latter.
    pub unsafe fn copy<T: Clone>(&self, from: *const T, to: *mut T) {
        // SAFETY: promised by the caller.
        unsafe {
            match self.run {
                1 if self.transposes() => self.copy_tiles(from, to),
                1 => self.copy_columns(from, to),
                2 => self.copy_runs::<T, 2>(from, to),
                3 => self.copy_runs::<T, 3>(from, to),
                4 => self.copy_runs::<T, 4>(from, to),
                8 => self.copy_runs::<T, 8>(from, to),
                _ => self.copy_long_runs(from, to),
            }
        }
    }

    /// # Safety
    /// As for [`Block::copy`].
    unsafe fn copy_columns<T: Clone>(&self, mut from: *const T, mut to: *mut T) {
        let Loop {
            n,
            from: step,
            to: stride,
        } = self.columns;
        for _ in 0..self.rows.n {
            // SAFETY: promised by the caller.
            unsafe {
                match (step, stride) {
                    (1, 1) => slice_mut(to, n).clone_from_slice(slice(from, n)),
                    (0, 1) => slice_mut(to, n).fill((*from).clone()),
                    (-1, 1) => {
                        let backwards = slice(from.wrapping_sub(n - 1), n).iter().rev();
                        slice_mut(to, n)
                            .iter_mut()
                            .zip(backwards)
                            .for_each(|(y, x)| *y = x.clone());
                    }
                    _ => copy_each(n, from, step, to, stride),
                }
                from = from.wrapping_offset(self.rows.from);
                to = to.wrapping_offset(self.rows.to);
            }
        }
    }

    /// # Safety
    /// As for [`Block::copy`]; runs have `N` elements.
    unsafe fn copy_runs<T: Clone, const N: usize>(&self, from: *const T, to: *mut T) {
        for r in 0..self.rows.n as isize {
            for c in 0..self.columns.n as isize {
                // SAFETY: promised by the caller.
                unsafe {
                    let x = from.offset(r * self.rows.from + c * self.columns.from);
                    let y = to.offset(r * self.rows.to + c * self.columns.to);
                    (0..N).for_each(|i| *y.add(i) = (*x.add(i)).clone());
                }
            }
        }
    }

    /// # Safety
    /// As for [`Block::copy`].
    unsafe fn copy_long_runs<T: Clone>(&self, from: *const T, to: *mut T) {
        for r in 0..self.rows.n as isize {
            for c in 0..self.columns.n as isize {
                // SAFETY: promised by the caller.
                unsafe {
                    let x = from.offset(r * self.rows.from + c * self.columns.from);
                    let y = to.offset(r * self.rows.to + c * self.columns.to);
                    slice_mut(y, self.run).clone_from_slice(slice(x, self.run));
                }
            }
        }
    }

    /// Rows are contiguous in the source and columns in the destination: goes by squares.
    ///
    /// # Safety
    /// As for [`Block::copy`].
    unsafe fn copy_tiles<T: Clone>(&self, from: *const T, to: *mut T) {
        let past_cache = self.past_cache && self.writes_lines(to);
        let tile = square::transpose(past_cache).unwrap_or(tile::<T>);
        for r in (0..self.rows.n).step_by(TILE) {
            for c in (0..self.columns.n).step_by(TILE) {
                let (n_rows, n_columns) = (TILE.min(self.rows.n - r), TILE.min(self.columns.n - c));
                let (r, c) = (r as isize, c as isize);
                // SAFETY: promised by the caller.
                unsafe {
                    let x = from.offset(r + c * self.columns.from);
                    let y = to.offset(r * self.rows.to + c);
                    if n_rows == TILE && n_columns == TILE {
                        tile(x, self.columns.from, y, self.rows.to);
                        continue;
                    }
                    for r in 0..n_rows as isize {
                        let y = y.offset(r * self.rows.to);
                        copy_each(n_columns, x.offset(r), self.columns.from, y, 1);
                    }
                }
            }
        }
        if past_cache {
            square::fence();
        }
    }

    /// Whether all squares' rows begin at multiples of a cache line.
    fn writes_lines<T>(&self, to: *mut T) -> bool {
        let row = self.rows.to.unsigned_abs() * size_of::<T>();
        (to.addr() | row).is_multiple_of(64)
    }
}

/// A square: `to[r * rows + c] = from[r + c * columns]`.
///
/// # Safety
/// The square may be read and written.
unsafe fn tile<T: Clone>(from: *const T, columns: isize, to: *mut T, rows: isize) {
    // SAFETY: promised by the caller.
    unsafe {
        let column: [&[T]; TILE] =
            std::array::from_fn(|c| slice(from.offset(c as isize * columns), TILE));
        for r in 0..TILE {
            let row = slice_mut(to.offset(r as isize * rows), TILE);
            for (y, x) in row.iter_mut().zip(&column) {
                *y = x[r].clone();
            }
        }
    }
}

/// # Safety
/// `n` elements at these strides may be read and written.
#[inline(always)]
// SAFETY: only the loops of a block call it, with a line of what `Block::copy` was promised.
unsafe fn copy_each<T: Clone>(n: usize, from: *const T, step: isize, to: *mut T, stride: isize) {
    for i in 0..n as isize {
        // SAFETY: promised by the caller.
        unsafe { *to.offset(i * stride) = (*from.offset(i * step)).clone() };
    }
}

/// # Safety
/// `n` elements may be read while the slice lives.
#[inline(always)]
// SAFETY: only the loops of a block call it, with elements that `Block::copy` may read.
unsafe fn slice<'a, T>(at: *const T, n: usize) -> &'a [T] {
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(at, n) }
}

/// # Safety
/// `n` elements may be written, by nobody else, while the slice lives.
#[inline(always)]
// SAFETY: only the loops of a block call it, with elements that `Block::copy` may write.
unsafe fn slice_mut<'a, T>(at: *mut T, n: usize) -> &'a mut [T] {
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts_mut(at, n) }
}
