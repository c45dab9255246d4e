use crate::registry;
use crate::testing::{infer, run, run_all, spec};
use ferrograph_graph::{Attr, Interpreter};
use ferrograph_tensor::{DType, ErrorKind, PartialShape, Tensor};

fn ints(x: &[i32]) -> Tensor {
    Tensor::vector(x).unwrap()
}

fn of(dtype: DType) -> Vec<(&'static str, Attr)> {
    vec![("dtype", Attr::DType(dtype))]
}

#[test]
fn a_seed_gives_the_recorded_numbers() {
    let y = run(
        "StatelessRandomUniform",
        &[&ints(&[4]), &ints(&[1, 2])],
        of(DType::Float32),
    )
    .unwrap();
    assert_eq!(
        y.as_slice::<f32>().unwrap(),
        [0.844_060_4, 0.192_045_33, 0.996_223_2, 0.160_387_4]
    );
    let wide = Tensor::vector(&[1i64, 2]).unwrap();
    let y = run(
        "StatelessRandomUniform",
        &[&ints(&[2]), &wide],
        of(DType::Float64),
    )
    .unwrap();
    assert_eq!(
        y.as_slice::<f64>().unwrap(),
        [0.752_483_753_845_180_1, 0.969_785_772_562_748_6]
    );
    let (low, high) = (Tensor::scalar(0).unwrap(), Tensor::scalar(10).unwrap());
    let y = run(
        "StatelessRandomUniformInt",
        &[&ints(&[6]), &ints(&[3, 4]), &low, &high],
        vec![],
    )
    .unwrap();
    assert_eq!(y.as_slice::<i32>().unwrap(), [3, 7, 2, 9, 7, 9]);
}

#[test]
fn keys_and_counters_are_another_way_to_the_same_numbers() {
    let (shape, seed) = (ints(&[2, 3]), ints(&[7, -9]));
    let state = run_all("StatelessRandomGetKeyCounter", &[&seed], vec![]).unwrap();
    let alg = Tensor::scalar(1).unwrap();
    for name in [
        "StatelessRandomUniform",
        "StatelessRandomNormal",
        "StatelessTruncatedNormal",
    ] {
        for dtype in [
            DType::Float16,
            DType::BFloat16,
            DType::Float32,
            DType::Float64,
        ] {
            let classic = run(name, &[&shape, &seed], of(dtype)).unwrap();
            let inputs = [&shape, &state[0], &state[1], &alg];
            let keyed = run(&format!("{name}V2"), &inputs, of(dtype)).unwrap();
            assert_eq!(classic.bytes(), keyed.bytes(), "{name} {dtype}");
        }
    }
    let three = Tensor::scalar(2).unwrap();
    let e = run(
        "StatelessRandomUniformV2",
        &[&shape, &state[0], &state[1], &three],
        of(DType::Float32),
    );
    assert_eq!(e.unwrap_err().kind(), ErrorKind::Unimplemented);
}

#[test]
fn what_is_no_draw_is_refused() {
    let (low, high) = (Tensor::scalar(5).unwrap(), Tensor::scalar(5).unwrap());
    let e = run("RandomUniformInt", &[&ints(&[2]), &low, &high], vec![]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::InvalidArgument);
    let e = run(
        "StatelessRandomNormal",
        &[&ints(&[2]), &ints(&[1, 2, 3])],
        of(DType::Float32),
    )
    .unwrap_err();
    assert_eq!(
        (e.kind(), e.message()),
        (ErrorKind::Shape, "seed must have shape [2], not [3]")
    );
    assert!(run("RandomUniform", &[&ints(&[-1])], of(DType::Float32)).is_err());
    assert_eq!(
        run("RandomUniform", &[&ints(&[1])], of(DType::Int32))
            .unwrap_err()
            .kind(),
        ErrorKind::DType
    );
}

#[test]
fn an_operation_goes_on_in_its_stream() {
    let attrs: Vec<(String, Attr)> = [
        ("dtype", Attr::DType(DType::Float32)),
        ("seed", Attr::Int(3)),
        ("seed2", Attr::Int(4)),
    ]
    .map(|(n, a)| (n.to_owned(), a))
    .to_vec();
    let draw =
        |op: &ferrograph_graph::OpRef| op.eval(&Interpreter, &[ints(&[4])]).unwrap().remove(0);
    let (a, b) = (
        registry().make("RandomUniform", &attrs).unwrap(),
        registry().make("RandomUniform", &attrs).unwrap(),
    );
    let (first, second) = (draw(&a), draw(&a));
    assert_ne!(first.bytes(), second.bytes());
    assert_eq!(draw(&b).bytes(), first.bytes());
    assert_eq!(draw(&b).bytes(), second.bytes());
    let free = registry().make("RandomUniform", &attrs[..1]).unwrap();
    let other = registry().make("RandomUniform", &attrs[..1]).unwrap();
    assert_ne!(draw(&free).bytes(), draw(&other).bytes());
}

#[test]
fn a_shuffle_keeps_rows() {
    let x = Tensor::from_slice([50, 2], &(0..100).collect::<Vec<i32>>()).unwrap();
    let y = run(
        "RandomShuffle",
        &[&x],
        vec![("seed", Attr::Int(1)), ("seed2", Attr::Int(2))],
    )
    .unwrap();
    let y = y.as_slice::<i32>().unwrap();
    assert!(y.chunks(2).all(|r| r[0] % 2 == 0 && r[1] == r[0] + 1));
    let mut sorted = y.to_vec();
    sorted.sort_unstable();
    assert!(sorted == x.as_slice::<i32>().unwrap() && sorted != y);
}

#[test]
fn shapes() {
    let out = infer(
        "RandomUniform",
        &[spec(DType::Int32, &[2])],
        of(DType::Float32),
    )
    .unwrap();
    assert_eq!(out[0].shape, PartialShape::of_rank(2));
}
