//! Upper and lower case.

use super::map_strings;
use crate::attrs::attr_enum;
use ferrograph_graph::{Op, Runner, Tensors, declare_family, of_family};
use ferrograph_tensor::{Bytes, Result, Tensor, err, string_of};
use smallvec::smallvec;

declare_family! {
    trait EmitStringCase;

    /// Each string in upper or lower case: ASCII letters only, or all of UTF-8.
    StringCase {
        /// Upper rather than lower.
        upper: bool,
    } (input: string) -> (output: string like input) {
        /// What the strings are.
        encoding: Encoding = Encoding::Bytes,
    };

    /// Each of `input` in lower case.
    StringLower: string_lower, gradient Stops, batch Broadcasts { upper: false };
    /// Each of `input` in upper case.
    StringUpper: string_upper, gradient Stops, batch Broadcasts { upper: true };
}

attr_enum! {
    /// What strings are.
    Encoding {
        /// Bytes, of which ASCII letters have a case.
        Bytes = "",
        /// Text.
        Utf8 = "utf-8",
    }
}

impl Op for StringCase {
    of_family!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let change = |s: &[u8]| -> Result<Bytes> {
            if self.encoding == Encoding::Bytes {
                let ascii = if self.upper {
                    s.to_ascii_uppercase()
                } else {
                    s.to_ascii_lowercase()
                };
                return string_of(&ascii);
            }
            let text = std::str::from_utf8(s)
                .map_err(|_| err!(InvalidArgument, "\"{}\" is not UTF-8", s.escape_ascii()))?;
            let text = if self.upper {
                text.to_uppercase()
            } else {
                text.to_lowercase()
            };
            string_of(text.as_bytes())
        };
        Ok(smallvec![map_strings(&inputs[0], change)?])
    }
}
