//! Graphs of one row made into graphs of many rows at once.
//!
//! What depends on the row gets a further first axis ([`Rowed::Each`]); all else is computed once ([`Rowed::Same`]). How
//! an operation takes such values is declared ([`Batching`]): most run as they are, once ranks or axes are moved up
//! (`facts`); some by a rule of their own (`rules`); those that hold graphs run graphs made so (`regions`, `loops`). All
//! others, and each that has an external effect or changes variables, run row by row in a loop of that operation alone
//! (`each`), if the caller allows it.
//!
//! A list that depends on the row is one list whose elements have the further axis.

mod build;
mod custom;
mod each;
mod facts;
mod loops;
mod regions;
mod rules;

pub use rules::has_rule;

use crate::emit::TraceEmitter;
use crate::gradient::add_arg;
use ferrograph_graph::{
    Batching, Effect, Emitter, Graph, Node, OpRef, Trace, TraceRef, Val, ValueId,
};
use ferrograph_ops::LeafOps;
use ferrograph_ops::emit::*;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Tensor, TensorSpec, err};
use std::sync::Arc;

/// A value of a function that runs for many rows at once.
#[derive(Clone, Debug)]
pub(crate) enum Rowed {
    /// One for each row, along a further first axis.
    Each(Val),
    /// The same for all rows.
    Same(Val),
}

impl Rowed {
    fn val(&self) -> &Val {
        match self {
            Rowed::Each(v) | Rowed::Same(v) => v,
        }
    }

    fn same(&self) -> Option<&Val> {
        match self {
            Rowed::Same(v) => Some(v),
            Rowed::Each(_) => None,
        }
    }

    fn is_each(&self) -> bool {
        matches!(self, Rowed::Each(_))
    }
}

/// The rows that a graph runs for.
#[derive(Clone)]
pub(crate) struct RowCount {
    /// How many: a scalar int32.
    val: Val,
    /// How many, where that is known.
    dim: Dim,
    /// Whether operations may run row by row.
    may_loop: bool,
}

/// An operation to be run for many rows.
pub(crate) struct Site<'a> {
    op: &'a OpRef,
    inputs: &'a [Rowed],
    /// The types of the inputs in one row.
    specs: Vec<TensorSpec>,
    /// The types of the outputs in one row.
    outputs: Vec<TensorSpec>,
    rows: &'a RowCount,
}

/// What became of a graph.
pub struct BatchedGraph {
    /// Takes what the graph took, then how many rows there are (a scalar int32).
    pub graph: Arc<Graph>,
    /// Of each output, whether there is one for each row.
    pub each: Vec<bool>,
}

/// How a graph is to be run for many rows.
#[derive(Clone)]
pub struct Request {
    /// Of each input, whether there is one for each row.
    pub each: Vec<bool>,
    /// Of each output, whether there must be one for each row; none must be where this is empty.
    pub forced: Vec<bool>,
    /// How many rows there are, where that is known.
    pub rows: Dim,
    /// Whether operations without a rule may run row by row.
    pub may_loop: bool,
}

/// The type of all rows of a value: elements of a list have the further axis, not the list.
fn rowed_spec(spec: &TensorSpec, rows: Dim) -> TensorSpec {
    if spec.dtype == DType::Variant {
        return spec.clone();
    }
    let shape = match spec.shape.dims() {
        Some(dims) => std::iter::once(rows).chain(dims.iter().copied()).collect(),
        None => PartialShape::UNKNOWN,
    };
    TensorSpec::new(spec.dtype, shape)
}

/// The error of what cannot be run for many rows at once, nor an operation by itself row by row.
fn unbatchable(what: &str) -> ferrograph_tensor::Error {
    err!(Unimplemented, "{what} cannot run for many rows at once")
}

/// The graph for many rows.
///
/// # Errors
/// `Unimplemented` where no rule or loop fits, `Value` where a loop would and is not allowed; what operations refuse.
pub fn batch_graph(graph: &Graph, request: &Request) -> Result<BatchedGraph> {
    let trace = Trace::new(&graph.name, None);
    let mut walk = Walk::begin(graph, request, trace)?;
    for (id, node) in graph.iter() {
        if walk.live[id.index()] && !walk.is_given(node) {
            walk.visit(node)
                .map_err(|e| e.in_op(node.op.name()).at(node.origin.as_ref()))?;
        }
    }
    walk.finish(request)
}

struct Walk<'g> {
    graph: &'g Graph,
    e: TraceEmitter,
    rows: RowCount,
    values: Vec<Option<Rowed>>,
    live: Vec<bool>,
}

/// The nodes that outputs or effects need.
fn live_nodes(graph: &Graph) -> Vec<bool> {
    let acts = |node: &Node| node.op.effect() >= Effect::Writes;
    let mut wanted: Vec<ValueId> = graph.outputs.clone();
    for node in graph.nodes.iter().filter(|n| acts(n)) {
        wanted.extend(&node.inputs);
    }
    let mut live = graph.needed_by(&wanted);
    for (id, _) in graph.iter().filter(|(_, n)| acts(n)) {
        live[id.index()] = true;
    }
    live
}

