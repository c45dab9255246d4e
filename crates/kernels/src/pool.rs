//! The one thread pool: made on first use, keyed by process id so that a forked child makes its own.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::fork_join::{self, IdleSlot};
use crate::scratch::collected;
use crate::stop::{self, Job};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The stack of threads that run parts of programs, in bytes: as much as a program's own main thread has and more, since
/// datasets, graphs and variants are within each other as deep there.
pub const STACK: usize = 16 << 20;

/// Work below this many nanoseconds stays on the caller's thread.
pub(crate) const PARALLEL_THRESHOLD_NS: f64 = 50_000.0;

/// The work one chunk should hold; fixed, so that chunking never depends on the number of threads.
const CHUNK_NS: f64 = 20_000.0;

struct Owned {
    pid: u32,
    pool: ThreadPool,
    /// Where threads of the pool look for more work of the kind they have just done.
    idle: Vec<IdleSlot>,
}

static CURRENT: AtomicPtr<Owned> = AtomicPtr::new(std::ptr::null_mut());

static ASKED: AtomicUsize = AtomicUsize::new(0);
static N_THREADS: OnceLock<usize> = OnceLock::new();

/// The number of threads of the pool, settled by the first call: what was asked for, `FERROGRAPH_NUM_THREADS`, or what the
/// machine offers.
pub fn n_threads() -> usize {
    *N_THREADS.get_or_init(|| match ASKED.load(Ordering::Relaxed) {
        0 => offered(),
        n => n,
    })
}

fn offered() -> usize {
    std::env::var("FERROGRAPH_NUM_THREADS")
        .ok()
        .and_then(|v| v.trim().parse().ok())
        .filter(|&n: &usize| n > 0)
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// Asks for a pool of `n` threads, or by zero for as many as there are without a wish. False where another number is settled.
pub fn ask_for_threads(n: usize) -> bool {
    if let Some(&settled) = N_THREADS.get() {
        return settled == if n == 0 { offered() } else { n };
    }
    ASKED.store(n, Ordering::Relaxed);
    true
}

/// Runs `f` inside the pool; directly when the caller is one of its threads already.
///
/// A panic in `f` or in what it spawned resumes at the caller, who meanwhile asks whether to stop.
pub(crate) fn install<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    let (mut f, mut out) = (Some(f), None);
    enter(&mut || out = f.take().map(|f| f()));
    out.expect("what is entered with runs")
}

/// As [`install`]. It is not generic, as [`par_each`].
fn enter(f: &mut (dyn FnMut() + Send)) {
    let pool = pool();
    if pool.current_thread_index().is_some() {
        return f();
    }
    stop::watched(f, |work, wait| {
        pool.in_place_scope(|scope| {
            scope.spawn(|_| work());
            wait();
        });
    })
}

/// Whether work of this many nanoseconds is worth the pool.
pub fn worth_it(total_ns: f64) -> bool {
    total_ns > PARALLEL_THRESHOLD_NS && is_free()
}

/// Whether there are threads to share work with: several, and the caller does not do a task beside others.
pub(crate) fn is_free() -> bool {
    n_threads() > 1 && !IN_TASK.get()
}

/// The chunk length for items of this cost: a multiple of 1024 above that size, at least 1.
pub(crate) fn chunk_len(cost_per_item_ns: f64) -> usize {
    let len = (CHUNK_NS / cost_per_item_ns.max(1e-3)).max(1.0) as usize;
    if len > 1024 {
        len.next_multiple_of(1024)
    } else {
        len
    }
}

/// Calls `f` on consecutive ranges that cover `0..n`, over the pool when the total cost is worth it.
pub fn par_chunks(n: usize, cost_per_item_ns: f64, f: impl Fn(Range<usize>) + Sync) {
    if !worth_it(n as f64 * cost_per_item_ns) {
        return if n > 0 {
            f(0..n)
        };
    }
    let len = chunk_len(cost_per_item_ns);
    par_each(n.div_ceil(len), &|i| f(i * len..((i + 1) * len).min(n)));
}

thread_local! {
    /// Set while this thread does a task, whose work is not worth the pool again.
    static IN_TASK: Cell<bool> = const { Cell::new(false) };
}

