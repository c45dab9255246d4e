//! Replaces an operation by what is there already, or by a simpler one, where the result has the same bits: -0.0 stays
//! -0.0, a NaN keeps its payload. (A signalling NaN, which arithmetic would have made quiet, stays signalling.)
//!
//! Rules are functions by the name of the operation they start from, in the file of its family. They may only drop what
//! cannot fail. A node with control predecessors is left alone: programs hang them on identities.

mod arithmetic;
mod movement;

use super::SMALL;
use crate::rewrite::{Pass, Rewrite, Rewriter};
use ferrograph_graph::{Node, NodeId, ValueId};
use ferrograph_tensor::{PartialShape, Tensor, TensorSpec};

pub(super) struct Simplify;

impl Pass for Simplify {
    fn visit(&mut self, graph: &Rewriter<'_>, id: NodeId) -> Option<Rewrite> {
        let node = graph.node(id);
        let rule = rule(node.op.name())?;
        if !node.control.is_empty() {
            return None;
        }
        rule(&Site { graph, node })
    }
}

type Rule = fn(&Site<'_>) -> Option<Rewrite>;

fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "Identity" | "StopGradient" | "IdentityN" | "CustomGradient" => passed_on,
        "AddN" => only_input,
        "ConcatV2" => only_part,
        "AddV2" | "Add" => arithmetic::sum,
        "Sub" => arithmetic::difference,
        "Mul" => arithmetic::product,
        "RealDiv" | "Div" | "TruncateDiv" => arithmetic::quotient,
        "LogicalAnd" => arithmetic::conjunction,
        "LogicalOr" => arithmetic::disjunction,
        "Neg" | "LogicalNot" | "Invert" | "Conj" => arithmetic::involution,
        "Cast" => arithmetic::cast,
        "Select" | "SelectV2" => arithmetic::select,
        "Reshape" => movement::reshape,
        "ExpandDims" | "Squeeze" | "BroadcastTo" | "EnsureShape" => movement::same_shape,
        "Tile" => movement::tile,
        "Pad" | "PadV2" => movement::pad,
        "Transpose" => movement::transpose,
        _ => return None,
    })
}

/// A node in its graph.
struct Site<'a> {
    graph: &'a Rewriter<'a>,
    node: &'a Node,
}

impl<'a> Site<'a> {
    fn input(&self, i: usize) -> Option<ValueId> {
        self.node.inputs.get(i).copied()
    }

    fn spec(&self, v: ValueId) -> &'a TensorSpec {
        &self.graph.value(v).spec
    }

    /// The shape of the first output.
    fn shape(&self) -> &'a PartialShape {
        &self.spec(self.node.outputs[0]).shape
    }

    /// Input `i` where it is a small constant of the graph.
    fn constant(&self, i: usize) -> Option<&'a Tensor> {
        let constant = self.graph.constant(self.input(i)?);
        constant.filter(|t| t.n_elements() <= SMALL)
    }

    /// The node that gives input `i`, where it is the same operation as this.
    fn same_before(&self, i: usize) -> Option<&'a Node> {
        let before = self.graph.maker(self.input(i)?);
        (before.op.name() == self.node.op.name()).then_some(before)
    }

    /// Input `i` where it surely has the shape of the only output.
    fn of_same_shape(&self, i: usize) -> Option<ValueId> {
        let v = self.input(i)?;
        let shape = &self.spec(v).shape;
        (shape.is_static() && shape == self.shape()).then_some(v)
    }
}

/// The outputs are the first inputs.
fn passed_on(site: &Site<'_>) -> Option<Rewrite> {
    let inputs = site.node.inputs.get(..site.node.outputs.len())?;
    Some(Rewrite::Stand(inputs.iter().copied().collect()))
}

/// The sum of one value.
fn only_input(site: &Site<'_>) -> Option<Rewrite> {
    match site.node.inputs[..] {
        [v] => Some(Rewrite::stand(v)),
        _ => None,
    }
}

/// One value joined with nothing; the last input is the axis.
fn only_part(site: &Site<'_>) -> Option<Rewrite> {
    match site.node.inputs[..] {
        [v, _] if site.spec(v).shape.rank().is_some_and(|rank| rank > 0) => {
            site.constant(1).map(|_| Rewrite::stand(v))
        }
        _ => None,
    }
}
