//! Operations of neural networks: softmax, its losses, biases.

use crate::Build;
use ferrograph_graph::{
    Attr, Attrs, Differentiability, Emitter, Grads, Inputs, Kernel, Op, Registry, Specs, Val,
    VjpCall, op_object,
};
use ferrograph_kernels::elementwise::{Add, Binary};
use ferrograph_kernels::nn::{self as k, Rows};
use ferrograph_kernels::pool;
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, TensorSpec, bail, err, with_element,
};
use smallvec::smallvec;
use std::sync::Arc;

/// `e^x / sum(e^x)` along the last axis, or its logarithm.
#[derive(Debug)]
pub struct Softmax {
    /// Gives the logarithm.
    pub log: bool,
}

impl Op for Softmax {
    op_object!();
    fn name(&self) -> &'static str {
        if self.log { "LogSoftmax" } else { "Softmax" }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let spec = inputs.spec(0);
        if !spec.dtype.is_floating() {
            bail!(
                DType,
                "{} is not defined for {} tensors",
                self.name(),
                spec.dtype
            );
        }
        if spec.shape.rank() == Some(0) {
            bail!(
                Shape,
                "logits must have at least one dimension, got a scalar"
            );
        }
        Ok(smallvec![spec.clone()])
    }
    fn kernel(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let Some(classes) = last_size(inputs.shape(0)) else {
            return Ok(None);
        };
        Ok(
            with_element!(inputs.dtype(0), floating, T => Some(self.bind::<T>(classes)), else => None),
        )
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (y, g) = (&call.outputs[0], call.grad()?);
        let grad = if self.log {
            let sum = row_sums(e, g)?;
            let softmax = e.op("Exp", &[y], vec![])?;
            let spread = e.mul(&sum, &softmax)?;
            e.sub(g, &spread)?
        } else {
            through_softmax(e, y, g)?
        };
        Ok(smallvec![Some(grad.into())])
    }
}

impl Softmax {
    fn bind<T: Element + Rows>(&self, classes: usize) -> Kernel {
        let rows: fn(&[T], usize, &mut [T]) = if self.log { k::log_softmax } else { k::softmax };
        Box::new(move |o| {
            rows(o.input(0), classes, o.output(0));
            Ok(())
        })
    }
}

fn last_size(shape: &PartialShape) -> Option<usize> {
    shape.dims()?.last()?.known()
}

/// The sums along the last axis, which is kept.
fn row_sums(e: &mut dyn Emitter, x: &Val) -> Result<Val> {
    let axis = e.int_vector(&[-1])?;
    e.sum(x, &axis, true)
}

/// The gradient `g` of a softmax that gave `y`: `y (g - sum(g y))`.
fn through_softmax(e: &mut dyn Emitter, y: &Val, g: &Val) -> Result<Val> {
    let product = e.mul(g, y)?;
    let sum = row_sums(e, &product)?;
    let rest = e.sub(g, &sum)?;
    e.mul(&rest, y)
}

/// Which labels a cross entropy takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labels {
    /// A probability for each class.
    Dense,
    /// The number of one class.
    Sparse,
}

/// The cross entropy of labels against the softmax of logits, row by row; the second output is its gradient by the
/// logits.
#[derive(Debug)]
pub struct SoftmaxCrossEntropy {
    /// What labels there are.
    pub labels: Labels,
}

