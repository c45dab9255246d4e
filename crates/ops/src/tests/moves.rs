//! Movements: values on numbers and on strings, partial shapes, known elements, errors.

use super::support::*;
use ferrograph_graph::Attr;
use ferrograph_tensor::{DType, Tensor};
use smallvec::smallvec;

fn ints(t: &Tensor) -> Vec<i64> {
    t.to_i64s().unwrap()
}

/// Runs on numbers and on strings, and gives shape and elements.
fn both(
    name: &str,
    attrs: &[(&str, Attr)],
    data: usize,
    inputs: &[&Tensor],
) -> (Vec<usize>, Vec<i64>) {
    let out = one(name, attrs, inputs);
    let swapped: Vec<Tensor> = inputs
        .iter()
        .enumerate()
        .map(|(i, t)| if i == data { as_words(t) } else { (*t).clone() })
        .collect();
    let swapped: Vec<&Tensor> = swapped.iter().collect();
    let as_text = one(name, attrs, &swapped);
    let numbers: Vec<i64> = text(&as_text)
        .iter()
        .map(|w| w.parse().unwrap_or(0))
        .collect();
    assert_eq!(numbers, ints(&out), "{name} on strings");
    assert_eq!(as_text.shape(), out.shape());
    (out.shape().to_vec(), ints(&out))
}

const X: DType = DType::Float32;

#[test]
fn reshape_infers_what_it_can() {
    let to = |dims: &[i64], want: &[i64], from: &[i64]| {
        let (specs, _) = infer("Reshape", &[], &[open(X, from), constant(&v(dims))]).unwrap();
        assert_eq!(specs[0].shape, partial(want), "{from:?} to {dims:?}");
    };
    to(&[3, -1], &[3, 2], &[2, 3]);
    to(&[-1], &[-1], &[-1, 3]);
    to(&[-1, 6], &[-1, 6], &[-1, 2, 3]);
    let known = smallvec![None, Some(6)];
    let shape = (open(DType::Int32, &[2]).0, None, Some(known));
    let (specs, _) = infer("Reshape", &[], &[open(X, &[-1, 2, 3]), shape]).unwrap();
    assert_eq!(specs[0].shape, partial(&[-1, 6]));
    let x = iota(&[2, 3]);
    assert_eq!(
        fault("Reshape", &[], &[&x, &v(&[4, 2])]),
        "cannot reshape a tensor of shape [2,3] (6 elements) to shape [4,2] (8 elements)"
    );
    assert!(run("Reshape", &[], &[&x, &v(&[-1, -1])]).is_err());
    assert!(run("Reshape", &[], &[&x, &v(&[i64::MAX, i64::MAX])]).is_err());
    assert!(run("Reshape", &[], &[&x, &v(&[-1, 4])]).is_err());
    assert_eq!(
        one("Reshape", &[], &[&iota(&[0, 3]), &v(&[0, 5])])
            .shape()
            .dims(),
        [0, 5]
    );
}

#[test]
fn axes_of_size_one_come_and_go() {
    let x = iota(&[2, 3]);
    assert_eq!(
        one("ExpandDims", &[], &[&x, &s(-1)]).shape().dims(),
        [2, 3, 1]
    );
    assert!(run("ExpandDims", &[], &[&x, &s(4)]).is_err());
    let y = iota(&[1, 2, 1]);
    assert_eq!(one("Squeeze", &[], &[&y]).shape().dims(), [2]);
    let only = [("squeeze_dims", Attr::Ints(vec![-1]))];
    assert_eq!(one("Squeeze", &only, &[&y]).shape().dims(), [1, 2]);
    let wrong = [("squeeze_dims", Attr::Ints(vec![1]))];
    assert!(fault("Squeeze", &wrong, &[&y]).contains("expected size 1, got 2"));
    let (specs, _) = infer("Squeeze", &[], &[open(X, &[-1, 1])]).unwrap();
    assert_eq!(specs[0].shape.rank(), None);
}

