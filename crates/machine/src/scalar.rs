//! Functions of scalars as instructions, bit for bit what Rust's operators give.

mod bounds;

use crate::simd::{as_type, repeated};
use crate::{Op, Type};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::{Ieee32, Ieee64};
use cranelift_codegen::ir::{self, InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;

impl Op {
    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self {
            Op::Select | Op::Clip => 3,
            Op::Not
            | Op::Neg
            | Op::Abs
            | Op::Sign
            | Op::Square
            | Op::Sqrt
            | Op::Rsqrt
            | Op::Reciprocal
            | Op::Relu
            | Op::Relu6
            | Op::Floor
            | Op::Ceil
            | Op::Round
            | Op::Cast => 1,
            _ => 2,
        }
    }

    /// Whether it compares two numbers.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual
        )
    }

    pub(crate) fn is_selection(self) -> bool {
        self == Op::Select
    }
}

/// The type of registers that hold values of a type.
pub(crate) fn machine_type(t: Type) -> ir::Type {
    match t {
        Type::Bool | Type::I8 | Type::U8 => types::I8,
        Type::I16 | Type::U16 => types::I16,
        Type::I32 | Type::U32 => types::I32,
        Type::I64 | Type::U64 => types::I64,
        Type::F32 => types::F32,
        Type::F64 => types::F64,
    }
}

/// The value of these bits.
pub(crate) fn constant(b: &mut FunctionBuilder<'_>, t: Type, bits: u64) -> Value {
    match t {
        Type::F32 => b.ins().f32const(Ieee32::with_bits(bits as u32)),
        Type::F64 => b.ins().f64const(Ieee64::with_bits(bits)),
        t => integer(b, machine_type(t), bits as i64),
    }
}

/// An integer of a type: the low bits of `c`, as many as the type has.
fn integer(b: &mut FunctionBuilder<'_>, t: ir::Type, c: i64) -> Value {
    let unused = 64 - t.bits();
    b.ins().iconst(t, ((c as u64) << unused >> unused) as i64)
}

/// An operand, with its bits where it is a constant.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    pub value: Value,
    pub bits: Option<u64>,
}

/// A function of operands of type `on`, which number [`Op::arity`]; the result is of type `to`.
pub(crate) fn compute(
    b: &mut FunctionBuilder<'_>,
    op: Op,
    on: Type,
    to: Type,
    operands: &[Operand],
) -> Value {
    let lanes = operands.last().map_or(types::INVALID, |operand| {
        b.func.dfg.value_type(operand.value)
    });
    let mut s = Scalars { b, on, lanes };
    match operands {
        [x] => s.unary(op, to, x.value),
        [x, y] if on.is_float() => s.floats(op, x.value, y.value),
        [x, y] => s.integers(op, x.value, *y),
        [x, low, high] if op == Op::Clip => s.clipped(x.value, low.value, high.value),
        [c, x, y] => s.b.ins().select(c.value, x.value, y.value),
        _ => unreachable!("functions take one to three operands"),
    }
}

struct Scalars<'a, 'b> {
    b: &'a mut FunctionBuilder<'b>,
    on: Type,
    /// The type of registers that hold the operands: of one number, or of some in lanes.
    lanes: ir::Type,
}

impl Scalars<'_, '_> {
    fn number(&mut self, x: f64) -> Value {
        if self.lanes.is_vector() {
            let bits = match self.on {
                Type::F32 => u64::from((x as f32).to_bits()),
                _ => x.to_bits(),
            };
            return repeated(self.b, self.on, bits);
        }
        match self.on {
            Type::F32 => self.b.ins().f32const(x as f32),
            Type::F64 => self.b.ins().f64const(x),
            t => integer(self.b, machine_type(t), x as i64),
        }
    }

