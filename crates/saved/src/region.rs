//! Calls, branches and loops of a message.

use crate::import::{Callee, Functions};
use crate::nodes::emitted;
use crate::types::partial_shape_of;
use ferrograph_formats::messages::{AttrContent, NodeDef};
use ferrograph_graph::{Branch, Emitter, Graph, GraphBuilder, ValueId};
use ferrograph_ops::{Call, Cast, Identity, If, Knot, RecursiveCall, While};
use ferrograph_tensor::{DType, PartialShape, Result, TensorSpec, bail};
use ferrograph_transform::traced;
use std::sync::Arc;

/// The function that an attribute of a node names.
fn function(functions: &mut Functions<'_>, node: &NodeDef, attr: &str) -> Result<Arc<Graph>> {
    match node.attr.get(attr).and_then(|a| a.value.as_ref()) {
        Some(AttrContent::Func(f)) => functions.graph(&f.name),
        _ => bail!(InvalidArgument, "attribute {attr} names no function"),
    }
}

/// Checks that a function takes what it is given.
pub fn expect_args(
    builder: &GraphBuilder,
    graph: &Graph,
    inputs: &[ValueId],
    what: &str,
) -> Result<()> {
    if graph.inputs.len() != inputs.len() {
        bail!(
            InvalidArgument,
            "{what} takes {} values, got {}",
            graph.inputs.len(),
            inputs.len()
        );
    }
    for (i, (spec, v)) in graph.input_specs().zip(inputs).enumerate() {
        let given = builder.value(*v).spec.dtype;
        if spec.dtype != given {
            bail!(
                InvalidArgument,
                "{what} takes a {} as value {i}, got a {given}",
                spec.dtype
            );
        }
    }
    Ok(())
}

/// A call of the function that attribute `f` names.
pub fn call(
    builder: &mut GraphBuilder,
    functions: &mut Functions<'_>,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Vec<ValueId>> {
    match node.attr.get("f").and_then(|a| a.value.as_ref()) {
        Some(AttrContent::Func(f)) => call_of(builder, functions, &f.name, node, inputs),
        _ => bail!(InvalidArgument, "attribute f names no function"),
    }
}

