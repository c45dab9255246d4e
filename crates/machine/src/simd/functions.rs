//! Functions that vector loops spell out, as instructions on vectors of 128 bits: one for each of theirs.

use super::as_type;
use crate::Type;
use crate::vector::spelling::{
    Arg, Fixed, Lowered, Micro, Opcode, code, lowered, relation, rounding,
};
use crate::vector::{Float, Function};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;

pub(super) fn float(t: Type) -> Float {
    match t {
        Type::F32 => Float::F32,
        _ => Float::F64,
    }
}

/// A function of each lane.
pub(super) fn spelled(
    b: &mut FunctionBuilder<'_>,
    function: Function,
    float: Float,
    x: Value,
) -> Value {
    let Ok(lowered) = lowered(function, float) else {
        unreachable!("{function:?} is not spelled out for {float:?}")
    };
    let (numbers, integers) = match float {
        Float::F32 => (types::F32X4, types::I32X4),
        Float::F64 => (types::F64X2, types::I64X2),
    };
    let mut spelling = Spelling {
        b,
        numbers,
        integers,
        lowered: &lowered,
        made: Vec::with_capacity(lowered.micros.len()),
    };
    for micro in &lowered.micros {
        let value = spelling.micro(micro, x);
        spelling.made.push(value);
    }
    // The last instruction writes what was made.
    spelling.made.last().copied().unwrap_or(x)
}

struct Spelling<'a, 'b> {
    b: &'a mut FunctionBuilder<'b>,
    numbers: ir::Type,
    integers: ir::Type,
    lowered: &'a Lowered,
    /// What each instruction made.
    made: Vec<Value>,
}

impl Spelling<'_, '_> {
    fn arg(&mut self, arg: Arg, t: ir::Type) -> Value {
        let value = match arg {
            Arg::Made(at) => self.made[at],
            Arg::Fixed(at) => {
                let Fixed::Bits(bits) = self.lowered.fixed[at] else {
                    unreachable!("a function reads no memory")
                };
                let bytes = [bits.to_le_bytes(); 2].concat();
                let constant = self.b.func.dfg.constants.insert(bytes.into());
                self.b.ins().vconst(self.numbers, constant)
            }
        };
        as_type(self.b, t, value)
    }

    fn micro(&mut self, micro: &Micro, x: Value) -> Value {
        let numbers = self.numbers;
        match *micro {
            Micro::Load(..) => x,
            Micro::One(op, how, a) => self.one(op, how, a),
            Micro::Two(op, how, args) => self.two(op, how, args),
            Micro::MulAdd(_, args) => {
                let [a, b, c] = args.map(|arg| self.arg(arg, numbers));
                self.b.ins().fma(a, b, c)
            }
            Micro::Shift(_, kind, bits, a) => {
                let a = self.arg(a, self.integers);
                let bits = self.b.ins().iconst(types::I32, i64::from(bits));
                match kind {
                    2 => self.b.ins().ushr(a, bits),
                    4 => self.b.ins().sshr(a, bits),
                    _ => self.b.ins().ishl(a, bits),
                }
            }
            Micro::Blend([no, yes], mask) => {
                let [mask, yes, no] = [mask, yes, no].map(|arg| self.arg(arg, numbers));
                self.b.ins().bitselect(mask, yes, no)
            }
            Micro::Store(_, _, a, _) => self.arg(a, numbers),
            Micro::Sum(..) => unreachable!("a function sums nothing"),
        }
    }

    fn one(&mut self, op: Opcode, how: Option<u8>, a: Arg) -> Value {
        match (op.byte, how) {
            (code::SQRT, None) => {
                let a = self.arg(a, self.numbers);
                self.b.ins().sqrt(a)
            }
            (code::FROM_INTEGER, None) => {
                let a = self.arg(a, self.integers);
                self.b.ins().fcvt_from_sint(self.numbers, a)
            }
            (_, Some(direction)) => {
                let a = self.arg(a, self.numbers);
                match direction {
                    rounding::DOWN => self.b.ins().floor(a),
                    rounding::UP => self.b.ins().ceil(a),
                    rounding::TOWARDS_ZERO => self.b.ins().trunc(a),
                    _ => self.b.ins().nearest(a),
                }
            }
            _ => unreachable!("functions have no {op:?}"),
        }
    }

    fn two(&mut self, op: Opcode, how: Option<u8>, args: [Arg; 2]) -> Value {
        match op.byte {
            code::AND | code::AND_NOT | code::OR | code::XOR => {
                let [a, b] = args.map(|arg| self.arg(arg, self.integers));
                match op.byte {
                    code::AND => self.b.ins().band(a, b),
                    code::AND_NOT => self.b.ins().band_not(b, a),
                    code::OR => self.b.ins().bor(a, b),
                    _ => self.b.ins().bxor(a, b),
                }
            }
            0xFE | 0xD4 | 0xFA | 0xFB => {
                let [a, b] = args.map(|arg| self.arg(arg, self.integers));
                match op.byte {
                    0xFE | 0xD4 => self.b.ins().iadd(a, b),
                    _ => self.b.ins().isub(a, b),
                }
            }
            byte => {
                let [a, b] = args.map(|arg| self.arg(arg, self.numbers));
                match byte {
                    code::ADD => self.b.ins().fadd(a, b),
                    code::SUB => self.b.ins().fsub(a, b),
                    code::MUL => self.b.ins().fmul(a, b),
                    code::DIV => self.b.ins().fdiv(a, b),
                    code::MIN => self.extreme(a, b, a, b),
                    code::MAX => self.extreme(b, a, a, b),
                    code::COMPARE => self.b.ins().fcmp(condition(how), a, b),
                    _ => unreachable!("functions have no {op:?}"),
                }
            }
        }
    }

    /// `a` where `less` is below `more`, else `b`.
    fn extreme(&mut self, less: Value, more: Value, a: Value, b: Value) -> Value {
        let mask = self.b.ins().fcmp(FloatCC::LessThan, less, more);
        let mask = as_type(self.b, self.numbers, mask);
        self.b.ins().bitselect(mask, a, b)
    }
}

fn condition(how: Option<u8>) -> FloatCC {
    match how {
        Some(relation::EQUAL) => FloatCC::Equal,
        Some(relation::LESS) => FloatCC::LessThan,
        Some(relation::LESS_EQUAL) => FloatCC::LessThanOrEqual,
        Some(relation::GREATER) => FloatCC::GreaterThan,
        Some(relation::GREATER_EQUAL) => FloatCC::GreaterThanOrEqual,
        Some(relation::NOT_EQUAL) => FloatCC::NotEqual,
        Some(relation::ORDERED) => FloatCC::Ordered,
        Some(relation::UNORDERED) => FloatCC::Unordered,
        Some(relation::NOT_GREATER_EQUAL) => FloatCC::UnorderedOrLessThan,
        Some(relation::NOT_LESS_EQUAL) => FloatCC::UnorderedOrGreaterThan,
        how => unreachable!("no comparison is {how:?}"),
    }
}
