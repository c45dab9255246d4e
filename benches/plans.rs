//! Plans: compiling a graph for concrete shapes, and running it.

mod brief;
mod graphs;
mod inputs;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ferrograph_graph::{Graph, Tensors};
use ferrograph_ops::emit::*;
use ferrograph_runtime::plan_for;
use ferrograph_tensor::{DType, PartialShape, Tensor, TensorSpec};
use graphs::{chain, traced};
use inputs::uniform;

fn matrix(rows: usize, cols: usize, seed: u64) -> Tensor {
    Tensor::from_slice([rows, cols].as_slice(), &uniform(rows * cols, seed)).expect("it fits")
}

fn run(c: &mut Criterion, name: &str, graph: &Arc<Graph>, inputs: &[Tensor]) {
    c.bench_function(name, |b| {
        b.iter(|| {
            let plan = plan_for(graph, black_box(inputs).iter()).expect("it compiles");
            plan.execute(Tensors::from(inputs)).expect("it runs")
        })
    });
}

fn small(c: &mut Criterion) {
    let x = Tensor::vector(&uniform(8, 1)).expect("it fits");
    for n in [2, 20, 200] {
        let graph = chain(x.spec(), n);
        run(
            c,
            &format!("plans/chain of {n}"),
            &graph,
            std::slice::from_ref(&x),
        );
    }
    let open = TensorSpec::new(DType::Float32, PartialShape::of_rank(1));
    let graph = chain(open, 2);
    run(c, "plans/chain of 2, open shape", &graph, &[x]);
}

fn network(c: &mut Criterion) {
    let inputs = [
        matrix(64, 784, 1),
        matrix(784, 128, 2),
        matrix(1, 128, 3),
        matrix(128, 10, 4),
        matrix(1, 10, 5),
    ];
    let specs = inputs.each_ref().map(Tensor::spec);
    let graph = traced(&specs, |g, args| {
        let [x, w1, b1, w2, b2] = args else {
            unreachable!("five arguments were given")
        };
        let product = g.matmul(x, w1, false, false)?;
        let sum = g.add(&product, b1)?;
        let hidden = g.relu(&sum)?;
        let product = g.matmul(&hidden, w2, false, false)?;
        Ok(vec![g.add(&product, b2)?])
    })
    .expect("the network is well typed");
    run(c, "plans/two layers of 64", &graph, &inputs);
}

/// A loop over scalars.
fn scalar_loop(c: &mut Criterion) {
    const N: i32 = 1000;
    let graph = graphs::scalar_loop();
    let inputs = [0, 0, N].map(|v| Tensor::scalar(v).expect("it fits"));
    let mut group = c.benchmark_group("plans/loop over scalars");
    group.throughput(Throughput::Elements(N as u64));
    group.bench_function(BenchmarkId::from_parameter(N), |b| {
        b.iter(|| {
            let plan = plan_for(&graph, black_box(&inputs).iter()).expect("it compiles");
            plan.execute(Tensors::from(&inputs[..])).expect("it runs")
        })
    });
}

fn compile(c: &mut Criterion) {
    let mut group = c.benchmark_group("plans/compile");
    for n in [20, 200, 2000] {
        let graph = chain(TensorSpec::new(DType::Float32, PartialShape::of_rank(1)), n);
        let mut size = 0;
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::new("nodes", n), |b| {
            b.iter_batched(
                || {
                    // A shape that has no plan yet.
                    size += 1;
                    [Tensor::vector(&vec![0.0f32; size]).expect("it fits")]
                },
                |inputs| plan_for(&graph, inputs.iter()).expect("it compiles"),
                criterion::BatchSize::SmallInput,
            )
        });
    }
}

criterion_group! {
    name = benches;
    config = brief::brief();
    targets = small, network, scalar_loop, compile
}
criterion_main!(benches);
