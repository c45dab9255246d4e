//! Graphs to functions of a library.

mod gradients;
mod loops;

use crate::attributes::{
    dtype_value, dtypes_value, exact_floats, function_value, message_of, shapes_value, value,
};
use crate::foreign::ForeignGradient;
use crate::held::{handle_data, held_by};
use crate::names::Names;
use crate::vocabulary::{
    GRADIENT, OUTPUT_SHAPES, OWN, OWN_GRADIENT, OWN_OP, further_types, has_no_type, public_attr,
    public_op,
};
use ferrograph_formats::messages::{
    ArgDef, AttrContent, AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef,
    RegisteredGradient, SavedObjectGraph, VersionDef,
};
use ferrograph_graph::{Attr, Decl, Effect, Graph, Kind, Node, NodeId, Op, Region, Role};
use ferrograph_ops::{Call, CustomGradient, RecursiveCall, While};
use ferrograph_tensor::{DType, Result, TensorSpec, bail};
use ferrograph_transform::{effect_edges, plain_loop};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a graph is as a function: the types of its arguments, which of them feed its inputs, and which of them are
/// further results.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Shape {
    graph: usize,
    fed: Vec<u32>,
    passed: Vec<u32>,
}

/// Functions that are being written.
#[derive(Default)]
pub struct Library {
    functions: Vec<FunctionDef>,
    names: HashSet<String>,
    known: HashMap<Shape, String>,
    // What the results of functions are called, by the names of these.
    results: HashMap<String, Vec<String>>,
    // Graphs are known by their place in memory, which nobody else must get meanwhile.
    kept: Vec<Arc<Graph>>,
    form: Form,
    gradients: Vec<gradients::Gradient>,
    // Nodes that the node takes from that was written last, to be written before it.
    sources: Vec<NodeDef>,
}

/// How gradients of the program's own are written.
#[derive(Clone, Copy, Default, PartialEq)]
enum Form {
    /// As attributes that only this project reads.
    #[default]
    Attributes,
    /// As functions that the library registers, with objects of a model that tell what these captured.
    Registered,
    /// Not at all: who asks for one is told so.
    Left,
}

impl Library {
    /// A library without functions.
    pub fn new() -> Library {
        Library::default()
    }

    /// A library without functions for a model, with the gradients of the program's own or without them.
    pub fn of_model(with_gradients: bool) -> Library {
        Library {
            form: match with_gradients {
                true => Form::Registered,
                false => Form::Left,
            },
            ..Library::default()
        }
    }

    /// The name of the function that a graph is, added with all that it calls where it is not there yet.
    ///
    /// # Errors
    /// `Unimplemented` for a node that no message can hold, which is named.
    pub fn add(&mut self, graph: &Arc<Graph>) -> Result<String> {
        let specs: Vec<TensorSpec> = graph.input_specs().cloned().collect();
        let fed: Vec<u32> = (0..).take(specs.len()).collect();
        self.function(graph, &specs, &fed, &[])
    }

    /// The functions.
    pub fn finish(self) -> FunctionDefLibrary {
        FunctionDefLibrary {
            function: self.functions,
            ..FunctionDefLibrary::default()
        }
    }

    /// The functions and gradients of a model, to whose objects what these captured is added.
    pub fn finish_model(self, objects: &mut SavedObjectGraph) -> FunctionDefLibrary {
        let registered = self.gradients.iter().map(|gradient| {
            gradient.add_to(objects);
            RegisteredGradient {
                gradient_func: gradient.function.clone(),
                registered_op_type: gradient.kind.clone(),
            }
        });
        FunctionDefLibrary {
            registered_gradients: registered.collect(),
            function: self.functions,
        }
    }

    /// The function of these arguments that a graph is, see [`Shape`].
    fn function(
        &mut self,
        graph: &Arc<Graph>,
        args: &[TensorSpec],
        fed: &[u32],
        passed: &[u32],
    ) -> Result<String> {
        let shape = Shape {
            graph: Arc::as_ptr(graph).addr(),
            fed: fed.to_vec(),
            passed: passed.to_vec(),
        };
        if let Some(name) = self.known.get(&shape) {
            return Ok(name.clone());
        }
        let name = self.unique(&graph.name);
        let names = Names::of(graph, args.len(), fed);
        // Known before it is written: it may call itself.
        let results = names.results(graph.outputs.len() + passed.len());
        self.results.insert(name.clone(), results);
        self.known.insert(shape, name.clone());
        self.kept.push(graph.clone());
        let made = self.written(graph, &name, names, args, passed)?;
        self.functions.push(made);
        Ok(name)
    }

