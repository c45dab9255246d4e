//! Each invariant of a plan, broken by itself.

use super::verify_plan;
use crate::compile_unoptimised;
use crate::plan::{
    Action, Bound, Conditional, Loop, Move, ParallelChains, Plan, Slot, Step, Taken, UNKNOWN_LEN,
};
use ferrograph_graph::{
    Decl, Graph, Inputs, Kernel, Kind, Lowered, Op, Port, Specs, Trace, Val, op_object, text,
};
use ferrograph_ops::Placeholder;
use ferrograph_tensor::{DType, Dim, ErrorKind, PartialShape, Result, Shape, Tensor, TensorSpec};
use smallvec::smallvec;
use std::sync::Arc;

const PROGRAM: &str = r#"graph "f" (%0, %1) {
  %0 = Placeholder "x" {dtype: float32, shape: shape [2]} () : float32 [2]
  %1 = Placeholder "n" {dtype: int32, shape: shape []} () : int32 []
  %2 = AddV2 "add" (%0, %0) : float32 [2]
  %3 = Mul "mul" (%2, %0) : float32 [2]
  %4 = Sub "sub" (%3, %2) : float32 [2]
  %5 = Const "zero" {value: tensor int32 [] {0}} () : int32 [] is const
  %6, %7 = StatelessWhile "while" {
    cond: graph "cond" (%0, %1) {
      %0 = Placeholder "i" {dtype: int32, shape: shape []} () : int32 []
      %1 = Placeholder "n" {dtype: int32, shape: shape []} () : int32 []
      %2 = Less "less" (%0, %1) : bool []
      return %2
    }, cond_inputs: ints [0, 2],
    body: graph "body" (%0, %1) {
      %0 = Placeholder "i" {dtype: int32, shape: shape []} () : int32 []
      %1 = Placeholder "y" {dtype: float32, shape: shape [2]} () : float32 [2]
      %2 = Const "one" {value: tensor int32 [] {1}} () : int32 [] is const
      %3 = AddV2 "next" (%0, %2) : int32 []
      %4 = Mul "square" (%1, %1) : float32 [2]
      return %3, %4
    }, body_inputs: ints [0, 1],
    T: dtypes [int32, float32], output_shapes: shapes [[], [2]]
  } (%5, %4, %1) : int32 [], float32 [2]
  %8 = Const "limit" {value: tensor int32 [] {5}} () : int32 [] is const
  %9 = Less "small" (%1, %8) : bool []
  %10 = StatelessIf "if" {
    then_branch: graph "yes" (%0) {
      %0 = Placeholder "y" {dtype: float32, shape: shape [2]} () : float32 [2]
      %1 = Neg "neg" (%0) : float32 [2]
      return %1
    }, then_inputs: ints [1],
    else_branch: graph "no" (%0) {
      %0 = Placeholder "y" {dtype: float32, shape: shape [2]} () : float32 [2]
      return %0
    }, else_inputs: ints [1]
  } (%9, %7) : float32 [2]
  %11 = Const "shape" {value: tensor int32 [2] {2, 1}} () : int32 [2] is const
  %12 = Reshape "reshape" (%10, %11) : float32 [2, 1]
  return %12, %6
}"#;

/// A plan with its graph, which plans do not keep alive.
struct Planned {
    plan: Plan,
    _graph: Arc<Graph>,
}

fn sound() -> Planned {
    let graph = text::parse(PROGRAM, ferrograph_ops::registry()).unwrap();
    let inputs = [
        Tensor::vector(&[1.0f32, 2.0]).unwrap(),
        Tensor::scalar(3i32).unwrap(),
    ];
    Planned {
        plan: compile_unoptimised(&graph, &inputs).unwrap(),
        _graph: graph,
    }
}

fn faults(plan: &Plan) -> Vec<String> {
    verify_plan(plan).iter().map(ToString::to_string).collect()
}

/// Breaks a sound plan, and expects this fault.
#[track_caller]
fn breaks(how: impl FnOnce(&mut Plan), expected: &str) {
    let mut planned = sound();
    how(&mut planned.plan);
    let found = faults(&planned.plan);
    assert!(
        found.iter().any(|f| f.contains(expected)),
        "no '{expected}' among {found:#?} of\n{}",
        planned.plan
    );
}

impl Plan {
    fn step_of(&mut self, find: impl Fn(&Action) -> bool) -> &mut Step {
        let mut steps = self.block.steps.iter_mut();
        steps.find(|step| find(&step.action)).unwrap()
    }

    fn kernel(&mut self, i: usize) -> &mut Bound<Kernel> {
        match &mut self.block.steps[i].action {
            Action::Kernel(bound) => bound,
            _ => panic!("step {i} is no kernel"),
        }
    }

