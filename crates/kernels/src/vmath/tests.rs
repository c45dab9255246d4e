//! Accuracy against double precision, on dense samples of all floats and at the edges.

use crate::elementwise::{
    Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, BinaryOp, Cos, Cosh, Erf, Erfc, Exp, Expm1, Log,
    Log1p, Pow, Sigmoid, Sin, Sinh, Softplus, Tan, Tanh, UnaryOp,
};

use crate::isa::Unfused;

/// Every 997th float, which meets all exponents, and the edges.
fn samples() -> Vec<f32> {
    let edges = [
        0.0,
        f32::MIN_POSITIVE,
        1e-45,
        1.0,
        f32::INFINITY,
        f32::NAN,
        f32::MAX,
        88.722_83,
        88.722_84,
        103.97,
        104.0,
    ];
    let dense = (0..u32::MAX).step_by(997).map(f32::from_bits);
    edges.iter().flat_map(|&e| [e, -e]).chain(dense).collect()
}

/// The distance in units of the last place of the wanted value.
fn ulps(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if got.is_nan() || rounded.is_nan() || got.is_infinite() || rounded.is_infinite() {
        let same = got == rounded || (got.is_nan() && rounded.is_nan());
        let edge = rounded.is_infinite() && got == f32::MAX.copysign(rounded);
        return if same || edge { 0.0 } else { f64::INFINITY };
    }
    let place = (rounded.abs().max(f32::MIN_POSITIVE)).to_bits() >> 23;
    (got as f64 - want).abs() / 2f64.powi(place as i32 - 127 - 23)
}

fn check<O: UnaryOp<f32, Out = f32>>(name: &str, limit: f64, truth: impl Fn(f64) -> f64) {
    let x = samples();
    let mut y = vec![0.0; x.len()];
    O::slice(&x, &mut y);
    report(name, limit, &x, &y, &truth);
    let portable = |&x: &f32| {
        if O::is_rare(x) {
            O::rare(x)
        } else {
            O::apply::<Unfused>(x)
        }
    };
    report(
        name,
        limit,
        &x,
        &x.iter().map(portable).collect::<Vec<_>>(),
        &truth,
    );
}

fn report(name: &str, limit: f64, x: &[f32], y: &[f32], truth: &impl Fn(f64) -> f64) {
    let worst = x
        .iter()
        .zip(y)
        .map(|(&x, &y)| (ulps(y, truth(x as f64)), x, y))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let (error, at, got) = worst.unwrap();
    println!("{name}: {error:.2} ulp at {at:e}");
    assert!(
        error <= limit,
        "{name}({at:e}) = {got:e}, wanted {:e}: {error} ulp",
        truth(at as f64)
    );
}

#[test]
fn f32_functions_are_within_4_ulp() {
    check::<Exp>("exp", 2.0, f64::exp);
    check::<Erfc>("erfc", 4.0, libm::erfc);
    check::<Tan>("tan", 2.0, f64::tan);
    check::<Asin>("asin", 1.0, f64::asin);
    check::<Acos>("acos", 1.0, f64::acos);
    check::<Atan>("atan", 1.0, f64::atan);
    check::<Sinh>("sinh", 1.0, f64::sinh);
    check::<Cosh>("cosh", 1.0, f64::cosh);
    check::<Asinh>("asinh", 1.0, libm::asinh);
    check::<Acosh>("acosh", 1.0, |x| {
        if x < 1.0 { f64::NAN } else { libm::acosh(x) }
    });
    check::<Atanh>("atanh", 1.0, libm::atanh);
    check::<Expm1>("expm1", 4.0, f64::exp_m1);
    check::<Log>("log", 2.0, f64::ln);
    check::<Log1p>("log1p", 4.0, f64::ln_1p);
    check::<Tanh>("tanh", 2.0, f64::tanh);
    check::<Sigmoid>("sigmoid", 2.0, |x| 1.0 / (1.0 + (-x).exp()));
    check::<Sin>("sin", 1.0, f64::sin);
    check::<Cos>("cos", 1.0, f64::cos);
    check::<Erf>("erf", 2.0, libm::erf);
    check::<Softplus>("softplus", 4.0, |x: f64| {
        x.max(0.0) + (-x.abs()).exp().ln_1p()
    });
}

