//! Which trace serves a call, and the tensors that it takes.

use crate::argument::Argument;
use crate::trace::Trace;
use ferrograph_graph::OpRef;
use ferrograph_ops::Cast;
use ferrograph_runtime::compute;
use ferrograph_saved::{Params, Structure};
use ferrograph_tensor::{Bytes, DType, Result, Tensor, TensorSpec, bail, err};
use std::sync::Arc;

/// A call with its arguments by parameters.
pub(crate) struct Bound {
    args: Vec<Argument>,
    named: Vec<(String, Argument)>,
}

/// The names of the parameters that are given by position.
pub(crate) fn positional(params: &Params) -> Vec<String> {
    let all = params.named.iter().filter(|p| !p.is_keyword);
    all.map(|p| p.name.clone()).collect()
}

/// Positional and keyword arguments as traces have them, defaults filled in.
pub(crate) fn bind(
    function: &str,
    params: &Params,
    args: Vec<Argument>,
    named: Vec<(String, Argument)>,
) -> Result<Bound> {
    let (n, mut named) = (args.len(), named);
    let (mut rest, mut bound) = (args.into_iter(), Vec::new());
    for param in &params.named {
        let at = named.iter().position(|(name, _)| *name == param.name);
        let default = param.default.as_ref().and_then(Argument::of_default);
        if param.is_keyword {
            if let (None, Some(default)) = (at, default) {
                named.push((param.name.clone(), default));
            }
            continue;
        }
        match (rest.next(), at) {
            (Some(_), Some(_)) => bail!(
                Type,
                "{function}() got two values for argument {:?}",
                param.name
            ),
            (Some(arg), None) => bound.push(arg),
            (None, Some(at)) => bound.push(named.remove(at).1),
            (None, None) => match default {
                Some(default) => bound.push(default),
                None => bail!(Type, "{function}() misses argument {:?}", param.name),
            },
        }
    }
    let rest: Vec<Argument> = rest.collect();
    if !rest.is_empty() && params.rest.is_none() {
        bail!(
            Type,
            "{function}() takes {} positional arguments, got {n}",
            n - rest.len()
        );
    }
    bound.extend(rest);
    Ok(Bound { args: bound, named })
}

/// The first trace that a call fits, with the tensors that it takes: as its arguments are, or else with numbers and
/// texts as tensors where the trace has some.
///
/// # Errors
/// `Value` where there is none, with the closest one and what differs.
pub(crate) fn choose(
    function: &str,
    params: &[String],
    traces: &[Arc<Trace>],
    call: &Bound,
) -> Result<(Arc<Trace>, Vec<Tensor>)> {
    let mut closest: Option<Difference> = None;
    let mut at = 0;
    for converts in [false, true] {
        for (i, trace) in traces.iter().enumerate() {
            let mut found = Difference {
                converts,
                n_equal: 0,
                text: None,
                tensors: Vec::new(),
            };
            found.compare_all(trace, params, call);
            if found.text.is_none() {
                return Ok((trace.clone(), found.tensors));
            }
            if closest.as_ref().is_none_or(|c| found.n_equal > c.n_equal) {
                (closest, at) = (Some(found), i);
            }
        }
    }
    let Some(closest) = closest else {
        bail!(
            Value,
            "{function}() was saved without a trace: call it before it is saved, or give it an input_signature"
        );
    };
    let others = traces.iter().enumerate().filter(|(i, _)| *i != at);
    let others: String = others
        .map(|(_, t)| format!("\n  {}", t.shown(function, params)))
        .collect();
    let also = if others.is_empty() {
        String::new()
    } else {
        format!("\nOther saved traces:{others}")
    };
    Err(err!(
        Value,
        "{function}(): no saved trace fits this call. The closest one is\n  {}\nbut {}.{also}",
        traces[at].shown(function, params),
        closest.text.unwrap_or_default()
    ))
}

/// The first difference of a call from a trace, and how many leaves before it were equal.
struct Difference {
    converts: bool,
    n_equal: usize,
    text: Option<String>,
    tensors: Vec<Tensor>,
}

impl Difference {
    fn compare_all(&mut self, trace: &Trace, params: &[String], call: &Bound) {
        if trace.args.len() != call.args.len() {
            let (n, m) = (trace.args.len(), call.args.len());
            return self.differ(format!("it takes {n} positional arguments, got {m}"));
        }
        let mut given: Vec<&str> = call.named.iter().map(|(n, _)| n.as_str()).collect();
        given.sort_unstable();
        let mut wanted: Vec<&str> = trace.named.iter().map(|(n, _)| n.as_str()).collect();
        wanted.sort_unstable();
        if given != wanted {
            return self.differ(format!("it takes the keywords {wanted:?}, got {given:?}"));
        }
        for (i, (want, got)) in trace.args.iter().zip(&call.args).enumerate() {
            let name = params.get(i).cloned().unwrap_or_else(|| i.to_string());
            self.compare(&name, want, got);
        }
        for (name, want) in &trace.named {
            if let Some((_, got)) = call.named.iter().find(|(n, _)| n == name) {
                self.compare(name, want, got);
            }
        }
    }

