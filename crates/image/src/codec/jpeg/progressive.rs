//! Scans of progressive files: coefficients behind the first, coarse at first, then bit by bit.

use super::coefficients::Block;
use super::headers::Scan;
use super::huffman::{Bits, NATURAL, Table};

/// How many blocks end with a symbol of that run.
fn blocks(bits: &mut Bits<'_>, run: u32) -> u32 {
    (1 << run) + bits.take(run)
}

/// The first bits of coefficients. `zeros` counts the blocks to come that have none.
pub(super) fn others(
    scan: &Scan,
    table: &Table,
    bits: &mut Bits<'_>,
    zeros: &mut u32,
    block: &mut Block,
) {
    if *zeros > 0 {
        *zeros -= 1;
        return;
    }
    let mut k = scan.first;
    while k <= scan.last {
        let symbol = bits.symbol(table);
        let (run, size) = (u32::from(symbol >> 4), u32::from(symbol & 15));
        match (size, run) {
            (0, 15) => k += 16,
            (0, _) => {
                *zeros = blocks(bits, run) - 1;
                return;
            }
            _ => {
                k += run as usize;
                block[usize::from(NATURAL[k & 127])] = (bits.number(size) << scan.low) as i16;
                k += 1;
            }
        }
    }
}

/// One more bit of a coefficient that is no zero.
fn refine(bits: &mut Bits<'_>, bit: i16, coefficient: &mut i16) {
    if bits.take(1) == 1 && *coefficient & bit == 0 {
        let step = if *coefficient < 0 { -bit } else { bit };
        *coefficient = coefficient.wrapping_add(step);
    }
}

/// One more bit of coefficients, and those that are no zeros from this bit on.
pub(super) fn finer_others(
    scan: &Scan,
    table: &Table,
    bits: &mut Bits<'_>,
    zeros: &mut u32,
    block: &mut Block,
) {
    let bit = 1i16 << scan.low;
    let mut k = scan.first;
    while *zeros == 0 && k <= scan.last {
        let symbol = bits.symbol(table);
        let (mut run, size) = (u32::from(symbol >> 4), symbol & 15);
        let new = match (size, run) {
            (0, 15) => None,
            (0, _) => {
                *zeros = blocks(bits, run);
                break;
            }
            _ => Some(if bits.take(1) == 1 { bit } else { -bit }),
        };
        while k <= scan.last {
            let coefficient = &mut block[usize::from(NATURAL[k & 127])];
            if *coefficient != 0 {
                refine(bits, bit, coefficient);
            } else if run == 0 {
                break;
            } else {
                run -= 1;
            }
            k += 1;
        }
        if let Some(new) = new {
            block[usize::from(NATURAL[k & 127])] = new;
        }
        k += 1;
    }
    if *zeros > 0 {
        for k in k..=scan.last {
            let coefficient = &mut block[usize::from(NATURAL[k])];
            if *coefficient != 0 {
                refine(bits, bit, coefficient);
            }
        }
        *zeros -= 1;
    }
}
