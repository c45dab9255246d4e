use half::bf16;
use num_complex::Complex;

use super::*;

fn naive<T: Copy + num_traits::Num>(m: usize, k: usize, n: usize, a: &[T], b: &[T]) -> Vec<T> {
    let mut out = vec![T::zero(); m * n];
    for i in 0..m {
        for j in 0..n {
            for l in 0..k {
                out[i * n + j] = out[i * n + j] + a[i * k + l] * b[l * n + j];
            }
        }
    }
    out
}

const SHAPES: &[(usize, usize, usize)] = &[
    (0, 3, 2),
    (2, 0, 3),
    (1, 1, 1),
    (3, 4, 5),
    (8, 8, 8),
    (17, 33, 9),
    (130, 70, 65),
    (1, 300, 200),
    (300, 200, 1),
    (500, 10, 1),
    (9, 500, 1),
    (70, 33, 1),
    (1, 20, 256),
    (1, 77, 45),
    (3, 300, 20),
    (32, 32, 32),
    (16, 128, 64),
    (45, 40, 35),
    (100, 600, 70),
    (37, 1000, 64),
];

fn ints(n: usize, step: usize) -> Vec<i32> {
    (0..n).map(|i| (i * step % 17) as i32 - 8).collect()
}

fn transposed<T: Copy>(x: &[T], rows: usize, cols: usize) -> Vec<T> {
    (0..rows * cols)
        .map(|i| x[i % rows * cols + i / rows])
        .collect()
}

#[test]
fn products_agree_with_the_definition() {
    for &(m, k, n) in SHAPES {
        let (a, b) = (ints(m * k, 7), ints(k * n, 5));
        let want = naive(m, k, n, &a, &b);
        let mut out = vec![1; m * n];
        gemm(
            m,
            k,
            n,
            Matrix::row_major(&a, k),
            Matrix::row_major(&b, n),
            &mut out,
            false,
        );
        assert_eq!(out, want);
        let (at, bt) = (transposed(&a, m, k), transposed(&b, k, n));
        gemm(
            m,
            k,
            n,
            Matrix::row_major(&at, m).t(),
            Matrix::row_major(&bt, k).t(),
            &mut out,
            true,
        );
        assert!(out.iter().zip(&want).all(|(o, w)| *o == 2 * w));
        // Small integers are exact in floats too.
        let f = |x: &[i32]| x.iter().map(|&v| v as f32).collect::<Vec<_>>();
        let (fa, fbt) = (f(&a), f(&bt));
        let mut fo = vec![f32::NAN; m * n];
        gemm(
            m,
            k,
            n,
            Matrix::row_major(&fa, k),
            Matrix::row_major(&fbt, k).t(),
            &mut fo,
            false,
        );
        assert_eq!(fo, f(&want));
        let d = |x: &[i32]| x.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
        let (da, dbt) = (d(&at), d(&bt));
        let mut wide = d(&want);
        let (da, dbt) = (
            Matrix::row_major(&da, m).t(),
            Matrix::row_major(&dbt, k).t(),
        );
        gemm(m, k, n, da, dbt, &mut wide, true);
        assert!(wide.iter().zip(&want).all(|(o, w)| *o == f64::from(2 * w)));
        let h = |x: &[i32]| {
            x.iter()
                .map(|&v| bf16::from_f32(v as f32))
                .collect::<Vec<_>>()
        };
        let (ha, hb) = (h(&a), h(&b));
        let mut ho = vec![bf16::ZERO; m * n];
        gemm(
            m,
            k,
            n,
            Matrix::row_major(&ha, k),
            Matrix::row_major(&hb, n),
            &mut ho,
            false,
        );
        assert_eq!(ho, h(&want));
    }
}

#[test]
fn adjoints_conjugate() {
    let (m, k, n) = (9, 11, 7);
    let c = |len: usize, s: usize| {
        (0..len)
            .map(|i| Complex::new((i * s % 5) as f64, (i % 3) as f64))
            .collect::<Vec<_>>()
    };
    let (a, b) = (c(m * k, 3), c(k * n, 7));
    let conj: Vec<_> = transposed(&a, m, k).iter().map(|z| z.conj()).collect();
    let shape = BatchMatMul {
        batch_a: &[],
        batch_b: &[],
        batch_out: &[],
        m,
        k,
        n,
        a: Operand::ADJOINT,
        b: Operand::PLAIN,
    };
    let mut out = vec![Complex::default(); m * n];
    batch_matmul(&shape, &conj, &b, &mut out);
    assert_eq!(out, naive(m, k, n, &a, &b));
}

