use crate::testing::{ByName, check_fn, check_gradients, f64s, infer, run, run_all, spec, t64};
use ferrograph_graph::Attr;
use ferrograph_tensor::{DType, ErrorKind, Tensor, bf16};

fn logits() -> Tensor {
    t64(&[2, 3], &[1.0, 2.0, 0.5, -0.3, 0.8, 0.1])
}

#[test]
fn softmax_and_its_gradients() {
    let y = f64s(&run("Softmax", &[&logits()], vec![]).unwrap());
    assert!((y[0] + y[1] + y[2] - 1.0).abs() < 1e-15);
    check_gradients("Softmax", &[&logits()], &[]);
    check_gradients("LogSoftmax", &[&logits()], &[]);
    assert!(run("Softmax", &[&t64(&[], &[1.0])], vec![]).is_err());
    assert_eq!(
        run("Softmax", &[&t64(&[0, 3], &[])], vec![])
            .unwrap()
            .n_elements(),
        0
    );
}

#[test]
fn cross_entropies_and_their_gradients() {
    let labels = Tensor::vector(&[1i64, 2]).unwrap();
    let soft = t64(&[2, 3], &[0.2, 0.5, 0.3, 0.1, 0.1, 0.8]);
    check_gradients(
        "SparseSoftmaxCrossEntropyWithLogits",
        &[&logits(), &labels],
        &[],
    );
    check_gradients("SoftmaxCrossEntropyWithLogits", &[&logits(), &soft], &[]);
    check_gradients(
        "SoftmaxCrossEntropyWithLogits",
        &[&logits(), &t64(&[1, 3], &[0.2, 0.5, 0.3])],
        &[],
    );
    check_fn("backprop", &[&logits(), &soft], |e, xs| {
        Ok(e.op_all("SoftmaxCrossEntropyWithLogits", xs, vec![])?[1].clone())
    });
}

#[test]
fn labels_out_of_range_are_refused() {
    for label in [3, -1] {
        let labels = Tensor::vector(&[0, label]).unwrap();
        let e = run_all(
            "SparseSoftmaxCrossEntropyWithLogits",
            &[&logits(), &labels],
            vec![],
        )
        .unwrap_err();
        assert_eq!(e.kind(), ErrorKind::InvalidArgument);
        assert!(e.message().contains("[0, 3)"));
    }
    let half = Tensor::from_slice([1, 2], &[bf16::ONE, bf16::ONE]).unwrap();
    let labels = Tensor::vector(&[0]).unwrap();
    let loss = run(
        "SparseSoftmaxCrossEntropyWithLogits",
        &[&half, &labels],
        vec![],
    )
    .unwrap();
    assert!((loss.as_slice::<bf16>().unwrap()[0].to_f32() - 0.693).abs() < 1e-2);
}

#[test]
fn biases() {
    let x = t64(&[2, 2, 3], &(0..12).map(f64::from).collect::<Vec<_>>());
    let b = t64(&[3], &[10.0, 20.0, 30.0]);
    assert_eq!(
        f64s(&run("BiasAdd", &[&x, &b], vec![]).unwrap())[..4],
        [10.0, 21.0, 32.0, 13.0]
    );
    check_gradients("BiasAdd", &[&x, &b], &[]);
    let first = vec![("data_format", Attr::str("NCHW"))];
    let b = t64(&[2], &[10.0, 20.0]);
    assert_eq!(
        f64s(&run("BiasAdd", &[&x, &b], first.clone()).unwrap())[2..5],
        [12.0, 23.0, 24.0]
    );
    check_gradients("BiasAdd", &[&x, &b], &first);
    assert!(run("BiasAdd", &[&x, &b], vec![]).is_err());
}

#[test]
fn shapes() {
    let f = DType::Float32;
    let out = infer(
        "SparseSoftmaxCrossEntropyWithLogits",
        &[spec(f, &[-1, 10]), spec(DType::Int64, &[32])],
        vec![],
    )
    .unwrap();
    assert_eq!(out[..], [spec(f, &[32]), spec(f, &[32, 10])]);
}
