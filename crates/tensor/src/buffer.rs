//! Byte buffers: 64-byte aligned and recycled by size class, or owned by somebody else (NumPy, DLPack).
//!
//! Fresh large pages cost more than most kernels, so that released blocks are kept: small ones by the thread that
//! released them, large ones in one shared list, both bounded. Every block is zeroed when first taken from the
//! system, so that its bytes are always initialised.

use crate::memory::check_bytes;
use crate::{Result, err};
use parking_lot::Mutex;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

const ALIGN: usize = 64;
/// Blocks up to this size are kept by threads, larger ones in the shared list.
const LOCAL_LIMIT: usize = 64 << 10;
const LOCAL_BLOCKS_PER_CLASS: usize = 64;
const LOCAL_BYTES_LIMIT: usize = 2 << 20;
const SHARED_BYTES_LIMIT: usize = 256 << 20;
const N_CLASSES: usize = 4 * 64;

/// Keeps the memory of a foreign buffer alive.
pub type BufferOwner = Box<dyn Any + Send + Sync>;

enum Owner {
    Pool,
    Foreign { _keep: BufferOwner },
}

/// A block of bytes. Written only while uniquely owned (through `Arc::get_mut`), else read-only and shared.
pub struct Buffer {
    ptr: NonNull<u8>,
    len: usize,
    owner: Owner,
}