#[test]
fn pow_is_within_an_ulp_and_keeps_its_special_cases() {
    let specials = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        3.0,
        -3.0,
        0.5,
        -0.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1e30,
        1e-30,
    ];
    let some = |step: u32| {
        (0..u32::MAX)
            .step_by(step as usize)
            .map(f32::from_bits)
            .map(|v| v.clamp(-1e4, 1e4))
    };
    let pairs = specials.iter().flat_map(|&a| specials.map(|b| (a, b)));
    let dense = some(104_729).zip(some(104_723)).map(|(a, b)| (a, b % 20.0));
    let (a, b): (Vec<_>, Vec<_>) = pairs.chain(dense).unzip();
    let mut y = vec![0.0; a.len()];
    Pow::vec_vec(&a, &b, &mut y);
    for ((&a, &b), &y) in a.iter().zip(&b).zip(&y) {
        let want = (a as f64).powf(b as f64);
        assert!(
            ulps(y, want) <= 1.0,
            "pow({a:e}, {b:e}) = {y:e}, wanted {want:e}"
        );
        assert!(
            y != 0.0 || y.is_sign_negative() == want.is_sign_negative(),
            "sign of pow({a:e}, {b:e})"
        );
    }
}

#[test]
fn short_powers_are_as_all_and_the_same_for_one_exponent_and_many() {
    let x: Vec<f64> = samples()
        .into_iter()
        .map(f64::from)
        .chain([-1e200, 3e-170])
        .collect();
    let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let n = x.len();
    for b in [1.0, 2.0, 3.0, 0.5, -1.0, 2.5] {
        let (mut one, mut many) = (vec![0f64; n], vec![0f64; n]);
        Pow::vec_scalar(&x, b, &mut one);
        Pow::vec_vec(&x, &vec![b; n], &mut many);
        for ((&x, &y), &z) in x.iter().zip(&one).zip(&many) {
            assert_eq!(y.is_nan(), z.is_nan());
            assert!(y.is_nan() || y.to_bits() == z.to_bits(), "pow({x:e}, {b})");
            let want = x.powf(b);
            let near = (y - want).abs() <= 2.3e-16 * want.abs();
            assert!(
                near || y == want || y.is_nan() && want.is_nan(),
                "pow({x:e}, {b}) = {y:e}"
            );
            assert!(y != 0.0 || y.is_sign_negative() == want.is_sign_negative());
        }
        let (mut one, mut many) = (vec![0f32; n], vec![0f32; n]);
        Pow::vec_scalar(&narrow, b as f32, &mut one);
        Pow::vec_vec(&narrow, &vec![b as f32; n], &mut many);
        for ((&x, &y), &z) in narrow.iter().zip(&one).zip(&many) {
            assert!(
                y.is_nan() && z.is_nan() || y.to_bits() == z.to_bits(),
                "pow({x:e}, {b})"
            );
            assert!(
                ulps(y, f64::from(x).powf(b)) <= 1.0,
                "pow({x:e}, {b}) = {y:e}"
            );
        }
    }
}

#[test]
fn zeros_keep_their_sign() {
    fn at_zero<O: UnaryOp<f32, Out = f32>>() -> [f32; 2] {
        let mut y = [1.0; 2];
        O::slice(&[0.0, -0.0], &mut y);
        y
    }
    let (mut wide, mut far) = ([1f64; 2], [0f64; 3]);
    for f in [
        <Tanh as UnaryOp<f64>>::slice,
        <Log1p as UnaryOp<f64>>::slice,
    ] {
        f(&[0.0, -0.0], &mut wide);
        assert!(wide == [0.0; 2] && !wide[0].is_sign_negative() && wide[1].is_sign_negative());
    }
    <Log1p as UnaryOp<f64>>::slice(&[f64::INFINITY, -1.0, -1.5], &mut far);
    assert!(far[0] == f64::INFINITY && far[1] == f64::NEG_INFINITY && far[2].is_nan());
    for y in [
        at_zero::<Sin>(),
        at_zero::<Tanh>(),
        at_zero::<Erf>(),
        at_zero::<Expm1>(),
        at_zero::<Log1p>(),
    ] {
        assert!(y == [0.0; 2] && !y[0].is_sign_negative() && y[1].is_sign_negative());
    }
}

