//! Base64 in the alphabet for web addresses, RFC 4648 section 5.

use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_kernels::scratch::vec_for;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_ops::text::map_strings;
use ferrograph_tensor::{Result, Tensor, bail, string_of};
use smallvec::smallvec;

declare! {
    trait EmitBase64;

    /// Each of `input` in base64 of the alphabet for web addresses.
    EncodeBase64: encode_base64(input: string) -> (output: string like input), gradient Stops, batch Broadcasts {
        /// Whether `=` fills up to whole groups of four.
        pad: bool = false,
    };

    /// The bytes that each of `input` represents in base64 of the alphabet for web addresses, with or without padding.
    DecodeBase64: decode_base64(input: string) -> (output: string like input), gradient Stops, batch Broadcasts;
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn encoded(bytes: &[u8], pad: bool) -> Vec<u8> {
    let mut out = vec_for(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        poll_cancellation();
        let byte = |i: usize| group.get(i).map_or(0, |&b| u32::from(b));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..=group.len() {
            out.push(ALPHABET[(bits >> (18 - 6 * i) & 63) as usize]);
        }
        if pad {
            out.extend(std::iter::repeat_n(b'=', 3 - group.len()));
        }
    }
    out
}

fn value(digit: u8) -> Result<u32> {
    let found = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => bail!(InvalidArgument, "Invalid character found in base64."),
    };
    Ok(u32::from(found))
}

fn decoded(text: &[u8]) -> Result<Vec<u8>> {
    let mut digits = text;
    if text.len().is_multiple_of(4) {
        for _ in 0..2 {
            digits = digits.strip_suffix(b"=").unwrap_or(digits);
        }
    }
    if digits.len() % 4 == 1 {
        bail!(
            InvalidArgument,
            "Base64 string length cannot be 1 modulo 4."
        );
    }
    let mut out = vec_for(digits.len().div_ceil(4) * 3);
    for group in digits.chunks(4) {
        poll_cancellation();
        let mut bits = 0;
        for (i, &digit) in group.iter().enumerate() {
            bits |= value(digit)? << (18 - 6 * i);
        }
        out.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Ok(out)
}

impl Op for EncodeBase64 {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let encode = |s: &[u8]| string_of(&encoded(s, self.pad));
        Ok(smallvec![map_strings(&inputs[0], encode)?])
    }
}

impl Op for DecodeBase64 {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let decode = |s: &[u8]| string_of(&decoded(s)?);
        Ok(smallvec![map_strings(&inputs[0], decode)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let bytes: Vec<u8> = (0..=255).collect();
        for n in [0, 1, 2, 3, 4, 254, 255] {
            for pad in [false, true] {
                assert_eq!(decoded(&encoded(&bytes[..n], pad)).unwrap(), bytes[..n]);
            }
        }
        assert_eq!(encoded(b"\xff\xfe\xfd", false), b"__79");
        assert_eq!(encoded(b"a", true), b"YQ==");
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["YW I", "/+7/", "Y", "Y=Q=", "YQ=", "YQ===", "YWJj=", "===="] {
            assert!(decoded(text.as_bytes()).is_err(), "{text}");
        }
    }
}