impl Op for SoftmaxCrossEntropy {
    op_object!();
    fn name(&self) -> &'static str {
        match self.labels {
            Labels::Dense => "SoftmaxCrossEntropyWithLogits",
            Labels::Sparse => "SparseSoftmaxCrossEntropyWithLogits",
        }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        let dtype = inputs.dtype(0);
        if !dtype.is_floating() {
            bail!(DType, "{} is not defined for {dtype} logits", self.name());
        }
        let logits = match self.labels {
            Labels::Dense => dense_shape(inputs)?,
            Labels::Sparse => sparse_shape(inputs)?,
        };
        let rows = PartialShape::new(&[logits.dim(0)]);
        Ok(smallvec![
            TensorSpec::new(dtype, rows),
            TensorSpec::new(dtype, logits)
        ])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let Some(classes) = last_size(&outputs[1].shape) else {
            return Ok(None);
        };
        if self.labels == Labels::Dense {
            return dense_kernel(inputs, outputs, classes);
        }
        Ok(match inputs.dtype(1) {
            DType::Int32 => sparse_kernel::<i32>(inputs.dtype(0), classes),
            DType::Int64 => sparse_kernel::<i64>(inputs.dtype(0), classes),
            _ => None,
        })
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [logits, labels] = call.inputs else {
            bail!(Internal, "{} has two inputs", self.name());
        };
        let backprop = &call.outputs[1];
        let mut total: Option<Val> = None;
        let mut by_labels = None;
        if let Some(Some(g)) = call.grads.first() {
            let g = column(e, g)?;
            total = Some(e.mul(&g, backprop)?);
            if self.labels == Labels::Dense {
                let log = e.op("LogSoftmax", &[logits], vec![])?;
                let minus = e.neg(&log)?;
                by_labels = Some(e.mul(&g, &minus)?);
            }
        }
        if let Some(Some(g)) = call.grads.get(1) {
            let softmax = e.op("Softmax", &[logits], vec![])?;
            let second = through_softmax(e, &softmax, g)?;
            total = Some(match total {
                Some(first) => e.add(&first, &second)?,
                None => second,
            });
            if self.labels == Labels::Dense {
                by_labels = Some(match by_labels {
                    Some(first) => e.sub(&first, g)?,
                    None => e.neg(g)?,
                });
            }
        }
        let by_logits = total
            .map(|g| e.unbroadcast(&g, logits, backprop))
            .transpose()?;
        let by_labels = by_labels
            .map(|g| e.unbroadcast(&g, labels, backprop))
            .transpose()?;
        Ok(smallvec![
            by_logits.map(Into::into),
            by_labels.map(Into::into)
        ])
    }
}

/// A vector as a matrix of one column.
fn column(e: &mut dyn Emitter, x: &Val) -> Result<Val> {
    let shape = e.int_vector(&[-1, 1])?;
    e.reshape(x, &shape)
}

fn dense_shape(inputs: &Inputs<'_>) -> Result<PartialShape> {
    inputs.same_dtype(0, 1)?;
    let both = inputs.shape(0).broadcast(inputs.shape(1))?;
    if both.rank().is_some_and(|r| r != 2) {
        bail!(
            Shape,
            "logits and labels must be 2-dimensional, got shapes {} and {}",
            inputs.shape(0),
            inputs.shape(1)
        );
    }
    both.merge(&PartialShape::of_rank(2))
}

fn sparse_shape(inputs: &Inputs<'_>) -> Result<PartialShape> {
    if !matches!(inputs.dtype(1), DType::Int32 | DType::Int64) {
        bail!(
            DType,
            "labels must be an int32 or int64 tensor but are a {} tensor",
            inputs.dtype(1)
        );
    }
    let (logits, labels) = (inputs.shape(0), inputs.shape(1));
    if logits.rank().is_some_and(|r| r != 2) {
        bail!(Shape, "logits must be 2-D, but got shape {logits}");
    }
    if labels.rank().is_some_and(|r| r != 1) {
        bail!(Shape, "labels must be 1-D, but got shape {labels}");
    }
    if !logits.dim(0).is_compatible(labels.dim(0)) {
        bail!(
            Shape,
            "logits and labels must have the same first dimension, got logits shape {logits} and labels shape {labels}"
        );
    }
    let rows = PartialShape::new(&[labels.dim(0), Dim::UNKNOWN]);
    logits.merge(&rows)
}