    /// The first where the comparison held, else the second.
    fn choose(&mut self, held: Value, x: Value, y: Value) -> Value {
        if !self.lanes.is_vector() {
            return self.b.ins().select(held, x, y);
        }
        let mask = as_type(self.b, self.lanes, held);
        self.b.ins().bitselect(mask, x, y)
    }

    fn compare(&mut self, float: FloatCC, int: IntCC, x: Value, y: Value) -> Value {
        if self.on.is_float() {
            return self.b.ins().fcmp(float, x, y);
        }
        let int = if self.on.is_signed() {
            int
        } else {
            int.unsigned()
        };
        self.b.ins().icmp(int, x, y)
    }

    fn less(&mut self, x: Value, y: Value) -> Value {
        self.compare(FloatCC::LessThan, IntCC::SignedLessThan, x, y)
    }

    fn greater(&mut self, x: Value, y: Value) -> Value {
        self.compare(FloatCC::GreaterThan, IntCC::SignedGreaterThan, x, y)
    }

    fn comparison(&mut self, op: Op, x: Value, y: Value) -> Option<Value> {
        let (float, int) = match op {
            Op::Less => (FloatCC::LessThan, IntCC::SignedLessThan),
            Op::LessEqual => (FloatCC::LessThanOrEqual, IntCC::SignedLessThanOrEqual),
            Op::Greater => (FloatCC::GreaterThan, IntCC::SignedGreaterThan),
            Op::GreaterEqual => (FloatCC::GreaterThanOrEqual, IntCC::SignedGreaterThanOrEqual),
            Op::Equal => (FloatCC::Equal, IntCC::Equal),
            Op::NotEqual => (FloatCC::NotEqual, IntCC::NotEqual),
            _ => return None,
        };
        Some(self.compare(float, int, x, y))
    }

    fn floats(&mut self, op: Op, x: Value, y: Value) -> Value {
        if let Some(held) = self.comparison(op, x, y) {
            return held;
        }
        match op {
            Op::Add => self.b.ins().fadd(x, y),
            Op::Sub => self.b.ins().fsub(x, y),
            Op::Mul => self.b.ins().fmul(x, y),
            Op::Div => self.b.ins().fdiv(x, y),
            Op::FloorDiv => {
                let quotient = self.b.ins().fdiv(x, y);
                self.b.ins().floor(quotient)
            }
            Op::TruncateDiv => {
                let quotient = self.b.ins().fdiv(x, y);
                self.b.ins().trunc(quotient)
            }
            Op::SquaredDifference => {
                let difference = self.b.ins().fsub(x, y);
                self.b.ins().fmul(difference, difference)
            }
            Op::Maximum => self.extreme(FloatCC::GreaterThanOrEqual, x, y),
            Op::Minimum => self.extreme(FloatCC::LessThanOrEqual, x, y),
            Op::ReluGrad => self.relu_grad(x, y),
            Op::TanhGrad => {
                let square = self.b.ins().fmul(x, x);
                let one = self.number(1.0);
                let slope = self.b.ins().fsub(one, square);
                self.b.ins().fmul(y, slope)
            }
            Op::SigmoidGrad => {
                let product = self.b.ins().fmul(y, x);
                let one = self.number(1.0);
                let rest = self.b.ins().fsub(one, x);
                self.b.ins().fmul(product, rest)
            }
            op => unreachable!("{op:?} is no function of two floats"),
        }
    }