    fn the_loop(&mut self) -> &mut Loop {
        match &mut self.step_of(|a| matches!(a, Action::While(_))).action {
            Action::While(repeat) => repeat,
            _ => unreachable!("just found"),
        }
    }

    fn the_branch(&mut self) -> &mut Conditional {
        match &mut self.step_of(|a| matches!(a, Action::If(_))).action {
            Action::If(branch) => branch,
            _ => unreachable!("just found"),
        }
    }

    fn alias(&mut self) -> (&mut Slot, &mut Shape, &mut Slot) {
        match &mut self.step_of(|a| matches!(a, Action::Alias { .. })).action {
            Action::Alias { from, shape, to } => (from, shape, to),
            _ => unreachable!("just found"),
        }
    }

    fn offset(&mut self, slot: Slot) -> &mut usize {
        let mut places = self.in_slab.iter_mut();
        &mut places.find(|(s, _)| *s == slot).unwrap().1
    }

    fn constant(&self) -> Slot {
        self.constants[0].0
    }
}

#[test]
fn a_sound_plan_has_no_fault() {
    let planned = sound();
    assert_eq!(faults(&planned.plan), [""; 0], "{}", planned.plan);
}

#[test]
fn what_is_named_exists() {
    breaks(|p| p.kernel(0).ins[0] = 999, "there is no s999");
    breaks(
        |p| p.block.steps[0].site.graph = 99,
        "a step is of no graph",
    );
    breaks(|p| p.outputs[1] = 999, "there is no s999");
}

#[test]
fn a_slot_has_one_place() {
    breaks(
        |p| {
            let slot = p.inputs[0];
            p.in_slab.push((slot, 0));
        },
        "has two places",
    );
    breaks(
        |p| {
            let out = p.kernel(0).outs[0];
            p.in_slab.retain(|(s, _)| *s != out);
        },
        "has no place",
    );
}

#[test]
fn the_slab_is_aligned_and_large_enough() {
    breaks(
        |p| {
            let out = p.kernel(0).outs[0];
            *p.offset(out) += 8;
        },
        "is not aligned",
    );
    breaks(|p| p.slab_bytes -= 64, "reaches beyond the slab");
}

#[test]
fn bools_lie_apart() {
    breaks(|p| p.bool_bytes = 0, "of bool mixes bytes of bools");
    breaks(
        |p| {
            let out = p.kernel(0).outs[0];
            *p.offset(out) = 0;
        },
        "of float32 mixes bytes of bools",
    );
}

#[test]
fn shapes_in_the_slab_have_as_many_elements() {
    breaks(
        |p| {
            let shape = p.slab_shapes.values_mut().next().unwrap();
            *shape = [3, 3].into();
        },
        "has not its",
    );
    breaks(
        |p| p.slab_shapes.clear(),
        "is read as a tensor and has no shape",
    );
}

#[test]
fn constants_are_of_their_slots_types() {
    breaks(
        |p| p.constants[0].1 = Tensor::scalar(1.5f32).unwrap(),
        "is not of its constant's type",
    );
}

#[test]
fn kernels_take_and_give_elements() {
    breaks(
        |p| {
            let x = p.kernel(0).ins[0];
            p.types[x as usize].len = UNKNOWN_LEN;
        },
        "has no elements to compute on",
    );
    breaks(
        |p| {
            let outs = p.kernel(0).outs[0];
            p.kernel(0).outs = [outs, outs].into();
        },
        "is two outputs",
    );
    breaks(
        |p| {
            let constant = p.constant();
            p.kernel(0).outs[0] = constant;
        },
        "the constant",
    );
}

#[test]
fn kernels_allocate_their_tensors() {
    breaks(
        |p| {
            let input = p.inputs[0];
            p.kernel(1).outs[0] = input;
        },
        "is written and not allocated",
    );
    breaks(
        |p| {
            let input = p.inputs[0];
            p.kernel(1).fresh = [(input, DType::Float32, [2].into())].into();
        },
        "which is no output",
    );
}

#[test]
fn tensors_are_given_to_tensors() {
    breaks(
        |p| {
            let slot = p.kernel(0).outs[0];
            *p.alias().2 = slot;
        },
        "is used as a tensor and is slab",
    );
    breaks(
        |p| {
            let slot = p.constant();
            p.block.steps[0].drops = [slot].into();
        },
        "is used as a tensor and is constant",
    );
}

#[test]
fn an_alias_has_as_many_elements() {
    breaks(|p| *p.alias().1 = [3].into(), "under the shape [3]");
}

#[test]
fn conditions_are_one_bool() {
    breaks(
        |p| {
            let slot = p.kernel(0).outs[0];
            p.the_loop().condition = slot;
        },
        "is not one bool",
    );
    breaks(
        |p| {
            let slot = p.inputs[1];
            p.the_branch().condition = slot;
        },
        "is not one bool",
    );
}

