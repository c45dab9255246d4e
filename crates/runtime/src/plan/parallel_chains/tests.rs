//! Steps that run at once give what they give one after the other.

use super::*;
use crate::{compile_unoptimised, plan_for, verify_plan};
use ferrograph_graph::{Graph, text};
use ferrograph_tensor::Tensor;
use std::fmt::Write;
use std::sync::Arc;

/// Rows and columns of the matrices.
const N: usize = 96;

/// Chains of products and roots of one argument; `ends` follows them.
fn chains(n_chains: usize, n_steps: usize, ends: &str, outputs: &str) -> String {
    let spec = format!("float32 [{N}, {N}]");
    let mut program = format!(
        "graph \"f\" (%0, %1) {{\n\
         %0 = Placeholder \"x\" {{dtype: float32, shape: shape [{N}, {N}]}} () : {spec}\n\
         %1 = Placeholder \"i\" {{dtype: int32, shape: shape [2]}} () : int32 [2]\n\
         %2 = Sqrt \"head\" (%0) : {spec}\n"
    );
    let mut value = 2;
    for chain in 0..n_chains {
        let (factor, scaled) = (value + 1, value + 2);
        let number = 1.0 + chain as f32 / 8.0;
        writeln!(
            program,
            "%{factor} = Const \"k{chain}\" {{value: tensor float32 [] {{{number:?}}}}} () : float32 [] is const"
        )
        .unwrap();
        writeln!(
            program,
            "%{scaled} = Mul \"s{chain}\" (%2, %{factor}) : {spec}"
        )
        .unwrap();
        let mut last = scaled;
        value = scaled;
        for step in 0..n_steps {
            value += 1;
            writeln!(
                program,
                "%{value} = MatMul \"m{chain}_{step}\" (%{last}, %0) : {spec}"
            )
            .unwrap();
            value += 1;
            let before = value - 1;
            writeln!(
                program,
                "%{value} = Tanh \"t{chain}_{step}\" (%{before}) : {spec}"
            )
            .unwrap();
            last = value;
        }
    }
    write!(program, "{ends}\n  return {outputs}\n}}\n").unwrap();
    program
}

/// The value that a chain ends with.
fn end_of(chain: usize, n_steps: usize) -> usize {
    2 + (2 + 2 * n_steps) * (chain + 1)
}

fn added_chains() -> String {
    let (n_chains, n_steps) = (5, 3);
    let mut ends = String::new();
    let mut value = end_of(n_chains - 1, n_steps);
    let mut sum = end_of(0, n_steps);
    for chain in 1..n_chains {
        value += 1;
        let other = end_of(chain, n_steps);
        writeln!(
            ends,
            "%{value} = AddV2 \"sum{chain}\" (%{sum}, %{other}) : float32 [{N}, {N}]"
        )
        .unwrap();
        sum = value;
    }
    chains(
        n_chains,
        n_steps,
        &ends,
        &format!("%{sum}, %{}", end_of(1, n_steps)),
    )
}

fn parsed(program: &str) -> Arc<Graph> {
    text::parse(program, ferrograph_ops::registry()).unwrap()
}

fn inputs(scale: f32, indices: [i32; 2]) -> [Tensor; 2] {
    let x: Vec<f32> = (0..N * N).map(|i| scale * (i % 17) as f32).collect();
    let x = Tensor::vector(&x)
        .unwrap()
        .reshaped([N, N].into_iter().collect())
        .unwrap();
    [x, Tensor::vector(&indices).unwrap()]
}

fn n_parallel(plan: &Plan) -> usize {
    plan.block
        .chains
        .iter()
        .map(|chains| chains.chains.len())
        .sum()
}

#[test]
fn independent_chains_run_at_once_and_give_the_same_bits() {
    let graph = parsed(&added_chains());
    let inputs = inputs(0.01, [0, 1]);
    let plan = plan_for(&graph, inputs.iter()).unwrap();
    assert_eq!(verify_plan(&plan).len(), 0, "{plan}");
    if pool::n_threads() > 1 {
        assert!(n_parallel(&plan) >= 2, "{plan}");
    }
    let plain = compile_unoptimised(&graph, &inputs).unwrap();
    let expected = plain.execute(inputs.clone()).unwrap();
    for _ in 0..20 {
        let found = plan.execute(inputs.clone()).unwrap();
        for (a, b) in found.iter().zip(&expected) {
            assert_eq!(a.bytes(), b.bytes());
        }
    }
}

