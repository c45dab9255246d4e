//! Helpers for tests of operations: eager evaluation, and gradients checked numerically.

use crate::emit::*;
use crate::{LeafOps, registry};
use ferrograph_graph::{
    Attr, Differentiability, Emitter, Grad, Grads, GraphBuilder, Interpreter, OpRef, Runner, Sym,
    Tensors, Trace, TraceRef, Val, Vals, ValueId, VjpCall,
};
use ferrograph_tensor::{DType, PartialShape, Result, Tensor, TensorSpec, err};
use smallvec::smallvec;
use std::collections::HashMap;
use std::sync::Arc;

/// Emits by evaluating at once or into a trace, and remembers what was emitted.
#[derive(Default)]
pub(crate) struct Recorder {
    trace: Option<TraceRef>,
    calls: Vec<(OpRef, Vec<Val>, Vals)>,
}

/// Emits operations by their public names, as tests that go through many of them do.
pub(crate) trait ByName: Emitter {
    /// All outputs of the operation of that name.
    fn op_all(&mut self, name: &str, inputs: &[Val], attrs: Vec<(&str, Attr)>) -> Result<Vals> {
        let attrs: Vec<(String, Attr)> =
            attrs.into_iter().map(|(n, a)| (n.to_owned(), a)).collect();
        self.emit(registry().make(name, &attrs)?, inputs)
    }

    /// The first output of the operation of that name.
    fn op(&mut self, name: &str, inputs: &[&Val], attrs: Vec<(&str, Attr)>) -> Result<Val> {
        let inputs: Vec<Val> = inputs.iter().map(|v| (*v).clone()).collect();
        Ok(self.op_all(name, &inputs, attrs)?.remove(0))
    }
}

impl<E: Emitter + ?Sized> ByName for E {}

impl Emitter for Recorder {
    fn emit(&mut self, op: OpRef, inputs: &[Val]) -> Result<Vals> {
        let outputs = match &self.trace {
            Some(trace) => {
                let inputs: Vec<ValueId> = inputs
                    .iter()
                    .map(|v| trace.resolve(v, &LeafOps))
                    .collect::<Result<_>>()?;
                trace.add(op.clone(), &inputs, None, None)?
            }
            None => evaluated(&op, inputs)?,
        };
        self.calls.push((op, inputs.to_vec(), outputs.clone()));
        Ok(outputs)
    }
}

fn evaluated(op: &OpRef, inputs: &[Val]) -> Result<Vals> {
    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|v| v.expect_tensor().cloned())
        .collect::<Result<_>>()?;
    let outputs = op
        .eval(&Interpreter, &tensors)
        .map_err(|e| e.in_op(op.name()))?;
    Ok(outputs.into_iter().map(Val::eager).collect())
}

impl Recorder {
    /// The gradients of the sum of `y` by `xs`, emitted here so that they can be differentiated again.
    pub fn gradients(&mut self, y: &Val, xs: &[Val]) -> Result<Vec<Option<Val>>> {
        let mut grads: HashMap<u64, Val> = HashMap::new();
        let seed = self.ones_like(y)?;
        grads.insert(y.key(), seed);
        for i in (0..self.calls.len()).rev() {
            let (op, inputs, outputs) = self.calls[i].clone();
            let of: Vec<Option<Val>> = outputs
                .iter()
                .map(|o| grads.get(&o.key()).cloned())
                .collect();
            if of.iter().all(Option::is_none) {
                continue;
            }
            let needs = vec![true; inputs.len()];
            let call = VjpCall {
                inputs: &inputs,
                outputs: &outputs,
                grads: &of,
                needs: &needs,
            };
            let given: Grads = match op.differentiability() {
                Differentiability::Vjp => op.vjp(self, &call)?,
                Differentiability::Passes => smallvec![of[0].clone().map(Grad::Dense)],
                _ => continue,
            };
            for (input, grad) in inputs.iter().zip(given) {
                let grad = match grad {
                    Some(Grad::Dense(grad)) => grad,
                    Some(Grad::Slices {
                        values,
                        indices,
                        dense_shape,
                    }) => {
                        let zero = self.scalar(0.0, DType::Int32)?;
                        let n = self.gather_v2(&dense_shape, &zero, &zero, 0)?;
                        self.unsorted_segment_sum(&values, &indices, &n)?
                    }
                    None => continue,
                };
                assert!(
                    grad.spec().shape.is_compatible(&input.spec().shape),
                    "gradient shape of {op:?}"
                );
                let total = match grads.remove(&input.key()) {
                    Some(old) => self.add_n(&[old, grad])?,
                    None => grad,
                };
                grads.insert(input.key(), total);
            }
        }
        Ok(xs.iter().map(|x| grads.get(&x.key()).cloned()).collect())
    }
}

