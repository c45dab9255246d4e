//! The bytes of the instructions of x86-64 that loops are made of.

use super::Width;
use super::wide;

/// A vector register: of 256 bits one of 16, of 512 bits one of 32.
pub(super) type Vector = u8;

/// A general register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct General(pub u8);

impl General {
    pub const RAX: General = General(0);
    pub const RCX: General = General(1);
    pub const RDX: General = General(2);
    pub const RBX: General = General(3);
    pub const RBP: General = General(5);
    pub const RSI: General = General(6);
    pub const RDI: General = General(7);
    pub const R8: General = General(8);
    pub const R9: General = General(9);
    pub const R10: General = General(10);
    pub const R11: General = General(11);
    pub const R12: General = General(12);
    pub const R13: General = General(13);
    pub const R14: General = General(14);
    pub const R15: General = General(15);
}

/// A place in memory: so many bytes behind a register, and behind so many times `rax`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub base: General,
    /// Bytes for each count of `rax`, a power of two to 8; 0 leaves it out.
    pub scale: u8,
    pub offset: i32,
}

/// The last operand of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Register(Vector),
    Memory(Place),
}

/// The prefix of an instruction, as its encoding counts them.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    None = 0,
    P66 = 1,
    P3 = 2,
}

/// The table that an instruction is looked up in.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Table {
    M0F = 1,
    M0F38 = 2,
    M0F3A = 3,
}

/// A vector instruction but for its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opcode {
    pub prefix: Prefix,
    pub table: Table,
    pub byte: u8,
    /// Whether it works on 256 bits, or on the lower 128.
    pub wide: bool,
    /// Whether it is the one of two that works on double numbers, where nothing else says that.
    pub double: bool,
}

impl Opcode {
    pub const fn new(prefix: Prefix, table: Table, byte: u8) -> Opcode {
        Opcode {
            prefix,
            table,
            byte,
            wide: true,
            double: false,
        }
    }

    /// The same instruction on 128 bits.
    pub const fn narrow(self) -> Opcode {
        Opcode {
            wide: false,
            ..self
        }
    }

    /// The same instruction on double numbers.
    pub const fn double(self) -> Opcode {
        Opcode {
            double: true,
            ..self
        }
    }
}

/// Machine code that is being written.
pub(super) struct Assembler {
    pub code: Vec<u8>,
    pub width: Width,
}

/// The mask register that a wide instruction obeys, or that it makes.
pub(super) const MASK: u8 = 1;

impl Assembler {
    pub fn new(width: Width) -> Assembler {
        Assembler {
            code: Vec::new(),
            width,
        }
    }

    /// A vector instruction: its result (or what it stores), its first operand, its last one.
    pub fn vector(&mut self, op: Opcode, to: Vector, first: Vector, last: Source) {
        if self.width == Width::Wide {
            let double = wide::form(op).map_or(op.double, |form| form.double);
            return self.wide(op, double, 0, to, first, last);
        }
        let (base, index) = match last {
            Source::Register(r) => (r, 0),
            Source::Memory(place) => (place.base.0, General::RAX.0),
        };
        let inverted = |high: u8, bit: u8| ((high >> 3) ^ 1) << bit;
        let second = inverted(to, 7) | inverted(index, 6) | inverted(base, 5) | op.table as u8;
        let double = u8::from(op.double) << 7;
        let third = double | (!first & 15) << 3 | u8::from(op.wide) << 2 | op.prefix as u8;
        self.code.extend([0xC4, second, third, op.byte]);
        self.operands(to, last, 1);
    }

    /// An instruction on 512 bits, the one on double numbers or not, which obeys that mask register where it is not 0.
    fn wide(&mut self, op: Opcode, double: bool, mask: u8, to: u8, first: u8, last: Source) {
        let (base, high) = match last {
            Source::Register(r) => (r, r >> 4),
            Source::Memory(place) => (place.base.0, 0),
        };
        let inverted = |value: u8, from: u8, bit: u8| ((value >> from & 1) ^ 1) << bit;
        let second = inverted(to, 3, 7) | inverted(high, 0, 6) | inverted(base, 3, 5);
        let second = second | inverted(to, 4, 4) | op.table as u8;
        let third = u8::from(double) << 7 | (!first & 15) << 3 | 4 | op.prefix as u8;
        let fourth = 0x40 | inverted(first, 4, 3) | mask;
        self.code.extend([0x62, second, third, fourth, op.byte]);
        self.operands(to, last, 64);
    }

    /// A blend of wide vectors, by the [mask register](MASK).
    pub fn blend_wide(&mut self, op: Opcode, to: Vector, first: Vector, last: Source) {
        self.wide(op, op.double, MASK, to, first, last);
    }

    /// A vector instruction with a byte behind it.
    pub fn vector_with(&mut self, op: Opcode, to: Vector, first: Vector, last: Source, byte: u8) {
        self.vector(op, to, first, last);
        self.code.push(byte);
    }

    /// Shifts by a number of bits: the kind of shift stands where others have their result.
    pub fn shift(&mut self, op: Opcode, kind: u8, to: Vector, from: Vector, bits: u8) {
        self.vector_with(op, kind, to, Source::Register(from), bits);
    }

