//! Functions spelled out as vector instructions.

use super::assembler::{Opcode, Prefix, Table};
use super::{Element, Float, Inst, Program};
use crate::Op;
use crate::memory::Refused;

/// What a vector of a frame holds, the same in each lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fixed {
    /// These bits, again and again.
    Bits(u64),
    /// What is behind a pointer; a truth as a mask.
    Single(u32, Element),
}

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arg {
    /// That vector of the frame.
    Fixed(usize),
    /// What that instruction made.
    Made(usize),
}

/// One vector instruction. Truths are masks: all bits of a lane, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Micro {
    /// The next numbers of an array, by which of the vectors that are taken together; bools come as integers 0 and 1.
    Load(u32, Element, u8),
    /// An instruction of one operand, with a byte that says which one, where it has that.
    One(Opcode, Option<u8>, Arg),
    /// An instruction of two operands, with a byte as above.
    Two(Opcode, Option<u8>, [Arg; 2]),
    /// The product of the first two and the third, rounded once; whether of double numbers.
    MulAdd(bool, [Arg; 3]),
    /// An operand shifted by so many bits, with the kind of shift.
    Shift(Opcode, u8, u8, Arg),
    /// The second where the mask holds, else the first.
    Blend([Arg; 2], Arg),
    /// Adds to the sums by that instruction, for one of the vectors that are taken together.
    Sum(Opcode, Arg, u8),
    /// Writes numbers to an array, or masks as bools; which ones as above.
    Store(u32, Element, Arg, u8),
}

impl Micro {
    /// The operands.
    pub fn args(&self) -> impl Iterator<Item = Arg> + use<> {
        let args = match *self {
            Micro::Load(..) => [None; 3],
            Micro::One(_, _, a)
            | Micro::Shift(_, _, _, a)
            | Micro::Store(_, _, a, _)
            | Micro::Sum(_, a, _) => [Some(a), None, None],
            Micro::MulAdd(_, [a, b, c]) => [Some(a), Some(b), Some(c)],
            Micro::Two(_, _, [a, b]) => [Some(a), Some(b), None],
            Micro::Blend([a, b], mask) => [Some(a), Some(b), Some(mask)],
        };
        args.into_iter().flatten()
    }

    /// The same for another vector, whose values have other numbers.
    fn of_vector(self, vector: u8, number: impl Fn(usize) -> usize) -> Micro {
        let arg = |arg: Arg| match arg {
            Arg::Fixed(at) => Arg::Fixed(at),
            Arg::Made(at) => Arg::Made(number(at)),
        };
        match self {
            Micro::Load(pointer, element, _) => Micro::Load(pointer, element, vector),
            Micro::One(op, byte, a) => Micro::One(op, byte, arg(a)),
            Micro::Two(op, byte, args) => Micro::Two(op, byte, args.map(arg)),
            Micro::MulAdd(double, args) => Micro::MulAdd(double, args.map(arg)),
            Micro::Shift(op, kind, bits, a) => Micro::Shift(op, kind, bits, arg(a)),
            Micro::Blend(args, mask) => Micro::Blend(args.map(arg), arg(mask)),
            Micro::Sum(op, a, _) => Micro::Sum(op, arg(a), vector),
            Micro::Store(pointer, element, a, _) => Micro::Store(pointer, element, arg(a), vector),
        }
    }
}

/// Instructions for one vector made those for some, interleaved.
pub(super) fn interleaved(micros: &[Micro], vectors: usize) -> Vec<Micro> {
    let each = micros.iter().flat_map(|micro| {
        (0..vectors).map(move |vector| micro.of_vector(vector as u8, |at| at * vectors + vector))
    });
    each.collect()
}

/// A byte of 1 for each truth that is stored: the frame of a loop that stores some holds it.
pub(super) const ONES: u64 = u64::from_ne_bytes([1; 8]);

