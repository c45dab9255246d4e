use crate::testing::{ByName, check_gradients, f64s, infer, run, spec, t64};
use ferrograph_graph::Attr;
use ferrograph_tensor::{Bytes, Complex64, DType, ErrorKind, Tensor};

fn i32s(elements: &[i32]) -> Tensor {
    Tensor::vector(elements).unwrap()
}

#[test]
fn arithmetic_broadcasts() {
    let a = t64(&[2, 1], &[1.0, 2.0]);
    let b = t64(&[3], &[10.0, 20.0, 30.0]);
    let y = run("AddV2", &[&a, &b], vec![]).unwrap();
    assert_eq!(f64s(&y), [11.0, 21.0, 31.0, 12.0, 22.0, 32.0]);
    assert_eq!(y.shape().dims(), [2, 3]);
    let s = t64(&[], &[2.0]);
    assert_eq!(
        f64s(&run("Pow", &[&b, &s], vec![]).unwrap()),
        [100.0, 400.0, 900.0]
    );
    assert_eq!(
        f64s(&run("Sub", &[&s, &b], vec![]).unwrap()),
        [-8.0, -18.0, -28.0]
    );
    let none = t64(&[0, 3], &[]);
    assert_eq!(
        run("Mul", &[&none, &b], vec![]).unwrap().shape().dims(),
        [0, 3]
    );
}

#[test]
fn shapes_and_dtypes_that_do_not_fit_are_refused() {
    let (a, b) = (t64(&[2], &[1.0, 2.0]), t64(&[3], &[1.0, 2.0, 3.0]));
    assert_eq!(
        run("AddV2", &[&a, &b], vec![]).unwrap_err().kind(),
        ErrorKind::Shape
    );
    let i = i32s(&[1, 2]);
    assert_eq!(
        run("AddV2", &[&a, &i], vec![]).unwrap_err().kind(),
        ErrorKind::DType
    );
    let flags = Tensor::vector(&[true, false]).unwrap();
    assert_eq!(
        run("AddV2", &[&flags, &flags], vec![]).unwrap_err().kind(),
        ErrorKind::DType
    );
    assert_eq!(
        run("Less", &[&flags, &flags], vec![]).unwrap_err().kind(),
        ErrorKind::DType
    );
}

#[test]
fn integers_refuse_what_has_no_result() {
    let (a, zero) = (i32s(&[7, -7]), i32s(&[2, 0]));
    for name in [
        "FloorDiv",
        "FloorMod",
        "TruncateDiv",
        "TruncateMod",
        "Div",
        "RealDiv",
    ] {
        let e = run(name, &[&a, &zero], vec![]).unwrap_err();
        assert_eq!(
            (e.kind(), e.message()),
            (ErrorKind::InvalidArgument, "Integer division by zero")
        );
    }
    let e = run("Pow", &[&a, &i32s(&[-1, 1])], vec![]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::InvalidArgument);
    let y = run("FloorDiv", &[&a, &i32s(&[2, 2])], vec![]).unwrap();
    assert_eq!(y.as_slice::<i32>().unwrap(), [3, -4]);
}

#[test]
fn partial_shapes_broadcast() {
    let f = DType::Float32;
    let out = infer("AddV2", &[spec(f, &[-1, 3]), spec(f, &[3])], vec![]).unwrap();
    assert_eq!(out[0], spec(f, &[-1, 3]));
    let loose = vec![("incompatible_shape_error", Attr::Bool(false))];
    let out = infer("Equal", &[spec(f, &[-1]), spec(f, &[3])], loose.clone()).unwrap();
    assert_eq!(out[0].shape.rank(), None);
    let out = infer("Equal", &[spec(f, &[2]), spec(f, &[3])], loose.clone()).unwrap();
    assert_eq!(out[0], spec(DType::Bool, &[]));
    assert!(infer("Equal", &[spec(f, &[2]), spec(f, &[3])], vec![]).is_err());
    let (a, b) = (i32s(&[1, 2]), i32s(&[1, 2, 3]));
    let y = run("NotEqual", &[&a, &b], loose).unwrap();
    assert!(y.item::<bool>().unwrap());
}

