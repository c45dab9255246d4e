//! Loops of vector instructions over arrays: elementwise programs of one float type, with integers of as many bits.
//!
//! **What is here.** A [`Program`] says what happens to one element: what is read from arrays, functions of that
//! ([`Op`](crate::Op)), and what is written. [`Loop::compile`] makes one loop of it that takes several elements at a
//! time, by an encoder of its own for x86-64 with AVX2 and FMA, or with AVX-512, in microseconds: `lower` spells operations out as
//! instructions, `functions` those that are polynomials and more, `integers` those of integers, `registers` gives values registers, `loops` writes the loops around them,
//! `assembler` knows the bytes, `wide` what is different about vectors of 512 bits: comparisons make masks of bits, and
//! bools in memory are left to narrow ones. Other machines refuse.
//!
//! **What holds.** Results have the bits of the same expression in Rust for each element; where both operands are NaN,
//! either may be the result. Functions ([`Function`]) have the bits of the kernels, by their coefficients. For each element all happens in the program's order, and nothing is read or written beyond
//! the elements that the caller names.

mod assembler;
mod functions;
mod integers;
mod loops;
mod lower;
mod program;
mod registers;
mod run;
mod wide;

pub use functions::Function;
pub use program::{BLOCK, Element, Float, Inst, Program, SUMS};
pub use run::{Loop, Width};

/// How functions are spelled out, for others that have instructions like those of vector loops.
pub(crate) mod spelling {
    pub(crate) use super::assembler::Opcode;
    pub(crate) use super::lower::{Arg, Fixed, Lowered, Micro, code, relation, rounding};
    use super::{Float, Function, Program};
    use crate::memory::Refused;

    /// The instructions of a function, around which its operand is loaded and its result stored.
    pub fn lowered(function: Function, float: Float) -> Result<Lowered, Refused> {
        super::lower::lower(&Program::of_function(function, float))
    }
}
