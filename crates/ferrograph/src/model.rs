//! A loaded model.

use crate::error::{Result, guarded};
use crate::function::Function;
use crate::restore::{Object, Restored, restore};
use crate::signature::Signature;
use crate::suggest::remark;
use crate::trace::{TensorInfo, Trace};
use crate::tree::{Ways, described, kind_of};
use crate::value::Value;
use ferrograph_formats::messages::SavedKind;
use ferrograph_ops::VariableCell;
use ferrograph_saved::SIGNATURES;
use ferrograph_tensor::{DType, Tensor, err};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A loaded model: its tags, signatures, functions and variables.
///
/// Functions that assign to variables or change tables change those of this model. It may be shared among threads.
///
/// ```
/// use ferrograph::Model;
///
/// # fn main() -> ferrograph::Result<()> {
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/saved/recorded/model");
/// let model = Model::load(folder)?;
/// assert_eq!(model.tags(), ["serve"]);
/// let variables = model.variables();
/// let w = variables.get("w")?;
/// assert_eq!((w.to_string(), w.read()?.view::<f32>()?[[1, 1]]), ("float32[2,2]".into(), -0.4));
/// # Ok(())
/// # }
/// ```
pub struct Model {
    restored: Restored,
    ways: Ways,
}

/// A variable of a model.
pub struct Variable<'m> {
    handle: &'m Tensor,
    info: TensorInfo,
}

impl Variable<'_> {
    /// The name that the program gave it.
    pub fn name(&self) -> &str {
        self.info.name()
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.info.dtype()
    }

    /// Its dimensions as far as they are fixed; `None` where not even their number is.
    pub fn shape(&self) -> Option<Vec<Option<usize>>> {
        self.info.shape()
    }

    /// Its value now.
    ///
    /// # Errors
    /// `FailedPrecondition` where it has none.
    pub fn read(&self) -> Result<Value> {
        guarded(|| Ok(Value(VariableCell::of(self.handle)?.read()?)))
    }
}

impl fmt::Display for Variable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.info.of_type())
    }
}

/// Variables by the ways to them from the root, in the order of their distance.
pub struct Variables<'m>(Vec<(&'m str, Variable<'m>)>);

impl<'m> Variables<'m> {
    /// The variable that the root refers to by that way.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn get(&self, way: &str) -> Result<&Variable<'m>> {
        let found = self.0.iter().find(|(w, _)| *w == way).map(|(_, v)| v);
        Ok(found.ok_or_else(|| {
            let ways: Vec<&str> = self.0.iter().map(|(w, _)| *w).collect();
            err!(
                NotFound,
                "the saved model has no variable {way:?}; it has {ways:?}"
            )
        })?)
    }

    /// All variables with the ways to them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'m str, &Variable<'m>)> {
        self.0.iter().map(|(w, v)| (*w, v))
    }
}

impl Model {
    /// Loads the model in a folder: the one graph that it has, or the one tagged `serve`.
    ///
    /// # Errors
    /// `NotFound` where there is no model in the folder; `DataLoss` where a file is damaged; `Unimplemented` for an
    /// operation or dtype that there is not here: function and node are named.
    pub fn load(folder: impl AsRef<Path>) -> Result<Model> {
        Model::of(folder.as_ref(), None)
    }

    /// Loads the graph of the model in a folder that has exactly these tags.
    ///
    /// # Errors
    /// As [`Model::load`]; `NotFound` where no graph has these tags.
    pub fn load_tagged(folder: impl AsRef<Path>, tags: &[&str]) -> Result<Model> {
        let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
        Model::of(folder.as_ref(), Some(&tags))
    }

    fn of(folder: &Path, tags: Option<&[String]>) -> Result<Model> {
        guarded(|| {
            let restored = restore(folder, tags)?;
            let ways = Ways::of(&restored.file);
            Ok(Model { restored, ways })
        })
    }

    /// The tags of the graph.
    pub fn tags(&self) -> &[String] {
        self.restored.file.tags()
    }