/// A float type that losses are computed in, which for 16-bit floats is `f32`.
trait Wide: Element {
    type Loss: Element + k::Loss;
    fn widen(x: &[Self]) -> std::borrow::Cow<'_, [Self::Loss]>;
    fn narrow(x: &[Self::Loss], out: &mut [Self]);
    /// The same slice where the types are one.
    fn direct(x: &mut [Self]) -> Option<&mut [Self::Loss]>;
}

macro_rules! wide {
    ($($t:ty),*) => {$(
        impl Wide for $t {
            type Loss = $t;
            fn widen(x: &[$t]) -> std::borrow::Cow<'_, [$t]> {
                x.into()
            }
            fn narrow(x: &[$t], out: &mut [$t]) {
                out.copy_from_slice(x);
            }
            fn direct(x: &mut [$t]) -> Option<&mut [$t]> {
                Some(x)
            }
        }
    )*};
    (half: $($t:ty),*) => {$(
        impl Wide for $t {
            type Loss = f32;
            fn widen(x: &[$t]) -> std::borrow::Cow<'_, [f32]> {
                x.iter().map(|v| v.to_f32()).collect()
            }
            fn narrow(x: &[f32], out: &mut [$t]) {
                out.iter_mut().zip(x).for_each(|(o, &v)| *o = <$t>::from_f32(v));
            }
            fn direct(_: &mut [$t]) -> Option<&mut [f32]> {
                None
            }
        }
    )*};
}
wide!(f32, f64);
wide!(half: ferrograph_tensor::f16, ferrograph_tensor::bf16);

/// Runs a loss that writes wide results.
fn losses<T: Wide>(
    loss: &mut [T],
    gradient: &mut [T],
    run: impl FnOnce(&mut [T::Loss], &mut [T::Loss]),
) {
    let (n, m) = (loss.len(), gradient.len());
    if let (Some(loss), Some(gradient)) = (T::direct(loss), T::direct(gradient)) {
        return run(loss, gradient);
    }
    let mut wide = (vec![T::Loss::default(); n], vec![T::Loss::default(); m]);
    run(&mut wide.0, &mut wide.1);
    T::narrow(&wide.0, loss);
    T::narrow(&wide.1, gradient);
}

fn dense_kernel(
    inputs: &Inputs<'_>,
    outputs: &[TensorSpec],
    classes: usize,
) -> Result<Option<Kernel>> {
    let out = &outputs[1].shape;
    if inputs.shape(0) == out && inputs.shape(1) == out {
        return Ok(
            with_element!(inputs.dtype(0), floating, T => Some(dense::<T>(classes)), else => None),
        );
    }
    let shapes = [inputs.shape(0), inputs.shape(1), out].map(PartialShape::to_static);
    let [Some(logits), Some(labels), Some(out)] = shapes else {
        return Ok(None);
    };
    let places = [logits, labels]
        .map(|own| crate::elementwise::broadcast_indices(&own, &out).collect::<Vec<usize>>());
    Ok(
        with_element!(inputs.dtype(0), floating, T => Some(repeated::<T>(places, classes)), else => None),
    )
}

fn dense<T: Wide>(classes: usize) -> Kernel {
    Box::new(move |o| {
        let (logits, labels) = (T::widen(o.input(0)), T::widen(o.input(1)));
        let (loss, gradient) = o.two_outputs::<T, T>();
        losses(loss, gradient, |loss, gradient| {
            k::softmax_cross_entropy(&logits, &labels, classes, loss, gradient);
        });
        Ok(())
    })
}

/// As [`dense`], with operands of which each is repeated to the shape of both.
fn repeated<T: Wide>(places: [Vec<usize>; 2], classes: usize) -> Kernel {
    Box::new(move |o| {
        let take = |i: usize| {
            let x = T::widen(o.input::<T>(i)).into_owned();
            places[i].iter().map(|&at| x[at]).collect::<Vec<T::Loss>>()
        };
        let (logits, labels) = (take(0), take(1));
        let (loss, gradient) = o.two_outputs::<T, T>();
        losses(loss, gradient, |loss, gradient| {
            k::softmax_cross_entropy(&logits, &labels, classes, loss, gradient);
        });
        Ok(())
    })
}

