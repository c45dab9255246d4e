//! Registers for values.
//!
//! Pointers are in general registers, those that have none behind `rdi`; the frame behind `rdx`, and `rax` counts
//! elements. Vectors of the frame that are used most stay in registers.

use super::assembler::{Assembler, General, MASK, Opcode, Place, Prefix, Source, Table, Vector};
use super::lower::{Arg, Fixed, Lowered, Micro, ONES, code};
use super::{Element, Float, Program, SUMS, Width, wide};

/// The register that stores of bools compute in.
const SPARE: Vector = 0;
/// Registers of wide vectors, of which narrow ones have half as many.
const REGISTERS: usize = 32;

/// General registers that hold pointers; those from `KEPT` on belong to the caller.
const POINTERS: [General; 11] = [
    General::RCX,
    General::R8,
    General::R9,
    General::R10,
    General::R11,
    General::RBX,
    General::RBP,
    General::R12,
    General::R13,
    General::R14,
    General::R15,
];
const KEPT: usize = 5;

/// Writes the instructions of a loop's body.
pub(super) struct Writer<'a> {
    pub out: &'a mut Assembler,
    program: &'a Program,
    lowered: &'a Lowered,
    micros: &'a [Micro],
    /// Where each value is used, the last use first, those of the frame before those made.
    uses: Vec<Vec<usize>>,
    /// What each register holds.
    holds: [Option<usize>; REGISTERS],
    /// Which registers the loop leaves alone.
    pinned: [bool; REGISTERS],
    /// Where each value is in the frame, if it is there.
    homes: Vec<Option<usize>>,
    /// Vectors of the frame.
    frame: usize,
    /// How many registers there are.
    registers: usize,
}

