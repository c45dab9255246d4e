//! The numbers of the functions here, for those who spell the same functions out in machine code. Polynomials have the
//! highest coefficient first.

/// Single precision.
pub mod single {
    /// Leading bits of ln 2, so that its product with an exponent is exact.
    pub const LN2_HI: f32 = 0.693_359_4;
    /// The rest of ln 2.
    pub const LN2_LO: f32 = -2.121_944_4e-4;
    /// Adding it rounds to the nearest integer, which then lies in the low bits.
    pub const ROUND: f32 = 12_582_912.0;
    /// `(e^r - 1 - r) / r²` for `|r| <= ln 2 / 2`.
    pub const EXP_TAIL: [f32; 6] = [
        1.987_569_1e-4,
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ];
    /// What numbers below the normal range are multiplied with before their logarithm, `2^23`.
    pub const LOG_SCALE: f32 = 8_388_608.0;
    /// The bits of the root of one half.
    pub const SQRT_HALF: u32 = 0x3f35_04f3;
    /// `(log(1 + f) - f + f²/2) / f³` between the roots of one half and two.
    pub const LOG: [f32; 9] = [
        7.037_683_6e-2,
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_5e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ];
    /// Up to here the hyperbolic tangent is a polynomial.
    pub const TANH_NEAR: f32 = 0.6;
    /// `(tanh(x) / x - 1) / x²` in x².
    pub const TANH: [f32; 5] = [
        -5.895_158e-3,
        2.079_597_1e-2,
        -5.378_383e-2,
        1.333_192_4e-1,
        -3.333_33e-1,
    ];
    /// `erf(x) / x - 1` in x², to 1.
    pub const ERF_SMALL: [f32; 7] = [
        7.875_875e-5,
        -8.016_864e-4,
        5.189_087_4e-3,
        -2.685_421_2e-2,
        1.128_359_5e-1,
        -3.761_262_7e-1,
        1.283_791_7e-1,
    ];
    /// `-ln(erfc(x)) / x`, from 1 to 4.
    pub const ERF_LARGE: [f32; 9] = [
        -2.536_835_4e-7,
        4.008_122e-6,
        -8.450_705e-6,
        -2.976_047_4e-4,
        3.732_554_6e-3,
        -2.413_886e-2,
        1.068_022_1e-1,
        6.347_56e-1,
        1.128_755_9,
    ];
}

/// Double precision.
pub mod double {
    /// Leading bits of ln 2, so that its product with an exponent is exact.
    pub const LN2_HI: f64 = 6.931_471_803_691_238e-1;
    /// The rest of ln 2.
    pub const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    /// Adding it rounds to the nearest integer, which then lies in the low bits.
    pub const ROUND: f64 = 6_755_399_441_055_744.0;
    /// What the quotient of the exponential takes from `r`, over `-r²`, in `r²`.
    pub const EXP: [f64; 5] = [
        4.138_136_797_057_238_5e-8,
        -1.653_390_220_546_525_2e-6,
        6.613_756_321_437_934e-5,
        -2.777_777_777_701_559_3e-3,
        1.666_666_666_666_66e-1,
    ];
    /// What numbers below the normal range are multiplied with before their logarithm, `2^54`.
    pub const LOG_SCALE: f64 = 18_014_398_509_481_984.0;
    /// The bits of the root of one half.
    pub const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    /// The logarithm of `(1 + s) / (1 - s)`, without `2 s`, over `s³`, in `s²`.
    pub const LOG: [f64; 7] = [
        1.479_819_860_511_658_6e-1,
        1.531_383_769_920_937_3e-1,
        1.818_357_216_161_805e-1,
        2.222_219_843_214_978_4e-1,
        2.857_142_874_366_239e-1,
        3.999_999_999_940_942e-1,
        6.666_666_666_666_735e-1,
    ];
    /// Up to where the hyperbolic tangent is a quotient of polynomials in `x²`.
    pub const TANH_NEAR: f64 = 0.625;
    /// The dividend of that.
    pub const TANH_ABOVE: [f64; 3] = [
        -9.643_991_794_250_523e-1,
        -9.928_772_310_019_185e1,
        -1.614_687_684_417_084_5e3,
    ];
    /// The divisor.
    pub const TANH_BELOW: [f64; 4] = [
        1.0,
        1.128_116_784_916_329_3e2,
        2.235_488_390_601_004_5e3,
        4.844_063_053_251_255e3,
    ];
}