#[test]
fn batches_broadcast() {
    let (m, k, n) = (3, 4, 5);
    let (a, b) = (ints(2 * m * k, 3), ints(3 * k * n, 11));
    let shape = BatchMatMul {
        batch_a: &[2, 1],
        batch_b: &[3],
        batch_out: &[2, 3],
        m,
        k,
        n,
        a: Operand::PLAIN,
        b: Operand::PLAIN,
    };
    let mut out = vec![0; 6 * m * n];
    batch_matmul(&shape, &a, &b, &mut out);
    for (i, piece) in out.chunks(m * n).enumerate() {
        assert_eq!(
            piece,
            naive(
                m,
                k,
                n,
                &a[i / 3 * m * k..][..m * k],
                &b[i % 3 * k * n..][..k * n]
            )
        );
    }
    let shape = BatchMatMul {
        batch_a: &[2],
        batch_b: &[1],
        batch_out: &[2],
        ..shape
    };
    let mut tall = vec![0; 2 * m * n];
    batch_matmul(&shape, &a, &b[..k * n], &mut tall);
    assert_eq!(tall, naive(2 * m, k, n, &a, &b[..k * n]));
}

#[test]
fn threads_do_not_change_the_result() {
    for (m, k, n) in [
        (256, 256, 256),
        (100, 3000, 90),
        (64, 5000, 16),
        (1, 4000, 1000),
        (1000, 4000, 1),
        (100, 600, 70),
        (200, 2000, 1400),
    ] {
        let f = |len: usize| {
            (0..len)
                .map(|i| ((i * 7919) % 1009) as f32 * 1e-3)
                .collect::<Vec<_>>()
        };
        let (a, b) = (f(m * k), f(k * n));
        let (mut one, mut many) = (vec![0.0; m * n], vec![0.0; m * n]);
        let (a, b) = (Matrix::row_major(&a, k), Matrix::row_major(&b, n));
        gemm_with(m, k, n, a, b, &mut one, false, false);
        gemm_with(m, k, n, a, b, &mut many, false, true);
        assert_eq!(one, many, "{m} {k} {n}");
    }
}

/// Halves as their exact products, rounded once.
fn halves<H: crate::halves::Half + MatMul + PartialEq + std::fmt::Debug>() {
    let of = |all: &[i32]| -> Vec<H> { all.iter().map(|&v| H::narrow1(v as f32)).collect() };
    let larger = [
        (257, 300, 130),
        (700, 100, 300),
        (30, 6000, 40),
        (300, 1, 70),
    ];
    for &(m, k, n) in SHAPES.iter().chain(&larger) {
        let (a, b) = (ints(m * k, 7), ints(k * n, 5));
        let want = naive(m, k, n, &a, &b);
        let (at, bt) = (of(&transposed(&a, m, k)), of(&transposed(&b, k, n)));
        let (a, b) = (of(&a), of(&b));
        let stored = [Matrix::row_major(&a, k), Matrix::row_major(&at, m).t()];
        for (i, a) in stored.into_iter().enumerate() {
            for (j, b) in [Matrix::row_major(&b, n), Matrix::row_major(&bt, k).t()]
                .into_iter()
                .enumerate()
            {
                for (accumulate, spread) in [(false, true), (true, true), (true, false)] {
                    let mut out = of(&vec![3; m * n]);
                    gemm_with(m, k, n, a, b, &mut out, accumulate, spread);
                    let added: Vec<i32> =
                        want.iter().map(|v| v + 3 * i32::from(accumulate)).collect();
                    assert!(
                        out == of(&added),
                        "{m} {k} {n}: {i} {j} {accumulate} {spread}"
                    );
                }
            }
        }
    }
}

#[test]
fn halves_are_rounded_once() {
    halves::<half::f16>();
    halves::<bf16>();
}

