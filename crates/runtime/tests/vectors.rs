//! Fused steps with vector code against the kernels of single operations, bit for bit.

use ferrograph_graph::{Graph, Interpreter, Runner, text};
use ferrograph_machine::vector::Loop;
use ferrograph_runtime::{PlanRunner, plan_for};
use ferrograph_tensor::{Shape, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;

/// Rows and columns that repeat, one number for all, a power, a choice.
const ROWS: &str = r#"graph "rows" (%0, %1, %2, %3) {
  %0 = Placeholder "x" {dtype: float32, shape: shape [?, ?]} () : float32 [?,?]
  %1 = Placeholder "row" {dtype: float32, shape: shape [?]} () : float32 [?]
  %2 = Placeholder "column" {dtype: float32, shape: shape [?, 1]} () : float32 [?,1]
  %3 = Placeholder "by" {dtype: float32, shape: shape []} () : float32 []
  %4 = Sub "shifted" (%0, %1) : float32 [?,?]
  %5 = Mul "scaled" (%4, %2) : float32 [?,?]
  %6 = RealDiv "less" (%5, %3) : float32 [?,?]
  %7 = Greater "above" (%6, %2) : bool [?,?]
  %8 = Maximum "most" (%1, %6) : float32 [?,?]
  %9 = SelectV2 "chosen" (%7, %6, %8) : float32 [?,?]
  %10 = Exp "exp" (%9) : float32 [?,?]
  %11 = Sqrt "root" (%2) : float32 [?,1]
  %12 = Neg "other" (%11) : float32 [?,1]
  %13 = AddV2 "sum" (%10, %12) : float32 [?,?]
  %14 = Mul "product" (%13, %1) : float32 [?,?]
  return %6, %7, %14
}
"#;

fn numbers(shape: &[usize], seed: u32) -> Tensor {
    let shape = Shape::new(shape);
    let special = [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40];
    let number = |i: u32| {
        let x = i
            .wrapping_mul(2_654_435_769)
            .wrapping_add(seed)
            .wrapping_mul(747_796_405);
        match special.get((x >> 8) as usize % 60) {
            Some(&special) => special,
            None => (x >> 12) as f32 / 65_536.0 - 8.0,
        }
    };
    let n = shape.n_elements() as u32;
    Tensor::from_slice(shape, &(0..n).map(number).collect::<Vec<f32>>()).unwrap()
}

/// The bits, with one kind of NaN.
fn bits(x: &Tensor) -> Vec<u32> {
    match x.as_slice::<f32>() {
        Ok(x) => x
            .iter()
            .map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() })
            .collect(),
        Err(_) => x
            .as_slice::<bool>()
            .unwrap()
            .iter()
            .map(|&x| u32::from(x))
            .collect(),
    }
}

#[test]
fn rows_and_columns_have_the_bits_of_the_kernels() {
    let graph: Arc<Graph> = text::parse(ROWS, ferrograph_ops::registry()).unwrap();
    for (rows, width) in [
        (301, 200),
        (64, 513),
        (3000, 128),
        (2000, 50),
        (5, 4001),
        (9000, 1),
        (5000, 3),
        (6001, 8),
        (700, 33),
    ] {
        let inputs: SmallVec<[Tensor; 4]> = SmallVec::from_iter([
            numbers(&[rows, width], 1),
            numbers(&[width], 2),
            numbers(&[rows, 1], 3),
            numbers(&[], 4),
        ]);
        let wanted = Interpreter
            .run(&graph, inputs.clone().into_iter().collect())
            .unwrap();
        for _ in 0..4 {
            let found = PlanRunner
                .run(&graph, inputs.clone().into_iter().collect())
                .unwrap();
            for (found, wanted) in found.iter().zip(&wanted) {
                assert_eq!(bits(found), bits(wanted), "{rows} rows of {width}");
            }
        }
        let plan = plan_for(&graph, inputs.iter()).unwrap().to_string();
        if Loop::is_supported() {
            assert!(plan.contains("in a vector loop"), "{plan}");
        }
    }
}