/// The outputs of an operation for these tensors.
pub(crate) fn run_all(
    name: &str,
    inputs: &[&Tensor],
    attrs: Vec<(&str, Attr)>,
) -> Result<Vec<Tensor>> {
    let vals: Vec<Val> = inputs.iter().map(|t| Val::eager((*t).clone())).collect();
    Recorder::default()
        .op_all(name, &vals, attrs)?
        .iter()
        .map(|v| v.expect_tensor().cloned())
        .collect()
}

/// The first output of an operation, which must agree with that of its bound kernel.
pub(crate) fn run(name: &str, inputs: &[&Tensor], attrs: Vec<(&str, Attr)>) -> Result<Tensor> {
    let owned: Vec<Tensor> = inputs.iter().map(|t| (*t).clone()).collect();
    let first = run_all(name, inputs, attrs.clone())?.remove(0);
    let attrs: Vec<(String, Attr)> = attrs.into_iter().map(|(n, a)| (n.to_owned(), a)).collect();
    let op = registry().make(name, &attrs)?;
    if first.dtype().is_dense()
        && op.effect() == ferrograph_graph::Effect::Pure
        && let Ok(other) = ferrograph_graph::evaluate(&*op, &Interpreter, &owned)
    {
        assert_eq!(other[0].bytes(), first.bytes(), "eval and kernel of {name}");
        assert_eq!(other[0].spec(), first.spec());
    }
    Ok(first)
}

/// The specs that a graph infers for an operation on values of these specs.
pub(crate) fn infer(
    name: &str,
    inputs: &[TensorSpec],
    attrs: Vec<(&str, Attr)>,
) -> Result<Vec<TensorSpec>> {
    let attrs: Vec<(String, Attr)> = attrs.into_iter().map(|(n, a)| (n.to_owned(), a)).collect();
    let op = registry().make(name, &attrs)?;
    let mut builder = GraphBuilder::new("test");
    let mut values = Vec::new();
    for spec in inputs {
        let node = builder.add(
            Arc::new(crate::Placeholder::from(spec.clone())),
            &[],
            None,
            None,
        )?;
        values.push(builder.node(node).outputs[0]);
    }
    let node = builder.add(op, &values, None, None)?;
    let outputs = builder.node(node).outputs.clone();
    Ok(outputs
        .iter()
        .map(|&v| builder.value(v).spec.clone())
        .collect())
}

/// A spec whose sizes of -1 are unknown.
pub(crate) fn spec(dtype: DType, dims: &[i64]) -> TensorSpec {
    let dims = dims
        .iter()
        .map(|&d| usize::try_from(d).ok().into())
        .collect::<PartialShape>();
    TensorSpec::new(dtype, dims)
}

/// A float64 tensor of these elements.
pub(crate) fn t64(shape: &[usize], elements: &[f64]) -> Tensor {
    Tensor::from_slice(shape, elements).expect("elements fill the shape")
}

/// The elements of a float64 tensor.
pub(crate) fn f64s(t: &Tensor) -> Vec<f64> {
    t.as_slice::<f64>().expect("a float64 tensor").to_vec()
}

