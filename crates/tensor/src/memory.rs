//! Sizes held against the memory there is, and memory given back. A request for more is an error before anything is allocated: the allocator
//! would end the process where it refuses, and the system where it promised more than it has.

mod available;

use crate::{Bytes, Result, err};
use std::sync::OnceLock;

/// Requests of more bytes are held against what is free.
const HUGE: usize = 256 << 20;

/// Requests up to this many bytes are not held against limits that may change.
const SMALL: usize = 64 << 20;

/// The bytes of `count` elements of `size` bytes.
///
/// # Errors
/// `ResourceExhausted` where this process may not have so many.
pub fn checked_bytes(count: usize, size: usize) -> Result<usize> {
    let bytes = count.checked_mul(size);
    let bytes =
        bytes.ok_or_else(|| too_many(&format!("{count} times {size}"), limit(usize::MAX)))?;
    check_bytes(bytes)?;
    Ok(bytes)
}

/// Refuses more bytes than this process may have.
///
/// # Errors
/// `ResourceExhausted` for more.
#[inline]
pub fn check_bytes(bytes: usize) -> Result<()> {
    if bytes > SMALL {
        let limit = limit(bytes);
        if bytes > limit {
            return Err(too_many(&bytes.to_string(), limit));
        }
    }
    Ok(())
}

/// An empty vector with room for `n` elements.
///
/// # Errors
/// `ResourceExhausted` where there is no memory for them.
pub fn vec_for<T>(n: usize) -> Result<Vec<T>> {
    let bytes = checked_bytes(n, size_of::<T>())?;
    let mut all = Vec::new();
    all.try_reserve_exact(n)
        .map_err(|_| err!(ResourceExhausted, "out of memory allocating {bytes} bytes"))?;
    Ok(all)
}

/// A vector of `n` copies of an element.
///
/// # Errors
/// As [`vec_for`].
pub fn vec_of<T: Clone>(element: T, n: usize) -> Result<Vec<T>> {
    let mut all = vec_for(n)?;
    all.resize(n, element);
    Ok(all)
}

/// Longer strings are held against the memory there is.
const LONG_STRING: usize = 4 << 20;

/// A string of these bytes, which are copied.
///
/// # Errors
/// `ResourceExhausted` where there is no memory for it.
pub fn string_of(bytes: &[u8]) -> Result<Bytes> {
    if bytes.len() > LONG_STRING {
        drop(vec_for::<u8>(bytes.len())?); // to share bytes is to allocate without an answer
    }
    Ok(bytes.into())
}

/// Counts the bytes of strings that are made, one by one.
#[derive(Default)]
pub struct Made(usize);

impl Made {
    /// Adds a string.
    ///
    /// # Errors
    /// `ResourceExhausted` where all of them are more than this process may have.
    #[inline]
    pub fn add(&mut self, string: &Bytes) -> Result<()> {
        self.0 = self.0.saturating_add(string.len());
        check_bytes(self.0)
    }
}

/// Gives memory that is kept for reuse, and no longer used, back to the system.
pub fn give_back() {
    crate::buffer::free_kept();
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the allocator returns free pages of its own; nothing refers to them.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cold]
fn too_many(bytes: &str, limit: usize) -> crate::Error {
    err!(
        ResourceExhausted,
        "out of memory: {bytes} bytes are more than the {limit} that this process may have"
    )
}

/// The bytes that this process may have: the machine's memory, less where the address space is limited; for a request
/// that is worth the question what is free at the moment, as who touches more is ended by the system.
fn limit(request: usize) -> usize {
    let limit = address_space().min(physical());
    match request > HUGE {
        true => limit.min(available::now().unwrap_or(usize::MAX)),
        false => limit,
    }
}

fn physical() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        // SAFETY: sysconf reads a constant of the system.
        let (pages, size) = unsafe {
            (
                libc::sysconf(libc::_SC_PHYS_PAGES),
                libc::sysconf(libc::_SC_PAGESIZE),
            )
        };
        match (usize::try_from(pages), usize::try_from(size)) {
            (Ok(p), Ok(s)) if p > 0 && s > 0 => p.saturating_mul(s),
            _ => isize::MAX as usize,
        }
    })
}

fn address_space() -> usize {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the call fills in the struct that it is given.
    unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn products_that_overflow_and_sizes_beyond_the_machine_are_refused() {
        for (count, size) in [(usize::MAX, 2), (1 << 62, 4), (1 << 61, 8), (1 << 50, 1)] {
            let refused = checked_bytes(count, size).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::ResourceExhausted);
        }
        assert_eq!(checked_bytes(3, 8).unwrap(), 24);
        assert_eq!(checked_bytes(usize::MAX, 0).unwrap(), 0);
    }

    #[test]
    fn vectors_that_do_not_fit_are_refused_before_they_are_made() {
        assert_eq!(vec_of(7u16, 3).unwrap(), [7, 7, 7]);
        let refused = vec_of(0u64, 1 << 60).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ResourceExhausted);
        assert!(vec_for::<u8>(1 << 46).is_err());
    }
}