impl<'a> Writer<'a> {
    pub fn new(
        out: &'a mut Assembler,
        program: &'a Program,
        lowered: &'a Lowered,
        micros: &'a [Micro],
    ) -> Writer<'a> {
        let n_fixed = lowered.fixed.len();
        let registers = match out.width {
            Width::Narrow => REGISTERS / 2,
            Width::Wide => REGISTERS,
        };
        let mut writer = Writer {
            registers,
            out,
            program,
            lowered,
            micros,
            uses: vec![Vec::new(); n_fixed + micros.len()],
            holds: [None; REGISTERS],
            pinned: [false; REGISTERS],
            homes: (0..n_fixed)
                .map(Some)
                .chain(micros.iter().map(|_| None))
                .collect(),
            frame: n_fixed,
        };
        for (at, micro) in micros.iter().enumerate().rev() {
            for arg in micro.args() {
                let value = writer.value(arg);
                writer.uses[value].push(at);
            }
        }
        writer
    }

    /// The number of a value.
    fn value(&self, arg: Arg) -> usize {
        match arg {
            Arg::Fixed(at) => at,
            Arg::Made(at) => self.lowered.fixed.len() + at,
        }
    }

    /// How many values made are alive at once, at most.
    fn pressure(&self) -> usize {
        let n_fixed = self.lowered.fixed.len();
        let (mut alive, mut most) = (0usize, 0);
        let mut ends = vec![0usize; self.micros.len() + 1];
        for at in 0..self.micros.len() {
            if let Some(&last) = self.uses[n_fixed + at].first() {
                alive += 1;
                ends[last] += 1;
            }
            most = most.max(alive);
            alive -= ends[at];
        }
        most
    }

    /// How many vectors of the frame an instruction may need in registers beside those of values made.
    fn loaded_at_once(&self) -> usize {
        let is_sum = |micro: &Micro| matches!(micro, Micro::MulAdd(..));
        match self.micros.iter().any(is_sum) {
            true => 2,
            false => 0,
        }
    }

    /// How many registers hold the sums: those with the highest numbers.
    fn sums(&self) -> usize {
        match self.lowered.sums {
            Some(_) => sums(self.program.float, self.out.width),
            None => 0,
        }
    }

    /// The register of those sums that a vector of those taken together goes to.
    fn sum(&self, vector: usize) -> Vector {
        let n = self.sums();
        (self.registers - n + vector % n) as Vector
    }

    /// Writes the sums, and goes on to where the next ones are written.
    pub fn write_sums(&mut self) {
        let Some(pointer) = self.lowered.sums else {
            return;
        };
        let base = self.pointer(pointer);
        for at in 0..self.sums() {
            let place = Place {
                base,
                scale: 0,
                offset: (at * self.out.width.bytes()) as i32,
            };
            self.store(self.sum(at), place, Element::Number);
        }
        let bytes = SUMS * self.program.float.bytes();
        self.out.advance(base, bytes as i32);
    }

    /// The sums of nothing.
    pub fn clear_sums(&mut self) {
        let xor = Opcode::new(Prefix::None, Table::M0F, code::XOR);
        for at in 0..self.sums() {
            let sum = self.sum(at);
            self.out.vector(xor, sum, sum, Source::Register(sum));
        }
    }

    /// Loads the vectors that stay.
    pub fn enter(&mut self) {
        (0..self.sums()).for_each(|at| self.pinned[self.sum(at) as usize] = true);
        let mut most_used: Vec<usize> = (0..self.lowered.fixed.len()).collect();
        most_used.sort_by_key(|&value| std::cmp::Reverse(self.uses[value].len()));
        let taken = self.sums();
        let needed = self.pressure() + self.loaded_at_once() + taken;
        let room = (self.registers - 2).saturating_sub(needed);
        for (at, &value) in most_used.iter().take(room).enumerate() {
            let register = self.registers - 1 - taken - at;
            self.pinned[register] = true;
            self.holds[register] = Some(value);
            self.load_frame(register as Vector, value);
        }
    }

    /// Where the next instruction is.
    pub fn start(&self) -> usize {
        self.out.code.len()
    }

    /// Writes all instructions, and says how many vectors the frame has.
    pub fn body(&mut self) -> usize {
        for (at, micro) in self.micros.iter().enumerate() {
            self.micro(at, micro);
        }
        self.frame
    }

    fn micro(&mut self, at: usize, micro: &Micro) {
        match *micro {
            Micro::Load(pointer, element, vector) => {
                let to = self.make(at);
                let place = self.element(pointer, element, vector);
                self.load(to, place, element);
            }
            Micro::One(op, byte, x) => {
                let last = self.source(x);
                self.end_uses(at, micro);
                let to = self.make(at);
                self.write(op, byte, to, 0, last);
            }
            Micro::Two(op, byte, [a, b]) => {
                let first = self.register(a, &[b]);
                let last = self.source(b);
                self.end_uses(at, micro);
                let to = self.make(at);
                self.write(op, byte, to, first, last);
            }
            Micro::MulAdd(double, args) => self.mul_add(at, micro, double, args),
            Micro::Shift(op, kind, bits, x) => {
                let from = self.register(x, &[]);
                self.end_uses(at, micro);
                let to = self.make(at);
                self.out.shift(op, kind, to, from, bits);
            }
            Micro::Blend([no, yes], mask) => {
                let first = self.register(no, &[yes, mask]);
                let chooser = self.register(mask, &[yes, no]);
                let last = self.source(yes);
                self.end_uses(at, micro);
                let to = self.make(at);
                self.blend(to, first, last, chooser);
            }
            Micro::Sum(add, x, vector) => {
                let (sum, last) = (self.sum(vector.into()), self.source(x));
                self.out.vector(add, sum, sum, last);
                self.end_uses(at, micro);
            }
            Micro::Store(pointer, element, x, vector) => {
                let from = self.register(x, &[]);
                let place = self.element(pointer, element, vector);
                self.store(from, place, element);
                self.end_uses(at, micro);
            }
        }
    }

    /// `a * b + c`: one of them is in the register of the result, one may be in memory.
    fn mul_add(&mut self, at: usize, micro: &Micro, double: bool, args: [Arg; 3]) {
        let [a, b, c] = args;
        let is_here = |writer: &Self, arg: Arg| writer.held(writer.value(arg)).is_some();
        // What ends here may be written over; of the others, one that has to be loaded anyhow.
        let order = |&arg: &Arg| match self.ends(at, arg) {
            true => (false, !is_here(self, arg)),
            false => (true, is_here(self, arg)),
        };
        let base = args.into_iter().min_by_key(order).unwrap_or(a);
        // The byte of the instruction, the operand in another register, the one that may be in memory.
        let (byte, other, last) = match base {
            x if x == c && is_here(self, a) => (0xB8, a, b),
            x if x == c => (0xB8, b, a),
            x => {
                let factor = if x == a { b } else { a };
                match is_here(self, c) {
                    true => (0x98, c, factor),
                    false => (0xA8, factor, c),
                }
            }
        };
        let other = self.register(other, &args);
        let to = match self.ends(at, base) {
            true => self.register(base, &args),
            false => self.copied(base, &args),
        };
        let last = self.source(last);
        self.end_uses(at, micro);
        let op = Opcode::new(Prefix::P66, Table::M0F38, byte);
        let op = if double { op.double() } else { op };
        self.out.vector(op, to, other, last);
        let value = self.lowered.fixed.len() + at;
        self.holds[to as usize] = (!self.uses[value].is_empty()).then_some(value);
    }

    /// Whether no instruction behind that one needs what an operand is.
    fn ends(&self, at: usize, arg: Arg) -> bool {
        let uses = &self.uses[self.value(arg)];
        matches!(arg, Arg::Made(_)) && uses.first() == Some(&at)
    }

    /// A free register with the value of one of some operands.
    fn copied(&mut self, arg: Arg, args: &[Arg]) -> Vector {
        let values: Vec<usize> = args.iter().map(|&arg| self.value(arg)).collect();
        let to = self.room(&values);
        let value = self.value(arg);
        match self.held(value) {
            Some(from) => {
                let op = Opcode::new(Prefix::None, Table::M0F, 0x28);
                self.out.vector(op, to, 0, Source::Register(from));
            }
            None => self.load_frame(to, value),
        }
        to
    }

    fn write(&mut self, op: Opcode, byte: Option<u8>, to: Vector, first: Vector, last: Source) {
        let is_mask = wide::form(op).is_some_and(|form| form.is_mask);
        let is_mask = is_mask && self.out.width == Width::Wide;
        let made = if is_mask { MASK } else { to };
        match byte {
            Some(byte) => self.out.vector_with(op, made, first, last, byte),
            None => self.out.vector(op, made, first, last),
        }
        if is_mask {
            let spread = wide::spread(self.lowered.float);
            self.out.vector(spread, to, 0, Source::Register(MASK));
        }
    }

    /// The second where a mask holds, else the first.
    fn blend(&mut self, to: Vector, first: Vector, last: Source, mask: Vector) {
        let float = self.lowered.float;
        if self.out.width == Width::Wide {
            let mask = Source::Register(mask);
            self.out.vector(wide::gathered(float), MASK, 0, mask);
            return self.out.blend_wide(wide::blend(float), to, first, last);
        }
        let byte = match float {
            Float::F32 => 0x4A,
            Float::F64 => 0x4B,
        };
        let op = Opcode::new(Prefix::P66, Table::M0F3A, byte);
        self.out.vector_with(op, to, first, last, mask << 4);
    }

    /// A register for what an instruction makes, which may be one of those it reads.
    fn make(&mut self, at: usize) -> Vector {
        let value = self.lowered.fixed.len() + at;
        let register = self.room(&[]);
        let is_used = !self.uses[value].is_empty();
        self.holds[register as usize] = is_used.then_some(value);
        register
    }

    /// The register that holds a value, which it is loaded into if need be; others stay where they are.
    fn register(&mut self, arg: Arg, others: &[Arg]) -> Vector {
        let value = self.value(arg);
        if let Some(at) = self.held(value) {
            return at;
        }
        let others: Vec<usize> = others.iter().map(|&arg| self.value(arg)).collect();
        let register = self.room(&others);
        self.load_frame(register, value);
        self.holds[register as usize] = Some(value);
        register
    }

    fn held(&self, value: usize) -> Option<Vector> {
        let at = self.holds.iter().position(|&held| held == Some(value));
        at.map(|at| at as Vector)
    }

    /// A value where it is.
    fn source(&self, arg: Arg) -> Source {
        let value = self.value(arg);
        match self.held(value) {
            Some(at) => Source::Register(at),
            None => Source::Memory(self.home(value)),
        }
    }

    /// A register that may be written: a free one, or that of the value which is needed last.
    fn room(&mut self, others: &[usize]) -> Vector {
        let may_leave = |at: &usize| {
            let is_other = self.holds[*at].is_some_and(|value| others.contains(&value));
            *at != SPARE as usize && !self.pinned[*at] && !is_other
        };
        let next_use = |at: &usize| match self.holds[*at] {
            Some(value) => *self.uses[value].last().unwrap_or(&usize::MAX),
            None => usize::MAX,
        };
        let registers = (0..self.registers).filter(may_leave);
        let at = registers.max_by_key(next_use).unwrap_or(1);
        if let Some(value) = self.holds[at].take()
            && self.homes[value].is_none()
            && !self.uses[value].is_empty()
        {
            self.homes[value] = Some(self.frame);
            self.frame += 1;
            let place = self.home(value);
            self.store(at as Vector, place, Element::Number);
        }
        at as Vector
    }

    /// Forgets the uses of an instruction, and frees registers of what no other one uses.
    fn end_uses(&mut self, at: usize, micro: &Micro) {
        for arg in micro.args() {
            let value = self.value(arg);
            while self.uses[value].last() == Some(&at) {
                self.uses[value].pop();
            }
        }
        for register in 0..self.registers {
            let is_done = self.holds[register].is_some_and(|value| self.uses[value].is_empty());
            if is_done && !self.pinned[register] {
                self.holds[register] = None;
            }
        }
    }

    fn home(&self, value: usize) -> Place {
        Place {
            base: General::RDX,
            scale: 0,
            offset: (self.homes[value].unwrap_or(0) * self.out.width.bytes()) as i32,
        }
    }

    fn load_frame(&mut self, to: Vector, value: usize) {
        let place = self.home(value);
        self.load(to, place, Element::Number);
    }

    /// A register that holds a pointer.
    fn pointer(&mut self, pointer: u32) -> General {
        let n = self.program.pointers as usize;
        if let Some(&register) = registers(n).get(pointer as usize) {
            return register;
        }
        let temporary = POINTERS[0];
        self.out
            .read(temporary, General::RDI, 8 * pointer.cast_signed());
        temporary
    }

    /// Where the next elements of an array are, for one of the vectors that are taken together.
    fn element(&mut self, pointer: u32, element: Element, vector: u8) -> Place {
        let base = self.pointer(pointer);
        let scale = match element {
            Element::Number | Element::Integer => self.program.float.bytes() as u8,
            Element::Truth => 1,
        };
        Place {
            base,
            scale,
            offset: i32::from(vector)
                * self.out.width.lanes(self.program.float) as i32
                * i32::from(scale),
        }
    }

    fn load(&mut self, to: Vector, from: Place, element: Element) {
        let op = match (element, self.lowered.float) {
            (Element::Number | Element::Integer, _) => Opcode::new(Prefix::None, Table::M0F, 0x10),
            (Element::Truth, Float::F32) => Opcode::new(Prefix::P66, Table::M0F38, 0x31),
            (Element::Truth, Float::F64) => Opcode::new(Prefix::P66, Table::M0F38, 0x32),
        };
        self.out.vector(op, to, 0, Source::Memory(from));
    }

    fn store(&mut self, from: Vector, to: Place, element: Element) {
        let to = Source::Memory(to);
        if element != Element::Truth {
            let op = Opcode::new(Prefix::None, Table::M0F, 0x11);
            return self.out.vector(op, from, 0, to);
        }
        let of_integers = |byte| Opcode::new(Prefix::P66, Table::M0F, byte).narrow();
        let upper_half = Opcode::new(Prefix::P66, Table::M0F3A, 0x39);
        let (pack_words, pack_bytes) = (of_integers(0x6B), of_integers(0x63));
        let spare = Source::Register(SPARE);
        self.out.vector_with(upper_half, from, 0, spare, 1);
        self.out.vector(pack_words, SPARE, from, spare);
        if self.lowered.float == Float::F64 {
            self.out.vector(pack_words, SPARE, SPARE, spare);
        }
        self.out.vector(pack_bytes, SPARE, SPARE, spare);
        let ones = Source::Memory(self.ones());
        self.out.vector(of_integers(0xDB), SPARE, SPARE, ones);
        let store = match self.lowered.float {
            Float::F32 => of_integers(0xD6),
            Float::F64 => of_integers(0x7E),
        };
        self.out.vector(store, SPARE, 0, to);
    }

    /// The vector of the frame that holds a byte of 1 for each truth.
    fn ones(&self) -> Place {
        let ones = Fixed::Bits(ONES);
        let at = self.lowered.fixed.iter().position(|&fixed| fixed == ones);
        self.home(at.unwrap_or(0))
    }
}

/// Vectors that the sums are.
pub(super) fn sums(float: Float, width: Width) -> usize {
    SUMS / width.lanes(float)
}

/// Whether each of so many pointers has a register.
pub(super) fn fit(pointers: usize) -> bool {
    pointers <= POINTERS.len()
}

/// The caller's registers that a loop with so many pointers uses.
pub(super) fn saved(pointers: usize) -> &'static [General] {
    &POINTERS[KEPT..pointers.clamp(KEPT, POINTERS.len())]
}

/// The registers of so many pointers. Where there are more of these, the first register is for those without one.
pub(super) fn registers(pointers: usize) -> &'static [General] {
    match pointers <= POINTERS.len() {
        true => &POINTERS,
        false => &POINTERS[1..],
    }
}
