use crate::testing::{check_gradients, f64s, infer, run, run_all, spec, t64};
use ferrograph_graph::Attr;
use ferrograph_tensor::{DType, ErrorKind, PartialShape, Tensor};

fn axes(a: &[i32]) -> Tensor {
    Tensor::vector(a).unwrap()
}

fn keep() -> Vec<(&'static str, Attr)> {
    vec![("keep_dims", Attr::Bool(true))]
}

#[test]
fn reductions_over_any_axes() {
    let x = t64(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let over = |name: &str, a: &[i32]| f64s(&run(name, &[&x, &axes(a)], vec![]).unwrap());
    assert_eq!(over("Sum", &[-1]), [6.0, 15.0]);
    assert_eq!(over("Mean", &[0]), [2.5, 3.5, 4.5]);
    assert_eq!(over("Prod", &[0, 1]), [720.0]);
    assert_eq!(over("Max", &[]), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(over("EuclideanNorm", &[1])[0], 14f64.sqrt());
    let axis = Tensor::scalar(1i64).unwrap();
    let kept = run("Min", &[&x, &axis], keep()).unwrap();
    assert_eq!(
        (kept.shape().dims(), f64s(&kept)),
        (&[2, 1][..], vec![1.0, 4.0])
    );
    let ints = Tensor::vector(&[-3, -4]).unwrap();
    assert_eq!(
        run("Mean", &[&ints, &axes(&[0])], vec![])
            .unwrap()
            .item::<i32>()
            .unwrap(),
        -3
    );
    let flags = Tensor::vector(&[true, false]).unwrap();
    assert!(
        run("Any", &[&flags, &axes(&[0])], vec![])
            .unwrap()
            .item::<bool>()
            .unwrap()
    );
    assert!(
        !run("All", &[&flags, &axes(&[0])], vec![])
            .unwrap()
            .item::<bool>()
            .unwrap()
    );
    let none = run("Max", &[&t64(&[0, 2], &[]), &axes(&[0])], vec![]).unwrap();
    assert_eq!(f64s(&none), [f64::NEG_INFINITY; 2]);
}

#[test]
fn axes_that_do_not_fit_are_refused() {
    let x = t64(&[2, 3], &[0.0; 6]);
    for bad in [&[2][..], &[-3], &[0, -2]] {
        let e = run("Sum", &[&x, &axes(bad)], vec![]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::InvalidArgument);
    }
    assert_eq!(
        run("Sum", &[&x, &x], vec![]).unwrap_err().kind(),
        ErrorKind::DType
    );
    let flags = Tensor::vector(&[true]).unwrap();
    assert_eq!(
        run("Sum", &[&flags, &axes(&[0])], vec![])
            .unwrap_err()
            .kind(),
        ErrorKind::DType
    );
}

#[test]
fn shapes_with_unknown_axes() {
    let x = spec(DType::Float32, &[-1, 3]);
    let a = spec(DType::Int32, &[1]);
    let out = infer("Sum", &[x.clone(), a.clone()], vec![]).unwrap();
    assert_eq!(out[0].shape, PartialShape::UNKNOWN);
    let out = infer("Sum", &[x, a], keep()).unwrap();
    assert_eq!(out[0].shape, PartialShape::of_rank(2));
}

#[test]
fn gradients_of_reductions() {
    let x = t64(
        &[2, 3, 2],
        &[
            0.7, -1.2, 2.5, 0.3, 1.1, -0.4, 0.9, 1.4, -0.6, 2.2, 0.8, 1.9,
        ],
    );
    for over in [&[0][..], &[1], &[-1], &[0, 2], &[0, 1, 2], &[]] {
        for attrs in [vec![], keep()] {
            for name in ["Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm"] {
                check_gradients(name, &[&x, &axes(over)], &attrs);
            }
        }
    }
}

#[test]
fn ties_share_and_zeros_do_no_harm() {
    use crate::emit::*;
    use crate::testing::{ByName, Recorder};
    use ferrograph_graph::Val;
    let gradient = |name: &str, x: &Tensor| {
        let (mut e, x) = (Recorder::default(), Val::eager(x.clone()));
        let axis = e.int_vector(&[0]).unwrap();
        let y = e.op(name, &[&x, &axis], vec![]).unwrap();
        let grads = e.gradients(&y, &[x]).unwrap();
        f64s(grads[0].as_ref().unwrap().tensor().unwrap())
    };
    assert_eq!(
        gradient("Max", &t64(&[3], &[2.0, 1.0, 2.0])),
        [0.5, 0.0, 0.5]
    );
    assert_eq!(
        gradient("Prod", &t64(&[3], &[2.0, 0.0, 3.0])),
        [0.0, 6.0, 0.0]
    );
    assert_eq!(gradient("Prod", &t64(&[3], &[0.0, 0.0, 3.0])), [0.0; 3]);
}

#[test]
fn places_of_extremes() {
    let x = t64(&[2, 3], &[1.0, 5.0, 5.0, 9.0, 0.0, 2.0]);
    let y = run("ArgMax", &[&x, &Tensor::scalar(1).unwrap()], vec![]).unwrap();
    assert_eq!(y.as_slice::<i64>().unwrap(), [1, 0]);
    let narrow = vec![("output_type", Attr::DType(DType::Int32))];
    let y = run("ArgMin", &[&x, &Tensor::scalar(-2).unwrap()], narrow).unwrap();
    assert_eq!(y.as_slice::<i32>().unwrap(), [0, 1, 1]);
    let none = t64(&[0, 2], &[]);
    assert!(run("ArgMax", &[&none, &Tensor::scalar(0).unwrap()], vec![]).is_err());
    assert!(run("ArgMax", &[&none, &Tensor::scalar(1).unwrap()], vec![]).is_ok());
}

#[test]
fn scans() {
    let x = t64(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let axis = Tensor::scalar(1).unwrap();
    let with = |e: bool, r: bool| vec![("exclusive", Attr::Bool(e)), ("reverse", Attr::Bool(r))];
    let sum = |e, r| f64s(&run("Cumsum", &[&x, &axis], with(e, r)).unwrap());
    assert_eq!(sum(false, false), [1.0, 3.0, 6.0, 4.0, 9.0, 15.0]);
    assert_eq!(sum(true, false), [0.0, 1.0, 3.0, 0.0, 4.0, 9.0]);
    assert_eq!(sum(false, true), [6.0, 5.0, 3.0, 15.0, 11.0, 6.0]);
    for (e, r) in [(false, false), (true, false), (false, true), (true, true)] {
        for axis in [0, 1] {
            let axis = Tensor::scalar(axis).unwrap();
            check_gradients("Cumsum", &[&x, &axis], &with(e, r));
            check_gradients("Cumprod", &[&x, &axis], &with(e, r));
        }
    }
}

#[test]
fn sums_of_many() {
    let (a, b) = (t64(&[3], &[1.0, 2.0, 3.0]), t64(&[3], &[0.5, 0.5, 0.5]));
    assert_eq!(
        f64s(&run("AddN", &[&a, &b, &a], vec![]).unwrap()),
        [2.5, 4.5, 6.5]
    );
    check_gradients("AddN", &[&a, &b], &[]);
    // One after the other they sum up to 99.9999999999986.
    let tenth = t64(&[2], &[0.1, -0.1]);
    let sums = f64s(&run("AddN", &[&tenth; 1000], vec![]).unwrap());
    assert!(
        sums.iter()
            .zip([100.0, -100.0])
            .all(|(x, want)| (x - want).abs() < 1e-13),
        "{sums:?}"
    );
    assert!(run("AddN", &[&a, &t64(&[2], &[1.0, 2.0])], vec![]).is_err());
    assert_eq!(f64s(&run("L2Loss", &[&a], vec![]).unwrap()), [7.0]);
    check_gradients("L2Loss", &[&a], &[]);
}

#[test]
fn axes_of_broadcasting() {
    let (a, b) = (axes(&[2, 3, 1]), axes(&[3, 4]));
    let both = run_all("BroadcastGradientArgs", &[&a, &b], vec![]).unwrap();
    assert_eq!(both[0].to_i64s().unwrap(), [2]);
    assert_eq!(both[1].to_i64s().unwrap(), [0]);
    assert!(run_all("BroadcastGradientArgs", &[&axes(&[2]), &axes(&[3])], vec![]).is_err());
}