#[test]
fn movements_of_one_tensor() {
    let x = iota(&[2, 3]);
    let (shape, got) = both("Transpose", &[], 0, &[&x, &v(&[1, 0])]);
    assert_eq!((shape, got), (vec![3, 2], vec![0, 3, 1, 4, 2, 5]));
    let (shape, got) = both("Tile", &[], 0, &[&iota(&[1, 2]), &v(&[2, 2])]);
    assert_eq!((shape, got), (vec![2, 4], vec![0, 1, 0, 1, 0, 1, 0, 1]));
    let (_, got) = both("ReverseV2", &[], 0, &[&x, &v(&[1])]);
    assert_eq!(got, [2, 1, 0, 5, 4, 3]);
    let (_, got) = both("Roll", &[], 0, &[&x, &v(&[1, -1]), &v(&[1, 0])]);
    assert_eq!(got, [5, 3, 4, 2, 0, 1]);
    let (shape, got) = both("BroadcastTo", &[], 0, &[&iota(&[2, 1]), &v(&[2, 2, 2])]);
    assert_eq!((shape, got), (vec![2, 2, 2], vec![0, 0, 1, 1, 0, 0, 1, 1]));
    assert!(run("BroadcastTo", &[], &[&x, &v(&[2, 2])]).is_err());
    assert!(run("Transpose", &[], &[&x, &v(&[0, 0])]).is_err());
    assert!(run("Tile", &[], &[&x, &v(&[i64::MAX, 2])]).is_err());
}

fn masks(begin: i64, end: i64, ellipsis: i64, new: i64, shrink: i64) -> Vec<(&'static str, Attr)> {
    vec![
        ("begin_mask", Attr::Int(begin)),
        ("end_mask", Attr::Int(end)),
        ("ellipsis_mask", Attr::Int(ellipsis)),
        ("new_axis_mask", Attr::Int(new)),
        ("shrink_axis_mask", Attr::Int(shrink)),
    ]
}

#[test]
fn slices_obey_their_masks() {
    let x = iota(&[3, 4]);
    let cut = |m: &[(&str, Attr)], b: &[i32], e: &[i32], s: &[i32]| {
        both("StridedSlice", m, 0, &[&x, &v(b), &v(e), &v(s)])
    };
    let none = masks(0, 0, 0, 0, 0);
    assert_eq!(
        cut(&none, &[1, 0], &[3, 3], &[1, 2]),
        (vec![2, 2], vec![4, 6, 8, 10])
    );
    assert_eq!(
        cut(&none, &[1], &[3], &[1]),
        (vec![2, 4], (4..12).collect())
    );
    assert_eq!(
        cut(&masks(1, 1, 0, 0, 0), &[0], &[0], &[-2]),
        (vec![2, 4], vec![8, 9, 10, 11, 0, 1, 2, 3])
    );
    assert_eq!(
        cut(&masks(0, 0, 1, 0, 2), &[0, -1], &[0, 0], &[1, 1]),
        (vec![3], vec![3, 7, 11])
    );
    assert_eq!(
        cut(&masks(0, 0, 0, 1, 2), &[0, 1], &[0, 2], &[1, 1]),
        (vec![1, 4], vec![4, 5, 6, 7])
    );
    assert_eq!(
        cut(&masks(0, 0, 0, 0, 3), &[2, 3], &[0, 0], &[1, 1]),
        (vec![], vec![11])
    );
    let at = |i: i32| {
        fault(
            "StridedSlice",
            &masks(0, 0, 0, 0, 1),
            &[&x, &v(&[i]), &v(&[0]), &v(&[1])],
        )
    };
    assert_eq!(at(3), "slice index 3 of axis 0 is out of bounds for size 3");
    assert!(run("StridedSlice", &none, &[&x, &v(&[0]), &v(&[1]), &v(&[0])]).is_err());
    assert!(
        fault(
            "StridedSlice",
            &none,
            &[&x, &v(&[0; 3]), &v(&[1; 3]), &v(&[1; 3])]
        )
        .contains("too many indices")
    );
}