#[test]
fn moves_agree_in_type() {
    breaks(
        |p| {
            let Move::Bytes { len, .. } = &mut p.the_loop().entry[0] else {
                panic!("a small variable is a tensor")
            };
            *len += 1;
        },
        "bytes does not fill",
    );
    breaks(
        |p| {
            let x = p.inputs[0];
            let Move::Bytes { from, .. } = &mut p.the_loop().entry[0] else {
                panic!("a small variable is a tensor")
            };
            *from = x;
        },
        "which is of another type",
    );
}

#[test]
fn loops_record_as_they_say() {
    breaks(
        |p| p.the_loop().recorded = Some((vec![], [].into())),
        "a loop records 0 values in 0 slots",
    );
}

#[test]
fn reads_come_after_writes() {
    breaks(
        |p| p.block.steps.swap(0, 1),
        "does not hold a value on every path",
    );
    // Only one side of the branch gives the result.
    breaks(
        |p| p.the_branch().else_block.moves.clear(),
        "does not hold a value on every path",
    );
    // What only an iteration writes is there in the first one, too.
    breaks(
        |p| p.the_loop().entry.clear(),
        "does not hold a value on every path",
    );
    breaks(
        |p| {
            let inside = match &p.the_loop().body.steps[0].action {
                Action::Kernel(bound) => bound.outs[0],
                _ => panic!("the body begins with no kernel"),
            };
            let outside = p.kernel(0).outs[0];
            p.kernel(0).outs[0] = inside;
            p.kernel(0).ins[0] = outside;
        },
        "does not hold a value on every path",
    );
}

#[test]
fn outputs_are_written() {
    breaks(
        |p| {
            let n = p.block.steps.len();
            p.block.steps.truncate(n - 1);
        },
        "does not hold a value on every path",
    );
}

#[test]
fn drops_come_after_the_last_use_and_once() {
    breaks(
        |p| {
            let x = p.inputs[0];
            p.block.steps[0].drops = [x].into();
        },
        "does not hold a value on every path",
    );
    breaks(
        |p| {
            let n = p.inputs[1];
            let twice = p.block.steps.last_mut().unwrap();
            twice.drops = [n, n].into();
        },
        "drops s1, which does not hold",
    );
}

#[test]
fn the_last_reader_is_the_last() {
    breaks(
        |p| {
            let slot = p.inputs[0];
            let taken = Taken { slot, last: true };
            let to = *p.alias().2;
            p.block.steps.insert(0, moved(taken, to));
        },
        "reads s0, which does not hold a value on every path",
    );
}

/// A branch that moves a tensor in one of its blocks only.
fn moved(from: Taken, to: Slot) -> Step {
    let mut planned = sound();
    let mut step = planned.plan.block.steps.swap_remove(0);
    let branch = planned.plan.the_branch();
    branch.then_block = crate::plan::Block {
        moves: vec![Move::Tensor { from, to }],
        ..Default::default()
    };
    branch.else_block = crate::plan::Block::default();
    let found = planned.plan.step_of(|a| matches!(a, Action::If(_)));
    std::mem::swap(&mut step.action, &mut found.action);
    step
}

#[test]
fn values_alive_together_lie_apart() {
    breaks(
        |p| {
            let (a, b) = (p.kernel(0).outs[0], p.kernel(1).outs[0]);
            *p.offset(b) = *p.offset(a);
        },
        "are alive together and overlap",
    );
    // The variables of a loop live as long as it runs.
    breaks(
        |p| {
            let state = |m: &Move| match m {
                Move::Bytes { to, .. } => *to,
                Move::Tensor { .. } => panic!("a small variable is a tensor"),
            };
            let slots: Vec<Slot> = p.the_loop().entry.iter().map(state).collect();
            *p.offset(slots[1]) = *p.offset(slots[0]);
        },
        "are alive together and overlap",
    );
    // So does what an iteration after the next reads.
    breaks(
        |p| {
            let state = match p.the_loop().entry[1] {
                Move::Bytes { to, .. } => to,
                Move::Tensor { .. } => panic!("a small variable is a tensor"),
            };
            let inside = match &p.the_loop().body.steps[0].action {
                Action::Kernel(bound) => bound.outs[0],
                _ => panic!("the body begins with no kernel"),
            };
            *p.offset(inside) = *p.offset(state);
        },
        "are alive together and overlap",
    );
}

#[test]
fn no_operand_is_an_output() {
    breaks(
        |p| {
            let a = p.kernel(1).ins[0];
            p.kernel(1).outs[0] = a;
        },
        "is read and written at once",
    );
}

/// Says that its output is its input, of which it has more elements.
#[derive(Debug)]
struct Grown;

