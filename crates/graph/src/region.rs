//! The graphs that operations hold, seen alike whatever the operation: what feeds each and what it is for.

use crate::{Graph, Op};
use ferrograph_tensor::{Result, Tensor, TensorSpec, err};
use std::borrow::Cow;
use std::sync::Arc;

/// A graph and which inputs of the operation that holds it feed its inputs.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The graph.
    pub graph: Arc<Graph>,
    /// For each input of the graph the index of the operation's input.
    pub inputs: Vec<u32>,
}

/// One of the graphs of an operation.
#[derive(Clone, Debug)]
pub struct Region<'a> {
    /// The graph.
    pub graph: &'a Arc<Graph>,
    /// For each input of the graph the index of the operation's input; empty for a [`Role::Function`].
    pub inputs: Cow<'a, [u32]>,
    /// When it runs, and what becomes of its outputs.
    pub role: Role<'a>,
}

/// The levels of graphs that an operation holds.
pub(crate) fn depth_below(op: &dyn Op) -> usize {
    let regions = op.regions();
    let depths = regions.iter().map(|region| region.graph.depth());
    depths.max().unwrap_or_default()
}

/// When the graph of an operation runs, and what becomes of its outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role<'a> {
    /// Once whenever the operation does; its outputs are the operation's.
    Call,
    /// Where input 0 of the operation picks it among the branches, see [`picked_branch`]; its outputs are the
    /// operation's.
    Branch,
    /// Before each iteration of a loop; gives one scalar bool that says whether there is one.
    Condition,
    /// In each iteration of a loop.
    Body(Carried<'a>),
    /// When and on what the operation says: a function over elements, a gradient.
    Function,
}

/// What a loop carries from iteration to iteration. Its first inputs are the variables, as are the first outputs of
/// its body and its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried<'a> {
    /// The types that the variables keep.
    pub vars: &'a [TensorSpec],
    /// The types of what the body returns behind the variables, for the loop to record: it then also gives the number
    /// of iterations and, for each of these, the list of all its values.
    pub recorded: Option<&'a [TensorSpec]>,
}

impl<'a> Region<'a> {
    /// A region of which input `i` is the operation's input `inputs[i]`.
    pub fn of(branch: &'a Branch, role: Role<'a>) -> Region<'a> {
        Region {
            graph: &branch.graph,
            inputs: Cow::Borrowed(&branch.inputs),
            role,
        }
    }

    /// A region that takes all of the operation's inputs.
    pub fn call(graph: &'a Arc<Graph>) -> Region<'a> {
        let inputs = (0..).take(graph.inputs.len()).collect();
        Region {
            graph,
            inputs: Cow::Owned(inputs),
            role: Role::Call,
        }
    }

    /// A function that the operation runs in a way of its own.
    pub fn function(graph: &'a Arc<Graph>) -> Region<'a> {
        Region {
            graph,
            inputs: Cow::Borrowed(&[]),
            role: Role::Function,
        }
    }

    /// Of what the operation takes, what its graph takes.
    pub fn fed<C: FromIterator<T>, T: Clone>(&self, inputs: &[T]) -> C {
        (self.inputs.iter())
            .map(|&i| inputs[i as usize].clone())
            .collect()
    }

    /// The graph with the same inputs fed.
    pub fn with(&self, graph: Arc<Graph>) -> Branch {
        Branch {
            graph,
            inputs: self.inputs.to_vec(),
        }
    }

    /// Whether the operation's outputs are those of this graph whenever it runs.
    pub fn gives_outputs(&self) -> bool {
        matches!(self.role, Role::Call | Role::Branch)
    }
}

/// Which of an operation's branches runs for this input 0: the first for true, the second for false.
///
/// # Errors
/// `InvalidArgument` where it is not one bool.
pub fn picked_branch(selector: &Tensor) -> Result<usize> {
    let truth = selector.item::<bool>().map_err(|_| {
        err!(
            InvalidArgument,
            "a condition must be one bool, got {}",
            selector.spec()
        )
    })?;
    Ok(usize::from(!truth))
}