    fn differ(&mut self, text: String) {
        self.text.get_or_insert(text);
    }

    fn settle(&mut self, fits: bool, path: &str, want: &Structure, got: &Argument) {
        match fits {
            true => self.n_equal += 1,
            false => self.differ(format!("argument {path:?} is {got}, not {want}")),
        }
    }

    fn compare(&mut self, path: &str, want: &Structure, got: &Argument) {
        if self.text.is_some() {
            return;
        }
        match (want, got) {
            (Structure::Tensor(_, spec), _) => {
                let tensor = self.tensor(spec, got);
                self.settle(tensor.is_some(), path, want, got);
                self.tensors.extend(tensor);
            }
            (Structure::Composite(c), Argument::Parts(parts)) => {
                let fits = c.parts.len() == parts.len()
                    && (c.parts.iter().zip(parts)).all(|((_, spec), v)| accepts(spec, &v.0));
                self.settle(fits, path, want, got);
                self.tensors.extend(parts.iter().map(|v| v.0.clone()));
            }
            (Structure::Dict(all), Argument::Dict(given)) => {
                if !all.iter().map(|(k, _)| k).eq(given.keys()) {
                    return self.settle(false, path, want, got);
                }
                for ((key, want), got) in all.iter().zip(given.values()) {
                    self.compare(&format!("{path}[{key:?}]"), want, got);
                }
            }
            (Structure::List(all) | Structure::Tuple(all), Argument::List(given))
                if all.len() == given.len() =>
            {
                for (i, (want, got)) in all.iter().zip(given).enumerate() {
                    self.compare(&format!("{path}[{i}]"), want, got);
                }
            }
            (Structure::Named(_, all), Argument::List(given)) if all.len() == given.len() => {
                for (i, ((_, want), got)) in all.iter().zip(given).enumerate() {
                    self.compare(&format!("{path}[{i}]"), want, got);
                }
            }
            _ => self.settle(is_literal(want, got), path, want, got),
        }
    }

    /// The tensor that an argument is for a type; a number or text only where these are converted.
    fn tensor(&self, spec: &TensorSpec, got: &Argument) -> Option<Tensor> {
        let tensor = match got {
            Argument::Tensor(v) => v.0.clone(),
            other if self.converts => scalar(spec.dtype, other)?,
            _ => return None,
        };
        accepts(spec, &tensor).then_some(tensor)
    }
}

fn accepts(spec: &TensorSpec, tensor: &Tensor) -> bool {
    tensor.dtype() == spec.dtype && spec.shape.accepts(tensor.shape())
}

/// Whether an argument is that value of the program.
fn is_literal(want: &Structure, got: &Argument) -> bool {
    match (want, got) {
        (Structure::None, Argument::None) => true,
        (Structure::Bool(a), Argument::Bool(b)) => a == b,
        (Structure::Int(a), Argument::Int(b)) => a == b,
        (Structure::Float(a), Argument::Float(b)) => a == b,
        (Structure::Text(a), Argument::Text(b)) => a == b,
        (Structure::DType(a), Argument::DType(b)) => a == b,
        _ => false,
    }
}

/// A number, bool or text as a tensor of a dtype that holds it.
fn scalar(dtype: DType, value: &Argument) -> Option<Tensor> {
    let made = match (value, dtype) {
        (Argument::Text(text), DType::String) => Tensor::string(Bytes::from(text.as_bytes())),
        (Argument::Bool(x), DType::Bool) => Tensor::scalar(*x).ok()?,
        (Argument::Int(x), d) if d.is_integer() => {
            let made = cast(&Tensor::scalar(*x).ok()?, d)?;
            let back = cast(&made, DType::Int64)?;
            (back.item::<i64>().ok()? == *x).then_some(made)?
        }
        (Argument::Int(x), d) if d.is_numeric() || d.float8().is_some() => {
            cast(&Tensor::scalar(*x).ok()?, d)?
        }
        (Argument::Float(x), d) if d.takes_fractions() || d.is_complex() => {
            cast(&Tensor::scalar(*x).ok()?, d)?
        }
        _ => return None,
    };
    Some(made)
}

fn cast(tensor: &Tensor, dtype: DType) -> Option<Tensor> {
    let op: OpRef = Arc::new(Cast { dtype });
    let made = compute(&op, std::slice::from_ref(tensor)).ok()?;
    made.into_iter().next()
}
