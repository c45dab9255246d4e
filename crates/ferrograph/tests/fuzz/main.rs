//! Every parser under inputs that nobody wrote: whole files, mutated at random. What comes of them is a value or an error
//! that names the damage; never a panic, nor an error that blames the program, and never more memory than the test of the
//! parser says.
//!
//! `FERROGRAPH_FUZZ_INPUTS` says how many inputs each parser gets; the mutations are the same in every run. With
//! `-- --nocapture` each parser tells its figures.

mod formats;
mod graphs;
mod memory;
mod pictures;
mod stored;
mod texts;

use ferrograph_graph::Attr;
use ferrograph_runtime::compute;
use ferrograph_tensor::{Bytes, Error, ErrorKind, Result, Shape, Tensor};
use std::time::{Duration, Instant};

/// How many inputs a parser gets where nobody says.
const N_INPUTS: u64 = 300;
/// The longest that an input may take, on a machine that is busy otherwise.
const PATIENCE: Duration = Duration::from_secs(20);
/// What parsers may take that make nothing larger of a few bytes.
const LITTLE: usize = 4 << 20;

/// Numbers that look random: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        const NOTABLE: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, 8, 10, 0x12];
        match self.below(3) {
            0 => NOTABLE[self.below(NOTABLE.len())],
            _ => self.below(256) as u8,
        }
    }

    /// One change of a file.
    fn mutate(&mut self, file: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(file.len());
        match self.below(8) {
            _ if file.is_empty() => file.push(self.byte()),
            0 => file[at] ^= 1 << self.below(8),
            1 | 2 => file[at] = self.byte(),
            3 => file.truncate(at),
            4 => file.insert(at, self.byte()),
            5 => drop(file.drain(at..(at + 1 + self.below(8)).min(file.len()))),
            6 => {
                let from = self.below(other.len());
                let part = &other[from..(from + 1 + self.below(16)).min(other.len())];
                file.splice(at..at, part.iter().copied());
            }
            _ => {
                let end = (at + [2, 4, 8][self.below(3)]).min(file.len());
                let with = [0, 0x7f, 0xff][self.below(3)];
                file[at..end].fill(with);
            }
        }
    }
}

/// Some changes of one of the files.
fn mutated(random: &mut Random, files: &[Vec<u8>]) -> Vec<u8> {
    let mut file = files[random.below(files.len())].clone();
    let other = &files[random.below(files.len())];
    for _ in 0..1 + random.below(4) {
        random.mutate(&mut file, other);
    }
    file
}

/// Gives a parser mutations of these files; they themselves must be read. None may take more bytes than `most`.
fn fuzz(name: &str, files: &[Vec<u8>], most: usize, parse: impl Fn(&[u8]) -> Result<()>) {
    fuzz_within(name, files, most, |file| file, parse);
}

/// As `fuzz`, of files that `wrap` makes: mutations are of what stands behind a checksum that holds.
fn fuzz_within(
    name: &str,
    files: &[Vec<u8>],
    most: usize,
    wrap: impl Fn(Vec<u8>) -> Vec<u8>,
    parse: impl Fn(&[u8]) -> Result<()>,
) {
    for (i, file) in files.iter().enumerate() {
        let read = parse(&wrap(file.clone()));
        read.unwrap_or_else(|e| panic!("{name}: file {i} is not read: {e}"));
    }
    let n = std::env::var("FERROGRAPH_FUZZ_INPUTS").map_or(N_INPUTS, |n| n.parse().unwrap());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut n_refused, mut longest, mut largest) = (0, Duration::ZERO, 0);
    let began = Instant::now();
    for _ in 0..n {
        let file = wrap(mutated(&mut random, files));
        let start = Instant::now();
        let (read, taken) = memory::taken_by(|| parse(&file));
        longest = longest.max(start.elapsed());
        largest = largest.max(taken);
        assert!(taken <= most, "{name}: {taken} bytes for {file:?}");
        assert!(longest < PATIENCE, "{name}: {longest:?} for {file:?}");
        if let Err(e) = read {
            n_refused += 1;
            assert_ne!(e.kind(), ErrorKind::Internal, "{name}: {e} for {file:?}");
            assert!(!e.message().is_empty(), "{name}: no message for {file:?}");
        }
    }
    let took = began.elapsed();
    println!(
        "{name}: {n} inputs, {n_refused} refused, {took:.1?}; one at most {longest:.1?} and {largest} bytes"
    );
    assert!(n_refused > 0, "{name}: nothing was refused");
}

fn damaged(e: &impl ToString) -> Error {
    Error::new(ErrorKind::DataLoss, e.to_string())
}

/// What an operation makes of these inputs.
fn computed(op: &str, attrs: &[(&str, Attr)], inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let attrs = attrs.iter().map(|(n, a)| ((*n).to_owned(), a.clone()));
    let op = ferrograph_data::registry().make(op, &attrs.collect::<Vec<_>>())?;
    Ok(compute(&op, inputs)?.into_vec())
}

/// What an operation makes of a string and more.
fn decoded(op: &str, attrs: &[(&str, Attr)], file: &[u8], more: &[Tensor]) -> Result<()> {
    computed(op, attrs, &[&[text(file)], more].concat()).map(drop)
}

fn text(bytes: &[u8]) -> Tensor {
    Tensor::string(Bytes::from(bytes))
}

fn texts_of(all: &[&str]) -> Tensor {
    let all: Vec<Bytes> = all.iter().map(|t| Bytes::from(t.as_bytes())).collect();
    Tensor::from_strings(Shape::from([all.len()]), all).unwrap()
}

/// A tensor of each kind of contents.
fn tensors() -> [Tensor; 3] {
    [
        Tensor::vector(&[1.0f32, 2.5, -3.0]).unwrap(),
        Tensor::scalar(7i64).unwrap(),
        texts_of(&["one", ""]),
    ]
}

/// A field of bytes in a message.
fn part(number: u8, content: &[u8]) -> Vec<u8> {
    let mut all = vec![number << 3 | 2, u8::try_from(content.len()).unwrap()];
    all.extend_from_slice(content);
    all
}
