//! The sine and the cosine of single numbers, as the kernels compute them: in double precision.

use super::{BYTES, as_type, repeated};
use crate::Type;
use crate::emit::Emitter;
use crate::program::Circular;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{BlockArg, InstBuilder, MemFlagsData, Value, types};
use std::f64::consts::FRAC_2_PI;

/// What is not beyond the reach of the reduction.
const NEAR: f32 = 1e8;

/// Of a sum with it the low bits are the nearest integer.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// A right angle, in two parts.
const RIGHT_ANGLE: [f64; 2] = [
    f64::from_bits(0x3ff9_21fb_5000_0000),
    f64::from_bits(0x3e51_10b4_611a_6263),
];

const SINE: [f64; 4] = [
    2.718_311_493_989_822_4e-6,
    -1.983_933_483_603_121_3e-4,
    8.333_329_385_889_463e-3,
    -0.166_666_664_163_247_35,
];

const COSINE: [f64; 4] = [
    2.439_044_879_627_741_6e-5,
    -0.001_388_676_377_460_993,
    0.041_666_623_323_739_06,
    -0.499_999_997_251_031,
];

impl Emitter<'_, '_> {
    /// A function of the first `n` lanes of vectors; where one of them is far from zero, all go through `far`.
    pub(super) fn circular(
        &mut self,
        function: Circular,
        far: extern "C" fn(f32) -> f32,
        vectors: &[Value],
        n: usize,
    ) -> Vec<Value> {
        let limit = repeated(&mut self.b, Type::F32, u64::from(NEAR.to_bits()));
        let unsigned = repeated(&mut self.b, Type::F32, u64::from(u32::MAX >> 1));
        let mut beyond = None;
        for &x in vectors {
            let size = self.b.ins().band(x, unsigned);
            let is_far = self.b.ins().fcmp(FloatCC::GreaterThan, size, limit);
            beyond = Some(match beyond {
                Some(others) => self.b.ins().bor(others, is_far),
                None => is_far,
            });
        }
        let Some(beyond) = beyond else {
            return Vec::new();
        };
        let any = self.b.ins().vany_true(beyond);
        let [out, near, next] = [(); 3].map(|()| self.b.create_block());
        for _ in vectors {
            self.b.append_block_param(next, types::F32X4);
        }
        self.b.ins().brif(any, out, &[], near, &[]);
        self.b.switch_to_block(out);
        self.b.set_cold_block(out);
        let called = self.called(far, vectors, n);
        self.b.ins().jump(next, &called);
        self.b.switch_to_block(near);
        let made: Vec<BlockArg> = vectors
            .iter()
            .map(|&x| BlockArg::from(self.near(function, x)))
            .collect();
        self.b.ins().jump(next, &made);
        self.b.switch_to_block(next);
        self.b.block_params(next).to_vec()
    }

    fn called(
        &mut self,
        far: extern "C" fn(f32) -> f32,
        vectors: &[Value],
        n: usize,
    ) -> Vec<BlockArg> {
        let place = self.place_of((vectors.len() * BYTES) as u32);
        let flags = MemFlagsData::new().with_notrap();
        for (at, &vector) in vectors.iter().enumerate() {
            self.b
                .ins()
                .store(flags, vector, place, (at * BYTES) as i32);
        }
        self.change_aside(far, place, n);
        let made = (0..vectors.len()).map(|at| {
            let offset = (at * BYTES) as i32;
            let vector = self.b.ins().load(types::F32X4, flags, place, offset);
            BlockArg::from(vector)
        });
        made.collect()
    }

    /// The function of numbers that are not far from zero.
    fn near(&mut self, function: Circular, x: Value) -> Value {
        let bytes = as_type(&mut self.b, types::I8X16, x);
        let upper_half: Vec<u8> = [8..16, 8..16].into_iter().flatten().collect();
        let upper_half = self.b.func.dfg.immediates.push(upper_half.into());
        let upper = self.b.ins().shuffle(bytes, bytes, upper_half);
        let upper = as_type(&mut self.b, types::F32X4, upper);
        let [lower, upper] = [x, upper].map(|half| self.of_half(function, half));
        let upper = as_type(&mut self.b, types::F64X2, upper);
        let upper = self.b.ins().extractlane(upper, 0);
        let lower = as_type(&mut self.b, types::F64X2, lower);
        let both = self.b.ins().insertlane(lower, upper, 1);
        let y = as_type(&mut self.b, types::F32X4, both);
        if function == Circular::Cos {
            return y;
        }
        // The sine of a zero has its sign.
        let zero = repeated(&mut self.b, Type::F32, 0);
        let is_zero = self.b.ins().fcmp(FloatCC::Equal, x, zero);
        let is_zero = as_type(&mut self.b, types::F32X4, is_zero);
        self.b.ins().bitselect(is_zero, x, y)
    }

    /// The function of the first two lanes.
    fn of_half(&mut self, function: Circular, x: Value) -> Value {
        let x = self.b.ins().fvpromote_low(x);
        let (by, round) = (self.double(FRAC_2_PI), self.double(ROUND));
        let shifted = self.b.ins().fma(x, by, round);
        let n = self.b.ins().fsub(shifted, round);
        let [high, low] = RIGHT_ANGLE.map(|part| self.double(-part));
        let r = self.b.ins().fma(n, high, x);
        let r = self.b.ins().fma(n, low, r);
        let z = self.b.ins().fmul(r, r);
        let s = self.polynomial(SINE, z);
        let s = self.b.ins().fmul(s, z);
        let s = self.b.ins().fma(s, r, r);
        let c = self.polynomial(COSINE, z);
        let one = self.double(1.0);
        let c = self.b.ins().fma(c, z, one);
        let mut quarter = as_type(&mut self.b, types::I64X2, shifted);
        if function == Circular::Cos {
            let one = self.whole_double(1);
            quarter = self.b.ins().iadd(quarter, one);
        }
        let (bit, zero) = (self.whole_double(1), self.whole_double(0));
        let odd = self.b.ins().band(quarter, bit);
        let is_even = self.b.ins().icmp(IntCC::Equal, odd, zero);
        let [s, c] = [s, c].map(|value| as_type(&mut self.b, types::I64X2, value));
        let y = self.b.ins().bitselect(is_even, s, c);
        let two = self.whole_double(2);
        let sign = self.b.ins().band(quarter, two);
        let by = self.b.ins().iconst(types::I32, 62);
        let sign = self.b.ins().ishl(sign, by);
        let y = self.b.ins().bxor(y, sign);
        let y = as_type(&mut self.b, types::F64X2, y);
        self.b.ins().fvdemote(y)
    }

    /// Horner's scheme.
    fn polynomial(&mut self, coefficients: [f64; 4], z: Value) -> Value {
        let [a, b, c, d] = coefficients.map(|c| self.double(c));
        let y = self.b.ins().fma(z, a, b);
        let y = self.b.ins().fma(y, z, c);
        self.b.ins().fma(y, z, d)
    }

    fn double(&mut self, x: f64) -> Value {
        repeated(&mut self.b, Type::F64, x.to_bits())
    }

    fn whole_double(&mut self, x: u64) -> Value {
        let all = repeated(&mut self.b, Type::F64, x);
        as_type(&mut self.b, types::I64X2, all)
    }
}
