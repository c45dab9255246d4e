//! Graphs that several benches run.

use ferrograph_graph::{Branch, Emitter, Graph, Sym, Trace, Val};
use ferrograph_ops::emit::*;
use ferrograph_ops::{LeafOps, Placeholder, While};
use ferrograph_runtime::{Dispatcher, enter_trace};
use ferrograph_tensor::{DType, Result, TensorSpec};
use std::sync::Arc;

/// The graph of a function of arguments of these specs.
pub fn traced(
    specs: &[TensorSpec],
    body: impl FnOnce(&mut Dispatcher, &[Val]) -> Result<Vec<Val>>,
) -> Result<Arc<Graph>> {
    let trace = Trace::new("bench", None);
    let _level = enter_trace(trace.clone());
    let mut args = Vec::new();
    for spec in specs {
        let placeholder = Arc::new(Placeholder::from(spec.clone()));
        let value = trace.add_arg(placeholder, "x", None)?;
        args.push(Val::Sym(Sym {
            trace: trace.clone(),
            value,
        }));
    }
    let outputs = body(&mut Dispatcher, &args)?;
    let ids = outputs
        .iter()
        .map(|v| trace.resolve(v, &LeafOps))
        .collect::<Result<_>>()?;
    Ok(trace.seal(ids)?.0)
}

/// `x` through `n` alternations of a unary and a binary operation.
pub fn chain(spec: TensorSpec, n: usize) -> Arc<Graph> {
    traced(&[spec], |g, args| {
        let mut x = args[0].clone();
        for _ in 0..n / 2 {
            let y = g.tanh(&x)?;
            x = g.add(&y, &args[0])?;
        }
        Ok(vec![x])
    })
    .expect("the chain is well typed")
}

/// `while i < n: i += 1; s += i` over scalars `i`, `s`, `n`.
pub fn scalar_loop() -> Arc<Graph> {
    let int = TensorSpec::scalar(DType::Int32);
    let vars = vec![int.clone(), int.clone(), int];
    let branch = |graph| Branch {
        graph,
        inputs: vec![0, 1, 2],
    };
    let cond = traced(&vars, |g, v| Ok(vec![g.less(&v[0], &v[2])?]));
    let body = traced(&vars, |g, v| {
        let one = g.scalar(1.0, DType::Int32)?;
        let i = g.add(&v[0], &one)?;
        let s = g.add(&v[1], &i)?;
        Ok(vec![i, s, v[2].clone()])
    });
    let op = Arc::new(While {
        cond: branch(cond.expect("the condition is well typed")),
        body: branch(body.expect("the body is well typed")),
        vars: vars.clone(),
        recorded: None,
    });
    traced(&vars, |g, v| Ok(vec![g.emit(op, v)?[0].clone()])).expect("the loop is well typed")
}