/// Calls `f` on each number below `n`, over the pool. What each does stays on its thread.
pub fn par_tasks(n: usize, f: &(dyn Fn(usize) + Sync)) {
    par_each(n, &|i| alone(|| f(i)));
}

/// Runs `f`, whose work stays on this thread: others are at work of the same kind.
pub fn alone<R>(f: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            IN_TASK.set(self.0);
        }
    }
    let _back = Back(IN_TASK.replace(true));
    f()
}

/// Calls `f` on each number below `n`, on the caller's thread and over the pool, until the work is stopped. It is not generic, so that the pool's
/// machinery is compiled once and not for every kernel.
fn par_each(n: usize, f: &(dyn Fn(usize) + Sync)) {
    let Owned { pool, idle, .. } = owned();
    if pool.current_thread_index().is_some() {
        let job = Job::current();
        return (0..n).into_par_iter().for_each(|i| {
            if !job.is_stopped() {
                job.run(|| f(i));
            }
        });
    }
    let helpers = (n_threads() - 1).min(n.saturating_sub(1));
    let n = u32::try_from(n).expect("pieces take too long to be that many");
    fork_join::each(n, helpers, f, idle, |help| pool.spawn(help));
}

/// Where a slice that threads write in pieces begins.
pub(crate) struct Base<'o, U>(*mut U, PhantomData<&'o mut [U]>);

// SAFETY: each piece is reached by one thread alone, as if it had been sent there.
unsafe impl<U: Send> Sync for Base<'_, U> {}

impl<'o, U> Base<'o, U> {
    /// The beginning of a slice.
    pub(crate) fn of(slice: &'o mut [U]) -> Self {
        Base(slice.as_mut_ptr(), PhantomData)
    }

    /// The place that many elements from the beginning.
    ///
    /// # Safety
    /// It must be within the slice.
    pub(crate) unsafe fn at(&self, offset: isize) -> *mut U {
        // SAFETY: promised by the caller.
        unsafe { self.0.offset(offset) }
    }

    /// The piece of that length, `start` elements in.
    ///
    /// # Safety
    /// The piece must be within the slice and overlap no other piece in use.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn piece(&self, start: usize, len: usize) -> &'o mut [U] {
        // SAFETY: promised by the caller.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(start), len) }
    }
}

/// Calls `f(offset, piece)` on consecutive pieces of `out`, over the pool when the total cost is worth it.
pub fn par_chunks_mut<U: Send>(
    out: &mut [U],
    cost_per_item_ns: f64,
    f: impl Fn(usize, &mut [U]) + Sync,
) {
    par_rows_mut(out, 1, cost_per_item_ns, f);
}

/// As [`par_chunks_mut`], for rows of `row` elements that are never cut: `f(first_row, rows)`.
pub fn par_rows_mut<U: Send>(
    out: &mut [U],
    row: usize,
    cost_per_row_ns: f64,
    f: impl Fn(usize, &mut [U]) + Sync,
) {
    if out.is_empty() || row == 0 {
        return;
    }
    let n_rows = out.len() / row;
    if !worth_it(n_rows as f64 * cost_per_row_ns) {
        return f(0, out);
    }
    let len = chunk_len(cost_per_row_ns);
    par_pieces_mut(out, len * row, |i, piece| f(i * len, piece));
}

/// Calls `f(index, piece)` on the pieces of `len` elements of `out`, over the pool; the last may be shorter.
pub(crate) fn par_pieces_mut<U: Send>(
    out: &mut [U],
    len: usize,
    f: impl Fn(usize, &mut [U]) + Sync,
) {
    let n = out.len();
    let base = Base::of(out);
    each_piece(n, len, &|i, piece| {
        // SAFETY: pieces of different numbers do not overlap and are within `out`.
        f(i, unsafe { base.piece(piece.start, piece.len()) });
    });
}

/// Calls `f` with the number of each piece of `len` of `total` elements and where it is. It is not generic, as
/// [`par_each`].
fn each_piece(total: usize, len: usize, f: &(dyn Fn(usize, Range<usize>) + Sync)) {
    assert!(len > 0, "pieces have elements");
    par_each(total.div_ceil(len), &|i| {
        f(i, i * len..((i + 1) * len).min(total))
    });
}

