//! Branches and loops compiled into plans, against the plain interpreter.

use ferrograph_graph::{Graph, Interpreter, Runner, Tensors, text, verify};
use ferrograph_runtime::{PlanRunner, plan_for};
use ferrograph_tensor::Tensor;
use std::sync::Arc;

fn parse(program: &str) -> Arc<Graph> {
    let graph = text::parse(program, ferrograph_ops::registry()).unwrap();
    assert!(verify(&graph).is_empty(), "{:?}", verify(&graph));
    graph
}

fn same(a: &Tensor, b: &Tensor) -> bool {
    a.shape() == b.shape() && a.dtype() == b.dtype() && a.bytes() == b.bytes()
}

/// Runs a graph both ways, twice by its plan, since frames are used again.
fn agree(graph: &Arc<Graph>, inputs: &[Tensor]) -> Tensors {
    let inputs = || inputs.iter().cloned().collect::<Tensors>();
    let plain = Interpreter.run(graph, inputs()).unwrap();
    for _ in 0..2 {
        let planned = PlanRunner.run(graph, inputs()).unwrap();
        assert_eq!(planned.len(), plain.len());
        for (a, b) in planned.iter().zip(&plain) {
            assert!(
                same(a, b),
                "{a:?} {:?} instead of {b:?} {:?}",
                a.bytes(),
                b.bytes()
            );
        }
    }
    plain
}

fn scalar(x: i32) -> Tensor {
    Tensor::scalar(x).unwrap()
}

/// A loop of `n` rounds over `i` and variables `a` and `b` of that type, with that body; returns the variables.
fn looped(spec: &str, body: &str) -> Arc<Graph> {
    parse(&looped_text(spec, body))
}

fn looped_text(spec: &str, body: &str) -> String {
    let (dtype, shape) = spec.split_once(' ').unwrap();
    let placeholder = |name: &str, of: &str| {
        let (dtype, shape) = of.split_once(' ').unwrap();
        format!("Placeholder \"{name}\" {{dtype: {dtype}, shape: shape {shape}}} () : {of}")
    };
    let (int, limit, a, b) = (
        placeholder("i", "int32 []"),
        placeholder("n", "int32 []"),
        placeholder("a", spec),
        placeholder("b", spec),
    );
    format!(
        r#"graph "f" (%0, %1, %2) {{
  %0 = {int}
  %1 = {a}
  %2 = {b}
  %3 = Const "zero" {{value: tensor int32 [] {{0}}}} () : int32 [] is const
  %4, %5, %6 = StatelessWhile "while" {{
    cond: graph "cond" (%0, %1) {{
      %0 = {int}
      %1 = {limit}
      %2 = Less "less" (%0, %1) : bool []
      return %2
    }}, cond_inputs: ints [0, 3],
    body: graph "body" (%0, %1, %2) {{
      %0 = {int}
      %1 = {a}
      %2 = {b}
{body}
    }}, body_inputs: ints [0, 1, 2],
    T: dtypes [int32, {dtype}, {dtype}], output_shapes: shapes [[], {shape}, {shape}]
  }} (%3, %1, %2, %0) : int32 [], {spec}, {spec}
  return %4, %5, %6
}}"#
    )
}

const NEXT: &str = r#"      %3 = Const "one" {value: tensor int32 [] {1}} () : int32 [] is const
      %4 = AddV2 "next" (%0, %3) : int32 []
"#;

#[test]
fn variables_that_change_places_move_at_once() {
    let fibonacci = looped(
        "int32 []",
        &format!("{NEXT}      %5 = AddV2 \"sum\" (%1, %2) : int32 []\n      return %4, %2, %5"),
    );
    let out = agree(&fibonacci, &[scalar(10), scalar(0), scalar(1)]);
    assert_eq!(out[1].item::<i32>().unwrap(), 55);
    agree(&fibonacci, &[scalar(0), scalar(3), scalar(4)]);
    for spec in ["int32 []", "int32 [40]", "int32 [?]"] {
        let swap = looped(spec, &format!("{NEXT}      return %4, %2, %1"));
        let (a, b) = match spec {
            "int32 []" => (scalar(1), scalar(2)),
            _ => (
                Tensor::vector(&[1i32; 40]).unwrap(),
                Tensor::vector(&[2i32; 40]).unwrap(),
            ),
        };
        for n in 0..4 {
            agree(&swap, &[scalar(n), a.clone(), b.clone()]);
        }
    }
}

