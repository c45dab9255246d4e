//! Branches, loops and small calls that are compiled into the plan of the graph around them. What does not fit (a
//! condition of unknown shape, a region that the concrete shapes break and that may never run, too deep a nesting)
//! stays an operation that runs its graphs by their own plans.

use super::facts::{Budget, Fact, Scope, infer};
use ferrograph_graph::{Graph, Node};
use ferrograph_ops::{Branch, Call, If, While};
use ferrograph_tensor::{DType, TensorSpec};
use std::sync::Arc;

/// Calls of graphs up to this many nodes are compiled into the caller's plan.
const CALL_LIMIT: usize = 64;

/// A node whose graphs are compiled into the plan.
pub(super) enum Region {
    /// Always runs: a call, or the branch that a constant condition takes. Input `i` is the node's input `inputs[i]`.
    Inline { scope: Scope, inputs: Vec<u32> },
    /// One of two runs.
    If {
        then_scope: Scope,
        else_scope: Scope,
    },
    /// A loop over variables of these types, `None` where the body passes the variable on as it is.
    While {
        cond: Scope,
        body: Scope,
        vars: Vec<Option<TensorSpec>>,
    },
}

/// How to compile a node's graphs into the plan, and what is known of its outputs; `None` where it can't be.
pub(super) fn enter(
    scope: &Scope,
    node: &Node,
    budget: &mut Budget,
) -> Option<(Region, Vec<Fact>)> {
    let facts: Vec<&Fact> = node
        .inputs
        .iter()
        .map(|v| &scope.facts[v.index()])
        .collect();
    let wanted: Vec<bool> = node.outputs.iter().map(|v| scope.used[v.index()]).collect();
    if let Some(op) = node.op.downcast::<Call>() {
        let inputs = (0..u32::try_from(facts.len()).ok()?).collect();
        return (op.graph.nodes.len() <= CALL_LIMIT)
            .then(|| inline(&op.graph, inputs, &facts, &wanted, budget))?;
    }
    if let Some(op) = node.op.downcast::<If>() {
        return branch(op, &facts, &wanted, budget);
    }
    if let Some(op) = node.op.downcast::<While>() {
        return repeat(op, &facts, budget);
    }
    None
}

/// Infers a region within the budget; a region that is refused may never run, so that is no error yet.
fn region(
    graph: &Arc<Graph>,
    inputs: Vec<Fact>,
    wanted: &[bool],
    budget: &mut Budget,
) -> Option<Scope> {
    if budget.depth == 0 || budget.nodes < graph.nodes.len() {
        return None;
    }
    budget.nodes -= graph.nodes.len();
    budget.depth -= 1;
    let scope = infer(graph, inputs, wanted, budget).ok();
    budget.depth += 1;
    scope
}

fn picked(mapping: &[u32], facts: &[&Fact]) -> Vec<Fact> {
    mapping.iter().map(|&i| facts[i as usize].clone()).collect()
}

fn inline(
    graph: &Arc<Graph>,
    inputs: Vec<u32>,
    facts: &[&Fact],
    wanted: &[bool],
    budget: &mut Budget,
) -> Option<(Region, Vec<Fact>)> {
    let scope = region(graph, picked(&inputs, facts), wanted, budget)?;
    let outputs = scope.outputs().cloned().collect();
    Some((Region::Inline { scope, inputs }, outputs))
}

/// Whether a condition surely is one bool.
fn is_condition(fact: &Fact) -> bool {
    fact.spec.dtype == DType::Bool && fact.spec.shape.n_elements() == Some(1)
}

fn branch(
    op: &If,
    facts: &[&Fact],
    wanted: &[bool],
    budget: &mut Budget,
) -> Option<(Region, Vec<Fact>)> {
    let condition = *facts.first()?;
    if !is_condition(condition) {
        return None;
    }
    if let Some(constant) = &condition.constant {
        let taken: &Branch = if constant.item::<bool>().ok()? {
            &op.then_branch
        } else {
            &op.else_branch
        };
        return inline(&taken.graph, taken.inputs.clone(), facts, wanted, budget);
    }
    let mut side = |b: &Branch| region(&b.graph, picked(&b.inputs, facts), wanted, budget);
    let (then_scope, else_scope) = (side(&op.then_branch)?, side(&op.else_branch)?);
    let outputs = then_scope
        .outputs()
        .zip(else_scope.outputs())
        .map(|(a, b)| {
            let shape = a.spec.shape.generalise(&b.spec.shape);
            Fact::of_spec(TensorSpec::new(a.spec.dtype, shape))
        })
        .collect();
    Some((
        Region::If {
            then_scope,
            else_scope,
        },
        outputs,
    ))
}

/// Rounds of inference in which the shapes of loop variables may still change.
const ROUNDS: usize = 3;

fn repeat(op: &While, facts: &[&Fact], budget: &mut Budget) -> Option<(Region, Vec<Fact>)> {
    let n = op.vars.len();
    let is_kept = |i: usize| {
        let out = op.body.graph.outputs.get(i);
        let place = out.and_then(|v| op.body.graph.inputs.iter().position(|input| input == v));
        place.is_some_and(|k| op.body.inputs[k] as usize == i)
    };
    let kept: Vec<bool> = (0..n).map(is_kept).collect();
    let mut entering: Vec<Fact> = facts
        .iter()
        .enumerate()
        .map(|(i, fact)| match kept.get(i) {
            Some(false) => Fact::of_spec(fact.spec.clone()),
            _ => (*fact).clone(),
        })
        .collect();
    let all = vec![true; op.body.graph.outputs.len()];
    for round in 0..=ROUNDS {
        let refs: Vec<&Fact> = entering.iter().collect();
        let body = region(&op.body.graph, picked(&op.body.inputs, &refs), &all, budget)?;
        let mut stable = true;
        let leaving: Vec<TensorSpec> = body.outputs().take(n).map(|f| f.spec.clone()).collect();
        for i in (0..n).filter(|&i| !kept[i]) {
            let shape = entering[i].spec.shape.generalise(&leaving[i].shape);
            if shape != entering[i].spec.shape {
                stable = false;
                entering[i].spec.shape = if round + 1 < ROUNDS {
                    shape
                } else {
                    op.vars[i].shape.clone()
                };
            }
        }
        if stable {
            return looped(op, entering, body, &kept, budget);
        }
    }
    None
}

fn looped(
    op: &While,
    entering: Vec<Fact>,
    body: Scope,
    kept: &[bool],
    budget: &mut Budget,
) -> Option<(Region, Vec<Fact>)> {
    let refs: Vec<&Fact> = entering.iter().collect();
    let cond = region(
        &op.cond.graph,
        picked(&op.cond.inputs, &refs),
        &[true],
        budget,
    )?;
    if !cond.outputs().next().is_some_and(is_condition) {
        return None;
    }
    let vars = kept
        .iter()
        .zip(&entering)
        .map(|(kept, fact)| (!kept).then(|| fact.spec.clone()))
        .collect();
    let mut outputs: Vec<Fact> = entering.into_iter().take(kept.len()).collect();
    if let Some(specs) = &op.recorded {
        outputs.push(Fact::of_spec(TensorSpec::scalar(DType::Int32)));
        outputs.extend(
            specs
                .iter()
                .map(|_| Fact::of_spec(TensorSpec::scalar(DType::Variant))),
        );
    }
    Some((Region::While { cond, body, vars }, outputs))
}