/// What comparisons are asked; those with NaN fail but for the last two.
pub(crate) mod relation {
    pub const EQUAL: u8 = 0x00;
    pub const LESS: u8 = 0x11;
    pub const LESS_EQUAL: u8 = 0x12;
    pub const GREATER_EQUAL: u8 = 0x1D;
    pub const GREATER: u8 = 0x1E;
    pub const ORDERED: u8 = 0x07;
    pub const UNORDERED: u8 = 0x03;
    pub const NOT_EQUAL: u8 = 0x04;
    pub const NOT_GREATER_EQUAL: u8 = 0x19;
    pub const NOT_LESS_EQUAL: u8 = 0x16;
}

/// Directions of rounding, which report no inexact results.
pub(crate) mod rounding {
    pub const NEAREST: u8 = 8;
    pub const DOWN: u8 = 9;
    pub const UP: u8 = 10;
    pub const TOWARDS_ZERO: u8 = 11;
}

/// Bytes of instructions of the table 0F, without the prefix for single numbers and with it for double ones.
pub(crate) mod code {
    pub const SQRT: u8 = 0x51;
    /// Of single numbers, those that integers of 32 bits are.
    pub const FROM_INTEGER: u8 = 0x5B;
    pub const AND: u8 = 0x54;
    pub const AND_NOT: u8 = 0x55;
    pub const OR: u8 = 0x56;
    pub const XOR: u8 = 0x57;
    pub const ADD: u8 = 0x58;
    pub const MUL: u8 = 0x59;
    pub const SUB: u8 = 0x5C;
    pub const MIN: u8 = 0x5D;
    pub const DIV: u8 = 0x5E;
    pub const MAX: u8 = 0x5F;
    pub const COMPARE: u8 = 0xC2;
}

/// A program as vector instructions.
pub(crate) struct Lowered {
    pub float: Float,
    pub micros: Vec<Micro>,
    pub fixed: Vec<Fixed>,
    /// What each instruction of the program made.
    pub elements: Vec<Option<Element>>,
    /// The pointer to the sums, where there are some.
    pub sums: Option<u32>,
}

/// Spells a program out.
pub(super) fn lower(program: &Program) -> Result<Lowered, Refused> {
    let mut lowering = Lowering {
        out: Lowered {
            float: program.float,
            micros: Vec::new(),
            fixed: Vec::new(),
            elements: Vec::new(),
            sums: None,
        },
        float: program.float,
        values: Vec::with_capacity(program.insts.len()),
    };
    for inst in &program.insts {
        lowering.inst(inst)?;
    }
    let elements = lowering
        .values
        .iter()
        .map(|made| made.map(|(_, element)| element));
    lowering.out.elements = elements.collect();
    Ok(lowering.out)
}

pub(super) struct Lowering {
    out: Lowered,
    /// The type of the numbers that instructions are about.
    pub float: Float,
    /// What each instruction of the program made.
    values: Vec<Option<(Arg, Element)>>,
}

impl Lowering {
    fn inst(&mut self, inst: &Inst) -> Result<(), Refused> {
        let made = match *inst {
            Inst::Load { pointer, element } => {
                let loaded = self.push(Micro::Load(pointer, element, 0));
                let value = match element {
                    Element::Number | Element::Integer => loaded,
                    Element::Truth => self.negated_integer(loaded),
                };
                Some((value, element))
            }
            Inst::Single { pointer, element } => {
                Some((self.fixed(Fixed::Single(pointer, element)), element))
            }
            Inst::Constant { value } => Some((self.bits(value.cast_unsigned()), Element::Integer)),
            Inst::Convert { to, arg } => {
                let arg = self.value(arg)?;
                Some((self.converted(arg, to)?, to))
            }
            Inst::Compute { op, args } => {
                let taken = args[..op.arity()].iter().map(|&arg| self.value(arg));
                let taken = taken.collect::<Result<Vec<_>, _>>()?;
                Some(self.compute(op, &taken)?)
            }
            Inst::Apply { function, arg } => {
                let (arg, element) = self.value(arg)?;
                if element != Element::Number {
                    return Err(Refused(format!("{function:?} of these is no vector code")));
                }
                Some((function.spelled(self, arg)?, Element::Number))
            }
            Inst::Sum { pointer, value } => {
                let (arg, element) = self.value(value)?;
                if element != Element::Number || self.out.sums.is_some() {
                    return Err(Refused("sums are of one number an element".to_owned()));
                }
                self.out.sums = Some(pointer);
                self.push(Micro::Sum(self.of_float(code::ADD), arg, 0));
                None
            }
            Inst::Store { pointer, value } => {
                let (arg, element) = self.value(value)?;
                if element == Element::Truth {
                    self.bits(ONES);
                }
                self.push(Micro::Store(pointer, element, arg, 0));
                None
            }
        };
        self.values.push(made);
        Ok(())
    }

