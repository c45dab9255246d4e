//! Reading what files hold: records, the indices of checkpoints, graphs and whole models.

mod brief;
mod inputs;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ferrograph_formats::{bundle, messages::GraphDef, record};
use ferrograph_graph::{Graph, GraphBuilder};
use ferrograph_ops::{Identity, Placeholder};
use ferrograph_saved::{graph_message, graph_of};
use ferrograph_tensor::{DType, PartialShape, Tensor, TensorSpec};
use inputs::uniform;
use prost::Message;
use std::hint::black_box;
use std::io::Cursor;
use std::sync::Arc;

/// Bytes of the records of one file.
const FILE: usize = 8 << 20;

fn records(c: &mut Criterion) {
    let mut group = c.benchmark_group("formats/records");
    for size in [100, 64 << 10] {
        let mut writer = record::Writer::new(Vec::new());
        for _ in 0..FILE / size {
            writer.write(&vec![7; size]).expect("memory takes all");
        }
        let file = writer.into_inner();
        group.throughput(Throughput::Elements((FILE / size) as u64));
        group.bench_function(format!("{size}_bytes"), |b| {
            b.iter(|| {
                let mut reader = record::Reader::new(Cursor::new(black_box(&file)));
                while let Some(record) = reader.next_record().expect("they are whole") {
                    black_box(record);
                }
            })
        });
    }
}

fn checkpoints(c: &mut Criterion) {
    const N: usize = 1000;
    let values = uniform(64, 1);
    let tensor = Tensor::vector(&values).expect("there is memory");
    let mut writer = bundle::Writer::new(Vec::new(), 1);
    for i in 0..N {
        let name = format!("layer_{i:04}/kernel/.ATTRIBUTES/VARIABLE_VALUE");
        writer.add(&name, &tensor).expect("memory takes all");
    }
    let (data, index) = writer.finish();
    let mut group = c.benchmark_group("formats/checkpoint");
    group.throughput(Throughput::Elements(N as u64));
    group.bench_function("index_of_1000", |b| {
        b.iter(|| bundle::Index::parse(black_box(&index)).expect("it is whole"))
    });
    let parsed = bundle::Index::parse(&index).expect("it is whole");
    group.bench_function("tensors_of_1000", |b| {
        b.iter(|| {
            for (_, entry) in parsed.entries() {
                let rest = &data[usize::try_from(entry.offset()).expect("it is in memory")..];
                let read = entry.read(&mut Cursor::new(rest), rest.len() as u64);
                black_box(read.expect("they are whole"));
            }
        })
    });
}

/// A graph of that many operations, one after the other.
fn chain(n: usize) -> Graph {
    let mut builder = GraphBuilder::new("chain");
    let spec = TensorSpec::new(DType::Float32, PartialShape::UNKNOWN);
    let op = Arc::new(Placeholder::from(spec));
    let node = builder.add(op, &[], Some("x"), None).expect("it is new");
    let x = builder.node(node).outputs[0];
    let mut last = x;
    for _ in 0..n {
        let node = builder.add(Arc::new(Identity {}), &[last], None, None);
        last = builder.node(node.expect("it fits")).outputs[0];
    }
    builder.finish(vec![x], 1, vec![last])
}

fn graphs(c: &mut Criterion) {
    const N: usize = 1000;
    let message = graph_message(&chain(N)).expect("a message holds it");
    let bytes = message.encode_to_vec();
    let last = message.node.last().expect("there are nodes").name.clone();
    let mut group = c.benchmark_group("formats/graph");
    group.throughput(Throughput::Elements(N as u64));
    group.bench_function("message_of_1000", |b| {
        b.iter(|| GraphDef::decode(black_box(&bytes[..])).expect("it is whole"))
    });
    let (inputs, outputs) = (["x".to_owned()], [last]);
    group.bench_function("graph_of_1000", |b| {
        b.iter(|| graph_of(black_box(&message), "g", &inputs, &outputs, None).expect("it is sound"))
    });
}

criterion_group! {
    name = benches;
    config = brief::brief();
    targets = records, checkpoints, graphs
}
criterion_main!(benches);