    /// The first operand where the comparison holds or where it is NaN, else the second.
    fn extreme(&mut self, wins: FloatCC, x: Value, y: Value) -> Value {
        let wins = self.b.ins().fcmp(wins, x, y);
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, x, x);
        if self.lanes.is_vector() {
            let first = self.choose(wins, x, y);
            return self.choose(is_nan, x, first);
        }
        let first = self.b.ins().bor(wins, is_nan);
        self.b.ins().select(first, x, y)
    }

    fn relu_grad(&mut self, x: Value, y: Value) -> Value {
        let zero = self.number(0.0);
        let is_positive = self.greater(y, zero);
        self.choose(is_positive, x, zero)
    }

    fn integers(&mut self, op: Op, x: Value, y: Operand) -> Value {
        let Operand { value, bits } = y;
        if let Some(held) = self.comparison(op, x, value) {
            return held;
        }
        match op {
            Op::Add => self.b.ins().iadd(x, value),
            Op::Sub => self.b.ins().isub(x, value),
            Op::Mul => self.b.ins().imul(x, value),
            Op::Div | Op::FloorDiv | Op::FloorMod | Op::TruncateDiv | Op::TruncateMod => {
                self.quotient(op, x, value, bits)
            }
            Op::SquaredDifference => {
                let difference = self.b.ins().isub(x, value);
                self.b.ins().imul(difference, difference)
            }
            Op::Maximum => {
                let wins = self.greater(x, value);
                self.b.ins().select(wins, x, value)
            }
            Op::Minimum => {
                let wins = self.less(x, value);
                self.b.ins().select(wins, x, value)
            }
            Op::And => self.b.ins().band(x, value),
            Op::Or => self.b.ins().bor(x, value),
            Op::Xor => self.b.ins().bxor(x, value),
            Op::ShiftLeft | Op::ShiftRight => self.shifted(op, x, value),
            Op::ReluGrad => self.relu_grad(x, value),
            op => unreachable!("{op:?} is no function of two integers"),
        }
    }

    fn quotient(&mut self, op: Op, x: Value, y: Value, bits: Option<u64>) -> Value {
        if self.on.is_signed()
            && let Some(value) = self.by_power_of_two(op, x, bits)
        {
            return value;
        }
        let t = machine_type(self.on);
        let wide = if t.bits() < 32 { types::I32 } else { t };
        let (x, y) = (self.widened(x, wide), self.widened(y, wide));
        let value = match self.on.is_signed() {
            true => self.signed_quotient(op, wide, x, y, bits),
            false => match op {
                Op::FloorMod | Op::TruncateMod => self.b.ins().urem(x, y),
                _ => self.b.ins().udiv(x, y),
            },
        };
        if wide == t {
            value
        } else {
            self.b.ins().ireduce(t, value)
        }
    }

    fn widened(&mut self, x: Value, wide: ir::Type) -> Value {
        match (machine_type(self.on) == wide, self.on.is_signed()) {
            (true, _) => x,
            (false, true) => self.b.ins().sextend(wide, x),
            (false, false) => self.b.ins().uextend(wide, x),
        }
    }

    /// Rounding down by a power of two is a shift, and what is left are the bits shifted out.
    fn by_power_of_two(&mut self, op: Op, x: Value, bits: Option<u64>) -> Option<Value> {
        let t = machine_type(self.on);
        let sign = 1u64 << (t.bits() - 1);
        let divisor = bits?;
        if !divisor.is_power_of_two() || divisor >= sign {
            return None;
        }
        let constant = |s: &mut Self, c: u64| integer(s.b, t, c as i64);
        match op {
            Op::FloorDiv => {
                let by = constant(self, u64::from(divisor.trailing_zeros()));
                Some(self.b.ins().sshr(x, by))
            }
            Op::FloorMod => {
                let mask = constant(self, divisor - 1);
                Some(self.b.ins().band(x, mask))
            }
            _ => None,
        }
    }

    /// The machine cannot divide the lowest number by -1: by that divisor everything changes its sign and nothing is left.
    fn signed_quotient(
        &mut self,
        op: Op,
        t: ir::Type,
        x: Value,
        y: Value,
        bits: Option<u64>,
    ) -> Value {
        let [zero, one] = [0, 1].map(|c| integer(self.b, t, c));
        let towards_zero = if bits.is_some_and(|bits| !self.is_minus_one(bits)) {
            self.b.ins().sdiv(x, y)
        } else {
            let minus_one = integer(self.b, t, -1);
            let is_minus_one = self.b.ins().icmp(IntCC::Equal, y, minus_one);
            let divisor = self.b.ins().select(is_minus_one, one, y);
            let quotient = self.b.ins().sdiv(x, divisor);
            let negated = self.b.ins().isub(zero, x);
            self.b.ins().select(is_minus_one, negated, quotient)
        };
        if matches!(op, Op::Div | Op::TruncateDiv) {
            return towards_zero;
        }
        let product = self.b.ins().imul(towards_zero, y);
        let left = self.b.ins().isub(x, product);
        if op == Op::TruncateMod {
            return left;
        }
        let signs = self.b.ins().bxor(left, y);
        let differ = self.b.ins().icmp(IntCC::SignedLessThan, signs, zero);
        let is_left = self.b.ins().icmp(IntCC::NotEqual, left, zero);
        let is_above = self.b.ins().band(differ, is_left);
        let (value, correction) = match op {
            Op::FloorDiv => (towards_zero, integer(self.b, t, -1)),
            _ => (left, y),
        };
        let correction = self.b.ins().select(is_above, correction, zero);
        self.b.ins().iadd(value, correction)
    }

    fn is_minus_one(&self, bits: u64) -> bool {
        let unused = 64 - 8 * self.on.bytes();
        bits << unused == u64::MAX << unused
    }

    fn unary(&mut self, op: Op, to: Type, x: Value) -> Value {
        match op {
            Op::Cast => self.cast(to, x),
            Op::Not if self.on != Type::Bool => self.b.ins().bnot(x),
            Op::Not => {
                let one = self.b.ins().iconst(types::I8, 1);
                self.b.ins().bxor(x, one)
            }
            Op::Sign => self.sign(x),
            Op::Relu => {
                let zero = self.number(0.0);
                let is_negative = self.less(x, zero);
                self.choose(is_negative, zero, x)
            }
            Op::Relu6 => {
                let (zero, six) = (self.number(0.0), self.number(6.0));
                self.clipped(x, zero, six)
            }
            op if self.on.is_float() => self.float(op, x),
            Op::Neg => self.b.ins().ineg(x),
            Op::Abs if self.on.is_signed() => {
                let zero = self.number(0.0);
                let is_negative = self.less(x, zero);
                let negated = self.b.ins().ineg(x);
                self.b.ins().select(is_negative, negated, x)
            }
            Op::Abs => x,
            Op::Square => self.b.ins().imul(x, x),
            op => unreachable!("{op:?} is no function of an integer"),
        }
    }

    fn float(&mut self, op: Op, x: Value) -> Value {
        match op {
            Op::Neg => self.b.ins().fneg(x),
            Op::Abs => self.b.ins().fabs(x),
            Op::Square => self.b.ins().fmul(x, x),
            Op::Sqrt => self.b.ins().sqrt(x),
            Op::Rsqrt => {
                let (one, root) = (self.number(1.0), self.b.ins().sqrt(x));
                self.b.ins().fdiv(one, root)
            }
            Op::Reciprocal => {
                let one = self.number(1.0);
                self.b.ins().fdiv(one, x)
            }
            Op::Floor => self.b.ins().floor(x),
            Op::Ceil => self.b.ins().ceil(x),
            Op::Round => self.b.ins().nearest(x),
            op => unreachable!("{op:?} is no function of a float"),
        }
    }

    /// 1 above zero, -1 below it, 0 of both zeros, and NaN of NaN.
    fn sign(&mut self, x: Value) -> Value {
        let [zero, one, minus_one] = [0.0, 1.0, -1.0].map(|c| self.number(c));
        let (above, below) = (self.greater(x, zero), self.less(x, zero));
        let unsigned = match self.on.is_float() {
            true => self.b.ins().fadd(x, zero),
            false => x,
        };
        let rest = self.choose(below, minus_one, unsigned);
        self.choose(above, one, rest)
    }

    fn cast(&mut self, to: Type, x: Value) -> Value {
        match (self.on.is_float(), to.is_float()) {
            (_, false) if to == Type::Bool && self.on != Type::Bool => {
                let zero = self.number(0.0);
                self.compare(FloatCC::NotEqual, IntCC::NotEqual, x, zero)
            }
            (false, false) => self.resized(to, x),
            (false, true) => self.float_of(to, x),
            (true, true) => match (self.on, to) {
                (Type::F32, Type::F64) => self.b.ins().fpromote(types::F64, x),
                (Type::F64, Type::F32) => self.b.ins().fdemote(types::F32, x),
                _ => x,
            },
            (true, false) => self.integer_of(to, x),
        }
    }

    fn resized(&mut self, to: Type, x: Value) -> Value {
        let (from, to) = (machine_type(self.on), machine_type(to));
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Equal => x,
            std::cmp::Ordering::Greater => self.b.ins().ireduce(to, x),
            std::cmp::Ordering::Less => self.widened(x, to),
        }
    }

    fn float_of(&mut self, to: Type, x: Value) -> Value {
        let to = machine_type(to);
        match self.on {
            Type::U64 => self.b.ins().fcvt_from_uint(to, x),
            Type::I32 | Type::I64 => self.b.ins().fcvt_from_sint(to, x),
            Type::U32 => {
                let wide = self.widened(x, types::I64);
                self.b.ins().fcvt_from_sint(to, wide)
            }
            _ => {
                let wide = self.widened(x, types::I32);
                self.b.ins().fcvt_from_sint(to, wide)
            }
        }
    }

    /// What stands before the point, the lowest number of 32 or 64 bits where it does not fit these; then its low bits.
    fn integer_of(&mut self, to: Type, x: Value) -> Value {
        match to {
            Type::U64 => self.u64_of(x),
            Type::U32 | Type::I64 => {
                let wide = self.i64_of(x);
                match to {
                    Type::U32 => self.b.ins().ireduce(types::I32, wide),
                    _ => wide,
                }
            }
            _ => {
                let low = if self.on == Type::F32 {
                    -2_147_483_904.0
                } else {
                    -2_147_483_649.0
                };
                let low = self.number(low);
                let above = self.b.ins().fcmp(FloatCC::GreaterThan, x, low);
                let whole = self.below(types::I32, 2_147_483_648.0, above, i64::from(i32::MIN), x);
                let t = machine_type(to);
                if t == types::I32 {
                    whole
                } else {
                    self.b.ins().ireduce(t, whole)
                }
            }
        }
    }

    fn i64_of(&mut self, x: Value) -> Value {
        let low = self.number(-9_223_372_036_854_775_808.0);
        let above = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, x, low);
        self.below(types::I64, 9_223_372_036_854_775_808.0, above, i64::MIN, x)
    }

    fn u64_of(&mut self, x: Value) -> Value {
        let half = 9_223_372_036_854_775_808.0;
        let (low, high) = (self.number(half), self.number(2.0 * half));
        let above = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, x, low);
        let below = self.b.ins().fcmp(FloatCC::LessThan, x, high);
        let is_upper = self.b.ins().band(above, below);
        let upper = self.b.ins().fcvt_to_uint_sat(types::I64, x);
        let lower = self.i64_of(x);
        self.b.ins().select(is_upper, upper, lower)
    }

    /// What stands before the point of a number that is above a bound, as said, and below another; else `otherwise`.
    fn below(&mut self, t: ir::Type, high: f64, above: Value, otherwise: i64, x: Value) -> Value {
        let high = self.number(high);
        let below = self.b.ins().fcmp(FloatCC::LessThan, x, high);
        let fits = self.b.ins().band(above, below);
        let whole = self.b.ins().fcvt_to_sint_sat(t, x);
        let otherwise = integer(self.b, t, otherwise);
        self.b.ins().select(fits, whole, otherwise)
    }
}