/// Checks the gradients of an operation on float64 tensors against differences, weighing outputs unevenly so that
/// terms do not cancel; once more for the gradient's own gradient.
pub(crate) fn check_gradients(name: &str, inputs: &[&Tensor], attrs: &[(&str, Attr)]) {
    check_fn(name, inputs, |e, xs| {
        let xs: Vec<&Val> = xs.iter().collect();
        e.op(name, &xs, attrs.to_vec())
    });
}

/// As [`check_gradients`], for a function of the float64 tensors among the inputs.
pub(crate) fn check_fn(
    what: &str,
    inputs: &[&Tensor],
    f: impl Fn(&mut Recorder, &[Val]) -> Result<Val>,
) {
    let first = |e: &mut Recorder, xs: &[Val]| {
        let y = f(e, xs)?;
        weighed(e, &y)
    };
    compare(what, inputs, &first);
    let second = |e: &mut Recorder, xs: &[Val]| {
        let y = first(e, xs)?;
        let grads = e.gradients(&y, xs)?;
        let mut total = None;
        for grad in grads
            .iter()
            .flatten()
            .filter(|g| g.dtype() == DType::Float64)
        {
            let part = weighed(e, grad)?;
            total = Some(match total {
                Some(sum) => e.add(&sum, &part)?,
                None => part,
            });
        }
        total.ok_or_else(|| err!(Internal, "{what} has no gradient"))
    };
    compare(&format!("gradient of {what}"), inputs, &second);
    for open in [Open::Sizes, Open::Ranks, Open::All] {
        compare_traced(what, inputs, open, &f);
    }
}

/// What a trace does not know of its arguments.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Open {
    /// The sizes of floats; other inputs are constants.
    Sizes,
    /// The ranks of floats; other inputs are constants.
    Ranks,
    /// The ranks and values of all.
    All,
}

/// Half the sum of squares of what `f` gives, by each input.
fn gradients_of(
    e: &mut Recorder,
    xs: &[Val],
    f: &dyn Fn(&mut Recorder, &[Val]) -> Result<Val>,
) -> Result<Vec<Option<Val>>> {
    let y = f(e, xs)?;
    let square = e.mul(&y, &y)?;
    let loss = e.scale(&square, 0.5)?;
    e.gradients(&loss, xs)
}

/// Checks that gradients traced on open shapes give what eager ones do.
fn compare_traced(
    what: &str,
    inputs: &[&Tensor],
    open: Open,
    f: &dyn Fn(&mut Recorder, &[Val]) -> Result<Val>,
) {
    let eager: Vec<Val> = inputs.iter().map(|t| Val::eager((*t).clone())).collect();
    let want = gradients_of(&mut Recorder::default(), &eager, f).expect("eager gradients");
    let got = traced(&eager, open, f).unwrap_or_else(|e| panic!("{what}, open {open:?}: {e}"));
    let mut got = got.into_iter();
    for (i, want) in want.iter().enumerate().filter(|(_, w)| w.is_some()) {
        let (want, got) = (want.as_ref().and_then(Val::tensor), got.next());
        let (Some(want), Some(got)) = (want, got) else {
            panic!("{what}, open {open:?}: input {i} has no gradient in the trace");
        };
        assert_eq!(got.spec(), want.spec(), "{what}, open {open:?}: input {i}");
        if got.dtype() != DType::Float64 {
            continue;
        }
        for (g, w) in f64s(&got).iter().zip(f64s(want)) {
            assert!(
                (g - w).abs() <= 1e-9 * (1.0 + w.abs()),
                "{what}, open {open:?}: input {i}: traced {g}, eager {w}"
            );
        }
    }
}

