//! Signatures in the graph of a model, for programs that run graphs and know no objects: a placeholder for each tensor
//! that a signature takes, a call of its function, the variables and tables that this captured, and nodes that restore,
//! save and fill these.

use crate::attributes::{dtype_value, dtypes_value, function_value, value};
use crate::objects::{SIGNATURES, child_of, value_keys};
use crate::structure::Structure;
use crate::types::{dtype_of, shape_message};
use ferrograph_formats::messages::{
    AttrContent, AttrValue, FunctionDef, MetaGraphDef, NodeDef, SavedKind, SavedObjectGraph,
    SaverDef, SignatureDef, TensorInfo, TensorProto, TrackableObjectGraph,
};
use ferrograph_tensor::{Bytes, DType, PartialShape, Result, Tensor, TensorSpec, err};
use std::collections::BTreeMap;

/// What a signature is for.
const PREDICT: &str = "tensorflow/serving/predict";

/// The signature, and its one output, by which readers find the node that fills tables.
const INIT: &str = "__saved_model_init_op";

/// Operations that make tables: each is one for all its runs where it has a name of its own.
const TABLES: [&str; 4] = [
    "HashTableV2",
    "MutableHashTableV2",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTableV2",
];

/// Adds to a model, whose objects and functions are there, what its signatures need to be run without objects.
/// `graph` is that of the objects of its checkpoint; `unique` is a text that no other model has.
///
/// # Errors
/// `DataLoss` where the model does not describe its functions.
pub fn add_signatures(
    meta: &mut MetaGraphDef,
    graph: &TrackableObjectGraph,
    unique: &str,
) -> Result<()> {
    let Some(objects) = &meta.object_graph_def else {
        return Ok(());
    };
    let mut serving = Serving {
        objects,
        functions: BTreeMap::new(),
        nodes: Vec::new(),
        handles: BTreeMap::new(),
        files: files_of(meta),
        unique,
    };
    let signatures = signatures_of(objects);
    if signatures.is_empty() {
        return Ok(());
    }
    let graph_def = meta.graph_def.get_or_insert_default();
    let library = graph_def.library.get_or_insert_default();
    for def in &library.function {
        if let Some(signature) = &def.signature {
            serving.functions.insert(&signature.name, def);
        }
    }
    let mut defs = BTreeMap::new();
    for (name, function) in signatures {
        defs.insert(name.to_owned(), serving.signature(name, function)?);
    }
    let saver = serving.saver(graph)?;
    defs.insert(INIT.to_owned(), serving.init()?);
    let tables = serving.table_makers();
    let nodes = serving.nodes;
    for def in &mut library.function {
        let name = def.signature.as_ref().map(|s| s.name.clone());
        if let Some(number) = name.and_then(|n| tables.get(&n).copied()) {
            name_tables(def, &format!("table_{unique}_{number}"));
        }
    }
    graph_def.node.extend(nodes);
    meta.signature_def = defs;
    meta.saver_def = saver;
    Ok(())
}

/// The signatures with the names of their functions.
fn signatures_of(objects: &SavedObjectGraph) -> Vec<(&str, &str)> {
    let map = child_of(objects, 0, "signatures").and_then(|n| objects.nodes.get(n));
    let map = map.filter(|node| match &node.kind {
        Some(SavedKind::User(u)) => u.identifier == SIGNATURES,
        _ => false,
    });
    let children = map.into_iter().flat_map(|node| &node.children);
    let function = |id: i32| match &objects.nodes.get(usize::try_from(id).ok()?)?.kind {
        Some(SavedKind::Concrete(c)) => Some(c.concrete_function_name.as_str()),
        _ => None,
    };
    children
        .filter_map(|c| Some((c.local_name.as_str(), function(c.node_id)?)))
        .collect()
}

/// The nodes that give the paths of a model's files.
fn files_of(meta: &MetaGraphDef) -> Vec<String> {
    let files = meta.asset_file_def.iter();
    let names = files.map(|f| f.tensor_info.as_ref().map_or("", |i| &i.name));
    names
        .map(|n| crate::order::node_name(n).to_owned())
        .collect()
}