    fn value(&self, of: u32) -> Result<(Arg, Element), Refused> {
        let made = self.values.get(of as usize).copied().flatten();
        made.ok_or_else(|| Refused("an instruction reads what none made".to_owned()))
    }

    pub fn push(&mut self, micro: Micro) -> Arg {
        self.out.micros.push(micro);
        Arg::Made(self.out.micros.len() - 1)
    }

    fn fixed(&mut self, fixed: Fixed) -> Arg {
        let known = self.out.fixed.iter().position(|&f| f == fixed);
        Arg::Fixed(known.unwrap_or_else(|| {
            self.out.fixed.push(fixed);
            self.out.fixed.len() - 1
        }))
    }

    pub fn fixed_at(&self, at: usize) -> Fixed {
        self.out.fixed[at]
    }

    pub fn bits(&mut self, bits: u64) -> Arg {
        self.fixed(Fixed::Bits(match self.float {
            Float::F32 => bits & u64::from(u32::MAX) | bits << 32,
            Float::F64 => bits,
        }))
    }

    pub fn number(&mut self, x: f64) -> Arg {
        self.bits(match self.float {
            Float::F32 => u64::from((x as f32).to_bits()),
            Float::F64 => x.to_bits(),
        })
    }

    pub fn sign(&mut self) -> Arg {
        self.bits(match self.float {
            Float::F32 => 1 << 31,
            Float::F64 => 1 << 63,
        })
    }

    /// An instruction that there is for both types.
    fn of_float(&self, byte: u8) -> Opcode {
        let prefix = match self.float {
            Float::F32 => Prefix::None,
            Float::F64 => Prefix::P66,
        };
        Opcode::new(prefix, Table::M0F, byte)
    }

    pub fn two(&mut self, byte: u8, a: Arg, b: Arg) -> Arg {
        self.push(Micro::Two(self.of_float(byte), None, [a, b]))
    }

    pub fn sqrt(&mut self, x: Arg) -> Arg {
        self.push(Micro::One(self.of_float(code::SQRT), None, x))
    }

    fn rounded(&mut self, x: Arg, direction: u8) -> Arg {
        let byte = match self.float {
            Float::F32 => 0x08,
            Float::F64 => 0x09,
        };
        let op = Opcode::new(Prefix::P66, Table::M0F3A, byte);
        self.push(Micro::One(op, Some(direction), x))
    }

    /// `a * b + c`, rounded once.
    pub fn mul_add(&mut self, a: Arg, b: Arg, c: Arg) -> Arg {
        self.push(Micro::MulAdd(self.float == Float::F64, [a, b, c]))
    }

    pub fn compare(&mut self, relation: u8, a: Arg, b: Arg) -> Arg {
        let op = self.of_float(code::COMPARE);
        self.push(Micro::Two(op, Some(relation), [a, b]))
    }

    pub fn blend(&mut self, mask: Arg, yes: Arg, no: Arg) -> Arg {
        self.push(Micro::Blend([no, yes], mask))
    }