#[test]
fn leading_slices_share_the_buffer() {
    let x = iota(&[3, 4]);
    let row = one(
        "StridedSlice",
        &masks(0, 0, 0, 0, 1),
        &[&x, &v(&[1]), &v(&[2]), &v(&[1])],
    );
    assert!(std::ptr::eq(row.bytes().as_ptr(), x.bytes()[16..].as_ptr()));
}

#[test]
fn slices_infer_partial_shapes() {
    let i32s = |n: i64| open(DType::Int32, &[n]);
    let out = |m: &[(&str, Attr)], inputs: &[_]| {
        infer("StridedSlice", m, inputs).unwrap().0[0].shape.clone()
    };
    let c = |x: &[i32]| constant(&v(x));
    let none = masks(0, 0, 0, 0, 0);
    assert_eq!(
        out(&none, &[open(X, &[-1, 3]), c(&[1]), c(&[4]), c(&[1])]),
        partial(&[-1, 3])
    );
    assert_eq!(
        out(
            &masks(0, 0, 0, 0, 1),
            &[open(X, &[-1, 3]), i32s(1), i32s(1), c(&[1])]
        ),
        partial(&[3])
    );
    assert_eq!(
        out(
            &masks(1, 1, 0, 0, 0),
            &[open(X, &[5, 3]), c(&[0]), c(&[0]), c(&[-2])]
        ),
        partial(&[3, 3])
    );
    let known = (
        open(DType::Int32, &[2]).0,
        None,
        Some(smallvec![None, Some(3)]),
    );
    let (_, known) = infer(
        "StridedSlice",
        &masks(0, 0, 0, 0, 1),
        &[known, c(&[1]), c(&[2]), c(&[1])],
    )
    .unwrap();
    assert_eq!(known.unwrap().as_slice(), [Some(3)]);
}

#[test]
fn a_kernel_reads_bounds_when_it_runs() {
    use ferrograph_graph::Inputs;
    use ferrograph_tensor::TensorSpec;
    let op = op("StridedSlice", &masks(0, 0, 0, 0, 1));
    let x = iota(&[3, 4]);
    let bounds = open(DType::Int32, &[1]).0;
    let specs = [x.spec(), bounds.clone(), bounds.clone(), bounds];
    let inputs = Inputs::of_specs(&specs);
    let out = [TensorSpec::new(DType::Int32, partial(&[4]))];
    assert!(
        ferrograph_graph::lower(op.as_ref(), &inputs, &out)
            .unwrap()
            .into_kernel()
            .is_some()
    );
}

#[test]
fn boxes_are_cut_out() {
    let x = iota(&[3, 3]);
    assert_eq!(
        both("Slice", &[], 0, &[&x, &v(&[1, 1]), &v(&[2, -1])]),
        (vec![2, 2], vec![4, 5, 7, 8])
    );
    assert_eq!(
        both("Slice", &[], 0, &[&x, &v(&[3, 0]), &v(&[0, 3])]),
        (vec![0, 3], vec![])
    );
    assert!(run("Slice", &[], &[&x, &v(&[0, 0]), &v(&[4, 1])]).is_err());
    assert!(run("Slice", &[], &[&x, &v(&[0, i64::MAX]), &v(&[1, i64::MAX])]).is_err());
    assert!(run("Slice", &[], &[&x, &v(&[0]), &v(&[1])]).is_err());
}

