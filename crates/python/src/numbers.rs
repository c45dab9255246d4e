//! Tensors of graphs under construction that represent Python's own integers, and what is made of them.
//!
//! An integer of Python that a branch or a loop chooses is an int32 or int64 tensor while the function is traced. What
//! Python's operators make of it has no bounds in plain Python; the front end adds a check where a tensor has some.

use crate::region::PyRegion;
use crate::tensor::{PyTensor, wrap};
use ferrograph_graph::{Node, Sym, TraceRef, Val, ValueId};
use ferrograph_tensor::DType;
use parking_lot::Mutex;
use pyo3::prelude::*;
use std::collections::{HashMap, HashSet};

/// What a value is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Of constants alone.
    Constant,
    /// Of numbers that are known, and constants.
    Number,
    /// Of something else.
    Other,
}

/// How far back from a value to look in the graphs around it.
const DEEPEST: usize = 500;

/// Whether an operation is one that operators and builtins of Python become.
fn is_pythons(op: &str) -> bool {
    matches!(
        op,
        "Add"
            | "AddV2"
            | "Sub"
            | "Mul"
            | "FloorDiv"
            | "FloorMod"
            | "Mod"
            | "Pow"
            | "Neg"
            | "Abs"
            | "Cast"
            | "Round"
            | "Less"
            | "LessEqual"
            | "Greater"
            | "GreaterEqual"
            | "Equal"
            | "NotEqual"
            | "LogicalNot"
            | "LogicalAnd"
            | "LogicalOr"
            | "Maximum"
            | "Minimum"
            | "BitwiseAnd"
            | "BitwiseOr"
            | "BitwiseXor"
            | "Invert"
            | "LeftShift"
            | "RightShift"
            | "SelectV2"
            | "Identity"
    )
}

/// Whether such an operation may leave the range of its operands.
fn grows(op: &str) -> bool {
    matches!(
        op,
        "Add" | "AddV2" | "Sub" | "Mul" | "FloorDiv" | "Pow" | "Neg" | "Abs" | "LeftShift"
    )
}

/// Whether the program asks for 64 bits, with which it has a tensor of its own.
fn is_widened(sym: &Sym) -> bool {
    let is_cast = sym
        .trace
        .with_builder(|b| b.node(b.value(sym.value).node).op.name() == "Cast");
    is_cast.unwrap_or(false) && Val::Sym(sym.clone()).dtype() == DType::Int64
}

/// A node as the search sees it.
struct Step {
    op: String,
    inputs: Vec<ValueId>,
    output: Option<ValueId>,
    place: Option<(String, u32)>,
}

struct Search<'a> {
    known: &'a HashSet<u64>,
    found: HashMap<u64, Kind>,
}

impl Search<'_> {
    fn kind(&mut self, val: &Val, depth: usize) -> Kind {
        let key = val.key();
        if self.known.contains(&key) {
            return Kind::Number;
        }
        if let Some(kind) = self.found.get(&key) {
            return *kind;
        }
        if depth > DEEPEST {
            return Kind::Other;
        }
        let kind = self.look(val, depth);
        self.found.insert(key, kind);
        kind
    }

    fn look(&mut self, val: &Val, depth: usize) -> Kind {
        let Val::Sym(sym) = val else {
            return Kind::Other;
        };
        let Ok(captures) = sym.trace.captures() else {
            return Kind::Other;
        };
        if let Some(capture) = captures.into_iter().find(|c| c.inner == sym.value) {
            return self.kind(&capture.outer, depth + 1);
        }
        let step = sym.trace.with_builder(|b| {
            let node = b.node(b.value(sym.value).node);
            let is_constant = node.op.constant().is_some();
            (
                is_constant,
                is_pythons(node.op.name()),
                node.inputs.to_vec(),
            )
        });
        match step {
            Ok((true, ..)) => Kind::Constant,
            Ok((false, true, inputs)) if !is_widened(sym) => {
                self.together(&sym.trace, &inputs, depth)
            }
            _ => Kind::Other,
        }
    }

    /// The kind of the result of a Python operation on values.
    fn together(&mut self, trace: &TraceRef, inputs: &[ValueId], depth: usize) -> Kind {
        let mut all = if inputs.is_empty() {
            Kind::Other
        } else {
            Kind::Constant
        };
        for value in inputs {
            let (trace, value) = (trace.clone(), *value);
            match self.kind(&Val::Sym(Sym { trace, value }), depth + 1) {
                Kind::Other => return Kind::Other,
                Kind::Number => all = Kind::Number,
                Kind::Constant => {}
            }
        }
        all
    }
}

/// An operation on numbers: its type, what it takes and gives, and its place in the user's text.
type Arithmetic<'py> = (
    String,
    Vec<Bound<'py, PyAny>>,
    Bound<'py, PyAny>,
    Option<(String, u32)>,
);

/// Which tensors of a trace represent integers of Python.
#[pyclass(name = "Numbers", module = "ferrograph._core", frozen)]
pub(crate) struct PyNumbers(Mutex<HashSet<u64>>);

#[pymethods]
impl PyNumbers {
    #[new]
    fn new() -> PyNumbers {
        PyNumbers(Mutex::default())
    }

    /// Notes one.
    fn add(&self, tensor: &Bound<'_, PyTensor>) {
        self.0.lock().insert(tensor.get().val.key());
    }

    /// Takes one out that turns out to be a tensor in plain Python, too.
    fn remove(&self, tensor: &Bound<'_, PyTensor>) {
        self.0.lock().remove(&tensor.get().val.key());
    }

    /// Whether a tensor is one of them, or made of them by Python's operators.
    fn holds(&self, tensor: &Bound<'_, PyTensor>) -> bool {
        let known = self.0.lock();
        let found = HashMap::new();
        let mut search = Search {
            known: &known,
            found,
        };
        search.kind(&tensor.get().val, 0) == Kind::Number
    }

    /// The operations of a graph under construction on such integers alone that may leave the range of their dtype.
    fn arithmetic<'py>(
        &self,
        py: Python<'py>,
        region: &PyRegion,
    ) -> PyResult<Vec<Arithmetic<'py>>> {
        let (trace, known) = (&region.trace, self.0.lock());
        let found = HashMap::new();
        let mut search = Search {
            known: &known,
            found,
        };
        let mut all = Vec::new();
        for step in steps(trace) {
            let sym = |value| {
                let trace = trace.clone();
                Val::Sym(Sym { trace, value })
            };
            let Some(output) = step.output else { continue };
            let output = sym(output);
            let kind = search.kind(&output, 0);
            let is_wide = matches!(output.dtype(), DType::Int32 | DType::Int64);
            if kind != Kind::Number || !grows(&step.op) || !is_wide {
                continue;
            }
            let inputs = step.inputs.into_iter().map(|v| wrap(py, sym(v)));
            let inputs = inputs.collect::<PyResult<_>>()?;
            all.push((step.op, inputs, wrap(py, output)?, step.place));
        }
        Ok(all)
    }
}

/// The nodes of a graph under construction so far whose results may leave the range of their operands.
fn steps(trace: &TraceRef) -> Vec<Step> {
    let steps = trace.with_builder(|b| {
        let step = |node: &Node| {
            let op = node.op.name().to_string();
            grows(&op).then(|| Step {
                op,
                inputs: node.inputs.to_vec(),
                output: node.outputs.first().copied(),
                place: node.origin.as_ref().map(|o| (o.file.to_string(), o.line)),
            })
        };
        b.nodes().iter().filter_map(step).collect()
    });
    steps.unwrap_or_default()
}
