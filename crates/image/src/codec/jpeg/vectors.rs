//! The inverse transforms of `transform` by vector instructions of 16 bits, two blocks at a time: the same numbers.

use std::arch::x86_64::{
    __m256i, _mm_set_epi64x, _mm256_add_epi16, _mm256_add_epi32, _mm256_extract_epi64,
    _mm256_madd_epi16, _mm256_mulhi_epi16, _mm256_mullo_epi16, _mm256_packs_epi16,
    _mm256_packs_epi32, _mm256_set_m128i, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_slli_epi16, _mm256_srai_epi16, _mm256_srai_epi32, _mm256_sub_epi16, _mm256_sub_epi32,
    _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi16,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::coefficients::Block;
use super::transform::{BITS, Factors, KEPT, Method, fill, is_even};

/// Eight rows of eight numbers of two blocks.
type Rows = [__m256i; 8];

#[inline]
#[target_feature(enable = "avx2")]
fn row(a: &[i16; 64], b: &[i16; 64], i: usize) -> __m256i {
    let half = |all: &[i16; 64], at: usize| {
        let word = |k: usize| i64::from(all[at + k] as u16) << (16 * k);
        word(0) | word(1) | word(2) | word(3)
    };
    let (at, to) = (i * 8, i * 8 + 4);
    _mm256_set_m128i(
        _mm_set_epi64x(half(b, to), half(b, at)),
        _mm_set_epi64x(half(a, to), half(a, at)),
    )
}

#[inline]
#[target_feature(enable = "avx2")]
fn transposed(x: Rows) -> Rows {
    let pairs = |a, b| (_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b));
    let fours = |a, b| (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let (a0, a1) = pairs(x[0], x[1]);
    let (b0, b1) = pairs(x[2], x[3]);
    let (c0, c1) = pairs(x[4], x[5]);
    let (d0, d1) = pairs(x[6], x[7]);
    let (e0, e1) = fours(a0, b0);
    let (e2, e3) = fours(a1, b1);
    let (f0, f1) = fours(c0, d0);
    let (f2, f3) = fours(c1, d1);
    [
        _mm256_unpacklo_epi64(e0, f0),
        _mm256_unpackhi_epi64(e0, f0),
        _mm256_unpacklo_epi64(e1, f1),
        _mm256_unpackhi_epi64(e1, f1),
        _mm256_unpacklo_epi64(e2, f2),
        _mm256_unpackhi_epi64(e2, f2),
        _mm256_unpacklo_epi64(e3, f3),
        _mm256_unpackhi_epi64(e3, f3),
    ]
}

/// Numbers of 32 bits: the lower and the upper halves of the lanes.
type Wide = (__m256i, __m256i);

/// `a * by + b * and`, in each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn weighted((low, high): Wide, by: i16, and: i16) -> Wide {
    let factors = _mm256_set1_epi32(i32::from(by) & 0xffff | i32::from(and) << 16);
    (
        _mm256_madd_epi16(low, factors),
        _mm256_madd_epi16(high, factors),
    )
}

#[inline]
#[target_feature(enable = "avx2")]
fn paired(a: __m256i, b: __m256i) -> Wide {
    (_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b))
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: Wide, b: Wide) -> Wide {
    (_mm256_add_epi32(a.0, b.0), _mm256_add_epi32(a.1, b.1))
}

/// The sum and the difference of two, with `N` bits rounded off.
#[inline]
#[target_feature(enable = "avx2")]
fn ends<const N: i32>(a: Wide, b: Wide) -> (__m256i, __m256i) {
    let half = _mm256_set1_epi32(1 << (N - 1));
    let a = (_mm256_add_epi32(a.0, half), _mm256_add_epi32(a.1, half));
    let cut =
        |low, high| _mm256_packs_epi32(_mm256_srai_epi32::<N>(low), _mm256_srai_epi32::<N>(high));
    (
        cut(_mm256_add_epi32(a.0, b.0), _mm256_add_epi32(a.1, b.1)),
        cut(_mm256_sub_epi32(a.0, b.0), _mm256_sub_epi32(a.1, b.1)),
    )
}

