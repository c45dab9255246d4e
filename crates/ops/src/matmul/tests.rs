//! Products of all forms.

use crate::testing::{check_gradients, f64s, infer, run, spec, t64};
use ferrograph_graph::Attr;
use ferrograph_tensor::{Complex64, DType, ErrorKind, Tensor};

fn flags(names: [&'static str; 2], a: bool, b: bool) -> Vec<(&'static str, Attr)> {
    vec![(names[0], Attr::Bool(a)), (names[1], Attr::Bool(b))]
}

fn tensor(shape: &[usize]) -> Tensor {
    let n = shape.iter().product();
    let elements: Vec<f64> = (0..n)
        .map(|i: usize| ((i * 37 + 11) % 17) as f64 * 0.25 - 2.0)
        .collect();
    t64(shape, &elements)
}

#[test]
fn products_and_their_gradients() {
    for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
        let a = tensor(if ta { &[3, 2] } else { &[2, 3] });
        let b = tensor(if tb { &[4, 3] } else { &[3, 4] });
        let attrs = flags(["transpose_a", "transpose_b"], ta, tb);
        assert_eq!(
            run("MatMul", &[&a, &b], attrs.clone())
                .unwrap()
                .shape()
                .dims(),
            [2, 4]
        );
        check_gradients("MatMul", &[&a, &b], &attrs);
    }
    let (a, b) = (
        t64(&[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        t64(&[2, 1], &[5.0, 6.0]),
    );
    assert_eq!(
        f64s(&run("MatMul", &[&a, &b], vec![]).unwrap()),
        [17.0, 39.0]
    );
}

#[test]
fn stacks_broadcast() {
    for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
        let a = tensor(if ta { &[2, 1, 3, 2] } else { &[2, 1, 2, 3] });
        let b = tensor(if tb { &[3, 2, 3] } else { &[3, 3, 2] });
        let attrs = flags(["adj_x", "adj_y"], ta, tb);
        assert_eq!(
            run("BatchMatMulV2", &[&a, &b], attrs.clone())
                .unwrap()
                .shape()
                .dims(),
            [2, 3, 2, 2]
        );
        check_gradients("BatchMatMulV2", &[&a, &b], &attrs);
    }
}

#[test]
fn adjoints_conjugate() {
    let i = Tensor::from_slice([1, 1], &[Complex64::new(0.0, 1.0)]).unwrap();
    let y = run(
        "BatchMatMulV2",
        &[&i, &i],
        flags(["adj_x", "adj_y"], true, false),
    )
    .unwrap();
    assert_eq!(y.item::<Complex64>().unwrap(), Complex64::new(1.0, 0.0));
    let y = run(
        "MatMul",
        &[&i, &i],
        flags(["transpose_a", "transpose_b"], true, false),
    )
    .unwrap();
    assert_eq!(y.item::<Complex64>().unwrap(), Complex64::new(-1.0, 0.0));
}

#[test]
fn every_number_has_products() {
    for &dtype in DType::ALL.iter().filter(|d| d.is_numeric()) {
        let a = Tensor::zeros(dtype, [2, 3].into()).unwrap();
        let b = Tensor::zeros(dtype, [3, 2].into()).unwrap();
        assert_eq!(run("MatMul", &[&a, &b], vec![]).unwrap().dtype(), dtype);
    }
    let empty = run("MatMul", &[&t64(&[2, 0], &[]), &t64(&[0, 2], &[])], vec![]).unwrap();
    assert_eq!(f64s(&empty), [0.0; 4]);
}

#[test]
fn shapes() {
    let f = DType::Float32;
    let out = infer("MatMul", &[spec(f, &[-1, 3]), spec(f, &[3, 4])], vec![]).unwrap();
    assert_eq!(out[0], spec(f, &[-1, 4]));
    let out = infer(
        "BatchMatMulV2",
        &[spec(f, &[-1, 2, 3]), spec(f, &[3, 4])],
        vec![],
    )
    .unwrap();
    assert_eq!(out[0], spec(f, &[-1, 2, 4]));
    let e = infer("MatMul", &[spec(f, &[2, 3]), spec(f, &[4, 5])], vec![]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Shape);
    assert!(e.message().contains("[2,3]") && e.message().contains("[4,5]"));
    assert!(infer("MatMul", &[spec(f, &[3]), spec(f, &[3, 5])], vec![]).is_err());
    assert!(
        infer(
            "BatchMatMulV2",
            &[spec(f, &[2, 2, 3]), spec(f, &[3, 3, 4])],
            vec![]
        )
        .is_err()
    );
}
