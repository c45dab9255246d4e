//! Branches, loops and small calls that are compiled into the plan of the graph around them. What does not fit (a
//! condition of unknown shape, a region that the concrete shapes break and that may never run, too deep a nesting)
//! stays an operation that runs its graphs by their own plans.

use super::facts::{Budget, Fact, Scope, infer};
use ferrograph_graph::{Carried, Node, Role, picked_branch};
use ferrograph_tensor::{DType, TensorSpec};

/// Calls of graphs up to this many nodes are compiled into the caller's plan.
const CALL_LIMIT: usize = 64;

/// A graph of a node with all that is known of it. Its input `i` is the node's input `inputs[i]`.
pub(super) struct Entry {
    pub scope: Scope,
    pub inputs: Vec<u32>,
}

/// A node whose graphs are compiled into the plan.
pub(super) enum Region {
    /// Always runs: a call, or the branch that a constant condition takes.
    Inline(Entry),
    /// One of two runs.
    If { then_side: Entry, else_side: Entry },
    /// A loop over variables of these types, `None` where the body passes the variable on as it is.
    While {
        cond: Entry,
        body: Entry,
        vars: Vec<Option<TensorSpec>>,
        /// The types of what it records.
        recorded: Option<Vec<TensorSpec>>,
    },
}

/// A graph as its node holds it.
type Held<'a> = ferrograph_graph::Region<'a>;

