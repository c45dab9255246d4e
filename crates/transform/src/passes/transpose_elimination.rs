//! Transpose elimination: reductions of transposed values, and of what is computed of them element by element, read the
//! values as they are stored; what is left is transposed to the order of the program, which moves less.
//!
//! Only where each result takes its elements in the same order as before, so that its bits stay; where nothing else
//! needs what is between; and where the rows that a reduction runs along stay long.

use super::{SMALL, is_pure};
use crate::rewrite::{Made, Operand, Pass, Rewrite, Rewriter};
use ferrograph_graph::{
    AlgebraicIdentity, Batching, Inputs, Lowered, NodeId, OpRef, ReduceCode, Reduction, ValueId,
    lower,
};
use ferrograph_ops::Reshape;
use ferrograph_tensor::{DType, Shape, Tensor, TensorSpec};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Values between the transposes and the reduction, at most.
const MOST: usize = 32;

/// Consecutive elements of rows that are long enough.
const LONG: usize = 256;

#[derive(Default)]
pub(super) struct TransposeElimination {
    /// How often each value is needed; empty where nothing is transposed.
    uses: Vec<u32>,
}

impl Pass for TransposeElimination {
    fn start(&mut self, graph: &Rewriter<'_>) {
        let permutes =
            |id: NodeId| graph.node(id).op.decl().identity == AlgebraicIdentity::Permutes;
        if !graph.ids().any(permutes) {
            return;
        }
        let needed = graph.ids().flat_map(|id| graph.inputs(id));
        for v in needed.chain(graph.outputs()) {
            let at = v.index();
            self.uses.resize(self.uses.len().max(at + 1), 0);
            self.uses[at] += 1;
        }
    }

    fn visit(&mut self, graph: &Rewriter<'_>, id: NodeId) -> Option<Rewrite> {
        if self.uses.is_empty() || graph.node(id).op.decl().batch != Batching::Axes(1) {
            return None;
        }
        let operand = graph.input(id, 0)?;
        let shape = graph.value(operand).spec.shape.to_static()?;
        let reduction = reduction(graph, id).filter(|_| shape.n_elements() > SMALL)?;
        let mut permuted = Permuted {
            graph,
            shape,
            order: None,
            leaves: Vec::new(),
            members: Vec::new(),
        };
        let is_permuted = permuted.takes(operand) && self.are_only_there(&permuted, operand);
        if !is_permuted {
            return None;
        }
        let order = permuted.order.clone()?;
        let dtype = graph.value(operand).spec.dtype;
        let axes = Axes::of(&permuted.shape, &reduction.axes);
        let stored = axes.stored(&order);
        (keeps_bits(reduction.code, dtype, &axes, &stored) && stays_long(&axes, &stored))
            .then_some(())?;
        permuted.rewritten(id, operand, &reduction.axes, &order)
    }
}

impl TransposeElimination {
    /// Whether nothing else needs what goes into a reduction of that operand.
    fn are_only_there(&self, permuted: &Permuted<'_>, operand: ValueId) -> bool {
        let within = |v: ValueId| {
            let members = permuted.members.iter();
            let inputs = members.flat_map(|&m| permuted.graph.inputs(permuted.graph.value(m).node));
            inputs.chain([operand]).filter(|&input| input == v).count()
        };
        let leaves = permuted.leaves.iter().map(|&(v, _)| v);
        let mut all = permuted.members.iter().copied().chain(leaves);
        all.all(|v| {
            self.uses
                .get(v.index())
                .is_some_and(|&n| n as usize == within(v))
        })
    }
}

/// What a node lowers to, where its shapes are known and it only computes.
fn lowered(graph: &Rewriter<'_>, id: NodeId) -> Option<Lowered> {
    let node = graph.node(id);
    if !node.control.is_empty() || !is_pure(node) || node.outputs.len() != 1 {
        return None;
    }
    let inputs = Inputs::new(graph.inputs(id).map(|v| graph.value(v).as_input()));
    let output: TensorSpec = graph.value(node.outputs[0]).spec.clone();
    lower(node.op.as_ref(), &inputs, &[output]).ok()
}

