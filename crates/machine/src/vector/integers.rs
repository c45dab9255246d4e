//! Functions of integers as vector instructions: of 32 bits beside single numbers, of 64 beside double ones.

use super::assembler::{Opcode, Prefix, Table};
use super::lower::{Arg, Fixed, Lowering, Micro, code, unknown};
use super::{Element, Float};
use crate::Op;
use crate::memory::Refused;

/// Instructions for integers of 32 and of 64 bits, each by its table and byte.
type Both = [(Table, u8); 2];

const ADD: Both = [(Table::M0F, 0xFE), (Table::M0F, 0xD4)];
const SUB: Both = [(Table::M0F, 0xFA), (Table::M0F, 0xFB)];
const EQUAL: Both = [(Table::M0F, 0x76), (Table::M0F38, 0x29)];
const GREATER: Both = [(Table::M0F, 0x66), (Table::M0F38, 0x37)];
const SHIFT_LEFT: Both = [(Table::M0F38, 0x47), (Table::M0F38, 0x47)];

/// Instructions that there are for 32 bits alone.
mod single {
    pub const MUL: u8 = 0x40;
    pub const MAX: u8 = 0x3D;
    pub const MIN: u8 = 0x39;
    pub const ABS: u8 = 0x1E;
    pub const SIGN: u8 = 0x0A;
    pub const SHIFT_RIGHT: u8 = 0x46;
}

/// How much more than a quotient its product with the reciprocal of the divisor may be, so that it is never less.
const ABOVE: f64 = 1.0 + 1.0 / (1u64 << 48) as f64;

impl Lowering {
    fn whole(&mut self, of: Both, a: Arg, b: Arg) -> Arg {
        let is_double = self.float == Float::F64;
        let (table, byte) = of[usize::from(is_double)];
        let op = Opcode::new(Prefix::P66, table, byte);
        let op = if is_double && of == SHIFT_LEFT {
            op.double()
        } else {
            op
        };
        self.push(Micro::Two(op, None, [a, b]))
    }

    /// An instruction on integers of 32 bits.
    fn of_32(&mut self, byte: u8, a: Arg, b: Arg) -> Arg {
        let op = Opcode::new(Prefix::P66, Table::M0F38, byte);
        self.push(Micro::Two(op, None, [a, b]))
    }

    pub(super) fn of_integers(
        &mut self,
        op: Op,
        args: &[(Arg, Element)],
    ) -> Result<(Arg, Element), Refused> {
        let a = args[0].0;
        let b = args.get(1).map_or(a, |&(b, _)| b);
        let truth = |value| Ok((value, Element::Truth));
        match op {
            Op::Equal => truth(self.whole(EQUAL, a, b)),
            Op::Greater => truth(self.whole(GREATER, a, b)),
            Op::Less => truth(self.whole(GREATER, b, a)),
            Op::NotEqual => {
                let mask = self.whole(EQUAL, a, b);
                truth(self.not(mask))
            }
            Op::LessEqual => {
                let mask = self.whole(GREATER, a, b);
                truth(self.not(mask))
            }
            Op::GreaterEqual => {
                let mask = self.whole(GREATER, b, a);
                truth(self.not(mask))
            }
            Op::Cast => truth(self.integers_converted(a, Element::Integer, Element::Truth)?),
            Op::Clip => {
                let y = self.least(a, args[2].0);
                let below = self.whole(GREATER, b, a);
                Ok((self.blend(below, b, y), Element::Integer))
            }
            op => Ok((self.whole_arithmetic(op, a, b)?, Element::Integer)),
        }
    }