/// Gives the tables that a function makes a name of their own.
fn name_tables(def: &mut FunctionDef, name: &str) {
    for node in &mut def.node_def {
        if TABLES.contains(&&node.op[..]) {
            let content = AttrContent::S(name.as_bytes().to_vec());
            node.attr.insert("shared_name".into(), value(content));
        }
    }
}

/// The nodes of the signatures of a model.
struct Serving<'m> {
    objects: &'m SavedObjectGraph,
    functions: BTreeMap<&'m str, &'m FunctionDef>,
    nodes: Vec<NodeDef>,
    /// The substitute of an object that functions captured, by the object's number.
    handles: BTreeMap<usize, String>,
    /// The nodes that give the paths of files.
    files: Vec<String>,
    unique: &'m str,
}

impl<'m> Serving<'m> {
    fn node(&mut self, name: String, op: &str, input: Vec<String>, attrs: &[(&str, AttrValue)]) {
        let attr = attrs.iter().map(|(n, v)| ((*n).to_owned(), v.clone()));
        self.nodes.push(NodeDef {
            name,
            op: op.to_owned(),
            input,
            attr: attr.collect(),
            ..NodeDef::default()
        });
    }

    fn constant(&mut self, name: &str, tensor: &Tensor) -> Result<String> {
        let message = TensorProto::of(tensor)?;
        let attrs = [
            ("dtype", dtype_value(tensor.dtype())),
            ("value", value(AttrContent::Tensor(Box::new(message)))),
        ];
        self.node(name.to_owned(), "Const", Vec::new(), &attrs);
        Ok(name.to_owned())
    }