// SAFETY: the bytes are written only through `&mut self` and otherwise shared read-only; foreign owners are Send + Sync.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A block of at least `len` bytes, 64-byte aligned, with arbitrary but initialised contents.
    pub fn new(len: usize) -> Result<Buffer> {
        let ptr = take(len)?;
        Ok(Buffer {
            ptr,
            len,
            owner: Owner::Pool,
        })
    }

    /// As [`Buffer::new`], of zeros.
    pub fn zeroed(len: usize) -> Result<Buffer> {
        let buffer = Buffer::new(len)?;
        // SAFETY: the block is at least as long, and nobody else has it yet.
        unsafe { buffer.ptr.as_ptr().write_bytes(0, len) };
        Ok(buffer)
    }

    /// Memory that somebody else owns.
    ///
    /// # Safety
    /// `ptr` must be valid for reads of `len` initialised bytes until `keep` is dropped, and nobody may write
    /// to them in a way that Rust would call a data race.
    // SAFETY: who calls it vouches for the memory; a foreign buffer is read alone.
    pub unsafe fn foreign(ptr: NonNull<u8>, len: usize, keep: BufferOwner) -> Buffer {
        Buffer {
            ptr,
            len,
            owner: Owner::Foreign { _keep: keep },
        }
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the memory belongs to somebody else.
    pub fn is_foreign(&self) -> bool {
        matches!(self.owner, Owner::Foreign { .. })
    }

    /// Where the bytes start.
    pub fn as_ptr(&self) -> *const u8 {
        self.ptr.as_ptr()
    }

    /// Where the bytes start, for writing; `None` for foreign memory, which is read-only.
    pub fn as_mut_ptr(&mut self) -> Option<*mut u8> {
        match self.owner {
            Owner::Pool => Some(self.ptr.as_ptr()),
            Owner::Foreign { .. } => None,
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if matches!(self.owner, Owner::Pool) {
            give(self.ptr, self.len);
        }
    }
}

/// The index of the smallest size class that holds `len` bytes, and the bytes of that class.
///
/// Classes are the powers of two from 64 with three steps between, so that at most a quarter is wasted.
fn class_of(len: usize) -> (usize, usize) {
    let len = len.max(ALIGN);
    let top = len.ilog2() as usize;
    let step = (1usize << top) / 4;
    // A quarter more than the last step is the next power of two, whose number follows and whose size is the same sum.
    let quarter = (len - (1 << top) + step - 1) >> (top - 2);
    (top * 4 + quarter, (1usize << top) + quarter * step)
}

struct Block(NonNull<u8>);

// SAFETY: a block on a free list is owned by that list alone.
unsafe impl Send for Block {}

/// Free lists by class; frees what is left when dropped.
struct FreeLists {
    classes: Vec<Vec<Block>>,
    bytes: usize,
    /// How often memory had been given back when these were looked at.
    seen: usize,
}

impl FreeLists {
    fn new() -> FreeLists {
        FreeLists {
            classes: (0..N_CLASSES).map(|_| Vec::new()).collect(),
            bytes: 0,
            seen: GIVEN_BACK.load(Ordering::Relaxed),
        }
    }

    /// Frees everything where memory was given back meanwhile.
    fn forget_old(&mut self) {
        let now = GIVEN_BACK.load(Ordering::Relaxed);
        if self.seen != now {
            self.seen = now;
            self.clear();
        }
    }

    fn pop(&mut self, class: usize, size: usize) -> Option<NonNull<u8>> {
        let block = self.classes[class].pop()?;
        self.bytes -= size;
        Some(block.0)
    }

    fn push(&mut self, class: usize, size: usize, ptr: NonNull<u8>) {
        self.classes[class].push(Block(ptr));
        self.bytes += size;
    }

    fn clear(&mut self) {
        for (class, list) in self.classes.iter_mut().enumerate() {
            let size = (1usize << (class / 4)) + (class % 4) * ((1usize << (class / 4)) / 4);
            for block in list.drain(..) {
                release(block.0, size);
            }
        }
        self.bytes = 0;
    }
}

impl Drop for FreeLists {
    fn drop(&mut self) {
        self.clear();
    }
}

thread_local! {
    static LOCAL: RefCell<FreeLists> = RefCell::new(FreeLists::new());
}

static SHARED: Mutex<Option<FreeLists>> = Mutex::new(None);

/// How often memory was given back; threads free their lists when they see that it was again.
static GIVEN_BACK: AtomicUsize = AtomicUsize::new(0);

/// Frees the blocks that are kept; those of other threads as soon as these release one.
pub(crate) fn free_kept() {
    GIVEN_BACK.fetch_add(1, Ordering::Relaxed);
    // A thread that ends has freed its lists.
    let _ = LOCAL.try_with(|lists| lists.borrow_mut().forget_old());
    if let Some(lists) = SHARED.lock().as_mut() {
        lists.clear();
    }
}

/// Blocks of this many bytes, and fewer than two large pages, begin with one, and consist of them where not much is
/// wasted: where pages are small, how they happen to be mapped decides how much of a block a cache holds. Longer ones
/// are pages of their own anyway.
const MEDIUM: usize = LARGE_PAGE / 8 * 7;
const LARGE_PAGE: usize = 2 << 20;
const LONG: usize = 2 * LARGE_PAGE;

/// How a block of a class is asked for.
fn layout(size: usize) -> Result<Layout> {
    let (size, align) = match size {
        MEDIUM..LONG => (in_large_pages(size), LARGE_PAGE),
        _ => (size, ALIGN),
    };
    Layout::from_size_align(size, align)
        .map_err(|_| err!(ResourceExhausted, "cannot allocate {size} bytes"))
}

/// So many bytes, or those of whole large pages.
fn in_large_pages(size: usize) -> usize {
    let whole = size.next_multiple_of(LARGE_PAGE);
    let wastes_little = whole - size <= size / 7;
    if wastes_little { whole } else { size }
}

fn take(len: usize) -> Result<NonNull<u8>> {
    check_bytes(len)?;
    let (class, size) = class_of(len);
    let recycled = if size <= LOCAL_LIMIT {
        LOCAL
            .try_with(|l| l.borrow_mut().pop(class, size))
            .ok()
            .flatten()
    } else {
        SHARED.lock().as_mut().and_then(|s| s.pop(class, size))
    };
    if let Some(ptr) = recycled {
        return Ok(ptr);
    }
    // SAFETY: the layout's size is at least ALIGN, so not zero.
    let ptr = unsafe { alloc_zeroed(layout(size)?) };
    NonNull::new(ptr)
        .ok_or_else(|| err!(ResourceExhausted, "out of memory allocating {size} bytes"))
}

fn give(ptr: NonNull<u8>, len: usize) {
    let (class, size) = class_of(len);
    let kept = if size <= LOCAL_LIMIT {
        LOCAL
            .try_with(|l| {
                let mut lists = l.borrow_mut();
                lists.forget_old();
                let room = lists.classes[class].len() < LOCAL_BLOCKS_PER_CLASS
                    && lists.bytes + size <= LOCAL_BYTES_LIMIT;
                if room {
                    lists.push(class, size, ptr);
                }
                room
            })
            .unwrap_or(false)
    } else {
        let mut shared = SHARED.lock();
        let lists = shared.get_or_insert_with(FreeLists::new);
        let room = lists.bytes + size <= SHARED_BYTES_LIMIT;
        if room {
            lists.push(class, size, ptr);
        }
        room
    };
    if !kept {
        release(ptr, size);
    }
}

fn release(ptr: NonNull<u8>, size: usize) {
    if let Ok(layout) = layout(size) {
        // SAFETY: `ptr` came from `alloc_zeroed` with the layout of its class.
        unsafe { dealloc(ptr.as_ptr(), layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_their_length_and_waste_little() {
        for len in (1..5000).chain([1 << 20, (1 << 20) + 1, (3 << 20) - 7]) {
            let (class, size) = class_of(len);
            assert!(size >= len, "{len} in {size}");
            assert!(len <= ALIGN || size <= len + len / 4 + 1, "{len} in {size}");
            assert_eq!(class_of(size), (class, size));
        }
    }

    #[test]
    fn blocks_are_aligned_and_recycled() {
        let a = Buffer::new(1000).unwrap();
        let p = a.as_ptr();
        assert_eq!(p as usize % ALIGN, 0);
        drop(a);
        assert_eq!(Buffer::new(1001).unwrap().as_ptr(), p);
    }

    #[test]
    fn medium_blocks_begin_with_a_large_page_and_waste_little() {
        for kib in [1792, 2048, 2560, 3072, 3500, 3584] {
            let block = Buffer::new(kib << 10).unwrap();
            assert!(
                (block.as_ptr() as usize).is_multiple_of(LARGE_PAGE),
                "{kib}"
            );
            let (_, class) = class_of(kib << 10);
            assert!(layout(class).unwrap().size() <= class + class / 7, "{kib}");
        }
    }

    #[test]
    fn a_thread_keeps_few_bytes_and_gives_them_back() {
        let kept = || LOCAL.with_borrow(|lists| lists.bytes);
        let blocks: Vec<Buffer> = (0..100)
            .map(|_| Buffer::new(LOCAL_LIMIT).unwrap())
            .collect();
        drop(blocks);
        assert!((1..=LOCAL_BYTES_LIMIT).contains(&kept()));
        free_kept();
        assert_eq!(kept(), 0);
    }

    #[test]
    fn more_than_the_machine_has_is_an_error() {
        assert!(Buffer::new(isize::MAX as usize).is_err());
    }
}
