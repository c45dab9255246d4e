//! How each element type multiplies.

use half::{bf16, f16};
use num_complex::Complex;
use num_traits::Zero;

use super::Matrix;
use crate::halves::{Half, narrow, widened};
use crate::isa::{Isa, Job, dispatch};
use crate::scratch::{floats, vec_for};
use crate::{pool, stop};

/// A product to be made; the operands have been checked.
pub struct Product<'a, T> {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) a: Matrix<'a, T>,
    pub(super) b: Matrix<'a, T>,
    pub(super) accumulate: bool,
    pub(super) spread: bool,
}

impl<'a, T> Product<'a, T> {
    /// The product of the same operands, whose elements are read so.
    fn reading<U>(&self, read: impl Fn(&'a [T]) -> &'a [U]) -> Product<'a, U> {
        let matrix = |of: &Matrix<'a, T>| Matrix {
            data: read(of.data),
            row_stride: of.row_stride,
            col_stride: of.col_stride,
            conj: of.conj,
        };
        Product {
            m: self.m,
            k: self.k,
            n: self.n,
            a: matrix(&self.a),
            b: matrix(&self.b),
            accumulate: self.accumulate,
            spread: self.spread,
        }
    }
}

/// An element type that has matrix products.
pub trait MatMul: Copy + Zero + Send + Sync + 'static {
    /// Makes the product.
    fn product(p: Product<Self>, out: &mut [Self]);
}

/// Multiply-adds of a tile of the result, about; some hundredths of a second.
const TILE: usize = 1 << 31;

/// The sides of tiles are multiples of this.
const TILE_SIDE: usize = 128;

/// How long the sides of tiles are that `len` rows or columns of a product over `k` are made in: nearly equal.
fn tile_side(len: usize, k: usize) -> usize {
    let most = (TILE as f64 / k.max(1) as f64).sqrt() as usize;
    let parts = len.div_ceil((most / TILE_SIDE).max(1) * TILE_SIDE);
    len.div_ceil(parts.max(1)).next_multiple_of(TILE_SIDE)
}

/// Products by the `gemm` crate, tile by tile, so that long ones can be stopped. It splits rows and columns among
/// threads, never the sum over `k`, so that the number of threads does not change the result.
fn by_gemm<T: Copy + Send + Sync + 'static>(p: Product<T>, one: T, out: &mut [T]) {
    let multiplies = p.m.saturating_mul(p.n).saturating_mul(p.k);
    let sides = match multiplies <= TILE {
        true => (p.m.max(1), p.n.max(1)),
        false => (tile_side(p.m, p.k), tile_side(p.n, p.k)),
    };
    let call = |parallelism, out: &mut [T]| {
        for row in (0..p.m).step_by(sides.0) {
            for column in (0..p.n).step_by(sides.1) {
                stop::pause();
                gemm_tile(&p, one, (row, column), sides, out, parallelism);
            }
        }
    };
    if p.spread {
        pool::install(|| call(gemm::Parallelism::Rayon(pool::n_threads()), out));
    } else {
        call(gemm::Parallelism::None, out);
    }
}

/// The tile of a product that begins at that row and column, of at most that size.
fn gemm_tile<T: Copy + 'static>(
    p: &Product<T>,
    one: T,
    (row, column): (usize, usize),
    (rows, columns): (usize, usize),
    out: &mut [T],
    parallelism: gemm::Parallelism,
) {
    let (a, b) = (p.a, p.b);
    // SAFETY: both operands were checked to be within their slices, `out` is m·n long, row-major, and the tile is
    // within the m rows and n columns.
    unsafe {
        gemm::gemm(
            rows.min(p.m - row),
            columns.min(p.n - column),
            p.k,
            out.as_mut_ptr().add(row * p.n + column),
            1,
            p.n as isize,
            p.accumulate,
            a.data.as_ptr().add(row * a.row_stride),
            a.col_stride as isize,
            a.row_stride as isize,
            b.data.as_ptr().add(column * b.col_stride),
            b.col_stride as isize,
            b.row_stride as isize,
            one,
            one,
            false,
            a.conj,
            b.conj,
            parallelism,
        );
    }
}

