//! Gradients of movements against differences, twice over.

use super::support::{iota, s, v};
use crate::emit::*;
use crate::testing::{ByName, Recorder, check_fn, check_gradients, t64};
use ferrograph_graph::Attr;
use ferrograph_tensor::{DType, Tensor};

fn x(dims: &[usize]) -> Tensor {
    let n: usize = dims.iter().product();
    let elements: Vec<f64> = (0..n).map(|i| (i * 5 % 7) as f64 * 0.4 - 1.1).collect();
    t64(dims, &elements)
}

fn int(name: &'static str, value: i64) -> (&'static str, Attr) {
    (name, Attr::Int(value))
}

#[test]
fn of_movements_of_one_tensor() {
    let m = x(&[2, 3]);
    check_gradients("Reshape", &[&m, &v(&[3, 2])], &[]);
    check_gradients("ExpandDims", &[&m, &s(1)], &[]);
    check_gradients("Squeeze", &[&x(&[1, 3, 1])], &[]);
    check_gradients(
        "EnsureShape",
        &[&m],
        &[("shape", Attr::Shape(m.spec().shape))],
    );
    check_gradients("Transpose", &[&x(&[2, 3, 2]), &v(&[2, 0, 1])], &[]);
    check_gradients("BroadcastTo", &[&x(&[2, 1]), &v(&[2, 2, 3])], &[]);
    check_gradients("Tile", &[&m, &v(&[2, 3])], &[]);
    check_gradients("ReverseV2", &[&m, &v(&[1])], &[]);
    check_gradients("Roll", &[&m, &v(&[1, 2]), &v(&[0, 1])], &[]);
}

#[test]
fn of_slices() {
    let m = x(&[3, 4]);
    let cut = [v(&[2, 0]), v(&[0, 4]), v(&[-1, 2])];
    check_gradients("StridedSlice", &[&m, &cut[0], &cut[1], &cut[2]], &[]);
    let shrink = [int("shrink_axis_mask", 1), int("end_mask", 2)];
    check_gradients(
        "StridedSlice",
        &[&m, &v(&[1, 1]), &v(&[2, 0]), &v(&[1, 2])],
        &shrink,
    );
    check_gradients("Slice", &[&m, &v(&[1, 0]), &v(&[2, -1])], &[]);
}

#[test]
fn of_pads() {
    let m = x(&[2, 3]);
    let pads = Tensor::from_slice([2, 2], &[1, 0, 2, 1]).unwrap();
    check_gradients("Pad", &[&m, &pads], &[]);
    check_gradients("PadV2", &[&m, &pads, &s(0.7f64)], &[]);
    let pads = Tensor::from_slice([2, 2], &[1, 0, 2, 1]).unwrap();
    for mode in ["REFLECT", "SYMMETRIC"] {
        check_gradients("MirrorPad", &[&m, &pads], &[("mode", Attr::str(mode))]);
    }
}

#[test]
fn of_joins_and_parts() {
    let (a, b) = (x(&[2, 3]), x(&[2, 1]));
    check_gradients("ConcatV2", &[&a, &b, &s(1)], &[]);
    check_gradients("Pack", &[&a, &a], &[int("axis", 1)]);
    for (name, at) in [("Split", 0), ("SplitV", 1), ("Unpack", 2)] {
        check_fn(name, &[&x(&[2, 4])], |e, xs| {
            let axis = e.scalar(1.0, DType::Int32)?;
            let sizes = e.int_vector(&[1, 3])?;
            let parts = match at {
                0 => e.op_all(name, &[axis, xs[0].clone()], vec![int("num_split", 2)])?,
                1 => e.op_all(
                    name,
                    &[xs[0].clone(), sizes, axis],
                    vec![int("num_split", 2)],
                )?,
                _ => e.op_all(name, &[xs[0].clone()], vec![int("num", 4), int("axis", 1)])?,
            };
            e.mul(&parts[1], &parts[1])
        });
    }
}

