//! Products of integers, which wrap. Wrapping sums are the same in any order, and the low half of a wide sum is the sum of
//! low halves: so numbers of any dtype are multiplied as those of 16 bits wherever their values are, two products at a
//! time. Those of 32 bits that do not fit are multiplied as they are, those of 64 as doubles where sums stay below 2^53.
//!
//! Both operands are laid out in panels, as for large products of floats: a block of panels of `b` for all threads, and
//! for each thread some rows of `a`.

use super::Matrix;
use super::element::Product;
use super::packed::{AnyBits, Room, each};
use super::pairs::{Tile, tile_of_pairs};
use crate::isa::{Isa, Job, Level, dispatch, level};
use crate::pool::{self, Base};
use crate::scratch::vec_of;

/// Words of a panel that are multiplied before sums are written.
const DEPTH: usize = 256;

/// Columns of `b` that are laid out at once.
const WIDTH: usize = 1024;

/// Rows of `a` in a block, about.
const HEIGHT: usize = 96;

/// Of fewer rows or columns too little of a tile is of use.
const FEWEST: usize = 4;

/// Multiply-adds up to which plain loops are faster than laying out.
const TINY: usize = 1 << 12;

/// The greatest sum below which all sums are exact in double precision.
const EXACT: f64 = (1u64 << 53) as f64;

/// Integers with a sign, as which those without are multiplied too: the bits of the products are the same.
pub(super) trait Signed: Copy + Default + Send + Sync + 'static {
    /// The lowest 16 bits.
    fn low(self) -> u16;
    /// Of which these are the lowest bits.
    fn of(sum: i32) -> Self;
    fn plus(self, other: Self) -> Self;
    /// Makes a product of which there is a good deal, on a machine with vectors; says whether it was made.
    fn make(p: &Product<Self>, out: &mut [Self]) -> bool;
}

/// Makes the product where this is the way to; says whether it was.
pub(super) fn product<T: Signed>(p: &Product<T>, out: &mut [T]) -> bool {
    let multiplies = p.m.saturating_mul(p.n).saturating_mul(p.k);
    let is_for = p.m >= FEWEST && p.n >= FEWEST && multiplies > TINY;
    is_for && level() != Level::Baseline && T::make(p, out)
}

macro_rules! signed {
    ($($t:ty, $make:expr;)*) => {$(
        impl Signed for $t {
            #[inline(always)]
            fn low(self) -> u16 {
                self as u16
            }
            #[inline(always)]
            fn of(sum: i32) -> Self {
                sum as $t
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn make(p: &Product<Self>, out: &mut [Self]) -> bool {
                $make(p, out)
            }
        }
    )*};
}
signed! {
    i8, by_pairs;
    i16, by_pairs;
    i32, narrow_or_whole;
    i64, by_doubles;
}

fn by_pairs<T: Signed>(p: &Product<T>, out: &mut [T]) -> bool {
    run::<T, Pairs>(p, out, &tile_of_pairs());
    true
}

fn narrow_or_whole(p: &Product<i32>, out: &mut [i32]) -> bool {
    if dispatch(Narrow(p.a.data)) && dispatch(Narrow(p.b.data)) {
        return by_pairs(p, out);
    }
    run::<i32, Whole>(p, out, &WHOLE_TILE);
    true
}

/// Whether all numbers have 16 bits.
struct Narrow<'a>(&'a [i32]);

impl Job for Narrow<'_> {
    type Out = bool;
    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        const PIECE: usize = 4096;
        let wide = |any: u32, &x: &i32| any | (x.wrapping_add(1 << 15) as u32 >> 16);
        self.0.chunks(PIECE).all(|x| x.iter().fold(0, wide) == 0)
    }
}

/// The greatest number without its sign.
struct Most<'a>(&'a [i64]);

impl Job for Most<'_> {
    type Out = u64;
    #[inline(always)]
    fn run<I: Isa>(self) -> u64 {
        // All bits of the numbers, which say how many there are of the greatest.
        let all = self.0.iter().fold(0, |all, &x| all | x ^ (x >> 63)) as u64;
        1 << (64 - all.leading_zeros()).min(63)
    }
}

