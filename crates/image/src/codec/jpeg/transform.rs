//! From coefficients to samples: the inverse cosine transforms of libjpeg, bit by bit, in whole numbers.
//!
//! The accurate one and the ones to fewer samples are those of Loeffler, Ligtenberg and Moschytz with 13 bits behind the
//! point, the fast one is that of Arai, Agui and Nakajima with 8. Columns come first, their results keep two more bits.

use super::coefficients::Block;
use super::headers::Steps;

/// Bits behind the point of the accurate transforms.
pub(super) const BITS: u32 = 13;

/// Bits that the results of columns keep.
pub(super) const KEPT: u32 = 2;

/// How coefficients become samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Method {
    Accurate,
    Fast,
}

/// What coefficients are multiplied by.
pub(super) type Factors = [i16; 64];

/// The factors of a table of steps.
pub(super) fn factors(steps: &Steps, method: Method, size: usize) -> Factors {
    let mut factors = steps.map(|step| step as i16);
    if method == Method::Fast && size == 8 {
        for (i, factor) in factors.iter_mut().enumerate() {
            let product = i64::from(steps[i]) * scale(i / 8, i % 8);
            *factor = ((product + (1 << 11)) >> 12) as i16;
        }
    }
    factors
}

/// The scales of rows and columns of the fast transform: cosines of sixteenths of a half turn, times the root of 2.
const SCALES: [f64; 8] = [
    1.0,
    1.387039845,
    1.306562965,
    1.175875602,
    1.0,
    0.785694958,
    0.541196100,
    0.275899379,
];

/// The scale of a coefficient of the fast transform, with 14 bits behind the point.
fn scale(row: usize, column: usize) -> i64 {
    (SCALES[row] * SCALES[column] * 16384.0 + 0.5) as i64
}

type Lanes = [i32; 8];

#[inline(always)]
fn map2(a: Lanes, b: Lanes, f: impl Fn(i32, i32) -> i32) -> Lanes {
    std::array::from_fn(|i| f(a[i], b[i]))
}

#[inline(always)]
fn add(a: Lanes, b: Lanes) -> Lanes {
    map2(a, b, i32::wrapping_add)
}

#[inline(always)]
fn sub(a: Lanes, b: Lanes) -> Lanes {
    map2(a, b, i32::wrapping_sub)
}

#[inline(always)]
fn mul(a: Lanes, by: i32) -> Lanes {
    a.map(|x| x.wrapping_mul(by))
}

/// Rounds `n` bits off.
#[inline(always)]
fn rounded(a: Lanes, n: u32) -> Lanes {
    a.map(|x| x.wrapping_add(1 << (n - 1)) >> n)
}

