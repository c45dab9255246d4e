//! Tiles of products of pairs of numbers of 16 bits, summed with 32.

use std::arch::x86_64::*;

use crate::isa::{Level, level};

/// A tile of a product that stays in registers while the words of two panels pass by.
pub(super) struct Tile<W, S> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The products of a panel of rows and one of columns, of as many words, row by row.
    pub(super) make: fn(&[W], &[W], &mut [S]),
}

/// The tile for this machine, which has vectors.
pub(super) fn tile_of_pairs() -> Tile<u32, i32> {
    match level() {
        Level::Avx512 => Tile {
            rows: 12,
            columns: 32,
            // SAFETY: the machine has the features.
            make: |a, b, to| unsafe { wide(a, b, to) },
        },
        _ => Tile {
            rows: 6,
            columns: 16,
            // SAFETY: the caller has seen that the machine has vectors, which are of 256 bits at least.
            make: |a, b, to| unsafe { narrow(a, b, to) },
        },
    }
}

macro_rules! tile {
    ($name:ident, $features:literal, $rows:literal, $lanes:literal,
     $zero:expr, $load:expr, $store:expr, $splat:expr, $add:expr) => {
        #[target_feature(enable = $features)]
        // SAFETY: unsafe for its features alone: the machine must have them.
        unsafe fn $name(a: &[u32], b: &[u32], to: &mut [i32]) {
            assert_eq!(to.len(), $rows * 2 * $lanes, "a tile has room");
            let mut sums = [[$zero; 2]; $rows];
            for (a, b) in a.chunks_exact($rows).zip(b.chunks_exact(2 * $lanes)) {
                let [first, second] = [0, $lanes].map(|at| b[at..].as_ptr());
                // SAFETY: there are two vectors of words.
                let columns = unsafe { [$load(first.cast()), $load(second.cast())] };
                for (sums, &x) in sums.iter_mut().zip(a) {
                    let x = $splat(x as i32);
                    *sums = [$add(sums[0], x, columns[0]), $add(sums[1], x, columns[1])];
                }
            }
            for (to, sum) in to.chunks_exact_mut($lanes).zip(sums.as_flattened()) {
                // SAFETY: there is room for a vector.
                unsafe { $store(to.as_mut_ptr().cast(), *sum) };
            }
        }
    };
}

tile! {
    narrow, "avx2", 6, 8, _mm256_setzero_si256(), _mm256_loadu_si256, _mm256_storeu_si256,
    _mm256_set1_epi32, |sum, x, y| _mm256_add_epi32(sum, _mm256_madd_epi16(x, y))
}

tile! {
    wide, "avx2,avx512f,avx512bw,avx512vl,avx512dq", 12, 16, _mm512_setzero_si512(), _mm512_loadu_si512,
    _mm512_storeu_si512, _mm512_set1_epi32, |sum, x, y| _mm512_add_epi32(sum, _mm512_madd_epi16(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_wrapping_sums_of_products() {
        type Make = fn(&[u32], &[u32], &mut [i32]);
        let mut tiles: Vec<(usize, usize, Make)> = Vec::new();
        if level() != Level::Baseline {
            // SAFETY: the machine has the features.
            tiles.push((6, 16, |a, b, to| unsafe { narrow(a, b, to) }));
        }
        if level() == Level::Avx512 {
            // SAFETY: the machine has the features.
            tiles.push((12, 32, |a, b, to| unsafe { wide(a, b, to) }));
        }
        let word = |i: usize| match i % 5 {
            0 => 0x8000_8000,
            1 => 0x7fff_8000,
            _ => (i as u32).wrapping_mul(0x9e37_79b9),
        };
        for (rows, columns, make) in tiles {
            for words in [0, 1, 2, 300] {
                let a: Vec<u32> = (0..rows * words).map(word).collect();
                let b: Vec<u32> = (7..7 + columns * words).map(word).collect();
                let mut sums = vec![1; rows * columns];
                make(&a, &b, &mut sums);
                let half = |x: u32, high: bool| i32::from((x >> if high { 16 } else { 0 }) as i16);
                for (at, &sum) in sums.iter().enumerate() {
                    let mut expected = 0i32;
                    for l in 0..words {
                        let (x, y) = (a[l * rows + at / columns], b[l * columns + at % columns]);
                        for high in [false, true] {
                            let product = half(x, high).wrapping_mul(half(y, high));
                            expected = expected.wrapping_add(product);
                        }
                    }
                    assert_eq!(sum, expected);
                }
            }
        }
    }
}
