//! What holds between a node and the graphs that its operation holds.

use super::Faults;
use crate::{Graph, Node, Region, Role};
use ferrograph_tensor::{DType, TensorSpec};

pub(super) fn check(faults: &mut Faults<'_>) {
    let graph = faults.graph;
    for (id, node) in graph.iter() {
        for region in node.op.regions() {
            let name = &region.graph.name;
            for text in mismatches(graph, node, &region) {
                faults.fault_at(id, node, format_args!("region {name} {text}"));
            }
        }
    }
}

fn mismatches(graph: &Graph, node: &Node, region: &Region<'_>) -> Vec<String> {
    if region.role == Role::Function {
        return Vec::new(); // what it takes and gives is the operation's own affair
    }
    let mut found = inputs(graph, node, region);
    found.extend(outputs(graph, node, region));
    let (inner, outer) = (region.graph.effect(), node.op.effect());
    if inner > outer {
        found.push(format!("has the effect {inner:?}, its node {outer:?}"));
    }
    found
}

fn inputs(graph: &Graph, node: &Node, region: &Region<'_>) -> Vec<String> {
    let (n, n_fed) = (region.graph.inputs.len(), region.inputs.len());
    if n != n_fed {
        return vec![format!("takes {n} inputs and is fed {n_fed}")];
    }
    let mut found = Vec::new();
    for (i, (&from, inner)) in (region.inputs.iter().zip(region.graph.input_specs())).enumerate() {
        match node.inputs.get(from as usize).map(|v| graph.spec(*v)) {
            None => found.push(format!("is fed input {from}, which there is not")),
            Some(outer) if !fits(outer, inner) => {
                found.push(format!("takes {inner} as input {i} and is fed {outer}"));
            }
            Some(_) => {}
        }
    }
    found
}

fn outputs(graph: &Graph, node: &Node, region: &Region<'_>) -> Vec<String> {
    let given: Vec<&TensorSpec> = region.graph.output_specs().collect();
    let own = || node.outputs.iter().map(|v| graph.spec(*v));
    let expected: Vec<&TensorSpec> = match region.role {
        Role::Call | Role::Branch => own().collect(),
        Role::Condition => {
            return match &given[..] {
                [one] if one.dtype == DType::Bool => Vec::new(),
                _ => vec![format!("is a condition and gives {}", listed(&given))],
            };
        }
        Role::Body(carried) => {
            let recorded = carried.recorded.unwrap_or(&[]);
            carried.vars.iter().chain(recorded).collect()
        }
        Role::Function => return Vec::new(),
    };
    let same = given.len() == expected.len();
    if same && given.iter().zip(&expected).all(|(a, b)| fits(a, b)) {
        return Vec::new();
    }
    let (given, expected) = (listed(&given), listed(&expected));
    vec![format!("gives {given}, should give {expected}")]
}

fn fits(a: &TensorSpec, b: &TensorSpec) -> bool {
    a.dtype == b.dtype && a.shape.is_compatible(&b.shape)
}

fn listed(specs: &[&TensorSpec]) -> String {
    let specs: Vec<String> = specs.iter().map(ToString::to_string).collect();
    format!("({})", specs.join(", "))
}
