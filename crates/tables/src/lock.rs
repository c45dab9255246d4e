//! Locks whose holder may need what the waiting thread holds of the host language.

use ferrograph_ops::while_waiting;
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// How long a thread waits for another one at a time.
const PATIENCE: Duration = Duration::from_millis(1);

/// Takes the lock together with other readers.
pub(crate) fn read<T: Send + Sync>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    loop {
        if let Some(held) = lock.try_read() {
            return held;
        }
        while_waiting(&mut || drop(lock.try_read_for(PATIENCE)));
    }
}

/// Takes the lock alone.
pub(crate) fn write<T: Send + Sync>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    loop {
        if let Some(held) = lock.try_write() {
            return held;
        }
        while_waiting(&mut || drop(lock.try_write_for(PATIENCE)));
    }
}