    fn unique(&mut self, hint: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let hint: String = hint.chars().map(plain).collect();
        let mut name = hint.clone();
        let mut n = 0;
        while !self.names.insert(name.clone()) {
            n += 1;
            name = format!("{hint}_{n}");
        }
        name
    }

    fn written(
        &mut self,
        graph: &Graph,
        name: &str,
        mut names: Names,
        args: &[TensorSpec],
        passed: &[u32],
    ) -> Result<FunctionDef> {
        let mut def = FunctionDef::default();
        let mut signature = OpDef {
            name: name.to_owned(),
            is_stateful: graph.effect() != Effect::Pure,
            ..OpDef::default()
        };
        for (i, (spec, arg)) in args.iter().zip(&names.args).enumerate() {
            let held = names.fed_by(graph, i).and_then(|v| held_by(graph, v));
            signature.input_arg.push(ArgDef {
                handle_data: handle_data(held.as_ref()),
                ..arg_def(arg, spec.dtype)
            });
        }
        let shapes = shapes_value(args.iter().map(|spec| spec.shape.clone()));
        def.attr.insert("_input_shapes".into(), shapes);
        let edges = effect_edges(graph);
        for (id, node) in graph.iter() {
            if names.inputs.contains(&id) {
                continue;
            }
            let mut made = self.node(graph, id, &mut names)?;
            for before in edges[id.index()].iter().chain(&node.control) {
                let control = format!("^{}", graph.node(*before).name);
                if !names.inputs.contains(before) && !made.input.contains(&control) {
                    made.input.push(control);
                }
            }
            if node.op.effect() >= Effect::Reads {
                signature.control_output.push(made.name.clone());
                def.control_ret.insert(made.name.clone(), made.name.clone());
            }
            def.node_def.append(&mut self.sources);
            def.node_def.push(made);
        }
        let own = graph
            .outputs
            .iter()
            .map(|v| (names.value(graph, *v), graph.spec(*v).dtype));
        let further = passed
            .iter()
            .map(|&i| (names.args[i as usize].clone(), args[i as usize].dtype));
        let results = self.results.get(name).cloned().unwrap_or_default();
        for (result, (from, dtype)) in results.into_iter().zip(own.chain(further)) {
            signature.output_arg.push(arg_def(&result, dtype));
            def.ret.insert(result, from);
        }
        def.signature = Some(signature);
        Ok(def)
    }

    fn node(&mut self, graph: &Graph, id: NodeId, names: &mut Names) -> Result<NodeDef> {
        let node = graph.node(id);
        let op = node.op.name();
        let inputs = node.inputs.iter().map(|v| names.value(graph, *v)).collect();
        let mut made = NodeDef {
            name: node.name.to_string(),
            op: public_op(op).to_owned(),
            input: inputs,
            ..NodeDef::default()
        };
        let custom = node.op.downcast::<CustomGradient>();
        let written = if let Some(call) = node.op.downcast::<RecursiveCall>() {
            self.recursive(graph, id, call, &mut made, names)
        } else if let Some(custom) = custom.filter(|_| self.form == Form::Registered) {
            self.custom_gradient(graph, node, custom, &mut made)
        } else if let Some(custom) = custom.filter(|_| self.form == Form::Left) {
            made.input.truncate(custom.n_results);
            without_gradient(graph, node, &mut made)
        } else if node.op.downcast::<ForeignGradient>().is_some() {
            without_gradient(graph, node, &mut made)
        } else if let Some(looped) = (node.op.downcast::<While>())
            .filter(|l| l.recorded.is_none() && self.form != Form::Attributes)
        {
            names.gives_before(id, loops::N_COUNTERS);
            let inputs: Vec<_> = node.inputs.iter().map(|v| graph.spec(*v).clone()).collect();
            self.counted(looped, &inputs, &mut made, names)
        } else {
            self.attrs(graph, node, &mut made)
        };
        written.map_err(|e| {
            ferrograph_tensor::Error::new(
                e.kind(),
                format!(
                    "node {:?} ({op}) of {:?} cannot be saved: {}",
                    node.name,
                    graph.name,
                    e.message()
                ),
            )
            .at(node.origin.as_ref())
        })?;
        Ok(made)
    }