/// A product whose operands are laid out, of transposed ones or not, added to ones or not.
#[cfg(target_arch = "x86_64")]
fn laid_out<T>(shape: (usize, usize, usize), turned: bool, accumulate: bool)
where
    T: super::direct::Numbers + num_traits::NumCast + PartialEq + std::fmt::Debug,
{
    let (m, k, n) = shape;
    let of = |all: &[i32]| -> Vec<T> { all.iter().map(|&v| T::from(v).unwrap()).collect() };
    let (a, b) = (ints(m * k, 7), ints(k * n, 5));
    let want: Vec<i32> = naive(m, k, n, &a, &b)
        .iter()
        .map(|v| v + i32::from(accumulate))
        .collect();
    let (at, bt) = (of(&transposed(&a, m, k)), of(&transposed(&b, k, n)));
    let (a, b) = (of(&a), of(&b));
    let (a, b) = match turned {
        false => (Matrix::row_major(&a, k), Matrix::row_major(&b, n)),
        true => (Matrix::row_major(&at, m).t(), Matrix::row_major(&bt, k).t()),
    };
    for spread in [false, true] {
        let product = element::Product {
            m,
            k,
            n,
            a,
            b,
            accumulate,
            spread,
        };
        let mut out = of(&vec![1; m * n]);
        if packed::make(&product, &mut out) {
            assert_eq!(out, of(&want), "{shape:?} {turned} {accumulate} {spread}");
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn products_laid_out_agree_with_the_definition() {
    for shape in [
        (1, 1, 1),
        (6, 8, 16),
        (7, 300, 33),
        (203, 517, 40),
        (13, 257, 1030),
    ] {
        for (turned, accumulate) in [(false, false), (false, true), (true, false), (true, true)] {
            laid_out::<f32>(shape, turned, accumulate);
            laid_out::<f64>(shape, turned, accumulate);
        }
    }
}

/// Equal summands show the bias of one long sum, whose relative error is some 1e-3 for as many.
#[test]
fn long_sums_are_made_in_pieces() {
    const N: usize = 3_000_000;
    let (a, b) = (vec![0.1f32; N], vec![0.7f32; N]);
    let want = N as f64 * f64::from(0.1f32) * f64::from(0.7f32);
    let close = |got: &[f32], want: f64| {
        let worst = got.iter().map(|g| (f64::from(*g) / want - 1.0).abs());
        assert!(worst.fold(0.0, f64::max) < 1e-5, "{got:?} {want}");
    };
    let mut one = [0.0];
    let (row, column) = (Matrix::row_major(&a, N), Matrix::row_major(&b, 1));
    gemm(1, N, 1, row, column, &mut one, false);
    close(&one, want);
    // The same numbers as the columns of few rows.
    for rows in [3, 20] {
        let n = N / 8;
        let want = want / 8.0;
        let matrix = vec![0.1f32; n * rows];
        let mut out = vec![0.0; rows];
        gemm(
            rows,
            n,
            1,
            Matrix::row_major(&matrix, rows).t(),
            column,
            &mut out,
            false,
        );
        close(&out, want);
    }
}

/// Numbers that are anything that the dtype holds, the extremes often among them.
fn extreme<T: Copy>(n: usize, extremes: &[T], of: impl Fn(u64) -> T) -> Vec<T> {
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ n as u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..n)
        .map(|_| match next() % 4 {
            0 => extremes[next() as usize % extremes.len()],
            _ => of(next()),
        })
        .collect()
}

macro_rules! wrapping_products {
    ($($t:ty, $of:expr;)*) => {$(
        for &(m, k, n) in SHAPES.iter().chain(&[(6, 513, 16), (97, 1030, 33), (64, 40, 1100), (13, 600, 1030)]) {
            let ends = [<$t>::MIN, <$t>::MAX, <$t>::MIN + 1, 0, 1];
            let (a, b) = (extreme(m * k, &ends.map(|x| $of(x as u64)), $of), extreme(k * n, &ends.map(|x| $of(x as u64)), $of));
            let mut want = vec![0 as $t; m * n];
            for i in 0..m {
                for l in 0..k {
                    for j in 0..n {
                        want[i * n + j] = want[i * n + j].wrapping_add(a[i * k + l].wrapping_mul(b[l * n + j]));
                    }
                }
            }
            let (at, bt) = (transposed(&a, m, k), transposed(&b, k, n));
            let lefts = [Matrix::row_major(&a, k), Matrix::row_major(&at, m).t()];
            let rights = [Matrix::row_major(&b, n), Matrix::row_major(&bt, k).t()];
            for (left, right) in lefts.into_iter().flat_map(|l| rights.map(|r| (l, r))) {
                let mut out = vec![3 as $t; m * n];
                gemm(m, k, n, left, right, &mut out, false);
                assert!(out == want, "{} {m} {k} {n}", stringify!($t));
                gemm(m, k, n, left, right, &mut out, true);
                assert!(out.iter().zip(&want).all(|(o, w)| *o == w.wrapping_add(*w)));
            }
        }
    )*};
}

#[test]
fn products_of_integers_wrap_as_plain_sums_do() {
    wrapping_products! {
        i8, |x: u64| x as i8;
        u8, |x: u64| x as u8;
        i16, |x: u64| x as i16;
        u16, |x: u64| x as u16;
        i32, |x: u64| x as i32;
        u32, |x: u64| x as u32;
        i64, |x: u64| x as i64;
        u64, |x: u64| x;
    }
    // Of few bits, at the ends of what has 16, and of such that doubles hold.
    wrapping_products! {
        i32, |x: u64| i32::from(x as i16);
        u32, |x: u64| i32::from(x as i16) as u32;
        i32, |x: u64| i32::from(x as i8);
        i64, |x: u64| i64::from(x as i16);
        u64, |x: u64| u64::from(x as u16);
        i64, |x: u64| (x as i64) >> 40;
        i64, |x: u64| i64::from(x as i32);
    }
}