#[inline(always)]
fn transposed(a: [Lanes; 8]) -> [Lanes; 8] {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// Sums and differences of halves.
#[inline(always)]
fn joined(even: [Lanes; 4], odd: [Lanes; 4]) -> [Lanes; 8] {
    std::array::from_fn(|i| {
        if i < 4 {
            add(even[i], odd[i])
        } else {
            sub(even[7 - i], odd[7 - i])
        }
    })
}

/// The accurate transform of eight numbers, in each lane; `n` bits are rounded off.
#[inline(always)]
fn accurate(x: [Lanes; 8], n: u32) -> [Lanes; 8] {
    let z = mul(add(x[2], x[6]), 4433);
    let (a, b) = (add(z, mul(x[6], -15137)), add(z, mul(x[2], 6270)));
    let sum = add(x[0], x[4]).map(|v| v << BITS);
    let rest = sub(x[0], x[4]).map(|v| v << BITS);
    let even = [add(sum, b), add(rest, a), sub(rest, a), sub(sum, b)];
    let [p, q, r, s] = [x[7], x[5], x[3], x[1]];
    let z5 = mul(add(add(p, r), add(q, s)), 9633);
    let (z1, z2) = (mul(add(p, s), -7373), mul(add(q, r), -20995));
    let z3 = add(mul(add(p, r), -16069), z5);
    let z4 = add(mul(add(q, s), -3196), z5);
    let odd = [
        add(mul(s, 12299), add(z1, z4)),
        add(mul(r, 25172), add(z2, z3)),
        add(mul(q, 16819), add(z2, z4)),
        add(mul(p, 2446), add(z1, z3)),
    ];
    joined(even, odd).map(|v| rounded(v, n))
}

/// A product with 8 bits behind the point, which are cut off.
#[inline(always)]
fn cut(a: Lanes, by: i32) -> Lanes {
    a.map(|x| x.wrapping_mul(by) >> 8)
}

/// The fast transform of eight numbers, in each lane.
#[inline(always)]
fn fast(x: [Lanes; 8]) -> [Lanes; 8] {
    let (sum, rest) = (add(x[0], x[4]), sub(x[0], x[4]));
    let inner = add(x[2], x[6]);
    let outer = sub(cut(sub(x[2], x[6]), 362), inner);
    let even = [
        add(sum, inner),
        add(rest, outer),
        sub(rest, outer),
        sub(sum, inner),
    ];
    let (z13, z10) = (add(x[5], x[3]), sub(x[5], x[3]));
    let (z11, z12) = (add(x[1], x[7]), sub(x[1], x[7]));
    let o0 = add(z11, z13);
    let z5 = cut(add(z10, z12), 473);
    let o1 = sub(add(cut(z10, -669), z5), o0);
    let o2 = sub(cut(sub(z11, z13), 362), o1);
    // What is added to the fourth is taken from the fifth: its sign is turned.
    let o3 = add(o2, sub(cut(z12, 277), z5)).map(i32::wrapping_neg);
    joined(even, [o0, o1, o2, o3])
}

/// The sample of a number around 0.
#[inline(always)]
fn sample(x: i32) -> u8 {
    (x + 128).clamp(0, 255) as u8
}

#[inline(always)]
fn numbers(block: &Block, factors: &Factors) -> [Lanes; 8] {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            i32::from(block[i * 8 + j]).wrapping_mul(i32::from(factors[i * 8 + j]))
        })
    })
}

/// Whether a block is of one colour.
#[inline(always)]
pub(super) fn is_even(block: &Block) -> bool {
    block[1..].iter().fold(0, |all, x| all | x) == 0
}

/// The samples of a block of one colour.
#[inline(always)]
pub(super) fn fill(
    block: &Block,
    factors: &Factors,
    method: Method,
    size: usize,
    to: &mut [u8],
    line: usize,
) {
    let first = i32::from(block[0]).wrapping_mul(i32::from(factors[0]));
    let value = match (method, size) {
        (Method::Fast, 8) => first >> (KEPT + 3),
        _ => (first + 4) >> 3,
    };
    for row in to.chunks_mut(line).take(size) {
        row[..size].fill(sample(value));
    }
}

/// The samples of a row of blocks, `size` times `size` each, into rows that begin `line` apart.
pub(super) fn block_row(
    blocks: &[Block],
    factors: &Factors,
    method: Method,
    size: usize,
    to: &mut [u8],
    line: usize,
) {
    #[cfg(target_arch = "x86_64")]
    if size == 8 && is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has the instructions.
        return unsafe { super::vectors::block_row(blocks, factors, method, to, line) };
    }
    for (i, block) in blocks.iter().enumerate() {
        samples(block, factors, method, size, &mut to[i * size..], line);
    }
}

