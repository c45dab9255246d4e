//! Operations on strings, which are bytes of any encoding unless an attribute says UTF-8.

mod case;
mod join;
mod map;
mod number;
mod pattern;
mod split;
mod syntax;

pub use case::EmitStringCase;
pub use join::EmitStringJoin;
pub use map::EmitStringMap;
pub use number::EmitStringNumber;
pub use pattern::EmitPattern;
pub use split::EmitStringSplit;

use ferrograph_graph::{Inputs, Registry, Specs};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Bytes, DType, Made, Result, Tensor, TensorSpec, vec_for};
use smallvec::smallvec;

/// The spec of one result of that dtype for each element of input 0.
///
/// # Errors
/// Never: it is a result as that of `infer` is one.
pub fn like_input(inputs: &Inputs<'_>, dtype: DType) -> Result<Specs> {
    Ok(smallvec![TensorSpec::new(dtype, inputs.shape(0).clone())])
}

/// All strings that an iterator makes.
///
/// # Errors
/// Those of making one, and `ResourceExhausted` where there is no memory for all.
pub fn made(strings: impl Iterator<Item = Result<Bytes>>) -> Result<Vec<Bytes>> {
    let n = strings.size_hint().1.unwrap_or(0);
    let (mut all, mut total) = (vec_for(n)?, Made::default());
    for string in strings {
        poll_cancellation();
        let string = string?;
        total.add(&string)?;
        all.push(string);
    }
    Ok(all)
}

/// A function of each string.
///
/// # Errors
/// `DType` for a tensor of another dtype, and as [`made`].
pub fn map_strings(t: &Tensor, f: impl Fn(&[u8]) -> Result<Bytes>) -> Result<Tensor> {
    let strings = made(t.as_strings()?.iter().map(|s| f(s)))?;
    Tensor::from_strings(t.shape().clone(), strings)
}

/// How many bytes the first character of UTF-8 text has; a byte that begins none counts for itself.
fn char_len(text: &[u8]) -> usize {
    let wanted = match text.first() {
        None => return 0,
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf7) => 4,
        Some(_) => 1,
    };
    let rest = text[1..].iter().take(wanted - 1);
    1 + rest.take_while(|b| **b & 0xc0 == 0x80).count()
}

pub(crate) fn register(r: &mut Registry) {
    case::register(r);
    map::register(r);
    join::register(r);
    split::register(r);
    number::register(r);
    pattern::register(r);
}

#[cfg(test)]
mod tests;
