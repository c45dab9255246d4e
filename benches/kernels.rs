//! Kernels over plain slices: elementwise loops, broadcasting, reductions, matrix products.

mod brief;
mod inputs;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ferrograph_kernels::elementwise::{Add, Binary, Broadcast, Exp, Sqrt, Tanh, Unary, UnaryOp};
use ferrograph_kernels::matmul::{Matrix, gemm};
use ferrograph_kernels::reduce::{Max, Mean, ReduceOp, Sum, reduce};
use inputs::uniform;

/// One that stays in the first cache, one in the second, one in memory.
const SIZES: [usize; 3] = [1 << 10, 1 << 15, 1 << 20];

fn unary(c: &mut Criterion) {
    fn op<O: UnaryOp<f32, Out = f32>>(c: &mut Criterion, name: &str) {
        let kernel = Unary::<f32, f32>::of::<O>();
        let mut group = c.benchmark_group(format!("unary/{name}"));
        for n in SIZES {
            let x: Vec<f32> = uniform(n, 1).into_iter().map(f32::abs).collect();
            let mut out = vec![0.0; n];
            group.throughput(Throughput::Elements(n as u64));
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                b.iter(|| kernel.run(black_box(&x), &mut out))
            });
        }
    }
    op::<Sqrt>(c, "sqrt");
    op::<Exp>(c, "exp");
    op::<Tanh>(c, "tanh");
}

fn binary(c: &mut Criterion) {
    let kernel = Binary::<f32, f32>::of::<Add>();
    let mut group = c.benchmark_group("binary/add");
    for n in SIZES {
        let (x, y) = (uniform(n, 1), uniform(n, 2));
        let mut out = vec![0.0; n];
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| kernel.run(black_box(&x), black_box(&y), &mut out))
        });
    }
}

fn broadcast(c: &mut Criterion) {
    let kernel = Binary::<f32, f32>::of::<Add>();
    let mut group = c.benchmark_group("broadcast/add");
    let shapes: [(&str, [usize; 2]); 3] = [
        ("row", [1, 512]),
        ("column", [512, 1]),
        ("whole", [512, 512]),
    ];
    for (name, shape) in shapes {
        let (x, y) = (uniform(512 * 512, 1), uniform(shape.iter().product(), 2));
        let mut out = vec![0.0; 512 * 512];
        let plan = Broadcast::new([&[512, 512], &shape], &[512, 512]);
        group.bench_function(name, |b| {
            b.iter(|| plan.binary(&kernel, black_box(&x), black_box(&y), &mut out))
        });
    }
}

fn reductions(c: &mut Criterion) {
    fn op<O: ReduceOp<f32, Out = f32>>(c: &mut Criterion, name: &str) {
        let x = uniform(1 << 20, 1);
        let mut group = c.benchmark_group(format!("reduce/{name}"));
        group.throughput(Throughput::Elements(x.len() as u64));
        // The whole, along the rows, along the columns of a 1024 by 1024 matrix.
        for (id, n, inner, left) in [
            ("all", 1 << 20, 1, 1),
            ("rows", 1024, 1, 1024),
            ("columns", 1024, 1024, 1024),
        ] {
            let mut out = vec![0.0; left];
            group.bench_function(id, |b| {
                b.iter(|| reduce::<f32, O>(black_box(&x), n, inner, &mut out))
            });
        }
    }
    op::<Sum>(c, "sum");
    op::<Max>(c, "max");
    op::<Mean>(c, "mean");
}

fn matmul(c: &mut Criterion) {
    let mut group = c.benchmark_group("matmul");
    group.sample_size(20);
    let square = [4, 16, 64, 256, 1024].map(|n| (n, n, n));
    for (m, k, n) in square.into_iter().chain([(1, 1024, 1024), (64, 784, 10)]) {
        let (a, b) = (uniform(m * k, 1), uniform(k * n, 2));
        let mut out = vec![0.0f32; m * n];
        // Elements are multiply-adds here.
        group.throughput(Throughput::Elements((m * k * n) as u64));
        group.bench_function(format!("{m}x{k}x{n}"), |bench| {
            bench.iter(|| {
                let (a, b) = (Matrix::row_major(&a, k), Matrix::row_major(&b, n));
                gemm(m, k, n, black_box(a), black_box(b), &mut out, false)
            })
        });
    }
}

criterion_group! {
    name = benches;
    config = brief::brief();
    targets = unary, binary, broadcast, reductions, matmul
}
criterion_main!(benches);
