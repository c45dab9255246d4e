//! Arithmetic on two operands.

use super::binary::{Binary, BinaryCall, BinaryDef, Guard};
use super::families::{loops, table};
use crate::emit::*;
use ferrograph_graph::{AlgebraicIdentity, Emitter, ScalarCode, Val};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::Binary as Of;
use ferrograph_tensor::Result;

table! {
    trait EmitArithmetic; Binary(x, y): BinaryDef;
    /// `x + y`; strings are joined.
    ADD_V2: add = BinaryDef::new("AddV2", loops!(Of, k::Add, numeric))
        .node("add")
        .known(i64::checked_add)
        .vjp(add)
        .joining_strings()
        .code(ScalarCode::Add)
        .identity(AlgebraicIdentity::Neutral(-0.0));
    /// `x + y`; strings are joined. An older name of `AddV2`.
    ADD: add_v1 = BinaryDef::new("Add", loops!(Of, k::Add, numeric))
        .known(i64::checked_add)
        .vjp(add)
        .joining_strings()
        .code(ScalarCode::Add)
        .identity(AlgebraicIdentity::Neutral(-0.0));
    /// `x - y`.
    SUB: sub = BinaryDef::new("Sub", loops!(Of, k::Sub, numeric))
        .node("sub")
        .known(i64::checked_sub)
        .vjp(sub)
        .code(ScalarCode::Sub)
        .identity(AlgebraicIdentity::NeutralRight(0.0));
    /// `x * y`.
    MUL: mul = BinaryDef::new("Mul", loops!(Of, k::Mul, numeric))
        .node("mul")
        .known(i64::checked_mul)
        .vjp(mul)
        .code(ScalarCode::Mul)
        .identity(AlgebraicIdentity::Neutral(1.0));
    /// `x / y`.
    REAL_DIV: div = BinaryDef::new("RealDiv", loops!(Of, k::Div, numeric))
        .node("truediv")
        .guard(Guard::Divisor)
        .vjp(div)
        .code(ScalarCode::Div)
        .identity(AlgebraicIdentity::NeutralRight(1.0));
    /// `x / y`; integers are divided towards zero.
    DIV: div_v1 = BinaryDef::new("Div", loops!(Of, k::Div, numeric))
        .node("div")
        .guard(Guard::Divisor)
        .vjp(div)
        .code(ScalarCode::Div)
        .identity(AlgebraicIdentity::NeutralRight(1.0));
    /// `x / y` rounded towards zero.
    TRUNCATE_DIV: truncate_div = BinaryDef::new("TruncateDiv", loops!(Of, k::TruncateDiv, real))
        .guard(Guard::Divisor)
        .code(ScalarCode::TruncateDiv);
    /// What is left of `x` when divided by `y` towards zero; it has the sign of `x`.
    TRUNCATE_MOD: truncate_mod = BinaryDef::new("TruncateMod", loops!(Of, k::TruncateMod, real))
        .guard(Guard::Divisor)
        .code(ScalarCode::TruncateMod)
        .vjp(truncate_mod);
    /// `x / y` rounded down.
    FLOOR_DIV: floor_div = BinaryDef::new("FloorDiv", loops!(Of, k::FloorDiv, real))
        .node("floordiv")
        .guard(Guard::Divisor)
        .code(ScalarCode::FloorDiv)
        .known(floor_div);
    /// What is left of `x` when divided by `y` rounding down; it has the sign of `y`.
    FLOOR_MOD: floor_mod = BinaryDef::new("FloorMod", loops!(Of, k::FloorMod, real))
        .guard(Guard::Divisor)
        .code(ScalarCode::FloorMod)
        .known(floor_mod)
        .vjp(modulo);
    /// `x` to the power of `y`.
    POW: pow = BinaryDef::new("Pow", loops!(Of, k::Pow, numeric))
        .node("pow")
        .guard(Guard::Exponent)
        .vjp(pow)
        .code(ScalarCode::Pow);
    /// The greater of `x` and `y`.
    MAXIMUM: maximum = BinaryDef::new("Maximum", loops!(Of, k::Maximum, real))
        .known(|a, b| Some(a.max(b)))
        .vjp(maximum)
        .code(ScalarCode::Maximum);
    /// The smaller of `x` and `y`.
    MINIMUM: minimum = BinaryDef::new("Minimum", loops!(Of, k::Minimum, real))
        .known(|a, b| Some(a.min(b)))
        .vjp(minimum)
        .code(ScalarCode::Minimum);
    /// `(x - y)²`, conjugated where complex.
    SQUARED_DIFFERENCE: squared_difference = BinaryDef::new("SquaredDifference", loops!(Of, k::SquaredDifference, numeric))
        .vjp(squared_difference)
        .code(ScalarCode::SquaredDifference);
    /// The angle of the point `(y, x)`, called by `y` first.
    ATAN2: atan2 = BinaryDef::new("Atan2", loops!(Of, k::Atan2, floating)).vjp(atan2);
    /// `x / y`, 0 where `y` is 0.
    DIV_NO_NAN: div_no_nan = BinaryDef::new("DivNoNan", loops!(Of, k::DivNoNan, inexact)).vjp(div_no_nan);
    /// `x * y`, 0 where `y` is 0 even if `x` is infinite or NaN.
    MUL_NO_NAN: mul_no_nan = BinaryDef::new("MulNoNan", loops!(Of, k::MulNoNan, inexact)).vjp(mul_no_nan);
    /// `x / y`, 0 where `x` is 0.
    XDIVY: xdivy = BinaryDef::new("Xdivy", loops!(Of, k::Xdivy, inexact)).vjp(xdivy);
    /// `x log(y)`, 0 where `x` is 0.
    XLOGY: xlogy = BinaryDef::new("Xlogy", loops!(Of, k::Xlogy, inexact)).vjp(xlogy);
    /// `x log(1 + y)`, 0 where `x` is 0.
    XLOG1PY: xlog1py = BinaryDef::new("Xlog1py", loops!(Of, k::Xlog1py, inexact)).vjp(xlog1py);
    /// The number after `x` in the direction of `y`.
    NEXT_AFTER: next_after = BinaryDef::new("NextAfter", loops!(Of, k::NextAfter, f32_f64)).vjp(next_after);
    /// The Hurwitz zeta function of `x` and `q`.
    ZETA: zeta = BinaryDef::new("Zeta", loops!(Of, k::Zeta, f32_f64)).vjp(zeta);
    /// The `a`-th derivative of digamma at `x`.
    POLYGAMMA: polygamma = BinaryDef::new("Polygamma", loops!(Of, k::Polygamma, f32_f64)).vjp(polygamma);
}

