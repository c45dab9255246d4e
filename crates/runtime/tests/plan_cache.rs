//! Which plan a call of a traced function gets, and how the plans of a graph are kept.

use ferrograph_graph::{Graph, text};
use ferrograph_runtime::{CacheStats, ConcreteFunction};
use ferrograph_tensor::Tensor;
use std::sync::Arc;

/// `x + x` for vectors of any length.
fn doubling() -> ConcreteFunction {
    let program = r#"graph "doubling" (%0) {
  %0 = Placeholder "x" {dtype: float32, shape: shape [?]} () : float32 [?]
  %1 = AddV2 "y" (%0, %0) : float32 [?]
  return %1
}"#;
    let graph: Arc<Graph> = text::parse(program, ferrograph_ops::registry()).unwrap();
    ConcreteFunction::new(graph, vec![])
}

fn ones(n: usize) -> Tensor {
    Tensor::vector(&vec![1.0f32; n]).unwrap()
}

/// Runs the function on as many ones.
fn run(f: &ConcreteFunction, n: usize) {
    let x = ones(n);
    let plan = f.plan(&[&x]).unwrap();
    let outputs = plan.execute([x.clone()]).unwrap();
    assert_eq!(outputs[0].as_slice::<f32>().unwrap(), vec![2.0; n]);
}

fn stats(n_entries: usize, hits: u64, misses: u64, evictions: u64) -> CacheStats {
    CacheStats {
        n_entries,
        hits,
        misses,
        evictions,
    }
}

#[test]
fn calls_of_one_shape_share_a_plan() {
    let f = doubling();
    for _ in 0..5 {
        run(&f, 3);
    }
    assert_eq!(f.plan_stats(), stats(1, 4, 1, 0));
    run(&f, 4);
    run(&f, 3);
    assert_eq!(f.plan_stats(), stats(2, 5, 2, 0));
}

#[test]
fn the_least_recently_used_plan_makes_room() {
    let f = doubling();
    for n in 1..=256 {
        run(&f, n);
    }
    run(&f, 1);
    run(&f, 257);
    assert_eq!(f.plan_stats(), stats(256, 1, 257, 1));
    run(&f, 1);
    assert_eq!(f.plan_stats(), stats(256, 2, 257, 1));
    run(&f, 2);
    assert_eq!(f.plan_stats(), stats(256, 2, 258, 2));
}

#[test]
fn a_call_within_a_call_gets_a_plan_of_its_own() {
    let f = doubling();
    let x = ones(2);
    let outer = f.plan(&[&x]).unwrap();
    run(&f, 2);
    run(&f, 5);
    let outputs = outer.execute([x.clone()]).unwrap();
    assert_eq!(outputs[0].as_slice::<f32>().unwrap(), [2.0, 2.0]);
}

#[test]
fn threads_call_one_function_at_once() {
    let f = doubling();
    std::thread::scope(|s| {
        for thread in 0..4 {
            let f = &f;
            s.spawn(move || (0..200).for_each(|i| run(f, 1 + (i + thread) % 3)));
        }
    });
    let found = f.plan_stats();
    assert_eq!(found.n_entries, 3);
    assert_eq!(found.hits + found.misses, 800);
}

#[test]
fn a_wrong_number_of_inputs_is_refused() {
    let f = doubling();
    let x = ones(1);
    assert!(f.plan(&[]).is_err());
    assert!(f.plan(&[&x, &x]).is_err());
}
