//! The objects of a saved model: what they are called, and where what they hold is.

use crate::file::SavedFile;
use ferrograph_formats::messages::{
    ObjectReference, SavedKind, SavedObject, SavedObjectGraph, TrackableObject,
    TrackableObjectGraph,
};
use ferrograph_tensor::{Result, Tensor, bail, err};
use hashbrown::HashMap;
use prost::Message;
use std::collections::VecDeque;

/// The name in a checkpoint of the graph of its objects.
pub const GRAPH_KEY: &str = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// What a variable calls its value.
const VALUE: &str = "VARIABLE_VALUE";

/// What a table that changes calls its contents, which are stored as two tensors: see [`SavedFile::table_keys`].
const CONTENTS: &str = "table";

/// What models call the container of the signatures.
pub const SIGNATURES: &str = "signature_map";

/// The graph of the objects of a checkpoint.
///
/// # Errors
/// `DataLoss` where the bytes are none, or it refers to objects outside of it.
pub fn objects_of(bytes: &[u8]) -> Result<TrackableObjectGraph> {
    let graph = TrackableObjectGraph::decode(bytes)
        .map_err(|e| err!(DataLoss, "the graph of objects is damaged: {e}"))?;
    let n = graph.nodes.len();
    let is_known = |id: i32| usize::try_from(id).is_ok_and(|id| id < n);
    let refers_inside = |node: &TrackableObject| {
        let slots = node.slot_variables.iter();
        let mut slots = slots.flat_map(|s| [s.original_variable_node_id, s.slot_variable_node_id]);
        node.children.iter().all(|c| is_known(c.node_id)) && slots.all(is_known)
    };
    if n == 0 || !graph.nodes.iter().all(refers_inside) {
        bail!(
            DataLoss,
            "the graph of objects has no root, or refers to what is not in it"
        );
    }
    Ok(graph)
}

/// The objects that an object refers to, by number and name.
fn children_of(objects: &SavedObjectGraph, number: usize) -> impl Iterator<Item = (usize, &str)> {
    let children = objects.nodes.get(number).map(|n| &n.children);
    let pair = |c: &ObjectReference| -> Option<usize> { usize::try_from(c.node_id).ok() };
    let children = children.into_iter().flatten();
    children.filter_map(move |c| Some((pair(c)?, c.local_name.as_str())))
}

/// The object that another one refers to by that name.
pub fn child_of(objects: &SavedObjectGraph, number: usize, name: &str) -> Option<usize> {
    let mut children = children_of(objects, number);
    children.find(|(_, n)| *n == name).map(|(i, _)| i)
}

/// The numbers of a model's objects beside what they are in that graph of a checkpoint's objects: both go the same ways
/// from the root.
fn partners<'g>(
    objects: &SavedObjectGraph,
    graph: &'g TrackableObjectGraph,
) -> Vec<(usize, &'g TrackableObject)> {
    let mut partners: HashMap<usize, usize> = HashMap::new();
    partners.insert(0, 0);
    let mut queue = VecDeque::from([0]);
    let mut found = Vec::new();
    while let Some(number) = queue.pop_front() {
        let Some(partner) = graph.nodes.get(partners[&number]) else {
            continue;
        };
        found.push((number, partner));
        let others = partner.children.iter();
        let others =
            others.filter_map(|c| Some((c.local_name.as_str(), usize::try_from(c.node_id).ok()?)));
        let others: HashMap<&str, usize> = others.collect();
        for (child, name) in children_of(objects, number) {
            if let Some(&other) = others.get(name)
                && !partners.contains_key(&child)
            {
                partners.insert(child, other);
                queue.push_back(child);
            }
        }
    }
    found
}

/// The names in a checkpoint of what the objects of a kind call `attribute`, by the objects' numbers, given that
/// checkpoint's graph of objects.
fn keys_of<'g>(
    objects: &SavedObjectGraph,
    graph: &'g TrackableObjectGraph,
    attribute: &str,
    is_one: impl Fn(&SavedKind) -> bool,
) -> Vec<(usize, &'g str)> {
    let all = partners(objects, graph).into_iter();
    let known = all.filter(|(number, _)| {
        let kind = objects.nodes.get(*number).and_then(|n| n.kind.as_ref());
        kind.is_some_and(&is_one)
    });
    let keys = known.filter_map(|(number, partner)| {
        let value = partner.attributes.iter().find(|a| a.name == attribute)?;
        Some((number, value.checkpoint_key.as_str()))
    });
    keys.collect()
}

/// The names in a checkpoint of the values of a model's variables, by the variables' numbers, given that checkpoint's
/// graph of objects.
pub fn value_keys<'g>(
    objects: &SavedObjectGraph,
    graph: &'g TrackableObjectGraph,
) -> Vec<(usize, &'g str)> {
    keys_of(objects, graph, VALUE, |kind| {
        matches!(kind, SavedKind::Variable(_))
    })
}

impl SavedFile {
    /// The objects that an object refers to, by number and name.
    pub fn children(&self, number: usize) -> impl Iterator<Item = (usize, &str)> {
        children_of(self.objects(), number)
    }