#[test]
fn variables_may_change_their_shape() {
    let grows = looped(
        "int32 [?]",
        &format!(
            "{NEXT}      %5 = Const \"axis\" {{value: tensor int32 [] {{0}}}} () : int32 [] is const
      %6 = ConcatV2 \"concat\" (%1, %2, %5) : int32 [?]
      return %4, %6, %2"
        ),
    );
    let (a, b) = (
        Tensor::vector(&[1i32]).unwrap(),
        Tensor::vector(&[2i32, 3]).unwrap(),
    );
    for n in 0..4 {
        let out = agree(&grows, &[scalar(n), a.clone(), b.clone()]);
        assert_eq!(out[1].n_elements(), 1 + 2 * n as usize);
    }
}

/// A branch on `%0`: adds or passes on.
const BRANCH: &str = r#"graph "f" (%0, %1, %2) {
  %0 = Placeholder "p" {dtype: bool, shape: shape []} () : bool []
  %1 = Placeholder "x" {dtype: int32, shape: shape [?]} () : int32 [?]
  %2 = Placeholder "y" {dtype: int32, shape: shape [?]} () : int32 [?]
  %3, %4 = StatelessIf "cond" {
    then_branch: graph "yes" (%0, %1) {
      %0 = Placeholder "a" {dtype: int32, shape: shape [?]} () : int32 [?]
      %1 = Placeholder "b" {dtype: int32, shape: shape [?]} () : int32 [?]
      %2 = AddV2 "sum" (%0, %1) : int32 [?]
      return %2, %0
    }, then_inputs: ints [1, 2],
    else_branch: graph "no" (%0, %1) {
      %0 = Placeholder "a" {dtype: int32, shape: shape [?]} () : int32 [?]
      %1 = Placeholder "b" {dtype: int32, shape: shape [?]} () : int32 [?]
      return %1, %0
    }, else_inputs: ints [1, 2]
  } (%0, %1, %2) : int32 [?], int32 [?]
  %5 = Mul "product" (%3, %4) : int32 [?]
  return %5, %3
}"#;

#[test]
fn branches_give_what_the_taken_side_gives() {
    let graph = parse(BRANCH);
    let bool = |x: bool| Tensor::scalar(x).unwrap();
    let ints = |n: usize, x: i32| Tensor::vector(&vec![x; n]).unwrap();
    for p in [true, false] {
        for n in [1, 3, 1000] {
            agree(&graph, &[bool(p), ints(n, 3), ints(n, 5)]);
        }
        // Of the sides' shapes only one is broadcast, so that the shape of the result depends on the condition.
        agree(&graph, &[bool(p), ints(4, 3), ints(1, 5)]);
    }
}

#[test]
fn a_side_that_the_shapes_break_may_be_there_but_not_run() {
    let graph = parse(BRANCH);
    let ints = |n: usize| Tensor::vector(&vec![1i32; n]).unwrap();
    let run = |p: bool| {
        let inputs = [Tensor::scalar(p).unwrap(), ints(2), ints(3)];
        PlanRunner.run(&graph, inputs.into_iter().collect())
    };
    let e = run(true).unwrap_err();
    assert_eq!(e.op(), Some("AddV2"));
    // The other side gives values that the product refuses.
    assert_eq!(run(false).unwrap_err().op(), Some("Mul"));
}

#[test]
fn results_of_loops_outlive_what_is_computed_after_them() {
    let body = format!("{NEXT}      return %4, %2, %1");
    let text = looped_text("int32 []", &body).replace(
        "  return %4, %5, %6\n}",
        r#"  %7 = AddV2 "x" (%1, %2) : int32 []
  %8 = Mul "y" (%7, %7) : int32 []
  %9 = AddV2 "z" (%8, %7) : int32 []
  return %4, %5, %6, %9
}"#,
    );
    let out = agree(&parse(&text), &[scalar(3), scalar(10), scalar(20)]);
    assert_eq!(out[1].item::<i32>().unwrap(), 20);
}

#[test]
fn small_loops_are_steps_of_the_plan() {
    let graph = looped("int32 []", &format!("{NEXT}      return %4, %2, %1"));
    let plan = plan_for(&graph, [scalar(3), scalar(1), scalar(2)].iter()).unwrap();
    assert_eq!(plan.n_steps(), 1);
}
