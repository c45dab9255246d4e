//! The lines that gradient graphs carry.

use ferrograph_graph::{Graph, NodeId, Trace, text};
use ferrograph_ops::registry;
use ferrograph_tensor::Origin;
use ferrograph_transform::{graph_gradient, optimised};
use std::sync::Arc;

const TEXT: &str = r#"graph "f" (%0, %1) {
  %0 = Placeholder "c" {dtype: bool, shape: shape []} () : bool []
  %1 = Placeholder "x" {dtype: float32, shape: shape []} () : float32 []
  %2 = Exp "exp" (%1) : float32 []
  %3 = StatelessIf "cond" {
    then_branch: graph "yes" (%0) {
      %0 = Placeholder "a" {dtype: float32, shape: shape []} () : float32 []
      %1 = Sin "sin" (%0) : float32 []
      return %1
    }, then_inputs: ints [1],
    else_branch: graph "no" (%0) {
      %0 = Placeholder "a" {dtype: float32, shape: shape []} () : float32 []
      return %0
    }, else_inputs: ints [2]
  } (%0, %2, %1) : float32 []
  return %3
}
"#;

/// The graph, the nodes of which come from lines of their numbers.
fn graph() -> Arc<Graph> {
    let parsed = text::parse(TEXT, registry()).unwrap();
    let mut nodes = parsed.nodes.clone();
    for (line, node) in (0..).zip(&mut nodes) {
        node.origin = Some(Arc::new(Origin {
            file: "user.py".into(),
            line,
            function: "f".into(),
        }));
    }
    let (values, inputs) = (parsed.values.clone(), parsed.inputs.clone());
    let outputs = parsed.outputs.clone();
    Arc::new(Graph::new("f".into(), nodes, values, inputs, 2, outputs))
}

fn lines(graph: &Graph) -> Vec<Option<u32>> {
    let computed = graph.nodes.iter().filter(|n| n.op.name() != "Placeholder");
    computed
        .map(|n| n.origin.as_ref().map(|o| o.line))
        .collect()
}

#[test]
fn gradients_are_of_the_lines_of_what_they_are_the_gradients_of() {
    let gradient = graph_gradient(&graph(), &[true]).unwrap();
    let found = lines(&gradient.backward);
    assert!(
        found.contains(&Some(2)) && found.contains(&Some(3)),
        "{found:?}"
    );
    assert!(found.iter().all(Option::is_some), "{found:?}");
    let branch = gradient
        .backward
        .nodes
        .iter()
        .find(|n| n.op.name().ends_with("If"));
    for region in branch.expect("a backward branch").op.regions() {
        let found = lines(region.graph);
        assert!(found.iter().all(|line| *line == Some(3)), "{found:?}");
    }
}

#[test]
fn rewritten_graphs_keep_lines_and_names() {
    let graph = graph();
    let trace = Trace::reopen("f", &graph, None);
    let unneeded = trace.with_builder(|b| {
        let op = registry().make("Neg", &[]).unwrap();
        b.add(op, &[graph.outputs[0]], None, None).unwrap()
    });
    assert_eq!(unneeded.unwrap(), NodeId::new(4));
    let (graph, _) = trace.seal(graph.outputs.clone()).unwrap();
    let made = optimised(&graph).unwrap();
    assert_eq!(made.nodes.len(), graph.nodes.len() - 1);
    for (old, new) in graph.nodes.iter().zip(&made.nodes) {
        assert_eq!(old.name, new.name);
        assert_eq!(old.origin, new.origin);
    }
}