#[test]
fn of_gathers() {
    let m = x(&[2, 3, 2]);
    check_gradients("GatherV2", &[&m, &v(&[2, 0, 2]), &s(1)], &[]);
    check_gradients("GatherV2", &[&m, &s(1), &s(-1)], &[]);
    let at = Tensor::from_slice([2, 2], &[2, 0, 1, 1]).unwrap();
    check_gradients("GatherV2", &[&m, &at, &s(1)], &[int("batch_dims", 1)]);
    let at = Tensor::from_slice([2, 2], &[0, 1, 1, 2]).unwrap();
    check_gradients("GatherNd", &[&m, &at], &[]);
}

#[test]
fn of_scatters() {
    let at = Tensor::from_slice([3, 1], &[2, 0, 2]).unwrap();
    let (t, u) = (x(&[4, 2]), t64(&[3, 2], &[0.3, -2.0, 1.7, 0.05, 2.9, -0.6]));
    check_gradients("ScatterNd", &[&at, &u, &v(&[4, 2])], &[]);
    for name in [
        "TensorScatterAdd",
        "TensorScatterSub",
        "TensorScatterMax",
        "TensorScatterMin",
    ] {
        check_gradients(name, &[&t, &at, &u], &[]);
    }
    let once = Tensor::from_slice([3, 1], &[2, 0, 3]).unwrap();
    check_gradients("TensorScatterUpdate", &[&t, &once, &u], &[]);
}

#[test]
fn of_merged_rows() {
    let holds = Tensor::from_slice([5], &[true, false, false, true, false]).unwrap();
    check_gradients("MergeRows", &[&holds, &x(&[2, 3]), &x(&[3, 3])], &[]);
}

#[test]
fn of_segments() {
    let data = t64(&[4, 2], &[0.3, -2.0, 1.7, 0.05, 2.9, -0.6, 1.1, 0.8]);
    for name in ["Sum", "Prod", "Max", "Min"] {
        // An empty segment is the lowest or highest number there is, which no difference can be taken of.
        let ids = match name {
            "Max" | "Min" => v(&[2, 0, 1, 2]),
            _ => v(&[2, 0, -1, 2]),
        };
        check_gradients(
            &format!("UnsortedSegment{name}"),
            &[&data, &ids, &s(3)],
            &[],
        );
    }
    for name in ["Sum", "Mean", "Prod", "Max", "Min"] {
        check_gradients(&format!("Segment{name}"), &[&data, &v(&[0, 0, 2, 2])], &[]);
    }
}

#[test]
fn of_products_of_sparse_matrices() {
    let places = Tensor::from_slice([4, 2], &[0i64, 2, 1, 0, 1, 2, 0, 1]).unwrap();
    let values = t64(&[4], &[0.3, -2.0, 1.7, 0.05]);
    let shape = Tensor::vector(&[2i64, 3]).unwrap();
    for (a, b) in [(false, false), (true, false), (false, true), (true, true)] {
        let dims: &[usize] = match (a, b) {
            (false, false) => &[3, 2],
            (true, false) => &[2, 2],
            (false, true) => &[2, 3],
            (true, true) => &[3, 2],
        };
        let attrs = [("adjoint_a", Attr::Bool(a)), ("adjoint_b", Attr::Bool(b))];
        check_gradients(
            "SparseTensorDenseMatMul",
            &[&places, &values, &shape, &x(dims)],
            &attrs,
        );
    }
}

#[test]
fn of_fills_and_lists() {
    check_gradients("Fill", &[&v(&[2, 3]), &s(0.4f64)], &[]);
    let dtype = ("element_dtype", Attr::DType(DType::Float64));
    check_fn("lists", &[&x(&[3, 2])], |e, xs| {
        // Each list is used once: the emitter of these tests adds gradients as numbers.
        let any = e.scalar(-1.0, DType::Int32)?;
        let zero = e.scalar(0.0, DType::Int32)?;
        let list =
            |e: &mut Recorder| e.op("TensorListFromTensor", &[&xs[0], &any], vec![dtype.clone()]);
        let (a, b) = (list(e)?, list(e)?);
        let first = e.op("TensorListGetItem", &[&a, &zero, &any], vec![dtype.clone()])?;
        let square = e.mul(&first, &first)?;
        let longer = e.op("TensorListPushBack", &[&b, &square], vec![dtype.clone()])?;
        let written = e.op(
            "TensorListSetItem",
            &[&longer, &zero, &first],
            vec![dtype.clone()],
        )?;
        let some = e.int_vector(&[3, 1, 3, 0])?;
        e.op(
            "TensorListGather",
            &[&written, &some, &any],
            vec![dtype.clone()],
        )
    });
}

