//! The order in which nodes of a message come: after those that they take from or follow.

use ferrograph_formats::messages::NodeDef;
use ferrograph_tensor::{Result, bail};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The node that an input names: without its output, and without the mark of one that only comes before.
pub fn node_name(input: &str) -> &str {
    let input = input.strip_prefix('^').unwrap_or(input);
    input.split(':').next().unwrap_or(input)
}

/// The places of the nodes in an order in which each follows what it takes and what it is to follow; of several orders
/// the one nearest to that of the message. Inputs that no node has the name of are arguments; `taken` tells what else a
/// node takes.
///
/// # Errors
/// `InvalidArgument` where two nodes have one name, or nodes follow one another in a ring.
pub fn in_order<'a>(
    nodes: &[NodeDef],
    taken: impl Fn(&NodeDef) -> Vec<&'a str>,
) -> Result<Vec<usize>> {
    let mut places = HashMap::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        if places.insert(node.name.as_str(), i).is_some() {
            bail!(InvalidArgument, "two nodes have the name {:?}", node.name);
        }
    }
    let mut n_before = vec![0usize; nodes.len()];
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        for input in node.input.iter().map(String::as_str).chain(taken(node)) {
            if let Some(&before) = places.get(node_name(input)) {
                n_before[i] += 1;
                followers[before].push(i);
            }
        }
    }
    let free = n_before.iter().enumerate().filter(|(_, n)| **n == 0);
    let mut free: BinaryHeap<_> = free.map(|(i, _)| Reverse(i)).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(i)) = free.pop() {
        order.push(i);
        for &next in &followers[i] {
            n_before[next] -= 1;
            if n_before[next] == 0 {
                free.push(Reverse(next));
            }
        }
    }
    if order.len() != nodes.len() {
        let stuck = n_before.iter().position(|n| *n > 0).unwrap_or_default();
        bail!(
            InvalidArgument,
            "node {:?} follows itself: loops are While operations, not rings of nodes",
            nodes[stuck].name
        );
    }
    Ok(order)
}
