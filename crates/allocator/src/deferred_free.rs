//! Deferred free: pages on their way back to the system. To take them back takes it about as long as to fill them, so a
//! thread of its own does it: a thread that drops an array goes on at once, whatever lock it holds.

use super::pages;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// Blocks of fewer bytes are freed at once, in a few milliseconds.
const MANY: usize = 16 << 20;

/// At most as many bytes wait; what is more is freed at once.
const MOST: usize = 2 << 30;

/// Bytes that are given back at a time.
const PIECE: usize = 16 << 20;

/// In this time a thread that gives back gets a piece further.
const PATIENCE: Duration = Duration::from_millis(50);

/// A block that waits, written where it begins.
struct Waiting {
    next: *mut Waiting,
    bytes: usize,
}

/// The thread that gives back, and the process that it belongs to: a fork has none.
struct Worker {
    pid: u32,
    thread: Thread,
}

/// The last block that was left here.
static LAST: AtomicPtr<Waiting> = AtomicPtr::new(null_mut());

/// The bytes of those that wait.
static BYTES: AtomicUsize = AtomicUsize::new(0);

static WORKER: AtomicPtr<Worker> = AtomicPtr::new(null_mut());

/// Frees a block, at once or soon.
///
/// # Safety
/// As for [`pages::free`].
pub(super) unsafe fn free(block: *mut u8, bytes: usize) {
    if bytes < MANY || BYTES.load(Ordering::Relaxed) > MOST - bytes.min(MOST) {
        // SAFETY: the caller's promise.
        return unsafe { pages::free(block, bytes) };
    }
    BYTES.fetch_add(bytes, Ordering::Relaxed);
    let new: *mut Waiting = block.cast();
    let mut next = LAST.load(Ordering::Relaxed);
    loop {
        // SAFETY: the block is nobody's any more, aligned to pages and larger than what is written.
        unsafe { new.write(Waiting { next, bytes }) };
        match LAST.compare_exchange_weak(next, new, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => break,
            Err(now) => next = now,
        }
    }
    if !wake() {
        give_back();
    }
}

/// Gives all that waits back; whether there was anything.
pub(super) fn give_back() -> bool {
    let mut last = LAST.swap(null_mut(), Ordering::Acquire);
    let any = !last.is_null();
    while !last.is_null() {
        // SAFETY: who takes the list out is the only one that has its blocks, each with its header and of so many bytes,
        // which are read before the block is freed.
        last = unsafe {
            let Waiting { next, bytes } = last.read();
            free_in_pieces(last.cast(), bytes);
            next
        };
    }
    any
}

/// Gives all that waits back, and waits for what another thread gives back; whether there was anything.
pub(super) fn finish() -> bool {
    let mut left = BYTES.load(Ordering::Relaxed);
    let any = give_back() || left > 0;
    while left > 0 {
        thread::sleep(PATIENCE);
        let now = BYTES.load(Ordering::Relaxed);
        // A fork may have lost the thread that was giving back.
        left = if now < left { now } else { 0 };
    }
    any
}

/// # Safety
/// As for [`pages::free`].
unsafe fn free_in_pieces(block: *mut u8, bytes: usize) {
    for start in (0..bytes).step_by(PIECE) {
        let piece = PIECE.min(bytes - start);
        // SAFETY: the caller's promise; pieces begin at whole pages and are within the block.
        unsafe { pages::free(block.add(start), piece) };
        BYTES.fetch_sub(piece, Ordering::Relaxed);
    }
}

/// Wakes the thread that gives back, which this starts where there is none; whether there is one now.
fn wake() -> bool {
    let pid = std::process::id();
    // SAFETY: what is stored there is never freed.
    let known = unsafe { WORKER.load(Ordering::Acquire).as_ref() };
    match known.filter(|worker| worker.pid == pid) {
        Some(worker) => {
            worker.thread.unpark();
            true
        }
        None => start(pid),
    }
}

/// Starts a thread; two at once do no harm.
#[cold]
fn start(pid: u32) -> bool {
    let work = || {
        loop {
            if !give_back() {
                thread::park();
            }
        }
    };
    let name = thread::Builder::new().name("ferrograph-pages".into());
    let Ok(handle) = name.spawn(work) else {
        return false;
    };
    let thread = handle.thread().clone();
    WORKER.store(
        Box::into_raw(Box::new(Worker { pid, thread })),
        Ordering::Release,
    );
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn blocks_go_back_in_the_end() {
        let of = |mib: usize| vec![1u8; mib << 20];
        let blocks: Vec<Vec<u8>> = [17, 40, 16, 33].map(of).into();
        assert!(blocks.iter().all(|b| b[b.len() - 1] == 1));
        drop(blocks);
        let begin = Instant::now();
        while BYTES.load(Ordering::Relaxed) > 0 {
            assert!(begin.elapsed() < Duration::from_secs(10));
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn several_threads_free_at_once() {
        let work = || (0..20).for_each(|i| drop(vec![1u8; (16 << 20) + i]));
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    }
}
