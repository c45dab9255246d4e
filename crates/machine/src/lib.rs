//! Machine code for programs over scalars, and loops of vector instructions over arrays ([`vector`]).
//!
//! **What is here.** A [`Program`] is a small typed representation: variables of machine types, functions of them
//! ([`Op`]), calls of functions of one or two scalars, branches, loops, and places in memory that are read when it is
//! entered and written when it is left. [`Code::compile`] makes machine code of it (by Cranelift), in which variables
//! are registers; [`Code::run`] runs it. What a program cannot say it leaves to its *host*: a function of the caller
//! that an instruction calls by number, with the variables it needs written to their places before, and those it made
//! read after it. Runs of floats are in the lanes of vector registers (`simd`), where functions of more than a few
//! instructions are spelled out as in vector loops; calls that hardly ever happen keep all registers (`aside`).
//!
//! **Who knows whom.** This crate knows Cranelift, and of this workspace the coefficients of functions: no tensors, no
//! graphs, no plans. The compiler of plans (`runtime/src/compile/machine`) writes programs, the executor of plans runs
//! them and is their host. Cranelift's types do not leave this crate.
//!
//! **What holds.** A function of scalars has the bits of the same expression in Rust: integers wrap, comparisons with
//! NaN are false, nothing is fused, reassociated or approximated (`tests/against_kernels.rs` compares them with the
//! kernels); where both operands are NaN, either may be the result. Integer division is defined for all but a divisor of zero, which a program must keep from it. A
//! program writes nothing but the places of its host calls before it is left, so that a run that stops has changed no
//! result. Loops ask their host at intervals whether to go on ([`ASK`]).
//!
//! **What stays out.** Memory that grows; threads. No function
//! is called that could unwind through machine code: a host that panics is caught at the border, and the panic goes on
//! behind it.

mod aside;
mod code;
mod emit;
mod memory;
mod program;
mod scalar;
mod simd;
pub mod vector;

pub use code::{Code, Host};
pub use memory::Refused;
pub use program::{ASK, Arg, Circular, Each, Function, Inst, Op, Place, Program, Type, Var};
