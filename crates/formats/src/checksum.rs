//! The masked CRC-32C that framed records, event files and bundles of tensors carry.

/// Added to the rotated checksum, so that the checksum of bytes that hold their own checksum is not degenerate.
const DELTA: u32 = 0xa282_ead8;

/// The masked CRC-32C of these bytes.
pub fn masked(bytes: &[u8]) -> u32 {
    mask(crc32c::crc32c(bytes))
}

/// The CRC-32C of what has that one, with these bytes behind it; nothing has 0.
pub fn appended(checksum: u32, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(checksum, bytes)
}

/// The masked form of a checksum.
pub fn mask(checksum: u32) -> u32 {
    checksum.rotate_right(15).wrapping_add(DELTA)
}

/// Whether these bytes have that masked checksum.
pub fn verify(bytes: &[u8], checksum: u32) -> bool {
    masked(bytes) == checksum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_the_catalogue_is_masked() {
        // CRC-32C's check value for "123456789" is 0xe3069283.
        let unmasked = masked(b"123456789").wrapping_sub(DELTA).rotate_left(15);
        assert_eq!(unmasked, 0xe306_9283);
        assert!(verify(b"123456789", masked(b"123456789")));
        assert!(!verify(b"123456780", masked(b"123456789")));
    }

    #[test]
    fn parts_come_to_the_checksum_of_the_whole() {
        let all: Vec<u8> = (0..5000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for at in [0, 1, 7, 8, 100, 255, 256, 2047, 4999, 5000] {
            let (one, other) = all.split_at(at);
            let whole = appended(appended(0, one), other);
            assert_eq!(mask(whole), masked(&all), "{at}");
        }
        // A bit at a time, by the reversed polynomial.
        let mut plain = !0u32;
        for byte in &all {
            plain ^= u32::from(*byte);
            for _ in 0..8 {
                plain = (plain >> 1) ^ ((plain & 1) * 0x82f6_3b78);
            }
        }
        assert_eq!(appended(0, &all), !plain);
    }
}
