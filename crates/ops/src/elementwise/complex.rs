//! Complex numbers and their parts.

use super::families::{loops, table};
use super::unary::{Unary, UnaryCall, UnaryDef};
use crate::emit::*;
use ferrograph_graph::{
    Differentiability, Emitter, Grads, Inputs, Kernel, Op, Registry, Specs, Val, VjpCall, op_object,
};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::{BinaryOp, Unary as Of};
use ferrograph_kernels::isa::Isa;
use ferrograph_tensor::{Complex32, Complex64, DType, Result, TensorSpec, err};
use smallvec::smallvec;
use std::sync::Arc;

pub use parts::EmitParts;

mod parts {
    use super::*;
    table! {
        trait EmitParts; Unary(x): UnaryDef;
        /// The complex conjugate.
        CONJ: complex_conj = UnaryDef::new("Conj", loops!(Of, k::Conj, complex)).vjp(conj);
        /// The real part.
        REAL: real = UnaryDef::new("Real", loops!(Of, k::Real, complex)).vjp(real);
        /// The imaginary part.
        IMAG: imag = UnaryDef::new("Imag", loops!(Of, k::Imag, complex)).vjp(imag);
        /// The angle of a complex number.
        ANGLE: angle = UnaryDef::new("Angle", loops!(Of, k::Angle, complex)).vjp(angle);
    }
}

fn conj(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    e.conj(c.g)
}

fn real(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    e.cast(c.g, c.x.dtype())
}

fn imag(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let zero = e.scalar(0.0, c.g.dtype())?;
    e.op("Complex", &[&zero, c.g], vec![])
}

/// `i g x / |x|²`
fn angle(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let turned = imag(e, c)?;
    let conj = e.conj(c.x)?;
    e.op("DivNoNan", &[&turned, &conj], vec![])
}

/// The complex number of two real parts, which broadcast.
#[derive(Debug)]
pub struct Complex;

struct Join;

macro_rules! join {
    ($($r:ty => $c:ty),*) => {$(
        impl BinaryOp<$r> for Join {
            type Out = $c;
            const WIDE: bool = false;
            fn apply<I: Isa>(re: $r, im: $r) -> $c {
                <$c>::new(re, im)
            }
        }
    )*};
}
join!(f32 => Complex32, f64 => Complex64);

fn join_loops(dtype: DType) -> Result<&'static dyn super::binary::Loops> {
    match dtype {
        DType::Float32 => Ok(const { &k::Binary::<f32, _>::of::<Join>() }),
        DType::Float64 => Ok(const { &k::Binary::<f64, _>::of::<Join>() }),
        other => Err(err!(
            DType,
            "the parts of a complex number must be float32 or float64, got {other}"
        )),
    }
}

impl Op for Complex {
    op_object!();
    fn name(&self) -> &'static str {
        "Complex"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        let dtype = join_loops(inputs.same_dtype(0, 1)?)?.out();
        let shape = inputs.shape(0).broadcast(inputs.shape(1))?;
        Ok(smallvec![TensorSpec::new(dtype, shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let loops = join_loops(inputs.dtype(0))?;
        Ok(Some(super::binary::bind(loops, inputs, outputs)?))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (a, b, g) = (&call.inputs[0], &call.inputs[1], call.grad()?);
        let (da, db) = (e.op("Real", &[g], vec![])?, e.op("Imag", &[g], vec![])?);
        Ok(smallvec![
            Some(e.unbroadcast(&da, a, b)?.into()),
            Some(e.unbroadcast(&db, b, a)?.into())
        ])
    }
}

pub(crate) fn register(r: &mut Registry) {
    parts::register(r);
    r.add("Complex", |_| Ok(Arc::new(Complex)));
}