#[test]
fn values_of_scatters_and_segments() {
    use super::support::{fault, one, words};
    let at = Tensor::from_slice([3, 1], &[3i64, 0, 3]).unwrap();
    let ints = |t: Tensor| t.to_i64s().unwrap();
    assert_eq!(
        ints(one("ScatterNd", &[], &[&at, &v(&[1, 2, 4]), &v(&[4i64])])),
        [2, 0, 0, 5]
    );
    assert_eq!(
        ints(one(
            "TensorScatterSub",
            &[],
            &[&v(&[8; 4]), &at, &v(&[1, 2, 4])]
        )),
        [6, 8, 8, 3]
    );
    let w = one(
        "TensorScatterUpdate",
        &[],
        &[
            &words(&[4], &["a", "b", "c", "d"]),
            &at,
            &words(&[3], &["x", "y", "z"]),
        ],
    );
    assert_eq!(super::support::text(&w), ["y", "b", "c", "z"]);
    let wrong = Tensor::from_slice([1, 1], &[7i64]).unwrap();
    assert_eq!(
        fault("ScatterNd", &[], &[&wrong, &v(&[1]), &v(&[4i64])]),
        "indices[0] = [7] does not index into shape [4]"
    );
    assert_eq!(
        ints(one(
            "UnsortedSegmentSum",
            &[],
            &[&iota(&[3, 2]), &v(&[1, -1, 1]), &s(2)]
        )),
        [0, 0, 4, 6]
    );
    assert_eq!(
        ints(one(
            "UnsortedSegmentMax",
            &[],
            &[&iota(&[2]), &v(&[1, 1]), &s(2)]
        )),
        [i64::from(i32::MIN), 1]
    );
    assert_eq!(
        fault(
            "UnsortedSegmentSum",
            &[],
            &[&iota(&[2]), &v(&[1, 5]), &s(2)]
        ),
        "segment_ids[1] = 5 is not in [0, 2)"
    );
    assert_eq!(
        ints(one("SegmentMean", &[], &[&iota(&[4]), &v(&[0, 0, 2, 2])])),
        [0, 0, 2]
    );
    assert!(super::support::run("SegmentSum", &[], &[&iota(&[2]), &v(&[1, 0])]).is_err());
    let pads = Tensor::from_slice([1, 2], &[1, 2]).unwrap();
    let w = one(
        "PadV2",
        &[],
        &[&words(&[1], &["a"]), &pads, &words(&[], &["-"])],
    );
    assert_eq!(super::support::text(&w), ["-", "a", "-", "-"]);
    let mirror = [("mode", Attr::str("REFLECT"))];
    assert_eq!(
        ints(one("MirrorPad", &mirror, &[&iota(&[3]), &pads])),
        [1, 0, 1, 2, 1, 0]
    );
    assert!(super::support::run("MirrorPad", &mirror, &[&iota(&[2]), &pads]).is_err());
}

#[test]
fn of_bands_diagonals_and_the_greatest() {
    let m = x(&[2, 3, 3]);
    check_gradients("MatrixBandPart", &[&m, &s(1), &s(0)], &[]);
    check_gradients(
        "MatrixDiagV3",
        &[&x(&[2, 3]), &s(0), &s(-1), &s(-1), &s(0.0f64)],
        &[],
    );
    check_gradients("MatrixDiagPartV3", &[&m, &v(&[-1, 1]), &s(0.0f64)], &[]);
    check_gradients("MatrixSetDiagV3", &[&m, &x(&[2, 3]), &s(0)], &[]);
    let distinct = t64(&[2, 3], &[0.3, -2.0, 1.7, 0.05, 2.9, -0.6]);
    check_gradients("TopKV2", &[&distinct, &s(2)], &[]);
}