/// How to compile a node's graphs into the plan, and what is known of its outputs; `None` where it can't be.
pub(super) fn enter(
    scope: &Scope,
    node: &Node,
    budget: &mut Budget,
) -> Option<(Region, Vec<Fact>)> {
    let regions = node.op.regions();
    if regions.is_empty() {
        return None;
    }
    let facts = (node.inputs.iter()).map(|v| &scope.facts[v.index()]);
    let facts: Vec<&Fact> = facts.collect();
    let wanted: Vec<bool> = node.outputs.iter().map(|v| scope.used[v.index()]).collect();
    match &regions[..] {
        [called] if called.role == Role::Call => (called.graph.nodes.len() <= CALL_LIMIT)
            .then(|| inline(called, &facts, &wanted, budget))?,
        [first, second] => match (first.role, second.role) {
            (Role::Branch, Role::Branch) => branch([first, second], &facts, &wanted, budget),
            (Role::Condition, Role::Body(carried)) => {
                let parts = LoopParts {
                    cond: first,
                    body: second,
                    carried,
                };
                parts.repeat(&facts, budget)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Infers a region within the budget; a region that is refused may never run, so that is no error yet.
fn region(held: &Held<'_>, facts: &[&Fact], wanted: &[bool], budget: &mut Budget) -> Option<Entry> {
    let graph = held.graph;
    let inputs = held.inputs.iter().map(|&i| facts[i as usize].clone());
    if budget.depth == 0 || budget.nodes < graph.nodes.len() {
        return None;
    }
    budget.nodes -= graph.nodes.len();
    budget.depth -= 1;
    let scope = infer(graph, inputs.collect(), wanted, budget).ok();
    budget.depth += 1;
    let inputs = held.inputs.to_vec();
    scope.map(|scope| Entry { scope, inputs })
}

fn inline(
    held: &Held<'_>,
    facts: &[&Fact],
    wanted: &[bool],
    budget: &mut Budget,
) -> Option<(Region, Vec<Fact>)> {
    let entry = region(held, facts, wanted, budget)?;
    let outputs = entry.scope.outputs().cloned().collect();
    Some((Region::Inline(entry), outputs))
}

/// Whether a condition surely is one bool.
fn is_condition(fact: &Fact) -> bool {
    fact.spec.dtype == DType::Bool && fact.spec.shape.n_elements() == Some(1)
}

fn branch(
    branches: [&Held<'_>; 2],
    facts: &[&Fact],
    wanted: &[bool],
    budget: &mut Budget,
) -> Option<(Region, Vec<Fact>)> {
    let condition = *facts.first()?;
    if !is_condition(condition) {
        return None;
    }
    if let Some(constant) = &condition.constant {
        let taken = branches[picked_branch(constant).ok()?];
        return inline(taken, facts, wanted, budget);
    }
    let mut side = |held: &Held<'_>| region(held, facts, wanted, budget);
    let (then_side, else_side) = (side(branches[0])?, side(branches[1])?);
    let both = then_side.scope.outputs().zip(else_side.scope.outputs());
    let outputs = both
        .map(|(a, b)| {
            let shape = a.spec.shape.generalise(&b.spec.shape);
            Fact::of_spec(TensorSpec::new(a.spec.dtype, shape))
        })
        .collect();
    let branch = Region::If {
        then_side,
        else_side,
    };
    Some((branch, outputs))
}

/// Rounds of inference in which the shapes of loop variables may still change.
const ROUNDS: usize = 3;

/// The parts of a loop.
struct LoopParts<'a> {
    cond: &'a Held<'a>,
    body: &'a Held<'a>,
    carried: Carried<'a>,
}

impl LoopParts<'_> {
    /// Whether the body passes a variable on as it is.
    fn is_kept(&self, var: usize) -> bool {
        let graph = self.body.graph;
        let out = graph.outputs.get(var);
        let place = out.and_then(|v| graph.inputs.iter().position(|input| input == v));
        place.is_some_and(|k| self.body.inputs[k] as usize == var)
    }

    /// Infers the body until the shapes of the variables stay as they are.
    fn repeat(&self, facts: &[&Fact], budget: &mut Budget) -> Option<(Region, Vec<Fact>)> {
        let n = self.carried.vars.len();
        let kept: Vec<bool> = (0..n).map(|i| self.is_kept(i)).collect();
        let entering = |(i, fact): (usize, &&Fact)| match kept.get(i) {
            Some(false) => Fact::of_spec(fact.spec.clone()),
            _ => (*fact).clone(),
        };
        let mut entering: Vec<Fact> = facts.iter().enumerate().map(entering).collect();
        let all = vec![true; self.body.graph.outputs.len()];
        for round in 0..=ROUNDS {
            let refs: Vec<&Fact> = entering.iter().collect();
            let body = region(self.body, &refs, &all, budget)?;
            let mut stable = true;
            let leaving = body.scope.outputs().take(n);
            let leaving: Vec<TensorSpec> = leaving.map(|f| f.spec.clone()).collect();
            for i in (0..n).filter(|&i| !kept[i]) {
                let shape = entering[i].spec.shape.generalise(&leaving[i].shape);
                if shape != entering[i].spec.shape {
                    stable = false;
                    entering[i].spec.shape = if round + 1 < ROUNDS {
                        shape
                    } else {
                        self.carried.vars[i].shape.clone()
                    };
                }
            }
            if stable {
                return self.looped(entering, body, &kept, budget);
            }
        }
        None
    }

    fn looped(
        &self,
        entering: Vec<Fact>,
        body: Entry,
        kept: &[bool],
        budget: &mut Budget,
    ) -> Option<(Region, Vec<Fact>)> {
        let refs: Vec<&Fact> = entering.iter().collect();
        let cond = region(self.cond, &refs, &[true], budget)?;
        if !cond.scope.outputs().next().is_some_and(is_condition) {
            return None;
        }
        let var = |(kept, fact): (&bool, &Fact)| (!kept).then(|| fact.spec.clone());
        let vars = kept.iter().zip(&entering).map(var).collect();
        let mut outputs: Vec<Fact> = entering.into_iter().take(kept.len()).collect();
        let recorded = self.carried.recorded.map(<[TensorSpec]>::to_vec);
        if let Some(specs) = &recorded {
            let list = |_| Fact::of_spec(TensorSpec::scalar(DType::Variant));
            outputs.push(Fact::of_spec(TensorSpec::scalar(DType::Int32)));
            outputs.extend(specs.iter().map(list));
        }
        let repeat = Region::While {
            cond,
            body,
            vars,
            recorded,
        };
        Some((repeat, outputs))
    }
}