/// Makes the product of numbers whose sums doubles hold; says whether they do.
fn by_doubles(p: &Product<i64>, out: &mut [i64]) -> bool {
    let most = |data: &[i64]| dispatch(Most(data)) as f64;
    if most(p.a.data) * most(p.b.data) * p.k as f64 >= EXACT {
        return false;
    }
    struct Doubles<'a>(&'a [i64], &'a mut [f64]);
    impl Job for Doubles<'_> {
        type Out = ();
        #[inline(always)]
        fn run<I: Isa>(self) {
            self.1
                .iter_mut()
                .zip(self.0)
                .for_each(|(to, &x)| *to = x as f64);
        }
    }
    let double = |all: &[i64]| {
        let mut room = Room::<f64>::of(all.len());
        dispatch(Doubles(all, room.all()));
        room
    };
    let (mut a, mut b) = (double(p.a.data), double(p.b.data));
    let mut made = Room::<f64>::of(out.len());
    let matrix = |data, of: &Matrix<i64>| Matrix {
        data,
        row_stride: of.row_stride,
        col_stride: of.col_stride,
        conj: false,
    };
    let doubles = Product {
        m: p.m,
        k: p.k,
        n: p.n,
        a: matrix(&*a.all(), &p.a),
        b: matrix(&*b.all(), &p.b),
        accumulate: false,
        spread: p.spread,
    };
    super::element::MatMul::product(doubles, made.all());
    for (to, &sum) in out.iter_mut().zip(made.all().iter()) {
        let sum = sum as i64;
        *to = if p.accumulate {
            to.wrapping_add(sum)
        } else {
            sum
        };
    }
    true
}

/// How numbers are laid out and their sums taken.
pub(super) trait Parts<T>: 'static {
    /// What panels consist of.
    type Word: AnyBits + Default + Send + Sync;
    type Sum: Copy + Default;
    /// Summands of a word.
    const TOGETHER: usize;
    fn word(first: T, second: T) -> Self::Word;
    fn number(sum: Self::Sum) -> T;
}

/// Two numbers of 16 bits in a word, whose products are added up with 32.
struct Pairs;

impl<T: Signed> Parts<T> for Pairs {
    type Word = u32;
    type Sum = i32;
    const TOGETHER: usize = 2;
    #[inline(always)]
    fn word(first: T, second: T) -> u32 {
        u32::from(first.low()) | u32::from(second.low()) << 16
    }
    #[inline(always)]
    fn number(sum: i32) -> T {
        T::of(sum)
    }
}

/// A number in a word, which is multiplied as it is.
struct Whole;

impl Parts<i32> for Whole {
    type Word = i32;
    type Sum = i32;
    const TOGETHER: usize = 1;
    #[inline(always)]
    fn word(first: i32, _: i32) -> i32 {
        first
    }
    #[inline(always)]
    fn number(sum: i32) -> i32 {
        sum
    }
}

const WHOLE_ROWS: usize = 4;
const WHOLE_COLUMNS: usize = 16;
const WHOLE_TILE: Tile<i32, i32> = Tile {
    rows: WHOLE_ROWS,
    columns: WHOLE_COLUMNS,
    make: |a, b, to| dispatch(OfWhole(a, b, to)),
};

/// A tile of numbers that are multiplied as they are.
struct OfWhole<'a>(&'a [i32], &'a [i32], &'a mut [i32]);

impl Job for OfWhole<'_> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let OfWhole(a, b, to) = self;
        let mut sums = [[0i32; WHOLE_COLUMNS]; WHOLE_ROWS];
        for (a, b) in a
            .chunks_exact(WHOLE_ROWS)
            .zip(b.chunks_exact(WHOLE_COLUMNS))
        {
            for (sums, &x) in sums.iter_mut().zip(a) {
                for (sum, &y) in sums.iter_mut().zip(b) {
                    *sum = sum.wrapping_add(x.wrapping_mul(y));
                }
            }
        }
        to.copy_from_slice(sums.as_flattened());
    }
}

/// A product, block by block.
fn run<T: Signed, P: Parts<T>>(p: &Product<T>, out: &mut [T], tile: &Tile<P::Word, P::Sum>) {
    if !p.accumulate {
        out.fill(T::default());
    }
    let depth = DEPTH * P::TOGETHER;
    let columns = WIDTH.min(p.n.next_multiple_of(tile.columns));
    let words = depth.min(p.k).div_ceil(P::TOGETHER);
    let mut room = Room::<P::Word>::of(columns * words);
    let result = Base::of(out);
    for column in (0..p.n).step_by(WIDTH) {
        for from in (0..p.k).step_by(depth) {
            let summands = depth.min(p.k - from);
            let block = Block::<T, P> {
                p,
                tile,
                from,
                summands,
                words: summands.div_ceil(P::TOGETHER),
                column,
                width: WIDTH.min(p.n - column),
            };
            block.lay_columns_out(&Base::of(room.all()));
            block.multiply(room.all(), &result);
        }
    }
}

/// Some summands of some columns of a product.
struct Block<'a, T, P: Parts<T>> {
    p: &'a Product<'a, T>,
    tile: &'a Tile<P::Word, P::Sum>,
    from: usize,
    summands: usize,
    words: usize,
    column: usize,
    width: usize,
}

