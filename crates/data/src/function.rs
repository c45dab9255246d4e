//! Functions that pipelines apply to elements: graphs with what they captured.

use ferrograph_graph::{Effect, Graph, Memo, Role, Runner, Tensors};
use ferrograph_ops::{Iteration, number_draws};
use ferrograph_tensor::{Error, ErrorKind, Result, Tensor, err};
use std::sync::Arc;

/// A graph and the values that feed its last inputs.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    graph: Arc<Graph>,
    captured: Tensors,
}

impl Function {
    pub(crate) fn new(graph: &Arc<Graph>, captured: &[Tensor]) -> Function {
        number_draws(graph);
        Function {
            graph: graph.clone(),
            captured: captured.iter().cloned().collect(),
        }
    }

    /// Whether calls of it may take place in any order, and at the same time.
    pub(crate) fn commutes(&self) -> bool {
        commutes(&self.graph)
    }

    /// Whether it calls functions of the host language, which may wait for something else than the processor.
    pub(crate) fn calls_host(&self) -> bool {
        waits(&self.graph)
    }

    /// The function for one iteration.
    pub(crate) fn caller(&self) -> Caller {
        Caller {
            function: self.clone(),
            memo: None,
            n_elements: 0,
        }
    }
}

/// Whether runs of a graph may take place in any order: whether those of its operations may.
fn commutes(graph: &Graph) -> bool {
    graph.nodes.iter().all(|node| {
        let regions = node.op.regions();
        let runs_all = !regions.is_empty() && regions.iter().all(|r| r.role != Role::Function);
        node.op.commutes() || (runs_all && regions.iter().all(|r| commutes(r.graph)))
    })
}

/// Whether a graph has an operation that has an external effect and yet commutes: it waits for files or for the host.
fn waits(graph: &Graph) -> bool {
    graph.nodes.iter().any(|node| {
        let regions = node.op.regions();
        match regions.is_empty() {
            true => node.op.effect() == Effect::World,
            false => regions.iter().any(|r| waits(r.graph)),
        }
    })
}

/// A function that is called for one element after the other.
pub(crate) struct Caller {
    function: Function,
    memo: Memo,
    /// For how many elements of a dataset it was called.
    n_elements: u64,
}

impl Caller {
    /// What it gives for these arguments.
    pub(crate) fn call(&mut self, runner: &dyn Runner, mut arguments: Tensors) -> Result<Tensors> {
        arguments.extend(self.function.captured.iter().cloned());
        let _back = Iteration::apply(&self.function.graph);
        let found = runner.run_again(&self.function.graph, arguments, &mut self.memo);
        // What the function ran past the end of is not this dataset.
        found.map_err(|e| match e.kind() {
            ErrorKind::OutOfRange => e.with_kind(ErrorKind::InvalidArgument),
            _ => e,
        })
    }

    /// What it gives for the next element of a dataset and what comes with it; errors say which element it is.
    pub(crate) fn call_next(&mut self, runner: &dyn Runner, arguments: Tensors) -> Result<Tensors> {
        let number = self.n_elements;
        self.n_elements += 1;
        self.call(runner, arguments).map_err(|e| at(number, e))
    }

    /// The one value that it gives for the next element of a dataset.
    pub(crate) fn next_one(&mut self, runner: &dyn Runner, arguments: Tensors) -> Result<Tensor> {
        let found = self.call_next(runner, arguments)?;
        self.only(found)
    }

    /// The one value that it gives.
    pub(crate) fn call_one(&mut self, runner: &dyn Runner, arguments: Tensors) -> Result<Tensor> {
        let found = self.call(runner, arguments)?;
        self.only(found)
    }

    fn only(&self, mut found: Tensors) -> Result<Tensor> {
        match (found.pop(), found.is_empty()) {
            (Some(value), true) => Ok(value),
            _ => Err(err!(
                InvalidArgument,
                "function {} must give one value",
                self.function.graph.name
            )),
        }
    }

    /// The truth that it gives of the next element of a dataset.
    pub(crate) fn holds(&mut self, runner: &dyn Runner, element: Tensors) -> Result<bool> {
        let value = self.next_one(runner, element)?;
        value.item::<bool>().map_err(|_| {
            err!(
                InvalidArgument,
                "predicate {} must give one bool, got {}",
                self.function.graph.name,
                value.spec()
            )
        })
    }
}

/// An error about the element of that number; what the host raised, and what is no failure, stays as it is.
pub(crate) fn at(number: u64, e: Error) -> Error {
    if e.payload().is_some() || e.kind() == ErrorKind::Cancelled {
        return e;
    }
    let mut told = Error::new(e.kind(), format!("{} (element {number})", e.message()));
    if let Some(op) = e.op() {
        told = told.in_op(op);
    }
    told.at(e.origin())
}