    /// The nearest of two bounds where a number is outside; NaN stays.
    fn clipped(&mut self, x: Arg, low: Arg, high: Arg) -> Arg {
        let above = self.compare(relation::GREATER, x, high);
        let y = self.blend(above, high, x);
        let below = self.compare(relation::LESS, x, low);
        self.blend(below, low, y)
    }

    /// A value as one of another kind.
    fn converted(&mut self, (x, from): (Arg, Element), to: Element) -> Result<Arg, Refused> {
        Ok(match (from, to) {
            (from, to) if from == to => x,
            (Element::Truth, Element::Number) => {
                let one = self.number(1.0);
                self.two(code::AND, x, one)
            }
            (Element::Number, Element::Truth) => {
                let zero = self.number(0.0);
                self.compare(relation::NOT_EQUAL, x, zero)
            }
            (from, to) => self.integers_converted(x, from, to)?,
        })
    }

    /// Integers with the other sign: masks of 1 and 0.
    pub fn negated_integer(&mut self, x: Arg) -> Arg {
        let zero = self.bits(0);
        let byte = match self.float {
            Float::F32 => 0xFA,
            Float::F64 => 0xFB,
        };
        let op = Opcode::new(Prefix::P66, Table::M0F, byte);
        self.push(Micro::Two(op, None, [zero, x]))
    }

    fn compute(&mut self, op: Op, args: &[(Arg, Element)]) -> Result<(Arg, Element), Refused> {
        let (a, element) = args[0];
        let b = args.get(1).map_or(a, |&(b, _)| b);
        if let Op::Select = op {
            let (yes, no) = (args[1], args[2]);
            if element != Element::Truth || yes.1 != no.1 {
                return Err(unknown(op));
            }
            return Ok((self.blend(a, yes.0, no.0), yes.1));
        }
        if args.iter().any(|arg| arg.1 != element) {
            return Err(unknown(op));
        }
        match element {
            Element::Truth => self.logic(op, a, b),
            Element::Integer => self.of_integers(op, args),
            Element::Number => match comparison(op) {
                Some(relation) => Ok((self.compare(relation, a, b), Element::Truth)),
                None if op == Op::Cast => {
                    Ok((self.converted(args[0], Element::Truth)?, Element::Truth))
                }
                None if op == Op::Clip => Ok((self.clipped(a, b, args[2].0), Element::Number)),
                None => Ok((self.arithmetic(op, a, b)?, Element::Number)),
            },
        }
    }

    fn logic(&mut self, op: Op, a: Arg, b: Arg) -> Result<(Arg, Element), Refused> {
        let value = match op {
            Op::And => self.two(code::AND, a, b),
            Op::Or => self.two(code::OR, a, b),
            Op::Xor | Op::NotEqual => self.two(code::XOR, a, b),
            Op::Not => self.not(a),
            Op::Equal => {
                let differ = self.two(code::XOR, a, b);
                self.not(differ)
            }
            Op::Cast => {
                let number = self.converted((a, Element::Truth), Element::Number)?;
                return Ok((number, Element::Number));
            }
            _ => return Err(unknown(op)),
        };
        Ok((value, Element::Truth))
    }

    pub fn not(&mut self, mask: Arg) -> Arg {
        let all = self.bits(u64::MAX);
        self.two(code::XOR, mask, all)
    }

