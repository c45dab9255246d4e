//! Functions of double numbers.

use super::super::assembler::{Opcode, Prefix, Table};
use super::super::lower::{Arg, Lowering, Micro, code, relation};
use ferrograph_kernels::coefficients::double::{
    EXP, LN2_HI, LN2_LO, LOG, LOG_SCALE, ROUND, SQRT_HALF, TANH_ABOVE, TANH_BELOW, TANH_NEAR,
};
use std::f64::consts::LOG2_E;

/// Instructions on integers of 64 bits, of the table 0F.
mod integer {
    pub const ADD: u8 = 0xD4;
    pub const SUB: u8 = 0xFB;
    pub const SHIFT: u8 = 0x73;
    /// Kinds of shifts.
    pub const RIGHT: u8 = 2;
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

/// `2^n` for an integer-valued float that is a normal exponent.
fn exp2i(to: &mut Lowering, n: Arg) -> Arg {
    let bias = to.number(ROUND + 1023.0);
    let sum = to.add(n, bias);
    shifted(to, integer::LEFT, sum, 52)
}

pub(super) fn exp(to: &mut Lowering, x: Arg) -> Arg {
    let x = to.at_most(x, 710.0);
    let x = to.at_least(x, -746.0);
    let (log2_e, round) = (to.number(LOG2_E), to.number(ROUND));
    let sum = to.mul_add(x, log2_e, round);
    let n = to.sub(sum, round);
    let ln2_hi = to.number(-LN2_HI);
    let hi = to.mul_add(n, ln2_hi, x);
    let ln2_lo = to.number(LN2_LO);
    let lo = to.mul(n, ln2_lo);
    let r = to.sub(hi, lo);
    let z = to.mul(r, r);
    let c = to.polynomial(z, &EXP);
    let z = to.negated(z);
    let c = to.mul_add(z, c, r);
    let above = to.mul(r, c);
    let (one, two, half) = (to.number(1.0), to.number(2.0), to.number(0.5));
    let below = to.sub(two, c);
    let y = to.div(above, below);
    let y = to.sub(y, lo);
    let y = to.add(y, hi);
    let y = to.add(y, one);
    let sum = to.mul_add(n, half, round);
    let half = to.sub(sum, round);
    let other = to.sub(n, half);
    let by = exp2i(to, half);
    let y = to.mul(y, by);
    let by = exp2i(to, other);
    to.mul(y, by)
}

pub(super) fn log(to: &mut Lowering, x: Arg) -> Arg {
    let least = to.number(f64::MIN_POSITIVE);
    let tiny = to.compare(relation::LESS, x, least);
    let scale = to.number(LOG_SCALE);
    let scaled = to.mul(x, scale);
    let scaled = to.blend(tiny, scaled, x);
    let root = to.bits(SQRT_HALF);
    let bits = integers(to, integer::SUB, scaled, root);
    let bias = to.bits(1024 << 52);
    let bits = integers(to, integer::ADD, bits, bias);
    let e = exponent(to, bits, tiny);
    let mantissa = to.bits(0x000f_ffff_ffff_ffff);
    let m = to.and(bits, mantissa);
    let m = integers(to, integer::ADD, m, root);
    let (one, two, half) = (to.number(1.0), to.number(2.0), to.number(0.5));
    let f = to.sub(m, one);
    let below = to.add(f, two);
    let s = to.div(f, below);
    let z = to.mul(s, s);
    let p = to.polynomial(z, &LOG);
    let p = to.mul(p, z);
    let half = to.mul(f, half);
    let half = to.mul(half, f);
    let (high, low) = (to.number(LN2_HI), to.number(LN2_LO));
    let lower = to.mul(e, low);
    let inner = to.add(half, p);
    let inner = to.mul_add(s, inner, lower);
    let inner = to.sub(half, inner);
    let inner = to.sub(f, inner);
    let y = to.mul_add(e, high, inner);
    to.logarithm_at_ends(x, y)
}

/// The exponent in bits with a bias of 1024 more, as a number; of tiny numbers that were scaled, without that.
fn exponent(to: &mut Lowering, bits: Arg, tiny: Arg) -> Arg {
    let e = shifted(to, integer::RIGHT, bits, 52);
    let fields = to.bits(0x7ff + 2048);
    let e = to.and(e, fields);
    let whole = to.bits(0x4330_0000_0000_0000);
    let e = to.two(code::OR, e, whole);
    let whole = to.number(4_503_599_627_370_496.0);
    let e = to.sub(e, whole);
    let bias = to.number(1024.0);
    let e = to.sub(e, bias);
    let steps = to.number(54.0);
    let steps = to.and(tiny, steps);
    to.sub(e, steps)
}

pub(super) fn log1p(to: &mut Lowering, x: Arg) -> Arg {
    to.log_of_sum(x, log)
}

pub(super) fn sigmoid(to: &mut Lowering, x: Arg) -> Arg {
    let below = to.below_zero(x);
    let e = exp(to, below);
    let (zero, one) = (to.number(0.0), to.number(1.0));
    let is_negative = to.compare(relation::LESS, x, zero);
    let top = to.blend(is_negative, e, one);
    let sum = to.add(e, one);
    to.div(top, sum)
}

pub(super) fn tanh(to: &mut Lowering, x: Arg) -> Arg {
    let z = to.mul(x, x);
    let p = to.polynomial(z, &TANH_ABOVE);
    let q = to.polynomial(z, &TANH_BELOW);
    let quotient = to.div(p, q);
    let product = to.mul(x, z);
    let near = to.mul_add(product, quotient, x);
    let size = to.magnitude(x);
    let (one, two, zero) = (to.number(1.0), to.number(2.0), to.number(0.0));
    let twice = to.mul(size, two);
    let e = exp(to, twice);
    let sum = to.add(e, one);
    let part = to.div(two, sum);
    let far = to.sub(one, part);
    let far = to.with_sign_of(far, x);
    let bound = to.number(TANH_NEAR);
    let is_near = to.compare(relation::LESS, size, bound);
    let y = to.blend(is_near, near, far);
    let y = to.where_equal(x, zero, x, y);
    let is_nan = to.compare(relation::UNORDERED, x, x);
    to.blend(is_nan, x, y)
}
