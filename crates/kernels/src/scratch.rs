//! Memory that work takes on its way. An allocation that fails ends the process; here the stack unwinds with
//! [`Exhausted`] instead, up to who catches it, as with work that is stopped.

use std::cell::RefCell;
use std::mem::take;
use std::ops::{Deref, DerefMut};
use std::panic::resume_unwind;

use crate::stop;

/// What the stack unwinds with: so many bytes were asked for in vain.
pub struct Exhausted(pub usize);

/// Gives work up for want of so many bytes.
#[cold]
pub fn exhausted(bytes: usize) -> ! {
    resume_unwind(Box::new(Exhausted(bytes)))
}

/// An empty vector with room for `n` elements.
pub fn vec_for<T>(n: usize) -> Vec<T> {
    let mut all = Vec::new();
    if all.try_reserve_exact(n).is_err() {
        exhausted(n.saturating_mul(size_of::<T>()));
    }
    all
}

/// Bytes that are written between pauses.
const PIECE: usize = 1 << 20;

/// A vector of `n` copies of an element.
pub fn vec_of<T: Clone>(element: T, n: usize) -> Vec<T> {
    let mut all = vec_for(n);
    let piece = (PIECE / size_of::<T>().max(1)).max(1);
    while n - all.len() > piece {
        all.resize(all.len() + piece, element.clone());
        stop::pause();
    }
    all.resize(n, element);
    all
}

/// All that an iterator of known length gives.
pub fn collected<T>(all: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut found = vec_for(all.len());
    found.extend(all);
    found
}

/// Makes room for `n` more elements, and for as many again as there are where it has to be made.
pub fn reserve<T>(all: &mut Vec<T>, n: usize) {
    if all.try_reserve(n).is_err() {
        exhausted(n.saturating_add(all.len()).saturating_mul(size_of::<T>()));
    }
}

/// Adds an element.
#[inline]
pub fn push<T>(all: &mut Vec<T>, element: T) {
    if all.len() == all.capacity() {
        reserve(all, 1);
    }
    all.push(element);
}

/// Numbers that a thread keeps for its next work, at most: a megabyte.
const KEPT: usize = 1 << 18;

/// How many times a thread keeps some: two operands and their result.
const TIMES: usize = 3;

thread_local! {
    /// The numbers that are kept, the latest last.
    static IDLE: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Numbers of a line of a cache, of which vectors are to cross none.
const LINE: usize = 64 / size_of::<f32>();

/// Numbers on the way of work that is done again and again; the thread keeps them where they are few.
pub struct Floats {
    all: Vec<f32>,
    n: usize,
}

/// So many numbers, whatever they are, from the beginning of a line on.
pub fn floats(n: usize) -> Floats {
    let room = n.saturating_add(LINE);
    let kept = IDLE.with_borrow_mut(|idle| {
        let fits = idle.iter().position(|all| all.len() >= room);
        fits.map(|i| idle.remove(i))
    });
    let all = kept.unwrap_or_else(|| vec_of(0.0, room));
    Floats { all, n }
}

impl Floats {
    /// Where they begin.
    fn first(&self) -> usize {
        self.all.as_ptr().align_offset(64).min(LINE)
    }
}

impl Deref for Floats {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        &self.all[self.first()..][..self.n]
    }
}

impl DerefMut for Floats {
    fn deref_mut(&mut self) -> &mut [f32] {
        let first = self.first();
        &mut self.all[first..][..self.n]
    }
}

impl Drop for Floats {
    fn drop(&mut self) {
        let all = take(&mut self.all);
        if all.len() > KEPT + LINE {
            return;
        }
        // A thread that ends keeps nothing.
        let _ = IDLE.try_with(|idle| {
            let mut idle = idle.borrow_mut();
            if idle.len() == TIMES {
                idle.remove(0);
            }
            idle.push(all);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn what_cannot_be_had_unwinds() {
        let unwound = catch_unwind(|| vec_of(0u64, 1 << 60)).unwrap_err();
        assert_eq!(unwound.downcast_ref::<Exhausted>().unwrap().0, 1 << 63);
        assert!(catch_unwind(|| reserve(&mut vec![0u8], usize::MAX)).is_err());
    }

    #[test]
    fn few_numbers_are_used_again() {
        let place = |n: usize| floats(n).as_ptr();
        let first = place(1000);
        assert_eq!(place(500), first);
        let (a, b) = (floats(1000), floats(1000));
        assert_ne!(a.as_ptr(), b.as_ptr());
        drop((a, b));
        let held = || IDLE.with_borrow(|idle| idle.iter().map(Vec::len).collect::<Vec<_>>());
        assert_eq!(held(), [1000 + LINE; 2]);
        drop(floats(KEPT + 1));
        assert_eq!(held(), [1000 + LINE; 2]);
        (2..9).for_each(|i| drop(floats(i * 1000)));
        assert_eq!(held(), [6000, 7000, 8000].map(|n| n + LINE));
    }

    #[test]
    fn numbers_begin_with_a_line() {
        for n in [1, 100, 1000, 3 * KEPT] {
            let all = floats(n);
            assert!(all.len() == n && (all.as_ptr() as usize).is_multiple_of(64));
        }
    }

    #[test]
    fn what_fits_is_given() {
        let mut all = vec_of(7, 2);
        (0..100).for_each(|x| push(&mut all, x));
        assert_eq!((all.len(), all[1], all[101]), (102, 7, 99));
        assert_eq!(collected([1, 2].iter().map(|x| x * x)), [1, 4]);
    }
}
