//! Codes of JPEG: tables that answer the next symbols, and the bits they are read from.

use ferrograph_tensor::{Result, bail};

/// How many bits of a code, and of the number behind it, are looked up at once.
const LOOK: u32 = 11;

/// Set in an entry that answers a symbol alone, or nothing where its length is 0.
const SYMBOL: u32 = 0x80;

/// How far an entry moves on that ends a block.
const LAST: u32 = 64;

/// Lengths of codes and symbols in order, as a file has them.
#[derive(Clone, Debug)]
pub(super) struct Codes {
    pub counts: [u8; 16],
    pub symbols: Vec<u8>,
}

/// A code, made for reading.
pub(super) struct Table {
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
fn entry(symbol: u8, length: u32, rest: u32, left: u32, is_dc: bool) -> u32 {
    let (run, size) = (u32::from(symbol >> 4), u32::from(symbol & 15));
    let step = match (size, run) {
        _ if is_dc => 1,
        (0, 0..=14) => LAST,
        _ => run + 1,
    };
    if size > left {
        return SYMBOL | length | u32::from(symbol) << 8;
    }
    let number = extended(rest >> (left - size), size);
    (length + size) | step << 8 | (number as u32) << 16
}

impl Table {
    /// The table of a code; symbols of a first coefficient are sizes alone.
    pub(super) fn of(codes: &Codes, is_dc: bool) -> Result<Table> {
        let mut table = Table {
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
                if code >> length != 0 || is_dc && symbol > 15 {
                    bail!(InvalidArgument, "Invalid JPEG data: a bad Huffman table");
                }
                table.look_up(code, length, symbol, is_dc);
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

    fn look_up(&mut self, code: u32, length: u32, symbol: u8, is_dc: bool) {
        let Some(left) = LOOK.checked_sub(length) else {
            return;
        };
        let begin = (code << left) as usize;
        for (rest, to) in self.fast[begin..begin + (1 << left)].iter_mut().enumerate() {
            *to = entry(symbol, length, rest as u32, left, is_dc);
        }
    }
}

/// The bits of a piece of coded data; behind its end they are zeros.
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
    fn fill(&mut self) {
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

    /// The next symbol.
    #[inline(always)]
    pub(super) fn symbol(&mut self, table: &Table) -> u8 {
        if self.n < 32 {
            self.fill();
        }
        self.long_symbol(table)
    }

    /// The next symbol, where there are bits enough.
    fn long_symbol(&mut self, table: &Table) -> u8 {
        let (symbol, length) = table.long(self.next);
        self.skip(length);
        symbol
    }

    /// The number of so many bits, the upper half of which is positive.
    #[inline(always)]
    pub(super) fn number(&mut self, size: u32) -> i32 {
        extended(self.take(size), size)
    }

    /// The next difference of first coefficients.
    #[inline(always)]
    fn difference(&mut self, table: &Table) -> i32 {
        if self.n < 32 {
            self.fill();
        }
        let found = table.fast[(self.next >> (64 - LOOK)) as usize];
        if found & SYMBOL == 0 {
            self.skip(found & 0x3f);
            return found as i32 >> 16;
        }
        let size = u32::from(self.long_symbol(table) & 15);
        self.number(size)
    }

    /// Adds the next difference of first coefficients to the one before.
    #[inline(always)]
    pub(super) fn first(&mut self, table: &Table, before: &mut i32) -> i16 {
        *before = before.wrapping_add(self.difference(table));
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

/// Where the coefficients of a block lie that files have in the order of their frequencies. Behind the last one all are
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