#[test]
fn joining_and_parting() {
    let (a, b) = (iota(&[2, 2]), iota(&[2, 1]));
    let out = one("ConcatV2", &[], &[&a, &b, &s(-1)]);
    assert_eq!(ints(&out), [0, 1, 0, 2, 3, 1]);
    let out = one("ConcatV2", &[], &[&as_words(&a), &as_words(&b), &s(1)]);
    assert_eq!(text(&out), ["0", "1", "0", "2", "3", "1"]);
    assert!(
        fault("ConcatV2", &[], &[&a, &iota(&[3, 1]), &s(1)]).contains("values[1] has shape [3,1]")
    );
    let axis = [("axis", Attr::Int(1))];
    let out = one("Pack", &axis, &[&a, &a]);
    assert_eq!(ints(&out), [0, 1, 0, 1, 2, 3, 2, 3]);
    let unpack = [("axis", Attr::Int(1)), ("num", Attr::Int(2))];
    let parts = run("Unpack", &unpack, &[&a]).unwrap();
    assert_eq!((ints(&parts[0]), ints(&parts[1])), (vec![0, 2], vec![1, 3]));
    let two = [("num_split", Attr::Int(2))];
    let parts = run("Split", &two, &[&s(1), &as_words(&a)]).unwrap();
    assert_eq!(text(&parts[1]), ["1", "3"]);
    assert!(run("Split", &two, &[&s(0), &iota(&[3])]).is_err());
    let parts = run("SplitV", &two, &[&iota(&[5]), &v(&[3, -1]), &s(0)]).unwrap();
    assert_eq!(
        (ints(&parts[0]), ints(&parts[1])),
        (vec![0, 1, 2], vec![3, 4])
    );
}

#[test]
fn joining_infers_partial_shapes_and_elements() {
    let (specs, _) = infer(
        "ConcatV2",
        &[],
        &[open(X, &[-1, 2]), open(X, &[3, -1]), constant(&s(0))],
    )
    .unwrap();
    assert_eq!(specs[0].shape, partial(&[-1, 2]));
    let (specs, _) = infer("Pack", &[], &[open(X, &[-1]), open(X, &[3])]).unwrap();
    assert_eq!(specs[0].shape, partial(&[2, 3]));
    let one_of = (open(DType::Int32, &[]).0, None, None);
    let (_, known) = infer("Pack", &[], &[one_of, constant(&s(3))]).unwrap();
    assert_eq!(known.unwrap().as_slice(), [None, Some(3)]);
    let (_, known) = infer("Shape", &[], &[open(X, &[-1, 3])]).unwrap();
    assert_eq!(known.unwrap().as_slice(), [None, Some(3)]);
}

#[test]
fn gathers_along_any_axis_and_in_batches() {
    let x = iota(&[2, 3]);
    assert_eq!(
        both("GatherV2", &[], 0, &[&x, &v(&[1, 0]), &s(0)]),
        (vec![2, 3], vec![3, 4, 5, 0, 1, 2])
    );
    assert_eq!(
        both("GatherV2", &[], 0, &[&x, &s(2), &s(-1)]),
        (vec![2], vec![2, 5])
    );
    let batch = [("batch_dims", Attr::Int(1))];
    let at = Tensor::from_slice([2, 2], &[2, 0, 1, 1]).unwrap();
    assert_eq!(
        both("GatherV2", &batch, 0, &[&x, &at, &s(1)]),
        (vec![2, 2], vec![2, 0, 4, 4])
    );
    assert_eq!(
        fault("GatherV2", &[], &[&x, &v(&[7]), &s(0)]),
        "indices[0] = 7 is not in [0, 2)"
    );
    assert_eq!(
        fault("GatherV2", &[], &[&x, &s(-1), &s(0)]),
        "indices = -1 is not in [0, 2)"
    );
    let at = Tensor::from_slice([2, 2], &[0i64, 1, 1, 2]).unwrap();
    assert_eq!(both("GatherNd", &[], 0, &[&x, &at]), (vec![2], vec![1, 5]));
    assert!(fault("GatherNd", &[], &[&x, &v(&[2])]).contains("does not index into shape [2]"));
    let (specs, _) = infer(
        "GatherV2",
        &[],
        &[open(X, &[-1, 3]), open(DType::Int32, &[4]), constant(&s(0))],
    )
    .unwrap();
    assert_eq!(specs[0].shape, partial(&[4, 3]));
}