macro_rules! floats {
    ($($t:ty, $one:expr, $vector:expr, $direct:expr, $packed:expr;)*) => {$(
        impl MatMul for $t {
            fn product(p: Product<Self>, out: &mut [Self]) {
                if $vector(&p, out) {
                } else if p.m * p.n * p.k <= TINY && !p.a.conj && !p.b.conj {
                    tiny(&p, out)
                } else if !$direct(&p, out) && !$packed(&p, out) {
                    by_gemm(p, $one, out)
                }
            }
        }
    )*};
}

/// Multiply-adds up to which plain loops are faster than packing.
const TINY: usize = 512;

#[cfg(target_arch = "x86_64")]
use super::{
    direct::product as direct, halves::product as halves, integers::product as integer,
    packed::product as packed, vector::product as vector,
};

/// Other machines lay all operands out.
#[cfg(not(target_arch = "x86_64"))]
fn direct<T>(_: &Product<T>, _: &mut [T]) -> bool {
    false
}

/// Other machines have it done by the `gemm` crate.
#[cfg(not(target_arch = "x86_64"))]
fn packed<T>(_: &Product<T>, _: &mut [T]) -> bool {
    false
}

/// Other machines take vectors for matrices.
#[cfg(not(target_arch = "x86_64"))]
fn vector<T>(_: &Product<T>, _: &mut [T]) -> bool {
    false
}

/// Other machines widen halves before.
#[cfg(not(target_arch = "x86_64"))]
fn halves<T>(_: &Product<T>, _: &mut [T]) -> bool {
    false
}

/// Other machines multiply integers by plain loops.
#[cfg(not(target_arch = "x86_64"))]
fn integer<T>(_: &Product<T>, _: &mut [T]) -> bool {
    false
}

/// As [`direct`], of numbers that no vector holds.
fn never<T>(_: &Product<T>, _: &mut [T]) -> bool {
    false
}

floats! {
    f32, 1.0, vector, direct, packed;
    f64, 1.0, vector, direct, packed;
    Complex<f32>, Complex::new(1.0, 0.0), never, never, never;
    Complex<f64>, Complex::new(1.0, 0.0), never, never, never;
}

/// A small product, by strips of a row of the result that stay in registers.
#[inline(always)]
fn tiny<T: Copy + Zero + std::ops::Mul<Output = T>>(p: &Product<T>, out: &mut [T]) {
    const STRIP: usize = 8;
    for (i, row) in out.chunks_exact_mut(p.n).enumerate() {
        let a = |l: usize| p.a.data[i * p.a.row_stride + l * p.a.col_stride];
        let mut j = 0;
        while p.b.col_stride == 1 && j + STRIP <= p.n {
            let mut sum = [T::zero(); STRIP];
            for l in 0..p.k {
                let (a, at) = (a(l), l * p.b.row_stride + j);
                let b: &[T; STRIP] = p.b.data[at..at + STRIP].try_into().expect("a strip");
                (0..STRIP).for_each(|c| sum[c] = sum[c] + a * b[c]);
            }
            (0..STRIP).for_each(|c| put(&mut row[j + c], sum[c], p.accumulate));
            j += STRIP;
        }
        for (j, place) in row.iter_mut().enumerate().skip(j) {
            let b = |l: usize| p.b.data[l * p.b.row_stride + j * p.b.col_stride];
            put(
                place,
                (0..p.k).fold(T::zero(), |sum, l| sum + a(l) * b(l)),
                p.accumulate,
            );
        }
    }
}

#[inline(always)]
fn put<T: Copy + std::ops::Add<Output = T>>(place: &mut T, sum: T, accumulate: bool) {
    *place = if accumulate { *place + sum } else { sum };
}