    fn attrs(&mut self, graph: &Graph, node: &Node, made: &mut NodeDef) -> Result<()> {
        let op = node.op.name();
        let Some(decl) = ferrograph_data::registry().decl(op) else {
            bail!(
                Unimplemented,
                "it runs code of this process, as py_function, numpy_function and CriticalSection do"
            );
        };
        let inputs: Vec<TensorSpec> = node.inputs.iter().map(|v| graph.spec(*v).clone()).collect();
        let outputs: Vec<DType> = node.outputs.iter().map(|v| graph.spec(*v).dtype).collect();
        if let Some(call) = node.op.downcast::<Call>() {
            return self.call_attrs(call, &call.graph, &inputs, &outputs, made);
        }
        if let Some(lp) = node.op.downcast::<While>() {
            if lp.recorded.is_none() {
                return self.while_attrs(lp, &inputs, made);
            }
            let call = Call::of(plain_loop(lp, &inputs)?);
            return self.call_attrs(&call, &call.graph, &inputs, &outputs, made);
        }
        let roles = node.op.regions();
        if roles.iter().any(|r| r.role == Role::Branch) {
            let shapes = node.outputs.iter().map(|v| graph.spec(*v).shape.clone());
            made.attr
                .insert("output_shapes".into(), shapes_value(shapes));
            return self.branch_attrs(&roles, &inputs, &outputs, made);
        }
        if made.op != op {
            let content = AttrContent::S(op.as_bytes().to_vec());
            made.attr.insert(OWN_OP.into(), value(content));
            name_gradient(made, OWN_GRADIENT);
        }
        for (name, attr) in node.op.attrs().iter() {
            let message = match attr {
                Attr::Graph(graph) => function_value(self.add(graph)?),
                other => message_of(other)?,
            };
            if let Some(exact) = exact_floats(attr)? {
                made.attr.insert(format!("{OWN}{name}"), exact);
            }
            made.attr.insert(public_attr(op, name), message);
        }
        type_attrs(decl, &inputs, &outputs, made)
    }

    /// A call of a function by its name: calls by attribute of one within itself bring other programs down.
    fn recursive(
        &mut self,
        graph: &Graph,
        id: NodeId,
        call: &RecursiveCall,
        made: &mut NodeDef,
        names: &mut Names,
    ) -> Result<()> {
        let f = self.add(&call.graph()?)?;
        names.calls(id, self.results.get(&f).cloned().unwrap_or_default());
        made.op = f;
        let outputs = graph.node(id).outputs.iter();
        let shapes = shapes_value(outputs.map(|v| graph.spec(*v).shape.clone()));
        made.attr.insert(OUTPUT_SHAPES.into(), shapes);
        Ok(())
    }

    fn call_attrs(
        &mut self,
        op: &Call,
        graph: &Arc<Graph>,
        inputs: &[TensorSpec],
        outputs: &[DType],
        made: &mut NodeDef,
    ) -> Result<()> {
        made.op = op.name().to_owned();
        made.attr
            .insert("f".into(), function_value(self.add(graph)?));
        type_attrs(op.decl(), inputs, outputs, made)
    }

