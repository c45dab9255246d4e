//! Restoring the objects of a model: variables with their values, tables made and filled, functions with what they
//! captured.

use crate::trace::Trace;
use ferrograph_checkpoints::Stored;
use ferrograph_formats::files::failed;
use ferrograph_formats::messages::SavedKind;
use ferrograph_ops::VariableCell;
use ferrograph_saved::{
    Functions, GRAPH_KEY, Params, SavedFile, Structure, model_of, objects_of, variable_spec,
};
use ferrograph_tables::import_into;
use ferrograph_tensor::{
    Bytes, DType, Error, ErrorKind, Result, Tensor, bail, checked_bytes, err, vec_for,
};
use hashbrown::HashMap;
use std::fs::File;
use std::io::{ErrorKind as Io, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MODEL: &str = "saved_model.pb";
const FINGERPRINT: &str = "fingerprint.pb";

/// An object of a model.
pub(crate) enum Object {
    /// A variable, by the tensor that refers to it.
    Variable(Tensor),
    /// A tensor.
    Constant(Tensor),
    /// A file: its path.
    Asset(Tensor),
    /// A table, by the tensor that refers to it.
    Resource(Tensor),
    /// A function with its traces.
    Function(Params, Vec<Arc<Trace>>),
    /// One trace.
    Trace(Arc<Trace>),
    /// What only has children.
    Parts,
}

/// A model whose objects are there.
pub(crate) struct Restored {
    pub file: SavedFile,
    pub objects: Vec<Object>,
}

/// Reads the model in a folder and makes its objects.
pub(crate) fn restore(folder: &Path, tags: Option<&[String]>) -> Result<Restored> {
    let path = folder.join(MODEL);
    let Some(model) = bytes_of(&path)? else {
        bail!(
            NotFound,
            "SavedModel file does not exist at: {}",
            path.display()
        );
    };
    let fingerprint = bytes_of(&folder.join(FINGERPRINT))?;
    let file = SavedFile::of(model_of(&model, fingerprint.as_deref())?, tags)?;
    let objects = {
        let mut restoring = Restoring::new(folder, &file)?;
        restoring.make_resources()?;
        restoring.add_functions()?;
        restoring.fill_resources()?;
        restoring.objects
    };
    Ok(Restored { file, objects })
}

/// The bytes of a file; nothing where there is none.
pub(crate) fn bytes_of(path: &Path) -> Result<Option<Vec<u8>>> {
    let mut file = match File::open(path) {
        Err(e) if matches!(e.kind(), Io::NotFound | Io::NotADirectory) => return Ok(None),
        file => file.map_err(|e| failed(path, &e))?,
    };
    let meta = file.metadata().map_err(|e| failed(path, &e))?;
    if !meta.is_file() {
        bail!(FailedPrecondition, "{}; Is no regular file", path.display());
    }
    let length = usize::try_from(meta.len()).unwrap_or(usize::MAX);
    let mut bytes = vec_for(checked_bytes(length, 1)?)?;
    file.read_to_end(&mut bytes).map_err(|e| failed(path, &e))?;
    Ok(Some(bytes))
}

/// A model that is being restored.
struct Restoring<'f> {
    folder: PathBuf,
    file: &'f SavedFile,
    functions: Functions<'f>,
    traces: HashMap<&'f str, Arc<Trace>>,
    objects: Vec<Object>,
    /// The keys and the values that tables had, by the tables' numbers.
    contents: Vec<(usize, [Tensor; 2])>,
}