    fn whole_arithmetic(&mut self, op: Op, a: Arg, b: Arg) -> Result<Arg, Refused> {
        let is_single = self.float == Float::F32;
        Ok(match op {
            Op::Add => self.whole(ADD, a, b),
            Op::Sub => self.whole(SUB, a, b),
            Op::Mul => self.whole_product(a, b),
            Op::Square => self.whole_product(a, a),
            Op::SquaredDifference => {
                let difference = self.whole(SUB, a, b);
                self.whole_product(difference, difference)
            }
            Op::And => self.two(code::AND, a, b),
            Op::Or => self.two(code::OR, a, b),
            Op::Xor => self.two(code::XOR, a, b),
            Op::Not => self.not(a),
            Op::Neg => self.negated_integer(a),
            Op::Maximum => self.most(a, b),
            Op::Minimum => self.least(a, b),
            Op::Relu => {
                let zero = self.bits(0);
                self.most(a, zero)
            }
            Op::Relu6 => {
                let (zero, six) = (self.bits(0), self.bits(6));
                let y = self.most(a, zero);
                self.least(y, six)
            }
            Op::ReluGrad => {
                let zero = self.bits(0);
                let mask = self.whole(GREATER, b, zero);
                self.two(code::AND, mask, a)
            }
            Op::ShiftLeft => {
                let by = self.shift_count(b);
                self.whole(SHIFT_LEFT, a, by)
            }
            Op::Abs if is_single => {
                let op = Opcode::new(Prefix::P66, Table::M0F38, single::ABS);
                self.push(Micro::One(op, None, a))
            }
            Op::Sign if is_single => {
                let one = self.bits(1);
                self.of_32(single::SIGN, one, a)
            }
            Op::ShiftRight if is_single => {
                let by = self.shift_count(b);
                self.of_32(single::SHIFT_RIGHT, a, by)
            }
            Op::FloorDiv | Op::FloorMod | Op::TruncateDiv | Op::TruncateMod => {
                self.whole_quotient(op, a, b)?
            }
            _ => return Err(unknown(op)),
        })
    }

    fn most(&mut self, a: Arg, b: Arg) -> Arg {
        if self.float == Float::F32 {
            return self.of_32(single::MAX, a, b);
        }
        let mask = self.whole(GREATER, a, b);
        self.blend(mask, a, b)
    }

    fn least(&mut self, a: Arg, b: Arg) -> Arg {
        if self.float == Float::F32 {
            return self.of_32(single::MIN, a, b);
        }
        let mask = self.whole(GREATER, a, b);
        self.blend(mask, b, a)
    }

    /// How far is shifted: not below zero, and by all bits but one at most.
    fn shift_count(&mut self, by: Arg) -> Arg {
        let most = 8 * self.float.bytes() as u64 - 1;
        let (zero, most) = (self.bits(0), self.bits(most));
        let by = self.most(by, zero);
        self.least(by, most)
    }

    /// The lower bits of a product; of 64 bits from those of its halves.
    fn whole_product(&mut self, a: Arg, b: Arg) -> Arg {
        if self.float == Float::F32 {
            return self.of_32(single::MUL, a, b);
        }
        let halves = |to: &mut Lowering, a, b| {
            let op = Opcode::new(Prefix::P66, Table::M0F, 0xF4);
            to.push(Micro::Two(op, None, [a, b]))
        };
        let (high_a, high_b) = (self.moved(RIGHT, a, 32), self.moved(RIGHT, b, 32));
        let one = halves(self, high_a, b);
        let other = halves(self, a, high_b);
        let upper = self.whole(ADD, one, other);
        let upper = self.moved(LEFT, upper, 32);
        let lower = halves(self, a, b);
        self.whole(ADD, lower, upper)
    }

    /// The bits of integers of 64 bits, moved.
    fn moved(&mut self, kind: u8, x: Arg, bits: u8) -> Arg {
        let op = Opcode::new(Prefix::P66, Table::M0F, 0x73);
        self.push(Micro::Shift(op, kind, bits, x))
    }