    /// The object that another one refers to by that name.
    pub fn child(&self, number: usize, name: &str) -> Option<usize> {
        child_of(self.objects(), number, name)
    }

    /// What an object is.
    pub fn kind(&self, number: usize) -> Option<&SavedKind> {
        self.objects().nodes.get(number)?.kind.as_ref()
    }

    /// What each object is called by the one that refers to it first.
    pub fn names(&self) -> Vec<&str> {
        let nodes = &self.objects().nodes;
        let mut names = vec![""; nodes.len()];
        for number in 0..nodes.len() {
            for (child, name) in self.children(number) {
                if names[child].is_empty() {
                    names[child] = name;
                }
            }
        }
        names
    }

    /// Whether there are variables.
    pub fn has_variables(&self) -> bool {
        let is_variable = |n: &SavedObject| matches!(n.kind, Some(SavedKind::Variable(_)));
        self.objects().nodes.iter().any(is_variable)
    }

    /// The names of the values of the variables in the checkpoint whose graph of objects this is, see [`value_keys`].
    pub fn value_keys<'g>(&self, graph: &'g TrackableObjectGraph) -> Vec<(usize, &'g str)> {
        value_keys(self.objects(), graph)
    }

    /// The names in that checkpoint of the keys and of the values of tables, by the tables' numbers. Tables that do not
    /// change have none.
    pub fn table_keys(&self, graph: &TrackableObjectGraph) -> Vec<(usize, [String; 2])> {
        let keys = keys_of(self.objects(), graph, CONTENTS, |kind| {
            matches!(kind, SavedKind::Resource(_))
        });
        let both = |key: &str| ["keys", "values"].map(|part| format!("{key}-{part}"));
        keys.into_iter().map(|(n, key)| (n, both(key))).collect()
    }

    /// Whether there are tables or other resources.
    pub fn has_resources(&self) -> bool {
        let is_resource = |n: &SavedObject| matches!(n.kind, Some(SavedKind::Resource(_)));
        self.objects().nodes.iter().any(is_resource)
    }

    /// The name of a file of the model, which is in its folder of such files.
    ///
    /// # Errors
    /// `DataLoss` for a name that leads out of that folder.
    pub fn asset(&self, index: i32) -> Result<&str> {
        let files = &self.meta().asset_file_def;
        let file = usize::try_from(index).ok().and_then(|i| files.get(i));
        let name = file.map(|f| f.filename.as_str());
        let name = name.ok_or_else(|| err!(DataLoss, "the saved model has no file {index}"))?;
        let mut parts = name.split(['/', '\\']);
        if name.starts_with(['/', '\\']) || name.contains(':') || parts.any(|p| p == "..") {
            bail!(
                DataLoss,
                "the saved model names a file outside of its folder: {name:?}"
            );
        }
        Ok(name)
    }

    /// The function that makes a table or another resource anew.
    ///
    /// # Errors
    /// `DataLoss` where there is none.
    pub fn creator(&self, number: usize) -> Result<&str> {
        let creator = self.child(number, "_create_resource");
        let names = match creator.and_then(|c| self.kind(c)) {
            Some(SavedKind::Function(f)) => &f.concrete_functions[..],
            _ => &[],
        };
        names.first().map(String::as_str).ok_or_else(|| {
            let names = self.names();
            err!(
                DataLoss,
                "the saved model does not say how {:?} is made",
                names.get(number).unwrap_or(&"")
            )
        })
    }

    /// The functions, each once, in the order in which objects name them.
    pub fn function_names(&self) -> Vec<&str> {
        let mut seen = hashbrown::HashSet::new();
        let mut found: Vec<&str> = Vec::new();
        for node in &self.objects().nodes {
            let names = match &node.kind {
                Some(SavedKind::Function(f)) => &f.concrete_functions[..],
                Some(SavedKind::Concrete(c)) => std::slice::from_ref(&c.concrete_function_name),
                _ => &[],
            };
            found.extend(names.iter().map(String::as_str).filter(|n| seen.insert(*n)));
        }
        found
    }

    /// The tags of the graph.
    pub fn tags(&self) -> &[String] {
        self.meta().meta_info_def.as_ref().map_or(&[], |i| &i.tags)
    }

    /// Checks a value that a checkpoint holds for a variable.
    ///
    /// # Errors
    /// `DataLoss` where it is of another dtype or shape.
    pub fn check_value(&self, number: usize, value: &Tensor) -> Result<()> {
        let Some(SavedKind::Variable(v)) = self.kind(number) else {
            bail!(Internal, "object {number} is no variable");
        };
        let spec = crate::types::variable_spec(v)?;
        if value.dtype() != spec.dtype || !spec.shape.accepts(value.shape()) {
            bail!(
                DataLoss,
                "the saved model has a value of {} and shape {} for variable {:?} of {} and shape {}",
                value.dtype(),
                value.shape(),
                v.name,
                spec.dtype,
                spec.shape
            );
        }
        Ok(())
    }
}