/// A call of the function of that name.
pub fn call_of(
    builder: &mut GraphBuilder,
    functions: &mut Functions<'_>,
    name: &str,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Vec<ValueId>> {
    match functions.callee(name, node)? {
        Callee::Whole(graph) => {
            expect_args(builder, &graph, inputs, "the function")?;
            emitted(builder, Arc::new(Call::of(graph)), inputs, node)
        }
        Callee::Open(knot) => emitted(builder, Arc::new(RecursiveCall::of(&knot)), inputs, node),
    }
}

/// A choice between two functions.
pub fn branch(
    builder: &mut GraphBuilder,
    functions: &mut Functions<'_>,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Vec<ValueId>> {
    let Some((&cond, rest)) = inputs.split_first() else {
        bail!(InvalidArgument, "it has no condition");
    };
    let cond = truth(builder, cond, node)?;
    let mut branches = Vec::with_capacity(2);
    for attr in ["then_branch", "else_branch"] {
        let graph = function(functions, node, attr)?;
        expect_args(builder, &graph, rest, attr)?;
        let inputs = (1..).take(rest.len()).collect();
        branches.push(Branch { graph, inputs });
    }
    let [Some(else_branch), Some(then_branch)] = [branches.pop(), branches.pop()] else {
        bail!(Internal, "a choice has two branches");
    };
    let op = Arc::new(If {
        then_branch,
        else_branch,
    });
    let all: Vec<ValueId> = std::iter::once(cond).chain(rest.iter().copied()).collect();
    emitted(builder, op, &all, node)
}

/// A condition as a bool: a number is one where it is not zero.
fn truth(builder: &mut GraphBuilder, cond: ValueId, node: &NodeDef) -> Result<ValueId> {
    let spec = &builder.value(cond).spec;
    match spec.dtype {
        DType::Bool => Ok(cond),
        dtype if dtype.is_numeric() && spec.shape.rank() == Some(0) => {
            let dtype = DType::Bool;
            Ok(emitted(builder, Arc::new(Cast { dtype }), &[cond], node)?[0])
        }
        _ => bail!(
            Unimplemented,
            "a condition of type {spec} is not supported here"
        ),
    }
}

/// A loop. Variables that its body gives as they came are no variables here, but what all iterations share.
pub fn looped(
    builder: &mut GraphBuilder,
    functions: &mut Functions<'_>,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Vec<ValueId>> {
    let (cond, body) = (
        function(functions, node, "cond")?,
        function(functions, node, "body")?,
    );
    expect_args(builder, &cond, inputs, "cond")?;
    expect_args(builder, &body, inputs, "body")?;
    if body.outputs.len() != inputs.len() || cond.outputs.len() != 1 {
        bail!(
            InvalidArgument,
            "a loop of {} variables has a body of {} results and a condition of {}",
            inputs.len(),
            body.outputs.len(),
            cond.outputs.len()
        );
    }
    let (kept, changed): (Vec<usize>, Vec<usize>) =
        (0..inputs.len()).partition(|&i| passes(&body, i));
    let order: Vec<usize> = changed.iter().chain(&kept).copied().collect();
    let (cond, body) = (standing(cond)?, standing(body)?);
    let branch = |graph: Graph| Branch {
        graph: Arc::new(graph),
        inputs: (0..).take(order.len()).collect(),
    };
    let vars = changed.iter().map(|&i| var_spec(&body, node, i)).collect();
    let op = Arc::new(While {
        cond: branch(reordered(&cond, &order, &[0])),
        body: branch(reordered(&body, &order, &changed)),
        vars,
        recorded: None,
    });
    let all: Vec<ValueId> = order.iter().map(|&i| inputs[i]).collect();
    let given = emitted(builder, op, &all, node)?;
    let mut values = inputs.to_vec();
    for (&i, v) in changed.iter().zip(given) {
        values[i] = v;
    }
    Ok(values)
}

/// A graph of which there may be copies: one that calls itself is called.
fn standing(graph: Arc<Graph>) -> Result<Arc<Graph>> {
    if Knot::of(&graph).is_none() {
        return Ok(graph);
    }
    let specs: Vec<TensorSpec> = graph.input_specs().cloned().collect();
    traced(&graph.name, &specs, |e, args| {
        Ok(e.emit(Arc::new(Call::of(graph.clone())), args)?.into_vec())
    })
}

/// Whether result `i` of a graph is its input `i`.
fn passes(graph: &Graph, i: usize) -> bool {
    let mut v = graph.outputs[i];
    loop {
        if v == graph.inputs[i] {
            return true;
        }
        let node = graph.node(graph.value(v).node);
        if node.op.downcast::<Identity>().is_none() {
            return false;
        }
        v = node.inputs[0];
    }
}

/// The type that a variable keeps: as the message says, else as the body takes it.
fn var_spec(body: &Graph, node: &NodeDef, i: usize) -> TensorSpec {
    let taken = body.spec(body.inputs[i]);
    let listed = match node
        .attr
        .get("output_shapes")
        .and_then(|a| a.value.as_ref())
    {
        Some(AttrContent::List(l)) => l.shape.get(i),
        _ => None,
    };
    let shape = listed.map_or_else(|| taken.shape.clone(), partial_shape_of);
    let shape = match taken.shape.is_subtype_of(&shape) {
        true => taken.shape.clone(),
        false => shape,
    };
    // What the body takes must hold of what it gives.
    let given = &body.spec(body.outputs[i]).shape;
    let shape = match given.is_compatible(&shape) {
        true => shape,
        false => PartialShape::UNKNOWN,
    };
    TensorSpec::new(taken.dtype, shape)
}

/// A graph with its inputs in another order, and some of its outputs.
fn reordered(graph: &Graph, order: &[usize], outputs: &[usize]) -> Graph {
    let inputs: Vec<ValueId> = order.iter().map(|&i| graph.inputs[i]).collect();
    let outputs: Vec<ValueId> = outputs.iter().map(|&i| graph.outputs[i]).collect();
    with_ends(graph, &inputs, inputs.len(), &outputs)
}

/// The same nodes with these inputs, the first of which are arguments, and these outputs.
pub fn with_ends(graph: &Graph, inputs: &[ValueId], n_args: usize, outputs: &[ValueId]) -> Graph {
    Graph::new(
        graph.name.clone(),
        graph.nodes.clone(),
        graph.values.clone(),
        inputs.to_vec(),
        n_args,
        outputs.to_vec(),
    )
}
