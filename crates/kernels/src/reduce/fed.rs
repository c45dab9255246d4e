//! Reductions that take their elements a few at a time, block by block in any order, and end with the bits that
//! [`reduce`](super::reduce) gives: the accumulators of blocks wait for the tree.

use std::marker::PhantomData;

use super::ReduceOp;
use super::tree::{FEW, LANES, LEAF, ROWS, merged};
use crate::isa::{Isa, Job, dispatch};
use crate::pool::Base;
use crate::scratch::vec_of;

/// A reduction of the first axis of `[n, inner]` that is fed its elements.
pub struct Fed<T: Copy, O: ReduceOp<T>> {
    shape: Blocks,
    acc: Vec<O::Acc>,
    of: PhantomData<fn(T)>,
}

/// How the elements are cut into blocks, each with accumulators of its own.
#[derive(Clone, Copy)]
struct Blocks {
    n: usize,
    inner: usize,
}

impl Blocks {
    /// Elements of a block; the last may have fewer.
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

    fn total(self) -> usize {
        self.n * self.inner
    }
}

impl<T: Copy, O: ReduceOp<T>> Fed<T, O> {
    /// A reduction that has been fed nothing.
    pub fn new(n: usize, inner: usize) -> Fed<T, O> {
        let shape = Blocks { n, inner };
        let n_blocks = shape.total().div_ceil(shape.len());
        Fed {
            shape,
            acc: vec_of(O::identity(), n_blocks * shape.width()),
            of: PhantomData,
        }
    }

    /// How many elements make a block.
    pub fn block(n: usize, inner: usize) -> usize {
        Blocks { n, inner }.len()
    }

    /// What threads feed, all at once.
    pub fn feeder(&mut self) -> Feeder<'_, T, O> {
        Feeder {
            shape: self.shape,
            acc: Base::of(&mut self.acc),
        }
    }

    /// The results of `inner` reductions, once all elements were fed.
    pub fn finish(mut self, out: &mut [O::Out]) {
        let Blocks { n, inner } = self.shape;
        let width = self.shape.width();
        if inner == 1 {
            let rest = n % LEAF;
            let n_blocks = self.acc.len() / width;
            for (i, lanes) in self.acc.chunks_exact_mut(width).enumerate() {
                lanes[0] = match rest {
                    1..FEW if i + 1 == n_blocks => in_turn::<T, O>(&lanes[..rest]),
                    _ => all::<T, O>(lanes),
                };
            }
        }
        tree::<T, O>(&mut self.acc, width, inner);
        let results = out.iter_mut().zip(&self.acc[..inner]);
        results.for_each(|(out, &acc)| *out = O::finish(acc, n));
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

/// Feeds a reduction.
pub struct Feeder<'a, T: Copy, O: ReduceOp<T>> {
    shape: Blocks,
    acc: Base<'a, O::Acc>,
}

impl<T: Copy, O: ReduceOp<T>> Feeder<'_, T, O> {
    /// Takes the elements from `first` on, whole rows of `inner`.
    ///
    /// # Safety
    /// The elements of one block come in their order, and by one thread at a time.
    pub unsafe fn feed(&self, first: usize, x: &[T]) {
        assert!(
            first + x.len() <= self.shape.total(),
            "no more elements are fed than there are"
        );
        let (len, width) = (self.shape.len(), self.shape.width());
        let (mut at, mut x) = (first, x);
        while !x.is_empty() {
            let (block, from) = (at / len, at % len);
            let (piece, rest) = x.split_at(x.len().min(len - from));
            // SAFETY: the block begins within the operand, so its accumulators are there; the caller promises that no
            // other thread has them.
            let acc = unsafe { self.acc.piece(block * width, width) };
            self.piece(block, from, piece, acc);
            (at, x) = (at + piece.len(), rest);
        }
    }

    /// Takes elements of one block.
    fn piece(&self, block: usize, from: usize, x: &[T], acc: &mut [O::Acc]) {
        if self.shape.inner > 1 {
            return dispatch(Rows::<T, O> {
                x,
                acc,
                is_first: from == 0,
            });
        }
        if self.shape.n - block * LEAF < FEW {
            let lanes = acc[from..].iter_mut().zip(x);
            return lanes.for_each(|(lane, &x)| *lane = O::lift(x));
        }
        dispatch(Lanes::<T, O> { x, acc, from });
    }
}

/// Rows that are merged into the accumulators one after the other.
struct Rows<'a, T: Copy, O: ReduceOp<T>> {
    x: &'a [T],
    acc: &'a mut [O::Acc],
    is_first: bool,
}

impl<T: Copy, O: ReduceOp<T>> Job for Rows<'_, T, O> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Rows { x, acc, is_first } = self;
        if is_first {
            acc.fill(O::identity());
        }
        for row in x.chunks_exact(acc.len()) {
            for (acc, &x) in acc.iter_mut().zip(row) {
                *acc = O::merge(*acc, O::lift(x));
            }
        }
    }
}

/// Consecutive elements from that one of a leaf on, which go to its lanes in turn.
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
        let mut chunks = x.chunks_exact(LANES);
        for chunk in &mut chunks {
            for i in 0..LANES {
                lanes[i] = O::merge(lanes[i], O::lift(chunk[i]));
            }
        }
        for (lane, &x) in lanes.iter_mut().zip(chunks.remainder()) {
            *lane = O::merge(*lane, O::lift(x));
        }
        acc.copy_from_slice(&lanes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Max, Mean, Sum, reduce};
    use super::*;

    fn check<O: ReduceOp<f32, Out = f32>>(n: usize, inner: usize, rows: usize) {
        let x: Vec<f32> = (0..n * inner)
            .map(|i| ((i * 7919) % 10007) as f32 * 1e-3 - 4.9)
            .collect();
        let (mut a, mut b) = (vec![0.0; inner], vec![0.0; inner]);
        reduce::<f32, O>(&x, n, inner, &mut a);
        let mut fed = Fed::<f32, O>::new(n, inner);
        let block = Fed::<f32, O>::block(n, inner);
        let feeder = fed.feeder();
        let blocks: Vec<&[f32]> = x.chunks(block).collect();
        for (i, elements) in blocks.into_iter().enumerate().rev() {
            for (j, piece) in elements.chunks(rows * inner).enumerate() {
                // SAFETY: one thread feeds the elements of a block in their order.
                unsafe { feeder.feed(i * block + j * rows * inner, piece) };
            }
        }
        fed.finish(&mut b);
        let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&a), bits(&b), "{n} {inner} {rows}");
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
        let mut fed = Fed::<f32, Sum>::new(2049, 1);
        // SAFETY: one thread feeds all elements in their order.
        unsafe { fed.feeder().feed(0, &[-0.0; 2049]) };
        let (mut a, mut b) = ([1.0], [1.0]);
        fed.finish(&mut a);
        reduce::<f32, Sum>(&[-0.0; 2049], 2049, 1, &mut b);
        assert_eq!(a[0].to_bits(), b[0].to_bits());
    }
}