fn sparse_kernel<L: Element + Into<i64>>(logits: DType, classes: usize) -> Option<Kernel> {
    with_element!(logits, floating, T => Some(sparse::<T, L>(classes)), else => None)
}

fn sparse<T: Wide, L: Element + Into<i64>>(classes: usize) -> Kernel {
    Box::new(move |o| {
        let labels: Vec<i64> = o.input::<L>(1).iter().map(|&l| l.into()).collect();
        let outside = |l: &&i64| usize::try_from(**l).map_or(true, |l| l >= classes);
        if let Some(label) = labels.iter().find(outside) {
            bail!(
                InvalidArgument,
                "Received a label value of {label} which is outside the valid range of [0, {classes})"
            );
        }
        let logits = T::widen(o.input(0));
        let (loss, gradient) = o.two_outputs::<T, T>();
        losses(loss, gradient, |loss, gradient| {
            k::sparse_softmax_cross_entropy(&logits, &labels, classes, loss, gradient);
        });
        Ok(())
    })
}

/// A bias added to each channel: along the last axis, or the second where `channels_first`.
#[derive(Debug)]
pub struct BiasAdd {
    /// Channels are axis 1 (`NCHW`); else the last.
    pub channels_first: bool,
}

impl BiasAdd {
    fn axis(&self, rank: usize) -> Result<usize> {
        if rank < 2 {
            bail!(Shape, "Input tensor must be at least 2D, got rank {rank}");
        }
        Ok(if self.channels_first { 1 } else { rank - 1 })
    }
}

impl Op for BiasAdd {
    op_object!();
    fn name(&self) -> &'static str {
        "BiasAdd"
    }
    fn attrs(&self) -> Attrs {
        let format = if self.channels_first { "NCHW" } else { "NHWC" };
        Attrs::new().with("data_format", Attr::str(format))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        let dtype = inputs.same_dtype(0, 1)?;
        if !dtype.is_numeric() {
            bail!(DType, "BiasAdd is not defined for {dtype} tensors");
        }
        let (x, bias) = (inputs.shape(0), inputs.shape(1));
        if bias.rank().is_some_and(|r| r != 1) {
            bail!(Shape, "Biases must be 1D, got shape {bias}");
        }
        let Some(dims) = x.dims() else {
            return Ok(smallvec![inputs.spec(0).clone()]);
        };
        let axis = self.axis(dims.len())?;
        if !dims[axis].is_compatible(bias.dim(0)) {
            bail!(
                Shape,
                "Must provide as many biases as the channels of the input tensor: {bias} vs. {x}"
            );
        }
        let mut dims = dims.to_vec();
        if dims[axis].known().is_none() {
            dims[axis] = bias.dim(0);
        }
        Ok(smallvec![TensorSpec::new(dtype, PartialShape::new(&dims))])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let shape = outputs[0].shape.to_static().ok_or_else(|| {
            err!(
                Internal,
                "a kernel was bound to the open shape {}",
                outputs[0].shape
            )
        })?;
        let axis = self.axis(shape.rank())?;
        let (channels, inner) = (shape[axis], shape[axis + 1..].iter().product());
        Ok(
            with_element!(inputs.dtype(0), numeric, T => Some(biased::<T>(channels, inner, Binary::of::<Add>())), else => None),
        )
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let g = call.grad()?;
        let attrs = vec![(
            "data_format",
            Attr::str(if self.channels_first { "NCHW" } else { "NHWC" }),
        )];
        let by_bias = e.op("BiasAddGrad", &[g], attrs)?;
        Ok(smallvec![Some(g.clone().into()), Some(by_bias.into())])
    }
}

