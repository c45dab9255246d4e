//! Gradients of the program's own, as functions that a library registers.
//!
//! A node with such a gradient becomes a call of a function that takes the results, their arguments, and what the gradient
//! captured. There an `IdentityN` passes results and arguments on; the function that is its gradient names what it
//! captured as tensors of that function, wherever the call stands: in a branch, a loop, another function.

use super::{Library, arg_def, name_gradient};
use crate::attributes::{dtype_value, dtypes_value, function_value, shapes_value, value};
use crate::held::{handle_data, held_by};
use crate::region::with_ends;
use crate::types::shape_message;
use crate::vocabulary::INLINE;
use ferrograph_formats::messages::{
    ArgDef, AttrContent, CapturedTensor, Empty, FunctionDef, NodeDef, OpDef, SavedConcreteFunction,
    SavedKind, SavedObject, SavedObjectGraph, Structure, StructuredDict, StructuredList,
    StructuredValue, TensorSpecProto,
};
use ferrograph_graph::{Graph, Node};
use ferrograph_ops::CustomGradient;
use ferrograph_tensor::{DType, Result, TensorSpec};
use std::sync::Arc;

/// The node that has the gradient, in its function.
const IDENTITY: &str = "IdentityN";

/// A gradient that is registered.
pub(super) struct Gradient {
    /// What its node calls it.
    pub kind: String,
    /// The function that gives it.
    pub function: String,
    holder: String,
    captured: Vec<String>,
    upstream: Vec<TensorSpec>,
    // What it gives for each output of the node.
    found: Vec<Option<TensorSpec>>,
}

/// The function of a node with a gradient of the program's own.
struct Holder {
    /// The types of results, arguments and captures.
    taken: Vec<TensorSpec>,
    /// The same, with what variables hold in the places of these.
    values: Vec<TensorSpec>,
    n_results: usize,
    n_args: usize,
    /// What is known of values in the places of variables.
    held: Vec<Option<TensorSpec>>,
}

impl Library {
    /// A node with a gradient of the program's own, as the call of a function that holds it.
    pub(super) fn custom_gradient(
        &mut self,
        graph: &Graph,
        node: &Node,
        op: &CustomGradient,
        made: &mut NodeDef,
    ) -> Result<()> {
        let n_results = op.n_results;
        let outputs = &op.backward.outputs;
        let place =
            |(i, p): (usize, &i64)| Some((n_results + i, *outputs.get(usize::try_from(*p).ok()?)?));
        let args: Vec<_> = op.gradients.iter().enumerate().filter_map(place).collect();
        let first_capture = n_results + op.gradients.len();
        let kept = args.iter().map(|(i, _)| *i);
        let kept = (0..n_results)
            .chain(kept)
            .chain(first_capture..node.inputs.len());
        let kept: Vec<usize> = kept.collect();
        made.input = kept.iter().map(|&i| made.input[i].clone()).collect();
        let taken = kept.iter().map(|&i| graph.spec(node.inputs[i]).clone());
        let taken: Vec<TensorSpec> = taken.collect();
        let found: Vec<_> = args.iter().map(|(_, v)| *v).collect();
        let backward = &op.backward;
        let backward = Arc::new(with_ends(
            backward,
            &backward.inputs,
            backward.inputs.len(),
            &found,
        ));
        let mut values = taken.clone();
        for (spec, gradient) in values[n_results..].iter_mut().zip(backward.output_specs()) {
            if spec.dtype == DType::Resource {
                spec.clone_from(gradient);
            }
        }
        let captured = backward.inputs[n_results..].iter();
        let captured = captured.map(|v| held_by(&backward, *v));
        let held = values[..n_results + args.len()]
            .iter()
            .cloned()
            .map(Some)
            .chain(captured);
        let holder = Holder {
            held: held.collect(),
            taken,
            values,
            n_results,
            n_args: args.len(),
        };
        let name = self.register(&backward, &holder)?;
        holder.call(made, name);
        Ok(())
    }

    /// Adds a gradient and the function that holds its node: the name of that.
    fn register(&mut self, backward: &Arc<Graph>, holder: &Holder) -> Result<String> {
        let (n, n_outputs) = (holder.n_results, holder.n_results + holder.n_args);
        let args = (0..holder.taken.len()).filter(|i| *i < n || *i >= n_outputs);
        let fed: Vec<u32> = args.map(|i| u32::try_from(i).unwrap_or(u32::MAX)).collect();
        let function = self.function(backward, &holder.values, &fed, &[])?;
        let name = self.unique("with_custom_gradient");
        let kind = format!("CustomGradient-{}", self.gradients.len());
        self.functions.push(holder.written(&name, &kind));
        let mut found = vec![None; n];
        found.extend(backward.output_specs().cloned().map(Some));
        self.gradients.push(Gradient {
            kind,
            function,
            holder: name.clone(),
            captured: holder.names().split_off(n_outputs),
            upstream: holder.values[..n_outputs].to_vec(),
            found,
        });
        Ok(name)
    }
}

impl Holder {
    /// What the arguments of the function are called.
    fn names(&self) -> Vec<String> {
        let named = |hint: &'static str, n| (0..n).map(move |i| format!("{hint}_{i}"));
        let n_outputs = self.n_results + self.n_args;
        let names = named("result", self.n_results).chain(named("arg", self.n_args));
        names
            .chain(named("captured", self.taken.len() - n_outputs))
            .collect()
    }

