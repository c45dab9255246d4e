//! What happens to one element.

use super::Function;
use crate::Op;

/// The type of all floats of a program; its integers have as many bits.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Float {
    F32,
    F64,
}

impl Float {
    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Float::F32 => 4,
            Float::F64 => 8,
        }
    }
}

/// What an element of an array is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// A number of the program's type.
    Number,
    /// An integer with a sign, of as many bits as a number; it wraps.
    Integer,
    /// A byte that is 0 or 1.
    Truth,
}

/// One instruction. Its value, where it has one, goes by its place in the program.
#[derive(Clone, Debug)]
pub enum Inst {
    /// The element of an array.
    Load {
        /// Which pointer.
        pointer: u32,
        /// What is there.
        element: Element,
    },
    /// What is behind a pointer, the same for all elements; nothing writes it.
    Single {
        /// Which pointer.
        pointer: u32,
        /// What is there.
        element: Element,
    },
    /// The same integer for all elements.
    Constant {
        /// The integer.
        value: i64,
    },
    /// A value as one of another kind: integers as the nearest number, numbers without what stands behind the point, as the
    /// lowest integer where they are beyond these or NaN; what is not zero holds.
    Convert {
        /// What it becomes.
        to: Element,
        /// The value.
        arg: u32,
    },
    /// A function of values before.
    Compute {
        /// The function.
        op: Op,
        /// The operands, as many as it takes.
        args: [u32; 3],
    },
    /// A function of more than a few instructions.
    Apply {
        /// The function.
        function: Function,
        /// The operand.
        arg: u32,
    },
    /// Adds a value to one of [`SUMS`] sums, elements going round them. They begin as zero with each block of [`BLOCK`]
    /// elements, and are written behind those of the block before. There is one such instruction at most.
    Sum {
        /// Which pointer, to where the first of the sums is written.
        pointer: u32,
        /// The value.
        value: u32,
    },
    /// Writes a value to an array.
    Store {
        /// Which pointer.
        pointer: u32,
        /// The value.
        value: u32,
    },
}

/// Numbers that the elements of a block are summed in.
pub const SUMS: usize = 32;

/// Elements that are summed before sums begin anew.
pub const BLOCK: usize = 2048;

/// A program over the elements of arrays of one length.
#[derive(Clone, Debug)]
pub struct Program {
    /// The type of its numbers.
    pub float: Float,
    /// How many pointers it is given.
    pub pointers: u32,
    /// What is done to each element.
    pub insts: Vec<Inst>,
    /// Whether it may write what it reads: then no element is taken twice.
    pub in_place: bool,
}

impl Program {
    /// The program that writes a function of the first array's numbers to the second.
    pub fn of_function(function: Function, float: Float) -> Program {
        let element = Element::Number;
        Program {
            float,
            pointers: 2,
            insts: vec![
                Inst::Load {
                    pointer: 0,
                    element,
                },
                Inst::Apply { function, arg: 0 },
                Inst::Store {
                    pointer: 1,
                    value: 1,
                },
            ],
            in_place: false,
        }
    }
}