fn reduction(graph: &Rewriter<'_>, id: NodeId) -> Option<Reduction> {
    match lowered(graph, id)? {
        Lowered::Reduce(reduction) => Some(reduction),
        _ => None,
    }
}

/// What is computed element by element of values that are transposed in one way.
struct Permuted<'a> {
    graph: &'a Rewriter<'a>,
    /// The shape of all of them.
    shape: Shape,
    /// Which axis of the stored values each axis is.
    order: Option<Vec<usize>>,
    /// The transposed values, each with what it is made of.
    leaves: Vec<(ValueId, ValueId)>,
    /// What is computed, behind what it needs.
    members: Vec<ValueId>,
}

impl Permuted<'_> {
    /// Takes in a value with all that it is made of, where it can.
    fn takes(&mut self, v: ValueId) -> bool {
        if self.members.contains(&v) || self.leaves.iter().any(|&(leaf, _)| leaf == v) {
            return true;
        }
        let id = self.graph.value(v).node;
        let node = self.graph.node(id);
        if self.graph.is_input(id) || node.outputs.len() != 1 {
            return false;
        }
        if node.op.decl().identity == AlgebraicIdentity::Permutes {
            return node.control.is_empty() && self.takes_leaf(v, id);
        }
        let is_map = || matches!(lowered(self.graph, id), Some(Lowered::Map(_)));
        if self.members.len() == MOST || !is_map() {
            return false;
        }
        let inputs: SmallVec<[ValueId; 4]> = self.graph.inputs(id).collect();
        let (whole, others): (SmallVec<[ValueId; 4]>, SmallVec<[ValueId; 4]>) =
            inputs.into_iter().partition(|&input| self.is_whole(input));
        let takes = whole.into_iter().all(|input| self.takes(input))
            && others
                .into_iter()
                .all(|input| self.stored_shape(input).is_some());
        if takes {
            self.members.push(v);
        }
        takes
    }

    fn takes_leaf(&mut self, v: ValueId, id: NodeId) -> bool {
        let graph = self.graph;
        let (Some(from), Some(perm)) = (graph.input(id, 0), graph.input(id, 1)) else {
            return false;
        };
        let Some(order) = graph.constant(perm).and_then(super::permutation) else {
            return false;
        };
        let fits =
            order.len() == self.shape.rank() && self.order.as_ref().is_none_or(|o| *o == order);
        if fits {
            self.leaves.push((v, from));
            self.order = Some(order);
        }
        fits
    }

    /// Whether a value has the shape of all; others repeat.
    fn is_whole(&self, v: ValueId) -> bool {
        let shape = self.graph.value(v).spec.shape.to_static();
        shape.is_some_and(|shape| shape == self.shape)
    }

    /// The shape under which a value that is broadcast is so along the axes as they are stored, where it has one.
    fn stored_shape(&self, v: ValueId) -> Option<Option<Shape>> {
        let shape = self.graph.value(v).spec.shape.to_static()?;
        if shape.n_elements() == 1 {
            return Some(None);
        }
        let order = self.order.as_ref()?;
        let missing = order.len().checked_sub(shape.rank())?;
        let mut stored = vec![1; order.len()];
        let mut last = None;
        for (i, &n) in shape.iter().enumerate().filter(|&(_, &n)| n != 1) {
            let at = order[missing + i];
            if last.is_some_and(|last| last > at) {
                return None;
            }
            (stored[at], last) = (n, Some(at));
        }
        Some(Some(stored.into_iter().collect()))
    }

    /// The reduction of the stored values, and a transpose of its result.
    fn rewritten(
        &self,
        id: NodeId,
        operand: ValueId,
        reduced: &[bool],
        order: &[usize],
    ) -> Option<Rewrite> {
        let mut made: Vec<Made> = Vec::with_capacity(self.members.len() + 2);
        let mut places: Vec<(ValueId, usize)> = Vec::with_capacity(self.members.len());
        for &member in &self.members {
            let like = self.graph.value(member).node;
            let mut operands = SmallVec::new();
            for input in self.graph.inputs(like) {
                operands.push(self.operand(input, like, &places, &mut made)?);
            }
            let op = self.graph.node(like).op.clone();
            made.push(Made { op, operands, like });
            places.push((member, made.len() - 1));
        }
        let axes = (0..order.len()).filter(|&i| reduced[i]).map(|i| order[i]);
        let of = self.operand(operand, id, &places, &mut made)?;
        made.push(Made {
            op: self.graph.node(id).op.clone(),
            operands: smallvec![of, Operand::Constant(vector(axes)?)],
            like: id,
        });
        let output = &self.graph.value(self.graph.node(id).outputs[0]).spec;
        let keeps_dims = output.shape.rank() == Some(order.len());
        let back = left(order, reduced, keeps_dims);
        if !back.iter().copied().eq(0..back.len()) {
            let (leaf, _) = self.leaves.first()?;
            let last = Operand::Made(made.len() - 1);
            made.push(Made {
                op: self.graph.maker(*leaf).op.clone(),
                operands: smallvec![last, Operand::Constant(vector(back.into_iter())?)],
                like: id,
            });
        }
        Some(Rewrite::Compose(made))
    }

    /// The operand that replaces a value among the stored ones.
    fn operand(
        &self,
        v: ValueId,
        like: NodeId,
        places: &[(ValueId, usize)],
        made: &mut Vec<Made>,
    ) -> Option<Operand> {
        if let Some(&(_, at)) = places.iter().find(|(member, _)| *member == v) {
            return Some(Operand::Made(at));
        }
        if let Some(&(_, from)) = self.leaves.iter().find(|(leaf, _)| *leaf == v) {
            return Some(Operand::Value(from));
        }
        let Some(shape) = self.stored_shape(v)? else {
            return Some(Operand::Value(v));
        };
        let op: OpRef = Arc::new(Reshape);
        let shape = Operand::Constant(vector(shape.iter().copied())?);
        let operands = smallvec![Operand::Value(v), shape];
        made.push(Made { op, operands, like });
        Some(Operand::Made(made.len() - 1))
    }
}

