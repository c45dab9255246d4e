//! The loops around the instructions.
//!
//! The code is given the pointers in `rdi`, the count of elements in `rsi`, at least as many as a vector has, and its
//! frame in `rdx`; `rax` counts elements. A first loop takes some vectors together, whose instructions are interleaved:
//! those of one vector mostly wait for one another, and a processor looks ahead over only so many. A second one takes
//! single vectors. What is left behind the last whole vector is taken by one that ends with the last element, where
//! that is allowed.

use super::assembler::{Assembler, General};
use super::lower::{Lowered, Micro, interleaved};
use super::registers::{Writer, registers, saved};
use super::{BLOCK, Program, Width};

/// Vectors that are taken together: with more of them, values leave the registers oftener than that gains.
pub(super) const TOGETHER: usize = 4;

/// A loop as machine code.
pub(super) struct Assembled {
    pub code: Vec<u8>,
    /// Vectors of the frame.
    pub frame: usize,
}

/// Writes the loops of a program over vectors of that width.
pub(super) fn assemble(program: &Program, lowered: &Lowered, width: Width) -> Assembled {
    let mut loops = Loops {
        out: Assembler::new(width),
        program,
        lowered,
        lanes: width.lanes(program.float) as i8,
        frame: 0,
    };
    loops.enter();
    match lowered.sums {
        Some(_) => loops.blocks(),
        None => {
            loops.together();
            loops.single();
        }
    }
    loops.leave();
    Assembled {
        code: loops.out.code,
        frame: loops.frame,
    }
}

struct Loops<'a> {
    out: Assembler,
    program: &'a Program,
    lowered: &'a Lowered,
    /// Elements of a vector.
    lanes: i8,
    /// Vectors of the frame.
    frame: usize,
}

impl Loops<'_> {
    /// Loads the pointers, and counts from zero.
    fn enter(&mut self) {
        let n = self.program.pointers as usize;
        for register in saved(n) {
            self.out.push(*register);
        }
        for (at, register) in registers(n).iter().take(n).enumerate() {
            self.out.read(*register, General::RDI, 8 * at as i32);
        }
        self.out.clear_rax();
    }

    /// The loop over some vectors at a time. In the end `rsi` is where the last single one begins.
    fn together(&mut self) {
        let micros = interleaved(&self.lowered.micros, TOGETHER);
        let elements = self.lanes * TOGETHER as i8;
        self.out.add(General::RSI, -elements);
        self.out.compare_rax_rsi();
        let few = self.out.jump_ahead_if_greater();
        let mut writer = self.writer(&micros);
        writer.enter();
        let start = writer.start();
        let frame = writer.body();
        self.frame = self.frame.max(frame);
        self.out.add(General::RAX, elements);
        self.out.compare_rax_rsi();
        self.out.jump_back_unless_greater(start);
        self.out.land(few);
        self.out.add(General::RSI, elements - self.lanes);
    }

    /// The loop over some vectors at a time, for block after block whose elements are summed: `rdi` is where the block ends.
    fn blocks(&mut self) {
        let micros = interleaved(&self.lowered.micros, TOGETHER);
        let elements = self.lanes * TOGETHER as i8;
        let mut writer = self.writer(&micros);
        writer.enter();
        let block = writer.start();
        writer.out.rdi_behind_rax(BLOCK as i32);
        writer.clear_sums();
        let start = writer.start();
        let frame = writer.body();
        writer.out.add(General::RAX, elements);
        writer.out.compare_rax_rdi();
        writer.out.jump_back_if_less(start);
        writer.write_sums();
        writer.out.compare_rax_rsi();
        writer.out.jump_back_if_less(block);
        self.frame = self.frame.max(frame);
    }

    /// The loop over single vectors, of which there may be none. Where programs are not in place, a last vector takes what
    /// is left, and elements before it once more.
    fn single(&mut self) {
        let lowered = self.lowered;
        let mut writer = self.writer(&lowered.micros);
        writer.enter();
        writer.out.compare_rax_rsi();
        let none = writer.out.jump_ahead_if_greater();
        let start = writer.start();
        let frame = writer.body();
        self.frame = self.frame.max(frame);
        self.out.add(General::RAX, self.lanes);
        self.out.compare_rax_rsi();
        self.out.jump_back_unless_greater(start);
        self.out.land(none);
        if !self.program.in_place {
            self.out.add(General::RAX, -self.lanes);
            self.out.compare_rax_rsi();
            self.out.skip_if_equal(8);
            self.out.rax_from_rsi();
            self.out.jump_back(start);
        }
    }

    /// Gives registers back, and returns.
    fn leave(&mut self) {
        self.out.clear_vectors();
        for register in saved(self.program.pointers as usize).iter().rev() {
            self.out.pop(*register);
        }
        self.out.ret();
    }

    fn writer<'a>(&'a mut self, micros: &'a [Micro]) -> Writer<'a> {
        Writer::new(&mut self.out, self.program, self.lowered, micros)
    }
}
