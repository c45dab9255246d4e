//! Scans of progressive files: coefficients behind the first, coarse at first, then bit by bit.
//!
//! Beside each block stands which of its coefficients are no zeros, a bit for each in the order of files: a finer scan goes
//! from bit to bit.

use super::coefficients::Block;
use super::headers::Scan;
use super::huffman::{Bits, LAST, NATURAL, Table};

/// Writes the coefficient `at` of a block; what is behind the last one is the last.
#[inline(always)]
fn write(block: &mut Block, nonzero: &mut u64, at: usize, value: i16) {
    let at = at.min(63);
    block[usize::from(NATURAL[at])] = value;
    *nonzero = *nonzero & !(1 << at) | u64::from(value != 0) << at;
}

/// The first bits of coefficients. `zeros` counts the blocks to come that have none.
#[inline(always)]
pub(super) fn others(
    scan: &Scan,
    table: &Table,
    bits: &mut Bits<'_>,
    zeros: &mut u32,
    block: &mut Block,
    nonzero: &mut u64,
) {
    if *zeros > 0 {
        *zeros -= 1;
        return;
    }
    let mut here = *bits;
    let mut k = scan.first;
    while k <= scan.last {
        here.fill();
        let (step, number) = here.coded(table);
        if step == LAST {
            *zeros = number as u32 - 1;
            break;
        }
        k += step;
        if number != 0 {
            write(block, nonzero, k - 1, (number << scan.low) as i16);
        }
    }
    *bits = here;
}

/// Writes the places of the bits of a set, in order, then those from `end` on.
#[inline(always)]
fn list(set: u64, end: usize, places: &mut [u8; 128]) {
    const ONES: u64 = u64::MAX / 255;
    let ends = ends(set);
    let begins = (ends << 8).to_le_bytes();
    for (i, (part, begin)) in set.to_le_bytes().into_iter().zip(begins).enumerate() {
        let here = PLACES[usize::from(part)] + ONES * (8 * i as u64);
        places[usize::from(begin & 63)..][..8].copy_from_slice(&here.to_le_bytes());
    }
    let behind = &mut places[(ends >> 56 & 127) as usize..];
    for (i, place) in behind.iter_mut().take(16).enumerate() {
        *place = (end + i) as u8;
    }
}

/// How many bits of a set there are up to each of its bytes, and with that.
#[inline(always)]
fn ends(set: u64) -> u64 {
    const PAIRS: u64 = u64::MAX / 3;
    const FOURS: u64 = u64::MAX / 5;
    const EIGHTS: u64 = u64::MAX / 17;
    let pairs = set - (set >> 1 & PAIRS);
    let fours = (pairs & FOURS) + (pairs >> 2 & FOURS);
    let eights = (fours + (fours >> 4)) & EIGHTS;
    eights.wrapping_mul(u64::MAX / 255)
}

/// The places of the bits of a byte, in order, a byte each.
const PLACES: [u64; 256] = {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut n, mut place) = (0, 0u64);
        while place < 8 {
            if byte >> place & 1 == 1 {
                all[byte] |= place << (8 * n);
                n += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    all
};

/// One more bit of the coefficients of a set: those of `fixes`, which begin at its upper end, for the first `n` of them.
#[inline(always)]
fn refine(block: &mut Block, low: u32, mut set: u64, mut fixes: u64, n: usize) {
    for _ in 0..n {
        let to = &mut block[usize::from(NATURAL[(set.trailing_zeros() & 63) as usize])];
        let (is_set, was_set) = ((fixes >> 63) as i16, *to >> low & 1);
        let sign = *to >> 15;
        let step = ((1i16 << low) ^ sign).wrapping_sub(sign);
        *to = to.wrapping_add(step & -(is_set & !was_set));
        set &= set.wrapping_sub(1);
        fixes <<= 1;
    }
}

/// Bits of coefficients that were no zeros. They stand between the symbols, and are added when a block ends.
#[derive(Default)]
struct Fixes {
    bits: u64,
    n: usize,
}

impl Fixes {
    /// Reads bits until there are `n`, where 24 are ready.
    #[inline(always)]
    fn read(&mut self, bits: &mut Bits<'_>, n: usize) {
        let more = n.wrapping_sub(self.n) as u32;
        if more > 24 {
            (*bits, self.bits) = bits.gather_many(more, self.bits);
        } else {
            self.bits = bits.gather(more, self.bits);
        }
        self.n = n;
    }

    /// Adds them to the first coefficients of a set.
    #[inline(always)]
    fn add(&self, block: &mut Block, low: u32, set: u64) {
        if self.n > 0 {
            refine(block, low, set, self.bits << (64 - self.n), self.n);
        }
    }
}

/// One more bit of coefficients, and those that are no zeros from this bit on.
#[inline(never)]
pub(super) fn finer_others(
    scan: &Scan,
    table: &Table,
    bits: &mut Bits<'_>,
    zeros: &mut u32,
    block: &mut Block,
    nonzero: &mut u64,
) {
    let band = u64::MAX >> (63 - scan.last) & u64::MAX << scan.first;
    let (old, mut all) = (*nonzero & band, *nonzero);
    let mut here = *bits;
    let mut fixes = Fixes::default();
    let mut behind = 0;
    if *zeros == 0 {
        let free = !old & band;
        (*zeros, behind) = new_others(scan, table, &mut here, free, &mut fixes, block, &mut all);
    }
    if *zeros > 0 {
        here.fill();
        fixes.read(&mut here, old.count_ones() as usize);
        *zeros -= 1;
    }
    fixes.add(block, scan.low, old);
    if behind != 0 {
        write(block, &mut all, scan.last + 1, behind);
    }
    (*bits, *nonzero) = (here, all);
}

/// The coefficients that are no zeros from this bit on, of those that are `free`. Tells how many blocks end, this one among
/// them, and what is to be written behind the last coefficient, where files are damaged.
#[inline(always)]
fn new_others(
    scan: &Scan,
    table: &Table,
    bits: &mut Bits<'_>,
    free: u64,
    fixes: &mut Fixes,
    block: &mut Block,
    nonzero: &mut u64,
) -> (u32, i16) {
    let mut places = [0; 128];
    list(free, scan.last + 1, &mut places);
    let mut passed = 0;
    loop {
        bits.fill();
        let (step, number) = bits.coded(table);
        if step == LAST {
            return (number as u32, 0);
        }
        let value = (number << scan.low) as i16;
        passed += step;
        let at = usize::from(places[(passed - 1) & 127]);
        // All between the first one and this one that are not free.
        fixes.read(bits, (at + 1).wrapping_sub(scan.first + passed));
        if at > scan.last {
            return (0, value);
        }
        if value != 0 {
            block[usize::from(NATURAL[at & 63])] = value;
            *nonzero |= 1 << at;
        }
        if at == scan.last {
            return (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_bits() {
        let mut set = 1u64;
        for _ in 0..1000 {
            set = set.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let set = set & set.rotate_left(17);
            let mut places = [0; 128];
            list(set, 60, &mut places);
            let mut want: Vec<u8> = (0..64).filter(|i| set >> i & 1 == 1).collect();
            want.extend(60..76);
            assert_eq!(places[..want.len()], want);
        }
    }
}
