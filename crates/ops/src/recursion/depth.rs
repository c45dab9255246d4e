//! How deep recursive calls nest. Each takes a piece of the thread's stack, so they are counted, and the stack that they
//! took is measured. What does not fit on the caller's stack goes on upon that of a thread made for it, which is large.

use crate::interrupt::{Watch, check_interrupt, while_waiting};
use ferrograph_tensor::{Result, bail, err};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Recursive calls that may be active.
const DEPTH_LIMIT: usize = 10_000;

/// Bytes of a caller's stack that they may take at most, and where it is not known how much there is.
const ROOM: usize = 4 << 20;
const LITTLE_ROOM: usize = 1 << 16;

/// Bytes of a caller's stack that stay free.
const KEPT: usize = 1 << 17;

/// Bytes of the stack of a thread made for them. Of these only what is touched takes memory.
const LARGE_STACK: usize = if cfg!(debug_assertions) {
    1 << 28
} else {
    1 << 26
};

/// Bytes of a large stack that stay free, for what runs at the deepest level.
const MARGIN: usize = 1 << 20;

/// How often who waits for a large stack looks whether the user asked to stop.
const LOOK: Duration = Duration::from_millis(20);

/// The recursive calls that are active on a thread.
struct Depth {
    n: usize,
    /// An address in the frame of the outermost one here.
    base: usize,
    room: usize,
    watch: Option<Watch>,
    /// On a large stack: whether the user asked to stop.
    stop: Option<Arc<AtomicBool>>,
}

thread_local! {
    static DEPTH: RefCell<Depth> = const {
        RefCell::new(Depth { n: 0, base: 0, room: 0, watch: None, stop: None })
    };
}

/// What is to happen with one more call.
enum Next {
    Enter,
    Move,
    Refuse,
}

impl Depth {
    fn next(&mut self) -> Result<Next> {
        let marker = 0u8;
        let here = std::ptr::from_ref(&marker).addr();
        if self.base == 0 || self.n == 0 {
            self.base = here;
            if self.stop.is_none() {
                self.room = room_below(here);
            }
        }
        match &self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => bail!(Cancelled, "stopped"),
            Some(_) => {}
            None => self.watch.get_or_insert_with(Watch::start).tick()?,
        }
        if self.n >= DEPTH_LIMIT {
            return Ok(Next::Refuse);
        }
        Ok(match (self.base.abs_diff(here) > self.room, &self.stop) {
            (false, _) => Next::Enter,
            (true, None) => Next::Move,
            (true, Some(_)) => Next::Refuse,
        })
    }
}

/// Bytes of the stack below an address on it that recursive calls may take.
fn room_below(here: usize) -> usize {
    thread_local! {
        static LOWEST: Option<usize> = lowest_address();
    }
    match LOWEST.with(|lowest| *lowest) {
        Some(lowest) => here.saturating_sub(lowest + KEPT).min(ROOM),
        None => LITTLE_ROOM,
    }
}

/// The lowest address of this thread's stack, where the system tells.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn lowest_address() -> Option<usize> {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut lowest, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes are read only where they were filled in, and destroyed once; the two places are written.
    let found = unsafe {
        let attributes = attributes.as_mut_ptr();
        if libc::pthread_getattr_np(libc::pthread_self(), attributes) != 0 {
            return None;
        }
        let found = libc::pthread_attr_getstack(attributes, &raw mut lowest, &raw mut size);
        libc::pthread_attr_destroy(attributes);
        found
    };
    (found == 0).then(|| lowest.addr())
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn lowest_address() -> Option<usize> {
    None
}

/// An active recursive call, until it is dropped.
pub struct Level(());

impl Level {
    /// Enters a call of the graph of that name, which runs on this thread.
    ///
    /// # Errors
    /// `ResourceExhausted` where calls nest too deep; what the host language raises where the user asked to stop.
    pub fn enter(name: &str) -> Result<Level> {
        match DEPTH.with_borrow_mut(Depth::next)? {
            Next::Enter => Ok(Level::entered()),
            Next::Move | Next::Refuse => too_deep(name),
        }
    }

    /// Runs a call of the graph of that name, on this thread or on one with a larger stack.
    ///
    /// # Errors
    /// As [`Level::enter`], and what running gives.
    #[inline]
    pub fn run<R: Send>(name: &str, call: impl FnOnce() -> Result<R> + Send) -> Result<R> {
        match DEPTH.with_borrow_mut(Depth::next)? {
            Next::Enter => {
                let _level = Level::entered();
                call()
            }
            Next::Move => on_large_stack(call),
            Next::Refuse => too_deep(name),
        }
    }

    fn entered() -> Level {
        DEPTH.with_borrow_mut(|depth| depth.n += 1);
        Level(())
    }
}

impl Drop for Level {
    #[inline]
    fn drop(&mut self) {
        DEPTH.with_borrow_mut(|depth| depth.n -= 1);
    }
}

#[cold]
fn on_large_stack<R: Send>(call: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    let stop = Arc::new(AtomicBool::new(false));
    let n = DEPTH.with_borrow(|depth| depth.n);
    let seen = stop.clone();
    let (done, wait) = mpsc::channel::<()>();
    let work = move || {
        let _done = done; // dropped at the end, which wakes who waits
        DEPTH.set(Depth {
            n,
            base: 0,
            room: LARGE_STACK - MARGIN,
            watch: None,
            stop: Some(seen),
        });
        DEPTH.with_borrow_mut(Depth::next)?;
        let _level = Level::entered();
        call()
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("recursion".into())
            .stack_size(LARGE_STACK)
            .spawn_scoped(scope, work)
            .map_err(|e| err!(ResourceExhausted, "no thread for a deep recursion: {e}"))?;
        let stopped = waited(&Mutex::new(wait), &stop);
        let result = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        stopped.and(result)
    })
}

/// Waits until the other side is gone, and tells it where the user asks to stop.
fn waited(wait: &Mutex<mpsc::Receiver<()>>, stop: &AtomicBool) -> Result<()> {
    loop {
        let mut found = Err(mpsc::RecvTimeoutError::Timeout);
        while_waiting(&mut || found = wait.lock().recv_timeout(LOOK));
        if found != Err(mpsc::RecvTimeoutError::Timeout) {
            return Ok(());
        }
        if let Err(e) = check_interrupt() {
            stop.store(true, Ordering::Relaxed);
            while_waiting(&mut || while wait.lock().recv().is_ok() {});
            return Err(e);
        }
    }
}

#[cold]
fn too_deep<R>(name: &str) -> Result<R> {
    let n = DEPTH.with_borrow(|depth| depth.n);
    bail!(
        ResourceExhausted,
        "{name} calls itself more than {n} levels deep, the limit of recursion: let a condition end it earlier, or \
         write it as a loop"
    )
}
