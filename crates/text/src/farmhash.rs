//! The 64-bit fingerprint of FarmHash by Geoff Pike: it stays the same for ever, on every machine.

use crate::hash::word;

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// The fingerprint of bytes.
pub(crate) fn fingerprint(s: &[u8]) -> u64 {
    match s.len() {
        0..=16 => up_to_16(s),
        17..=32 => up_to_32(s),
        33..=64 => up_to_64(s),
        _ => longer(s),
    }
}

fn add(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}

fn mul(a: u64, b: u64) -> u64 {
    a.wrapping_mul(b)
}

/// Rotated right.
fn turn(x: u64, by: u32) -> u64 {
    x.rotate_right(by)
}

fn shift_mix(x: u64) -> u64 {
    x ^ (x >> 47)
}

/// Eight bytes from a place on.
fn at(s: &[u8], i: usize) -> u64 {
    word(&s[i..i + 8])
}

fn mixed(u: u64, v: u64, by: u64) -> u64 {
    let a = shift_mix(mul(u ^ v, by));
    mul(shift_mix(mul(v ^ a, by)), by)
}

fn length_factor(s: &[u8]) -> u64 {
    add(K2, 2 * s.len() as u64)
}

fn up_to_16(s: &[u8]) -> u64 {
    let n = s.len();
    if n >= 8 {
        let by = length_factor(s);
        let (a, b) = (add(at(s, 0), K2), at(s, n - 8));
        let c = add(mul(turn(b, 37), by), a);
        let d = mul(add(turn(a, 25), b), by);
        return mixed(c, d, by);
    }
    if n >= 4 {
        let (a, b) = (word(&s[..4]), word(&s[n - 4..]));
        return mixed(add(n as u64, a << 3), b, length_factor(s));
    }
    if n > 0 {
        let [a, b, c] = [s[0], s[n / 2], s[n - 1]].map(u64::from);
        let (y, z) = (a + (b << 8), n as u64 + (c << 2));
        return mul(shift_mix(mul(y, K2) ^ mul(z, K0)), K2);
    }
    K2
}

fn up_to_32(s: &[u8]) -> u64 {
    let (n, by) = (s.len(), length_factor(s));
    let (a, b) = (mul(at(s, 0), K1), at(s, 8));
    let (c, d) = (mul(at(s, n - 8), by), mul(at(s, n - 16), K2));
    let first = add(add(turn(add(a, b), 43), turn(c, 30)), d);
    mixed(first, add(add(a, turn(add(b, K2), 18)), c), by)
}

fn up_to_64(s: &[u8]) -> u64 {
    let (n, by) = (s.len(), length_factor(s));
    let (a, b) = (mul(at(s, 0), K2), at(s, 8));
    let (c, d) = (mul(at(s, n - 8), by), mul(at(s, n - 16), K2));
    let y = add(add(turn(add(a, b), 43), turn(c, 30)), d);
    let z = mixed(y, add(add(a, turn(add(b, K2), 18)), c), by);
    let (e, f) = (mul(at(s, 16), by), at(s, 24));
    let (g, h) = (
        mul(add(y, at(s, n - 32)), by),
        mul(add(z, at(s, n - 24)), by),
    );
    let first = add(add(turn(add(e, f), 43), turn(g, 30)), h);
    mixed(first, add(add(e, turn(add(f, a), 18)), g), by)
}

/// Two words out of 32 bytes and two seeds.
fn seeded(s: &[u8], mut a: u64, mut b: u64) -> (u64, u64) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|i| at(s, i));
    a = add(a, w);
    b = turn(add(add(b, a), z), 21);
    let c = a;
    a = add(add(a, x), y);
    b = add(b, turn(a, 44));
    (add(a, z), add(b, c))
}

/// What is carried from one block of 64 bytes to the next.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    /// Mixes a block in, by a factor and a weight of what was carried.
    fn mix(&mut self, s: &[u8], by: u64, weight: u64) {
        let (v, w) = (self.v, self.w);
        let x = add(add(add(self.x, self.y), v.0), at(s, 8));
        let y = add(add(self.y, v.1), at(s, 48));
        self.x = mul(turn(x, 37), by) ^ mul(w.1, weight);
        self.y = add(mul(turn(y, 42), by), add(mul(v.0, weight), at(s, 40)));
        self.z = mul(turn(add(self.z, w.0), 33), by);
        self.v = seeded(s, mul(v.1, by), add(self.x, w.0));
        self.w = seeded(&s[32..], add(self.z, w.1), add(self.y, at(s, 16)));
        std::mem::swap(&mut self.z, &mut self.x);
    }
}

fn longer(s: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let y = add(mul(SEED, K1), 113);
    let mut state = State {
        x: add(mul(SEED, K2), at(s, 0)),
        y,
        z: mul(shift_mix(add(mul(y, K2), 113)), K2),
        v: (0, 0),
        w: (0, 0),
    };
    let blocks = (s.len() - 1) / 64;
    for block in s.chunks(64).take(blocks) {
        state.mix(block, K1, 1);
    }
    let by = add(K1, (state.z & 0xff) << 1);
    state.w.0 = add(state.w.0, (s.len() as u64 - 1) & 63);
    state.v.0 = add(state.v.0, state.w.0);
    state.w.0 = add(state.w.0, state.v.0);
    state.mix(&s[s.len() - 64..], by, 9);
    let State { x, y, z, v, w } = state;
    let first = add(add(mixed(v.0, w.0, by), mul(shift_mix(y), K0)), z);
    mixed(first, add(mixed(v.1, w.1, by), x), by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_fingerprints() {
        for (text, hash) in [
            (String::new(), 1_936_946_117_179_621_455),
            ("a".into(), 3_694_432_073_954_588_131),
            ("abc".into(), 2_640_714_258_260_161_385),
            ("hello world, this is".into(), 1_357_991_222_896_029_483),
            ("x".repeat(40), 3_168_538_174_772_821_140),
            ("y".repeat(100), 3_286_434_551_874_864_643),
        ] {
            assert_eq!(fingerprint(text.as_bytes()) % (1 << 62), hash, "{text}");
        }
    }
}