#[test]
fn counts_become_tensors() {
    assert_eq!(
        both("Fill", &[], 1, &[&v(&[2, 2]), &s(7)]),
        (vec![2, 2], vec![7; 4])
    );
    assert!(run("Fill", &[], &[&v(&[-2]), &s(7)]).is_err());
    assert_eq!(ints(&one("Range", &[], &[&s(0), &s(5), &s(2)])), [0, 2, 4]);
    assert_eq!(ints(&one("Range", &[], &[&s(5), &s(0), &s(-2)])), [5, 3, 1]);
    let r = one("Range", &[], &[&s(0.0f32), &s(1.0f32), &s(0.3f32)]);
    assert_eq!(r.as_slice::<f32>().unwrap().len(), 4);
    let r = one("Range", &[], &[&s(0.1f32), &s(1.1f32), &s(0.1f32)]);
    assert_eq!(r.as_slice::<f32>().unwrap().len(), 10); // counted as exactly as the dtype is
    assert_eq!(
        fault("Range", &[], &[&s(5), &s(0), &s(1)]),
        "a range from 5 to 0 needs a delta towards the limit, got 1"
    );
    assert!(run("Range", &[], &[&s(5), &s(0), &s(0)]).is_err());
    assert!(run("Range", &[], &[&s(0.0f32), &s(f32::NAN), &s(1.0f32)]).is_err());
    let l = one("LinSpace", &[], &[&s(0.0f32), &s(1.0f32), &s(3)]);
    assert_eq!(l.as_slice::<f32>().unwrap(), [0.0, 0.5, 1.0]);
    let hot = one("OneHot", &[], &[&v(&[0, 2, -1]), &s(3), &s(1), &s(0)]);
    assert_eq!(ints(&hot), [1, 0, 0, 0, 0, 1, 0, 0, 0]);
    let first = [("axis", Attr::Int(0))];
    assert_eq!(
        ints(&one("OneHot", &first, &[&v(&[0, 1]), &s(3), &s(1), &s(0)])),
        [1, 0, 0, 1, 0, 0]
    );
    let w = one(
        "Where",
        &[],
        &[&Tensor::from_slice([2, 2], &[true, false, true, true]).unwrap()],
    );
    assert_eq!(
        (w.shape().to_vec(), ints(&w)),
        (vec![3, 2], vec![0, 0, 1, 0, 1, 1])
    );
    assert_eq!(one("Where", &[], &[&s(true)]).shape().dims(), [1, 0]);
}

#[test]
fn text_and_assertions() {
    let format = [
        ("template", Attr::str("{} and {}!")),
        ("placeholder", Attr::str("{}")),
        ("summarize", Attr::Int(2)),
    ];
    let out = one(
        "StringFormat",
        &format,
        &[&iota(&[10]), &words(&[1], &["a"])],
    );
    assert_eq!(text(&out), ["[0 1 ... 8 9] and [\"a\"]!"]);
    assert!(run("StringFormat", &format, &[&s(1)]).is_err());
    assert!(run("Assert", &[], &[&s(true), &s(1)]).unwrap().is_empty());
    assert_eq!(
        fault(
            "Assert",
            &[],
            &[
                &s(false),
                &words(&[], &["x must be positive"]),
                &v(&[1, 2, 3, 4])
            ]
        ),
        "assertion failed: [x must be positive] [1 2 3...]"
    );
}