/// The samples of a block, `size` times `size`, into rows that begin `line` apart.
#[inline(always)]
fn samples(
    block: &Block,
    factors: &Factors,
    method: Method,
    size: usize,
    to: &mut [u8],
    line: usize,
) {
    if is_even(block) {
        return fill(block, factors, method, size, to, line);
    }
    match (size, method) {
        (8, _) => {
            let x = numbers(block, factors);
            let all = match method {
                Method::Accurate => {
                    let columns = accurate(x, BITS - KEPT);
                    transposed(accurate(transposed(columns), BITS + KEPT + 3))
                }
                Method::Fast => {
                    let rows = fast(transposed(fast(x)));
                    transposed(rows).map(|v| v.map(|x| x >> (KEPT + 3)))
                }
            };
            for (row, values) in to.chunks_mut(line).zip(all) {
                row[..8].copy_from_slice(&values.map(sample));
            }
        }
        (1, _) => to[0] = sample((i32::from(block[0]) * i32::from(factors[0]) + 4) >> 3),
        _ => fewer(block, factors, size, to, line),
    }
}

/// The transform of eight numbers to four or two.
fn shorter(x: [i32; 8], size: usize, n: u32) -> [i32; 4] {
    let cut = |x: i32, n: u32| x.wrapping_add(1 << (n - 1)) >> n;
    let sum = |all: &[(usize, i32)]| {
        let product = |(i, by): &(usize, i32)| x[*i].wrapping_mul(*by);
        all.iter().map(product).fold(0, i32::wrapping_add)
    };
    if size == 2 {
        let even = x[0] << (BITS + 2);
        let odd = sum(&[(7, -5906), (5, 6967), (3, -10426), (1, 29692)]);
        let [a, b] = [even.wrapping_add(odd), even.wrapping_sub(odd)];
        return [cut(a, n + 2), cut(b, n + 2), 0, 0];
    }
    let first = x[0] << (BITS + 1);
    let even = sum(&[(2, 15137), (6, -6270)]);
    let (a, b) = (first.wrapping_add(even), first.wrapping_sub(even));
    let p = sum(&[(7, -1730), (5, 11893), (3, -17799), (1, 8697)]);
    let q = sum(&[(7, -4176), (5, -4926), (3, 7373), (1, 20995)]);
    let all = [
        a.wrapping_add(q),
        b.wrapping_add(p),
        b.wrapping_sub(p),
        a.wrapping_sub(q),
    ];
    all.map(|x| cut(x, n + 1))
}

fn fewer(block: &Block, factors: &Factors, size: usize, to: &mut [u8], line: usize) {
    let x = numbers(block, factors);
    let columns: [[i32; 4]; 8] =
        std::array::from_fn(|j| shorter(std::array::from_fn(|i| x[i][j]), size, BITS - KEPT));
    for (i, row) in to.chunks_mut(line).take(size).enumerate() {
        let values = shorter(
            std::array::from_fn(|j| columns[j][i]),
            size,
            BITS + KEPT + 3,
        );
        for (to, value) in row[..size].iter_mut().zip(values) {
            *to = sample(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of few and of many coefficients, from a stream of numbers.
    fn blocks() -> Vec<Block> {
        let mut seed = 7u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 8
        };
        let block = |n: u32| {
            let mut block = [0i16; 64];
            block[0] = (next() % 200) as i16 - 100;
            for _ in 0..n {
                block[next() as usize % 64] = (next() % 41) as i16 - 20;
            }
            block
        };
        (0..63).map(block).collect()
    }

    #[test]
    fn vectors_give_the_same_samples() {
        let steps: Steps = std::array::from_fn(|i| 3 + (i / 8 + i % 8) as u16);
        let all = blocks();
        let line = all.len() * 8;
        for method in [Method::Accurate, Method::Fast] {
            let factors = factors(&steps, method, 8);
            let (mut plain, mut row) = (vec![0u8; 8 * line], vec![1u8; 8 * line]);
            for (i, block) in all.iter().enumerate() {
                samples(block, &factors, method, 8, &mut plain[i * 8..], line);
            }
            block_row(&all, &factors, method, 8, &mut row, line);
            assert!(plain == row, "{method:?}");
        }
    }
}