/// Runs both, over the pool unless the caller does a task beside others; none of them where the work was stopped. It is
/// not generic, as [`par_each`].
pub(crate) fn join(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    if !is_free() {
        a();
        return b();
    }
    if pool().current_thread_index().is_none() {
        return enter(&mut || join(a, b));
    }
    let job = Job::current();
    if !job.is_stopped() {
        rayon::join(|| job.run(a), || job.run(b));
    }
}

fn pool() -> &'static ThreadPool {
    &owned().pool
}

fn owned() -> &'static Owned {
    let pid = std::process::id();
    let seen = CURRENT.load(Ordering::Acquire);
    // SAFETY: a pointer stored in CURRENT comes from `Box::into_raw` and is never freed.
    match unsafe { seen.as_ref() } {
        Some(owned) if owned.pid == pid => owned,
        _ => replace(seen, pid),
    }
}

/// Stores a new pool for this process, or takes the one that another thread stored meanwhile.
#[cold]
fn replace(seen: *mut Owned, pid: u32) -> &'static Owned {
    let pool = ThreadPoolBuilder::new()
        .num_threads(n_threads())
        .stack_size(STACK)
        .thread_name(|i| format!("ferrograph-{i}"))
        .build()
        .expect("the thread pool starts");
    let idle = collected((1..n_threads()).map(|_| IdleSlot::default()));
    let fresh = Box::into_raw(Box::new(Owned { pid, pool, idle }));
    // The parent's pool is leaked on purpose: its threads do not exist in a forked child, so it cannot be joined.
    match CURRENT.compare_exchange(seen, fresh, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: `fresh` was just made and is never freed once stored.
        Ok(_) => unsafe { &*fresh },
        Err(winner) => {
            // SAFETY: `fresh` was never shared; `winner` was stored by another thread and is never freed.
            unsafe {
                drop(Box::from_raw(fresh));
                &*winner
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn chunks_cover_the_range_once() {
        for n in [0, 1, 1000, 1_000_000] {
            let sum = AtomicUsize::new(0);
            par_chunks(n, 1.0, |r| {
                sum.fetch_add(r.sum::<usize>(), Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), n * n.saturating_sub(1) / 2);
        }
    }

    #[test]
    fn rows_are_not_cut() {
        let mut out = vec![0u32; 3 * 100_000];
        par_rows_mut(&mut out, 3, 10.0, |first, rows| {
            assert_eq!(rows.len() % 3, 0);
            rows.chunks_mut(3)
                .enumerate()
                .for_each(|(i, r)| r.fill((first + i) as u32));
        });
        assert!(out.iter().enumerate().all(|(i, &v)| v as usize == i / 3));
    }

    #[test]
    fn a_panic_in_a_worker_reaches_the_caller() {
        let caught =
            std::panic::catch_unwind(|| par_chunks(1 << 20, 10.0, |r| assert!(r.start == 0)));
        assert!(caught.is_err() || n_threads() == 1);
        install(|| ()); // the pool still serves
    }

    #[test]
    fn tasks_stay_on_their_threads() {
        let threads = AtomicUsize::new(0);
        par_tasks(8, &|_| {
            let mine = std::thread::current().id();
            par_chunks(1 << 20, 10.0, |_| {
                if std::thread::current().id() != mine {
                    threads.fetch_add(1, Ordering::Relaxed);
                }
            });
        });
        assert_eq!(threads.into_inner(), 0);
        assert!(worth_it(1e6) || n_threads() == 1);
    }

    #[test]
    fn install_nests() {
        assert_eq!(install(|| install(|| install(|| 7))), 7);
    }

    #[test]
    fn a_forked_child_makes_its_own_pool() {
        install(|| ());
        // SAFETY: the child only runs the pool and leaves by `_exit`.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let ok = install(|| rayon::join(|| 1, || 2)) == (1, 2);
            // SAFETY: `_exit` ends the child without running the test harness's exit code.
            unsafe { libc::_exit(if ok { 0 } else { 1 }) };
        }
        let mut status = 1;
        // SAFETY: `pid` is the child forked above and `status` is a valid place.
        unsafe { libc::waitpid(pid, &mut status, 0) };
        assert_eq!(status, 0);
    }
}
