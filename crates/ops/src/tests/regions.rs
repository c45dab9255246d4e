//! Graphs with regions through their text form.

use super::support::*;
use ferrograph_graph::{Interpreter, Runner, text, verify};
use smallvec::smallvec;

/// Doubles by stacking and counts down, in a loop with a branch inside; `%1` is captured by the loop's body.
const LOOP: &str = r#"
graph "f" (%0; %1) {
  %0 = Placeholder "n" {dtype: int32, shape: shape [?]} () : int32 [?]
  %1 = Placeholder "c" {dtype: bool, shape: shape []} () : bool []
  %2, %3 = StatelessWhile "while" {
    cond: graph "cond" (%0) {
      %0 = Placeholder "go" {dtype: bool, shape: shape []} () : bool []
      return %0
    }, cond_inputs: ints [1],
    body: graph "body" (%0; %1) {
      %0 = Placeholder "x" {dtype: int32, shape: shape [?]} () : int32 [?]
      %1 = Placeholder "stop" {dtype: bool, shape: shape []} () : bool []
      %2 = Const "axis" {value: tensor int32 [] {0}} () : int32 [] is const
      %3 = ConcatV2 "concat" (%0, %0, %2) : int32 [?]
      return %3, %1
    }, body_inputs: ints [0, 2],
    T: dtypes [int32, bool], output_shapes: shapes [[?], []]
  } (%0, %1, %1) : int32 [?], bool []
  %4 = StatelessIf "cond" {
    then_branch: graph "yes" (%0) {
      %0 = Placeholder "a" {dtype: int32, shape: shape [?]} () : int32 [?]
      return %0
    }, then_inputs: ints [1],
    else_branch: graph "no" (%0) {
      %0 = Placeholder "b" {dtype: int32, shape: shape [?]} () : int32 [?]
      return %0
    }, else_inputs: ints [1]
  } (%3, %2) : int32 [?]
  %5 = PartitionedCall "call" {f: graph "id" (%0) {
    %0 = Placeholder "a" {dtype: int32, shape: shape [?]} () : int32 [?]
    return %0
  }} (%4) : int32 [?]
  return %5
}"#;

#[test]
fn regions_print_parse_and_run() {
    let graph = text::parse(LOOP, crate::registry()).unwrap();
    assert!(verify(&graph).is_empty(), "{:?}", verify(&graph));
    let printed = text::print(&graph);
    let again = text::parse(&printed, crate::registry()).unwrap();
    assert_eq!(text::print(&again), printed);
    let out = Interpreter
        .run(&again, smallvec![v(&[7i32]), s(false)])
        .unwrap();
    assert_eq!(out[0].to_i64s().unwrap(), [7]);
}

#[test]
fn wrong_mappings_are_refused() {
    let wrong = LOOP.replace("cond_inputs: ints [1]", "cond_inputs: ints [1, 2]");
    let e = text::parse(&wrong, crate::registry()).unwrap_err();
    assert_eq!(
        e.message(),
        "line 5: StatelessWhile: graph cond takes 1 inputs, cond_inputs holds 2"
    );
    let wrong = LOOP.replace("cond_inputs: ints [1]", "cond_inputs: ints [-1]");
    let e = text::parse(&wrong, crate::registry()).unwrap_err();
    assert_eq!(
        e.message(),
        "line 5: StatelessWhile: cond_inputs holds -1, no input"
    );
}

#[test]
fn types_of_variables_are_pairs() {
    let wrong = LOOP.replace("shapes [[?], []]", "shapes [[?]]");
    let e = text::parse(&wrong, crate::registry()).unwrap_err();
    let text = "line 5: StatelessWhile: T holds 2 dtypes, output_shapes holds 1 shapes";
    assert_eq!(e.message(), text);
}

#[test]
fn the_name_says_whether_the_graphs_have_effects() {
    let names = |source: &str| -> Vec<&str> {
        let graph = text::parse(source, crate::registry()).unwrap();
        graph.nodes.iter().map(|node| node.op.name()).collect()
    };
    assert!(names(LOOP).contains(&"StatelessIf"));
    let printing = r#"%1 = Const "text" {value: tensor string [] {"no"}} () : string [] is const
      PrintV2 "print" (%1)
      return %0
    }, else_inputs"#;
    let printing = LOOP.replace("return %0\n    }, else_inputs", printing);
    assert!(names(&printing).contains(&"If"), "{printing}");
}
