//! Hashes of bytes other than FarmHash.

/// Eight bytes as a little-endian number; fewer are the low ones of it.
pub(crate) fn word(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    let n = bytes.len().min(8);
    all[..n].copy_from_slice(&bytes[..n]);
    u64::from_le_bytes(all)
}

/// MurmurHash64A by Austin Appleby, with the seed that `to_hash_bucket` is documented by.
pub(crate) fn murmur(bytes: &[u8]) -> u64 {
    const SEED: u64 = 0xde_cafc_affe;
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    const R: u32 = 47;
    let mut h = SEED ^ (bytes.len() as u64).wrapping_mul(M);
    let (whole, rest) = bytes.as_chunks::<8>();
    for chunk in whole {
        let mut k = u64::from_le_bytes(*chunk).wrapping_mul(M);
        k = (k ^ (k >> R)).wrapping_mul(M);
        h = (h ^ k).wrapping_mul(M);
    }
    if !rest.is_empty() {
        h = (h ^ word(rest)).wrapping_mul(M);
    }
    h = (h ^ (h >> R)).wrapping_mul(M);
    h ^ (h >> R)
}

/// SipHash-2-4 by Aumasson and Bernstein, under a key of two numbers.
pub(crate) fn sip(bytes: &[u8], key: [u64; 2]) -> u64 {
    let mut v = [
        key[0] ^ 0x736f_6d65_7073_6575,
        key[1] ^ 0x646f_7261_6e64_6f6d,
        key[0] ^ 0x6c79_6765_6e65_7261,
        key[1] ^ 0x7465_6462_7974_6573,
    ];
    let (whole, rest) = bytes.as_chunks::<8>();
    let last = word(rest) | (bytes.len() as u64) << 56;
    for m in whole.iter().map(|c| u64::from_le_bytes(*c)).chain([last]) {
        v[3] ^= m;
        (0..2).for_each(|_| sip_round(&mut v));
        v[0] ^= m;
    }
    v[2] ^= 0xff;
    (0..4).for_each(|_| sip_round(&mut v));
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn sip_round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[2] = v[2].wrapping_add(v[3]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[1]);
    v[0] = v[0].wrapping_add(v[3]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].rotate_left(32);
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUCKETS: u64 = 1 << 62;

    #[test]
    fn recorded_hashes() {
        for (text, murmured, sipped) in [
            ("", 105_434_511_174_508_091, 443_797_209_252_341_627),
            ("a", 2_996_632_905_371_535_868, 546_566_331_822_570_742),
            ("abc", 1_046_625_677_629_754_806, 1_250_540_936_487_842_205),
            (
                "hello world, this is",
                2_215_777_200_206_083_344,
                3_729_325_047_839_356_511,
            ),
        ] {
            assert_eq!(murmur(text.as_bytes()) % BUCKETS, murmured, "{text}");
            assert_eq!(sip(text.as_bytes(), [1, 2]) % BUCKETS, sipped, "{text}");
        }
    }
}
