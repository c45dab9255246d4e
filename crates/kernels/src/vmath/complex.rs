//! Functions of complex numbers, in double precision, without overflow or cancellation on the way.
//!
//! Inverse functions follow W. Kahan, "Branch cuts for complex elementary functions": products of square roots whose
//! parts are accurate each by itself.

pub mod moderate;

use num_complex::Complex;

type C = Complex<f64>;

const ONE: C = C::new(1.0, 0.0);

/// Beyond it `e^x` is taken in two steps.
const LARGE: f64 = 700.0;

/// The binary exponent of the larger part; 0 where there is none.
fn exponent(z: C) -> i32 {
    let size = z.re.abs().max(z.im.abs());
    if size == 0.0 || !size.is_finite() {
        return 0;
    }
    libm::frexp(size).1
}

/// `z 2^n`
fn scaled(z: C, n: i32) -> C {
    C::new(libm::ldexp(z.re, n), libm::ldexp(z.im, n))
}

fn times_i(z: C) -> C {
    C::new(-z.im, z.re)
}

fn over_i(z: C) -> C {
    C::new(z.im, -z.re)
}

/// `a b`, 0 where `a` is 0 even if `b` is infinite.
fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 { a } else { a * b }
}

/// `a / b`; NaN by zero.
pub fn div(a: C, b: C) -> C {
    let (size, square) = (a.re.abs().max(a.im.abs()), b.re * b.re + b.im * b.im);
    if (1e-280..1e280).contains(&square) && (size == 0.0 || (1e-140..1e160).contains(&size)) {
        return a * b.conj() / square;
    }
    let (na, nb) = (exponent(a), exponent(b));
    let (u, v) = (scaled(a, -na), scaled(b, -nb));
    let q = scaled(u * v.conj() / v.norm_sqr(), na - nb);
    if q.re.is_nan() && q.im.is_nan() {
        at_infinity(a, b).unwrap_or(q)
    } else {
        q
    }
}

/// The quotient where one operand is infinite.
fn at_infinity(a: C, b: C) -> Option<C> {
    let infinite = |z: C| z.re.is_infinite() || z.im.is_infinite();
    let corner = |z: C| {
        let part = |x: f64| if x.is_infinite() { 1f64 } else { 0.0 }.copysign(x);
        C::new(part(z.re), part(z.im))
    };
    if infinite(a) && b.is_finite() && b != C::new(0.0, 0.0) {
        return Some(corner(a) * b.conj() * f64::INFINITY);
    }
    (infinite(b) && a.is_finite()).then(|| a * corner(b).conj() * 0.0)
}

/// `1 / z`
pub fn reciprocal(z: C) -> C {
    div(ONE, z)
}

/// `z²`
pub fn square(z: C) -> C {
    C::new((z.re - z.im) * (z.re + z.im), 2.0 * z.re * z.im)
}

/// The square root with a real part that is not negative; both parts are accurate.
pub fn sqrt(z: C) -> C {
    if z.re.is_nan() || z.im.is_nan() || z == C::new(0.0, 0.0) || z.im.is_infinite() {
        return root_of_special(z);
    }
    let n = exponent(z) & !1;
    let z = scaled(z, -n);
    let t = (0.5 * (z.re.abs() + z.re.hypot(z.im))).sqrt();
    let other = z.im / (2.0 * t);
    let root = if z.re >= 0.0 {
        C::new(t, other)
    } else {
        C::new(other.abs(), t.copysign(z.im))
    };
    scaled(root, n / 2)
}

fn root_of_special(z: C) -> C {
    match z {
        z if z.im.is_infinite() => C::new(f64::INFINITY, z.im),
        z if z.re == 0.0 && z.im == 0.0 => C::new(0.0, z.im),
        z => z.sqrt(),
    }
}

/// `1 / sqrt(z)`
pub fn rsqrt(z: C) -> C {
    if z == C::new(0.0, 0.0) {
        return C::new(f64::INFINITY, f64::NAN);
    }
    reciprocal(sqrt(z))
}

