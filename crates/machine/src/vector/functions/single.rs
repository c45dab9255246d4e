//! Functions of single numbers.

use super::super::Float;
use super::super::assembler::{Opcode, Prefix, Table};
use super::super::lower::{Arg, Lowering, Micro, code, relation};
use ferrograph_kernels::coefficients::single::{
    ERF_NEAR, ERF_ROOT, ERF_SMALL, ERFC, ERFC_NEAR, EXP_TAIL, EXP_TWICE, LN2_HALF, LN2_HI, LN2_LO,
    LOG, LOG_SCALE, ROUND, SQRT_HALF, TANH, TANH_NEAR,
};
use std::f32::consts::LOG2_E;

/// Instructions on integers of 32 bits, of the table 0F.
mod integer {
    pub const ADD: u8 = 0xFE;
    pub const SUB: u8 = 0xFA;
    pub const SHIFT: u8 = 0x72;
    /// Kinds of shifts.
    pub const RIGHT: u8 = 4;
    pub const LEFT: u8 = 6;
}

fn integers(to: &mut Lowering, byte: u8, a: Arg, b: Arg) -> Arg {
    let op = Opcode::new(Prefix::P66, Table::M0F, byte);
    to.push(Micro::Two(op, None, [a, b]))
}

fn shifted(to: &mut Lowering, kind: u8, x: Arg, bits: u8) -> Arg {
    let op = Opcode::new(Prefix::P66, Table::M0F, integer::SHIFT);
    to.push(Micro::Shift(op, kind, bits, x))
}

/// `2^n` for an integer that is a normal exponent.
fn exp2i(to: &mut Lowering, n: Arg) -> Arg {
    let bias = to.bits(127);
    let exponent = integers(to, integer::ADD, n, bias);
    shifted(to, integer::LEFT, exponent, 23)
}

/// `x = n ln 2 + r`: n as integer, and r.
fn reduced(to: &mut Lowering, x: Arg) -> (Arg, Arg) {
    let (log2_e, round) = (to.number(LOG2_E.into()), to.number(ROUND.into()));
    let sum = to.mul_add(x, log2_e, round);
    let n = to.sub(sum, round);
    let high = to.number((-LN2_HI).into());
    let r = to.mul_add(n, high, x);
    let low = to.number((-LN2_LO).into());
    let r = to.mul_add(n, low, r);
    (integers(to, integer::SUB, sum, round), r)
}

/// `e^r - 1`
fn exp_rest(to: &mut Lowering, r: Arg) -> Arg {
    let tail = to.polynomial(r, &EXP_TAIL);
    let square = to.mul(r, r);
    to.mul_add(tail, square, r)
}

pub(super) fn exp(to: &mut Lowering, x: Arg) -> Arg {
    let x = to.at_most(x, 89.5);
    let x = to.at_least(x, -105.0);
    let (n, r) = reduced(to, x);
    scaled_exp(to, n, r)
}

/// `e^r` times `2^n`, in two steps.
fn scaled_exp(to: &mut Lowering, n: Arg, r: Arg) -> Arg {
    let rest = exp_rest(to, r);
    let one = to.number(1.0);
    let y = to.add(rest, one);
    let half = shifted(to, integer::RIGHT, n, 1);
    let other = integers(to, integer::SUB, n, half);
    let by = exp2i(to, half);
    let y = to.mul(y, by);
    let by = exp2i(to, other);
    to.mul(y, by)
}

/// `e^2x` for numbers from 0 to 10.
fn exp_twice(to: &mut Lowering, x: Arg) -> Arg {
    let (by, round) = (to.number(2.0 * f64::from(LOG2_E)), to.number(ROUND.into()));
    let sum = to.mul_add(x, by, round);
    let n = to.sub(sum, round);
    let part = to.number((-LN2_HALF).into());
    let r = to.mul_add(n, part, x);
    let exponent = shifted(to, integer::LEFT, sum, 23);
    let one = to.number(1.0);
    let scale = integers(to, integer::ADD, exponent, one);
    let y = to.polynomial(r, &EXP_TWICE);
    to.mul(y, scale)
}

pub(super) fn expm1(to: &mut Lowering, x: Arg) -> Arg {
    let c = to.at_most(x, 89.0);
    let c = to.at_least(c, -18.0);
    let (n, r) = reduced(to, c);
    let p = exp_rest(to, r);
    let minus_one = to.bits(u64::MAX);
    let n = integers(to, integer::ADD, n, minus_one);
    let s = exp2i(to, n);
    let (half, two, zero) = (to.number(0.5), to.number(2.0), to.number(0.0));
    let less = to.sub(s, half);
    let y = to.mul_add(s, p, less);
    let y = to.mul(y, two);
    to.where_equal(x, zero, x, y)
}

pub(super) fn log(to: &mut Lowering, x: Arg) -> Arg {
    let least = to.number(f32::MIN_POSITIVE.into());
    let tiny = to.compare(relation::LESS, x, least);
    let scale = to.number(LOG_SCALE.into());
    let scaled = to.mul(x, scale);
    let scaled = to.blend(tiny, scaled, x);
    let root = to.bits(SQRT_HALF.into());
    let bits = integers(to, integer::SUB, scaled, root);
    let e = shifted(to, integer::RIGHT, bits, 23);
    let steps = to.bits(23);
    let steps = to.and(tiny, steps);
    let e = integers(to, integer::SUB, e, steps);
    let e = to.push(Micro::One(
        Opcode::new(Prefix::None, Table::M0F, 0x5B),
        None,
        e,
    ));
    let mantissa = to.bits(0x007f_ffff);
    let f = to.and(bits, mantissa);
    let f = integers(to, integer::ADD, f, root);
    let one = to.number(1.0);
    let f = to.sub(f, one);
    let z = to.mul(f, f);
    let p = to.polynomial(f, &LOG);
    let p = to.mul(p, f);
    let p = to.mul(p, z);
    let low = to.number(LN2_LO.into());
    let y = to.mul_add(e, low, p);
    let minus_half = to.number(-0.5);
    let y = to.mul_add(z, minus_half, y);
    let y = to.add(f, y);
    let high = to.number(LN2_HI.into());
    let y = to.mul_add(e, high, y);
    to.logarithm_at_ends(x, y)
}

