//! A slot for one value that threads take and give back without waiting for one another.

use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Holds a value or nothing. Who takes it has it alone until giving it back.
pub(crate) struct AtomicSlot<T> {
    at: AtomicPtr<T>,
    owns: PhantomData<Box<T>>,
}

// SAFETY: a value is reached only by the thread that took it out, as if it had been sent there.
unsafe impl<T: Send> Sync for AtomicSlot<T> {}

impl<T> AtomicSlot<T> {
    /// An empty slot.
    pub fn new() -> AtomicSlot<T> {
        AtomicSlot {
            at: AtomicPtr::new(ptr::null_mut()),
            owns: PhantomData,
        }
    }

    /// The value, if it is there.
    #[inline]
    pub fn take(&self) -> Option<Box<T>> {
        let found = self.at.swap(ptr::null_mut(), Ordering::Acquire);
        // SAFETY: a pointer in here comes from `Box::into_raw`; the swap made this thread its only holder.
        (!found.is_null()).then(|| unsafe { Box::from_raw(found) })
    }

    /// Puts a value where there is none; gives it back where there is one.
    #[inline]
    pub fn put(&self, value: Box<T>) -> Result<(), Box<T>> {
        let raw = Box::into_raw(value);
        let put =
            (self.at).compare_exchange(ptr::null_mut(), raw, Ordering::Release, Ordering::Relaxed);
        // SAFETY: the slot did not take the pointer, which is that of the box above.
        put.map(drop).map_err(|_| unsafe { Box::from_raw(raw) })
    }
}

impl<T> Drop for AtomicSlot<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn a_slot_holds_one_value() {
        let slot = AtomicSlot::new();
        assert!(slot.take().is_none());
        assert!(slot.put(Box::new(1)).is_ok());
        assert_eq!(slot.put(Box::new(2)), Err(Box::new(2)));
        assert_eq!(slot.take(), Some(Box::new(1)));
        assert!(slot.take().is_none());
    }

    #[test]
    fn what_is_left_in_it_is_dropped_with_it() {
        let value = Arc::new(());
        let slot = AtomicSlot::new();
        assert!(slot.put(Box::new(value.clone())).is_ok());
        drop(slot);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn one_thread_at_a_time_has_the_value() {
        let slot = AtomicSlot::new();
        assert!(slot.put(Box::new(0u64)).is_ok());
        let count = || {
            let mut mine = 0;
            for _ in 0..10_000 {
                if let Some(mut n) = slot.take() {
                    *n += 1;
                    mine += 1;
                    assert!(slot.put(n).is_ok());
                }
            }
            mine
        };
        let mine: u64 = thread::scope(|s| {
            let threads: Vec<_> = (0..4).map(|_| s.spawn(count)).collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum()
        });
        assert_eq!(slot.take(), Some(Box::new(mine)));
    }
}
