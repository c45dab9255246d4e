//! Streaming reductions, which take their elements a few at a time, block by block in any order, and end with the bits
//! that [`reduce`](super::reduce) gives: the accumulators of blocks wait for the tree.

use std::marker::PhantomData;

use super::ReduceOp;
use super::tree::{FEW, LANES, LEAF, ROWS, merged};
use crate::isa::{Isa, Job, dispatch};
use crate::pool::Base;
use crate::scratch::vec_of;

/// A reduction of the middle of `[outer, n, inner]` that is fed its elements.
pub struct StreamingReduction<T: Copy, O: ReduceOp<T>> {
    shape: Blocks,
    acc: Vec<O::Acc>,
    of: PhantomData<fn(T)>,
}

/// How the elements are cut into blocks, each with accumulators of its own.
#[derive(Clone, Copy)]
struct Blocks {
    outer: usize,
    n: usize,
    inner: usize,
}

impl Blocks {
    /// Elements of a block; the last of each outer index may have fewer.
    fn len(self) -> usize {
        if self.inner == 1 {
            LEAF
        } else {
            ROWS * self.inner
        }
    }

    /// Accumulators of a block.
    fn width(self) -> usize {
        if self.inner == 1 { LANES } else { self.inner }
    }

    /// Elements of an outer index.
    fn slab(self) -> usize {
        self.n * self.inner
    }

    /// Blocks of an outer index.
    fn count(self) -> usize {
        self.slab().div_ceil(self.len())
    }

    fn total(self) -> usize {
        self.outer * self.slab()
    }
}

impl<T: Copy, O: ReduceOp<T>> StreamingReduction<T, O> {
    /// A reduction that has been fed nothing.
    pub fn new(outer: usize, n: usize, inner: usize) -> StreamingReduction<T, O> {
        let shape = Blocks { outer, n, inner };
        StreamingReduction {
            shape,
            acc: vec_of(O::identity(), outer * shape.count() * shape.width()),
            of: PhantomData,
        }
    }

    /// How many elements make a block.
    pub fn block(inner: usize) -> usize {
        let (outer, n) = (1, 1);
        Blocks { outer, n, inner }.len()
    }

    /// What threads feed, all at once.
    pub fn stream(&mut self) -> ReductionStream<'_, T, O> {
        ReductionStream {
            shape: self.shape,
            acc: Base::of(&mut self.acc),
        }
    }

    /// The results of all reductions, once all elements were fed.
    pub fn finish(mut self, out: &mut [O::Out]) {
        let shape = self.shape;
        let (inner, width) = (shape.inner, shape.width());
        for lanes in self.acc.chunks_exact_mut(shape.count() * width) {
            if inner == 1 {
                in_lanes::<T, O::Loop>(lanes, shape.n);
            }
            tree::<T, O::Loop>(lanes, width, inner);
        }
        let slabs = self.acc.chunks_exact(shape.count() * width);
        for (out, acc) in out.chunks_exact_mut(inner).zip(slabs) {
            let results = out.iter_mut().zip(&acc[..inner]);
            results.for_each(|(out, &acc)| *out = O::finish(acc, shape.n));
        }
    }
}

/// Merges the lanes of each block of `n` elements in all into the first one.
fn in_lanes<T: Copy, O: ReduceOp<T>>(acc: &mut [O::Acc], n: usize) {
    let rest = n % LEAF;
    let n_blocks = acc.len() / LANES;
    for (i, lanes) in acc.chunks_exact_mut(LANES).enumerate() {
        lanes[0] = match rest {
            1..FEW if i + 1 == n_blocks => in_turn::<T, O>(&lanes[..rest]),
            _ => all::<T, O>(lanes),
        };
    }
}

fn all<T: Copy, O: ReduceOp<T>>(of: &[O::Acc]) -> O::Acc {
    let mut lanes = [O::identity(); LANES];
    lanes.copy_from_slice(of);
    merged::<T, O, LANES>(lanes)
}

