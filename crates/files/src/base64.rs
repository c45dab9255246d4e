//! Base64, which is how JSON has bytes.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64, filled up with `=` to whole groups of four.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |i: usize| group.get(i).map_or(0, |&b| u32::from(b));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i > group.len() { '=' } else { digit.into() });
        }
    }
    text
}

/// The bytes that a text represents in base64, of either alphabet, with or without padding; none for other text.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    if digits.len() % 4 == 1 || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for (i, &digit) in group.iter().enumerate() {
            bits |= u32::from(value(digit)?) << (18 - 6 * i);
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let bytes: Vec<u8> = (0..=255).collect();
        for n in [0, 1, 2, 3, 4, 254, 255, 256] {
            assert_eq!(decode(&encode(&bytes[..n])).unwrap(), bytes[..n]);
        }
        assert_eq!(encode(b"\xff\xfe\xfd"), "//79");
        assert_eq!(encode(b"a"), "YQ==");
        assert_eq!(decode("__79").unwrap(), b"\xff\xfe\xfd");
    }

    #[test]
    fn other_text_is_none() {
        for text in ["YW I", "Y", "YQ===", "?", "é"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
