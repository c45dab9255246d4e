//! Copies between strided views: one loop nest for transposes, slices, repetitions and what is made of them.

use std::ops::Range;

use smallvec::SmallVec;

use super::View;
use super::block::{Block, LONGEST_RUN, Loop, TILE};
use crate::pool::{self, Base};

/// A copy between two views of one shape, bound before there are elements.
///
/// The loops are those of the destination from its largest stride to its smallest, merged where both sides walk on
/// alike. The innermost ones make up blocks that stay in the cache; blocks are what threads share.
#[derive(Debug, Clone)]
pub struct Strided {
    /// Loops over blocks, the slowest first; the last two go over the parts of rows and columns.
    nest: SmallVec<[Loop; 6]>,
    n_blocks: usize,
    /// What a whole block copies.
    block: Block,
    /// How many rows and columns all its parts have together.
    whole: [usize; 2],
    from: isize,
    to: isize,
    /// How long the slices must be.
    lengths: (usize, usize),
    size: usize,
}

/// Elements that a block copies, roughly.
const BLOCK: usize = 4096;
/// Contiguous elements that a block copies, roughly.
const STRETCH: usize = 1 << 16;
/// Copies of this many bytes leave the caches to others where they can.
const PAST_CACHE: usize = 4 << 20;
/// The edge of a block that transposes.
const SIDE: usize = 64;

impl Strided {
    /// A copy that fills a dense slice with the elements of a view.
    pub fn read(from: &View) -> Strided {
        Strided::bound(from, &View::of(&from.shape()))
    }

    /// A copy of all of a dense slice to the places of a view, which must differ.
    pub fn write(to: &View) -> Strided {
        Strided::between(&View::of(&to.shape()), to)
    }

    /// A copy of the elements of one view to the places of another, which must differ.
    pub fn between(from: &View, to: &View) -> Strided {
        assert!(
            from.shape() == to.shape(),
            "both views have one shape: {:?} and {:?}",
            from.shape(),
            to.shape()
        );
        assert!(
            to.reach().is_none() || to.is_injective(),
            "each place is written once"
        );
        Strided::bound(from, to)
    }

    /// The copy between views of one shape, the second of which has a place for each element.
    fn bound(from: &View, to: &View) -> Strided {
        let mut all = Strided::nothing();
        let (Some(read), Some(written)) = (from.reach(), to.reach()) else {
            return all;
        };
        assert!(read.0 >= 0 && written.0 >= 0, "views lie within slices");
        (all.from, all.to) = (from.start, to.start);
        all.lengths = (read.1 as usize + 1, written.1 as usize + 1);
        all.size = from.axes.iter().map(|a| a.len).product();
        let loops = all.loops(from, to);
        all.plan(loops);
        all
    }

    fn nothing() -> Strided {
        Strided {
            nest: SmallVec::new(),
            n_blocks: 0,
            block: Block {
                rows: Loop::ONCE,
                columns: Loop::ONCE,
                run: 1,
                past_cache: false,
            },
            whole: [1, 1],
            from: 0,
            to: 0,
            lengths: (0, 0),
            size: 0,
        }
    }

    /// The loops by falling stride of the destination, forwards there, merged.
    fn loops(&mut self, from: &View, to: &View) -> SmallVec<[Loop; 6]> {
        let mut loops: SmallVec<[Loop; 6]> = SmallVec::new();
        for (f, t) in from.axes.iter().zip(&to.axes).filter(|(f, _)| f.len > 1) {
            let mut one = Loop {
                n: f.len,
                from: f.stride,
                to: t.stride,
            };
            if one.to < 0 {
                self.from += one.from * (one.n as isize - 1);
                self.to += one.to * (one.n as isize - 1);
                (one.from, one.to) = (-one.from, -one.to);
            }
            loops.push(one);
        }
        loops.sort_by_key(|l| -l.to);
        let mut merged: SmallVec<[Loop; 6]> = SmallVec::new();
        for inner in loops {
            match merged.last_mut() {
                Some(l)
                    if l.from == inner.from * inner.n as isize
                        && l.to == inner.to * inner.n as isize =>
                {
                    *l = Loop {
                        n: l.n * inner.n,
                        ..inner
                    };
                }
                _ => merged.push(inner),
            }
        }
        merged
    }

