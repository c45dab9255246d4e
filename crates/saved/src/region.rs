//! Calls, branches and loops of a message.

use crate::import::Callee;
use crate::nodes::{Body, emitted};
use crate::types::partial_shape_of;
use crate::vocabulary::{COUNTED, INLINE};
use ferrograph_formats::messages::{AttrContent, NodeDef};
use ferrograph_graph::{Branch, Emitter, Graph, GraphBuilder, Node, ValueId, run_nodes};
use ferrograph_ops::{Call, Cast, Const, Identity, If, RecursiveCall, RecursiveHandle, While};
use ferrograph_tensor::{DType, PartialShape, Result, TensorSpec, bail, err};
use ferrograph_transform::traced;
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// The name of the function that an attribute of a node names.
fn name_of<'n>(node: &'n NodeDef, attr: &str) -> Result<&'n str> {
    match node.attr.get(attr).and_then(|a| a.value.as_ref()) {
        Some(AttrContent::Func(f)) => Ok(&f.name),
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
pub fn call(body: &mut Body<'_, '_>, node: &NodeDef, inputs: &[ValueId]) -> Result<Vec<ValueId>> {
    call_of(body, name_of(node, "f")?, node, inputs)
}

/// A call of the function of that name.
pub fn call_of(
    body: &mut Body<'_, '_>,
    name: &str,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Vec<ValueId>> {
    let callee = body.functions.callee(name, node)?;
    let inputs = [inputs, &body.further(name)?].concat();
    let builder = &mut body.scope.builder;
    match callee {
        Callee::Whole(graph) => {
            expect_args(builder, &graph, &inputs, "the function")?;
            match node.attr.contains_key(INLINE) && is_small(&graph) {
                true => inlined(builder, &graph, &inputs),
                false => emitted(builder, Arc::new(Call::of(graph)), &inputs, node),
            }
        }
        Callee::Open(handle) => {
            emitted(builder, Arc::new(RecursiveCall::of(&handle)), &inputs, node)
        }
    }
}

/// Whether a graph has hardly more nodes than its call has inputs.
fn is_small(graph: &Graph) -> bool {
    RecursiveHandle::of(graph).is_none() && graph.nodes.len() <= 2 * graph.inputs.len() + 1
}

/// The nodes of a graph in the place of a call of it.
fn inlined(builder: &mut GraphBuilder, graph: &Graph, inputs: &[ValueId]) -> Result<Vec<ValueId>> {
    let given = inputs.iter().copied();
    let step = |node: &Node, ins: SmallVec<[ValueId; 2]>| {
        let id = builder.add(node.op.clone(), &ins, Some(&node.name), node.origin.clone())?;
        Ok(builder.node(id).outputs.iter().copied().collect())
    };
    Ok(run_nodes(graph, given, &graph.outputs, |_| true, step)?.into_vec())
}

/// A choice between two functions.
pub fn branch(body: &mut Body<'_, '_>, node: &NodeDef, inputs: &[ValueId]) -> Result<Vec<ValueId>> {
    let Some((&cond, rest)) = inputs.split_first() else {
        bail!(InvalidArgument, "it has no condition");
    };
    let cond = truth(&mut body.scope.builder, cond, node)?;
    let mut all: Vec<ValueId> = std::iter::once(cond).chain(rest.iter().copied()).collect();
    let mut branches = Vec::with_capacity(2);
    for attr in ["then_branch", "else_branch"] {
        let name = name_of(node, attr)?;
        let graph = body.functions.graph(name)?;
        let further = body.further(name)?;
        expect_args(
            &body.scope.builder,
            &graph,
            &[rest, &further].concat(),
            attr,
        )?;
        let inputs = (1..=rest.len()).chain(all.len()..all.len() + further.len());
        let inputs = inputs.map(number).collect::<Result<_>>()?;
        all.extend(further);
        branches.push(Branch { graph, inputs });
    }
    let [Some(else_branch), Some(then_branch)] = [branches.pop(), branches.pop()] else {
        bail!(Internal, "a choice has two branches");
    };
    let op = Arc::new(If {
        then_branch,
        else_branch,
    });
    emitted(&mut body.scope.builder, op, &all, node)
}

/// The number of an input of a node.
pub fn number(i: usize) -> Result<u32> {
    u32::try_from(i).map_err(|_| err!(InvalidArgument, "it has too many inputs"))
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
    around: &mut Body<'_, '_>,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Vec<ValueId>> {
    let names = [name_of(node, "cond")?, name_of(node, "body")?];
    let (cond, body) = (
        around.functions.graph(names[0])?,
        around.functions.graph(names[1])?,
    );
    let further = [around.further(names[0])?, around.further(names[1])?];
    let counts = node.attr.contains_key(COUNTED) && around.first_used(node) >= N_COUNTERS;
    let builder = &mut around.scope.builder;
    for (graph, further, what) in [(&cond, &further[0], "cond"), (&body, &further[1], "body")] {
        expect_args(builder, graph, &[inputs, further].concat(), what)?;
    }
    if body.outputs.len() != inputs.len() || cond.outputs.len() != 1 {
        bail!(
            InvalidArgument,
            "a loop of {} variables has a body of {} results and a condition of {}",
            inputs.len(),
            body.outputs.len(),
            cond.outputs.len()
        );
    }
    let (cond, body) = (standing(cond)?, standing(body)?);
    let first = match counts && is_uncounted(&cond, &body) {
        true => N_COUNTERS,
        false => 0,
    };
    let (kept, changed): (Vec<usize>, Vec<usize>) =
        (first..inputs.len()).partition(|&i| passes(&body, i));
    let order: Vec<usize> = changed.iter().chain(&kept).copied().collect();
    let vars = changed.iter().map(|&i| var_spec(&body, node, i)).collect();
    let mut all: Vec<ValueId> = order.iter().map(|&i| inputs[i]).collect();
    let mut branch = |graph: &Graph, further: &[ValueId], outputs: &[usize]| -> Result<Branch> {
        let own = inputs.len()..inputs.len() + further.len();
        let places = (0..order.len()).chain(all.len()..all.len() + further.len());
        all.extend_from_slice(further);
        let order: Vec<usize> = order.iter().copied().chain(own).collect();
        Ok(Branch {
            graph: Arc::new(reordered(graph, &order, outputs)?),
            inputs: places.map(number).collect::<Result<_>>()?,
        })
    };
    let op = Arc::new(While {
        cond: branch(&cond, &further[0], &[0])?,
        body: branch(&body, &further[1], &changed)?,
        vars,
        recorded: None,
    });
    let given = emitted(builder, op, &all, node)?;
    let mut values = inputs.to_vec();
    for (&i, v) in changed.iter().zip(given) {
        values[i] = v;
    }
    Ok(values)
}

/// A graph of which there may be copies: one that calls itself is called.
pub fn standing(graph: Arc<Graph>) -> Result<Arc<Graph>> {
    if RecursiveHandle::of(&graph).is_none() {
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

/// How many variables count the iterations of a loop before its own.
const N_COUNTERS: usize = 2;

/// Whether nothing but what counts takes the counters of a loop.
fn is_uncounted(cond: &Graph, body: &Graph) -> bool {
    let counters = |graph: &Graph| graph.inputs.iter().take(N_COUNTERS).copied().collect();
    let counting = |graph: &Graph, outputs: &[ValueId]| {
        let counted: HashSet<ValueId> = following(graph, counters(graph));
        outputs.iter().any(|v| counted.contains(v))
    };
    body.outputs.len() >= N_COUNTERS
        && !counting(cond, &cond.outputs)
        && !counting(body, &body.outputs[N_COUNTERS..])
}

/// These values and those that are made of them.
fn following(graph: &Graph, mut values: HashSet<ValueId>) -> HashSet<ValueId> {
    for node in &graph.nodes {
        if node.inputs.iter().any(|v| values.contains(v)) {
            values.extend(&node.outputs);
        }
    }
    values
}

/// A graph with its inputs in another order, and some of its outputs. What is made of inputs that are left out is left
/// out, too.
fn reordered(graph: &Graph, order: &[usize], outputs: &[usize]) -> Result<Graph> {
    let inputs: Vec<ValueId> = order.iter().map(|&i| graph.inputs[i]).collect();
    let outputs: Vec<ValueId> = outputs.iter().map(|&i| graph.outputs[i]).collect();
    if inputs.len() == graph.inputs.len() {
        return Ok(with_ends(graph, &inputs, inputs.len(), &outputs));
    }
    let kept: HashSet<ValueId> = inputs.iter().copied().collect();
    let left = graph.inputs.iter().filter(|v| !kept.contains(*v)).copied();
    let left = following(graph, left.collect());
    let is_left = |node: &Node| node.outputs.iter().any(|v| left.contains(v));
    let inputs_of = |with: bool| {
        let nodes = graph.nodes.iter().filter(move |n| is_left(n) == with);
        nodes.flat_map(|n| n.inputs.iter().copied())
    };
    // Constants that only these take go with them.
    let mut alone: HashSet<ValueId> = inputs_of(true).collect();
    for value in inputs_of(false).chain(outputs.iter().copied()) {
        alone.remove(&value);
    }
    let mut builder = GraphBuilder::new(&graph.name);
    let mut values: HashMap<ValueId, ValueId> = HashMap::new();
    for node in &graph.nodes {
        let is_constant = node.op.downcast::<Const>().is_some();
        if is_left(node) || is_constant && alone.contains(&node.outputs[0]) {
            continue;
        }
        let given = node.inputs.iter().map(|v| values.get(v).copied());
        let given: Option<Vec<ValueId>> = given.collect();
        let given = given.ok_or_else(|| err!(Internal, "a node of a loop is out of order"))?;
        let id = builder.add(
            node.op.clone(),
            &given,
            Some(&node.name),
            node.origin.clone(),
        )?;
        values.extend(
            node.outputs
                .iter()
                .copied()
                .zip(builder.node(id).outputs.iter().copied()),
        );
    }
    let found = |v: &ValueId| {
        let value = values.get(v).copied();
        value.ok_or_else(|| err!(Internal, "a loop needs what is left out"))
    };
    let inputs = inputs.iter().map(found).collect::<Result<Vec<_>>>()?;
    let outputs = outputs.iter().map(found).collect::<Result<Vec<_>>>()?;
    let n_args = inputs.len();
    Ok(builder.finish(inputs, n_args, outputs))
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
