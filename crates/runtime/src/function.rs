//! A traced function: its graph and what it captured.

use crate::context::{has_tapes, is_tracing};
use crate::door::{emit, when_run};
use crate::plan::PlanRunner;
use ferrograph_graph::{Graph, OpRef, Runner, Tensors, Val, Vals};
use ferrograph_ops::Call;
use ferrograph_tensor::Result;
use std::sync::Arc;

/// A graph with the values it captured from outside.
pub struct ConcreteFunction {
    /// The graph: arguments, then captures.
    pub graph: Arc<Graph>,
    /// The values outside that feed the captures.
    pub captures: Vec<Val>,
    call: OpRef,
}

impl ConcreteFunction {
    /// A traced function of that graph.
    pub fn new(graph: Arc<Graph>, captures: Vec<Val>) -> ConcreteFunction {
        let call = Arc::new(Call {
            graph: graph.clone(),
        });
        ConcreteFunction {
            graph,
            captures,
            call,
        }
    }

    /// Whether a call can run its plan directly: no trace to add a node to, no tape to tell.
    pub fn can_run(&self) -> bool {
        !is_tracing() && !has_tapes()
    }

    /// Runs the plan on argument tensors; only where [`ConcreteFunction::can_run`] holds.
    pub fn run(&self, mut args: Tensors) -> Result<Tensors> {
        for capture in &self.captures {
            args.push(capture.expect_tensor()?.clone());
        }
        PlanRunner.run(&self.graph, args).map_err(when_run)
    }

    /// Calls through the door.
    pub fn call(&self, args: &[Val]) -> Result<Vals> {
        let mut inputs = args.to_vec();
        inputs.extend(self.captures.iter().cloned());
        emit(self.call.clone(), &inputs)
    }
}

/// Runs a graph on tensors by its plan.
pub fn call_graph(graph: &Arc<Graph>, inputs: Tensors) -> Result<Tensors> {
    PlanRunner.run(graph, inputs).map_err(when_run)
}
