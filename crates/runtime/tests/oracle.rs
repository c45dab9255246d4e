//! Plans against the plain interpreter, and gradients of graphs with regions against finite differences.

use ferrograph_graph::{
    Branch, Emitter, Graph, Interpreter, Runner, Sym, Tensors, Trace, TraceRef, Val, verify,
};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Call, If, LeafOps, Placeholder, While};
use ferrograph_runtime::{PlanRunner, Tape, emit, plan_for};
use ferrograph_tensor::{DType, Dim, PartialShape, Tensor, TensorSpec};
use ferrograph_transform::TraceEmitter;
use smallvec::smallvec;
use std::sync::Arc;

fn vector(dims: &[Option<usize>]) -> TensorSpec {
    TensorSpec::new(
        DType::Float32,
        dims.iter().map(|d| Dim::from(*d)).collect::<PartialShape>(),
    )
}

fn arg(trace: &TraceRef, spec: TensorSpec) -> Val {
    let value = trace
        .add_arg(Arc::new(Placeholder::from(spec)), "x", None)
        .unwrap();
    Val::Sym(Sym {
        trace: trace.clone(),
        value,
    })
}

fn seal(trace: &TraceRef, outputs: &[&Val]) -> Arc<Graph> {
    let ids = outputs
        .iter()
        .map(|v| trace.resolve(v, &LeafOps).unwrap())
        .collect();
    let graph = trace.seal(ids).unwrap().0;
    let faults = verify(&graph);
    assert!(faults.is_empty(), "{faults:?}");
    graph
}

/// A graph of one argument.
fn graph(spec: TensorSpec, build: impl FnOnce(&mut TraceEmitter, &Val) -> Val) -> Arc<Graph> {
    let trace = Trace::new("test", None);
    let mut e = TraceEmitter {
        trace: trace.clone(),
        origin: None,
    };
    let x = arg(&trace, spec);
    let y = build(&mut e, &x);
    seal(&trace, &[&y])
}

fn floats(t: &Tensor) -> Vec<f32> {
    t.as_slice::<f32>().unwrap().to_vec()
}

fn agree(graph: &Arc<Graph>, x: &Tensor) -> Vec<f32> {
    let plain = Interpreter.run(graph, smallvec![x.clone()]).unwrap();
    for _ in 0..2 {
        let planned = PlanRunner.run(graph, smallvec![x.clone()]).unwrap();
        assert_eq!(floats(&planned[0]), floats(&plain[0]));
        assert_eq!(planned[0].shape(), plain[0].shape());
    }
    floats(&plain[0])
}

fn chain(e: &mut TraceEmitter, x: &Val) -> Val {
    let mut y = x.clone();
    for i in 0..20 {
        let k = e.scalar(0.5 + f64::from(i) * 0.1, DType::Float32).unwrap();
        let scaled = e.mul(&y, &k).unwrap();
        let shape = e.shape_of(x).unwrap();
        let same = e.reshape(&scaled, &shape).unwrap();
        y = e.add(&same, x).unwrap();
    }
    y
}

#[test]
fn plans_agree_with_the_interpreter_at_any_shape() {
    let fixed = graph(vector(&[Some(3)]), chain);
    let open = graph(vector(&[None]), chain);
    let x = Tensor::vector(&[1.0f32, -2.0, 0.25]).unwrap();
    assert_eq!(agree(&fixed, &x), agree(&open, &x));
    agree(&open, &Tensor::vector(&[0.5f32]).unwrap());
    agree(&open, &Tensor::vector::<f32>(&[]).unwrap());
    let large: Vec<f32> = (0..60_000u16).map(|i| f32::from(i) * 1e-3).collect();
    agree(&open, &Tensor::vector(&large).unwrap());
}

#[test]
fn intermediate_values_share_a_small_slab() {
    let g = graph(vector(&[Some(64)]), |e, x| {
        let mut y = x.clone();
        for _ in 0..100 {
            y = e.add(&y, x).unwrap();
        }
        y
    });
    let x = Tensor::vector(&[1.0f32; 64]).unwrap();
    let plan = plan_for(&g, [&x].into_iter()).unwrap();
    assert!(plan.slab_bytes() <= 3 * 64 * 4, "{}", plan.slab_bytes());
    assert_eq!(agree(&g, &x), [101.0; 64]);
}

