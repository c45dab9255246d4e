//! Damaged bytes, for tests of readers.

/// Bytes that end too early, then bytes with one bit flipped: every way of both.
pub(crate) fn damaged(whole: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let cut = (0..whole.len()).map(|end| whole[..end].to_vec());
    let flipped = (0..whole.len() * 8).map(|bit| {
        let mut bytes = whole.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    });
    cut.chain(flipped)
}
