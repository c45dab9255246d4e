//! SHA-256 (FIPS 180-4) and base 64 (RFC 4648): by them a content security policy names a script.

/// The first bits of the fractional parts of the square roots, or cube roots, of the first primes.
fn root_bits<const N: usize>(is_cube: bool) -> [u32; N] {
    let mut bits = [0; N];
    let mut primes = (2u128..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    for bit in &mut bits {
        let prime = primes.next().unwrap_or(2);
        // The root of the prime times 2^64 or 2^96 is that of the prime times 2^32.
        let (scaled, power) = match is_cube {
            true => (prime << 96, 3),
            false => (prime << 64, 2),
        };
        *bit = (integer_root(scaled, power) & u128::from(u32::MAX)) as u32;
    }
    bits
}

/// The largest number whose power is no more than that; of what has a root below 2^40.
fn integer_root(of: u128, power: u32) -> u128 {
    let (mut low, mut high) = (0u128, 1 << 40);
    while low + 1 < high {
        let middle = low.midpoint(high);
        match middle.checked_pow(power) {
            Some(n) if n <= of => low = middle,
            _ => high = middle,
        }
    }
    low
}

/// The hash of these bytes.
pub(super) fn sha256(data: &[u8]) -> [u8; 32] {
    let (mut state, rounds) = (root_bits::<8>(false), root_bits::<64>(true));
    let mut padded = data.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - data.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(data.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        mix(&mut state, &rounds, block);
    }
    let mut hash = [0; 32];
    for (to, word) in hash.chunks_exact_mut(4).zip(state) {
        to.copy_from_slice(&word.to_be_bytes());
    }
    hash
}

fn mix(state: &mut [u32; 8], rounds: &[u32; 64], block: &[u8]) {
    let mut words = [0u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |sum, b| sum << 8 | u32::from(*b));
    }
    for i in 16..64 {
        let (x, y) = (words[i - 15], words[i - 2]);
        let small = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
        let large = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
        words[i] = (words[i - 16].wrapping_add(small))
            .wrapping_add(words[i - 7])
            .wrapping_add(large);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, word) in rounds.iter().zip(words) {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = (h.wrapping_add(s1).wrapping_add(choice))
            .wrapping_add(*round)
            .wrapping_add(word);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = s0.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (to, word) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *to = to.wrapping_add(word);
    }
}

/// Bytes as text.
pub(super) fn base64(data: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in data.chunks(3) {
        let bits = (0..3).fold(0, |sum, i| {
            sum << 8 | usize::from(*group.get(i).unwrap_or(&0))
        });
        for i in 0..4 {
            match i <= group.len() {
                true => text.push(char::from(LETTERS[bits >> (18 - 6 * i) & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> String {
        let bytes = sha256(text.as_bytes());
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn hashes_are_those_of_the_standard() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let two_blocks = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        assert_eq!(hex(""), empty);
        assert_eq!(hex("abc"), abc);
        let text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(text), two_blocks);
    }

    #[test]
    fn bytes_are_text() {
        let texts = ["", "f", "fo", "foo", "foob"].map(|t| base64(t.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
