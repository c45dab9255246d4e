//! Codes of JPEG: tables that answer the next symbols, and the bits they are read from.

use ferrograph_tensor::{Result, bail};

/// How many bits of a code, and of the number behind it, are looked up at once.
const LOOK: u32 = 11;

/// Set in an entry that answers a symbol alone, or nothing where its length is 0.
const SYMBOL: u32 = 0x80;

/// How far a symbol moves on that ends a block.
pub(super) const LAST: usize = 64;

/// Lengths of codes and symbols in order, as a file has them.
#[derive(Clone, Debug)]
pub(super) struct Codes {
    pub counts: [u8; 16],
    pub symbols: Vec<u8>,
}

/// What a code is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Differences of first coefficients.
    First,
    /// Coefficients behind the first.
    Others,
    /// The upper bits of those, in progressive files.
    Coarse,
    /// One more bit of them.
    Finer,
}

/// How far a symbol moves on, and how many bits follow.
fn meaning(symbol: u8, kind: Kind) -> (usize, u32) {
    let (run, size) = (symbol >> 4, u32::from(symbol & 15));
    match (kind, run, size) {
        (Kind::First, ..) => (1, size),
        (Kind::Others, 0..=14, 0) => (LAST, 0),
        (_, 0..=14, 0) => (LAST, u32::from(run)),
        (Kind::Finer, _, 1..) => (usize::from(run) + 1, 1),
        _ => (usize::from(run) + 1, size),
    }
}

/// The number that `size` bits encode behind a symbol: a coefficient, or how many blocks end with this one.
fn number(step: usize, bits: u32, size: u32, kind: Kind) -> i32 {
    match kind {
        Kind::Coarse | Kind::Finer if step == LAST => (1 << size) + bits as i32,
        _ => extended(bits, size),
    }
}

/// A code, made for reading.
pub(super) struct Table {
    kind: Kind,
    /// By the next `LOOK` bits: the length (6 bits), whether that is of a symbol alone, how far it moves on or the symbol
    /// (8 bits), the number (16 bits).
    fast: Box<[u32; 1 << LOOK]>,
    /// By length: the greatest code, left aligned to 16 bits and one more, of all up to that length.
    ends: [u32; 17],
    /// By length: what leads from a code to its symbol.
    offsets: [i32; 17],
    symbols: Vec<u8>,
}

/// The number that `size` bits encode: the upper half is positive.
#[inline(always)]
fn extended(bits: u32, size: u32) -> i32 {
    let (bits, half) = (bits as i32, (1 << size) >> 1);
    if bits < half {
        bits - (1 << size) + 1
    } else {
        bits
    }
}

/// The entry of a symbol whose code has `length` bits, where the bits from there on are `rest`, of `left` bits.
fn entry(symbol: u8, length: u32, rest: u32, left: u32, kind: Kind) -> u32 {
    let (step, size) = meaning(symbol, kind);
    if size > left {
        return SYMBOL | length | u32::from(symbol) << 8;
    }
    let number = number(step, rest >> (left - size), size, kind);
    (length + size) | (step as u32) << 8 | (number as u32) << 16
}

impl Table {
    /// The table of a code; symbols of a first coefficient are sizes alone.
    pub(super) fn of(codes: &Codes, kind: Kind) -> Result<Table> {
        let mut table = Table {
            kind,
            fast: Box::new([SYMBOL; 1 << LOOK]),
            ends: [0; 17],
            offsets: [0; 17],
            symbols: codes.symbols.clone(),
        };
        let (mut code, mut at) = (0u32, 0usize);
        for length in 1..=16u32 {
            let n = u32::from(codes.counts[length as usize - 1]);
            table.offsets[length as usize] = at as i32 - code as i32;
            for &symbol in codes.symbols.get(at..at + n as usize).unwrap_or(&[]) {
                if code >> length != 0 || kind == Kind::First && symbol > 15 {
                    bail!(InvalidArgument, "Invalid JPEG data: a bad Huffman table");
                }
                table.look_up(code, length, symbol);
                code += 1;
            }
            at += n as usize;
            // No code is all ones.
            if n > 0 && code >= 1 << length {
                bail!(InvalidArgument, "Invalid JPEG data: a bad Huffman table");
            }
            table.ends[length as usize] = code << (16 - length);
            code <<= 1;
        }
        if at != codes.symbols.len() {
            bail!(InvalidArgument, "Invalid JPEG data: a bad Huffman table");
        }
        Ok(table)
    }

