//! Where the values of a plan live: offsets in one slab, shared by values that are never alive together.

use crate::plan::ALIGN;

/// When a value in the slab is alive: from the step that makes it to the last that reads it, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime {
    /// The step that makes it.
    pub start: usize,
    /// The last step that reads it.
    pub end: usize,
    /// How many bytes it takes.
    pub bytes: usize,
}

/// The offset of each value and the size of the slab. Greedy by start: each value takes the lowest gap left by those
/// alive with it. Every offset is aligned to 64 bytes; where the sum is out of bounds, so is the size.
pub(crate) fn assign(lifetimes: &[Lifetime]) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..lifetimes.len()).collect();
    order.sort_by_key(|&i| lifetimes[i].start);
    let mut offsets = vec![0; lifetimes.len()];
    let mut alive: Vec<(usize, usize, usize)> = Vec::new(); // (offset, end of bytes, last step), by offset
    let mut size = 0;
    for i in order {
        let life = lifetimes[i];
        alive.retain(|&(_, _, end)| end >= life.start);
        let bytes = life.bytes.max(1).checked_next_multiple_of(ALIGN);
        let bytes = bytes.unwrap_or(usize::MAX);
        let mut at = 0usize;
        let mut place = alive.len();
        for (k, &(offset, stop, _)) in alive.iter().enumerate() {
            if at.saturating_add(bytes) <= offset {
                place = k;
                break;
            }
            at = stop;
        }
        let stop = at.saturating_add(bytes);
        alive.insert(place, (at, stop, life.end));
        offsets[i] = at;
        size = size.max(stop);
    }
    (offsets, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(start: usize, end: usize, bytes: usize) -> Lifetime {
        Lifetime { start, end, bytes }
    }

    #[test]
    fn a_chain_needs_two_places() {
        let chain: Vec<_> = (0..100).map(|i| life(i, i + 1, 4)).collect();
        let (offsets, size) = assign(&chain);
        assert_eq!(size, 2 * ALIGN);
        assert!(offsets.windows(2).all(|w| w[0] != w[1]));
    }

    #[test]
    fn values_alive_together_do_not_overlap() {
        let lives = [
            life(0, 5, 100),
            life(1, 2, 64),
            life(2, 6, 300),
            life(3, 3, 10),
            life(4, 9, 1000),
            life(6, 7, 200),
        ];
        let (offsets, size) = assign(&lives);
        for i in 0..lives.len() {
            assert!(offsets[i].is_multiple_of(ALIGN) && offsets[i] + lives[i].bytes <= size);
            for j in 0..i {
                let together = lives[i].start <= lives[j].end && lives[j].start <= lives[i].end;
                let apart = offsets[i] + lives[i].bytes <= offsets[j]
                    || offsets[j] + lives[j].bytes <= offsets[i];
                assert!(!together || apart, "{i} and {j}");
            }
        }
    }

    #[test]
    fn sizes_that_do_not_add_up_are_more_than_there_is() {
        let lives = [
            life(0, 9, usize::MAX / 2),
            life(1, 9, usize::MAX / 2),
            life(2, 9, usize::MAX),
        ];
        assert_eq!(assign(&lives).1, usize::MAX);
    }
}