/// The accurate transform of eight numbers in each lane; `N` bits are rounded off.
#[inline]
#[target_feature(enable = "avx2")]
fn accurate<const N: i32>(x: Rows) -> Rows {
    const ONE: i16 = 1 << BITS;
    let inner = paired(x[2], x[6]);
    let (a, b) = (
        weighted(inner, 4433, 4433 - 15137),
        weighted(inner, 4433 + 6270, 4433),
    );
    let outer = paired(x[0], x[4]);
    let (sum, rest) = (weighted(outer, ONE, ONE), weighted(outer, ONE, -ONE));
    let less = |a: Wide, b: Wide| (_mm256_sub_epi32(a.0, b.0), _mm256_sub_epi32(a.1, b.1));
    let even = [add(sum, b), add(rest, a), less(rest, a), less(sum, b)];
    let sums = paired(_mm256_add_epi16(x[7], x[3]), _mm256_add_epi16(x[5], x[1]));
    let z3 = weighted(sums, 9633 - 16069, 9633);
    let z4 = weighted(sums, 9633, 9633 - 3196);
    let (far, near) = (paired(x[7], x[1]), paired(x[5], x[3]));
    let odd = [
        add(weighted(far, -7373, 12299 - 7373), z4),
        add(weighted(near, -20995, 25172 - 20995), z3),
        add(weighted(near, 16819 - 20995, -20995), z4),
        add(weighted(far, 2446 - 7373, -7373), z3),
    ];
    let [(a, h), (b, g), (c, f), (d, e)] = [
        ends::<N>(even[0], odd[0]),
        ends::<N>(even[1], odd[1]),
        ends::<N>(even[2], odd[2]),
        ends::<N>(even[3], odd[3]),
    ];
    [a, b, c, d, e, f, g, h]
}

/// A product with 8 bits behind the point, which are cut off.
#[inline]
#[target_feature(enable = "avx2")]
fn cut(x: __m256i, by: i16) -> __m256i {
    _mm256_mulhi_epi16(_mm256_slli_epi16::<2>(x), _mm256_set1_epi16(by << 6))
}

/// The fast transform of eight numbers in each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn fast(x: Rows) -> Rows {
    let add = |a, b| _mm256_add_epi16(a, b);
    let sub = |a, b| _mm256_sub_epi16(a, b);
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
    // -669 does not fit: it is -413 and once more the number itself.
    let z10 = sub(cut(z10, 256 - 669), z10);
    let o1 = sub(add(z10, z5), o0);
    let o2 = sub(cut(sub(z11, z13), 362), o1);
    let o3 = add(o2, sub(cut(z12, 277), z5));
    [
        add(even[0], o0),
        add(even[1], o1),
        add(even[2], o2),
        sub(even[3], o3),
        add(even[3], o3),
        sub(even[2], o2),
        sub(even[1], o1),
        sub(even[0], o0),
    ]
}

/// The samples of two blocks, the rows of each.
#[inline]
#[target_feature(enable = "avx2")]
fn samples(a: &Block, b: &Block, factors: &Factors, method: Method) -> [[[u8; 8]; 8]; 2] {
    const FIRST: i32 = (BITS - KEPT) as i32;
    const SECOND: i32 = (BITS + KEPT + 3) as i32;
    const FAST: i32 = (KEPT + 3) as i32;
    let mut rows = [_mm256_set1_epi16(0); 8];
    for (i, to) in rows.iter_mut().enumerate() {
        *to = _mm256_mullo_epi16(row(a, b, i), row(factors, factors, i));
    }
    match method {
        Method::Accurate => {
            rows = transposed(accurate::<SECOND>(transposed(accurate::<FIRST>(rows))));
        }
        Method::Fast => {
            rows = transposed(fast(transposed(fast(rows))));
            for row in &mut rows {
                *row = _mm256_srai_epi16::<FAST>(*row);
            }
        }
    }
    let mut out = [[[0; 8]; 8]; 2];
    let middle = _mm256_set1_epi8(-128);
    for (i, pair) in rows.as_chunks::<2>().0.iter().enumerate() {
        let bytes = _mm256_xor_si256(_mm256_packs_epi16(pair[0], pair[1]), middle);
        out[0][i * 2] = _mm256_extract_epi64::<0>(bytes).to_le_bytes();
        out[0][i * 2 + 1] = _mm256_extract_epi64::<1>(bytes).to_le_bytes();
        out[1][i * 2] = _mm256_extract_epi64::<2>(bytes).to_le_bytes();
        out[1][i * 2 + 1] = _mm256_extract_epi64::<3>(bytes).to_le_bytes();
    }
    out
}

/// The samples of a row of blocks, into rows that begin `line` apart.
#[target_feature(enable = "avx2")]
pub(super) fn block_row(
    blocks: &[Block],
    factors: &Factors,
    method: Method,
    to: &mut [u8],
    line: usize,
) {
    for (i, pair) in blocks.chunks(2).enumerate() {
        let (a, b) = (&pair[0], pair.last().unwrap_or(&pair[0]));
        if is_even(a) && is_even(b) {
            for (k, block) in pair.iter().enumerate() {
                fill(block, factors, method, 8, &mut to[i * 16 + k * 8..], line);
            }
            continue;
        }
        let both = samples(a, b, factors, method);
        for (k, rows) in both.iter().take(pair.len()).enumerate() {
            for (to, row) in to[i * 16 + k * 8..].chunks_mut(line).zip(rows) {
                to[..8].copy_from_slice(row);
            }
        }
    }
}