fn biased<T: Element>(channels: usize, inner: usize, add: Binary<T, T>) -> Kernel {
    let (row, flat) = if inner == 1 {
        (channels, true)
    } else {
        (inner, false)
    };
    Box::new(move |o| {
        let (x, bias) = (o.input::<T>(0), o.input::<T>(1));
        #[allow(clippy::cast_precision_loss)]
        let cost = add.cost_ns * row as f64;
        pool::par_rows_mut(o.output::<T>(0), row, cost, |first, out| {
            for (i, out) in out.chunks_exact_mut(row).enumerate() {
                let x = &x[(first + i) * row..][..row];
                if flat {
                    (add.vec_vec)(x, bias, out);
                } else {
                    (add.vec_scalar)(x, bias[(first + i) % channels], out);
                }
            }
        });
        Ok(())
    })
}

/// The gradient of the bias: the sum over all axes but that of the channels.
#[derive(Debug)]
pub struct BiasAddGrad {
    /// Channels are axis 1; else the last.
    pub channels_first: bool,
}

impl Op for BiasAddGrad {
    op_object!();
    fn name(&self) -> &'static str {
        "BiasAddGrad"
    }
    fn attrs(&self) -> Attrs {
        BiasAdd {
            channels_first: self.channels_first,
        }
        .attrs()
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let (dtype, shape) = (inputs.dtype(0), inputs.shape(0));
        if !dtype.is_numeric() {
            bail!(DType, "BiasAddGrad is not defined for {dtype} tensors");
        }
        let bias = BiasAdd {
            channels_first: self.channels_first,
        };
        let channels = match shape.rank() {
            Some(rank) => shape.dim(bias.axis(rank)?),
            None => Dim::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(
            dtype,
            PartialShape::new(&[channels])
        )])
    }
    fn kernel(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let Some(shape) = inputs.shape(0).to_static() else {
            return Ok(None);
        };
        let bias = BiasAdd {
            channels_first: self.channels_first,
        };
        let channel = bias.axis(shape.rank())?;
        let axes = (0..shape.rank()).map(|axis| axis != channel).collect();
        Ok(crate::reduce::sum_kernel(inputs.dtype(0), shape, axes))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, g) = (&call.inputs[0], call.grad()?);
        let zeros = e.zeros_like(x)?;
        let spread = e.one(
            Arc::new(BiasAdd {
                channels_first: self.channels_first,
            }),
            &[zeros, g.clone()],
        )?;
        Ok(smallvec![Some(spread.into())])
    }
}

