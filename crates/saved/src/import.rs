//! Functions of a library to graphs.

use crate::nodes::{Body, Scope};
use crate::types::{dtype_of, partial_shape_of};
use ferrograph_formats::messages::{
    ArgDef, AttrContent, FunctionDef, FunctionDefLibrary, TensorShapeProto,
};
use ferrograph_graph::{Graph, GraphBuilder};
use ferrograph_ops::Placeholder;
use ferrograph_tensor::{Error, PartialShape, Result, TensorSpec, bail, err};
use hashbrown::HashMap;
use std::sync::Arc;

/// Functions that call one another deeper than this are refused.
const MAX_DEPTH: usize = 100;

/// The functions of a library, of which graphs are made when they are asked for, each once.
pub struct Functions<'a> {
    defs: HashMap<&'a str, &'a FunctionDef>,
    made: HashMap<&'a str, Arc<Graph>>,
    // Those that are being made, the outermost first.
    open: Vec<&'a str>,
}

impl<'a> Functions<'a> {
    /// The functions of that library.
    pub fn new(library: &'a FunctionDefLibrary) -> Functions<'a> {
        let named = |f: &'a FunctionDef| Some((f.signature.as_ref()?.name.as_str(), f));
        Functions {
            defs: library.function.iter().filter_map(named).collect(),
            made: HashMap::new(),
            open: Vec::new(),
        }
    }

    /// Whether there is a function of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.defs.contains_key(name)
    }

    /// The function of that name as a graph, all of whose inputs are arguments.
    ///
    /// # Errors
    /// `NotFound` for a name that is none, `Unimplemented` for an operation that there is not here, `InvalidArgument`
    /// for what is not well formed: these name function and node.
    pub fn graph(&mut self, name: &str) -> Result<Arc<Graph>> {
        if let Some(graph) = self.made.get(name) {
            return Ok(graph.clone());
        }
        let Some((&name, &def)) = self.defs.get_key_value(name) else {
            bail!(NotFound, "there is no function {name:?} in the library");
        };
        if self.open.contains(&name) {
            bail!(Unimplemented, "function {name:?} calls itself");
        }
        if self.open.len() >= MAX_DEPTH {
            bail!(
                Unimplemented,
                "functions call one another more than {MAX_DEPTH} deep, down to {name:?}"
            );
        }
        self.open.push(name);
        let graph = self.made_of(name, def);
        self.open.pop();
        let graph = Arc::new(graph?);
        self.made.insert(name, graph.clone());
        Ok(graph)
    }

    fn made_of(&mut self, name: &str, def: &'a FunctionDef) -> Result<Graph> {
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
        let mut body = Body {
            functions: self,
            scope,
        };
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

fn signature_args(def: &FunctionDef) -> &[ArgDef] {
    def.signature.as_ref().map_or(&[], |s| &s.input_arg)
}

/// The type of an argument: its shape as far as the message tells it.
fn arg_spec(def: &FunctionDef, i: usize, arg: &ArgDef) -> Result<TensorSpec> {
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
