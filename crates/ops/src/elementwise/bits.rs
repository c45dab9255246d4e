//! Logic and bits.

use super::binary::{Binary, BinaryDef};
use super::families::{loops, table};
use super::unary::{Unary, UnaryDef};
use ferrograph_graph::{AlgebraicIdentity, Registry, ScalarCode};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::{Binary as Of, Unary as Of1};

pub use two::EmitLogic;

mod two {
    use super::*;
    table! {
        trait EmitLogic; Binary(x, y): BinaryDef;
        /// Whether both hold.
        LOGICAL_AND: logical_and = BinaryDef::new("LogicalAnd", loops!(Of, k::LogicalAnd, bool)).code(ScalarCode::And).identity(AlgebraicIdentity::Neutral(1.0));
        /// Whether one holds at least.
        LOGICAL_OR: logical_or = BinaryDef::new("LogicalOr", loops!(Of, k::LogicalOr, bool)).code(ScalarCode::Or).identity(AlgebraicIdentity::Neutral(0.0));
        /// The bits that both have.
        BITWISE_AND: bitwise_and = BinaryDef::new("BitwiseAnd", loops!(Of, k::BitAnd, integer)).code(ScalarCode::BitAnd);
        /// The bits that one has at least.
        BITWISE_OR: bitwise_or = BinaryDef::new("BitwiseOr", loops!(Of, k::BitOr, integer)).code(ScalarCode::BitOr);
        /// The bits that only one has.
        BITWISE_XOR: bitwise_xor = BinaryDef::new("BitwiseXor", loops!(Of, k::BitXor, integer)).code(ScalarCode::BitXor);
        /// The bits of `x` shifted up by `y`.
        LEFT_SHIFT: left_shift = BinaryDef::new("LeftShift", loops!(Of, k::ShiftLeft, integer)).code(ScalarCode::ShiftLeft);
        /// The bits of `x` shifted down by `y`; the sign stays.
        RIGHT_SHIFT: right_shift = BinaryDef::new("RightShift", loops!(Of, k::ShiftRight, integer)).code(ScalarCode::ShiftRight);
    }
}

pub use one::EmitBits;

mod one {
    use super::*;
    table! {
        trait EmitBits; Unary(x): UnaryDef;
        /// Whether it does not hold.
        LOGICAL_NOT: logical_not = UnaryDef::new("LogicalNot", loops!(Of1, k::LogicalNot, bool)).code(ScalarCode::Not).identity(AlgebraicIdentity::Involution);
        /// All bits turned over.
        INVERT: invert = UnaryDef::new("Invert", loops!(Of1, k::Invert, integer)).code(ScalarCode::Invert).identity(AlgebraicIdentity::Involution);
    }
}

pub(crate) fn register(r: &mut Registry) {
    two::register(r);
    one::register(r);
}
