//! Products of matrices whose rows are in pieces, as the windows of a convolution are: nothing is laid out again.
//!
//! A tile of the result stays in registers while the summed dimension passes by. It is written once, for vectors of any
//! width ([`lanes`]), and compiled for each instruction set. Numbers of 16 bits are read and written as such ([`stored`]).

mod channels;
pub(crate) mod lanes;
#[cfg(target_arch = "x86_64")]
pub(crate) mod parts;
mod product;
pub(crate) mod stored;
mod transposed;

pub use channels::{Channels, Tap, slide_channels, sum_channels};
pub use product::{Panels, multiply};
pub use transposed::multiply_transposed;

/// Rows of numbers that are in pieces: row `i` is, one after another, the `len` numbers from `origins[i] + runs[j]` on.
#[derive(Clone, Copy, Debug)]
pub struct Pieces<'a> {
    /// Where the numbers are.
    pub data: &'a [f32],
    /// Where each row begins.
    pub origins: &'a [usize],
    /// How far each piece is from there.
    pub runs: &'a [usize],
    /// The numbers of a piece.
    pub len: usize,
}

impl Pieces<'_> {
    /// The numbers of a row.
    pub fn width(&self) -> usize {
        self.runs.len() * self.len
    }

    fn check(&self) {
        let last = |all: &[usize]| all.iter().copied().max();
        if let (Some(origin), Some(run)) = (last(self.origins), last(self.runs)) {
            let end = origin
                .checked_add(run)
                .and_then(|n| n.checked_add(self.len));
            assert!(
                end.is_some_and(|end| end <= self.data.len()),
                "pieces lie within the data"
            );
        }
    }
}

#[cfg(test)]
mod tests;
