//! Prints what the main kernels cost on this machine: `cargo run --release --example measure`.

use std::hint::black_box;
use std::time::Instant;

use ferrograph_kernels::elementwise::{
    Add, Binary, Broadcast, Erf, Exp, Log, Pow, Sigmoid, Sin, Tanh, Unary,
};
use ferrograph_kernels::matmul::{Matrix, gemm};
use ferrograph_kernels::movement::{Strided, View};
use ferrograph_kernels::nn::softmax;
use ferrograph_kernels::random::{PhiloxState, fill_normal_f32, fill_uniform};
use ferrograph_kernels::reduce::{ArgMax, Sum, arg_reduce, reduce};

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
    arrays();
    products();
}

/// What works on a million elements, over the pool.
fn arrays() {
    const SIDE: usize = 1000;
    const N: usize = SIDE * SIDE;
    let x: Vec<f32> = (0..N).map(|i| (i % 1013) as f32 * 1e-3).collect();
    let mut y = vec![0.0f32; N];
    let show =
        |name: &str, ns: f64| println!("{name:20} {:.2} ns/element of 1000×1000", ns / N as f64);
    let add = Binary::<f32, f32>::of::<Add>();
    show("add", best(|| add.run(black_box(&x), &x, &mut y)));
    show(
        "add a row",
        best(|| {
            Broadcast::new([&[SIDE, SIDE], &[SIDE]], &[SIDE, SIDE]).binary(
                &add,
                &x,
                &x[..SIDE],
                &mut y,
            )
        }),
    );
    show(
        "add a row of 4",
        best(|| Broadcast::new([&[N / 4, 4], &[4]], &[N / 4, 4]).binary(&add, &x, &x[..4], &mut y)),
    );
    show(
        "exp",
        best(|| Unary::of::<Exp>().run(black_box(&x), &mut y)),
    );
    let transpose = Strided::read(&View::of(&[SIDE, SIDE]).permute(&[1, 0]));
    show("transpose", best(|| transpose.copy(black_box(&x), &mut y)));
    show(
        "sum of all",
        best(|| reduce::<f32, Sum>(black_box(&x), N, 1, &mut y[..1])),
    );
    show(
        "sum of rows",
        best(|| reduce::<f32, Sum>(black_box(&x), SIDE, 1, &mut y[..SIDE])),
    );
    show(
        "sum of columns",
        best(|| reduce::<f32, Sum>(black_box(&x), SIDE, SIDE, &mut y[..SIDE])),
    );
    show(
        "argmax of rows",
        best(|| arg_reduce::<f32, ArgMax>(black_box(&x), SIDE, 1, &mut [0; SIDE])),
    );
    show("softmax", best(|| softmax(black_box(&x), SIDE, &mut y)));
    show(
        "uniform",
        best(|| fill_uniform(PhiloxState::new(1, 2), &mut y)),
    );
    show(
        "normal",
        best(|| fill_normal_f32(PhiloxState::new(1, 2), &mut y)),
    );
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