impl<'g> Walk<'g> {
    fn begin(graph: &'g Graph, request: &Request, trace: TraceRef) -> Result<Walk<'g>> {
        let mut values = vec![None; graph.values.len()];
        for (input, &each) in graph.inputs.iter().zip(&request.each) {
            values[input.index()] = Some(add_input(graph, *input, each, request.rows, &trace)?);
        }
        let counted = add_arg(&trace, TensorSpec::scalar(DType::Int32), "rows")?;
        let mut e = TraceEmitter {
            trace,
            origin: None,
        };
        let known = request.rows.known().and_then(|n| i32::try_from(n).ok());
        let val = match known {
            Some(n) => e.constant(Tensor::scalar(n)?)?,
            None => counted,
        };
        let rows = RowCount {
            val,
            dim: request.rows,
            may_loop: request.may_loop,
        };
        let live = live_nodes(graph);
        Ok(Walk {
            graph,
            e,
            rows,
            values,
            live,
        })
    }

    fn is_given(&self, node: &Node) -> bool {
        let first = node.outputs.first();
        first.is_some_and(|v| self.values[v.index()].is_some())
    }

    fn visit(&mut self, node: &Node) -> Result<()> {
        let found = |v: &ValueId| {
            let value = self.values[v.index()].clone();
            value.ok_or_else(|| err!(Internal, "{v} is used before it is made"))
        };
        let inputs: Vec<Rowed> = node.inputs.iter().map(found).collect::<Result<_>>()?;
        let spec = |v: &ValueId| self.graph.spec(*v).clone();
        let site = Site {
            op: &node.op,
            inputs: &inputs,
            specs: node.inputs.iter().map(spec).collect(),
            outputs: node.outputs.iter().map(spec).collect(),
            rows: &self.rows,
        };
        self.e.set_origin(node.origin.clone());
        let outputs = site.run(&mut self.e)?;
        for (v, output) in node.outputs.iter().zip(outputs) {
            self.learn(&output, self.graph.spec(*v))?;
            self.values[v.index()] = Some(output);
        }
        Ok(())
    }

    /// Says of a value what was known of it in one row.
    fn learn(&self, value: &Rowed, spec: &TensorSpec) -> Result<()> {
        let Val::Sym(sym) = value.val() else {
            return Ok(());
        };
        let known = match value {
            Rowed::Each(_) => rowed_spec(spec, self.rows.dim),
            Rowed::Same(_) => spec.clone(),
        };
        sym.trace.set_shape(sym.value, &known.shape)
    }

    fn finish(mut self, request: &Request) -> Result<BatchedGraph> {
        let (mut ids, mut each) = (Vec::new(), Vec::new());
        for (i, output) in self.graph.outputs.iter().enumerate() {
            let value = self.values[output.index()].clone();
            let mut value = value.ok_or_else(|| err!(Internal, "output {i} was not made"))?;
            if request.forced.get(i).copied().unwrap_or(false) {
                value = Rowed::Each(self.e.each(&value, &self.rows)?);
                self.learn(&value, self.graph.spec(*output))?;
            }
            each.push(value.is_each());
            ids.push(self.e.trace.resolve(value.val(), &LeafOps)?);
        }
        let (graph, _) = self.e.trace.seal(ids)?;
        Ok(BatchedGraph { graph, each })
    }
}

/// The input of the new graph for one of a graph.
fn add_input(
    graph: &Graph,
    input: ValueId,
    each: bool,
    rows: Dim,
    trace: &TraceRef,
) -> Result<Rowed> {
    let info = graph.value(input);
    let name = &graph.node(info.node).name;
    if each {
        return Ok(Rowed::Each(add_arg(
            trace,
            rowed_spec(&info.spec, rows),
            name,
        )?));
    }
    let val = add_arg(trace, info.spec.clone(), name)?;
    if let Val::Sym(sym) = &val {
        trace.with_builder(|b| {
            let made = b.value_mut(sym.value);
            made.constant.clone_from(&info.constant);
            made.known.clone_from(&info.known);
        })?;
    }
    Ok(Rowed::Same(val))
}

impl Site<'_> {
    /// The outputs for all rows.
    fn run(&self, e: &mut TraceEmitter) -> Result<Vec<Rowed>> {
        let depends = self.inputs.iter().any(Rowed::is_each);
        let acts = self.op.effect() >= Effect::Writes;
        let batching = self.op.decl().batch;
        if !depends && !acts && !rules::makes_list(self) {
            let inputs: Vec<Val> = self.inputs.iter().map(|v| v.val().clone()).collect();
            let outputs = e.emit(self.op.clone(), &inputs)?;
            return Ok(outputs.into_iter().map(Rowed::Same).collect());
        }
        let found = match batching {
            Batching::Loop => None,
            Batching::Broadcasts => facts::broadcasts(e, self)?,
            Batching::Leads(n) => facts::leads(e, self, n)?,
            Batching::Axes(i) => facts::axes(e, self, i)?,
            Batching::Folds(n) => facts::folds(e, self, n)?,
            Batching::Rule => rules::apply(e, self)?,
            Batching::Regions => regions::run(e, self)?,
        };
        match found {
            Some(outputs) => Ok(outputs),
            None => each::looped(e, self),
        }
    }

    /// The same operation on other values, its outputs one for each row.
    fn again(&self, e: &mut TraceEmitter, inputs: &[Val]) -> Result<Vec<Rowed>> {
        let outputs = e.emit(self.op.clone(), inputs)?;
        Ok(outputs.into_iter().map(Rowed::Each).collect())
    }

    /// Input `i` for each row.
    fn each(&self, e: &mut TraceEmitter, i: usize) -> Result<Val> {
        e.each(&self.inputs[i], self.rows)
    }

    /// The rank of input `i` in one row.
    fn rank(&self, i: usize) -> Option<usize> {
        self.specs[i].shape.rank()
    }
}