impl<'f> Restoring<'f> {
    fn new(folder: &Path, file: &'f SavedFile) -> Result<Restoring<'f>> {
        let folder = std::path::absolute(folder).map_err(|e| failed(folder, &e))?;
        let mut restoring = Restoring {
            folder,
            file,
            functions: file.functions(),
            traces: HashMap::new(),
            objects: Vec::new(),
            contents: Vec::new(),
        };
        let mut values = restoring.values()?;
        for number in 0..file.objects().nodes.len() {
            let object = restoring.object(number, &mut values)?;
            restoring.objects.push(object);
        }
        Ok(restoring)
    }

    /// The values of the variables, by the variables' numbers. Those of tables are kept.
    fn values(&mut self) -> Result<HashMap<usize, Tensor>> {
        let stored = match Stored::open(&self.folder.join("variables").join("variables")) {
            Err(e) if e.kind() == ErrorKind::NotFound && !self.file.has_variables() => {
                return Ok(HashMap::new());
            }
            stored => stored?,
        };
        if !(self.file.has_variables() || self.file.has_resources()) {
            return Ok(HashMap::new());
        }
        let graph = stored.read(GRAPH_KEY)?;
        let [graph] = graph.as_strings()? else {
            bail!(DataLoss, "the graph of objects is no single string");
        };
        let graph = objects_of(graph)?;
        for (number, [keys, values]) in self.file.table_keys(&graph) {
            if stored.entry(&keys).is_ok() && stored.entry(&values).is_ok() {
                let contents = [stored.read(&keys)?, stored.read(&values)?];
                self.contents.push((number, contents));
            }
        }
        let keys = self.file.value_keys(&graph).into_iter();
        let known = keys.filter(|(_, key)| stored.entry(key).is_ok());
        known
            .map(|(number, key)| Ok((number, stored.read(key)?)))
            .collect()
    }

    /// An object, but for functions and tables.
    fn object(&self, number: usize, values: &mut HashMap<usize, Tensor>) -> Result<Object> {
        Ok(match self.file.kind(number) {
            Some(SavedKind::Variable(v)) => {
                let Some(value) = values.remove(&number) else {
                    bail!(
                        DataLoss,
                        "the files of the saved model hold no value of variable {:?}",
                        v.name
                    );
                };
                self.file.check_value(number, &value)?;
                let cell = VariableCell::new(v.name.clone(), variable_spec(v)?, v.trainable);
                cell.write(value)?;
                Object::Variable(Tensor::from_object(DType::Resource, Arc::new(cell)))
            }
            Some(SavedKind::Constant(c)) => Object::Constant(self.file.constant(&c.operation)?),
            Some(SavedKind::Asset(a)) => {
                let name = self.file.asset(a.asset_file_def_index)?;
                let path = self.folder.join("assets").join(name);
                let path = Bytes::from(path.as_os_str().as_encoded_bytes());
                Object::Asset(Tensor::string(path))
            }
            _ => Object::Parts,
        })
    }

    /// Makes tables anew, each by the function that the model has for it.
    fn make_resources(&mut self) -> Result<()> {
        for number in 0..self.objects.len() {
            if let Some(SavedKind::Resource(_)) = self.file.kind(number) {
                let creator = self.file.creator(number)?;
                let made = self.trace(creator)?.compute(&[])?;
                let handle = made.first().filter(|t| t.dtype() == DType::Resource);
                let handle = handle
                    .ok_or_else(|| err!(DataLoss, "function {creator:?} makes no resource"))?;
                self.objects[number] = Object::Resource(handle.clone());
            }
        }
        Ok(())
    }

    /// Makes all functions.
    fn add_functions(&mut self) -> Result<()> {
        for number in 0..self.objects.len() {
            match self.file.kind(number) {
                Some(SavedKind::Function(f)) => {
                    let params = Params::of(f.function_spec.as_ref())?;
                    let names = f.concrete_functions.iter();
                    let traces = names.map(|n| self.trace(n)).collect::<Result<_>>()?;
                    self.objects[number] = Object::Function(params, traces);
                }
                Some(SavedKind::Concrete(c)) => {
                    self.objects[number] = Object::Trace(self.trace(&c.concrete_function_name)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn trace(&mut self, name: &'f str) -> Result<Arc<Trace>> {
        if let Some(made) = self.traces.get(name) {
            return Ok(made.clone());
        }
        let made = self.file.concrete(&mut self.functions, name)?;
        let around = self.file.objects().concrete_functions.get(name);
        let captures = made.bound.iter().map(|&number| self.capture(name, number));
        let captures = captures.collect::<Result<Vec<_>>>()?;
        let within = |e: Error| Error::new(e.kind(), format!("function {name:?}: {}", e.message()));
        let arguments = around.and_then(|f| f.canonicalized_input_signature.as_ref());
        let arguments = Structure::of(arguments).map_err(within)?;
        let result = around.and_then(|f| f.output_signature.as_ref());
        let result = Structure::of(result).map_err(within)?;
        let made = Arc::new(Trace::new(name, made.graph, captures, &arguments, result)?);
        self.traces.insert(name, made.clone());
        Ok(made)
    }

    /// What a function takes for an object that is bound to it.
    fn capture(&self, function: &str, number: i32) -> Result<Tensor> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        match self.objects.get(number) {
            Some(
                Object::Variable(t) | Object::Constant(t) | Object::Asset(t) | Object::Resource(t),
            ) => Ok(t.clone()),
            _ => {
                let names = self.file.names();
                bail!(
                    Value,
                    "function {function:?} captured {:?}, which is no variable, tensor, table or file",
                    names.get(number).unwrap_or(&"an object")
                )
            }
        }
    }

    /// Fills tables with what they held.
    fn fill_resources(&self) -> Result<()> {
        for (number, object) in self.objects.iter().enumerate() {
            if let Object::Resource(_) = object
                && let Some(child) = self.file.child(number, "_initialize")
                && let Some(Object::Function(_, traces)) = self.objects.get(child)
                && let Some(trace) = traces.first()
            {
                trace.compute(&[])?;
            }
        }
        for (number, [keys, values]) in &self.contents {
            if let Some(Object::Resource(handle)) = self.objects.get(*number) {
                import_into(handle, keys, values)?;
            }
        }
        Ok(())
    }
}