fn channels_first(a: &ferrograph_graph::AttrReader<'_>) -> Result<bool> {
    match a.str_or("data_format", "NHWC")?.as_str() {
        "NHWC" => Ok(false),
        "NCHW" => Ok(true),
        other => Err(err!(Value, "data_format must be NHWC or NCHW, got {other}")),
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("Softmax", |_| Ok(Arc::new(Softmax { log: false })));
    r.add("LogSoftmax", |_| Ok(Arc::new(Softmax { log: true })));
    r.add("SoftmaxCrossEntropyWithLogits", |_| {
        Ok(Arc::new(SoftmaxCrossEntropy {
            labels: Labels::Dense,
        }))
    });
    r.add("SparseSoftmaxCrossEntropyWithLogits", |_| {
        Ok(Arc::new(SoftmaxCrossEntropy {
            labels: Labels::Sparse,
        }))
    });
    r.add("BiasAdd", |a| {
        Ok(Arc::new(BiasAdd {
            channels_first: channels_first(a)?,
        }))
    });
    r.add("BiasAddGrad", |a| {
        Ok(Arc::new(BiasAddGrad {
            channels_first: channels_first(a)?,
        }))
    });
}

#[cfg(test)]
mod tests {
    use crate::Build;
    use crate::testing::{check_fn, check_gradients, f64s, infer, run, run_all, spec, t64};
    use ferrograph_graph::Attr;
    use ferrograph_tensor::{DType, ErrorKind, Tensor, bf16};

    fn logits() -> Tensor {
        t64(&[2, 3], &[1.0, 2.0, 0.5, -0.3, 0.8, 0.1])
    }

    #[test]
    fn softmax_and_its_gradients() {
        let y = f64s(&run("Softmax", &[&logits()], vec![]).unwrap());
        assert!((y[0] + y[1] + y[2] - 1.0).abs() < 1e-15);
        check_gradients("Softmax", &[&logits()], &[]);
        check_gradients("LogSoftmax", &[&logits()], &[]);
        assert!(run("Softmax", &[&t64(&[], &[1.0])], vec![]).is_err());
        assert_eq!(
            run("Softmax", &[&t64(&[0, 3], &[])], vec![])
                .unwrap()
                .n_elements(),
            0
        );
    }

    #[test]
    fn cross_entropies_and_their_gradients() {
        let labels = Tensor::vector(&[1i64, 2]).unwrap();
        let soft = t64(&[2, 3], &[0.2, 0.5, 0.3, 0.1, 0.1, 0.8]);
        check_gradients(
            "SparseSoftmaxCrossEntropyWithLogits",
            &[&logits(), &labels],
            &[],
        );
        check_gradients("SoftmaxCrossEntropyWithLogits", &[&logits(), &soft], &[]);
        check_gradients(
            "SoftmaxCrossEntropyWithLogits",
            &[&logits(), &t64(&[1, 3], &[0.2, 0.5, 0.3])],
            &[],
        );
        check_fn("backprop", &[&logits(), &soft], |e, xs| {
            Ok(e.op_all("SoftmaxCrossEntropyWithLogits", xs, vec![])?[1].clone())
        });
    }

    #[test]
    fn labels_out_of_range_are_refused() {
        for label in [3, -1] {
            let labels = Tensor::vector(&[0, label]).unwrap();
            let e = run_all(
                "SparseSoftmaxCrossEntropyWithLogits",
                &[&logits(), &labels],
                vec![],
            )
            .unwrap_err();
            assert_eq!(e.kind(), ErrorKind::InvalidArgument);
            assert!(e.message().contains("[0, 3)"));
        }
        let half = Tensor::from_slice([1, 2], &[bf16::ONE, bf16::ONE]).unwrap();
        let labels = Tensor::vector(&[0]).unwrap();
        let loss = run(
            "SparseSoftmaxCrossEntropyWithLogits",
            &[&half, &labels],
            vec![],
        )
        .unwrap();
        assert!((loss.as_slice::<bf16>().unwrap()[0].to_f32() - 0.693).abs() < 1e-2);
    }

    #[test]
    fn biases() {
        let x = t64(&[2, 2, 3], &(0..12).map(f64::from).collect::<Vec<_>>());
        let b = t64(&[3], &[10.0, 20.0, 30.0]);
        assert_eq!(
            f64s(&run("BiasAdd", &[&x, &b], vec![]).unwrap())[..4],
            [10.0, 21.0, 32.0, 13.0]
        );
        check_gradients("BiasAdd", &[&x, &b], &[]);
        let first = vec![("data_format", Attr::str("NCHW"))];
        let b = t64(&[2], &[10.0, 20.0]);
        assert_eq!(
            f64s(&run("BiasAdd", &[&x, &b], first.clone()).unwrap())[2..5],
            [12.0, 23.0, 24.0]
        );
        check_gradients("BiasAdd", &[&x, &b], &first);
        assert!(run("BiasAdd", &[&x, &b], vec![]).is_err());
    }

    #[test]
    fn shapes() {
        let f = DType::Float32;
        let out = infer(
            "SparseSoftmaxCrossEntropyWithLogits",
            &[spec(f, &[-1, 10]), spec(DType::Int64, &[32])],
            vec![],
        )
        .unwrap();
        assert_eq!(out[..], [spec(f, &[32]), spec(f, &[32, 10])]);
    }
}
