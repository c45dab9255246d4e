//! How vector code takes rows along which, or from one to the next, something repeats.

use super::ALIGN;
use super::traversal::BroadcastIndex;

/// How rows are taken.
pub(crate) enum Rows {
    /// All as one: nothing repeats.
    AsOne,
    /// One by one: bytes from row to row of each value.
    OneByOne(Box<[usize]>),
    /// Some at once, with what repeats written out before.
    Together(Together),
}

/// Short rows that are taken together.
pub(crate) struct Together {
    /// How many.
    pub count: usize,
    /// Bytes from that many rows to the next of each value.
    pub steps: Box<[usize]>,
    pub repeated: Box<[Repeated]>,
}

/// A value that is written out for rows taken together.
pub(crate) struct Repeated {
    pub pointer: usize,
    /// Bytes of an element.
    pub size: usize,
    /// Which of its elements go with those of any row; none where it has an element for each row.
    pub within: Option<BroadcastIndex>,
    /// Whether it is another one for other tiles.
    pub changes: bool,
    /// Bytes that it takes.
    pub bytes: usize,
}

impl Rows {
    /// What is written out, with where that is.
    pub fn repeated(&self) -> impl Iterator<Item = (usize, &Repeated)> {
        let repeated = match self {
            Rows::Together(together) => &together.repeated[..],
            _ => &[],
        };
        repeated.iter().scan(0, |at, repeated| {
            let here = *at;
            *at += repeated.room();
            Some((here, repeated))
        })
    }
}

impl Repeated {
    /// Bytes of memory for it: what is written last may reach beyond the end.
    pub fn room(&self) -> usize {
        (self.bytes + CHUNK).next_multiple_of(ALIGN)
    }

    /// Writes it out.
    ///
    /// # Safety
    /// The value is at `from`, the elements that are repeated or `rows` elements; there are [`Repeated::room`] bytes at
    /// `to`, which it takes no more than.
    pub unsafe fn write(&self, from: *const u8, to: *mut u8, rows: usize, width: usize) {
        // SAFETY: promised by the caller.
        unsafe {
            let spread = match self.size {
                1 => spread::<u8, CHUNK>,
                4 => spread::<u32, { CHUNK / 4 }>,
                _ => spread::<u64, { CHUNK / 8 }>,
            };
            let Some(BroadcastIndex { every, count }) = self.within else {
                return spread(from, to, rows, width);
            };
            match every {
                1 => to.copy_from_nonoverlapping(from, count * self.size),
                _ => spread(from, to, count, every),
            }
            let once = every * count * self.size;
            for at in (once..self.bytes).step_by(once) {
                to.add(at).copy_from_nonoverlapping(to, once);
            }
        }
    }
}

/// Bytes that are written at once.
const CHUNK: usize = 32;

/// Writes each element as a row.
///
/// # Safety
/// There are `rows` elements at `from`, and room for as many rows and a chunk at `to`.
unsafe fn spread<T: Copy, const N: usize>(from: *const u8, to: *mut u8, rows: usize, width: usize) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    for row in 0..rows {
        // SAFETY: the element is there; what is written beyond the row, less than a chunk, is the next one's or room.
        unsafe {
            let chunk = [from.add(row).read_unaligned(); N];
            let to = to.add(row * width);
            for at in (0..width).step_by(N) {
                to.add(at).cast::<[T; N]>().write_unaligned(chunk);
            }
        }
    }
}
