//! The call of a graph from within itself. It is made by what traces the graph, not by name.

use super::{Level, RecursiveHandle};
use ferrograph_graph::{
    Attr, AttrDecl, AttrKind, Attrs, Batching, Decl, Differentiability, Effect, Graph, Inputs,
    Kind, Op, Port, Runner, Specs, Tensors, op_object,
};
use ferrograph_tensor::{Object, Result, Tensor, TensorSpec, err};
use std::sync::{Arc, Weak};

const PORTS: (&[Port], &[Port]) = (
    &[Port::new("args", Kind::Each("Tin"))],
    &[Port::new("output", Kind::Each("Tout"))],
);

const fn calling(name: &'static str, doc: &'static str, effect: Effect) -> Decl {
    Decl {
        doc,
        attrs: &[AttrDecl {
            name: "f",
            kind: AttrKind::Object,
            default: None,
        }],
        effect,
        gradient: Differentiability::Regions,
        batch: Batching::Regions,
        ..Decl::new(name, PORTS.0, PORTS.1)
    }
}

static PURE_CALL: Decl = calling(
    "RecursiveCall",
    "What the graph `f`, in which this operation stands, gives for `args`; it has no effects.",
    Effect::Pure,
);
static CALL: Decl = calling(
    "StatefulRecursiveCall",
    "What the graph `f`, in which this operation stands, gives for `args`.",
    Effect::World,
);

/// A call of the graph in which it stands, directly or in a region: its inputs are the graph's.
#[derive(Debug)]
pub struct RecursiveCall {
    handle: Weak<RecursiveHandle>,
    inputs: Vec<TensorSpec>,
    outputs: Vec<TensorSpec>,
}

impl RecursiveCall {
    /// A call of the graph of a handle.
    pub fn of(handle: &Arc<RecursiveHandle>) -> RecursiveCall {
        RecursiveCall {
            handle: Arc::downgrade(handle),
            inputs: handle.inputs().to_vec(),
            outputs: handle.outputs().to_vec(),
        }
    }

    /// What it calls; `None` where the graph is gone.
    pub fn target(&self) -> Option<Arc<RecursiveHandle>> {
        self.handle.upgrade()
    }

    /// What it calls.
    ///
    /// # Errors
    /// `Internal` where the graph is gone.
    pub fn handle(&self) -> Result<Arc<RecursiveHandle>> {
        self.target()
            .ok_or_else(|| err!(Internal, "the graph of a recursive call is gone"))
    }

    /// The graph that it calls.
    ///
    /// # Errors
    /// `FailedPrecondition` where its trace has not ended.
    pub fn graph(&self) -> Result<Arc<Graph>> {
        let handle = self.handle()?;
        handle.graph().ok_or_else(|| {
            err!(
                FailedPrecondition,
                "graph {} is called before its trace has ended",
                handle.name()
            )
        })
    }
}

/// What a recursive call counts as: worth running without locks, however little one level does.
const UNBOUNDED_FLOPS: f64 = 1e9;

impl Op for RecursiveCall {
    op_object!();
    fn decl(&self) -> &'static Decl {
        match self.effect() {
            Effect::Pure => &PURE_CALL,
            _ => &CALL,
        }
    }
    fn node_name(&self) -> &'static str {
        "RecursiveCall"
    }
    fn attrs(&self) -> Attrs {
        match self.target() {
            Some(handle) => Attrs::new().with("f", Attr::Object(handle as Arc<dyn Object>)),
            None => Attrs::new(),
        }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(self.inputs.len())?;
        for (i, spec) in self.inputs.iter().enumerate() {
            inputs.expect_dtype(i, spec.dtype)?;
        }
        Ok(self.outputs.iter().cloned().collect())
    }
    fn effect(&self) -> Effect {
        self.target()
            .map_or(Effect::World, |handle| handle.effect())
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        self.eval_owned(runner, inputs.iter().cloned().collect())
    }
    fn eval_owned(&self, runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        let graph = self.graph()?;
        Level::run(&graph.name, || runner.run(&graph, inputs))
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        UNBOUNDED_FLOPS
    }
}
