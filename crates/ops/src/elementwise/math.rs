//! Functions of one number.

use super::families::{loops, table};
use super::math_grads as g;
use super::unary::{Unary, UnaryCall, UnaryDef};
use crate::emit::*;
use ferrograph_graph::{AlgebraicIdentity, Emitter, ScalarCode, Val};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::Unary as Of;
use ferrograph_tensor::Result;

table! {
    trait EmitMath; Unary(x): UnaryDef;
    /// `-x`.
    NEG: neg = UnaryDef::new("Neg", loops!(Of, k::Neg, signed)).known(i64::checked_neg).vjp(g::neg).code(ScalarCode::Neg).identity(AlgebraicIdentity::Involution);
    /// The absolute value.
    ABS: abs = UnaryDef::new("Abs", loops!(Of, k::Abs, real)).vjp(g::abs).code(ScalarCode::Abs);
    /// The absolute value of a complex number.
    COMPLEX_ABS: complex_abs = UnaryDef::new("ComplexAbs", loops!(Of, k::Abs, complex)).vjp(g::complex_abs);
    /// -1, 0 or 1; `x / |x|` where complex.
    SIGN: sign = UnaryDef::new("Sign", loops!(Of, k::Sign, numeric)).vjp(g::sign).code(ScalarCode::Sign);
    /// `x²`.
    SQUARE: square = UnaryDef::new("Square", loops!(Of, k::Square, numeric)).vjp(g::square).code(ScalarCode::Square);
    /// The square root.
    SQRT: sqrt = UnaryDef::new("Sqrt", loops!(Of, k::Sqrt, inexact)).vjp(g::sqrt).code(ScalarCode::Sqrt);
    /// `1 / sqrt(x)`.
    RSQRT: rsqrt = UnaryDef::new("Rsqrt", loops!(Of, k::Rsqrt, inexact)).vjp(g::rsqrt).code(ScalarCode::Rsqrt);
    /// `1 / x`.
    RECIPROCAL: reciprocal = UnaryDef::new("Reciprocal", loops!(Of, k::Reciprocal, inexact)).vjp(g::reciprocal).code(ScalarCode::Reciprocal);
    /// `1 / x`. An older name of `Reciprocal`.
    INV: inv = UnaryDef::new("Inv", loops!(Of, k::Reciprocal, inexact)).vjp(g::reciprocal);
    /// `e` to the power of `x`.
    EXP: exp = UnaryDef::new("Exp", loops!(Of, k::Exp, inexact)).vjp(g::exp).code(ScalarCode::Exp);
    /// `exp(x) - 1`, exact near 0.
    EXPM1: expm1 = UnaryDef::new("Expm1", loops!(Of, k::Expm1, inexact)).vjp(g::expm1).code(ScalarCode::Expm1);
    /// The natural logarithm.
    LOG: log = UnaryDef::new("Log", loops!(Of, k::Log, inexact)).vjp(g::log).code(ScalarCode::Log);
    /// `log(1 + x)`, exact near 0.
    LOG1P: log1p = UnaryDef::new("Log1p", loops!(Of, k::Log1p, inexact)).vjp(g::log1p).code(ScalarCode::Log1p);
    /// The sine.
    SIN: sin = UnaryDef::new("Sin", loops!(Of, k::Sin, inexact)).vjp(g::sin).code(ScalarCode::Sin);
    /// The cosine.
    COS: cos = UnaryDef::new("Cos", loops!(Of, k::Cos, inexact)).vjp(g::cos).code(ScalarCode::Cos);
    /// The tangent.
    TAN: tan = UnaryDef::new("Tan", loops!(Of, k::Tan, inexact)).vjp(g::tan).code(ScalarCode::Tan);
    /// The inverse sine.
    ASIN: asin = UnaryDef::new("Asin", loops!(Of, k::Asin, inexact)).vjp(g::asin);
    /// The inverse cosine.
    ACOS: acos = UnaryDef::new("Acos", loops!(Of, k::Acos, inexact)).vjp(g::acos);
    /// The inverse tangent.
    ATAN: atan = UnaryDef::new("Atan", loops!(Of, k::Atan, inexact)).vjp(g::atan);
    /// The hyperbolic sine.
    SINH: sinh = UnaryDef::new("Sinh", loops!(Of, k::Sinh, inexact)).vjp(g::sinh);
    /// The hyperbolic cosine.
    COSH: cosh = UnaryDef::new("Cosh", loops!(Of, k::Cosh, inexact)).vjp(g::cosh);
    /// The hyperbolic tangent.
    TANH: tanh = UnaryDef::new("Tanh", loops!(Of, k::Tanh, inexact)).vjp(g::tanh).code(ScalarCode::Tanh);
    /// The inverse hyperbolic sine.
    ASINH: asinh = UnaryDef::new("Asinh", loops!(Of, k::Asinh, inexact)).vjp(g::asinh);
    /// The inverse hyperbolic cosine.
    ACOSH: acosh = UnaryDef::new("Acosh", loops!(Of, k::Acosh, inexact)).vjp(g::acosh);
    /// The inverse hyperbolic tangent.
    ATANH: atanh = UnaryDef::new("Atanh", loops!(Of, k::Atanh, inexact)).vjp(g::atanh);
    /// The error function.
    ERF: erf = UnaryDef::new("Erf", loops!(Of, k::Erf, floating)).vjp(g::erf).code(ScalarCode::Erf);
    /// `1 - erf(x)`.
    ERFC: erfc = UnaryDef::new("Erfc", loops!(Of, k::Erfc, floating)).vjp(g::erfc).code(ScalarCode::Erfc);
    /// The inverse of the error function.
    ERFINV: erfinv = UnaryDef::new("Erfinv", loops!(Of, k::Erfinv, floating)).vjp(g::erfinv);
    /// The quantile of the normal distribution.
    NDTRI: ndtri = UnaryDef::new("Ndtri", loops!(Of, k::Ndtri, floating)).vjp(g::ndtri);
    /// The logarithm of the absolute value of the gamma function.
    LGAMMA: lgamma = UnaryDef::new("Lgamma", loops!(Of, k::Lgamma, floating)).vjp(g::lgamma);
    /// The derivative of `Lgamma`.
    DIGAMMA: digamma = UnaryDef::new("Digamma", loops!(Of, k::Digamma, floating)).vjp(g::digamma);
    /// `e^-|x| I0(x)` for the modified Bessel function of order 0.
    BESSEL_I0E: bessel_i0e = UnaryDef::new("BesselI0e", loops!(Of, k::BesselI0e, floating)).vjp(bessel_i0e);
    /// `e^-|x| I1(x)` for the modified Bessel function of order 1.
    BESSEL_I1E: bessel_i1e = UnaryDef::new("BesselI1e", loops!(Of, k::BesselI1e, floating)).vjp(bessel_i1e);
    /// Rounded down.
    FLOOR: floor = UnaryDef::new("Floor", loops!(Of, k::Floor, floating)).code(ScalarCode::Floor);
    /// Rounded up.
    CEIL: ceil = UnaryDef::new("Ceil", loops!(Of, k::Ceil, floating)).code(ScalarCode::Ceil);
    /// Rounded to the nearest, halves to even.
    ROUND: round = UnaryDef::new("Round", loops!(Of, k::Round, floating)).code(ScalarCode::Round);
    /// Rounded to the nearest, halves to even.
    RINT: rint = UnaryDef::new("Rint", loops!(Of, k::Round, floating)).code(ScalarCode::Round);
    /// Whether it is NaN.
    IS_NAN: is_nan = UnaryDef::new("IsNan", loops!(Of, k::IsNan, floating));
    /// Whether it is infinite.
    IS_INF: is_inf = UnaryDef::new("IsInf", loops!(Of, k::IsInf, floating));
    /// Whether it is finite.
    IS_FINITE: is_finite = UnaryDef::new("IsFinite", loops!(Of, k::IsFinite, floating));
}

/// `i1e - sign(x) i0e`
fn bessel_i0e(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let sign = e.sign(c.x)?;
    let scaled = e.mul(&sign, c.y)?;
    let other = e.bessel_i1e(c.x)?;
    let slope = e.sub(&other, &scaled)?;
    e.mul(c.g, &slope)
}

/// `i0e - (sign(x) + 1 / x) i1e`, where `i1e / x` is 1/2 at 0.
fn bessel_i1e(e: &mut dyn Emitter, c: &UnaryCall<'_>) -> Result<Val> {
    let ratio = e.ratio_at_zero(c.y, c.x, 0.5)?;
    let sign = e.sign(c.x)?;
    let scaled = e.mul(&sign, c.y)?;
    let other = e.bessel_i0e(c.x)?;
    let slope = e.sub(&other, &scaled)?;
    let slope = e.sub(&slope, &ratio)?;
    e.mul(c.g, &slope)
}
