use half::{bf16, f16};

use super::*;

fn binary<T: Copy + Sync, U: Copy + Send + Default>(kernel: Binary<T, U>, a: T, b: T) -> U {
    let mut out = [[U::default()]; 3];
    (kernel.vec_vec)(&[a], &[b], &mut out[0]);
    (kernel.scalar_vec)(a, &[b], &mut out[1]);
    (kernel.vec_scalar)(&[a], b, &mut out[2]);
    out[0][0]
}

fn unary<T: Copy + Sync, U: Copy + Send + Default>(kernel: Unary<T, U>, x: T) -> U {
    let mut out = [U::default()];
    kernel.run(&[x], &mut out);
    out[0]
}

/// All quotients and remainders of some numbers at and between the ends of a type, against those of wider integers.
macro_rules! divided {
    ($($name:ident: $t:ident;)*) => {$(
        #[test]
        fn $name() {
            let step = ($t::MAX / 61).max(1) as usize;
            let some = ($t::MIN..=$t::MAX).step_by(step);
            let near = (0..40).flat_map(|n| [$t::MIN + n, $t::MAX - n, n, (0 as $t).wrapping_sub(n)]);
            let all: Vec<$t> = some.chain(near).collect();
            let n = all.len();
            let a: Vec<$t> = all.iter().flat_map(|&x| vec![x; n]).collect();
            let b: Vec<$t> = all.iter().cycle().take(n * n).copied().collect();
            let mut y = vec![0; n * n];
            let mut check = |kernel: Binary<$t, $t>, wanted: fn(i128, i128) -> i128| {
                (kernel.vec_vec)(&a, &b, &mut y);
                for ((&a, &b), &y) in a.iter().zip(&b).zip(&y) {
                    let wanted = if b == 0 { 0 } else { wanted(a.into(), b.into()) };
                    assert_eq!(y, wanted as $t, "{a} by {b}");
                }
            };
            let floored = |a: i128, b: i128| a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
            check(Binary::of::<Div>(), |a, b| a / b);
            check(Binary::of::<TruncateDiv>(), |a, b| a / b);
            check(Binary::of::<TruncateMod>(), |a, b| a % b);
            check(Binary::of::<FloorDiv>(), floored);
            check(Binary::of::<FloorMod>(), |a, b| {
                let r = a.rem_euclid(b);
                if b < 0 && r != 0 { r + b } else { r }
            });
        }
    )*};
}

divided! {
    divisions_of_i8: i8;
    divisions_of_i16: i16;
    divisions_of_i32: i32;
    divisions_of_i64: i64;
    divisions_of_u8: u8;
    divisions_of_u16: u16;
    divisions_of_u32: u32;
    divisions_of_u64: u64;
}

#[test]
fn integer_division_floors_as_python_does() {
    for (a, b, q, r) in [
        (7, 2, 3, 1),
        (-7, 2, -4, 1),
        (7, -2, -4, -1),
        (-7, -2, 3, -1),
        (6, -3, -2, 0),
        (5, 0, 0, 0),
    ] {
        assert_eq!(binary(Binary::<i32, _>::of::<FloorDiv>(), a, b), q);
        assert_eq!(binary(Binary::<i32, _>::of::<FloorMod>(), a, b), r);
    }
    assert_eq!(binary(Binary::<i32, _>::of::<TruncateDiv>(), -7, 2), -3);
    assert_eq!(binary(Binary::<i32, _>::of::<TruncateMod>(), -7, 2), -1);
    assert_eq!(
        binary(Binary::<i32, _>::of::<FloorDiv>(), i32::MIN, -1),
        i32::MIN
    );
    assert!(contains_zero(&[1, 0]) && !contains_zero(&[1.0]) && contains_negative(&[-1]));
}

#[test]
fn float_modulo_takes_the_sign_of_the_divisor() {
    let f = |a, b| binary(Binary::<f64, _>::of::<FloorMod>(), a, b);
    assert_eq!((f(5.5, 2.0), f(-5.5, 2.0), f(5.5, -2.0)), (1.5, 0.5, -0.5));
    // tensorflow 2.21: a zero has the sign of the dividend.
    assert!(f(-4.0, 2.0) == 0.0 && f(4.0, -2.0) == 0.0 && f(-0.0, f64::INFINITY) == 0.0);
    assert!(f(-4.0, 2.0).is_sign_negative() && f(-0.0, f64::INFINITY).is_sign_negative());
    assert!(f(4.0, -2.0).is_sign_positive() && f(0.0, -2.0).is_sign_positive());
    assert_eq!(f(-1.0, f64::INFINITY), f64::INFINITY);
    assert!(f(1.0, 0.0).is_nan());
    assert_eq!(binary(Binary::<f32, _>::of::<FloorDiv>(), -5.5, 2.0), -3.0);
}

