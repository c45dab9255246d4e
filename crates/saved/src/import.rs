//! Functions of a library to graphs.

use crate::nodes::{Body, Scope};
use crate::registered::Registered;
use crate::types::{dtype_of, partial_shape_of};
use crate::vocabulary::OUTPUT_SHAPES;
use ferrograph_formats::messages::{
    ArgDef, AttrContent, FunctionDef, FunctionDefLibrary, NodeDef, TensorShapeProto,
};
use ferrograph_graph::{Attr, Emitter, Graph, GraphBuilder, MAX_DEPTH};
use ferrograph_ops::{Placeholder, RecursiveCall, RecursiveHandle};
use ferrograph_tensor::{Error, PartialShape, Result, Tensor, TensorSpec, bail, err};
use ferrograph_transform::{close_recursion, traced};
use hashbrown::HashMap;
use std::sync::Arc;

/// The graph that replaces an operation that there is not here, with these attributes and inputs, and what its
/// results are called; none for an operation that nobody knows. Of inputs that are constants their values are told.
pub type Expander<'a> = Box<dyn FnMut(&str, &[(String, Attr)], &[Told]) -> Result<Expanded> + 'a>;
/// What is known of an input.
pub type Told = (TensorSpec, Option<Tensor>);
/// What an [`Expander`] gives.
pub type Expanded = Option<(Arc<Graph>, Vec<String>)>;

/// The functions of a library, of which graphs are made when they are asked for, each once.
pub struct Functions<'a> {
    defs: HashMap<&'a str, &'a FunctionDef>,
    made: HashMap<&'a str, Arc<Graph>>,
    // Those that call functions that are being made around them: they hold for the outermost of these alone.
    inner: HashMap<&'a str, Arc<Graph>>,
    // Those that are being made, the outermost first.
    open: Vec<Open<'a>>,
    expander: Option<Expander<'a>>,
    /// The gradients of nodes in them.
    pub(crate) registered: Registered<'a>,
}

/// A function that is being made.
struct Open<'a> {
    name: &'a str,
    // What calls of it within it name.
    handle: Option<Arc<RecursiveHandle>>,
    // The outermost of those being made that it calls.
    lowest: usize,
}

/// A function as a node that calls it finds it.
pub enum Callee {
    /// It is made.
    Whole(Arc<Graph>),
    /// It is being made: the node stands in it, or in what it calls.
    Open(Arc<RecursiveHandle>),
}