fn vector(numbers: impl Iterator<Item = usize>) -> Option<Tensor> {
    let numbers = numbers.map(|n| i64::try_from(n).ok());
    Tensor::vector(&numbers.collect::<Option<Vec<i64>>>()?).ok()
}

/// Of which axis of a reduction of the stored values each axis of the result is made.
fn left(order: &[usize], reduced: &[bool], keeps_dims: bool) -> Vec<usize> {
    if keeps_dims {
        return order.to_vec();
    }
    let kept = || order.iter().zip(reduced).filter(|&(_, &reduced)| !reduced);
    let place = |axis: usize| kept().filter(|&(&other, _)| other < axis).count();
    kept().map(|(&axis, _)| place(axis)).collect()
}

/// The axes of an operand, each with its size and whether it is reduced.
struct Axes(Vec<(usize, usize, bool)>);

impl Axes {
    /// Those of a shape, numbered in their order.
    fn of(shape: &[usize], reduced: &[bool]) -> Axes {
        let axes = shape.iter().zip(reduced).enumerate();
        Axes(axes.map(|(i, (&n, &reduced))| (i, n, reduced)).collect())
    }

    /// The same as they are stored, under the same numbers.
    fn stored(&self, order: &[usize]) -> Axes {
        let mut axes: Vec<_> = order.iter().zip(&self.0).collect();
        axes.sort_by_key(|(at, _)| **at);
        Axes(axes.into_iter().map(|(_, &axis)| axis).collect())
    }

    /// Those of more than one position.
    fn counts(&self) -> impl DoubleEndedIterator<Item = (usize, usize, bool)> {
        self.0.iter().copied().filter(|&(_, n, _)| n != 1)
    }

