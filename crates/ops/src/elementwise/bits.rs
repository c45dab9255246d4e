//! Logic and bits.

use super::binary::{Binary, BinaryDef};
use super::families::{loops, table};
use super::unary::{Unary, UnaryDef};
use ferrograph_graph::Registry;
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::{Binary as Of, Unary as Of1};

mod two {
    use super::*;
    table! { Binary, BinaryDef;
        LOGICAL_AND = BinaryDef::new("LogicalAnd", loops!(Of, k::LogicalAnd, bool));
        LOGICAL_OR = BinaryDef::new("LogicalOr", loops!(Of, k::LogicalOr, bool));
        BITWISE_AND = BinaryDef::new("BitwiseAnd", loops!(Of, k::BitAnd, integer));
        BITWISE_OR = BinaryDef::new("BitwiseOr", loops!(Of, k::BitOr, integer));
        BITWISE_XOR = BinaryDef::new("BitwiseXor", loops!(Of, k::BitXor, integer));
        LEFT_SHIFT = BinaryDef::new("LeftShift", loops!(Of, k::ShiftLeft, integer));
        RIGHT_SHIFT = BinaryDef::new("RightShift", loops!(Of, k::ShiftRight, integer));
    }
}

mod one {
    use super::*;
    table! { Unary, UnaryDef;
        LOGICAL_NOT = UnaryDef::new("LogicalNot", loops!(Of1, k::LogicalNot, bool));
        INVERT = UnaryDef::new("Invert", loops!(Of1, k::Invert, integer));
    }
}

pub(crate) fn register(r: &mut Registry) {
    two::register(r);
    one::register(r);
}