impl<'a> Functions<'a> {
    /// The functions of that library.
    pub fn new(library: &'a FunctionDefLibrary) -> Functions<'a> {
        let named = |f: &'a FunctionDef| Some((f.signature.as_ref()?.name.as_str(), f));
        Functions {
            defs: library.function.iter().filter_map(named).collect(),
            made: HashMap::new(),
            inner: HashMap::new(),
            open: Vec::new(),
            expander: None,
            registered: Registered::default(),
        }
    }

    /// With the gradients that their model registers.
    #[must_use]
    pub(crate) fn with_gradients(mut self, registered: Registered<'a>) -> Functions<'a> {
        self.registered = registered;
        self
    }

    /// With what makes graphs of operations that there are not here.
    #[must_use]
    pub fn with_expander(mut self, expander: Expander<'a>) -> Functions<'a> {
        self.expander = Some(expander);
        self
    }

    /// The graph of an operation that there is not here.
    ///
    /// # Errors
    /// Those of the expander.
    pub fn expanded(
        &mut self,
        op: &str,
        attrs: &[(String, Attr)],
        inputs: &[Told],
    ) -> Result<Expanded> {
        match &mut self.expander {
            Some(expand) => expand(op, attrs, inputs),
            None => Ok(None),
        }
    }

    /// Whether there is a function of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.defs.contains_key(name)
    }

    /// What the results of the function of that name are called.
    pub fn results(&self, name: &str) -> Vec<String> {
        let signature = self.defs.get(name).and_then(|def| def.signature.as_ref());
        let results = signature.iter().flat_map(|s| &s.output_arg);
        results.map(|r| r.name.clone()).collect()
    }

    /// The function of that name as a graph, all of whose inputs are arguments; behind those that the message tells are
    /// the further ones that gradients in it need.
    ///
    /// # Errors
    /// `NotFound` for a name that is none, `Unimplemented` for an operation that there is not here, `InvalidArgument`
    /// for what is not well formed: these name function and node.
    pub fn graph(&mut self, name: &str) -> Result<Arc<Graph>> {
        match self.callee(name, &NodeDef::default())? {
            Callee::Whole(graph) => Ok(graph),
            Callee::Open(handle) => traced(name, handle.inputs(), |e, args| {
                let call = Arc::new(RecursiveCall::of(&handle));
                Ok(e.emit(call, args)?.into_vec())
            }),
        }
    }

    /// The function of that name as the node that calls it finds it.
    ///
    /// # Errors
    /// As [`Functions::graph`].
    pub fn callee(&mut self, name: &str, node: &NodeDef) -> Result<Callee> {
        if let Some(graph) = self.made.get(name) {
            return Ok(Callee::Whole(graph.clone()));
        }
        if let Some(graph) = self.inner.get(name).cloned() {
            self.note(0);
            return Ok(Callee::Whole(graph));
        }
        let Some((&name, &def)) = self.defs.get_key_value(name) else {
            bail!(NotFound, "there is no function {name:?} in the library");
        };
        if let Some(place) = self.open.iter().position(|o| o.name == name) {
            self.note(place);
            if self.open[place].handle.is_none() {
                self.open[place].handle = Some(handle_of(def, node)?);
            }
            let handle = self.open[place].handle.clone();
            return Ok(Callee::Open(handle.ok_or_else(|| {
                err!(Internal, "a recursive function has no handle")
            })?));
        }
        if self.open.len() >= MAX_DEPTH {
            bail!(
                ResourceExhausted,
                "functions call one another more than {MAX_DEPTH} deep, down to {name:?}"
            );
        }
        let made = self.tied(name, def);
        if self.open.is_empty() {
            self.inner.clear();
        }
        made.map(Callee::Whole)
    }

    /// Notes that the innermost function that is being made calls the one at that place.
    fn note(&mut self, place: usize) {
        if let Some(open) = self.open.last_mut() {
            open.lowest = open.lowest.min(place);
        }
    }

    /// Makes a function, which may call itself and those around it.
    fn tied(&mut self, name: &'a str, def: &'a FunctionDef) -> Result<Arc<Graph>> {
        self.open.push(Open {
            name,
            handle: None,
            lowest: usize::MAX,
        });
        let graph = self.made_of(name, def);
        let open = self.open.pop();
        let (mut graph, place) = (Arc::new(graph?), self.open.len());
        let Some(Open { handle, lowest, .. }) = open else {
            bail!(Internal, "no function is being made");
        };
        if let Some(handle) = handle {
            expect_results(&graph, &handle)?;
            graph = close_recursion(graph, &handle)?;
        }
        if lowest < place {
            self.note(lowest);
            self.inner.insert(name, graph.clone());
        } else {
            self.made.insert(name, graph.clone());
        }
        Ok(graph)
    }

    fn made_of(&mut self, name: &'a str, def: &'a FunctionDef) -> Result<Graph> {
        let within = |e: Error| {
            let text = match e.message().starts_with("function ") {
                true => e.message().to_owned(),
                false => format!("function {name:?}: {}", e.message()),
            };
            Error::new(e.kind(), text)
        };
        let mut scope = Scope::function(GraphBuilder::new(name));
        let args = signature_args(def);
        let mut inputs = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let spec = arg_spec(def, i, arg).map_err(within)?;
            let op = Arc::new(Placeholder::from(spec));
            let node = scope.builder.add(op, &[], Some(&arg.name), None)?;
            let value = scope.builder.node(node).outputs[0];
            scope.name_input(&arg.name, value);
            inputs.push(value);
        }
        let mut body = Body::of_function(self, scope, name, def);
        body.bind(&mut inputs).map_err(within)?;
        body.add_all(&def.node_def).map_err(within)?;
        let scope = body.scope;
        let results = def.signature.iter().flat_map(|s| &s.output_arg);
        let mut outputs = Vec::new();
        for result in results {
            let from = def.ret.get(&result.name).ok_or_else(|| {
                within(err!(
                    InvalidArgument,
                    "result {:?} has no value",
                    result.name
                ))
            })?;
            outputs.push(scope.value(from).map_err(within)?);
        }
        let n_args = inputs.len();
        Ok(scope.builder.finish(inputs, n_args, outputs))
    }
}

/// What calls of a function name before it is made. What is not known of the shapes of its results is what the call
/// does not tell.
fn handle_of(def: &FunctionDef, node: &NodeDef) -> Result<Arc<RecursiveHandle>> {
    let args = signature_args(def).iter().enumerate();
    let inputs = args.map(|(i, arg)| arg_spec(def, i, arg));
    let shapes = match node.attr.get(OUTPUT_SHAPES).and_then(|a| a.value.as_ref()) {
        Some(AttrContent::List(l)) => &l.shape[..],
        _ => &[],
    };
    let results = def.signature.iter().flat_map(|s| &s.output_arg);
    let outputs = results.enumerate().map(|(i, result)| {
        let shape = shapes
            .get(i)
            .map_or(PartialShape::UNKNOWN, partial_shape_of);
        Ok(TensorSpec::new(dtype_of(result.r#type)?, shape))
    });
    let name = def.signature.as_ref().map_or("", |s| &s.name);
    Ok(RecursiveHandle::new(
        name.into(),
        inputs.collect::<Result<_>>()?,
        outputs.collect::<Result<_>>()?,
    ))
}

/// Checks that a function gives what its calls within it took it to.
fn expect_results(graph: &Graph, handle: &RecursiveHandle) -> Result<()> {
    for (i, (given, told)) in graph.output_specs().zip(handle.outputs()).enumerate() {
        if given.dtype != told.dtype || !given.shape.is_compatible(&told.shape) {
            bail!(
                InvalidArgument,
                "function {:?}: result {i} is a {given}, and a {told} for the calls in it",
                graph.name
            );
        }
    }
    Ok(())
}

pub(crate) fn signature_args(def: &FunctionDef) -> &[ArgDef] {
    def.signature.as_ref().map_or(&[], |s| &s.input_arg)
}

/// The type of an argument: its shape as far as the message tells it.
pub(crate) fn arg_spec(def: &FunctionDef, i: usize, arg: &ArgDef) -> Result<TensorSpec> {
    if !arg.type_attr.is_empty() || !arg.number_attr.is_empty() || !arg.type_list_attr.is_empty() {
        bail!(
            Unimplemented,
            "argument {:?} has a dtype or number that each call gives",
            arg.name
        );
    }
    let dtype = dtype_of(arg.r#type)?;
    let listed = match def.attr.get("_input_shapes").and_then(|a| a.value.as_ref()) {
        Some(AttrContent::List(l)) => l.shape.get(i),
        _ => None,
    };
    let shape = listed.or_else(|| own_shape(def, i));
    Ok(TensorSpec::new(
        dtype,
        shape.map_or(PartialShape::UNKNOWN, partial_shape_of),
    ))
}

fn own_shape(def: &FunctionDef, i: usize) -> Option<&TensorShapeProto> {
    let attrs = def.arg_attr.get(&u32::try_from(i).ok()?)?;
    match attrs.attr.get("_output_shapes")?.value.as_ref()? {
        AttrContent::List(l) => l.shape.first(),
        _ => None,
    }
}