    /// The numbers of those that are reduced, where they are neighbours.
    fn reduced(&self) -> Option<Vec<usize>> {
        let run = self.counts().skip_while(|&(_, _, reduced)| !reduced);
        let run = run.take_while(|&(_, _, reduced)| reduced);
        let run: Vec<usize> = run.map(|(i, _, _)| i).collect();
        let all = self.counts().filter(|&(_, _, reduced)| reduced).count();
        (run.len() == all && all > 0).then_some(run)
    }

    /// Elements inside of what is reduced.
    fn inner(&self) -> usize {
        let inside = self.counts().rev().take_while(|&(_, _, reduced)| !reduced);
        inside.map(|(_, n, _)| n).product()
    }
}

/// Whether results have the bits that they have where the axes are in order: no order of the elements changes them, or
/// they are combined in the same one.
fn keeps_bits(code: ReduceCode, dtype: DType, in_order: &Axes, stored: &Axes) -> bool {
    let is_exact = match code {
        ReduceCode::All | ReduceCode::Any => true,
        ReduceCode::EuclideanNorm => false,
        _ => dtype.is_integer(),
    };
    let is_along = |axes: &Axes| axes.inner() == 1;
    let runs = || in_order.reduced().zip(stored.reduced());
    is_exact || runs().is_some_and(|(a, b)| a == b) && is_along(in_order) == is_along(stored)
}

/// Whether the reduction still runs along rows that are long, or no shorter.
fn stays_long(in_order: &Axes, stored: &Axes) -> bool {
    let inner = stored.inner();
    inner == 1 || inner >= LONG || inner >= in_order.inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(shape: &[usize], text: &str) -> Axes {
        let marks: Vec<bool> = text.chars().map(|c| c == 'r').collect();
        Axes::of(shape, &marks)
    }

    fn keeps(shape: &[usize], text: &str, order: &[usize]) -> bool {
        let axes = axes(shape, text);
        keeps_bits(ReduceCode::Sum, DType::Float32, &axes, &axes.stored(order))
    }

    #[test]
    fn transposes_before_sums_are_eliminated_where_the_order_of_elements_stays() {
        assert!(keeps(&[8, 4, 6], "krk", &[2, 0, 1]));
        assert!(keeps(&[8, 4, 6], "kkr", &[1, 0, 2]));
        assert!(keeps(&[8, 4, 1, 6, 5], "krkrk", &[4, 0, 2, 1, 3]));
        assert!(!keeps(&[8, 4, 6], "kkr", &[2, 0, 1]));
        assert!(!keeps(&[8, 4, 6], "rkk", &[2, 0, 1]));
        assert!(!keeps(&[8, 4, 6], "rrk", &[1, 0, 2]));
        assert!(!keeps(&[8, 4, 6], "rrk", &[0, 2, 1]));
        assert!(!keeps(&[8, 1, 6], "krk", &[2, 0, 1]));
    }

    #[test]
    fn exact_reductions_know_no_order() {
        let axes = axes(&[8, 4, 6], "kkr");
        let stored = axes.stored(&[2, 0, 1]);
        assert!(keeps_bits(ReduceCode::Sum, DType::Int32, &axes, &stored));
        assert!(keeps_bits(ReduceCode::All, DType::Bool, &axes, &stored));
        assert!(!keeps_bits(ReduceCode::Max, DType::Float32, &axes, &stored));
    }

    #[test]
    fn what_is_left_is_put_in_order() {
        assert_eq!(left(&[2, 0, 1], &[false, true, false], false), [1, 0]);
        assert_eq!(left(&[2, 0, 1], &[true, false, false], false), [0, 1]);
        assert_eq!(left(&[2, 0, 1], &[false, true, false], true), [2, 0, 1]);
        assert_eq!(
            left(&[3, 1, 0, 2], &[false, true, false, false], false),
            [2, 0, 1]
        );
    }
}
