//! Short names for making and running operations in tests.

use crate::registry;
use ferrograph_graph::{
    Attr, Emitter, Inputs, Interpreter, Known, OpRef, Specs, Tensors, Val, Vals,
};
use ferrograph_tensor::{Bytes, DType, Dim, Element, PartialShape, Result, Tensor, TensorSpec};

/// The operation of that name.
pub(crate) fn op(name: &str, attrs: &[(&str, Attr)]) -> OpRef {
    let attrs: Vec<_> = attrs
        .iter()
        .map(|(n, a)| ((*n).to_owned(), a.clone()))
        .collect();
    registry().make(name, &attrs).unwrap()
}

/// What it gives for these inputs.
pub(crate) fn run(name: &str, attrs: &[(&str, Attr)], inputs: &[&Tensor]) -> Result<Tensors> {
    let inputs: Vec<Tensor> = inputs.iter().map(|t| (*t).clone()).collect();
    op(name, attrs).eval(&Interpreter, &inputs)
}

/// The first output.
pub(crate) fn one(name: &str, attrs: &[(&str, Attr)], inputs: &[&Tensor]) -> Tensor {
    run(name, attrs, inputs).unwrap().remove(0)
}

/// The message of the failure.
pub(crate) fn fault(name: &str, attrs: &[(&str, Attr)], inputs: &[&Tensor]) -> String {
    run(name, attrs, inputs).unwrap_err().message().to_owned()
}

/// What inference says of specs, constants and known elements.
pub(crate) fn infer(
    name: &str,
    attrs: &[(&str, Attr)],
    inputs: &[(TensorSpec, Option<Tensor>, Option<Known>)],
) -> Result<(Specs, Option<Known>)> {
    let op = op(name, attrs);
    let inputs = Inputs::new(inputs.iter().map(|(s, t, k)| (s, t.as_ref(), k.as_ref())));
    Ok((op.specs(&inputs)?, op.known(&inputs)))
}

/// An input of that dtype and partial shape, where -1 is unknown.
pub(crate) fn open(dtype: DType, dims: &[i64]) -> (TensorSpec, Option<Tensor>, Option<Known>) {
    (TensorSpec::new(dtype, partial(dims)), None, None)
}

/// A constant input.
pub(crate) fn constant(t: &Tensor) -> (TensorSpec, Option<Tensor>, Option<Known>) {
    (t.spec(), Some(t.clone()), None)
}

/// A partial shape, where -1 is unknown.
pub(crate) fn partial(dims: &[i64]) -> PartialShape {
    dims.iter()
        .map(|&d| usize::try_from(d).map_or(Dim::UNKNOWN, Dim::new))
        .collect()
}

/// A tensor of the numbers from 0 on.
pub(crate) fn iota(dims: &[usize]) -> Tensor {
    let n: usize = dims.iter().product();
    Tensor::from_slice(dims, &(0..n as i32).collect::<Vec<_>>()).unwrap()
}

/// A vector.
pub(crate) fn v<T: Element>(elements: &[T]) -> Tensor {
    Tensor::vector(elements).unwrap()
}

/// A scalar.
pub(crate) fn s<T: Element>(x: T) -> Tensor {
    Tensor::scalar(x).unwrap()
}

/// A string tensor.
pub(crate) fn words(dims: &[usize], words: &[&str]) -> Tensor {
    let words = words.iter().map(|w| Bytes::from(w.as_bytes())).collect();
    Tensor::from_strings(dims.into(), words).unwrap()
}

/// The words of a string tensor.
pub(crate) fn text(t: &Tensor) -> Vec<String> {
    let words = t.as_strings().unwrap().iter();
    words
        .map(|w| String::from_utf8_lossy(w).into_owned())
        .collect()
}

/// The same numbers as words, for running a movement on strings.
pub(crate) fn as_words(t: &Tensor) -> Tensor {
    let words: Vec<String> = t
        .to_i64s()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    self::words(t.shape(), &words)
}

/// Computes at once.
pub(crate) struct Eager;

impl Emitter for Eager {
    fn emit(&mut self, op: OpRef, inputs: &[Val]) -> Result<Vals> {
        let inputs: Vec<Tensor> = inputs
            .iter()
            .map(|v| v.expect_tensor().cloned())
            .collect::<Result<_>>()?;
        let outputs = op
            .eval(&Interpreter, &inputs)
            .map_err(|e| e.in_op(op.name()))?;
        Ok(outputs.into_iter().map(Val::eager).collect())
    }
}
