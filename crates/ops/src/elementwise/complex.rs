//! Complex numbers and their parts.

use super::families::{loops, table};
use super::unary::{Unary, UnaryCall, UnaryDef};
use crate::emit::*;
use ferrograph_graph::{
    AlgebraicIdentity, Emitter, Grads, Inputs, Lowered, Map, Op, ScalarCode, Specs, Val, VjpCall,
    declare, declared,
};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::{BinaryOp, Unary as Of};
use ferrograph_kernels::isa::Isa;
use ferrograph_tensor::{Complex32, Complex64, DType, Result, TensorSpec};
use smallvec::smallvec;

pub use parts::EmitParts;

pub(super) mod parts {
    use super::*;
    table! {
        trait EmitParts; Unary(x): UnaryDef;
        /// The complex conjugate.
        CONJ: complex_conj = UnaryDef::new("Conj", loops!(Of, k::Conj, complex)).vjp(conj).identity(AlgebraicIdentity::Involution);
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
    e.complex(&zero, c.g)
}

/// `i g x / |x|²`
fn angle(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let turned = imag(e, c)?;
    let conj = e.conj(c.x)?;
    e.div_no_nan(&turned, &conj)
}

declare! {
    trait EmitComplex;

    /// The complex number of the parts `real` and `imag`, which broadcast.
    Complex: complex(real: T in float_parts, imag: T) -> (out: Tout), gradient Vjp, batch Broadcasts;
}

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

fn join_loops(dtype: DType) -> &'static dyn super::binary::Loops {
    match dtype {
        DType::Float32 => const { &k::Binary::<f32, _>::of::<Join>() },
        _ => const { &k::Binary::<f64, _>::of::<Join>() },
    }
}

impl Op for Complex {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = join_loops(inputs.dtype(0)).out();
        let shape = inputs.shape(0).broadcast(inputs.shape(1))?;
        Ok(smallvec![TensorSpec::new(dtype, shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let kernel = super::binary::bind(join_loops(inputs.dtype(0)), inputs, outputs)?;
        Ok(Lowered::Map(Map {
            code: ScalarCode::Opaque,
            kernel,
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (a, b, g) = (&call.inputs[0], &call.inputs[1], call.grad()?);
        let (da, db) = (e.real(g)?, e.imag(g)?);
        Ok(smallvec![
            Some(e.unbroadcast(&da, a, b)?.into()),
            Some(e.unbroadcast(&db, b, a)?.into())
        ])
    }
}
