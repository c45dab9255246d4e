//! Memory that work takes on its way. An allocation that fails ends the process; here the stack unwinds with
//! [`Exhausted`] instead, up to who catches it, as with work that is stopped.

use std::panic::resume_unwind;

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

/// A vector of `n` copies of an element.
pub fn vec_of<T: Clone>(element: T, n: usize) -> Vec<T> {
    let mut all = vec_for(n);
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
    fn what_fits_is_given() {
        let mut all = vec_of(7, 2);
        (0..100).for_each(|x| push(&mut all, x));
        assert_eq!((all.len(), all[1], all[101]), (102, 7, 99));
        assert_eq!(collected([1, 2].iter().map(|x| x * x)), [1, 4]);
    }
}