fn in_turn<T: Copy, O: ReduceOp<T>>(lanes: &[O::Acc]) -> O::Acc {
    lanes[1..].iter().fold(lanes[0], |a, &b| O::merge(a, b))
}

/// Merges the first `inner` accumulators of blocks that are `width` apart into those of the first.
fn tree<T: Copy, O: ReduceOp<T>>(acc: &mut [O::Acc], width: usize, inner: usize) {
    let n = acc.len() / width;
    if n < 2 {
        return;
    }
    let (low, high) = acc.split_at_mut(width * (n.next_power_of_two() / 2));
    tree::<T, O>(low, width, inner);
    tree::<T, O>(high, width, inner);
    let pairs = low.iter_mut().zip(high.iter()).take(inner);
    pairs.for_each(|(a, &b)| *a = O::merge(*a, b));
}

/// TotalStream a reduction.
pub struct ReductionStream<'a, T: Copy, O: ReduceOp<T>> {
    shape: Blocks,
    acc: Base<'a, O::Acc>,
}

impl<T: Copy, O: ReduceOp<T>> ReductionStream<'_, T, O> {
    /// Takes the elements from `first` on.
    ///
    /// # Safety
    /// Elements of one block that are merged into the same accumulators come in their order, and by one thread at a time:
    /// those of a column, or all where `inner` is 1.
    pub unsafe fn feed(&self, first: usize, x: &[T]) {
        assert!(
            first + x.len() <= self.shape.total(),
            "no more elements are fed than there are"
        );
        let (len, slab) = (self.shape.len(), self.shape.slab());
        let (mut at, mut x) = (first, x);
        while !x.is_empty() {
            let (outer, inside) = (at / slab, at % slab);
            let (block, from) = (inside / len, inside % len);
            let left = (len - from).min(slab - inside);
            let (piece, rest) = x.split_at(x.len().min(left));
            // SAFETY: promised by the caller.
            unsafe { self.piece(outer, block, from, piece) };
            (at, x) = (at + piece.len(), rest);
        }
    }

    /// Where the accumulators are of so many elements from `first` on, where these are whole blocks of `B` elements, or
    /// all up to the last one, and the elements of a block go round its `N` accumulators.
    pub fn lanes<const N: usize, const B: usize>(
        &self,
        first: usize,
        n: usize,
    ) -> Option<*mut O::Acc> {
        let (shape, end) = (self.shape, first + n);
        let is_flat = shape.outer == 1 && shape.inner == 1 && (N, B) == (LANES, LEAF);
        let ends = end.is_multiple_of(LEAF) || end == shape.n && n % LEAF >= LANES;
        let is_whole = is_flat && n > 0 && first.is_multiple_of(LEAF) && ends && end <= shape.n;
        // SAFETY: the first block begins within the operand, so its accumulators are there.
        is_whole.then(|| unsafe { self.acc.at((first / LEAF * LANES) as isize) })
    }

    /// Takes elements of one block of an outer index, from that one on.
    ///
    /// # Safety
    /// As [`ReductionStream::feed`].
    unsafe fn piece(&self, outer: usize, block: usize, from: usize, x: &[T]) {
        let Blocks { n, inner, .. } = self.shape;
        let width = self.shape.width();
        let start = (outer * self.shape.count() + block) * width;
        // SAFETY: the block begins within the operand; the caller promises that no other thread has these columns.
        let acc = |at: usize, len: usize| unsafe { self.acc.piece(start + at, len) };
        if inner == 1 {
            let acc = acc(0, width);
            if n - block * LEAF < FEW {
                let lanes = acc[from..].iter_mut().zip(x);
                return lanes.for_each(|(lane, &x)| *lane = O::lift(x));
            }
            return dispatch(Lanes::<T, O::Loop> { x, acc, from });
        }
        let mut x = x;
        let column = from % inner;
        if column > 0 || x.len() < inner {
            let (head, rest) = x.split_at(x.len().min(inner - column));
            let acc = acc(column, head.len());
            dispatch(Rows::<T, O::Loop> { x: head, acc });
            x = rest;
        }
        let (whole, tail) = x.split_at(x.len() - x.len() % inner);
        for (x, len) in [(whole, inner), (tail, tail.len())] {
            if !x.is_empty() {
                let acc = acc(0, len);
                dispatch(Rows::<T, O::Loop> { x, acc });
            }
        }
    }
}