#[test]
fn calls_from_several_threads_share_the_pool() {
    let graph = parsed(&added_chains());
    let inputs = inputs(0.02, [0, 1]);
    let plan = plan_for(&graph, inputs.iter()).unwrap();
    let expected = plan.execute(inputs.clone()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let found = plan.execute(inputs.clone()).unwrap();
                    assert_eq!(found[0].bytes(), expected[0].bytes());
                }
            });
        }
    });
}

#[test]
fn the_first_failure_in_program_order_is_the_error() {
    let spec = format!("float32 [2, {N}]");
    let n = end_of(2, 2);
    let mut ends = format!(
        "%{} = Const \"axis\" {{value: tensor int32 [] {{0}}}} () : int32 [] is const\n",
        n + 1
    );
    for chain in 0..3 {
        let (value, source) = (n + 2 + chain, end_of(chain, 2));
        writeln!(
            ends,
            "%{value} = GatherV2 \"g{chain}\" (%{source}, %1, %{}) : {spec}",
            n + 1
        )
        .unwrap();
    }
    let outputs = format!("%{}, %{}, %{}", n + 2, n + 3, n + 4);
    let graph = parsed(&chains(3, 2, &ends, &outputs));
    let sound = inputs(0.01, [1, 2]);
    let plan = plan_for(&graph, sound.iter()).unwrap();
    let expected = plan.execute(sound.clone()).unwrap();
    let broken = inputs(0.01, [1, 96]);
    let plain = compile_unoptimised(&graph, &broken).unwrap();
    let expected_error = plain.execute(broken.clone()).unwrap_err().to_string();
    for _ in 0..10 {
        let error = plan.execute(broken.clone()).unwrap_err();
        assert_eq!(error.to_string(), expected_error);
        let found = plan.execute(sound.clone()).unwrap();
        assert_eq!(found[2].bytes(), expected[2].bytes());
    }
}

#[test]
fn both_ways_are_measured_and_the_faster_one_stays() {
    for (at_once, expected) in [(50_000, Way::AtOnce(false)), (99_000, Way::InOrder(false))] {
        let pace = Pace::new();
        for _ in 0..TRIES {
            assert_eq!(pace.way(), Way::InOrder(true));
            pace.took(Way::InOrder(true), 100_000);
        }
        for _ in 0..TRIES {
            assert_eq!(pace.way(), Way::AtOnce(true));
            pace.took(Way::AtOnce(true), at_once);
        }
        assert_eq!(pace.way(), expected);
    }
}

#[test]
fn what_is_short_is_not_tried_at_once() {
    let pace = Pace::new();
    for _ in 0..TRIES {
        pace.took(pace.way(), 5_000);
    }
    assert!((0..2 * AGAIN).all(|_| pace.way() == Way::InOrder(false)));
}

#[test]
fn what_was_slower_at_once_is_tried_again() {
    let pace = Pace::new();
    for _ in 0..2 * TRIES {
        pace.took(pace.way(), 100_000);
    }
    let ways: Vec<Way> = (0..AGAIN).map(|_| pace.way()).collect();
    let n_tries = ways.iter().filter(|way| **way == Way::AtOnce(true)).count();
    assert_eq!(n_tries, 1);
    pace.took(Way::AtOnce(true), 60_000);
    assert_eq!(pace.way(), Way::AtOnce(false));
}

#[test]
fn what_was_faster_at_once_is_tried_in_order_again() {
    let pace = Pace::new();
    for _ in 0..2 * TRIES {
        let way = pace.way();
        pace.took(
            way,
            if way == Way::AtOnce(true) {
                80_000
            } else {
                100_000
            },
        );
    }
    let ways: Vec<Way> = (0..AGAIN).map(|_| pace.way()).collect();
    let in_order = ways.iter().filter(|way| **way == Way::InOrder(true));
    assert_eq!(in_order.count(), 1);
    pace.took(Way::InOrder(true), 50_000);
    assert_eq!(pace.way(), Way::InOrder(false));
}