fn floor_div(a: i64, b: i64) -> Option<i64> {
    let r = a.checked_rem(b)?;
    Some(a.checked_div(b)? - i64::from(r != 0 && (r < 0) != (b < 0)))
}

fn floor_mod(a: i64, b: i64) -> Option<i64> {
    let r = a.checked_rem(b)?;
    Some(if r != 0 && (r < 0) != (b < 0) {
        r + b
    } else {
        r
    })
}

type Pair = Result<[Option<Val>; 2]>;
/// Emits a value of both operands.
type Of2 = fn(&mut dyn Emitter, &Val, &Val) -> Result<Val>;

fn add(_e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    Ok([Some(c.g.clone()), Some(c.g.clone())])
}

/// The neighbour moves with the first operand; the second says only where to look.
fn next_after(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    c.grads(e, |_| Ok(c.g.clone()), |e| e.zeros_like(c.g))
}

fn sub(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    c.grads(e, |_| Ok(c.g.clone()), |e| e.neg(c.g))
}

/// `g * conj(x)`
fn times(e: &mut dyn Emitter, g: &Val, x: &Val) -> Result<Val> {
    let x = e.conj(x)?;
    e.mul(g, &x)
}

fn mul(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    c.grads(e, |e| times(e, c.g, c.b), |e| times(e, c.g, c.a))
}

fn div(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let b = e.conj(c.b)?;
    let da = e.div(c.g, &b)?;
    let db = if c.needs[1] {
        let scaled = times(e, &da, c.y)?;
        Some(e.neg(&scaled)?)
    } else {
        None
    };
    Ok([Some(da), db])
}

fn modulo(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    remainder(e, c, |e, a, b| e.floor_div(a, b))
}

fn truncate_mod(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    remainder(e, c, |e, a, b| e.truncate_div(a, b))
}

/// The gradients of `a - b q`, where the quotient `q` has none.
fn remainder(e: &mut dyn Emitter, c: &BinaryCall<'_>, quotient: Of2) -> Pair {
    c.grads(
        e,
        |_| Ok(c.g.clone()),
        |e| {
            let q = quotient(e, c.a, c.b)?;
            let scaled = e.mul(c.g, &q)?;
            e.neg(&scaled)
        },
    )
}

fn pow(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    c.grads(e, |e| pow_base(e, c), |e| pow_exponent(e, c))
}