/// `z / |z|`, 0 at 0.
pub fn sign(z: C) -> C {
    if z.re == 0.0 && z.im == 0.0 {
        return z;
    }
    let z = scaled(z, -exponent(z));
    z / z.re.hypot(z.im)
}

/// `e^x (c + i s)`
fn turned(x: f64, c: f64, s: f64) -> C {
    if x <= LARGE {
        let size = x.exp();
        return C::new(times(c, size), times(s, size));
    }
    let half = (0.5 * x).exp();
    C::new(times(times(c, half), half), times(times(s, half), half))
}

/// `e^z`
pub fn exp(z: C) -> C {
    if z.im == 0.0 {
        return C::new(z.re.exp(), z.im);
    }
    if z.re.is_infinite() && !z.im.is_finite() {
        // The direction is unknown: zero has none, and an infinite size stays.
        let is_zero = z.re < 0.0;
        return C::new(z.re.exp(), if is_zero { 0.0 } else { f64::NAN });
    }
    turned(z.re, z.im.cos(), z.im.sin())
}

/// `e^z - 1`, without cancellation near 0.
pub fn expm1(z: C) -> C {
    if z.re > LARGE {
        return exp(z) - ONE;
    }
    let s = (0.5 * z.im).sin();
    C::new(
        z.re.exp_m1() * z.im.cos() - 2.0 * s * s,
        times(z.im.sin(), z.re.exp()),
    )
}

/// The natural logarithm.
pub fn log(z: C) -> C {
    let (large, small) = if z.re.abs() < z.im.abs() {
        (z.im.abs(), z.re.abs())
    } else {
        (z.re.abs(), z.im.abs())
    };
    let size = if (0.5..2.0).contains(&large) {
        // Near the unit circle the logarithm is that of what the square is beyond 1.
        0.5 * ((large - 1.0) * (large + 1.0) + small * small).ln_1p()
    } else if large > 1e300 {
        (0.25 * large).hypot(0.25 * small).ln() + 2.0 * std::f64::consts::LN_2
    } else {
        large.hypot(small).ln()
    };
    C::new(size, z.im.atan2(z.re))
}

/// `log(1 + z)`, without cancellation near 0.
pub fn log1p(z: C) -> C {
    if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        let beyond = z.re * (2.0 + z.re) + z.im * z.im;
        return C::new(0.5 * beyond.ln_1p(), z.im.atan2(1.0 + z.re));
    }
    log(plus_one(z))
}

/// The hyperbolic sine and cosine of `x` times `s` and `c`.
fn hyperbolic(x: f64, s: f64, c: f64) -> (f64, f64) {
    if x.abs() <= LARGE {
        return (times(s, x.sinh()), times(c, x.cosh()));
    }
    let half = (0.5 * x.abs()).exp();
    let grown = |a: f64| times(times(0.5 * a, half), half);
    (grown(s.copysign(s * x)), grown(c))
}

/// The hyperbolic sine.
pub fn sinh(z: C) -> C {
    let (re, im) = hyperbolic(z.re, z.im.cos(), z.im.sin());
    C::new(re, im)
}

/// The hyperbolic cosine.
pub fn cosh(z: C) -> C {
    let (im, re) = hyperbolic(z.re, z.im.sin(), z.im.cos());
    C::new(re, im)
}

/// The hyperbolic tangent.
pub fn tanh(z: C) -> C {
    if z.re.abs() > 20.0 {
        let rest = 4.0 * z.im.sin() * z.im.cos() * (-2.0 * z.re.abs()).exp();
        return C::new(
            1f64.copysign(z.re),
            if z.im.is_finite() { rest } else { 0.0 },
        );
    }
    let (t, s) = (z.im.tan(), z.re.sinh());
    let beta = 1.0 + t * t;
    let rho = (1.0 + s * s).sqrt();
    C::new(beta * rho * s, t) / (1.0 + beta * s * s)
}

/// The sine.
pub fn sin(z: C) -> C {
    over_i(sinh(times_i(z)))
}