/// A product of halves by one of `f32`, rounded once.
fn by_singles<H: Half>(p: &Product<H>, out: &mut [H]) {
    let (a, b) = (widened(p.a.data), widened(p.b.data));
    let mut wide = match p.accumulate {
        true => widened(out),
        false => floats(out.len()),
    };
    let as_wide = |data, of: &Matrix<H>| Matrix {
        data,
        row_stride: of.row_stride,
        col_stride: of.col_stride,
        conj: false,
    };
    let &Product {
        m,
        k,
        n,
        accumulate,
        spread,
        ..
    } = p;
    let (a, b) = (as_wide(&a[..], &p.a), as_wide(&b[..], &p.b));
    f32::product(
        Product {
            m,
            k,
            n,
            a,
            b,
            accumulate,
            spread,
        },
        &mut wide,
    );
    narrow(&wide, out);
}

macro_rules! halves {
    ($($t:ty)*) => {$(
        /// Through `f32`, rounded once at the end.
        impl MatMul for $t {
            fn product(p: Product<Self>, out: &mut [Self]) {
                if !halves(&p, out) {
                    by_singles(&p, out);
                }
            }
        }
    )*};
}
halves!(f16 bf16);

/// Rows of the result times the rows of `b`: `out[i, :] += a[i, l] * b[l, :]`, by panels of `b` that stay in cache.
struct Integers<'a, 'b, T> {
    p: &'a Product<'a, T>,
    b: &'a [T],
    first: usize,
    out: &'b mut [T],
}

/// Integers that wrap.
trait Wrapping: Copy {
    fn mul_add(self, a: Self, b: Self) -> Self;
}

impl<T: Wrapping> Job for Integers<'_, '_, T> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        const PANEL: usize = 64;
        let Integers { p, b, first, out } = self;
        for from in (0..p.k).step_by(PANEL) {
            for (i, row) in out.chunks_exact_mut(p.n).enumerate() {
                let a = &p.a.data[(first + i) * p.a.row_stride..];
                for l in from..(from + PANEL).min(p.k) {
                    let a = a[l * p.a.col_stride];
                    let b = &b[l * p.n..][..row.len()];
                    for j in 0..row.len() {
                        row[j] = row[j].mul_add(a, b[j]);
                    }
                }
            }
        }
    }
}

/// The product by plain loops.
fn by_rows<T: Wrapping + Default + Send + Sync>(p: &Product<T>, out: &mut [T]) {
    if !p.accumulate {
        out.fill(T::default());
    }
    let packed;
    let b = if p.b.row_stride == p.n && p.b.col_stride == 1 {
        p.b.data
    } else {
        packed = in_rows(p);
        &packed
    };
    let cost = if p.spread {
        (p.k * p.n) as f64 * 0.1
    } else {
        0.0
    };
    pool::par_rows_mut(out, p.n, cost, |first, out| {
        dispatch(Integers { p, b, first, out })
    });
}

/// The rows of `b`, one after the other.
fn in_rows<T: Copy>(p: &Product<T>) -> Vec<T> {
    let mut all = vec_for(p.k * p.n);
    for l in 0..p.k {
        let row = &p.b.data[l * p.b.row_stride..];
        all.extend((0..p.n).map(|j| row[j * p.b.col_stride]));
    }
    all
}

macro_rules! integers {
    ($($t:ty, $signed:ty;)*) => {$(
        impl Wrapping for $t {
            #[inline(always)]
            fn mul_add(self, a: $t, b: $t) -> $t {
                self.wrapping_add(a.wrapping_mul(b))
            }
        }
        impl MatMul for $t {
            fn product(p: Product<Self>, out: &mut [Self]) {
                // SAFETY: integers of the same size, whose products have the same bits.
                let signed = unsafe {
                    let out = std::slice::from_raw_parts_mut(out.as_mut_ptr().cast(), out.len());
                    (p.reading(|x| std::slice::from_raw_parts(x.as_ptr().cast::<$signed>(), x.len())), out)
                };
                if !integer(&signed.0, signed.1) {
                    by_rows(&signed.0, signed.1);
                }
            }
        }
    )*};
}
integers! {
    i8, i8; i16, i16; i32, i32; i64, i64;
    u8, i8; u16, i16; u32, i32; u64, i64;
}
