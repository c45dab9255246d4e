//! Traces: graphs of fixed signatures with what they captured.

use crate::error::{Result, guarded};
use crate::value::Value;
use ferrograph_graph::{Graph, Tensors, Val, text};
use ferrograph_runtime::{ConcreteFunction, when_run};
use ferrograph_saved::Structure;
use ferrograph_tensor::{DType, Result as CoreResult, Tensor, TensorSpec, bail};
use std::fmt;
use std::sync::Arc;

/// The name and type of a tensor that a function takes or gives.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorInfo {
    name: String,
    spec: TensorSpec,
}

impl TensorInfo {
    pub(crate) fn new(name: String, spec: TensorSpec) -> TensorInfo {
        TensorInfo { name, spec }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.spec.dtype
    }

    /// The dimensions as far as they are known; `None` where not even their number is.
    pub fn shape(&self) -> Option<Vec<Option<usize>>> {
        let dims = self.spec.shape.dims()?;
        Some(dims.iter().map(|d| d.known()).collect())
    }

    pub(crate) fn of_type(&self) -> &TensorSpec {
        &self.spec
    }

    pub(crate) fn accepts(&self, tensor: &Tensor) -> bool {
        tensor.dtype() == self.spec.dtype && self.spec.shape.accepts(tensor.shape())
    }
}

impl fmt::Display for TensorInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.spec)
    }
}

/// One trace of a function: a graph of fixed signature.
pub struct Trace {
    name: String,
    function: ConcreteFunction,
    pub(crate) args: Vec<Structure>,
    pub(crate) named: Vec<(String, Structure)>,
    pub(crate) result: Structure,
    inputs: Vec<TensorInfo>,
    outputs: Vec<TensorInfo>,
}

impl Trace {
    /// A trace with these structures of arguments, a tuple of a tuple and a dictionary, and result.
    ///
    /// # Errors
    /// `DataLoss` where they are not those of the graph.
    pub(crate) fn new(
        name: &str,
        graph: Arc<Graph>,
        captures: Vec<Tensor>,
        arguments: &Structure,
        result: Structure,
    ) -> CoreResult<Trace> {
        let (args, named) = match arguments.items() {
            [args, Structure::Dict(named)] => (args.items().to_vec(), named.clone()),
            _ => (Vec::new(), Vec::new()),
        };
        let mut inputs = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let own = match arg {
                Structure::Tensor(name, _) if !name.is_empty() => name.clone(),
                _ => i.to_string(),
            };
            inputs.extend(arg.tensors(&own));
        }
        for (key, arg) in &named {
            inputs.extend(arg.tensors(key));
        }
        let outputs = match &result {
            Structure::Tensor(..) => result.tensors("output_0"),
            _ => result.tensors(""),
        };
        let described = |what: &str, all: Vec<(String, TensorSpec)>, own: Vec<&TensorSpec>| {
            let fits = all.len() == own.len()
                && all.iter().zip(&own).all(|((_, spec), own)| {
                    spec.dtype == own.dtype && spec.shape.is_compatible(&own.shape)
                });
            if !fits {
                bail!(
                    DataLoss,
                    "function {name:?}: the {what} that the saved model describes are not those of the graph"
                );
            }
            let info = |(name, spec)| TensorInfo { name, spec };
            Ok(all.into_iter().map(info).collect())
        };
        let inputs = described(
            "arguments",
            inputs,
            graph.input_specs().take(graph.n_args).collect(),
        )?;
        let outputs = described("results", outputs, graph.output_specs().collect())?;
        let wanted = graph.input_specs().skip(graph.n_args);
        if !wanted.zip(&captures).all(|(spec, t)| {
            spec.dtype == t.dtype()
                && (spec.shape.rank().is_none() || spec.shape.accepts(t.shape()))
        }) {
            bail!(
                DataLoss,
                "function {name:?}: the objects bound to it are not those that its graph takes"
            );
        }
        let captures = captures.into_iter().map(Val::eager).collect();
        Ok(Trace {
            name: name.to_owned(),
            function: ConcreteFunction::new(graph, captures),
            args,
            named,
            result,
            inputs,
            outputs,
        })
    }

    /// The name of its graph in the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tensors that it takes, in their order.
    pub fn inputs(&self) -> &[TensorInfo] {
        &self.inputs
    }

    /// The tensors that it gives, in their order.
    pub fn outputs(&self) -> &[TensorInfo] {
        &self.outputs
    }

    /// Its graph with what it captured.
    pub(crate) fn concrete(&self) -> &ConcreteFunction {
        &self.function
    }

    /// Its graph as text.
    pub fn graph_text(&self) -> String {
        text::print(&self.function.graph)
    }

    /// Runs it with as many tensors as it takes, of their types.
    pub(crate) fn compute(&self, args: &[Tensor]) -> CoreResult<Tensors> {
        let mut all: Vec<&Tensor> = args.iter().collect();
        for capture in &self.function.captures {
            all.push(capture.expect_tensor()?);
        }
        let graph = &self.function.graph;
        for (spec, tensor) in graph.input_specs().zip(args) {
            if !spec.shape.accepts(tensor.shape()) {
                bail!(
                    InvalidArgument,
                    "{}: the graph takes {spec}, got {}",
                    self.name,
                    tensor.spec()
                );
            }
        }
        let plan = self.function.plan(&all).map_err(when_run)?;
        plan.execute(all.into_iter().cloned()).map_err(when_run)
    }

    /// [`Trace::compute`] for users.
    pub(crate) fn run(&self, args: &[Tensor]) -> Result<Vec<Value>> {
        let found = guarded(|| self.compute(args))?;
        Ok(found.into_iter().map(Value).collect())
    }

    /// How calls look that it serves.
    pub(crate) fn shown(&self, name: &str, params: &[String]) -> String {
        let mut parts = Vec::new();
        for (i, arg) in self.args.iter().enumerate() {
            let own = params.get(i).cloned().unwrap_or_else(|| i.to_string());
            parts.push(format!("{own}: {arg}"));
        }
        parts.extend(self.named.iter().map(|(key, arg)| format!("{key}: {arg}")));
        format!("{name}({})", parts.join(", "))
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs: Vec<String> = self.inputs.iter().map(ToString::to_string).collect();
        let outputs: Vec<String> = self.outputs.iter().map(ToString::to_string).collect();
        write!(
            f,
            "{}({}) -> {}",
            self.name,
            inputs.join(", "),
            outputs.join(", ")
        )
    }
}
