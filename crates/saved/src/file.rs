//! The file `saved_model.pb` and its fingerprint.

use crate::import::Functions;
use crate::region::with_ends;
use crate::registered::{Captured, Registered};
use ferrograph_formats::messages::{
    FingerprintDef, FunctionDefLibrary, MetaGraphDef, ObjectReference, SavedKind, SavedModel,
    SavedObject, SavedObjectGraph, VersionDef,
};
use ferrograph_formats::{masked, verify};
use ferrograph_graph::{Attr, Emitter, Graph};
use ferrograph_ops::{Call, RecursiveHandle};
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail, err};
use ferrograph_transform::traced;
use prost::Message;
use std::sync::Arc;

/// The version of fingerprints that this project writes.
const FINGERPRINT_VERSION: i32 = 4;

/// The bytes of `fingerprint.pb` for those of `saved_model.pb`.
pub fn fingerprint_of(model: &[u8], uuid: &str) -> Vec<u8> {
    let checksum = masked(model);
    FingerprintDef {
        saved_model_checksum: u64::from(checksum),
        version: Some(VersionDef {
            producer: FINGERPRINT_VERSION,
            min_consumer: 0,
        }),
        uuid: uuid.to_owned(),
        file_crc32c: Some(checksum),
    }
    .encode_to_vec()
}

/// The message in the bytes of `saved_model.pb`, held against the fingerprint where there is one of this project.
///
/// # Errors
/// `DataLoss` where the bytes are no such message, or not those that the fingerprint was made of.
pub fn model_of(bytes: &[u8], fingerprint: Option<&[u8]>) -> Result<SavedModel> {
    if let Some(fingerprint) = fingerprint {
        let print = FingerprintDef::decode(fingerprint)
            .map_err(|e| err!(DataLoss, "fingerprint.pb is damaged: {e}"))?;
        if print.file_crc32c.is_some_and(|crc| !verify(bytes, crc)) {
            bail!(
                DataLoss,
                "saved_model.pb is damaged: it is not the file that fingerprint.pb was made of"
            );
        }
    }
    SavedModel::decode(bytes).map_err(|e| err!(DataLoss, "saved_model.pb is damaged: {e}"))
}

/// A saved model that was read: one of its graphs.
pub struct SavedFile {
    meta: MetaGraphDef,
    library: FunctionDefLibrary,
    objects: SavedObjectGraph,
}

impl SavedFile {
    /// The graph of a model that has exactly these tags, or its only one where none are asked for.
    ///
    /// # Errors
    /// `NotFound` where there is none, `Unimplemented` for a model without objects, `DataLoss` where objects refer to
    /// what is not there.
    pub fn of(model: SavedModel, tags: Option<&[String]>) -> Result<SavedFile> {
        let mut graphs = model.meta_graphs;
        let known: Vec<Vec<String>> = graphs.iter().map(tags_of).collect();
        let wanted = tags.map(|tags| {
            let mut tags = tags.to_vec();
            tags.sort();
            tags.dedup();
            tags
        });
        let at = match &wanted {
            Some(tags) => known.iter().position(|t| t == tags),
            None if graphs.len() == 1 => Some(0),
            None => known.iter().position(|t| t == &["serve"]),
        };
        let Some(at) = at else {
            bail!(
                NotFound,
                "the saved model has graphs with tags {known:?}, none with {:?}",
                wanted.unwrap_or_default()
            );
        };
        let mut meta = graphs.swap_remove(at);
        let Some(objects) = meta.object_graph_def.take() else {
            bail!(
                Unimplemented,
                "the saved model has no objects: it was written by an older API, which is not read here"
            );
        };
        check(&objects, meta.asset_file_def.len())?;
        let library = meta.graph_def.as_mut().and_then(|g| g.library.take());
        Ok(SavedFile {
            meta,
            library: library.unwrap_or_default(),
            objects,
        })
    }

    /// The objects.
    pub fn objects(&self) -> &SavedObjectGraph {
        &self.objects
    }