    /// Quotients by a constant, and what they leave. By a power of two rounding down leaves the lower bits.
    fn whole_quotient(&mut self, op: Op, a: Arg, b: Arg) -> Result<Arg, Refused> {
        let divisor = self.constant(b).filter(|&divisor| divisor != 0);
        let divisor = divisor.ok_or_else(|| unknown(op))?;
        if op == Op::FloorMod && divisor > 0 && divisor.cast_unsigned().is_power_of_two() {
            let rest = self.bits((divisor - 1).cast_unsigned());
            return Ok(self.two(code::AND, a, rest));
        }
        if self.float == Float::F64 {
            return Err(unknown(op));
        }
        let quotient = self.towards_zero(a, divisor);
        if op == Op::TruncateDiv {
            return Ok(quotient);
        }
        let product = self.whole_product(quotient, b);
        let left = self.whole(SUB, a, product);
        if op == Op::TruncateMod {
            return Ok(left);
        }
        // What is left has the sign of the divisor, or is nothing.
        let zero = self.bits(0);
        let is_other = match divisor > 0 {
            true => self.whole(GREATER, zero, left),
            false => self.whole(GREATER, left, zero),
        };
        Ok(match op {
            Op::FloorDiv => self.whole(ADD, quotient, is_other),
            _ => {
                let correction = self.two(code::AND, is_other, b);
                self.whole(ADD, left, correction)
            }
        })
    }

    /// The constant that an operand is.
    fn constant(&self, arg: Arg) -> Option<i64> {
        let Arg::Fixed(at) = arg else { return None };
        match (self.fixed_at(at), self.float) {
            (Fixed::Bits(bits), Float::F32) => Some(i64::from(bits as u32 as i32)),
            (Fixed::Bits(bits), Float::F64) => Some(bits.cast_signed()),
            (Fixed::Single(..), _) => None,
        }
    }

    /// Quotients of 32 bits rounded towards zero: products of double numbers with a reciprocal that is so little too large
    /// that no quotient comes near the next integer.
    fn towards_zero(&mut self, a: Arg, divisor: i64) -> Arg {
        let halves = |byte| Opcode::new(Prefix::P66, Table::M0F3A, byte);
        let upper = self.push(Micro::Two(halves(0x06), Some(0x11), [a, a]));
        self.float = Float::F64;
        let by = self.number(ABOVE / divisor as f64);
        self.float = Float::F32;
        let [low, high] = [a, upper].map(|half| {
            let widened = Opcode::new(Prefix::P3, Table::M0F, 0xE6);
            let wide = self.push(Micro::One(widened, None, half));
            let product = Opcode::new(Prefix::P66, Table::M0F, code::MUL);
            let product = self.push(Micro::Two(product, None, [wide, by]));
            let narrowed = Opcode::new(Prefix::P66, Table::M0F, 0xE6);
            self.push(Micro::One(narrowed, None, product))
        });
        self.push(Micro::Two(halves(0x06), Some(0x20), [low, high]))
    }

    /// Integers as values of another kind, or those as integers.
    pub(super) fn integers_converted(
        &mut self,
        x: Arg,
        from: Element,
        to: Element,
    ) -> Result<Arg, Refused> {
        let is_single = self.float == Float::F32;
        Ok(match (from, to) {
            (Element::Truth, Element::Integer) => {
                let one = self.bits(1);
                self.two(code::AND, x, one)
            }
            (Element::Integer, Element::Truth) => {
                let zero = self.bits(0);
                let mask = self.whole(EQUAL, x, zero);
                self.not(mask)
            }
            (Element::Integer, Element::Number) if is_single => {
                let op = Opcode::new(Prefix::None, Table::M0F, 0x5B);
                self.push(Micro::One(op, None, x))
            }
            (Element::Number, Element::Integer) if is_single => {
                let op = Opcode::new(Prefix::P3, Table::M0F, 0x5B);
                self.push(Micro::One(op, None, x))
            }
            _ => return Err(Refused(format!("{from:?} as {to:?} is no vector code"))),
        })
    }
}

/// Kinds of shifts.
const RIGHT: u8 = 2;
const LEFT: u8 = 6;