/// The cosine.
pub fn cos(z: C) -> C {
    cosh(times_i(z))
}

/// The tangent.
pub fn tan(z: C) -> C {
    over_i(tanh(times_i(z)))
}

/// `1 / (1 + e^-z)`
pub fn sigmoid(z: C) -> C {
    if z.re < 0.0 {
        let e = exp(z);
        return div(e, ONE + e);
    }
    reciprocal(ONE + exp(-z))
}

/// `z + 1`, whose imaginary part keeps the sign of a zero, which distinguishes the sides of a branch cut.
fn plus_one(z: C) -> C {
    C::new(z.re + 1.0, z.im)
}

/// The direction of an infinite number, each part -1, 0 or 1; None of others, and where a part is NaN.
fn direction(z: C) -> Option<C> {
    let is_infinite = z.re.is_infinite() || z.im.is_infinite();
    let part = |x: f64| if x.is_infinite() { 1f64 } else { 0.0 }.copysign(x);
    (is_infinite && !z.re.is_nan() && !z.im.is_nan()).then(|| C::new(part(z.re), part(z.im)))
}

/// The inverse sine.
pub fn asin(z: C) -> C {
    if let Some(to) = direction(z) {
        let angle = to.re.atan2(to.im.abs());
        return C::new(angle, f64::INFINITY.copysign(z.im));
    }
    let (below, above) = (sqrt(plus_one(-z)), sqrt(plus_one(z)));
    C::new(
        z.re.atan2((below * above).re),
        libm::asinh((below.conj() * above).im),
    )
}

/// The inverse cosine.
pub fn acos(z: C) -> C {
    if let Some(to) = direction(z) {
        let angle = to.im.abs().atan2(to.re);
        return C::new(angle, (-f64::INFINITY).copysign(-z.im));
    }
    let (below, above) = (sqrt(plus_one(-z)), sqrt(plus_one(z)));
    C::new(
        2.0 * below.re.atan2(above.re),
        libm::asinh((above.conj() * below).im),
    )
}

/// The inverse hyperbolic cosine.
pub fn acosh(z: C) -> C {
    if let Some(to) = direction(z) {
        let angle = to.im.abs().atan2(to.re);
        return C::new(f64::INFINITY, angle.copysign(z.im));
    }
    let (below, above) = (sqrt(C::new(z.re - 1.0, z.im)), sqrt(plus_one(z)));
    C::new(
        libm::asinh((below.conj() * above).re),
        2.0 * below.im.atan2(above.re),
    )
}

/// The inverse hyperbolic sine.
pub fn asinh(z: C) -> C {
    over_i(asin(times_i(z)))
}