#[test]
fn strings_join_compare_and_are_chosen() {
    let words = |w: &[&str]| {
        Tensor::from_strings(
            [w.len()].into(),
            w.iter().map(|w| Bytes::from(w.as_bytes())).collect(),
        )
        .unwrap()
    };
    let (a, b) = (words(&["x", "y"]), words(&["z"]));
    let joined = run("AddV2", &[&a, &b], vec![]).unwrap();
    assert_eq!(&*joined.as_strings().unwrap()[1], b"yz");
    let same = run("Equal", &[&a, &words(&["y"])], vec![]).unwrap();
    assert_eq!(same.as_slice::<bool>().unwrap(), [false, true]);
    let chosen = run("SelectV2", &[&same, &a, &b], vec![]).unwrap();
    assert_eq!(&*chosen.as_strings().unwrap()[0], b"z");
}

#[test]
fn binary_gradients() {
    let a = t64(&[2, 3], &[0.7, -1.2, 2.5, 0.3, 1.1, -0.4]);
    let positive = t64(&[2, 3], &[0.8, 1.2, 2.6, 0.31, 1.2, 0.4]);
    let (row, column) = (t64(&[3], &[1.3, 0.6, 2.2]), t64(&[2, 1], &[0.9, 1.7]));
    for b in [&row, &column, &positive, &t64(&[], &[1.6])] {
        for name in [
            "AddV2",
            "Sub",
            "Mul",
            "RealDiv",
            "Div",
            "Maximum",
            "Minimum",
            "SquaredDifference",
            "Atan2",
            "DivNoNan",
            "MulNoNan",
            "Xdivy",
            "Xlogy",
            "Xlog1py",
        ] {
            check_gradients(name, &[&a, b], &[]);
        }
        check_gradients("Pow", &[&positive, b], &[]);
    }
    check_gradients(
        "FloorMod",
        &[&t64(&[2], &[5.3, -2.2]), &t64(&[2], &[2.0, 1.5])],
        &[],
    );
}

#[test]
fn unary_gradients() {
    let any = t64(&[5], &[0.7, -1.2, 2.5, 0.31, -0.4]);
    let inner = t64(&[4], &[0.7, -0.2, 0.55, -0.85]);
    let above = t64(&[3], &[1.7, 2.2, 3.5]);
    for name in [
        "Neg",
        "Abs",
        "Square",
        "Reciprocal",
        "Exp",
        "Expm1",
        "Sin",
        "Cos",
        "Tan",
        "Atan",
        "Sinh",
        "Cosh",
        "Tanh",
        "Asinh",
        "Sigmoid",
        "Softplus",
        "Softsign",
        "Relu",
        "Relu6",
        "Elu",
        "Selu",
        "Erf",
        "Erfc",
        "LeakyRelu",
    ] {
        check_gradients(name, &[&any], &[]);
    }
    for name in ["Asin", "Acos", "Atanh", "Erfinv"] {
        check_gradients(name, &[&inner], &[]);
    }
    for name in ["Log", "Log1p", "Sqrt", "Rsqrt", "Acosh"] {
        check_gradients(name, &[&above], &[]);
    }
    for name in ["Lgamma", "Digamma"] {
        check_gradients(name, &[&t64(&[4], &[0.7, 2.5, 7.25, -1.3])], &[]);
    }
    check_fn_of_second("Zeta", 2.5);
    check_fn_of_second("Polygamma", 2.0);
    check_gradients("Ndtri", &[&t64(&[3], &[0.1, 0.5, 0.83])], &[]);
    check_gradients(
        "ReluGrad",
        &[&any, &t64(&[5], &[1.0, -1.0, -0.5, 2.0, 3.0])],
        &[],
    );
    check_gradients(
        "TanhGrad",
        &[&any, &t64(&[5], &[0.5, -0.3, 0.2, 0.9, 0.1])],
        &[],
    );
    check_gradients(
        "SigmoidGrad",
        &[&any, &t64(&[5], &[0.5, -0.3, 0.2, 0.9, 0.1])],
        &[],
    );
}