/// Rows that are merged into the accumulators one after the other.
struct Rows<'a, T: Copy, O: ReduceOp<T>> {
    x: &'a [T],
    acc: &'a mut [O::Acc],
}

impl<T: Copy, O: ReduceOp<T>> Job for Rows<'_, T, O> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Rows { x, acc } = self;
        for row in x.chunks_exact(acc.len()) {
            for (acc, &x) in acc.iter_mut().zip(row) {
                *acc = O::merge(*acc, O::lift(x));
            }
        }
    }
}

/// Consecutive elements from that one of a leaf on, which go round its lanes.
struct Lanes<'a, T: Copy, O: ReduceOp<T>> {
    x: &'a [T],
    acc: &'a mut [O::Acc],
    from: usize,
}

impl<T: Copy, O: ReduceOp<T>> Job for Lanes<'_, T, O> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Lanes { x, acc, from } = self;
        let mut lanes = [O::identity(); LANES];
        if from > 0 {
            lanes.copy_from_slice(acc);
        }
        let head = from.next_multiple_of(LANES) - from;
        let (head, x) = x.split_at(head.min(x.len()));
        for (lane, &x) in lanes[from % LANES..].iter_mut().zip(head) {
            *lane = O::merge(*lane, O::lift(x));
        }
        let (x, tail) = x.split_at(x.len() / LANES * LANES);
        let mut lanes = in_registers::<T, O>(lanes, x);
        for (lane, &x) in lanes.iter_mut().zip(tail) {
            *lane = O::merge(*lane, O::lift(x));
        }
        acc.copy_from_slice(&lanes);
    }
}