    /// Chooses the loops within a block and how far each goes there.
    fn plan(&mut self, mut loops: SmallVec<[Loop; 6]>) {
        let run = match loops.last() {
            Some(l) if l.from == 1 && l.to == 1 && l.n <= LONGEST_RUN => loops.pop().map(|l| l.n),
            _ => None,
        };
        let run = run.unwrap_or(1);
        let columns = loops.pop().unwrap_or(Loop::ONCE);
        let nearest = (0..loops.len())
            .filter(|&i| loops[i].from != 0)
            .min_by_key(|&i| loops[i].from.unsigned_abs())
            .filter(|&i| loops[i].from.unsigned_abs() < columns.from.unsigned_abs());
        let rows = match nearest {
            Some(i) => loops.remove(i),
            None => loops.pop().unwrap_or(Loop::ONCE),
        };
        let most = match (columns.from, columns.to) {
            (1, 1) => STRETCH,
            _ => BLOCK / run,
        };
        let n_columns = match nearest {
            // Long stretches on the side where each step goes far.
            Some(_) if columns.from.abs() > rows.to => {
                columns.n.min(TILE.max(most / rows.n.min(most / TILE)))
            }
            Some(_) => columns.n.min(SIDE.max(most / rows.n.min(SIDE))),
            None => columns.n.min(most),
        };
        let n_rows = rows.n.min((most / n_columns).max(1));
        loops.push(rows.in_steps_of(n_rows));
        loops.push(columns.in_steps_of(n_columns));
        self.n_blocks = loops.iter().map(|l| l.n).product();
        self.nest = loops;
        self.whole = [rows.n, columns.n];
        self.block = Block {
            rows: Loop { n: n_rows, ..rows },
            columns: Loop {
                n: n_columns,
                ..columns
            },
            run,
            past_cache: false,
        };
    }

    /// Calls `f` with where each of these blocks begins on both sides, and what it copies from there, past the cache
    /// if so said.
    fn blocks(
        &self,
        range: Range<usize>,
        past_cache: bool,
        mut f: impl FnMut(isize, isize, &Block),
    ) {
        let mut index: SmallVec<[usize; 6]> = SmallVec::from_elem(0, self.nest.len());
        let (mut from, mut to, mut rest) = (self.from, self.to, range.start);
        for (i, l) in index.iter_mut().zip(&self.nest).rev() {
            (*i, rest) = (rest % l.n, rest / l.n);
            from += *i as isize * l.from;
            to += *i as isize * l.to;
        }
        let last = index.len() - 1;
        let mut block = Block {
            past_cache,
            ..self.block
        };
        for _ in range {
            let left = |l: &Loop, i: usize, whole: usize| l.n.min(whole - i * l.n);
            block.rows.n = left(&self.block.rows, index[last - 1], self.whole[0]);
            block.columns.n = left(&self.block.columns, index[last], self.whole[1]);
            f(from, to, &block);
            for (i, l) in index.iter_mut().zip(&self.nest).rev() {
                *i += 1;
                from += l.from;
                to += l.to;
                if *i < l.n {
                    break;
                }
                *i = 0;
                from -= l.from * l.n as isize;
                to -= l.to * l.n as isize;
            }
        }
    }

    /// Copies.
    pub fn copy<T: Clone + Send + Sync>(&self, from: &[T], to: &mut [T]) {
        if self.size == 0 {
            return;
        }
        self.check(from.len(), to.len());
        if self.n_blocks == 1 {
            // SAFETY: the slices are as long as the views reach, so that what the block touches is within them.
            return unsafe {
                let from = from.as_ptr().offset(self.from);
                self.block.copy(from, to.as_mut_ptr().offset(self.to));
            };
        }
        let (n, to) = (self.n_blocks, Base::of(to));
        let cost = self.size as f64 / n as f64 * self.block.cost_ns::<T>();
        let past_cache = self.size * size_of::<T>() >= PAST_CACHE;
        pool::par_chunks(n, cost, |range| {
            self.blocks(range, past_cache, |f, t, block| {
                // SAFETY: the slices are as long as the views reach, so that what a block touches is within them;
                // the destination's view is injective, so that no two blocks write one place.
                unsafe { block.copy(from.as_ptr().offset(f), to.at(t)) }
            });
        });
    }

    /// Replaces each element of the destination by what `f` makes of it and the element that would be copied there.
    pub fn combine<T: Copy>(&self, from: &[T], to: &mut [T], f: impl Fn(T, T) -> T) {
        if self.size == 0 {
            return;
        }
        self.check(from.len(), to.len());
        self.blocks(0..self.n_blocks, false, |x, y, block| {
            block.each(|i, j| {
                let at = (y + j) as usize;
                to[at] = f(to[at], from[(x + i) as usize]);
            });
        });
    }

    fn check(&self, from: usize, to: usize) {
        assert!(
            from >= self.lengths.0 && to >= self.lengths.1,
            "a copy of slices of {from} and {to} elements where the views reach {:?}",
            self.lengths
        );
    }
}