impl<T: Signed, P: Parts<T>> Block<'_, T, P> {
    fn lay_columns_out(&self, room: &Base<P::Word>) {
        const PANELS: usize = 4; // that are laid out at once
        let wide = self.tile.columns;
        let panels = self.width.div_ceil(wide);
        each(panels.div_ceil(PANELS), self.p.spread, &|i| {
            for panel in i * PANELS..panels.min((i + 1) * PANELS) {
                let first = panel * wide;
                // SAFETY: panels do not overlap, and there is room for all.
                let to = unsafe { room.piece(first * self.words, wide * self.words) };
                dispatch(LayOut::<T, P> {
                    from: self.p.b.t(),
                    first: self.column + first,
                    own: wide.min(self.width - first),
                    summand: self.from,
                    summands: self.summands,
                    wide,
                    to,
                });
            }
        });
    }

    /// Multiplies all rows of `a` with the panels; threads share blocks of rows, and columns where there are few rows.
    fn multiply(&self, panels: &[P::Word], out: &Base<T>) {
        let shares = match self.p.spread {
            true => pool::n_threads(),
            false => 1,
        };
        let (high, wide) = (self.tile.rows, self.tile.columns);
        let tiles = self.p.m.div_ceil(high);
        let blocks = self
            .p
            .m
            .div_ceil(HEIGHT)
            .next_multiple_of(shares)
            .min(tiles);
        let n_panels = self.width.div_ceil(wide);
        let strips = shares.div_ceil(blocks).min(n_panels);
        let begin = |i: usize| (i * tiles / blocks * high).min(self.p.m);
        let left = |i: usize| i * n_panels / strips * wide;
        each(blocks * strips, self.p.spread, &|i| {
            let (block, strip) = (i / strips, i % strips);
            let (first, end) = (begin(block), begin(block + 1));
            let mut room = Room::<P::Word>::of((end - first).next_multiple_of(high) * self.words);
            let panels_of_rows = room.all().chunks_exact_mut(high * self.words);
            for (row, to) in (first..end).step_by(high).zip(panels_of_rows) {
                dispatch(LayOut::<T, P> {
                    from: self.p.a,
                    first: row,
                    own: high.min(end - row),
                    summand: self.from,
                    summands: self.summands,
                    wide: high,
                    to,
                });
            }
            let columns = left(strip)..left(strip + 1).min(self.width);
            self.rows_times_panels(first..end, columns, room.all(), panels, out);
        });
    }

    /// Some rows, laid out, times the panels of some columns.
    fn rows_times_panels(
        &self,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
        a: &[P::Word],
        panels: &[P::Word],
        out: &Base<T>,
    ) {
        let (high, wide) = (self.tile.rows, self.tile.columns);
        let mut sums = vec_of(P::Sum::default(), high * wide);
        for column in columns.clone().step_by(wide) {
            let width = wide.min(columns.end - column);
            let b = &panels[column * self.words..][..wide * self.words];
            for row in rows.clone().step_by(high) {
                let a = &a[(row - rows.start) * self.words..][..high * self.words];
                (self.tile.make)(a, b, &mut sums);
                for (i, sums) in sums.chunks_exact(wide).enumerate().take(rows.end - row) {
                    let at = (row + i) * self.p.n + self.column + column;
                    // SAFETY: nobody else uses these rows of these columns of the result.
                    let to = unsafe { out.piece(at, width) };
                    dispatch(Add::<T, P>(to, sums));
                }
            }
        }
    }
}

/// Adds sums to what is there.
struct Add<'a, T, P: Parts<T>>(&'a mut [T], &'a [P::Sum]);

impl<T: Signed, P: Parts<T>> Job for Add<'_, T, P> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (to, &sum) in self.0.iter_mut().zip(self.1) {
            *to = to.plus(P::number(sum));
        }
    }
}

/// Lays `own` rows of a matrix out from row `first` on, as a panel of `wide` words for each word of summands. Rows and
/// summands that lack are zeros.
struct LayOut<'a, T, P: Parts<T>> {
    from: Matrix<'a, T>,
    first: usize,
    own: usize,
    summand: usize,
    summands: usize,
    wide: usize,
    to: &'a mut [P::Word],
}

impl<T: Signed, P: Parts<T>> Job for LayOut<'_, T, P> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (down, right) = (self.from.row_stride, self.from.col_stride);
        let data = &self.from.data[self.first * down + self.summand * right..];
        if self.own < self.wide {
            self.to.fill(P::Word::default());
        }
        let whole = self.summands / P::TOGETHER;
        let (words, rest) = self.to.split_at_mut(whole * self.wide);
        let step = P::TOGETHER * right;
        let second = right * (P::TOGETHER - 1);
        for (l, to) in words.chunks_exact_mut(self.wide).enumerate() {
            let (to, at) = (&mut to[..self.own], l * step);
            if down == 1 {
                let both = data[at..][..to.len()]
                    .iter()
                    .zip(&data[at + second..][..to.len()]);
                to.iter_mut()
                    .zip(both)
                    .for_each(|(to, (&x, &y))| *to = P::word(x, y));
            } else {
                for (i, to) in to.iter_mut().enumerate() {
                    *to = P::word(data[at + i * down], data[at + i * down + second]);
                }
            }
        }
        // A last summand that has no second.
        for (i, to) in rest.iter_mut().enumerate().take(self.own) {
            *to = P::word(data[whole * step + i * down], T::default());
        }
    }
}