    /// The signatures by their names.
    pub fn signatures(&self) -> Vec<Signature<'_>> {
        let file = &self.restored.file;
        let map = file.child(0, "signatures").filter(|&n| match file.kind(n) {
            Some(SavedKind::User(u)) => u.identifier == SIGNATURES,
            _ => false,
        });
        let children = map.into_iter().flat_map(|map| file.children(map));
        let found = children.filter_map(|(n, name)| Some(Signature::new(name, self.trace_at(n)?)));
        found.collect()
    }

    /// The signature of that name.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn signature(&self, name: &str) -> Result<Signature<'_>> {
        let mut all = self.signatures();
        match all.iter().position(|s| s.name() == name) {
            Some(at) => Ok(all.swap_remove(at)),
            None => {
                let names: Vec<&str> = all.iter().map(Signature::name).collect();
                Err(err!(
                    NotFound,
                    "the saved model has no signature {name:?}{}; it has {names:?}",
                    remark(name, names.iter().copied())
                )
                .into())
            }
        }
    }

    fn trace_at(&self, number: usize) -> Option<&Trace> {
        match self.restored.objects.get(number)? {
            Object::Trace(trace) => Some(trace),
            Object::Function(_, traces) => traces.first().map(|t| &**t),
            _ => None,
        }
    }

    /// The function that the root refers to by that way: names of attributes, places in lists and keys, with dots
    /// between them. The name of an object that can be called is that of its `__call__`.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn function(&self, way: &str) -> Result<Function<'_>> {
        let found = self.ways.number_of(way).and_then(|number| {
            let call = || self.restored.file.child(number, "__call__");
            self.function_at(way, number)
                .or_else(|| self.function_at(way, call()?))
        });
        Ok(found.ok_or_else(|| {
            let all: Vec<String> = self
                .functions()
                .iter()
                .map(|f| f.name().to_owned())
                .collect();
            err!(
                NotFound,
                "the saved model has no function {way:?}{}; it has {all:?}",
                remark(way, all.iter().map(String::as_str))
            )
        })?)
    }

    fn function_at(&self, way: &str, number: usize) -> Option<Function<'_>> {
        let made = |params, traces| Function::new(way.to_owned(), params, traces);
        match self.restored.objects.get(number)? {
            Object::Function(params, traces) => Some(made(Some(params), traces)),
            Object::Trace(trace) => Some(made(None, std::slice::from_ref::<Arc<Trace>>(trace))),
            _ => None,
        }
    }

    /// The functions, in the order of their distance from the root. Signatures, what makes tables, and traces that functions
    /// refer to are left out.
    pub fn functions(&self) -> Vec<Function<'_>> {
        let ways = self.ways.iter().filter(|(way, _)| {
            let parent = way.rsplit_once('.').map_or("", |(parent, _)| parent);
            let parent = self.ways.number_of(parent);
            let object = parent.and_then(|n| self.restored.objects.get(n));
            matches!(object, Some(Object::Parts)) && !way.starts_with("signatures.")
        });
        ways.filter_map(|(way, n)| self.function_at(way, n))
            .collect()
    }

    /// The variables that the root refers to.
    pub fn variables(&self) -> Variables<'_> {
        let found = self.ways.iter().filter_map(|(way, number)| {
            let Object::Variable(handle) = self.restored.objects.get(number)? else {
                return None;
            };
            let cell = VariableCell::of(handle).ok()?;
            let info = TensorInfo::new(cell.name.clone(), cell.spec.clone());
            Some((way, Variable { handle, info }))
        });
        Variables(found.collect())
    }

    /// The objects as an indented tree: what each is called, and what it is.
    pub fn tree(&self) -> String {
        described(&self.restored)
    }

    /// The objects, with the ways to them from the root.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (&str, String)> {
        let all = self.ways.iter();
        all.map(|(way, number)| (way, kind_of(&self.restored, number)))
    }

    /// The graph of a signature, or of each trace of a function, as text.
    ///
    /// # Errors
    /// `NotFound` where there is neither.
    pub fn graph_text(&self, name: &str) -> Result<String> {
        if let Ok(signature) = self.signature(name) {
            return guarded(|| Ok(signature.graph_text()));
        }
        let function = self.function(name)?;
        guarded(|| {
            let texts: Vec<String> = function.traces().map(Trace::graph_text).collect();
            Ok(texts.join("\n"))
        })
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a saved model with the signatures {:?}",
            self.signatures()
        )
    }
}
