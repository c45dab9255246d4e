//! Nodes with gradients of the program's own, from messages.
//!
//! Such a node is an `IdentityN`, whose outputs are results, then arguments of what computed these. Its gradient is a
//! function of the library that takes the gradients of all outputs, then what it captured, and gives those of the inputs.

use crate::foreign::ForeignGradient;
use crate::nodes::{Body, emitted};
use crate::region::{expect_args, standing};
use ferrograph_formats::messages::{NodeDef, Structure, StructuredValue};
use ferrograph_graph::{Emitter, Grad, Graph, Val, ValueId, run_nodes};
use ferrograph_ops::CustomGradient;
use ferrograph_ops::emit::*;
use ferrograph_tensor::{DType, ErrorKind, Result, TensorSpec, bail};
use ferrograph_transform::{densify, traced};
use std::sync::Arc;

/// A node with a gradient of the program's own.
///
/// # Errors
/// Those of the function that is its gradient, but for an operation of it that there is not here: then, and where no
/// gradient was saved, asking for one is an error.
pub fn with_gradient(
    body: &mut Body<'_, '_>,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Vec<ValueId>> {
    match found(body, node, inputs)? {
        Ok((gradient, captured)) => custom(body, node, inputs, &gradient, &captured),
        Err(why) => {
            let op = Arc::new(ForeignGradient { why });
            emitted(&mut body.scope.builder, op, inputs, node)
        }
    }
}

/// What the function of a gradient gives for an input of its node.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Nothing.
    None,
    /// One tensor.
    Dense,
    /// Rows, their numbers and, where there are three tensors, the shape of all rows.
    Slices(usize),
}

/// The function that is the gradient of a node.
struct Gradient {
    name: String,
    graph: Arc<Graph>,
    parts: Vec<Part>,
}

/// The gradient of a node with what it captured, or why there is none.
fn found(
    body: &mut Body<'_, '_>,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Result<(Gradient, Vec<ValueId>), String>> {
    let name = match body.functions.registered.of_node(node, body.name) {
        Ok(name) => name,
        Err(why) => return Ok(Err(why)),
    };
    let graph = match body.functions.graph(name) {
        Err(e) if e.kind() == ErrorKind::Unimplemented => {
            return Ok(Err(format!(
                "its gradient is not read here: {}",
                e.message()
            )));
        }
        graph => standing(graph?)?,
    };
    let registered = &body.functions.registered;
    let captured = registered
        .bound(name)
        .iter()
        .chain(registered.further(name));
    let captured = captured
        .map(|c| body.captured(*c))
        .collect::<Result<Vec<_>>>();
    let captured = match captured {
        Ok(captured) => captured,
        Err(e) => {
            return Ok(Err(format!(
                "its gradient {name:?} is not sound: {}",
                e.message()
            )));
        }
    };
    let what = format!("its gradient {name:?}");
    let given = [inputs, &captured].concat();
    expect_args(&body.scope.builder, &graph, &given, &what)?;
    let parts = parts(registered.results(name));
    let n_tensors: usize = parts.iter().map(|p| p.n_tensors()).sum();
    if parts.len() != inputs.len() || n_tensors != graph.outputs.len() {
        bail!(
            InvalidArgument,
            "{what} gives {} gradients of {n_tensors} tensors for {} inputs, and has {} results",
            parts.len(),
            inputs.len(),
            graph.outputs.len()
        );
    }
    let name = name.to_owned();
    Ok(Ok((Gradient { name, graph, parts }, captured)))
}

impl Part {
    fn n_tensors(self) -> usize {
        match self {
            Part::None => 0,
            Part::Dense => 1,
            Part::Slices(n) => n,
        }
    }
}

/// The parts that the structure of a gradient's results says.
fn parts(results: Option<&StructuredValue>) -> Vec<Part> {
    let part = |value: &StructuredValue| match &value.kind {
        None | Some(Structure::None(_)) => Part::None,
        Some(Structure::Type(t)) => match t.num_flat_components {
            n @ (2 | 3) => Part::Slices(n.unsigned_abs() as usize),
            _ => Part::Dense,
        },
        _ => Part::Dense,
    };
    match results.and_then(|r| r.kind.as_ref()) {
        Some(Structure::List(all) | Structure::Tuple(all)) => all.values.iter().map(part).collect(),
        _ => Vec::new(),
    }
}

/// The node: results are those of its outputs that are used, arguments are those of its inputs that have a gradient.
fn custom(
    body: &mut Body<'_, '_>,
    node: &NodeDef,
    inputs: &[ValueId],
    gradient: &Gradient,
    captured: &[ValueId],
) -> Result<Vec<ValueId>> {
    let n_results = body.n_used(node).min(inputs.len());
    let builder = &mut body.scope.builder;
    let spec = |v: &ValueId| builder.value(*v).spec.clone();
    let has =
        |i: &usize| gradient.parts[*i] != Part::None && spec(&inputs[*i]).dtype.is_differentiable();
    let args: Vec<usize> = (0..inputs.len()).filter(has).collect();
    // Inputs whose shapes the gradient needs.
    let shapes = |i: &usize| {
        let is_unused = *i >= n_results && takes(&gradient.graph, *i);
        is_unused || matches!(gradient.parts[*i], Part::Slices(_))
    };
    let shapes: Vec<usize> = (0..inputs.len()).filter(shapes).collect();
    let mut taken: Vec<ValueId> = inputs[..n_results].to_vec();
    let further = shapes
        .iter()
        .map(|&i| inputs[i])
        .chain(captured.iter().copied());
    let further: Vec<ValueId> = further.collect();
    let specs: Vec<TensorSpec> = taken.iter().chain(&further).map(spec).collect();
    let of = Backward {
        gradient,
        n_inputs: inputs.len(),
        n_results,
        shapes: &shapes,
        args: &args,
    };
    let backward = traced(&gradient.name, &specs, |e, given| of.emitted(e, given))?;
    taken.extend(args.iter().map(|&i| inputs[i]));
    taken.extend(further);
    let op = CustomGradient {
        backward,
        n_results,
        gradients: (0..).take(args.len()).collect(),
    };
    emitted(builder, Arc::new(op), &taken, node)
}

/// Whether a graph does something with an input.
fn takes(graph: &Graph, input: usize) -> bool {
    let value = &graph.inputs[input];
    graph.outputs.contains(value) || graph.nodes.iter().any(|n| n.inputs.contains(value))
}

/// What the gradients of the arguments are made of: gradients of the results, inputs whose shapes matter, captures.
struct Backward<'g> {
    gradient: &'g Gradient,
    n_inputs: usize,
    n_results: usize,
    shapes: &'g [usize],
    args: &'g [usize],
}