#[test]
fn prints_append_to_files() {
    let path = std::env::temp_dir().join(format!("print-{}.txt", std::process::id()));
    let to = [(
        "output_stream",
        Attr::str(&format!("file://{}", path.display())),
    )];
    for word in ["a", "b"] {
        run("PrintV2", &to, &[&words(&[], &[word])]).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(written, "a\nb\n");
}

#[test]
fn bands_and_diagonals() {
    let m = iota(&[3, 3]);
    let (_, got) = both("MatrixBandPart", &[], 0, &[&m, &s(0), &s(-1)]);
    assert_eq!(got, [0, 1, 2, 0, 4, 5, 0, 0, 8]);
    assert_eq!(
        ints(&one("MatrixDiagPartV3", &[], &[&m, &s(0), &s(0)])),
        [0, 4, 8]
    );
    let two = one("MatrixDiagPartV3", &[], &[&m, &v(&[-1, 1]), &s(-9)]);
    assert_eq!(
        (two.shape().to_vec(), ints(&two)),
        (vec![3, 3], vec![-9, 1, 5, 0, 4, 8, 3, 7, -9])
    );
    let square = one(
        "MatrixDiagV3",
        &[],
        &[&v(&[1, 2]), &s(1), &s(-1), &s(-1), &s(0)],
    );
    assert_eq!(
        (square.shape().to_vec(), ints(&square)),
        (vec![3, 3], vec![0, 1, 0, 0, 0, 2, 0, 0, 0])
    );
    let wide = one(
        "MatrixDiagV3",
        &[],
        &[&v(&[1, 2]), &s(0), &s(2), &s(3), &s(7)],
    );
    assert_eq!(ints(&wide), [1, 7, 7, 7, 2, 7]);
    let set = one("MatrixSetDiagV3", &[], &[&m, &v(&[9, 9, 9]), &s(0)]);
    assert_eq!(ints(&set), [9, 1, 2, 3, 9, 5, 6, 7, 9]);
    assert!(run("MatrixDiagPartV3", &[], &[&m, &s(5), &s(0)]).is_err());
    assert!(
        run(
            "MatrixDiagPartV3",
            &[],
            &[&m, &v(&[i64::MIN, i64::MAX]), &s(0)]
        )
        .is_err()
    );
}

#[test]
fn order_and_distinct_elements() {
    let x = Tensor::from_slice([2, 3], &[1, 3, 2, 6, 5, 4]).unwrap();
    let top = run("TopKV2", &[], &[&x, &s(2)]).unwrap();
    assert_eq!(
        (ints(&top[0]), ints(&top[1])),
        (vec![3, 2, 6, 5], vec![1, 2, 0, 1])
    );
    assert!(run("TopKV2", &[], &[&x, &s(4)]).is_err());
    let u = run("UniqueWithCounts", &[], &[&v(&[5, 7, 5, 5])]).unwrap();
    assert_eq!(
        (ints(&u[0]), ints(&u[1]), ints(&u[2])),
        (vec![5, 7], vec![0, 1, 0, 0], vec![3, 1])
    );
    assert_eq!(
        text(&run("Unique", &[], &[&words(&[3], &["b", "a", "b"])]).unwrap()[0]),
        ["b", "a"]
    );
    assert_eq!(one("Unique", &[], &[&v(&[0.0f32, -0.0])]).n_elements(), 1);
    let row = Tensor::from_slice([1, 3], &[1, 3, 3]).unwrap();
    let at = Tensor::from_slice([1, 3], &[0, 3, 9]).unwrap();
    assert_eq!(ints(&one("LowerBound", &[], &[&row, &at])), [0, 1, 3]);
    assert_eq!(ints(&one("UpperBound", &[], &[&row, &at])), [0, 3, 3]);
}

#[test]
fn rows_of_matrices_are_known_in_part() {
    let row = |known| (open(DType::Int32, &[2]).0, None, Some(known));
    let rows = [
        row(smallvec![Some(0), None]),
        row(smallvec![Some(1), Some(2)]),
    ];
    let (specs, known) = infer("Pack", &[], &rows).unwrap();
    let known = known.unwrap();
    assert_eq!(known.as_slice(), [Some(0), None, Some(1), Some(2)]);
    let pads = (specs[0].clone(), None, Some(known));
    let (specs, _) = infer("Pad", &[], &[open(X, &[3, 4]), pads]).unwrap();
    assert_eq!(specs[0].shape, partial(&[-1, 7]));
}
