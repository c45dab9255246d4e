//! Activation functions, and the gradient operations that exist for some of them.

use super::binary::{Binary, BinaryCall, BinaryDef};
use super::families::{loops, table};
use super::unary::{Unary, UnaryCall, UnaryDef};
use crate::emit::*;
use ferrograph_graph::{Emitter, Registry, ScalarCode, Val};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::{Binary as Of, Unary as Of1};
use ferrograph_tensor::Result;

pub use functions::EmitActivations;

mod functions {
    use super::*;
    table! {
        trait EmitActivations; Unary(x): UnaryDef;
        /// `max(x, 0)`.
        RELU: relu = UnaryDef::new("Relu", loops!(Of1, k::Relu, real)).vjp(relu).code(ScalarCode::Relu);
        /// `min(max(x, 0), 6)`.
        RELU6: relu6 = UnaryDef::new("Relu6", loops!(Of1, k::Relu6, real)).vjp(relu6).code(ScalarCode::Relu6);
        /// `x` where positive, else `exp(x) - 1`.
        ELU: elu = UnaryDef::new("Elu", loops!(Of1, k::Elu, floating)).vjp(elu);
        /// The scaled exponential linear unit.
        SELU: selu = UnaryDef::new("Selu", loops!(Of1, k::Selu, floating)).vjp(selu);
        /// `1 / (1 + exp(-x))`.
        SIGMOID: sigmoid = UnaryDef::new("Sigmoid", loops!(Of1, k::Sigmoid, inexact)).vjp(sigmoid).code(ScalarCode::Sigmoid);
        /// `log(1 + exp(x))`.
        SOFTPLUS: softplus = UnaryDef::new("Softplus", loops!(Of1, k::Softplus, floating)).vjp(softplus).code(ScalarCode::Softplus);
        /// `x / (1 + |x|)`.
        SOFTSIGN: softsign = UnaryDef::new("Softsign", loops!(Of1, k::Softsign, floating)).vjp(softsign);
    }
}

pub use gradients::EmitActivationGradients;

mod gradients {
    use super::*;
    table! {
        trait EmitActivationGradients; Binary(x, y): BinaryDef;
        /// The gradient of `Relu`: `gradients` where `features` is positive.
        RELU_GRAD: relu_grad = BinaryDef::new("ReluGrad", loops!(Of, k::ReluGrad, real)).vjp(relu_grad).alike().code(ScalarCode::ReluGrad);
        /// The gradient of `Tanh` by its result: `dy (1 - y²)`.
        TANH_GRAD: tanh_grad = BinaryDef::new("TanhGrad", loops!(Of, k::TanhGrad, inexact)).vjp(tanh_grad).alike().code(ScalarCode::TanhGrad);
        /// The gradient of `Sigmoid` by its result: `dy y (1 - y)`.
        SIGMOID_GRAD: sigmoid_grad = BinaryDef::new("SigmoidGrad", loops!(Of, k::SigmoidGrad, inexact)).vjp(sigmoid_grad).alike().code(ScalarCode::SigmoidGrad);
    }
}

fn relu(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    e.relu_grad(c.g, c.y)
}

/// `g` where `0 < y < 6`.
fn relu6(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let six = e.scalar(6.0, c.y.dtype())?;
    let zero = e.scalar(0.0, c.y.dtype())?;
    let below = e.less(c.y, &six)?;
    let kept = e.select(&below, c.g, &zero)?;
    e.relu_grad(&kept, c.y)
}

/// `g` where `x` is positive, else `g` times `slope`.
fn where_positive(e: &mut dyn Emitter, c: &UnaryCall<'_>, above: &Val, below: &Val) -> Result<Val> {
    let zero = e.scalar(0.0, c.x.dtype())?;
    let negative = e.less(c.x, &zero)?;
    e.select(&negative, below, above)
}

/// `g`, times `y + 1` where `x` is negative.
fn elu(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let one = e.scalar(1.0, c.y.dtype())?;
    let slope = e.add(c.y, &one)?;
    let below = e.mul(c.g, &slope)?;
    where_positive(e, c, c.g, &below)
}

const SELU_SCALE: f64 = 1.050_700_987_355_480_5;
const SELU_ALPHA: f64 = 1.673_263_242_354_377_2;

/// `g` times the scale, times `y + scale * alpha` where `x` is negative.
fn selu(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let foot = e.scalar(SELU_SCALE * SELU_ALPHA, c.y.dtype())?;
    let slope = e.add(c.y, &foot)?;
    let below = e.mul(c.g, &slope)?;
    let above = e.scale(c.g, SELU_SCALE)?;
    where_positive(e, c, &above, &below)
}

fn sigmoid(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let y = e.conj(c.y)?;
    e.sigmoid_grad(&y, c.g)
}

fn softplus(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let slope = e.sigmoid(c.x)?;
    e.mul(c.g, &slope)
}

/// `g / (1 + |x|)²`
fn softsign(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let size = e.abs(c.x)?;
    let one = e.scalar(1.0, c.x.dtype())?;
    let divisor = e.add(&size, &one)?;
    let square = e.square(&divisor)?;
    e.div(c.g, &square)
}

type Pair = Result<[Option<Val>; 2]>;

/// Of `g` where `y > 0`: the same step for the first operand, zeros for the second, whose step is flat.
fn relu_grad(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    c.grads(e, |e| e.relu_grad(c.g, c.b), |e| e.zeros_like(c.b))
}

/// Of `b (1 - a²)`.
fn tanh_grad(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let a = e.conj(c.a)?;
    c.grads(
        e,
        |e| {
            let b = e.conj(c.b)?;
            let ab = e.mul(&a, &b)?;
            let twice = e.scale(&ab, -2.0)?;
            e.mul(c.g, &twice)
        },
        |e| e.tanh_grad(&a, c.g),
    )
}

/// Of `b a (1 - a)`.
fn sigmoid_grad(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let a = e.conj(c.a)?;
    c.grads(
        e,
        |e| {
            let b = e.conj(c.b)?;
            let one = e.scalar(1.0, a.dtype())?;
            let twice = e.scale(&a, 2.0)?;
            let slope = e.sub(&one, &twice)?;
            let slope = e.mul(&b, &slope)?;
            e.mul(c.g, &slope)
        },
        |e| e.sigmoid_grad(&a, c.g),
    )
}

pub(crate) fn register(r: &mut Registry) {
    functions::register(r);
    gradients::register(r);
}