#[test]
fn f64_functions_are_accurate() {
    let dense = (0..u64::MAX / 2)
        .step_by(1 << 42)
        .flat_map(|b| [f64::from_bits(b), -f64::from_bits(b)]);
    let near = (-20_000..20_000).map(|i| i as f64 * 0.037);
    let x: Vec<f64> = dense.chain(near).collect();
    let relative = |got: f64, want: f64| {
        if got == want || (got.is_nan() && want.is_nan()) {
            0.0
        } else {
            ((got - want) / want.abs().max(f64::MIN_POSITIVE)).abs()
        }
    };
    let mut y = vec![0.0; x.len()];
    <Exp as UnaryOp<f64>>::slice(&x, &mut y);
    x.iter()
        .zip(&y)
        .for_each(|(x, &y)| assert!(relative(y, x.exp()) < 4e-16, "exp({x:e}) = {y:e}"));
    <Log as UnaryOp<f64>>::slice(&x, &mut y);
    x.iter().zip(&y).for_each(|(x, &y)| {
        assert!(
            relative(y, x.ln()) < 4e-16,
            "log({x:e}) = {y:e} {:e}",
            x.ln()
        )
    });
    <Tanh as UnaryOp<f64>>::slice(&x, &mut y);
    x.iter()
        .zip(&y)
        .for_each(|(x, &y)| assert!(relative(y, x.tanh()) < 4e-16, "tanh({x:e}) = {y:e}"));
    <Log1p as UnaryOp<f64>>::slice(&x, &mut y);
    x.iter()
        .zip(&y)
        .for_each(|(x, &y)| assert!(relative(y, x.ln_1p()) < 5e-16, "log1p({x:e}) = {y:e}"));
    <Sigmoid as UnaryOp<f64>>::slice(&x, &mut y);
    x.iter()
        .zip(&y)
        .filter(|(x, _)| **x > -700.0)
        .for_each(|(x, &y)| assert!(relative(y, 1.0 / (1.0 + (-x).exp())) < 1e-15));
}

/// Doubles of all sizes, and some whose sizes are everyday ones.
fn doubles() -> Vec<f64> {
    let dense = (0..u64::MAX / 2)
        .step_by(1 << 42)
        .flat_map(|b| [f64::from_bits(b), -f64::from_bits(b)]);
    let near = (-20_000..20_000).flat_map(|i| [f64::from(i) * 0.037, f64::from(i) * 0.000_137]);
    let edges = [
        0.0,
        1.0,
        0.5,
        5e-324,
        709.78,
        710.4,
        26.6,
        27.2,
        std::f64::consts::PI,
        f64::INFINITY,
        f64::NAN,
    ];
    dense
        .chain(near)
        .chain(edges.into_iter().flat_map(|x| [x, -x]))
        .collect()
}

/// Checks that a result is the wanted one to a relative error, with its sign, and to the last place below the range.
fn near(name: &str, x: impl std::fmt::Debug, got: f64, want: f64, error: f64) {
    let same = got.is_nan() && want.is_nan()
        || got == want && got.is_sign_negative() == want.is_sign_negative();
    let close = (got - want).abs() <= error * want.abs() || (got - want).abs() <= 1e-323;
    assert!(same || close, "{name}({x:?}) = {got:e}, wanted {want:e}");
}

fn check_double<O: UnaryOp<f64, Out = f64>>(name: &str, error: f64, truth: fn(f64) -> f64) {
    let x = doubles();
    let mut y = vec![0.0; x.len()];
    O::slice(&x, &mut y);
    for (&x, &y) in x.iter().zip(&y) {
        near(name, x, y, truth(x), error);
        let portable = if O::is_rare(x) {
            O::rare(x)
        } else {
            O::apply::<Unfused>(x)
        };
        near(name, x, portable, truth(x), 2.0 * error);
    }
}