    /// The symbol that bits begin with, and the length of its code. No code at all is 0.
    fn long(&self, next: u64) -> (u8, u32) {
        let code = (next >> 48) as u32;
        let Some(length) = (1..=16).find(|l| code < self.ends[*l]) else {
            return (0, 17);
        };
        let at = (code >> (16 - length)) as i32 + self.offsets[length];
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        (self.symbols.get(at).copied().unwrap_or(0), length as u32)
    }

    fn look_up(&mut self, code: u32, length: u32, symbol: u8) {
        let Some(left) = LOOK.checked_sub(length) else {
            return;
        };
        let begin = (code << left) as usize;
        for (rest, to) in self.fast[begin..begin + (1 << left)].iter_mut().enumerate() {
            *to = entry(symbol, length, rest as u32, left, self.kind);
        }
    }
}

/// The bits of a piece of coded data; behind its end they are zeros.
#[derive(Clone, Copy)]
pub(super) struct Bits<'a> {
    /// The bytes, and eight more.
    data: &'a [u8],
    at: usize,
    next: u64,
    n: u32,
}

/// How many bytes stand behind the last that counts.
pub(super) const BEHIND: usize = 8;

impl<'a> Bits<'a> {
    /// The bits of bytes, of which the last [`BEHIND`] are no part.
    pub(super) fn of(data: &'a [u8]) -> Bits<'a> {
        let (at, next, n) = (0, 0, 0);
        Bits { data, at, next, n }
    }

    /// Where the next bit is.
    pub(super) fn position(&self) -> usize {
        self.at * 8 - self.n as usize
    }

    /// The bits from a position on.
    pub(super) fn from(data: &'a [u8], position: usize) -> Bits<'a> {
        let mut bits = Bits::of(data);
        bits.at = position / 8;
        bits.fill();
        bits.skip(position as u32 % 8);
        bits
    }

    /// Whether more bits were taken than there are.
    #[inline(always)]
    pub(super) fn is_overdrawn(&self) -> bool {
        self.position() > self.data.len().saturating_sub(BEHIND) * 8
    }

    /// Makes 56 bits at least ready.
    #[inline(always)]
    pub(super) fn fill(&mut self) {
        (self.at, self.next, self.n) = filled(self.data, self.at, self.next, self.n);
    }

    #[inline(always)]
    fn skip(&mut self, n: u32) {
        self.next <<= n;
        self.n -= n;
    }

    /// The number of the next `n` bits, at most 16.
    #[inline(always)]
    pub(super) fn take(&mut self, n: u32) -> u32 {
        if n == 0 {
            return 0;
        }
        if self.n < 32 {
            self.fill();
        }
        let bits = (self.next >> (64 - n)) as u32;
        self.skip(n);
        bits
    }

    /// How far the next symbol moves on, and the number behind it. 32 bits are ready.
    #[inline(always)]
    pub(super) fn coded(&mut self, table: &Table) -> (usize, i32) {
        let found = table.fast[(self.next >> (64 - LOOK)) as usize];
        if found & SYMBOL != 0 {
            let (bits, step, number) = self.long(table, found);
            *self = bits;
            return (step, number);
        }
        self.skip(found & 0x3f);
        (((found >> 8) & 0xff) as usize, found as i32 >> 16)
    }

    /// As [`Bits::coded`], where the table has at most the symbol; with the bits behind. What is not borrowed stays in
    /// registers.
    #[cold]
    #[inline(never)]
    fn long(mut self, table: &Table, found: u32) -> (Bits<'a>, usize, i32) {
        let (symbol, length) = match found & 0x3f {
            0 => table.long(self.next),
            length => ((found >> 8) as u8, length),
        };
        self.skip(length);
        let (step, size) = meaning(symbol, table.kind);
        let number = number(step, self.take(size), size, table.kind);
        (self, step, number)
    }

    /// Moves the next `n` bits, of 24 that are ready, to the lower end of others.
    #[inline(always)]
    pub(super) fn gather(&mut self, n: u32, to: u64) -> u64 {
        let all = to << n | self.next >> 1 >> (63 - n);
        self.skip(n);
        all
    }

    /// As [`Bits::gather`], of up to 64 bits; with the bits behind.
    #[cold]
    #[inline(never)]
    pub(super) fn gather_many(mut self, n: u32, mut to: u64) -> (Bits<'a>, u64) {
        for n in [
            n.min(24),
            n.saturating_sub(24).min(24),
            n.saturating_sub(48),
        ] {
            self.fill();
            to = self.gather(n, to);
        }
        (self, to)
    }

    /// Adds the next difference of first coefficients to the one before.
    #[inline(always)]
    pub(super) fn first(&mut self, table: &Table, before: &mut i32) -> i16 {
        self.fill();
        *before = before.wrapping_add(self.coded(table).1);
        *before as i16
    }

    /// Reads the coefficients behind the first, into a block of zeros.
    #[inline(always)]
    pub(super) fn others(&mut self, table: &Table, block: &mut [i16; 64]) {
        let fast: &[u32; 1 << LOOK] = &table.fast;
        // What is not borrowed stays in registers.
        let (data, mut at, mut next, mut n) = (self.data, self.at, self.next, self.n);
        let mut k = 1usize;
        'block: while k < 64 {
            (at, next, n) = filled(data, at, next, n);
            // What is looked up takes few bits: enough are left behind two for one that is not.
            let mut found = 0;
            for _ in 0..2 {
                found = fast[(next >> (64 - LOOK)) as usize];
                if found & SYMBOL != 0 {
                    break;
                }
                next <<= found & 0x3f;
                n -= found & 0x3f;
                k += ((found >> 8) & 0xff) as usize;
                block[usize::from(NATURAL[(k - 1) & 127])] = (found >> 16) as i16;
                if k >= 64 {
                    break 'block;
                }
            }
            if found & SYMBOL == 0 {
                continue;
            }
            let (symbol, length) = match found & 0x3f {
                0 => table.long(next),
                length => ((found >> 8) as u8, length),
            };
            next <<= length;
            n -= length;
            let (run, size) = (usize::from(symbol >> 4), u32::from(symbol & 15));
            match (size, run) {
                (0, 15) => k += 16,
                (0, _) => break,
                _ => {
                    k += run;
                    let number = extended((next >> (64 - size)) as u32, size);
                    next <<= size;
                    n -= size;
                    block[usize::from(NATURAL[k & 127])] = number as i16;
                    k += 1;
                }
            }
        }
        (self.at, self.next, self.n) = (at, next, n);
    }
}

/// Where bits are read next, the bits that are ready, and how many: 56 at least.
#[inline(always)]
fn filled(data: &[u8], at: usize, next: u64, n: u32) -> (usize, u64, u32) {
    let word = data.get(at..).and_then(|d| d.first_chunk());
    let word = word.map_or(0, |word| u64::from_be_bytes(*word));
    (at + ((63 - n) >> 3) as usize, next | word >> n, n | 56)
}

/// Where the coefficients of a block are that files have in the order of their frequencies. Behind the last one all are
/// the last: damaged files get there.
pub(super) const NATURAL: [u8; 128] = {
    let mut order = [63u8; 128];
    let (mut row, mut column, mut k) = (0usize, 0usize, 0usize);
    while k < 64 {
        order[k] = (row * 8 + column) as u8;
        let is_up = (row + column).is_multiple_of(2);
        match (is_up, row, column) {
            (true, _, 7) => row += 1,
            (true, 0, _) => column += 1,
            (true, _, _) => (row, column) = (row - 1, column + 1),
            (false, 7, _) => column += 1,
            (false, _, 0) => row += 1,
            (false, _, _) => (row, column) = (row + 1, column - 1),
        }
        k += 1;
    }
    order
};