impl Backward<'_> {
    fn emitted(&self, e: &mut dyn Emitter, given: &[Val]) -> Result<Vec<Val>> {
        let graph = &self.gradient.graph;
        let (upstream, given) = given.split_at(self.n_results);
        let (shaped, captured) = given.split_at(self.shapes.len());
        let input = |i: usize| {
            self.shapes
                .iter()
                .position(|s| *s == i)
                .map(|at| &shaped[at])
        };
        let mut taken = upstream.to_vec();
        for i in self.n_results..self.n_inputs {
            taken.push(match input(i) {
                Some(value) => e.zeros_like(value)?,
                // Nothing takes it.
                None => upstream[0].clone(),
            });
        }
        taken.extend_from_slice(captured);
        let found = run_nodes(
            graph,
            taken,
            &graph.outputs,
            |_| true,
            |node, ins| e.emit(node.op.clone(), &ins),
        )?;
        let mut results = Vec::with_capacity(self.args.len());
        let mut at = 0;
        for (i, part) in self.gradient.parts.iter().enumerate() {
            let tensors = &found[at..at + part.n_tensors()];
            at += part.n_tensors();
            if self.args.contains(&i) {
                results.push(dense(e, tensors, input(i))?);
            }
        }
        Ok(results)
    }
}

/// A gradient as one tensor: rows are added into zeros of the shape of their input.
fn dense(e: &mut dyn Emitter, tensors: &[Val], input: Option<&Val>) -> Result<Val> {
    match (tensors, input) {
        ([values, indices, ..], Some(input)) => {
            let dense_shape = e.shape(input, DType::Int32)?;
            densify(
                e,
                &Grad::Slices {
                    values: values.clone(),
                    indices: indices.clone(),
                    dense_shape,
                },
            )
        }
        ([value, ..], _) => Ok(value.clone()),
        ([], _) => bail!(Internal, "a gradient without tensors"),
    }
}