impl Op for Grown {
    op_object!();
    fn decl(&self) -> &'static Decl {
        const X: &[Port] = &[Port::new("x", Kind::Is(DType::Float32))];
        static DECL: Decl = Decl::new("Grown", X, X);
        &DECL
    }
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = PartialShape::new(&[Dim::new(3)]);
        Ok(smallvec![TensorSpec::new(DType::Float32, shape)])
    }
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Alias(0))
    }
}

#[test]
fn a_broken_plan_is_not_run() {
    let trace = Trace::new("f", None);
    let spec = TensorSpec::new(DType::Float32, PartialShape::new(&[Dim::new(2)]));
    let x = trace.add_arg(Arc::new(Placeholder::from(spec)), "x", None);
    let grown = trace.add(Arc::new(Grown), &[x.unwrap()], None, None);
    let outputs = grown.unwrap().into_iter().map(|out| match out {
        Val::Sym(sym) => sym.value,
        Val::Eager(_) => panic!("a trace gave a tensor"),
    });
    let (graph, _) = trace.seal(outputs.collect()).unwrap();
    let input = Tensor::vector(&[1.0f32, 2.0]).unwrap();
    let error = compile_unoptimised(&graph, &[input]).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Internal);
    let text = error.to_string();
    assert!(text.contains("please report it"), "{text}");
    assert!(text.contains("Grown"), "{text}");
}

/// The sound plan with its first steps, which depend on one another, split into chains.
fn split_into_chains(early: &[usize], chains: &[&[usize]], late: &[usize], expected: &str) {
    breaks(
        |plan| {
            let chains = chains.iter().map(|chain| chain.to_vec()).collect();
            plan.block.chains = [ParallelChains::new(
                0..3,
                early.to_vec(),
                chains,
                late.to_vec(),
            )]
            .into();
        },
        expected,
    );
}

#[test]
fn parallel_chains_touch_nothing_that_others_write() {
    split_into_chains(&[], &[&[0], &[1, 2]], &[], "touched out of order");
    split_into_chains(&[], &[&[0, 2], &[1]], &[], "touched out of order");
    split_into_chains(&[], &[&[1, 2]], &[0], "touched out of order");
    split_into_chains(&[2], &[&[0, 1]], &[], "touched out of order");
    split_into_chains(&[], &[&[1, 0, 2]], &[], "out of order");
    split_into_chains(
        &[],
        &[&[0], &[1]],
        &[],
        "the parallel chains of steps 0..3 have [0, 1]",
    );
}

#[test]
fn what_a_loops_branch_asks_lives_as_long_as_the_loop() {
    const CHOOSING: &str = r#"graph "f" (%0, %1, %2) {
  %0 = Placeholder "x" {dtype: float32, shape: shape [2]} () : float32 [2]
  %1 = Placeholder "n" {dtype: int32, shape: shape []} () : int32 []
  %2 = Placeholder "p" {dtype: bool, shape: shape []} () : bool []
  %3 = StatelessWhile "while" {
    cond: graph "cond" (%0) {
      %0 = Placeholder "y" {dtype: float32, shape: shape [2]} () : float32 [2]
      %1 = Const "axis" {value: tensor int32 [] {0}} () : int32 [] is const
      %2 = Sum "sum" {keep_dims: false} (%0, %1) : float32 []
      %3 = Const "limit" {value: tensor float32 [] {100.0}} () : float32 [] is const
      %4 = Less "less" (%2, %3) : bool []
      return %4
    }, cond_inputs: ints [0],
    body: graph "body" (%0, %1) {
      %0 = Placeholder "y" {dtype: float32, shape: shape [2]} () : float32 [2]
      %1 = Placeholder "p" {dtype: bool, shape: shape []} () : bool []
      %2 = StatelessIf "if" {
        then_branch: graph "yes" (%0) {
          %0 = Placeholder "y" {dtype: float32, shape: shape [2]} () : float32 [2]
          %1 = AddV2 "add" (%0, %0) : float32 [2]
          return %1
        }, then_inputs: ints [1],
        else_branch: graph "no" (%0) {
          %0 = Placeholder "y" {dtype: float32, shape: shape [2]} () : float32 [2]
          %1 = Mul "mul" (%0, %0) : float32 [2]
          return %1
        }, else_inputs: ints [1]
      } (%1, %0) : float32 [2]
      return %2
    }, body_inputs: ints [0, 1],
    T: dtypes [float32], output_shapes: shapes [[2]]
  } (%0, %2) : float32 [2]
  return %3
}"#;
    let graph = text::parse(CHOOSING, ferrograph_ops::registry()).unwrap();
    let inputs = [
        Tensor::vector(&[1.5f32, 2.0]).unwrap(),
        Tensor::scalar(3i32).unwrap(),
        Tensor::scalar(true).unwrap(),
    ];
    let plan = compile_unoptimised(&graph, &inputs).unwrap();
    assert_eq!(faults(&plan), [""; 0], "{plan}");
}
