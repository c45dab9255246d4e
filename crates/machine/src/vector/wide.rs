//! What instructions are on vectors of 512 bits.

use super::assembler::{Opcode, Prefix, Table};
use super::lower::Micro;
use super::{Element, Float};

/// How an instruction goes there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Form {
    /// The bit that tells it from the one on elements of half the size.
    pub double: bool,
    /// Whether it makes a mask of bits instead of a vector.
    pub is_mask: bool,
}

/// The form of an instruction; none for those that there are not, or that cross the halves of a narrow vector.
pub(super) fn form(op: Opcode) -> Option<Form> {
    use {Prefix as P, Table as T};
    let (double, is_mask) = match (op.prefix, op.table, op.byte) {
        (P::None | P::P66, T::M0F, 0x51 | 0x54..=0x59 | 0x5C..=0x5F) => {
            (op.prefix == P::P66, false)
        }
        (P::None | P::P66, T::M0F, 0xC2) => (op.prefix == P::P66, true),
        (P::None, T::M0F, 0x10 | 0x11 | 0x28 | 0x5B) | (P::P3, T::M0F, 0x5B) => (false, false),
        (P::P66, T::M0F, 0xFE | 0xFA | 0x72) => (false, false),
        (P::P66, T::M0F, 0xD4 | 0xFB | 0xF4 | 0x73) => (true, false),
        (P::P66, T::M0F, 0x66 | 0x76) => (false, true),
        (P::P66, T::M0F38, 0x29 | 0x37) => (true, true),
        (P::P66, T::M0F38, 0x1E | 0x39 | 0x3D | 0x40) => (false, false),
        (P::P66, T::M0F38, 0x46 | 0x47 | 0x98 | 0xA8 | 0xB8) => (op.double, false),
        (P::P66, T::M0F3A, 0x08) => (false, false),
        (P::P66, T::M0F3A, 0x09) => (true, false),
        _ => return None,
    };
    Some(Form { double, is_mask })
}

/// Whether all of these can be written for wide vectors: bools in memory cannot.
pub(super) fn all(micros: &[Micro]) -> bool {
    micros.iter().all(|micro| match *micro {
        Micro::One(op, ..) | Micro::Two(op, ..) | Micro::Shift(op, ..) => form(op).is_some(),
        Micro::Load(_, element, _) | Micro::Store(_, element, ..) => element != Element::Truth,
        Micro::MulAdd(..) | Micro::Blend(..) | Micro::Sum(..) => true,
    })
}

/// All bits of the lanes whose bit in a mask is set.
pub(super) fn spread(float: Float) -> Opcode {
    of_lanes(0x38, float)
}

/// The highest bit of each lane, as a mask.
pub(super) fn gathered(float: Float) -> Opcode {
    of_lanes(0x39, float)
}

fn of_lanes(byte: u8, float: Float) -> Opcode {
    let op = Opcode::new(Prefix::P3, Table::M0F38, byte);
    if float == Float::F64 { op.double() } else { op }
}

/// The second operand where a mask says so, else the first.
pub(super) fn blend(float: Float) -> Opcode {
    let op = Opcode::new(Prefix::P66, Table::M0F38, 0x65);
    if float == Float::F64 { op.double() } else { op }
}
