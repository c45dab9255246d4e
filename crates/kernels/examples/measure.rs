//! Prints what the main kernels cost on this machine: `cargo run --release --example measure`.

use std::hint::black_box;
use std::time::Instant;

use ferrograph_kernels::elementwise::{Add, Binary, Erf, Exp, Log, Pow, Sigmoid, Sin, Tanh, Unary};
use ferrograph_kernels::matmul::{Matrix, gemm};
use ferrograph_kernels::reduce::{Sum, reduce};

/// The best time of one call in nanoseconds.
fn best(mut f: impl FnMut()) -> f64 {
    let once = Instant::now();
    f();
    let repeats = (2e6 / (once.elapsed().as_nanos() as f64 + 1.0)).clamp(1.0, 1000.0) as usize;
    (0..12)
        .map(|_| {
            let start = Instant::now();
            (0..repeats).for_each(|_| f());
            start.elapsed().as_nanos() as f64 / repeats as f64
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    elementwise();
    products();
}

fn elementwise() {
    const N: usize = 8192;
    let x: Vec<f32> = (0..N).map(|i| i as f32 * 1e-3 + 0.1).collect();
    let mut y = vec![0.0f32; N];
    let unary: [(&str, Unary<f32, f32>); 6] = [
        ("exp", Unary::of::<Exp>()),
        ("log", Unary::of::<Log>()),
        ("tanh", Unary::of::<Tanh>()),
        ("sigmoid", Unary::of::<Sigmoid>()),
        ("sin", Unary::of::<Sin>()),
        ("erf", Unary::of::<Erf>()),
    ];
    for (name, kernel) in unary {
        println!(
            "{name:8} {:.2} ns/element",
            best(|| (kernel.slice)(black_box(&x), &mut y)) / N as f64
        );
    }
    for (name, kernel) in [
        ("add", Binary::<f32, f32>::of::<Add>()),
        ("pow", Binary::of::<Pow>()),
    ] {
        println!(
            "{name:8} {:.2} ns/element",
            best(|| (kernel.vec_vec)(black_box(&x), &x, &mut y)) / N as f64
        );
    }
    let kernel = Unary::<f64, f64>::of::<Exp>();
    let (x64, mut y64) = (vec![0.7f64; N], vec![0.0; N]);
    println!(
        "exp f64  {:.2} ns/element",
        best(|| (kernel.slice)(black_box(&x64), &mut y64)) / N as f64
    );
    println!(
        "sum      {:.2} ns/element",
        best(|| reduce::<f32, Sum>(black_box(&x), N, 1, &mut y[..1])) / N as f64
    );
    println!(
        "add of 4 {:.1} ns",
        best(|| (Binary::<f32, f32>::of::<Add>().vec_vec)(
            black_box(&x[..4]),
            &x[..4],
            &mut y[..4]
        ))
    );
}

fn products() {
    for n in [2, 4, 8, 16, 64, 128, 256, 512, 1024] {
        let (a, mut c) = (vec![0.5f32; n * n], vec![0.0f32; n * n]);
        let ns = best(|| {
            gemm(
                n,
                n,
                n,
                Matrix::row_major(black_box(&a), n),
                Matrix::row_major(&a, n),
                &mut c,
                false,
            );
        });
        println!(
            "f32 {n:4}³ {:7.1} GF/s {ns:9.0} ns",
            2.0 * (n * n * n) as f64 / ns
        );
    }
}