    /// The functions.
    pub fn functions(&self) -> Functions<'_> {
        let registered = Registered::of(&self.library, &self.objects);
        Functions::new(&self.library).with_gradients(registered)
    }

    /// The graph without its functions and objects.
    pub fn meta(&self) -> &MetaGraphDef {
        &self.meta
    }

    /// The tensor of a constant node of the graph.
    ///
    /// # Errors
    /// `DataLoss` where there is none of that name.
    pub fn constant(&self, name: &str) -> Result<Tensor> {
        let nodes = self.meta.graph_def.iter().flat_map(|g| &g.node);
        let node = nodes
            .into_iter()
            .find(|n| n.name == name && n.op == "Const");
        let value = node.and_then(|n| n.attr.get("value"));
        let value = value.ok_or_else(|| err!(DataLoss, "there is no constant {name:?}"))?;
        match crate::attributes::attr_of(value, ferrograph_graph::AttrKind::Tensor)? {
            Attr::Tensor(t) => Ok(t),
            _ => bail!(DataLoss, "constant {name:?} has no value"),
        }
    }

    /// A function as a graph whose last inputs are captures, and the objects that these are.
    ///
    /// # Errors
    /// As [`Functions::graph`]; `DataLoss` where it has fewer inputs, `Value` for a graph that is not sound.
    pub fn concrete(&self, functions: &mut Functions<'_>, name: &str) -> Result<Concrete> {
        let graph = functions.graph(name)?;
        // What calls itself refers to that very graph, which a call of it holds.
        let graph = match RecursiveHandle::of(&graph) {
            Some(_) => call_of_all(name, graph)?,
            None => graph,
        };
        let bound = self.objects.concrete_functions.get(name);
        let mut bound = bound.map_or(Vec::new(), |f| f.bound_inputs.clone());
        for captured in functions.registered.further(name) {
            match captured {
                Captured::Object(number) => bound.push(*number),
                Captured::Tensor { .. } => bail!(Internal, "{captured} is taken by {name:?}"),
            }
        }
        let n = bound.len();
        let Some(n_args) = graph.inputs.len().checked_sub(n) else {
            bail!(
                DataLoss,
                "function {name:?} has {} inputs, {n} objects are bound to it",
                graph.inputs.len()
            );
        };
        let graph = with_ends(&graph, &graph.inputs, n_args, &graph.outputs);
        if let Some(fault) = ferrograph_graph::verify(&graph).first() {
            bail!(Value, "function {name:?}: {fault}");
        }
        let graph = Arc::new(graph);
        Ok(Concrete { graph, bound })
    }
}

/// A function as objects hold it.
pub struct Concrete {
    /// The graph, whose last inputs are captures.
    pub graph: Arc<Graph>,
    /// The objects that the captures are, by their numbers.
    pub bound: Vec<i32>,
}

/// A graph that calls another one.
fn call_of_all(name: &str, graph: Arc<Graph>) -> Result<Arc<Graph>> {
    let specs: Vec<TensorSpec> = graph.input_specs().cloned().collect();
    traced(name, &specs, |e, args| {
        Ok(e.emit(Arc::new(Call::of(graph)), args)?.into_vec())
    })
}

fn tags_of(graph: &MetaGraphDef) -> Vec<String> {
    let mut tags = graph
        .meta_info_def
        .as_ref()
        .map_or(Vec::new(), |i| i.tags.clone());
    tags.sort();
    tags.dedup();
    tags
}

/// `DataLoss` where there is no root, or something refers to an object, function or file that is not there.
fn check(objects: &SavedObjectGraph, n_files: usize) -> Result<()> {
    let n = objects.nodes.len();
    let is_known = |id: i32| usize::try_from(id).is_ok_and(|id| id < n);
    let refers_inside = |node: &SavedObject| {
        let inside = |all: &[ObjectReference]| all.iter().all(|c| is_known(c.node_id));
        let file = match &node.kind {
            Some(SavedKind::Asset(a)) => {
                usize::try_from(a.asset_file_def_index).is_ok_and(|i| i < n_files)
            }
            _ => true,
        };
        file && inside(&node.children) && inside(&node.dependencies)
    };
    let mut bound = objects
        .concrete_functions
        .values()
        .flat_map(|f| &f.bound_inputs);
    if n == 0 || !objects.nodes.iter().all(refers_inside) || !bound.all(|id| is_known(*id)) {
        bail!(
            DataLoss,
            "the objects of the saved model have no root, or refer to what is not there"
        );
    }
    Ok(())
}
