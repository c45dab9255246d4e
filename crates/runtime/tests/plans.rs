//! The files of `tests/plans`: a graph, and what the stages of compilation make of it.
//!
//! ```text
//! // what the case shows
//! inputs: [dtype shape (";" dtype shape)*]
//! graph "f" (...) { ... }
//! ---- specialise | lower | fuse | schedule | assign buffers
//! what that stage makes
//! ```
//!
//! With `BLESS=1` in the environment the files are written anew instead of compared.

use ferrograph_graph::{Graph, text, verify};
use ferrograph_ops::VariableCell;
use ferrograph_runtime::{Stage, compile_unoptimised, print_stage, verify_plan};
use ferrograph_tensor::{DType, PartialShape, Shape, Tensor, TensorSpec};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file taken apart.
struct Case<'a> {
    /// All up to the first stage.
    head: &'a str,
    graph: Arc<Graph>,
    inputs: Vec<Tensor>,
    /// Names and expected texts.
    stages: Vec<(&'a str, &'a str)>,
}

impl Case<'_> {
    fn parse(content: &str) -> Case<'_> {
        let mut parts = content.split("---- ");
        let head = parts.next().unwrap();
        let (types, graph) = head
            .split_once("inputs:")
            .and_then(|(_, rest)| rest.split_once('\n'))
            .expect("a line `inputs:`, then a graph");
        let graph = text::parse(graph, ferrograph_ops::registry()).expect("a graph");
        assert!(verify(&graph).is_empty(), "{:?}", verify(&graph));
        let stages = parts.map(|part| part.split_once('\n').expect("a stage and its text"));
        Case {
            head,
            graph,
            inputs: inputs(types),
            stages: stages.collect(),
        }
    }

    /// What the stages make, in the form of the file.
    fn actual(&self) -> String {
        let mut actual = self.head.to_owned();
        for (name, _) in &self.stages {
            let made = print_stage(&self.graph, &self.inputs, stage(name)).expect("a plan");
            write!(actual, "---- {name}\n{made}").unwrap();
        }
        actual
    }
}

/// Zeros of types such as `float32 [2, 3]`, between semicolons; strings are empty, a resource is a variable.
fn inputs(types: &str) -> Vec<Tensor> {
    let types = types.split(';').map(str::trim).filter(|t| !t.is_empty());
    types.map(zeros).collect()
}

fn zeros(of: &str) -> Tensor {
    let (dtype, shape) = of.split_once(' ').expect("a dtype and a shape");
    let dtype = DType::ALL.iter().find(|d| d.to_string() == dtype);
    let dims = shape.trim_matches(['[', ']']).split(',').map(str::trim);
    let dims = dims.filter(|d| !d.is_empty());
    let shape: Shape = dims
        .map(|d| d.parse::<usize>().expect("a dimension"))
        .collect();
    let dtype = *dtype.expect("a dtype");
    if dtype == DType::Resource {
        let held = TensorSpec::new(DType::Float32, PartialShape::UNKNOWN);
        let cell = VariableCell::new("v".to_owned(), held, true);
        return Tensor::from_object(dtype, Arc::new(cell));
    }
    if dtype == DType::String {
        let empty = vec![Arc::from(&b""[..]); shape.n_elements()];
        return Tensor::from_strings(shape, empty).unwrap();
    }
    let mut zeros = Tensor::empty(dtype, shape).unwrap();
    zeros.bytes_mut().unwrap().fill(0);
    zeros
}

fn stage(name: &str) -> Stage {
    match name {
        "specialise" => Stage::Specialise,
        "lower" => Stage::Lower,
        "fuse" => Stage::Fuse,
        "schedule" => Stage::Schedule,
        "assign buffers" => Stage::AssignBuffers,
        other => panic!("there is no stage {other}"),
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plans");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn stages_make_what_the_files_say() {
    let bless = std::env::var_os("BLESS").is_some_and(|v| v == "1");
    let mut differing = Vec::new();
    for file in files() {
        let content = std::fs::read_to_string(&file).unwrap();
        let actual = Case::parse(&content).actual();
        if bless {
            std::fs::write(&file, &actual).unwrap();
        } else if actual != content {
            differing.push(format!("{}:\n{actual}", file.display()));
        }
    }
    let list = differing.join("\n");
    assert!(
        differing.is_empty(),
        "BLESS=1 accepts what differs:\n{list}"
    );
}

#[test]
fn the_plans_of_the_files_are_sound() {
    let files = files();
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        let content = std::fs::read_to_string(&file).unwrap();
        let case = Case::parse(&content);
        assert!(!case.stages.is_empty(), "{} says no stage", file.display());
        let plan = compile_unoptimised(&case.graph, &case.inputs).unwrap();
        let faults = verify_plan(&plan);
        assert!(faults.is_empty(), "{}: {faults:?}", file.display());
    }
}