fn check_fn_of_second(name: &str, first: f64) {
    use crate::emit::*;
    crate::testing::check_fn(name, &[&t64(&[3], &[0.7, 2.5, 12.25])], |e, xs| {
        let first = e.scalar(first, DType::Float64)?;
        e.op(name, &[&first, &xs[0]], vec![])
    });
}

#[test]
fn the_next_number() {
    let (a, b) = (t64(&[3], &[1.0, 1.0, 1.0]), t64(&[3], &[2.0, 0.0, 1.0]));
    let y = f64s(&run("NextAfter", &[&a, &b], vec![]).unwrap());
    assert_eq!(y, [1.0 + f64::EPSILON, 1.0 - f64::EPSILON / 2.0, 1.0]);
}

#[test]
fn inverse_error_function() {
    let x = t64(&[7], &[0.0, 0.5, -0.9, 0.999_999, 1.0, -1.0, 2.0]);
    let y = f64s(&run("Erfinv", &[&x], vec![]).unwrap());
    assert!((y[1] - 0.476_936_276_204_469_9).abs() < 1e-15);
    assert!((y[2] + 1.163_087_153_676_674).abs() < 1e-14);
    let back = f64s(&run("Erf", &[&t64(&[1], &y[3..4])], vec![]).unwrap());
    assert!((back[0] - 0.999_999).abs() < 1e-15);
    assert!(y[0] == 0.0 && y[4] == f64::INFINITY && y[5] == f64::NEG_INFINITY && y[6].is_nan());
}