    /// The branches take what follows the condition, and the condition itself behind that where one of them does.
    fn branch_attrs(
        &mut self,
        branches: &[Region<'_>],
        inputs: &[TensorSpec],
        outputs: &[DType],
        made: &mut NodeDef,
    ) -> Result<()> {
        let mut taken = inputs[1..].to_vec();
        let last = u32::try_from(taken.len()).unwrap_or(u32::MAX);
        if branches.iter().any(|r| r.inputs.contains(&0)) {
            taken.push(inputs[0].clone());
            made.input.push(made.input[0].clone());
        }
        for (region, name) in branches.iter().zip(["then_branch", "else_branch"]) {
            let place = |i: &u32| i.checked_sub(1).unwrap_or(last);
            let fed: Vec<u32> = region.inputs.iter().map(place).collect();
            let f = self.function(region.graph, &taken, &fed, &[])?;
            made.attr.insert(name.into(), function_value(f));
        }
        let dtypes: Vec<DType> = taken.iter().map(|s| s.dtype).collect();
        made.attr.insert("Tcond".into(), dtype_value(DType::Bool));
        made.attr.insert("Tin".into(), dtypes_value(&dtypes));
        made.attr.insert("Tout".into(), dtypes_value(outputs));
        Ok(())
    }

    fn while_attrs(&mut self, op: &While, inputs: &[TensorSpec], made: &mut NodeDef) -> Result<()> {
        self.while_of(op, inputs, 0, made).map(drop)
    }

    /// A loop whose functions take so many scalars of int32 before its variables; the name of its body.
    fn while_of(
        &mut self,
        op: &While,
        inputs: &[TensorSpec],
        n_before: u32,
        made: &mut NodeDef,
    ) -> Result<String> {
        let first = n_before as usize;
        let mut types = vec![TensorSpec::scalar(DType::Int32); first];
        types.extend_from_slice(inputs);
        let n = first + op.vars.len();
        types[first..n].clone_from_slice(&op.vars);
        let passed: Vec<u32> = (0..).take(types.len()).skip(n).collect();
        let fed = |inputs: &[u32]| inputs.iter().map(|i| i + n_before).collect::<Vec<_>>();
        let cond = self.function(&op.cond.graph, &types, &fed(&op.cond.inputs), &[])?;
        let body = self.function(&op.body.graph, &types, &fed(&op.body.inputs), &passed)?;
        let dtypes: Vec<DType> = types.iter().map(|s| s.dtype).collect();
        made.attr.insert("cond".into(), function_value(cond));
        made.attr
            .insert("body".into(), function_value(body.clone()));
        made.attr.insert("T".into(), dtypes_value(&dtypes));
        let shapes = types.iter().map(|s| s.shape.clone());
        made.attr
            .insert("output_shapes".into(), shapes_value(shapes));
        Ok(body)
    }
}

/// Names the gradient of a node that is not its operation's.
fn name_gradient(made: &mut NodeDef, kind: &str) {
    let content = AttrContent::S(kind.as_bytes().to_vec());
    made.attr.insert(GRADIENT.into(), value(content));
}

/// Values as they are, with a gradient that nobody knows.
fn without_gradient(graph: &Graph, node: &Node, made: &mut NodeDef) -> Result<()> {
    made.op = "IdentityN".into();
    name_gradient(made, OWN_GRADIENT);
    let dtypes = node.outputs.iter().map(|v| graph.spec(*v).dtype);
    let dtypes = dtypes_value(&dtypes.collect::<Vec<_>>());
    made.attr.insert("T".into(), dtypes);
    Ok(())
}

fn arg_def(name: &str, dtype: DType) -> ArgDef {
    ArgDef {
        name: name.to_owned(),
        r#type: dtype.graphdef_code(),
        ..ArgDef::default()
    }
}

/// The attributes that follow from the inputs and outputs of a node.
fn type_attrs(
    decl: &Decl,
    inputs: &[TensorSpec],
    outputs: &[DType],
    made: &mut NodeDef,
) -> Result<()> {
    let dtypes: Vec<DType> = inputs.iter().map(|s| s.dtype).collect();
    let mut derived: BTreeMap<String, AttrValue> = BTreeMap::new();
    for (name, attr) in decl.type_attrs(&dtypes).iter() {
        derived.insert(name.to_owned(), message_of(attr)?);
    }
    let n_lists = decl.outputs.iter().filter(|p| p.kind.is_list()).count();
    let mut at = 0;
    for port in decl.outputs {
        let n = match (port.kind.is_list(), n_lists) {
            (false, _) => 1,
            (true, 1) => (outputs.len() + 1).saturating_sub(decl.outputs.len()),
            (true, _) => break,
        };
        let own = outputs.get(at..at + n).unwrap_or_default();
        at += n;
        let count = value(AttrContent::I(i64::try_from(n).unwrap_or(i64::MAX)));
        match (port.kind, own.first()) {
            (Kind::Var(name, _), Some(dtype)) => {
                derived
                    .entry(name.to_owned())
                    .or_insert_with(|| dtype_value(*dtype));
            }
            (Kind::List(name, _, number), first) => {
                derived.entry(number.to_owned()).or_insert(count);
                if let Some(dtype) = first {
                    derived
                        .entry(name.to_owned())
                        .or_insert_with(|| dtype_value(*dtype));
                }
            }
            (Kind::Copies(_, number), _) => {
                derived.entry(number.to_owned()).or_insert(count);
            }
            (Kind::Each(name), _) => {
                derived
                    .entry(name.to_owned())
                    .or_insert_with(|| dtypes_value(own));
            }
            _ => {}
        }
    }
    if let (Some(name), Some(dtype)) = (further_types(decl.name), outputs.first()) {
        derived.insert(name.to_owned(), dtype_value(*dtype));
    }
    for (name, message) in derived {
        if !has_no_type(decl.name, &name) {
            made.attr.entry(name).or_insert(message);
        }
    }
    Ok(())
}

/// The message of a graph: its inputs are `Placeholder` nodes, and what it calls is in its library.
///
/// # Errors
/// `Unimplemented` for a node that no message can hold, which is named.
pub fn graph_message(graph: &Graph) -> Result<GraphDef> {
    let mut library = Library::new();
    let mut names = Names::of_graph();
    let edges = effect_edges(graph);
    let mut nodes = Vec::with_capacity(graph.nodes.len());
    for (id, node) in graph.iter() {
        let mut made = library.node(graph, id, &mut names)?;
        for before in edges[id.index()].iter().chain(&node.control) {
            let control = format!("^{}", graph.node(*before).name);
            if !made.input.contains(&control) {
                made.input.push(control);
            }
        }
        nodes.push(made);
    }
    Ok(GraphDef {
        node: nodes,
        library: Some(library.finish()),
        versions: Some(VersionDef {
            producer: PRODUCER,
            min_consumer: 0,
        }),
    })
}

/// The version of the public operations that graphs are written for.
pub const PRODUCER: i32 = 2000;
