//! How much memory a piece of work takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static TAKEN: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends has no counters any more, and is not looked at.
    let _ = TAKEN.try_with(|taken| {
        taken.set(taken.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(taken.get())));
    });
}

/// The system's allocator, which counts what each thread holds.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all is left to the system's allocator; what is counted has no part in it.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: unsafe as the trait says; callers keep its promises.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: unsafe as the trait says; callers keep its promises.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    // SAFETY: unsafe as the trait says; callers keep its promises.
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }

    // SAFETY: unsafe as the trait says; callers keep its promises.
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// What work gives, and how many bytes it held at once on this thread.
pub fn taken_by<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = TAKEN.get();
    MOST.set(before);
    let made = work();
    (made, usize::try_from(MOST.get() - before).unwrap())
}