/// The inverse hyperbolic tangent.
pub fn atanh(z: C) -> C {
    let (x, y) = (z.re.abs(), z.im);
    if x.max(y.abs()) > 1e100 {
        let part = reciprocal(z).re;
        return C::new(part, std::f64::consts::FRAC_PI_2.copysign(y));
    }
    let re = if x == 1.0 {
        0.5 * (2f64.hypot(y) / y.abs()).ln()
    } else {
        0.25 * (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p()
    };
    let im = 0.5 * (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y);
    C::new(re.copysign(z.re), im)
}

/// The inverse tangent.
pub fn atan(z: C) -> C {
    over_i(atanh(times_i(z)))
}

/// `a^b`, with `a^0 = 1`; zero to a power of positive real part is zero.
pub fn pow(a: C, b: C) -> C {
    let zero = C::new(0.0, 0.0);
    match (a == zero, b == zero) {
        (_, true) => ONE,
        (true, false) if b.re > 0.0 => zero,
        (true, false) if b.re < 0.0 => C::new(f64::INFINITY, f64::NAN),
        (true, false) => C::new(f64::NAN, f64::NAN),
        _ => exp(b * log(a)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(got: C, re: f64, im: f64) {
        let want = C::new(re, im);
        assert!((got - want).norm() <= 1e-14 * want.norm(), "{got} {want}");
    }

    #[test]
    fn infinite_numbers_have_directions() {
        let (inf, right) = (f64::INFINITY, std::f64::consts::FRAC_PI_2);
        assert_eq!(asin(C::new(inf, -1.0)), C::new(right, -inf));
        assert_eq!(asin(C::new(-inf, inf)), C::new(-0.5 * right, inf));
        assert_eq!(acos(C::new(-inf, inf)), C::new(1.5 * right, -inf));
        assert_eq!(acosh(C::new(inf, -inf)), C::new(inf, -0.5 * right));
        assert_eq!(asinh(C::new(0.0, inf)), C::new(inf, right));
        assert_eq!(exp(C::new(-inf, inf)), C::new(0.0, 0.0));
        let grown = exp(C::new(inf, inf));
        assert!(grown.re == inf && grown.im.is_nan());
    }

    #[test]
    fn quotients_keep_their_size() {
        for size in [1e-300, 1e-160, 1.0, 1e200, 1e307] {
            near(div(C::new(size, size), C::new(size, -size)), 0.0, 1.0);
        }
        near(reciprocal(C::new(0.0, 1e-300)), 0.0, -1e300);
        assert_eq!(div(ONE, C::new(f64::INFINITY, 1.0)), C::new(0.0, 0.0));
        let by_zero = reciprocal(C::new(0.0, 0.0));
        assert!(by_zero.re.is_nan() && by_zero.im.is_nan());
    }

    #[test]
    fn functions_keep_far_and_small_parts() {
        assert_eq!(exp(C::new(1000.0, 0.0)), C::new(f64::INFINITY, 0.0));
        near(log1p(C::new(1e-20, 0.0)), 1e-20, 0.0);
        near(tanh(C::new(1000.0, 1.0)), 1.0, 0.0);
        near(tan(C::new(0.3, -1000.0)), 0.0, -1.0);
        near(sigmoid(C::new(-1e308, 1.0)) + ONE, 1.0, 0.0);
        near(asin(C::new(0.0, 1e-17)), 0.0, 1e-17);
        near(atan(C::new(0.0, 1e-17)), 0.0, 1e-17);
        near(
            asinh(C::new(-1.0, -100.0)),
            -5.298_342_370_610_338,
            -1.560_796_160_170_731_7,
        );
    }

    #[test]
    fn inverses_tell_the_sides_of_their_cuts() {
        for x in [1.5, 3.0, 1e10, 1e300] {
            let height = libm::acosh(x);
            for (re, side) in [(x, 1.0), (x, -1.0), (-x, 1.0), (-x, -1.0)] {
                let z = C::new(re, 0f64.copysign(side));
                let sine = std::f64::consts::FRAC_PI_2.copysign(re);
                near(asin(z), sine, side * height);
                let cosine = std::f64::consts::FRAC_PI_2 - sine;
                near(acos(z), cosine, -side * height);
                near(acosh(z), height, side * cosine);
                near(asinh(over_i(z)), -side * -height, -sine);
                near(sqrt(z).conj(), sqrt(z.conj()).re, sqrt(z.conj()).im);
                near(atanh(z).conj(), atanh(z.conj()).re, atanh(z.conj()).im);
                near(log1p(z).conj(), log1p(z.conj()).re, log1p(z.conj()).im);
            }
        }
    }

    #[test]
    fn inverses_undo() {
        for (re, im) in [(0.3, -0.4), (-2.0, 1.0), (1.5, 0.0), (-0.1, 3.0)] {
            let z = C::new(re, im);
            near(sin(asin(z)), re, im);
            near(cos(acos(z)), re, im);
            near(tan(atan(z)), re, im);
            near(sinh(asinh(z)), re, im);
            near(cosh(acosh(z)), re, im);
            near(tanh(atanh(z)), re, im);
            near(exp(log(z)), re, im);
            near(square(sqrt(z)), re, im);
            near(expm1(log1p(z)), re, im);
        }
    }
}