    /// The operands; short offsets are multiples of `unit`.
    fn operands(&mut self, register: u8, last: Source, unit: i32) {
        let register = (register & 7) << 3;
        let place = match last {
            Source::Register(r) => return self.code.push(0xC0 | register | r & 7),
            Source::Memory(place) => place,
        };
        let short = match place.offset % unit {
            0 => i8::try_from(place.offset / unit).ok(),
            _ => None,
        };
        let mode = if short.is_some() { 0x40 } else { 0x80 };
        let base = place.base.0 & 7;
        if place.scale > 0 {
            let scale = place.scale.trailing_zeros() as u8;
            self.code.push(mode | register | 4);
            self.code.push(scale << 6 | General::RAX.0 << 3 | base);
        } else if base == 4 {
            self.code.extend([mode | register | 4, 4 << 3 | base]);
        } else {
            self.code.push(mode | register | base);
        }
        match short {
            Some(offset) => self.code.push(offset.cast_unsigned()),
            None => self.code.extend(place.offset.to_le_bytes()),
        }
    }

    /// `to = *(from + offset)`, 64 bits.
    pub fn read(&mut self, to: General, from: General, offset: i32) {
        let place = Place {
            base: from,
            scale: 0,
            offset,
        };
        self.code.push(0x48 | (to.0 >> 3) << 2 | from.0 >> 3);
        self.code.push(0x8B);
        self.operands(to.0, Source::Memory(place), 1);
    }

    pub fn push(&mut self, register: General) {
        self.short(register, 0x50);
    }

    pub fn pop(&mut self, register: General) {
        self.short(register, 0x58);
    }

    fn short(&mut self, register: General, byte: u8) {
        if register.0 > 7 {
            self.code.push(0x41);
        }
        self.code.push(byte | register.0 & 7);
    }

    /// `to += number`
    pub fn add(&mut self, to: General, number: i8) {
        self.code
            .extend([0x48, 0x83, 0xC0 | to.0, number.cast_unsigned()]);
    }

    /// `rax = 0`
    pub fn clear_rax(&mut self) {
        self.code.extend([0x31, 0xC0]);
    }

    /// `rax = rsi`
    pub fn rax_from_rsi(&mut self) {
        self.code.extend([0x48, 0x89, 0xF0]);
    }

    /// Compares `rax` with `rsi`, signed.
    pub fn compare_rax_rsi(&mut self) {
        self.code.extend([0x48, 0x39, 0xF0]);
    }

    /// `rdi = min(rax + number, rsi)`
    pub fn rdi_behind_rax(&mut self, number: i32) {
        self.code.extend([0x48, 0x8D, 0xB8]);
        self.code.extend(number.to_le_bytes());
        self.code.extend([0x48, 0x39, 0xF7, 0x48, 0x0F, 0x4F, 0xFE]);
    }

    /// Compares `rax` with `rdi`, signed.
    pub fn compare_rax_rdi(&mut self) {
        self.code.extend([0x48, 0x39, 0xF8]);
    }

    /// `to += number`, any register but `rsp`.
    pub fn advance(&mut self, to: General, number: i32) {
        self.code.extend([0x48 | to.0 >> 3, 0x81, 0xC0 | to.0 & 7]);
        self.code.extend(number.to_le_bytes());
    }

    /// Goes on at a place before, where the last comparison found less.
    pub fn jump_back_if_less(&mut self, to: usize) {
        self.code.extend([0x0F, 0x8C]);
        self.distance_to(to);
    }

    /// Goes on at a place before, where the last comparison found no more.
    pub fn jump_back_unless_greater(&mut self, to: usize) {
        self.code.extend([0x0F, 0x8E]);
        self.distance_to(to);
    }

    /// Goes on where it [lands](Assembler::land), if the last comparison found more.
    pub fn jump_ahead_if_greater(&mut self) -> usize {
        self.code.extend([0x0F, 0x8F]);
        self.code.extend([0; 4]);
        self.code.len()
    }

    /// Here a jump ahead goes on.
    pub fn land(&mut self, jump: usize) {
        let distance = (self.code.len() - jump) as u32;
        self.code[jump - 4..jump].copy_from_slice(&distance.to_le_bytes());
    }

    /// Goes on at a place before.
    pub fn jump_back(&mut self, to: usize) {
        self.code.push(0xE9);
        self.distance_to(to);
    }

    fn distance_to(&mut self, to: usize) {
        let behind = self.code.len() + 4;
        let distance = to as i64 - behind as i64;
        self.code.extend((distance as i32).to_le_bytes());
    }

    /// Goes on so many bytes behind this instruction, where the last comparison found equal numbers.
    pub fn skip_if_equal(&mut self, bytes: u8) {
        self.code.extend([0x74, bytes]);
    }

    /// Gives the vector registers back, and returns.
    pub fn clear_vectors(&mut self) {
        self.code.extend([0xC5, 0xF8, 0x77]);
    }

    pub fn ret(&mut self) {
        self.code.push(0xC3);
    }
}
