//! Comparisons of order.

use super::binary::{Binary, BinaryDef};
use super::families::{loops, table};
use ferrograph_graph::ScalarCode;
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::Binary as Of;

table! {
    trait EmitOrder; Binary(x, y): BinaryDef;
    /// Whether `x < y`.
    LESS: less = BinaryDef::new("Less", loops!(Of, k::Less, real)).code(ScalarCode::Less);
    /// Whether `x <= y`.
    LESS_EQUAL: less_equal = BinaryDef::new("LessEqual", loops!(Of, k::LessEqual, real)).code(ScalarCode::LessEqual);
    /// Whether `x > y`.
    GREATER: greater = BinaryDef::new("Greater", loops!(Of, k::Greater, real)).code(ScalarCode::Greater);
    /// Whether `x >= y`.
    GREATER_EQUAL: greater_equal = BinaryDef::new("GreaterEqual", loops!(Of, k::GreaterEqual, real)).code(ScalarCode::GreaterEqual);
}
