//! Signatures: functions of named tensors that give named tensors.

use crate::array::IntoValue;
use crate::error::Result;
use crate::suggest::remark;
use crate::trace::{TensorInfo, Trace};
use crate::value::Value;
use ferrograph_tensor::{Tensor, err};
use std::fmt;

/// A function of named tensors that gives named tensors.
///
/// The tensors of a ragged or sparse tensor `rows` are `rows.flat_values` and `rows.row_splits_0`, or `rows.indices`,
/// `rows.values` and `rows.dense_shape`.
pub struct Signature<'m> {
    name: &'m str,
    trace: &'m Trace,
}

/// What a signature gave: values by their names, in the order in which the signature tells them.
#[derive(Clone, Debug)]
pub struct Outputs(Vec<(String, Value)>);

impl Outputs {
    /// The value of that name.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn get(&self, name: &str) -> Result<&Value> {
        let found = self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v);
        Ok(found.ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|(n, _)| n.as_str()).collect();
            err!(NotFound, "there is no output {name:?}; there are {names:?}")
        })?)
    }

    /// All values with their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v))
    }
}

impl<'m> Signature<'m> {
    pub(crate) fn new(name: &'m str, trace: &'m Trace) -> Signature<'m> {
        Signature { name, trace }
    }

    /// What it is called.
    pub fn name(&self) -> &'m str {
        self.name
    }

    /// What it takes.
    pub fn inputs(&self) -> &'m [TensorInfo] {
        self.trace.inputs()
    }

    /// What it gives.
    pub fn outputs(&self) -> &'m [TensorInfo] {
        self.trace.outputs()
    }

    pub(crate) fn trace(&self) -> &'m Trace {
        self.trace
    }

    /// Its graph as text.
    pub fn graph_text(&self) -> String {
        self.trace.graph_text()
    }

    /// The input of that name.
    ///
    /// # Errors
    /// `InvalidArgument` where there is none.
    pub(crate) fn input(&self, name: &str) -> Result<&'m TensorInfo> {
        Ok(&self.inputs()[self.place_of(name)?])
    }

    fn place_of(&self, name: &str) -> Result<usize> {
        let wanted = self.inputs();
        let found = wanted.iter().position(|i| i.name() == name);
        Ok(found.ok_or_else(|| {
            err!(
                InvalidArgument,
                "signature {:?} has no input {name:?}{}; it takes {}",
                self.name,
                remark(name, wanted.iter().map(TensorInfo::name)),
                listed(wanted)
            )
        })?)
    }

    /// Runs it.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that is no input's, that is given twice or left out, and for a value of another dtype
    /// or shape; otherwise what goes wrong when it runs.
    pub fn run<K: AsRef<str>, V: IntoValue>(
        &self,
        inputs: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Outputs> {
        let wanted = self.inputs();
        let mut given: Vec<Option<Tensor>> = vec![None; wanted.len()];
        for (name, value) in inputs {
            let name = name.as_ref();
            let at = self.place_of(name)?;
            let tensor = value.into_value()?.0;
            if !wanted[at].accepts(&tensor) {
                return Err(err!(
                    InvalidArgument,
                    "signature {:?}: input {name:?} is {}, not {}",
                    self.name,
                    tensor.spec(),
                    wanted[at].of_type()
                )
                .into());
            }
            if given[at].replace(tensor).is_some() {
                return Err(err!(InvalidArgument, "input {name:?} is given twice").into());
            }
        }
        let missing = given.iter().position(Option::is_none);
        if let Some(missing) = missing {
            return Err(err!(
                InvalidArgument,
                "signature {:?} misses input {:?}; it takes {}",
                self.name,
                wanted[missing].name(),
                listed(wanted)
            )
            .into());
        }
        let given: Vec<Tensor> = given.into_iter().flatten().collect();
        let found = self.trace.run(&given)?;
        let names = self.outputs().iter().map(|o| o.name().to_owned());
        Ok(Outputs(names.zip(found).collect()))
    }
}

/// Names and types, one after the other.
fn listed(all: &[TensorInfo]) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    match all.is_empty() {
        true => "nothing".into(),
        false => all.join(", "),
    }
}

impl fmt::Display for Signature<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs: Vec<String> = self.inputs().iter().map(ToString::to_string).collect();
        let inputs = inputs.join(", ");
        write!(f, "{}({inputs}) -> {}", self.name, listed(self.outputs()))
    }
}

impl fmt::Debug for Signature<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
