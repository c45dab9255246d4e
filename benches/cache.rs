//! The trace cache: building the signature of a call and finding its trace.

mod brief;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ferrograph_runtime::{Signature, SignatureBuilder, TraceCache, generalise};
use ferrograph_tensor::DType;

/// The signature of a call with that many square matrices.
fn signature(n_args: usize, side: usize) -> Signature {
    let mut builder = SignatureBuilder::new();
    for _ in 0..n_args {
        builder.tensor(DType::Float32 as u8, [Some(side), Some(side)].into_iter());
    }
    builder.finish()
}

fn build(c: &mut Criterion) {
    let mut group = c.benchmark_group("cache/signature");
    for n_args in [1, 2, 10] {
        group.bench_function(BenchmarkId::new("arguments", n_args), |b| {
            b.iter(|| signature(black_box(n_args), black_box(32)))
        });
    }
}

fn hit(c: &mut Criterion) {
    let mut group = c.benchmark_group("cache/hit");
    for n_args in [1, 2, 10] {
        let cache = TraceCache::new(1 << 14);
        cache.insert(&signature(n_args, 32), ());
        let call = signature(n_args, 32);
        group.bench_function(BenchmarkId::new("arguments", n_args), |b| {
            b.iter(|| cache.find(black_box(&call), |_| true))
        });
    }
    for n_traces in [10, 100, 1000] {
        let cache = TraceCache::new(1 << 14);
        for side in 0..n_traces {
            cache.insert(&signature(2, side), ());
        }
        let call = signature(2, n_traces / 2);
        group.bench_function(BenchmarkId::new("traces", n_traces), |b| {
            b.iter(|| cache.find(black_box(&call), |_| true))
        });
    }
    let cache = TraceCache::new(1 << 14);
    let relaxed = generalise(&signature(2, 2), &signature(2, 3), false);
    cache.insert(&relaxed.expect("they differ in dimensions only"), ());
    let call = signature(2, 77);
    group.bench_function("relaxed", |b| {
        b.iter(|| cache.find(black_box(&call), |_| true))
    });
}

fn miss(c: &mut Criterion) {
    let mut group = c.benchmark_group("cache/miss");
    for n_traces in [1, 100] {
        let cache = TraceCache::new(1 << 14);
        for side in 0..n_traces {
            cache.insert(&signature(2, side), ());
        }
        let call = signature(3, 1);
        group.bench_function(BenchmarkId::new("traces", n_traces), |b| {
            b.iter(|| cache.find(black_box(&call), |_| true))
        });
    }
}

criterion_group! {
    name = benches;
    config = brief::brief();
    targets = build, hit, miss
}
criterion_main!(benches);
