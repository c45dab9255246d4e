//! What is compiled: typed variables and instructions on them.

use crate::vector;

/// The type of a variable: the machine type, and how it is compared, divided and converted.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// A byte that is 0 or 1.
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl Type {
    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// Whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    /// How many bytes a value takes in memory.
    pub fn bytes(self) -> u32 {
        match self {
            Type::Bool | Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }
}

/// A variable of a program, by its place among them.
pub type Var = u32;

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A variable.
    Var(Var),
    /// A constant, by its bits.
    Bits(u64),
}

/// Where a value is in memory: so many bytes behind the pointer of that number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Which pointer.
    pub pointer: u32,
    /// Bytes behind it.
    pub offset: u32,
}

/// Functions of scalars.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    /// Of floats the quotient, of integers what is left of it towards zero; no integer divisor is zero.
    Div,
    /// Rounded down; no integer divisor is zero.
    FloorDiv,
    /// Of integers what [`Op::FloorDiv`] leaves; the divisor is not zero.
    FloorMod,
    /// Rounded towards zero; no integer divisor is zero.
    TruncateDiv,
    /// Of integers what [`Op::TruncateDiv`] leaves; the divisor is not zero.
    TruncateMod,
    Maximum,
    Minimum,
    SquaredDifference,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    /// Of bools whether both hold, of integers the bits that both have.
    And,
    /// Of bools whether one holds, of integers the bits that one has.
    Or,
    Xor,
    Not,
    /// The bits of an integer moved up; not by less than none, and by all but one at most.
    ShiftLeft,
    /// The bits of an integer moved down, by as many as above; the sign stays.
    ShiftRight,
    Neg,
    Abs,
    Sign,
    Square,
    Sqrt,
    Rsqrt,
    Reciprocal,
    Relu,
    /// Moved to the nearest of 0 and 6 where it is outside; NaN stays.
    Relu6,
    Floor,
    Ceil,
    /// To the nearest integer, halves to even.
    Round,
    ReluGrad,
    TanhGrad,
    SigmoidGrad,
    /// The first moved to the nearest of two bounds where it is outside, the lower one first; NaN stays.
    Clip,
    /// The second where the first, a bool, holds, else the third.
    Select,
    /// To the type of the result.
    Cast,
}

/// A function of the program around this crate, which neither unwinds nor keeps anything.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub enum Function {
    F32(extern "C" fn(f32) -> f32),
    F64(extern "C" fn(f64) -> f64),
    F32x2(extern "C" fn(f32, f32) -> f32),
    F64x2(extern "C" fn(f64, f64) -> f64),
}

/// What is done to each of some elements.
#[derive(Clone, Copy, Debug)]
pub enum Each {
    /// A function of floats whose result is of their type, a comparison of them, a selection of them, or bools as floats.
    Op(Op),
    /// A function of one float that is spelled out, where [`Each::is_spelled`] says so.
    Apply(vector::Function),
    /// The sine, or the cosine, of single numbers, and the function for those that are far from zero.
    Circular(Circular, extern "C" fn(f32) -> f32),
}

/// Functions of angles.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Circular {
    Sin,
    Cos,
}

impl Each {
    /// Whether functions of more than a few instructions are spelled out on this machine, with the bits of the kernels.
    pub fn is_spelled() -> bool {
        vector::Loop::is_supported()
    }
}

/// One instruction.
#[derive(Clone, Debug)]
pub enum Inst {
    /// A function of operands of type `on`, as many as it takes; of a selection, the type of what is chosen from.
    Compute {
        /// The function.
        op: Op,
        /// The type of the operands.
        on: Type,
        /// What is set.
        to: Var,
        /// The operands; those that the function does not take are not looked at.
        args: [Arg; 3],
    },
    /// Sets a variable.
    Copy {
        /// What is set.
        to: Var,
        /// A value of the same type.
        from: Arg,
    },
    /// Sets variables that follow one another.
    Copies {
        /// The first.
        to: Var,
        /// Values of the same type, all read before.
        from: Vec<Arg>,
    },
    /// A function of floats of type `on` for each of some elements, in vectors.
    Each {
        /// The function.
        function: Each,
        /// The type of the floats.
        on: Type,
        /// The variable that the first result sets; the others follow it.
        to: Var,
        /// The operands of each element, as those of [`Inst::Compute`].
        args: Vec<[Arg; 3]>,
    },
    /// Calls a function of one or two floats.
    Call {
        /// The function.
        function: Function,
        /// What is set.
        to: Var,
        /// The operands.
        args: [Arg; 2],
    },
    /// Calls the host.
    Host {
        /// What it is to do.
        number: u32,
        /// What is written to memory before.
        stores: Vec<(Arg, Type, Place)>,
        /// What is read from memory after.
        loads: Vec<(Place, Var)>,
    },
    /// Reads elements of memory, so many behind a place that is counted in elements.
    Read {
        /// What is written to memory before.
        stores: Vec<(Arg, Type, Place)>,
        /// Which pointer.
        pointer: u32,
        /// An [`Type::I64`]: the place, such that all elements read are in the memory.
        at: Arg,
        /// Elements behind the place, and what they set.
        loads: Vec<(u32, Var)>,
    },
    /// One of two sequences.
    If {
        /// A bool.
        condition: Arg,
        /// Runs where it holds.
        then_side: Vec<Inst>,
        /// Runs where it does not.
        else_side: Vec<Inst>,
    },
    /// Again and again.
    Loop {
        /// Runs before each look at the condition.
        head: Vec<Inst>,
        /// A bool: whether to go on.
        condition: Arg,
        /// Runs where it holds.
        body: Vec<Inst>,
    },
}

/// The number with which a loop asks its host whether to go on.
pub const ASK: u32 = u32::MAX;

/// Variables, what they are set to when the program is entered, what it does, and what it leaves in memory.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The type of each variable.
    pub vars: Vec<Type>,
    /// Runs of variables of one float type that vector registers hold together, by their first ones and lengths.
    pub runs: Vec<(Var, u32)>,
    /// What is read from memory first.
    pub loads: Vec<(Place, Var)>,
    /// What is done.
    pub body: Vec<Inst>,
    /// What is written to memory last.
    pub stores: Vec<(Arg, Type, Place)>,
}

/// How many instructions there are, those of branches and loops included.
pub(crate) fn count(insts: &[Inst]) -> usize {
    let inner = |inst: &Inst| match inst {
        Inst::If {
            then_side,
            else_side,
            ..
        } => 1 + count(then_side) + count(else_side),
        Inst::Loop { head, body, .. } => 1 + count(head) + count(body),
        _ => 1,
    };
    insts.iter().map(inner).sum()
}