/// Merges whole rows of lanes: no lane is indexed by a variable here, so that they can stay in registers.
#[inline(always)]
fn in_registers<T: Copy, O: ReduceOp<T>>(mut lanes: [O::Acc; LANES], x: &[T]) -> [O::Acc; LANES] {
    for chunk in x.chunks_exact(LANES) {
        for i in 0..LANES {
            lanes[i] = O::merge(lanes[i], O::lift(chunk[i]));
        }
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::super::{Max, Mean, Sum, reduce};
    use super::*;

    fn numbers(n: usize) -> Vec<f32> {
        let number = |i| ((i * 7919) % 10007) as f32 * 1e-3 - 4.9;
        (0..n).map(number).collect()
    }

    fn bits(x: &[f32]) -> Vec<u32> {
        x.iter().map(|x| x.to_bits()).collect()
    }

    fn check<O: ReduceOp<f32, Out = f32>>(n: usize, inner: usize, rows: usize) {
        let x = numbers(n * inner);
        let (mut a, mut b) = (vec![0.0; inner], vec![0.0; inner]);
        reduce::<f32, O>(&x, n, inner, &mut a);
        let mut fed = StreamingReduction::<f32, O>::new(1, n, inner);
        let block = StreamingReduction::<f32, O>::block(inner);
        let stream = fed.stream();
        let blocks: Vec<&[f32]> = x.chunks(block).collect();
        for (i, elements) in blocks.into_iter().enumerate().rev() {
            for (j, piece) in elements.chunks(rows * inner).enumerate() {
                // SAFETY: one thread feeds the elements of a block in their order.
                unsafe { stream.feed(i * block + j * rows * inner, piece) };
            }
        }
        fed.finish(&mut b);
        assert_eq!(bits(&a), bits(&b), "{n} {inner} {rows}");
    }

    /// Pieces of columns, those of the last ones first.
    fn check_columns<O: ReduceOp<f32, Out = f32>>([outer, n, inner]: [usize; 3], width: usize) {
        let x = numbers(outer * n * inner);
        let (mut a, mut b) = (vec![0.0; outer * inner], vec![0.0; outer * inner]);
        reduce::<f32, O>(&x, n, inner, &mut a);
        let mut fed = StreamingReduction::<f32, O>::new(outer, n, inner);
        let stream = fed.stream();
        for column in (0..inner).step_by(width).rev() {
            for row in 0..outer * n {
                let first = row * inner + column;
                let piece = &x[first..first + width.min(inner - column)];
                // SAFETY: one thread feeds the elements of a column in their order.
                unsafe { stream.feed(first, piece) };
            }
        }
        fed.finish(&mut b);
        assert_eq!(bits(&a), bits(&b), "{outer} {n} {inner} {width}");
    }

    #[test]
    fn reductions_that_are_fed_columns_have_the_bits_of_others() {
        for shape in [
            [1, 5, 40],
            [3, 64, 33],
            [2, 65, 17],
            [3, 300, 6],
            [4, 2, 100],
        ] {
            for width in [1, 5, 16, 100] {
                check_columns::<Sum>(shape, width);
                check_columns::<Mean>(shape, width);
                check_columns::<Max>(shape, width);
            }
        }
    }

    #[test]
    fn pieces_may_begin_and_end_anywhere() {
        let (outer, n, inner) = (3, 70, 11);
        let x = numbers(outer * n * inner);
        let (mut a, mut b) = (vec![0.0; outer * inner], vec![0.0; outer * inner]);
        reduce::<f32, Sum>(&x, n, inner, &mut a);
        for len in [1, 7, 11, 12, 30, 5000] {
            let mut fed = StreamingReduction::<f32, Sum>::new(outer, n, inner);
            for (i, piece) in x.chunks(len).enumerate() {
                // SAFETY: one thread feeds all elements in their order.
                unsafe { fed.stream().feed(i * len, piece) };
            }
            fed.finish(&mut b);
            assert_eq!(bits(&a), bits(&b), "{len}");
        }
    }

    #[test]
    fn rows_are_fed_too() {
        for (outer, n) in [(1, 2050), (3, 5), (3, 2048), (2, 5000)] {
            let x = numbers(outer * n);
            let (mut a, mut b) = (vec![0.0; outer], vec![0.0; outer]);
            reduce::<f32, Sum>(&x, n, 1, &mut a);
            let mut fed = StreamingReduction::<f32, Sum>::new(outer, n, 1);
            // SAFETY: one thread feeds all elements in their order.
            unsafe { fed.stream().feed(0, &x) };
            fed.finish(&mut b);
            assert_eq!(bits(&a), bits(&b), "{outer} {n}");
        }
    }

    #[test]
    fn fed_reductions_have_the_bits_of_others() {
        for (n, inner) in [(1, 1), (5, 1), (9, 1), (2048, 1), (2050, 1), (100_003, 1)] {
            for rows in [1, 3, 32, 100, 2048] {
                check::<Sum>(n, inner, rows);
                check::<Mean>(n, inner, rows);
                check::<Max>(n, inner, rows);
            }
        }
        for (n, inner) in [(1, 7), (5, 3), (64, 5), (65, 5), (1000, 3), (700, 600)] {
            for rows in [1, 4, 5, 64, 200] {
                check::<Sum>(n, inner, rows);
                check::<Mean>(n, inner, rows);
                check::<Max>(n, inner, rows);
            }
        }
    }

    #[test]
    fn negative_zeros_stay() {
        let mut fed = StreamingReduction::<f32, Sum>::new(1, 2049, 1);
        // SAFETY: one thread feeds all elements in their order.
        unsafe { fed.stream().feed(0, &[-0.0; 2049]) };
        let (mut a, mut b) = ([1.0], [1.0]);
        fed.finish(&mut a);
        reduce::<f32, Sum>(&[-0.0; 2049], 2049, 1, &mut b);
        assert_eq!(a[0].to_bits(), b[0].to_bits());
    }
}
