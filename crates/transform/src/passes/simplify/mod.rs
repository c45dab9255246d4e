//! Replaces an operation by what is there already, or by a simpler one, where the result has the same bits: -0.0 stays
//! -0.0, a NaN keeps its payload. (A signalling NaN, which arithmetic would have made quiet, stays signalling.)
//!
//! An operation declares its [`AlgebraicIdentity`]; what that makes of a node is a function in the file of its family.
//! It may only drop what cannot fail. A node with control predecessors is left alone: programs attach them to
//! `Identity`.

mod arithmetic;
mod movement;

use super::SMALL;
use crate::rewrite::{Pass, Rewrite, Rewriter};
use ferrograph_graph::{AlgebraicIdentity, Node, NodeId, ValueId};
use ferrograph_ops::BroadcastTo;
use ferrograph_tensor::{PartialShape, Tensor, TensorSpec};

pub(super) struct Simplify;

impl Pass for Simplify {
    fn visit(&mut self, graph: &Rewriter<'_>, id: NodeId) -> Option<Rewrite> {
        let node = graph.node(id);
        let identity = node.op.decl().identity;
        if identity == AlgebraicIdentity::None || !node.control.is_empty() {
            return None;
        }
        applied(identity, &Site { graph, id, node })
    }
}

/// What an algebraic identity makes of a node.
fn applied(identity: AlgebraicIdentity, site: &Site<'_>) -> Option<Rewrite> {
    match identity {
        AlgebraicIdentity::None => None,
        AlgebraicIdentity::OfShape => movement::filled(site),
        AlgebraicIdentity::Forwards => forwarded(site),
        AlgebraicIdentity::OnlyTerm => only_term(site),
        AlgebraicIdentity::OnlyPart => only_part(site),
        AlgebraicIdentity::Neutral(number) => arithmetic::neutral(site, number),
        AlgebraicIdentity::NeutralRight(number) => arithmetic::neutral_right(site, number),
        AlgebraicIdentity::NoOpOperand(number) => movement::no_op_operand(site, number),
        AlgebraicIdentity::Involution => arithmetic::involution(site),
        AlgebraicIdentity::KeepsShape => movement::same_shape(site),
        AlgebraicIdentity::Reshapes => movement::reshape(site),
        AlgebraicIdentity::Permutes => movement::transpose(site),
        AlgebraicIdentity::Casts => arithmetic::cast(site),
        AlgebraicIdentity::Selects => arithmetic::select(site),
    }
}

/// A node in its graph.
struct Site<'a> {
    graph: &'a Rewriter<'a>,
    id: NodeId,
    node: &'a Node,
}

impl<'a> Site<'a> {
    fn input(&self, i: usize) -> Option<ValueId> {
        self.graph.input(self.id, i)
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

    /// Whether all integers in input `i` are known.
    fn is_known(&self, i: usize) -> bool {
        let is_known = |v| {
            let known = self.graph.value(v).known.as_deref();
            self.graph.constant(v).is_some() || known.is_some_and(|k| k.iter().all(Option::is_some))
        };
        self.input(i).is_some_and(is_known)
    }

    /// The small constant that input `i` repeats to the shape of the only output.
    fn repeated(&self, i: usize) -> Option<&'a Tensor> {
        let maker = self.graph.value(self.of_same_shape(i)?).node;
        let is_repeated = self
            .graph
            .node(maker)
            .op
            .downcast::<BroadcastTo>()
            .is_some();
        let of = self.graph.input(maker, 0).filter(|_| is_repeated)?;
        let constant = self.graph.constant(of);
        constant.filter(|t| t.n_elements() <= SMALL)
    }

    /// The node that gives input `i`, where it is the same operation as this.
    fn same_before(&self, i: usize) -> Option<Site<'a>> {
        let id = self.graph.value(self.input(i)?).node;
        let node = self.graph.node(id);
        let is_same = node.op.name() == self.node.op.name();
        is_same.then_some(Site { id, node, ..*self })
    }

    /// Input `i` where it surely has the shape of the only output.
    fn of_same_shape(&self, i: usize) -> Option<ValueId> {
        let v = self.input(i)?;
        let shape = &self.spec(v).shape;
        (shape.is_static() && shape == self.shape()).then_some(v)
    }
}

/// The outputs are the first inputs.
fn forwarded(site: &Site<'_>) -> Option<Rewrite> {
    let inputs = (0..site.node.outputs.len()).map(|i| site.input(i));
    Some(Rewrite::Replace(inputs.collect::<Option<_>>()?))
}

/// The sum of one value.
fn only_term(site: &Site<'_>) -> Option<Rewrite> {
    match site.node.inputs[..] {
        [_] => site.input(0).map(Rewrite::replace),
        _ => None,
    }
}

/// One value joined with nothing; the last input is the axis.
fn only_part(site: &Site<'_>) -> Option<Rewrite> {
    let part = site.input(0)?;
    let has_axes = site.spec(part).shape.rank().is_some_and(|rank| rank > 0);
    (site.node.inputs.len() == 2 && has_axes && site.constant(1).is_some())
        .then(|| Rewrite::replace(part))
}