/// The gradients that are connected, from a graph run by the interpreter.
fn traced(
    xs: &[Val],
    open: Open,
    f: &dyn Fn(&mut Recorder, &[Val]) -> Result<Val>,
) -> Result<Tensors> {
    let trace = Trace::new("gradients", None);
    let (mut args, mut given) = (Vec::new(), Tensors::new());
    for x in xs {
        let tensor = x.expect_tensor()?;
        let is_arg = tensor.dtype() == DType::Float64 || open == Open::All;
        if !is_arg {
            args.push(x.clone());
            continue;
        }
        let shape = match open {
            Open::Sizes => PartialShape::of_rank(tensor.rank()),
            _ => PartialShape::UNKNOWN,
        };
        let spec = TensorSpec::new(tensor.dtype(), shape);
        let value = trace.add_arg(Arc::new(crate::Placeholder::from(spec)), "x", None)?;
        args.push(Val::Sym(Sym {
            trace: trace.clone(),
            value,
        }));
        given.push(tensor.clone());
    }
    let mut e = Recorder {
        trace: Some(trace.clone()),
        calls: Vec::new(),
    };
    let grads = gradients_of(&mut e, &args, f)?;
    let outputs = grads
        .iter()
        .flatten()
        .map(|g| trace.resolve(g, &LeafOps))
        .collect::<Result<_>>()?;
    let (graph, captures) = trace.seal(outputs)?;
    for capture in captures {
        given.push(capture.outer.expect_tensor()?.clone());
    }
    Interpreter.run(&graph, given)
}

/// The sum of the elements under uneven weights.
fn weighed(e: &mut Recorder, y: &Val) -> Result<Val> {
    let shape = y.expect_tensor()?.shape().clone();
    #[allow(clippy::cast_precision_loss)]
    let weights: Vec<f64> = (0..shape.n_elements())
        .map(|i| 0.5 + (i * 7 % 5) as f64 * 0.3)
        .collect();
    let weights = e.constant(Tensor::from_slice(shape.clone(), &weights)?)?;
    let product = e.mul(y, &weights)?;
    #[allow(clippy::cast_possible_wrap)]
    let axes: Vec<i64> = (0..shape.rank() as i64).collect();
    let axes = e.int_vector(&axes)?;
    e.sum(&product, &axes, false)
}

fn compare(what: &str, inputs: &[&Tensor], f: &dyn Fn(&mut Recorder, &[Val]) -> Result<Val>) {
    let value = |inputs: &[Tensor]| -> f64 {
        let xs: Vec<Val> = inputs.iter().map(|t| Val::eager(t.clone())).collect();
        let y = f(&mut Recorder::default(), &xs).unwrap_or_else(|e| panic!("{what}: {e}"));
        y.tensor().expect("eager").item().expect("a float64 scalar")
    };
    let owned: Vec<Tensor> = inputs.iter().map(|t| (*t).clone()).collect();
    let xs: Vec<Val> = owned.iter().map(|t| Val::eager(t.clone())).collect();
    let mut e = Recorder::default();
    let y = f(&mut e, &xs).unwrap_or_else(|err| panic!("{what}: {err}"));
    let grads = e
        .gradients(&y, &xs)
        .unwrap_or_else(|err| panic!("{what}: {err}"));
    for (i, x) in owned.iter().enumerate() {
        if x.dtype() != DType::Float64 {
            continue;
        }
        let got = grads[i].as_ref().map_or(vec![0.0; x.n_elements()], |g| {
            f64s(g.tensor().expect("eager"))
        });
        for (j, &got) in got.iter().enumerate() {
            let moved = |step: f64| {
                let mut all = owned.clone();
                let mut elements = f64s(x);
                elements[j] += step;
                all[i] = t64(x.shape(), &elements);
                value(&all)
            };
            let step = 1e-5;
            let want = (moved(step) - moved(-step)) / (2.0 * step);
            assert!(
                (got - want).abs() <= 1e-5 * (1.0 + want.abs()),
                "{what}: input {i} element {j}: got {got}, differences give {want}"
            );
        }
    }
}