    /// A call of a function with these inputs; the name of the node.
    fn call(&mut self, name: String, function: &str, inputs: Vec<String>) -> Result<String> {
        let def = self.functions.get(function);
        let def = def.and_then(|d| d.signature.as_ref());
        let def = def.ok_or_else(|| err!(DataLoss, "there is no function {function:?}"))?;
        let types = |args: &[ferrograph_formats::messages::ArgDef]| -> Result<Vec<DType>> {
            args.iter().map(|a| dtype_of(a.r#type)).collect()
        };
        let empty = || value(AttrContent::S(Vec::new()));
        let attrs = [
            ("f", function_value(function.to_owned())),
            ("Tin", dtypes_value(&types(&def.input_arg)?)),
            ("Tout", dtypes_value(&types(&def.output_arg)?)),
            ("config", empty()),
            ("config_proto", empty()),
            ("executor_type", empty()),
        ];
        self.node(name.clone(), "StatefulPartitionedCall", inputs, &attrs);
        Ok(name)
    }

    fn signature(&mut self, name: &str, function: &str) -> Result<SignatureDef> {
        let around = self.objects.concrete_functions.get(function);
        let around = around.ok_or_else(|| err!(DataLoss, "nothing is said of {function:?}"))?;
        let arguments = Structure::of(around.canonicalized_input_signature.as_ref())?;
        let arguments = arguments.items().get(1).cloned().unwrap_or(Structure::None);
        let results = Structure::of(around.output_signature.as_ref())?;
        let mut def = SignatureDef {
            method_name: PREDICT.to_owned(),
            ..SignatureDef::default()
        };
        let mut inputs = Vec::new();
        for (key, spec) in arguments.tensors("") {
            let node = node_name(&format!("{name}_{key}"));
            let attrs = [
                ("dtype", dtype_value(spec.dtype)),
                (
                    "shape",
                    value(AttrContent::Shape(shape_message(&spec.shape))),
                ),
            ];
            self.node(node.clone(), "Placeholder", Vec::new(), &attrs);
            def.inputs.insert(key, info(format!("{node}:0"), &spec));
            inputs.push(node);
        }
        for &number in &around.bound_inputs {
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            inputs.push(self.handle(number)?);
        }
        let call = self.call(node_name(&format!("{name}_call")), function, inputs)?;
        for (i, (key, spec)) in results.tensors("").into_iter().enumerate() {
            def.outputs.insert(key, info(format!("{call}:{i}"), &spec));
        }
        Ok(def)
    }

    /// The node that represents an object that a function captured.
    fn handle(&mut self, number: usize) -> Result<String> {
        if let Some(known) = self.handles.get(&number) {
            return Ok(known.clone());
        }
        let objects = self.objects;
        let name = match objects.nodes.get(number).and_then(|n| n.kind.as_ref()) {
            Some(SavedKind::Variable(v)) => {
                let shape = v.shape.clone().unwrap_or_default();
                let shared = format!("{}_{}_{number}", v.name, self.unique);
                let attrs = [
                    ("dtype", dtype_value(dtype_of(v.dtype)?)),
                    ("shape", value(AttrContent::Shape(shape))),
                    ("container", value(AttrContent::S(Vec::new()))),
                    ("shared_name", value(AttrContent::S(shared.into_bytes()))),
                ];
                let name = format!("variable_{number}");
                self.node(name.clone(), "VarHandleOp", Vec::new(), &attrs);
                name
            }
            Some(SavedKind::Constant(c)) => c.operation.clone(),
            Some(SavedKind::Asset(a)) => {
                let index = usize::try_from(a.asset_file_def_index).unwrap_or(usize::MAX);
                let node = self.files.get(index).cloned();
                node.ok_or_else(|| err!(DataLoss, "there is no file {index}"))?
            }
            Some(SavedKind::Resource(_)) => {
                let creator = self.creator(number)?;
                self.call(format!("table_{number}"), creator, Vec::new())?
            }
            _ => return Err(err!(DataLoss, "a signature captured object {number}")),
        };
        self.handles.insert(number, name.clone());
        Ok(name)
    }

    /// The function that makes a table.
    fn creator(&self, number: usize) -> Result<&'m str> {
        self.function_of(number, "_create_resource")
            .ok_or_else(|| err!(DataLoss, "nothing is said of how object {number} is made"))
    }

    fn function_of(&self, number: usize, name: &str) -> Option<&'m str> {
        let child = child_of(self.objects, number, name)?;
        match &self.objects.nodes.get(child)?.kind {
            Some(SavedKind::Function(f)) => f.concrete_functions.first().map(String::as_str),
            _ => None,
        }
    }

    /// The numbers of the tables that signatures use, by the functions that make them.
    fn table_makers(&self) -> BTreeMap<String, usize> {
        let tables = self.handles.keys().filter_map(|&number| {
            let kind = self.objects.nodes.get(number)?.kind.as_ref()?;
            let makes = matches!(kind, SavedKind::Resource(_));
            let maker = self.function_of(number, "_create_resource");
            maker.filter(|_| makes).map(|f| (f.to_owned(), number))
        });
        tables.collect()
    }

