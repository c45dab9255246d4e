//! Fused steps with vector code over integers against the interpreter, bit for bit.

use ferrograph_graph::{Graph, Interpreter, Runner, text};
use ferrograph_machine::vector::Loop;
use ferrograph_runtime::{PlanRunner, plan_for};
use ferrograph_tensor::{Shape, Tensor};
use smallvec::smallvec;
use std::sync::Arc;

/// Arithmetic, bits, shifts, quotients by constants, a choice, casts to numbers and back, bounds.
const CHAIN: &str = r#"graph "ints" (%0, %1) {
  %0 = Placeholder "x" {dtype: int32, shape: shape [?]} () : int32 [?]
  %1 = Placeholder "y" {dtype: int32, shape: shape [?]} () : int32 [?]
  %2 = Const "c" {value: tensor int32 [] {97}} () : int32 [] is const
  %3 = Mul "m" (%0, %2) : int32 [?]
  %4 = AddV2 "a" (%3, %1) : int32 [?]
  %5 = BitwiseXor "b" (%4, %0) : int32 [?]
  %6 = RightShift "r" (%5, %2) : int32 [?]
  %7 = LeftShift "l" (%1, %6) : int32 [?]
  %8 = FloorMod "f" (%7, %2) : int32 [?]
  %9 = FloorDiv "d" (%5, %2) : int32 [?]
  %10 = Greater "g" (%9, %8) : bool [?]
  %11 = SelectV2 "s" (%10, %9, %8) : int32 [?]
  %12 = Cast "k" {DstT: float32} (%11) : float32 [?]
  %13 = Const "h" {value: tensor float32 [] {0.5}} () : float32 [] is const
  %14 = Mul "n" (%12, %13) : float32 [?]
  %15 = Cast "i" {DstT: int32} (%14) : int32 [?]
  %16 = Const "lo" {value: tensor int32 [] {-1000}} () : int32 [] is const
  %17 = Const "hi" {value: tensor int32 [] {70000}} () : int32 [] is const
  %18 = ClipByValue "cl" (%15, %16, %17) : int32 [?]
  %19 = Invert "in" (%18) : int32 [?]
  return %11, %14, %10, %18, %19
}
"#;
fn integers(n: usize, seed: u32) -> Tensor {
    let number = |i: u32| {
        i.wrapping_mul(2_654_435_769)
            .wrapping_add(seed)
            .wrapping_mul(747_796_405)
            .cast_signed()
    };
    let numbers: Vec<i32> = (0..n as u32).map(number).collect();
    Tensor::from_slice(Shape::new(&[n]), &numbers).unwrap()
}

#[test]
fn a_chain_of_integers_is_one_loop() {
    let graph: Arc<Graph> = text::parse(CHAIN, ferrograph_ops::registry()).unwrap();
    for n in [5, 4096, 10_007, 200_003] {
        let (x, y) = (integers(n, 1), integers(n, 7));
        let wanted = Interpreter
            .run(&graph, smallvec![x.clone(), y.clone()])
            .unwrap();
        for _ in 0..4 {
            let found = PlanRunner
                .run(&graph, smallvec![x.clone(), y.clone()])
                .unwrap();
            for at in [0, 3, 4] {
                let [found, wanted] =
                    [&found[at], &wanted[at]].map(|t| t.as_slice::<i32>().unwrap());
                assert_eq!(found, wanted, "{n} elements");
            }
            let [one, other] = [&found[1], &wanted[1]].map(|t| t.as_slice::<f32>().unwrap());
            assert_eq!(one, other, "{n} elements");
            let [one, other] = [&found[2], &wanted[2]].map(|t| t.as_slice::<bool>().unwrap());
            assert_eq!(one, other, "{n} elements");
        }
        let plan = plan_for(&graph, [&x, &y].into_iter()).unwrap().to_string();
        if Loop::is_supported() && n > 10_000 {
            assert_eq!(plan.matches("in a vector loop").count(), 1, "{plan}");
        }
    }
}