#[test]
fn nan_spreads_through_maximum_and_minimum() {
    for (a, b) in [(f32::NAN, 1.0), (1.0, f32::NAN)] {
        assert!(binary(Binary::<f32, _>::of::<Maximum>(), a, b).is_nan());
        assert!(binary(Binary::<f32, _>::of::<Minimum>(), a, b).is_nan());
    }
    assert!(unary(Unary::<f32, _>::of::<Relu>(), f32::NAN).is_nan());
    assert!(unary(Unary::<f32, _>::of::<Sign>(), f32::NAN).is_nan());
    // tensorflow 2.21: both zeros give the positive one.
    assert!(unary(Unary::<f32, _>::of::<Sign>(), -0.0).is_sign_positive());
}

#[test]
fn integers_wrap_and_shift() {
    assert_eq!(binary(Binary::<i8, _>::of::<Add>(), 127, 1), -128);
    assert_eq!(binary(Binary::<i32, _>::of::<Pow>(), 3, 5), 243);
    assert_eq!(binary(Binary::<u8, _>::of::<Pow>(), 2, 9), 0);
    assert_eq!(binary(Binary::<i32, _>::of::<ShiftLeft>(), 1, 40), i32::MIN);
    assert_eq!(binary(Binary::<i32, _>::of::<ShiftLeft>(), 5, -1), 5);
    assert_eq!(binary(Binary::<i32, _>::of::<ShiftRight>(), -8, 1), -4);
    assert_eq!(binary(Binary::<i32, _>::of::<ShiftRight>(), -8, 99), -1);
    assert_eq!(unary(Unary::<i32, _>::of::<Abs>(), i32::MIN), i32::MIN);
}

#[test]
fn rounding_takes_halves_to_even() {
    for (x, y) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-1.5, -2.0)] {
        assert_eq!(unary(Unary::<f32, _>::of::<Round>(), x), y);
    }
}

#[test]
fn half_floats_go_through_f32() {
    let x: Vec<f16> = (0..1000)
        .map(|i| f16::from_f32(i as f32 * 0.01 - 5.0))
        .collect();
    let mut y = vec![f16::ZERO; 1000];
    Unary::<f16, f16>::of::<Exp>().run(&x, &mut y);
    x.iter()
        .zip(&y)
        .for_each(|(x, y)| assert!((y.to_f32() / x.to_f32().exp() - 1.0).abs() < 1e-3));
    let mut z = vec![f16::ZERO; 1000];
    Binary::<f16, f16>::of::<Mul>().run(&x, &y, &mut z);
    (0..1000).for_each(|i| assert_eq!(z[i], f16::from_f32(x[i].to_f32() * y[i].to_f32())));
    assert!(binary(
        Binary::<bf16, bool>::of::<Less>(),
        bf16::from_f32(1.0),
        bf16::from_f32(2.0)
    ));
    assert!(unary(Unary::<bf16, bool>::of::<IsNan>(), bf16::NAN));
}

#[test]
fn scalar_forms_agree_with_the_vector_form() {
    let a: Vec<f32> = (0..77).map(|i| i as f32 * 0.3 - 9.0).collect();
    let kernels = [
        Binary::of::<Add>(),
        Binary::of::<Sub>(),
        Binary::of::<Div>(),
        Binary::of::<Pow>(),
        Binary::of::<FloorMod>(),
    ];
    for kernel in kernels {
        let (mut v, mut s) = (vec![0.0f32; 77], vec![0.0f32; 77]);
        (kernel.vec_vec)(&[2.5; 77], &a, &mut v);
        (kernel.scalar_vec)(2.5, &a, &mut s);
        assert!(v.iter().zip(&s).all(|(x, y)| x.to_bits() == y.to_bits()));
        (kernel.vec_vec)(&a, &[2.5; 77], &mut v);
        (kernel.vec_scalar)(&a, 2.5, &mut s);
        assert!(v.iter().zip(&s).all(|(x, y)| x.to_bits() == y.to_bits()));
    }
}

#[test]
fn threads_do_not_change_the_result() {
    let x: Vec<f32> = (0..700_001).map(|i| i as f32 * 1e-3 - 350.0).collect();
    let (mut many, mut one) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let kernel = Unary::<f32, f32>::of::<Tanh>();
    kernel.run(&x, &mut many);
    (kernel.slice)(&x, &mut one);
    assert_eq!(many, one);
}

#[test]
fn activations() {
    assert_eq!(unary(Unary::<f32, _>::of::<Relu6>(), 7.0), 6.0);
    assert!((unary(Unary::<f64, _>::of::<Elu>(), -1.0) - (-0.632_120_558_828_557_7)).abs() < 1e-15);
    assert!((unary(Unary::<f64, _>::of::<Selu>(), 1.0) - 1.050_700_987_355_480_5).abs() < 1e-15);
    assert_eq!(
        binary(Binary::<f32, _>::of::<LeakyRelu>(), -2.0, 0.25),
        -0.5
    );
    assert_eq!(
        unary(Unary::<f64, _>::of::<Softplus>(), f64::INFINITY),
        f64::INFINITY
    );
}
