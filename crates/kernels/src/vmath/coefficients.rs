//! The numbers of the functions here, for those who spell the same functions out in machine code. Polynomials have the
//! highest coefficient first.

/// Single precision.
pub mod single {
    /// Leading bits of ln 2, so that its product with an exponent is exact.
    pub const LN2_HI: f32 = 0.693_359_4;
    /// The rest of ln 2.
    pub const LN2_LO: f32 = -2.121_944_4e-4;
    /// Adding it rounds to the nearest integer, which then is in the low bits.
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
    /// Below it the hyperbolic tangent is a polynomial.
    pub const TANH_NEAR: f32 = 0.55;
    /// `(tanh(x) / x - 1) / x²` in x², to there: minimax, the coefficients then searched for the least error of the
    /// rounded result, as those of the next four are.
    pub const TANH: [f32; 4] = [
        1.643_759_2e-2,
        -5.267_179_8e-2,
        1.332_073_2e-1,
        -3.333_294_7e-1,
    ];
    /// Half of ln 2.
    pub const LN2_HALF: f32 = 0.346_573_6;
    /// `e^2r` for `|r| <= ln 2 / 4`.
    pub const EXP_TWICE: [f32; 7] = [
        8.855_581e-2,
        2.679_941e-1,
        6.666_916e-1,
        1.333_313_1,
        1.999_999_2,
        2.0,
        1.0,
    ];
    /// Below it the error function is a polynomial.
    pub const ERF_NEAR: f32 = 1.1;
    /// `erf(x) / x - 1` in x², to there.
    pub const ERF_SMALL: [f32; 7] = [
        7.188_009e-5,
        -7.805_796_3e-4,
        5.164_867_3e-3,
        -2.684_144e-2,
        1.128_329_2e-1,
        -3.761_26e-1,
        1.283_791_4e-1,
    ];
    /// The fourth root of `1 - erf(x)`, from there to 4.
    pub const ERF_ROOT: [f32; 8] = [
        -1.845_85e-4,
        3.296_572e-3,
        -2.253_047_4e-2,
        6.698_739_5e-2,
        -5.184_747_3e-2,
        -6.217_733_8e-2,
        -3.093_920_4e-1,
        1.005_618_3,
    ];
    /// Below it the complement of the error function is one less that.
    pub const ERFC_NEAR: f32 = 0.6;
    /// `(t + 3) e^t² erfc(t)` in `(t - 3) / (t + 3)`, for `t` to 10.25: a Chebyshev fit.
    pub const ERFC: [f32; 10] = [
        -3.337_180_5e-4,
        -4.987_612e-4,
        3.078_341_3e-3,
        -1.216_994_4e-3,
        -0.026_836_796,
        0.119_527_2,
        -0.310_466_6,
        0.590_228_44,
        -0.883_394_5,
        1.074_006_9,
    ];
}

/// Double precision.
pub mod double {
    /// Leading bits of ln 2, so that its product with an exponent is exact.
    pub const LN2_HI: f64 = 6.931_471_803_691_238e-1;
    /// The rest of ln 2.
    pub const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    /// Adding it rounds to the nearest integer, which then is in the low bits.
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