#[test]
fn choice_and_clipping_have_gradients() {
    let (a, b) = (
        t64(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        t64(&[3], &[-1.0, -2.0, -3.0]),
    );
    let cond = Tensor::from_slice([2, 1], &[true, false]).unwrap();
    check_gradients("SelectV2", &[&cond, &a, &b], &[]);
    let rows = Tensor::vector(&[true, false]).unwrap();
    let y = run("Select", &[&rows, &a, &t64(&[2, 3], &[0.0; 6])], vec![]).unwrap();
    assert_eq!(f64s(&y), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    check_gradients("Select", &[&rows, &a, &t64(&[2, 3], &[0.0; 6])], &[]);
    let (low, high) = (t64(&[], &[1.5]), t64(&[], &[4.5]));
    check_gradients("ClipByValue", &[&a, &low, &high], &[]);
    assert_eq!(
        f64s(&run("ClipByValue", &[&a, &low, &high], vec![]).unwrap()),
        [1.5, 2.0, 3.0, 4.0, 4.5, 4.5]
    );
    check_gradients("ClipByValue", &[&a, &b, &high], &[]);
}

#[test]
fn complex_parts_and_gradients() {
    let (re, im) = (t64(&[2], &[0.3, -1.1]), t64(&[2], &[0.8, 0.4]));
    for part in ["Real", "Imag", "ComplexAbs", "Angle", "Sign"] {
        crate::testing::check_fn(part, &[&re, &im], |e, xs| {
            use crate::emit::*;
            let z = e.complex(&xs[0], &xs[1])?;
            let w = e.exp(&z)?;
            let w = e.mul(&w, &z)?;
            let shifted = conj_and_two(e, &z)?;
            let w = e.div(&w, &shifted)?;
            let y = e.op(part, &[&w], vec![])?;
            if part == "Sign" { e.imag(&y) } else { Ok(y) }
        });
    }
    let z = Tensor::vector(&[Complex64::new(3.0, -4.0)]).unwrap();
    assert_eq!(f64s(&run("ComplexAbs", &[&z], vec![]).unwrap()), [5.0]);
}

fn conj_and_two(
    e: &mut crate::testing::Recorder,
    z: &ferrograph_graph::Val,
) -> ferrograph_tensor::Result<ferrograph_graph::Val> {
    use crate::emit::*;
    let conj = e.conj(z)?;
    let two = e.scalar(2.0, DType::Complex128)?;
    e.add(&conj, &two)
}

#[test]
fn casts() {
    let to = |d| vec![("DstT", Attr::DType(d))];
    let x = t64(&[3], &[1.9, -2.7, 300.0]);
    let y = run("Cast", &[&x], to(DType::Int32)).unwrap();
    assert_eq!(y.as_slice::<i32>().unwrap(), [1, -2, 300]);
    let y = run("Cast", &[&y], to(DType::UInt8)).unwrap();
    assert_eq!(y.as_slice::<u8>().unwrap(), [1, 254, 44]);
    let y = run("Cast", &[&x], to(DType::Bool)).unwrap();
    assert_eq!(y.as_slice::<bool>().unwrap(), [true; 3]);
    for &from in DType::ALL.iter().filter(|d| d.is_dense()) {
        for &other in DType::ALL.iter().filter(|d| d.is_dense()) {
            let x = Tensor::zeros(from, [2].into()).unwrap();
            assert_eq!(run("Cast", &[&x], to(other)).unwrap().dtype(), other);
        }
    }
    let bytes = run("Cast", &[&x], to(DType::Float8E4M3FN)).unwrap();
    assert_eq!(bytes.bytes(), [0x3f, 0xc3, 0x79]);
    let back = run("Cast", &[&bytes], to(DType::Float32)).unwrap();
    assert_eq!(back.as_slice::<f32>().unwrap(), [1.875, -2.75, 288.0]);
    let whole = run("Cast", &[&back], to(DType::Int64)).unwrap();
    let narrow = run("Cast", &[&whole], to(DType::Float8E4M3FN)).unwrap();
    assert_eq!(narrow.bytes(), [0x38, 0xc0, 0x79]);
    assert!(run("Cast", &[&x], to(DType::String)).is_err());
    let bits = vec![("type", Attr::DType(DType::Int32))];
    let y = run("Bitcast", &[&x], bits.clone()).unwrap();
    assert_eq!(y.shape().dims(), [3, 2]);
    let back = run(
        "Bitcast",
        &[&y],
        vec![("type", Attr::DType(DType::Float64))],
    )
    .unwrap();
    assert_eq!(f64s(&back), f64s(&x));
    assert!(run("Bitcast", &[&Tensor::vector(&[1u8, 2, 3]).unwrap()], bits).is_err());
}

#[test]
fn checks_and_fills() {
    let bad = t64(&[2], &[f64::NAN, 1.0]);
    let message = vec![("message", Attr::str("loss"))];
    let e = run("CheckNumerics", &[&bad], message.clone()).unwrap_err();
    assert_eq!(e.message(), "loss : Tensor had NaN values");
    assert!(run("CheckNumerics", &[&t64(&[1], &[1.0])], message.clone()).is_ok());
    let worse = t64(&[4], &[f64::NEG_INFINITY, 1.0, f64::NAN, f64::NAN]);
    let e = run("CheckNumericsV2", &[&worse], message).unwrap_err();
    let counted =
        "loss\n  # of -Inf elements: 1\n  # of NaN elements: 2\n : Tensor had -Inf and NaN values";
    assert_eq!(e.message(), counted);
    let ones = run("OnesLike", &[&i32s(&[5, 6])], vec![]).unwrap();
    assert_eq!(ones.as_slice::<i32>().unwrap(), [1, 1]);
    let zeros = run("ZerosLike", &[&bad], vec![]).unwrap();
    assert_eq!(f64s(&zeros), [0.0, 0.0]);
}