    fn is_stateful(&self) -> bool {
        self.outputs()
            .any(|(_, spec)| spec.dtype == DType::Resource)
    }

    /// What the outputs of the node are in the function.
    fn outputs(&self) -> impl Iterator<Item = (usize, &TensorSpec)> {
        self.taken
            .iter()
            .enumerate()
            .take(self.n_results + self.n_args)
    }

    /// Makes a node a call of the function.
    fn call(&self, made: &mut NodeDef, function: String) {
        made.op = match self.is_stateful() {
            true => "StatefulPartitionedCall".into(),
            false => "PartitionedCall".into(),
        };
        let dtypes: Vec<DType> = self.taken.iter().map(|s| s.dtype).collect();
        made.attr.insert("f".into(), function_value(function));
        made.attr.insert("Tin".into(), dtypes_value(&dtypes));
        made.attr
            .insert("Tout".into(), dtypes_value(&dtypes[..self.n_results]));
        made.attr.insert(INLINE.into(), value(AttrContent::B(true)));
    }

    /// The function, whose node has a gradient of that name.
    fn written(&self, name: &str, kind: &str) -> FunctionDef {
        let names = self.names();
        let mut def = FunctionDef::default();
        let mut identity = NodeDef {
            name: IDENTITY.into(),
            op: IDENTITY.into(),
            ..NodeDef::default()
        };
        for (i, spec) in self.outputs() {
            identity.input.push(match spec.dtype {
                DType::Resource => {
                    def.node_def.push(read(&names[i], self.values[i].dtype));
                    format!("{}:value:0", reading(&names[i]))
                }
                _ => names[i].clone(),
            });
        }
        let dtypes: Vec<DType> = self.values.iter().map(|s| s.dtype).collect();
        let dtypes = dtypes_value(&dtypes[..identity.input.len()]);
        identity.attr.insert("T".into(), dtypes);
        name_gradient(&mut identity, kind);
        def.node_def.push(identity);
        let mut signature = OpDef {
            name: name.to_owned(),
            is_stateful: self.is_stateful(),
            ..OpDef::default()
        };
        for ((spec, arg), held) in self.taken.iter().zip(&names).zip(&self.held) {
            let held = held.as_ref().filter(|_| spec.dtype == DType::Resource);
            signature.input_arg.push(ArgDef {
                handle_data: handle_data(held),
                ..arg_def(arg, spec.dtype)
            });
        }
        for i in 0..self.n_results {
            let result = format!("output_{i}");
            signature
                .output_arg
                .push(arg_def(&result, self.taken[i].dtype));
            def.ret.insert(result, format!("{IDENTITY}:output:{i}"));
        }
        let shapes = shapes_value(self.taken.iter().map(|s| s.shape.clone()));
        def.attr.insert("_input_shapes".into(), shapes);
        def.signature = Some(signature);
        def
    }
}

fn reading(variable: &str) -> String {
    format!("{variable}_value")
}

/// A node that reads a variable.
fn read(variable: &str, dtype: DType) -> NodeDef {
    NodeDef {
        name: reading(variable),
        op: "ReadVariableOp".into(),
        input: vec![variable.to_owned()],
        attr: [("dtype".to_owned(), dtype_value(dtype))].into(),
        ..NodeDef::default()
    }
}

impl Gradient {
    /// Adds to the objects of a model what the gradient takes and gives, and objects for what it captured.
    pub(super) fn add_to(&self, objects: &mut SavedObjectGraph) {
        let mut bound_inputs = Vec::with_capacity(self.captured.len());
        for name in &self.captured {
            bound_inputs.push(i32::try_from(objects.nodes.len()).unwrap_or(i32::MAX));
            objects.nodes.push(SavedObject {
                kind: Some(SavedKind::Captured(CapturedTensor {
                    name: format!("{name}:0"),
                    concrete_function: self.holder.clone(),
                })),
                ..SavedObject::default()
            });
        }
        let upstream = self.upstream.iter().enumerate();
        let upstream = upstream.map(|(i, spec)| spec_value(format!("result_grads_{i}"), spec));
        // The first argument is a placeholder of the node.
        let args = std::iter::once(none()).chain(upstream).collect();
        let keywords = structure(Structure::Dict(StructuredDict::default()));
        let args = vec![list(args, Structure::Tuple), keywords];
        let found = self.found.iter().enumerate();
        let found = found.map(|(i, spec)| match spec {
            Some(spec) => spec_value(format!("gradient_{i}"), spec),
            None => none(),
        });
        let surroundings = SavedConcreteFunction {
            bound_inputs,
            canonicalized_input_signature: Some(list(args, Structure::Tuple)),
            output_signature: Some(list(found.collect(), Structure::List)),
        };
        objects
            .concrete_functions
            .insert(self.function.clone(), surroundings);
    }
}

fn structure(kind: Structure) -> StructuredValue {
    StructuredValue { kind: Some(kind) }
}

fn none() -> StructuredValue {
    structure(Structure::None(Empty {}))
}

fn list(values: Vec<StructuredValue>, kind: fn(StructuredList) -> Structure) -> StructuredValue {
    structure(kind(StructuredList { values }))
}

fn spec_value(name: String, spec: &TensorSpec) -> StructuredValue {
    structure(Structure::Spec(TensorSpecProto {
        name,
        shape: Some(shape_message(&spec.shape)),
        dtype: spec.dtype.graphdef_code(),
    }))
}
