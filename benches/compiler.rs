//! What is done with a graph before it runs, and what that is worth: passes, joined steps, machine code, kernels at once.

mod brief;
mod graphs;
mod inputs;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ferrograph_graph::{Graph, Tensors};
use ferrograph_ops::emit::*;
use ferrograph_runtime::{compile_unoptimised, plan_for};
use ferrograph_tensor::{DType, PartialShape, Tensor, TensorSpec};
use ferrograph_transform::optimised;
use graphs::{chain, scalar_loop, traced};
use inputs::uniform;
use std::hint::black_box;
use std::sync::Arc;

/// All passes over graphs of so many nodes.
fn passes(c: &mut Criterion) {
    let mut group = c.benchmark_group("compiler/passes");
    for n in [20, 200, 2000] {
        let graph = chain(TensorSpec::new(DType::Float32, PartialShape::of_rank(1)), n);
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::new("nodes", n), |b| {
            b.iter(|| optimised(black_box(&graph)).expect("it is well typed"))
        });
    }
}

/// The plan of a graph as calls run it, and one of the graph as it was written.
fn both(c: &mut Criterion, name: &str, graph: &Arc<Graph>, inputs: &[Tensor]) {
    let mut group = c.benchmark_group(format!("compiler/{name}"));
    let written = compile_unoptimised(graph, inputs).expect("it compiles");
    group.bench_function("as written", |b| {
        b.iter(|| written.execute(Tensors::from(inputs)).expect("it runs"))
    });
    let plan = plan_for(graph, inputs.iter()).expect("it compiles");
    group.bench_function("as calls run it", |b| {
        b.iter(|| plan.execute(Tensors::from(inputs)).expect("it runs"))
    });
}

/// Neighbouring elementwise steps become one, tile by tile.
fn fusion(c: &mut Criterion) {
    let x = Tensor::vector(&uniform(1 << 15, 1)).expect("it fits");
    let spec = [x.spec()];
    let graph = traced(&spec, |g, args| {
        let mut x = args[0].clone();
        for _ in 0..10 {
            let y = g.mul(&x, &args[0])?;
            x = g.add(&y, &args[0])?;
        }
        Ok(vec![x])
    });
    both(c, "fusion", &graph.expect("it is well typed"), &[x]);
}

/// Loops over scalars become machine code once they have run for a while.
fn tiers(c: &mut Criterion) {
    let inputs = [0, 0, 1000].map(|v| Tensor::scalar(v).expect("it fits"));
    both(c, "tiers", &scalar_loop(), &inputs);
}

/// Products of matrices that do not wait for one another.
fn scheduling(c: &mut Criterion) {
    const N: usize = 96;
    let matrix = |seed| {
        let elements = uniform(N * N, seed);
        Tensor::from_slice([N, N].as_slice(), &elements).expect("it fits")
    };
    let inputs = [matrix(1), matrix(2)];
    let graph = traced(&inputs.each_ref().map(Tensor::spec), |g, args| {
        let mut ends = Vec::new();
        for arg in args {
            let mut x = arg.clone();
            for _ in 0..4 {
                x = g.matmul(&x, arg, false, false)?;
            }
            ends.push(x);
        }
        Ok(ends)
    });
    both(c, "scheduling", &graph.expect("it is well typed"), &inputs);
}

criterion_group! {
    name = benches;
    config = brief::brief();
    targets = passes, fusion, tiers, scheduling
}
criterion_main!(benches);
