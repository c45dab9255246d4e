use super::*;
use crate::matmul::Matrix;

/// Whole numbers, so that sums are exact in any order.
fn numbers(n: usize, step: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * step + 3) % 17) as f32 - 8.0).collect()
}

fn laid(a: &Pieces<'_>) -> Vec<Vec<f32>> {
    let row = |&o: &usize| {
        a.runs
            .iter()
            .flat_map(|r| a.data[o + r..][..a.len].to_vec())
            .collect()
    };
    a.origins.iter().map(row).collect()
}

const SIZES: [(usize, usize, usize, usize); 7] = [
    (1, 1, 1, 1),
    (3, 2, 3, 5),
    (14, 3, 8, 16),
    (15, 1, 40, 33),
    (29, 3, 21, 64),
    (131, 2, 13, 47),
    (200, 4, 9, 32),
];

/// Numbers, where rows begin in them, and where their pieces of that length do.
fn scattered(rows: usize, runs: usize, len: usize) -> (Vec<f32>, Vec<usize>, Vec<usize>) {
    let data = numbers(rows * 5 + runs * 50 + len, 7);
    let origins = (0..rows).map(|i| i * 5).collect();
    (data, origins, (0..runs).map(|r| r * 50).collect())
}

#[test]
fn rows_in_pieces_multiply() {
    for (rows, runs, len, n) in SIZES {
        let (data, origins, runs) = scattered(rows, runs, len);
        let a = Pieces {
            data: &data,
            origins: &origins,
            runs: &runs,
            len,
        };
        let b = numbers(a.width() * n, 5);
        let (stride, all) = (n + 3, laid(&a));
        for transposed in [false, true] {
            let matrix = match transposed {
                true => Matrix::row_major(&b, a.width()).t(),
                false => Matrix::row_major(&b, n),
            };
            let at = |l: usize, j: usize| b[l * matrix.row_stride + j * matrix.col_stride];
            let mut out = vec![f32::NAN; rows * stride];
            multiply(&a, &Panels::of(a.width(), n, matrix), &mut out, stride);
            for (i, row) in all.iter().enumerate() {
                let expected = |j| {
                    row.iter()
                        .enumerate()
                        .map(|(l, x)| x * at(l, j))
                        .sum::<f32>()
                };
                assert!(
                    (0..n).all(|j| out[i * stride + j] == expected(j)),
                    "{rows} {len} {n} row {i}"
                );
                assert!(
                    out[i * stride + n..(i + 1) * stride]
                        .iter()
                        .all(|x| x.is_nan())
                );
            }
        }
    }
}

#[test]
fn columns_of_pieces_multiply() {
    for (rows, runs, len, n) in SIZES {
        let (data, origins, runs) = scattered(rows, runs, len);
        let a = Pieces {
            data: &data,
            origins: &origins,
            runs: &runs,
            len,
        };
        let b = numbers(rows * n, 5);
        let (stride, all, first) = (n + 3, laid(&a), a.width() / 3);
        let mut out = vec![2.0; (a.width() - first) * stride];
        multiply_transposed(
            &a,
            first..a.width(),
            (Matrix::row_major(&b, n), n),
            &mut out,
            stride,
        );
        for (l, to) in out.chunks(stride).enumerate() {
            let expected = |j| {
                2.0 + (0..rows)
                    .map(|i| all[i][first + l] * b[i * n + j])
                    .sum::<f32>()
            };
            assert!(
                (0..n).all(|j| to[j] == expected(j)),
                "{rows} {len} {n} column {l}"
            );
            assert!(to[n..].iter().all(|&x| x == 2.0));
        }
    }
}

#[test]
#[should_panic(expected = "pieces lie within the data")]
fn pieces_beyond_the_data_are_refused() {
    let a = Pieces {
        data: &[0.0; 4],
        origins: &[0, 2],
        runs: &[0],
        len: 3,
    };
    multiply(
        &a,
        &Panels::of(3, 1, Matrix::row_major(&[0.0; 3], 1)),
        &mut [0.0; 2],
        1,
    );
}

/// Windows of four elements over channels, `step` apart.
fn sliding(data: &[f32], step: usize, channels: usize) -> Channels<'_, f32> {
    const TAPS: [Tap; 4] = [
        Tap { at: 3, filter: 0 },
        Tap { at: 0, filter: 200 },
        Tap {
            at: 150,
            filter: 100,
        },
        Tap {
            at: 31,
            filter: 300,
        },
    ];
    Channels {
        data,
        taps: &TAPS,
        step,
        channels,
    }
}

#[test]
fn windows_slide_over_channels() {
    for (channels, n, step) in [
        (1, 1, 1),
        (3, 5, 6),
        (16, 13, 16),
        (83, 7, 90),
        (64, 20, 128),
    ] {
        let data = numbers(200 + n * step + channels, 7);
        let (filters, grad) = (numbers(400, 5), numbers(n * channels, 3));
        let windows = sliding(&data, step, channels);
        let (mut out, mut sums) = (vec![f32::NAN; n * channels], filters.clone());
        slide_channels(windows, &filters, &mut out);
        sum_channels(windows, &grad, &mut sums);
        let (mut want, mut want_sums) = (vec![0.0; n * channels], filters.clone());
        for (k, tap) in (0..n).flat_map(|k| windows.taps.iter().map(move |tap| (k, tap))) {
            for c in 0..channels {
                let x = data[tap.at + k * step + c];
                want[k * channels + c] += x * filters[tap.filter + c];
                want_sums[tap.filter + c] += x * grad[k * channels + c];
            }
        }
        assert_eq!(out, want, "{channels} {n} {step}");
        assert_eq!(sums, want_sums, "{channels} {n} {step}");
    }
}

#[test]
#[should_panic(expected = "windows lie within the data")]
fn windows_beyond_the_data_are_refused() {
    let data = numbers(180, 7);
    slide_channels(sliding(&data, 10, 16), &numbers(400, 5), &mut [0.0; 48]);
}
