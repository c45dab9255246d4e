//! Pages straight from the system, large ones where it has them: to touch and to free those takes a fraction of the time.

use std::ptr::null_mut;

/// Blocks of as many bytes or more are pages of their own.
pub(super) const LARGE: usize = 4 << 20;

/// Pages are aligned to as many bytes.
pub(super) const ALIGN: usize = 4 << 10;

/// Large pages begin at multiples of their size.
pub(super) const LARGE_PAGE: usize = 2 << 20;

fn map(bytes: usize, protection: i32) -> Option<*mut u8> {
    // SAFETY: a new private mapping at no place of ours touches no memory of others.
    let found = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(null_mut(), bytes, protection, flags, -1, 0)
    };
    (found != libc::MAP_FAILED).then_some(found.cast())
}

/// Address space that may not be touched.
pub(super) fn reserved(bytes: usize) -> Option<*mut u8> {
    map(bytes, libc::PROT_NONE)
}

/// Zeros, at a place where large pages may begin; null where there are none to be had.
pub(super) fn zeroed(bytes: usize) -> *mut u8 {
    let Some(whole) = bytes.checked_next_multiple_of(PAGE) else {
        return null_mut();
    };
    let Some(room) = whole.checked_add(LARGE_PAGE) else {
        return null_mut();
    };
    let Some(first) = map(room, libc::PROT_READ | libc::PROT_WRITE) else {
        return null_mut();
    };
    let before = first.align_offset(LARGE_PAGE);
    let behind = LARGE_PAGE - before;
    // SAFETY: what is before and behind the pages that are given out is within the mapping made above.
    unsafe {
        let block = first.add(before);
        if before > 0 {
            libc::munmap(first.cast(), before);
        }
        if behind > 0 {
            libc::munmap(block.add(whole).cast(), behind);
        }
        prefer_large_pages(block, whole);
        block
    }
}

/// The pages of a block, resized: moved where they must be.
///
/// # Safety
/// The block is one of `old` bytes that [`zeroed`] or this gave, and is used no more where another one is given.
pub(super) unsafe fn resized(block: *mut u8, old: usize, new: usize) -> *mut u8 {
    let Some(to) = new.checked_next_multiple_of(PAGE) else {
        return null_mut();
    };
    // SAFETY: the caller's promise.
    unsafe { remap(block, old.next_multiple_of(PAGE), to) }
}

/// A mapping, resized to whole pages.
///
/// # Safety
/// As for [`resized`].
#[cfg(target_os = "linux")]
unsafe fn remap(block: *mut u8, from: usize, to: usize) -> *mut u8 {
    // SAFETY: the caller's promise: the mapping is its own and as long as said.
    let moved = unsafe { libc::mremap(block.cast(), from, to, libc::MREMAP_MAYMOVE) };
    if moved == libc::MAP_FAILED {
        return null_mut();
    }
    moved.cast()
}

/// A mapping, copied to one of another size.
///
/// # Safety
/// As for [`resized`].
#[cfg(not(target_os = "linux"))]
unsafe fn remap(block: *mut u8, from: usize, to: usize) -> *mut u8 {
    let made = zeroed(to);
    if !made.is_null() {
        // SAFETY: both blocks are as long as what is copied, and the new one overlaps none.
        unsafe {
            std::ptr::copy_nonoverlapping(block, made, from.min(to));
            free(block, from);
        }
    }
    made
}

/// Gives a block back to the system.
///
/// # Safety
/// The block is one of so many bytes that a function of this module gave, and is used no more.
pub(super) unsafe fn free(block: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(block.cast(), bytes.next_multiple_of(PAGE)) };
}

/// No system has smaller pages than these; where its pages are larger it rounds up itself.
const PAGE: usize = 64 << 10;

/// Asks the system for large pages under a block.
///
/// # Safety
/// The block is a mapping of this module, of so many bytes.
#[cfg(target_os = "linux")]
unsafe fn prefer_large_pages(block: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise that the pages are ours; a refusal changes nothing.
    unsafe { libc::madvise(block.cast(), bytes, libc::MADV_HUGEPAGE) };
}

/// Other systems choose their pages themselves.
///
/// # Safety
/// None is needed; the signature is that of the other one.
#[cfg(not(target_os = "linux"))]
unsafe fn prefer_large_pages(_block: *mut u8, _bytes: usize) {}