pub(super) fn log1p(to: &mut Lowering, x: Arg) -> Arg {
    to.log_of_sum(x, log)
}

pub(super) fn tanh(to: &mut Lowering, x: Arg) -> Arg {
    let a = to.magnitude(x);
    let a = to.at_most(a, 10.0);
    let z = to.mul(a, a);
    let tail = to.polynomial(z, &TANH);
    let cube = to.mul(a, z);
    let near = to.mul_add(cube, tail, a);
    let e = exp_twice(to, a);
    let (one, two) = (to.number(1.0), to.number(2.0));
    let sum = to.add(e, one);
    let rest = to.div(two, sum);
    let far = to.sub(one, rest);
    let limit = to.number(TANH_NEAR.into());
    let is_near = to.compare(relation::LESS, a, limit);
    let y = to.blend(is_near, near, far);
    to.with_sign_of(y, x)
}

pub(super) fn sigmoid(to: &mut Lowering, x: Arg) -> Arg {
    let below = to.below_zero(x);
    let e = exp(to, below);
    let (zero, one) = (to.number(0.0), to.number(1.0));
    let is_negative = to.compare(relation::LESS, x, zero);
    let top = to.blend(is_negative, e, one);
    let sum = to.add(e, one);
    let y = to.div(top, sum);
    let minus = to.negated(e);
    let small = to.mul_add(minus, y, e);
    to.blend(is_negative, small, y)
}

pub(super) fn softplus(to: &mut Lowering, x: Arg) -> Arg {
    let below = to.below_zero(x);
    let e = exp(to, below);
    let y = log1p(to, e);
    let positive = to.at_least(x, 0.0);
    to.add(positive, y)
}

pub(super) fn erf(to: &mut Lowering, x: Arg) -> Arg {
    let c = to.magnitude(x);
    let c = to.at_most(c, 4.0);
    let z = to.mul(c, c);
    let small = to.polynomial(z, &ERF_SMALL);
    let small = to.mul_add(small, c, c);
    let root = to.polynomial(c, &ERF_ROOT);
    let square = to.mul(root, root);
    let minus = to.negated(square);
    let one = to.number(1.0);
    let large = to.mul_add(minus, square, one);
    let limit = to.number(ERF_NEAR.into());
    let is_small = to.compare(relation::LESS, c, limit);
    let y = to.blend(is_small, small, large);
    to.with_sign_of(y, x)
}

/// `e^-t²` for numbers from 0 to 10.25.
fn exp_of_square(to: &mut Lowering, t: Arg) -> Arg {
    let mask = to.bits(0xffff_f000);
    let leading = to.and(t, mask);
    let (less, more) = (to.sub(t, leading), to.add(t, leading));
    let rest = to.mul(less, more);
    let minus = to.negated(leading);
    let square = to.mul(minus, leading);
    let (n, r) = reduced(to, square);
    let r = to.sub(r, rest);
    scaled_exp(to, n, r)
}

pub(super) fn erfc(to: &mut Lowering, x: Arg) -> Arg {
    let t = to.magnitude(x);
    let t = to.at_most(t, 10.25);
    let three = to.number(3.0);
    let (above, below) = (to.sub(t, three), to.add(t, three));
    let s = to.div(above, below);
    let smooth = to.polynomial(s, &ERFC);
    let smooth = to.div(smooth, below);
    let e = exp_of_square(to, t);
    let y = to.mul(smooth, e);
    let (zero, one, two) = (to.number(0.0), to.number(1.0), to.number(2.0));
    let other = to.sub(two, y);
    let is_negative = to.compare(relation::LESS, x, zero);
    let y = to.blend(is_negative, other, y);
    let z = to.mul(x, x);
    let small = to.polynomial(z, &ERF_SMALL);
    let small = to.mul_add(small, x, x);
    let near = to.sub(one, small);
    let limit = to.number(ERFC_NEAR.into());
    let is_near = to.compare(relation::LESS, t, limit);
    let y = to.blend(is_near, near, y);
    to.where_equal(x, x, y, x)
}

/// `x³`, rounded once.
pub(super) fn cube(to: &mut Lowering, x: Arg) -> Arg {
    let halves = |byte| Opcode::new(Prefix::P66, Table::M0F3A, byte);
    let upper = to.push(Micro::Two(halves(0x06), Some(0x11), [x, x]));
    let [low, high] = [x, upper].map(|half| {
        let widened = Opcode::new(Prefix::None, Table::M0F, 0x5A);
        let wide = to.push(Micro::One(widened, None, half));
        to.float = Float::F64;
        let square = to.two(code::MUL, wide, wide);
        let cube = to.two(code::MUL, square, wide);
        to.float = Float::F32;
        let narrowed = Opcode::new(Prefix::P66, Table::M0F, 0x5A);
        to.push(Micro::One(narrowed, None, cube))
    });
    to.push(Micro::Two(halves(0x06), Some(0x20), [low, high]))
}
