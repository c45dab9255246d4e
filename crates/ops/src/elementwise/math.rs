//! Functions of one number.

use super::families::{loops, table};
use super::math_grads as g;
use super::special;
use super::unary::{Unary, UnaryDef};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::Unary as Of;

table! { Unary, UnaryDef;
    NEG = UnaryDef::new("Neg", loops!(Of, k::Neg, signed)).known(i64::checked_neg).vjp(g::neg);
    ABS = UnaryDef::new("Abs", loops!(Of, k::Abs, real)).vjp(g::abs);
    COMPLEX_ABS = UnaryDef::new("ComplexAbs", loops!(Of, k::Abs, complex)).vjp(g::complex_abs);
    SIGN = UnaryDef::new("Sign", loops!(Of, k::Sign, numeric)).vjp(g::sign);
    SQUARE = UnaryDef::new("Square", loops!(Of, k::Square, numeric)).vjp(g::square);
    SQRT = UnaryDef::new("Sqrt", loops!(Of, k::Sqrt, inexact)).vjp(g::sqrt);
    RSQRT = UnaryDef::new("Rsqrt", loops!(Of, k::Rsqrt, inexact)).vjp(g::rsqrt);
    RECIPROCAL = UnaryDef::new("Reciprocal", loops!(Of, k::Reciprocal, inexact)).vjp(g::reciprocal);
    INV = UnaryDef::new("Inv", loops!(Of, k::Reciprocal, inexact)).vjp(g::reciprocal);
    EXP = UnaryDef::new("Exp", loops!(Of, k::Exp, inexact)).vjp(g::exp);
    EXPM1 = UnaryDef::new("Expm1", loops!(Of, k::Expm1, inexact)).vjp(g::expm1);
    LOG = UnaryDef::new("Log", loops!(Of, k::Log, inexact)).vjp(g::log);
    LOG1P = UnaryDef::new("Log1p", loops!(Of, k::Log1p, inexact)).vjp(g::log1p);
    SIN = UnaryDef::new("Sin", loops!(Of, k::Sin, inexact)).vjp(g::sin);
    COS = UnaryDef::new("Cos", loops!(Of, k::Cos, inexact)).vjp(g::cos);
    TAN = UnaryDef::new("Tan", loops!(Of, k::Tan, inexact)).vjp(g::tan);
    ASIN = UnaryDef::new("Asin", loops!(Of, k::Asin, inexact)).vjp(g::asin);
    ACOS = UnaryDef::new("Acos", loops!(Of, k::Acos, inexact)).vjp(g::acos);
    ATAN = UnaryDef::new("Atan", loops!(Of, k::Atan, inexact)).vjp(g::atan);
    SINH = UnaryDef::new("Sinh", loops!(Of, k::Sinh, inexact)).vjp(g::sinh);
    COSH = UnaryDef::new("Cosh", loops!(Of, k::Cosh, inexact)).vjp(g::cosh);
    TANH = UnaryDef::new("Tanh", loops!(Of, k::Tanh, inexact)).vjp(g::tanh);
    ASINH = UnaryDef::new("Asinh", loops!(Of, k::Asinh, inexact)).vjp(g::asinh);
    ACOSH = UnaryDef::new("Acosh", loops!(Of, k::Acosh, inexact)).vjp(g::acosh);
    ATANH = UnaryDef::new("Atanh", loops!(Of, k::Atanh, inexact)).vjp(g::atanh);
    ERF = UnaryDef::new("Erf", loops!(Of, k::Erf, floating)).vjp(g::erf);
    ERFC = UnaryDef::new("Erfc", loops!(Of, k::Erfc, floating)).vjp(g::erfc);
    ERFINV = UnaryDef::new("Erfinv", loops!(Of, special::Erfinv, floating)).vjp(g::erfinv);
    NDTRI = UnaryDef::new("Ndtri", loops!(Of, special::Ndtri, floating)).vjp(g::ndtri);
    LGAMMA = UnaryDef::new("Lgamma", loops!(Of, k::Lgamma, floating)).vjp(g::lgamma);
    DIGAMMA = UnaryDef::new("Digamma", loops!(Of, k::Digamma, floating)).vjp(g::digamma);
    FLOOR = UnaryDef::new("Floor", loops!(Of, k::Floor, floating));
    CEIL = UnaryDef::new("Ceil", loops!(Of, k::Ceil, floating));
    ROUND = UnaryDef::new("Round", loops!(Of, k::Round, floating));
    RINT = UnaryDef::new("Rint", loops!(Of, k::Round, floating));
    IS_NAN = UnaryDef::new("IsNan", loops!(Of, k::IsNan, floating));
    IS_INF = UnaryDef::new("IsInf", loops!(Of, k::IsInf, floating));
    IS_FINITE = UnaryDef::new("IsFinite", loops!(Of, k::IsFinite, floating));
}