#[test]
fn shape_arithmetic_is_folded_when_planned() {
    let g = graph(vector(&[None, Some(2)]), |e, x| {
        let shape = e.shape(x, DType::Int32).unwrap();
        let flat = e.int_vector(&[-1]).unwrap();
        let y = e.reshape(x, &flat).unwrap();
        e.reshape(&y, &shape).unwrap()
    });
    let x = Tensor::from_slice([3, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    agree(&g, &x);
    assert_eq!(plan_for(&g, [&x].into_iter()).unwrap().n_steps(), 2);
}

fn call(graph: Arc<Graph>) -> Arc<Call> {
    Arc::new(Call::of(graph))
}

/// `if sum(x) > 0 { x * x * x } else { 2 * x }` as a graph.
fn branching() -> Arc<Graph> {
    graph(vector(&[None]), |e, x| {
        let cube = graph(vector(&[None]), |e, x| {
            let square = e.mul(x, x).unwrap();
            e.mul(&square, x).unwrap()
        });
        let double = graph(vector(&[None]), |e, x| e.add(x, x).unwrap());
        let zero = e.scalar(0.0, DType::Float32).unwrap();
        let axes = e.int_vector(&[0]).unwrap();
        let total = e.sum(x, &axes, false).unwrap();
        let positive = e.greater(&total, &zero).unwrap();
        let branch = |graph| Branch {
            graph,
            inputs: vec![1],
        };
        let op = If {
            then_branch: branch(cube),
            else_branch: branch(double),
        };
        e.emit(Arc::new(op), &[positive, x.clone()]).unwrap()[0].clone()
    })
}

/// Five times `y = y * x + y` from `y = x`.
fn looping() -> Arc<Graph> {
    let state = |build: fn(&mut TraceEmitter, &Val, &Val, &Val) -> Vec<Val>| {
        let trace = Trace::new("region", None);
        let mut e = TraceEmitter {
            trace: trace.clone(),
            origin: None,
        };
        let i = arg(&trace, TensorSpec::scalar(DType::Int32));
        let (y, x) = (arg(&trace, vector(&[None])), arg(&trace, vector(&[None])));
        let outputs = build(&mut e, &i, &y, &x);
        seal(&trace, &outputs.iter().collect::<Vec<_>>())
    };
    let cond = state(|e, i, _, _| {
        let five = e.scalar(5.0, DType::Int32).unwrap();
        vec![e.less(i, &five).unwrap()]
    });
    let body = state(|e, i, y, x| {
        let one = e.scalar(1.0, DType::Int32).unwrap();
        let next = e.add(i, &one).unwrap();
        let product = e.mul(y, x).unwrap();
        vec![next, e.add(&product, y).unwrap()]
    });
    graph(vector(&[None]), |e, x| {
        let zero = e.scalar(0.0, DType::Int32).unwrap();
        let branch = |graph| Branch {
            graph,
            inputs: vec![0, 1, 2],
        };
        let vars = vec![TensorSpec::scalar(DType::Int32), vector(&[None])];
        let op = While {
            cond: branch(cond),
            body: branch(body),
            vars,
            recorded: None,
        };
        e.emit(Arc::new(op), &[zero, x.clone(), x.clone()]).unwrap()[1].clone()
    })
}

/// The gradient of the sum of a graph's output, by a tape around a call of it.
fn gradient(graph: &Arc<Graph>, x: &Tensor) -> Vec<f32> {
    let x = Val::eager(x.clone());
    let tape = Tape::new(true, false);
    tape.watch(&x);
    tape.start();
    let y = emit(call(graph.clone()), std::slice::from_ref(&x)).unwrap();
    tape.stop();
    let grads = tape.gradient(vec![(y[0].clone(), None)], &[x]).unwrap();
    match &grads[0] {
        Some(ferrograph_graph::Grad::Dense(g)) => floats(g.tensor().unwrap()),
        _ => panic!("no dense gradient"),
    }
}

fn check_gradient(graph: &Arc<Graph>, x: &[f32]) {
    let total = |x: &[f32]| -> f64 {
        let inputs: Tensors = smallvec![Tensor::vector(x).unwrap()];
        floats(&Interpreter.run(graph, inputs).unwrap()[0])
            .iter()
            .map(|&v| f64::from(v))
            .sum()
    };
    let found = gradient(graph, &Tensor::vector(x).unwrap());
    for i in 0..x.len() {
        let h = 1e-2;
        let (mut up, mut down) = (x.to_vec(), x.to_vec());
        up[i] += h;
        down[i] -= h;
        let expected = (total(&up) - total(&down)) / f64::from(2.0 * h);
        let error = (f64::from(found[i]) - expected).abs();
        assert!(
            error < 2e-2 * expected.abs().max(1.0),
            "{i}: {} instead of {expected}",
            found[i]
        );
    }
}

#[test]
fn calls_branches_and_loops_have_gradients() {
    check_gradient(&graph(vector(&[None]), chain), &[0.01, -0.02]);
    check_gradient(&branching(), &[1.0, 2.0, -0.5]);
    check_gradient(&branching(), &[-1.0, 0.25]);
    check_gradient(&looping(), &[0.5, -0.25, 0.75]);
    let nested = graph(vector(&[None]), |e, x| {
        let y = e.emit(call(looping()), std::slice::from_ref(x)).unwrap()[0].clone();
        let z = e.emit(call(branching()), &[y]).unwrap()[0].clone();
        e.mul(&z, x).unwrap()
    });
    check_gradient(&nested, &[0.1, 0.2]);
}

#[test]
fn gradients_of_gradients_reach_through_calls() {
    // y = x³ in a call: y'' = 6x, whether both tapes are eager or the inner one's work is itself recorded.
    let x = Val::eager(Tensor::vector(&[2.0f32]).unwrap());
    let (outer, inner) = (Tape::new(true, false), Tape::new(true, false));
    outer.watch(&x);
    inner.watch(&x);
    outer.start();
    inner.start();
    let y = emit(call(branching()), std::slice::from_ref(&x)).unwrap();
    inner.stop();
    let first = inner
        .gradient(vec![(y[0].clone(), None)], std::slice::from_ref(&x))
        .unwrap();
    outer.stop();
    let Some(ferrograph_graph::Grad::Dense(first)) = first[0].clone() else {
        panic!("no gradient")
    };
    let second = outer.gradient(vec![(first, None)], &[x]).unwrap();
    let Some(ferrograph_graph::Grad::Dense(second)) = second[0].clone() else {
        panic!("no second gradient")
    };
    assert_eq!(floats(second.tensor().unwrap()), [12.0]);
}
