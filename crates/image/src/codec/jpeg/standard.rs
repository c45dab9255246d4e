//! Codes that files may leave out, and that are written where none are computed: those of annex K of the standard.

use super::huffman::Codes;

const FIRST: [[u8; 16]; 2] = [
    [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
    [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
];

const OTHERS: [[u8; 16]; 2] = [
    [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d],
    [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77],
];

/// The symbols of brightness that are not in the order of the rows, and where a row begins behind them.
const BRIGHT: &[u8] = &[
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07,
    0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0,
    0x24, 0x33, 0x62, 0x72, 0x82,
];

/// As [`BRIGHT`], of colour.
const COLOUR: &[u8] = &[
    0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71,
    0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0,
    0x15, 0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1,
];

/// All symbols: those given, then the others of runs and sizes, row by row.
fn completed(given: &[u8]) -> Vec<u8> {
    let mut all = given.to_vec();
    let others = (0u8..16).flat_map(|run| (1..=10).map(move |size| run << 4 | size));
    all.extend(others.filter(|symbol| !given.contains(symbol)));
    all
}

/// The codes of brightness and of colour: of first coefficients, or of the others.
pub(super) fn codes(of_others: bool) -> [Option<Codes>; 4] {
    let (counts, symbols) = if of_others {
        (OTHERS, [completed(BRIGHT), completed(COLOUR)])
    } else {
        (FIRST, [(0..12).collect(), (0..12).collect()])
    };
    let [bright, colour] = symbols;
    let codes = |counts, symbols| Some(Codes { counts, symbols });
    [
        codes(counts[0], bright),
        codes(counts[1], colour),
        None,
        None,
    ]
}