#[test]
fn f64_functions_are_within_a_few_units() {
    check_double::<Sin>("sin", 2.3e-16, f64::sin);
    check_double::<Cos>("cos", 2.3e-16, f64::cos);
    check_double::<Tan>("tan", 5e-16, f64::tan);
    check_double::<Asin>("asin", 4.5e-16, f64::asin);
    check_double::<Acos>("acos", 4.5e-16, f64::acos);
    check_double::<Atan>("atan", 4.5e-16, f64::atan);
    check_double::<Sinh>("sinh", 7e-16, f64::sinh);
    check_double::<Cosh>("cosh", 5e-16, f64::cosh);
    check_double::<Expm1>("expm1", 4.5e-16, f64::exp_m1);
    check_double::<Softplus>("softplus", 7e-16, |x| x.max(0.0) + (-x.abs()).exp().ln_1p());
    check_double::<Erf>("erf", 4.5e-16, libm::erf);
    check_double::<Erfc>("erfc", 9e-16, libm::erfc);
    check_double::<Asinh>("asinh", 9e-16, libm::asinh);
    check_double::<Acosh>("acosh", 9e-16, |x| {
        if x < 1.0 { f64::NAN } else { libm::acosh(x) }
    });
    check_double::<Atanh>("atanh", 9e-16, libm::atanh);
}

#[test]
fn angles_of_points_are_accurate_in_all_quadrants() {
    let some = [
        0.0,
        1.0,
        0.3,
        0.41,
        2.41,
        2.42,
        1e-310,
        1e-40,
        1e30,
        1e300,
        1.7e308,
        f64::INFINITY,
        f64::NAN,
    ];
    let all: Vec<f64> = some
        .into_iter()
        .flat_map(|x| [x, -x])
        .chain((0..97).map(|i| f64::from(i) * 0.137 - 6.0))
        .collect();
    let (y, x): (Vec<f64>, Vec<f64>) = all
        .iter()
        .flat_map(|&y| all.iter().map(move |&x| (y, x)))
        .unzip();
    let mut angle = vec![0.0; x.len()];
    Atan2::vec_vec(&y, &x, &mut angle);
    let single = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<_>>();
    let (y32, x32) = (single(&y), single(&x));
    let mut angle32 = vec![0f32; x.len()];
    Atan2::vec_vec(&y32, &x32, &mut angle32);
    for i in 0..x.len() {
        near("atan2", (y[i], x[i]), angle[i], y[i].atan2(x[i]), 4.5e-16);
        let want = f64::from(y32[i]).atan2(f64::from(x32[i]));
        assert!(
            ulps(angle32[i], want) <= 1.0,
            "atan2({:e}, {:e}) = {:e}",
            y32[i],
            x32[i],
            angle32[i]
        );
        assert_eq!(
            angle32[i].is_sign_negative(),
            want.is_sign_negative() && !want.is_nan()
        );
    }
}

#[test]
fn double_powers_are_within_an_ulp_and_keep_their_special_cases() {
    let specials = [
        0.0,
        1.0,
        2.0,
        3.0,
        0.5,
        1.7,
        53.0,
        1e-5,
        1e5,
        4_503_599_627_370_497.0,
        9_007_199_254_740_993.0,
        1e300,
        1e-300,
        5e-324,
        f64::INFINITY,
        f64::NAN,
    ];
    let all: Vec<f64> = specials.into_iter().flat_map(|x| [x, -x]).collect();
    let pairs = all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b)));
    let dense = (0..200_000u64).map(|i| {
        let random =
            |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 53) as f64;
        let base = (random(3 * i) * 40.0 - 20.0).exp();
        (
            base,
            (random(3 * i + 1) * 1400.0 - 700.0) / base.ln().abs().max(1e-3) * random(3 * i + 2),
        )
    });
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.chain(dense).unzip();
    let mut y = vec![0.0; a.len()];
    Pow::vec_vec(&a, &b, &mut y);
    for i in 0..a.len() {
        near("pow", (a[i], b[i]), y[i], a[i].powf(b[i]), 2.3e-16);
    }
}

#[test]
fn an_element_does_not_depend_on_its_neighbours() {
    let x: Vec<f32> = (0..1000).map(|i| (i as f32 - 500.0) * 0.173).collect();
    let (mut whole, mut part) = (vec![0.0; 1000], vec![0.0; 1000]);
    for f in [
        Exp::slice,
        Tanh::slice,
        Sin::slice,
        Erf::slice,
        Erfc::slice,
        Atan::slice,
        Softplus::slice,
    ] {
        f(&x, &mut whole);
        for size in [1, 3, 7, 100] {
            x.chunks(size)
                .zip(part.chunks_mut(size))
                .for_each(|(x, y)| f(x, y));
            assert!(
                whole
                    .iter()
                    .zip(&part)
                    .all(|(a, b)| a.to_bits() == b.to_bits())
            );
        }
    }
}