/// `g * b * a^(b - 1)`
fn pow_base(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Result<Val> {
    let (a, b) = (e.conj(c.a)?, e.conj(c.b)?);
    let one = e.scalar(1.0, b.dtype())?;
    let less = e.sub(&b, &one)?;
    let power = e.pow(&a, &less)?;
    let slope = e.mul(&b, &power)?;
    e.mul(c.g, &slope)
}

/// `g * y * log(a)`, 0 where `a` has no logarithm.
fn pow_exponent(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Result<Val> {
    let zero = e.scalar(0.0, c.a.dtype())?;
    let has_log = if c.a.dtype().is_complex() {
        e.not_equal(c.a, &zero, true)?
    } else {
        e.greater(c.a, &zero)?
    };
    let one = e.scalar(1.0, c.a.dtype())?;
    let safe = e.select(&has_log, c.a, &one)?;
    let log = e.log(&safe)?;
    let log = e.select(&has_log, &log, &zero)?;
    let gy = times(e, c.g, c.y)?;
    times(e, &gy, &log)
}

fn maximum(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let first = e.greater_equal(c.a, c.b)?;
    chosen(e, c, &first)
}

fn minimum(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let first = e.less_equal(c.a, c.b)?;
    chosen(e, c, &first)
}

/// The gradient goes to the first operand where `first` holds, else to the second.
fn chosen(e: &mut dyn Emitter, c: &BinaryCall<'_>, first: &Val) -> Pair {
    let zero = e.scalar(0.0, c.g.dtype())?;
    c.grads(
        e,
        |e| e.select(first, c.g, &zero),
        |e| e.select(first, &zero, c.g),
    )
}

fn squared_difference(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let difference = e.sub(c.a, c.b)?;
    let twice = e.scale(c.g, 2.0)?;
    let da = e.mul(&twice, &difference)?;
    let db = e.neg(&da)?;
    Ok([Some(da), Some(db)])
}

fn atan2(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let (aa, bb) = (e.mul(c.a, c.a)?, e.mul(c.b, c.b)?);
    let norm = e.add(&aa, &bb)?;
    let scaled = e.div(c.g, &norm)?;
    c.grads(
        e,
        |e| e.mul(&scaled, c.b),
        |e| {
            let db = e.mul(&scaled, c.a)?;
            e.neg(&db)
        },
    )
}

fn div_no_nan(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let b = e.conj(c.b)?;
    let da = e.div_no_nan(c.g, &b)?;
    let scaled = times(e, &da, c.y)?;
    let db = e.neg(&scaled)?;
    Ok([Some(da), Some(db)])
}

fn mul_no_nan(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let (a, b) = (e.conj(c.a)?, e.conj(c.b)?);
    c.grads(e, |e| e.mul_no_nan(c.g, &b), |e| e.mul_no_nan(&a, c.g))
}

/// 1 where `x` is not zero, else 0.
fn support(e: &mut dyn Emitter, x: &Val) -> Result<Val> {
    let zero = e.scalar(0.0, x.dtype())?;
    let nonzero = e.not_equal(x, &zero, true)?;
    e.cast(&nonzero, x.dtype())
}

/// `g` times the conjugate of `x / y`, 0 where `x` is 0.
fn times_xdivy(e: &mut dyn Emitter, g: &Val, x: &Val, y: &Val) -> Result<Val> {
    let slope = e.xdivy(x, y)?;
    times(e, g, &slope)
}

fn xdivy(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    c.grads(
        e,
        |e| {
            let some = support(e, c.a)?;
            times_xdivy(e, c.g, &some, c.b)
        },
        |e| {
            let (minus, square) = (e.neg(c.a)?, e.mul(c.b, c.b)?);
            times_xdivy(e, c.g, &minus, &square)
        },
    )
}

fn xlogy(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    c.grads(
        e,
        |e| {
            let some = support(e, c.a)?;
            let slope = e.xlogy(&some, c.b)?;
            times(e, c.g, &slope)
        },
        |e| times_xdivy(e, c.g, c.a, c.b),
    )
}

fn xlog1py(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    c.grads(
        e,
        |e| {
            let some = support(e, c.a)?;
            let slope = e.xlog1py(&some, c.b)?;
            times(e, c.g, &slope)
        },
        |e| {
            let one = e.scalar(1.0, c.b.dtype())?;
            let shifted = e.add(c.b, &one)?;
            times_xdivy(e, c.g, c.a, &shifted)
        },
    )
}

/// Known by the second operand alone: `-a zeta(a + 1, b)`.
fn zeta(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let one = e.scalar(1.0, c.a.dtype())?;
    let next = e.add(c.a, &one)?;
    let minus = e.neg(c.a)?;
    let slope = e.zeta(&next, c.b)?;
    let slope = e.mul(&minus, &slope)?;
    Ok([None, Some(e.mul(c.g, &slope)?)])
}

/// Known by the second operand alone: the next derivative.
fn polygamma(e: &mut dyn Emitter, c: &BinaryCall<'_>) -> Pair {
    let one = e.scalar(1.0, c.a.dtype())?;
    let next = e.add(c.a, &one)?;
    let slope = e.polygamma(&next, c.b)?;
    Ok([None, Some(e.mul(c.g, &slope)?)])
}