    fn arithmetic(&mut self, op: Op, a: Arg, b: Arg) -> Result<Arg, Refused> {
        Ok(match op {
            Op::Add => self.two(code::ADD, a, b),
            Op::Sub => self.two(code::SUB, a, b),
            Op::Mul => self.two(code::MUL, a, b),
            Op::Div => self.two(code::DIV, a, b),
            Op::FloorDiv | Op::TruncateDiv => {
                let quotient = self.two(code::DIV, a, b);
                let direction = match op {
                    Op::FloorDiv => rounding::DOWN,
                    _ => rounding::TOWARDS_ZERO,
                };
                self.rounded(quotient, direction)
            }
            Op::SquaredDifference => {
                let difference = self.two(code::SUB, a, b);
                self.two(code::MUL, difference, difference)
            }
            Op::Maximum => self.extremum(relation::NOT_GREATER_EQUAL, a, b),
            Op::Minimum => self.extremum(relation::NOT_LESS_EQUAL, a, b),
            Op::ReluGrad => {
                let zero = self.number(0.0);
                let mask = self.compare(relation::GREATER, b, zero);
                self.two(code::AND, mask, a)
            }
            Op::TanhGrad => {
                let square = self.two(code::MUL, a, a);
                let rest = self.one_minus(square);
                self.two(code::MUL, b, rest)
            }
            Op::SigmoidGrad => {
                let product = self.two(code::MUL, b, a);
                let rest = self.one_minus(a);
                self.two(code::MUL, product, rest)
            }
            _ => return self.unary(op, a),
        })
    }

    fn unary(&mut self, op: Op, x: Arg) -> Result<Arg, Refused> {
        Ok(match op {
            Op::Neg => {
                let sign = self.sign();
                self.two(code::XOR, x, sign)
            }
            Op::Abs => {
                let sign = self.sign();
                self.two(code::AND_NOT, sign, x)
            }
            Op::Sign => self.sign_of(x),
            Op::Square => self.two(code::MUL, x, x),
            Op::Sqrt => self.sqrt(x),
            Op::Rsqrt => {
                let root = self.sqrt(x);
                self.reciprocal(root)
            }
            Op::Reciprocal => self.reciprocal(x),
            Op::Relu => {
                let zero = self.number(0.0);
                let below = self.compare(relation::LESS, x, zero);
                self.two(code::AND_NOT, below, x)
            }
            Op::Relu6 => {
                let (zero, six) = (self.number(0.0), self.number(6.0));
                self.clipped(x, zero, six)
            }
            Op::Floor => self.rounded(x, rounding::DOWN),
            Op::Ceil => self.rounded(x, rounding::UP),
            Op::Round => self.rounded(x, rounding::NEAREST),
            _ => return Err(unknown(op)),
        })
    }

    /// The first unless the relation holds, and where it is NaN.
    fn extremum(&mut self, relation: u8, a: Arg, b: Arg) -> Arg {
        let other = self.compare(relation, a, b);
        let is_number = self.compare(relation::ORDERED, a, a);
        let mask = self.two(code::AND, other, is_number);
        self.blend(mask, b, a)
    }

    fn sign_of(&mut self, x: Arg) -> Arg {
        let (zero, one, minus) = (self.number(0.0), self.number(1.0), self.number(-1.0));
        let below = self.compare(relation::LESS, x, zero);
        let above = self.compare(relation::GREATER, x, zero);
        // -0.0 becomes 0.0.
        let unsigned = self.two(code::ADD, x, zero);
        let rest = self.blend(below, minus, unsigned);
        self.blend(above, one, rest)
    }

    fn reciprocal(&mut self, x: Arg) -> Arg {
        let one = self.number(1.0);
        self.two(code::DIV, one, x)
    }

    fn one_minus(&mut self, x: Arg) -> Arg {
        let one = self.number(1.0);
        self.two(code::SUB, one, x)
    }
}

fn comparison(op: Op) -> Option<u8> {
    Some(match op {
        Op::Less => relation::LESS,
        Op::LessEqual => relation::LESS_EQUAL,
        Op::Greater => relation::GREATER,
        Op::GreaterEqual => relation::GREATER_EQUAL,
        Op::Equal => relation::EQUAL,
        Op::NotEqual => relation::NOT_EQUAL,
        _ => return None,
    })
}

pub(super) fn unknown(op: Op) -> Refused {
    Refused(format!("{op:?} of these is no vector code"))
}
