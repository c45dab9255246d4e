//! An allocator for programs that hold large arrays: the system's for what is small; large blocks are pages of their
//! own, which go back to the system when they are freed, very large ones beside the work.
//!
//! Rust ends the process where an allocation fails, wherever that is. So there is a reserve: where a small allocation
//! fails, the reserve is given to the system, the allocation made, and the work of the thread cancelled. What is
//! large is asked for where a refusal is an error.

mod deferred_free;
mod pages;

use ferrograph_kernels::stop::run_short;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Address space that is held and never touched.
const RESERVE: usize = 32 << 20;

static HELD: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// Pages, the system's allocator, and the reserve.
struct Allocator;

/// That of whatever has this crate in it.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Holds the reserve, unless it is held or cannot be.
pub fn hold_reserve() {
    if !HELD.load(Ordering::Acquire).is_null() {
        return;
    }
    let Some(new) = pages::reserved(RESERVE) else {
        return;
    };
    let held = HELD.compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
    if held.is_err() {
        // SAFETY: reserved above, and nobody else knows of it.
        unsafe { pages::free(new, RESERVE) };
    }
}

/// Gives the reserve to the system; whether there was one.
fn release_reserve() -> bool {
    let held = HELD.swap(null_mut(), Ordering::AcqRel);
    if held.is_null() {
        return false;
    }
    // SAFETY: reserved, and who takes the pointer out is the only one that has it.
    unsafe { pages::free(held, RESERVE) };
    true
}

/// What is asked for, where it is refused once more with all given back that waits for it, then with the reserve given up.
#[inline]
fn granted(bytes: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
    let block = ask();
    match block.is_null() {
        true => granted_late(bytes, ask),
        false => block,
    }
}

#[cold]
fn granted_late(bytes: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
    if deferred_free::finish() {
        let block = ask();
        if !block.is_null() {
            return block;
        }
    }
    if bytes > RESERVE / 2 || !release_reserve() {
        return null_mut();
    }
    run_short(bytes);
    ask()
}

/// Whether a block is made of pages of its own: a large one, or one that is to begin with a large page.
#[inline]
fn is_large(layout: Layout) -> bool {
    match layout.align() {
        pages::LARGE_PAGE => true,
        align => layout.size() >= pages::LARGE && align <= pages::ALIGN,
    }
}

// SAFETY: small blocks are the system allocator's, large ones pages that nobody else has, at least as aligned as asked.
// Which of both a block is follows from its layout alone.
unsafe impl GlobalAlloc for Allocator {
    // SAFETY: unsafe as the trait says; callers keep its promises.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        granted(layout.size(), || match is_large(layout) {
            true => pages::zeroed(layout.size()),
            // SAFETY: the caller's promise.
            false => unsafe { System.alloc(layout) },
        })
    }

    // SAFETY: unsafe as the trait says; callers keep its promises.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        granted(layout.size(), || match is_large(layout) {
            true => pages::zeroed(layout.size()),
            // SAFETY: the caller's promise.
            false => unsafe { System.alloc_zeroed(layout) },
        })
    }

    // SAFETY: unsafe as the trait says; callers keep its promises.
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise; the layout tells whose the block is.
        unsafe {
            match is_large(layout) {
                true => deferred_free::free(block, layout.size()),
                false => System.dealloc(block, layout),
            }
        }
    }

    // SAFETY: unsafe as the trait says; callers keep its promises.
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is none that overflows with this alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        granted(size, || {
            // SAFETY: the caller's promise; the layouts tell whose the blocks are. A refusal leaves the block as it is.
            unsafe {
                match (is_large(layout), is_large(new)) {
                    (false, false) => System.realloc(block, layout, size),
                    (true, true) => pages::resized(block, layout.size(), size),
                    _ => self.moved(block, layout, new),
                }
            }
        })
    }
}

impl Allocator {
    /// A copy of a block in a new one; the old one is freed.
    ///
    /// # Safety
    /// As for `realloc`.
    unsafe fn moved(&self, block: *mut u8, old: Layout, new: Layout) -> *mut u8 {
        // SAFETY: the caller's promise; both blocks hold as many bytes as are copied, and a new one overlaps none.
        unsafe {
            let made = match is_large(new) {
                true => pages::zeroed(new.size()),
                false => System.alloc(new),
            };
            if !made.is_null() {
                std::ptr::copy_nonoverlapping(block, made, old.size().min(new.size()));
                self.dealloc(block, old);
            }
            made
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_bytes_across_sizes() {
        let mut bytes: Vec<u8> = (0..100).collect();
        for size in [1 << 20, 5 << 20, 9 << 20, 33 << 20, 6 << 20, 1 << 10] {
            bytes.resize(size, 7);
            bytes.shrink_to_fit();
            assert!(bytes[..100].iter().copied().eq(0..100));
            assert_eq!(bytes[size - 1], 7);
        }
    }

    #[test]
    fn large_blocks_are_aligned_and_zero() {
        let bytes = vec![0u8; 5 << 20];
        assert_eq!(bytes.as_ptr() as usize % pages::ALIGN, 0);
        assert!(bytes.iter().all(|b| *b == 0));
    }

    #[test]
    fn blocks_begin_with_a_large_page_where_they_are_asked_to() {
        let layout = Layout::from_size_align(3 << 20, pages::LARGE_PAGE).unwrap();
        // SAFETY: the layout is not empty, and the block is read and freed as it was asked for.
        unsafe {
            let block = std::alloc::alloc_zeroed(layout);
            assert!((block as usize).is_multiple_of(pages::LARGE_PAGE));
            assert!((0..layout.size()).all(|i| *block.add(i) == 0));
            std::alloc::dealloc(block, layout);
        }
    }

    #[test]
    fn the_reserve_is_given_once() {
        hold_reserve();
        assert!(release_reserve());
        assert!(!release_reserve());
        hold_reserve();
    }
}