    /// Nodes that read variables from a checkpoint and write them to one; nothing without variables.
    fn saver(&mut self, graph: &TrackableObjectGraph) -> Result<Option<SaverDef>> {
        let keys = value_keys(self.objects, graph);
        let known = keys
            .iter()
            .filter_map(|(n, key)| Some((self.handles.get(n)?.clone(), *n, *key)));
        let known: Vec<(String, usize, &str)> = known.collect();
        if known.is_empty() {
            return Ok(None);
        }
        let n = known.len();
        let mut dtypes = Vec::with_capacity(n);
        for (_, number, _) in &known {
            if let Some(SavedKind::Variable(v)) = &self.objects.nodes[*number].kind {
                dtypes.push(dtype_of(v.dtype)?);
            }
        }
        let strings = |all: Vec<&str>| {
            let all = all.into_iter().map(|s| Bytes::from(s.as_bytes()));
            Tensor::from_strings([n].into(), all.collect())
        };
        let prefix = "saver_filename".to_owned();
        let scalar = PartialShape::scalar();
        let attrs = [
            ("dtype", dtype_value(DType::String)),
            ("shape", value(AttrContent::Shape(shape_message(&scalar)))),
        ];
        self.node(prefix.clone(), "Placeholder", Vec::new(), &attrs);
        let names = strings(known.iter().map(|(_, _, key)| *key).collect())?;
        let names = self.constant("saver_names", &names)?;
        let slices = self.constant("saver_slices", &strings(vec![""; n])?)?;

        let restored = "saver_restored".to_owned();
        let from = vec![prefix.clone(), names.clone(), slices.clone()];
        self.node(
            restored.clone(),
            "RestoreV2",
            from,
            &[("dtypes", dtypes_value(&dtypes))],
        );
        let mut saved = vec![prefix.clone(), names, slices];
        let (mut assigned, mut read) = (Vec::new(), Vec::new());
        for (i, ((handle, number, _), dtype)) in known.iter().zip(&dtypes).enumerate() {
            let name = format!("saver_assign_{number}");
            let inputs = vec![handle.clone(), format!("{restored}:{i}")];
            self.node(
                name.clone(),
                "AssignVariableOp",
                inputs,
                &[("dtype", dtype_value(*dtype))],
            );
            assigned.push(format!("^{name}"));
            let name = format!("saver_read_{number}");
            let dtype = ("dtype", dtype_value(*dtype));
            self.node(
                name.clone(),
                "ReadVariableOp",
                vec![handle.clone()],
                &[dtype],
            );
            read.push(name);
        }
        self.node("saver_restore".into(), "NoOp", assigned, &[]);
        saved.append(&mut read);
        self.node(
            "saver_saved".into(),
            "SaveV2",
            saved,
            &[("dtypes", dtypes_value(&dtypes))],
        );
        let after = vec![prefix.clone(), "^saver_saved".into()];
        self.node(
            "saver_save".into(),
            "Identity",
            after,
            &[("T", dtype_value(DType::String))],
        );
        Ok(Some(SaverDef {
            filename_tensor_name: format!("{prefix}:0"),
            save_tensor_name: "saver_save:0".into(),
            restore_op_name: "saver_restore".into(),
            version: SaverDef::BUNDLES,
        }))
    }

    /// A node that fills the tables, and the signature by which readers find it.
    fn init(&mut self) -> Result<SignatureDef> {
        let mut filled = Vec::new();
        for number in self.handles.keys().copied().collect::<Vec<_>>() {
            let Some(function) = self.function_of(number, "_initialize") else {
                continue;
            };
            let around = self.objects.concrete_functions.get(function);
            let bound = around.map_or(&[][..], |f| &f.bound_inputs);
            let inputs = bound
                .iter()
                .map(|&n| self.handle(usize::try_from(n).unwrap_or(usize::MAX)));
            let inputs = inputs.collect::<Result<Vec<_>>>()?;
            let call = self.call(format!("fill_{number}"), function, inputs)?;
            filled.push(format!("^{call}"));
        }
        self.node("init".into(), "NoOp", filled, &[]);
        let done = TensorInfo {
            name: "init".into(),
            tensor_shape: Some(shape_message(&PartialShape::UNKNOWN)),
            ..TensorInfo::default()
        };
        Ok(SignatureDef {
            outputs: [(INIT.to_owned(), done)].into(),
            ..SignatureDef::default()
        })
    }
}

/// What is said of a tensor of the graph.
fn info(name: String, spec: &TensorSpec) -> TensorInfo {
    TensorInfo {
        name,
        dtype: spec.dtype.graphdef_code(),
        tensor_shape: Some(shape_message(&spec.shape)),
    }
}

/// A name that nodes of graphs may have.
fn node_name(text: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || c == '.' => c,
        _ => '_',
    };
    let name: String = text.chars().map(plain).collect();
    match name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        true => name,
        false => format!("x{name}"),
    }
}
