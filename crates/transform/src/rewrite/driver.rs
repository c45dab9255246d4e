//! Runs passes over graphs and counts what they do.

use super::budget::Budget;
use super::{Operand, Pass, Rewrite, Rewriter};
use crate::passes;
use ferrograph_graph::{Branch, Graph, Node, NodeId, Role, check, verifies};
use ferrograph_tensor::{Result, err};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A pass by its name, and what it did in this process.
pub(crate) struct Named {
    pub name: &'static str,
    pub make: fn() -> Box<dyn Pass>,
    rewrites: AtomicU64,
    removed: AtomicU64,
}

impl Named {
    pub const fn new(name: &'static str, make: fn() -> Box<dyn Pass>) -> Named {
        Named {
            name,
            make,
            rewrites: AtomicU64::new(0),
            removed: AtomicU64::new(0),
        }
    }

    fn count(&self, rewrites: u64, removed: usize) {
        self.rewrites.fetch_add(rewrites, Ordering::Relaxed);
        self.removed.fetch_add(removed as u64, Ordering::Relaxed);
    }
}

/// What a pass did in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassCount {
    /// Its name.
    pub name: &'static str,
    /// How many nodes it changed, those that it removed among them.
    pub rewrites: u64,
    /// How many nodes it removed.
    pub removed: u64,
}

/// What each pass did in this process, in the order in which they run.
pub fn pass_counts() -> Vec<PassCount> {
    let count = |pass: &Named| PassCount {
        name: pass.name,
        rewrites: pass.rewrites.load(Ordering::Relaxed),
        removed: pass.removed.load(Ordering::Relaxed),
    };
    passes::ALL.iter().map(count).collect()
}

/// What became of a graph by all passes; `None` where it stays as it is.
struct Optimised(OnceLock<Option<Arc<Graph>>>);

/// The graph after all passes: equal to it for every input, bit for bit.
///
/// # Errors
/// `Internal` where verification finds that a pass broke something.
pub fn optimised(graph: &Arc<Graph>) -> Result<Arc<Graph>> {
    let kept = graph.attachment(|| Optimised(OnceLock::new()));
    if let Some(found) = kept.0.get() {
        return Ok(found.as_ref().unwrap_or(graph).clone());
    }
    let rewriter = run(graph, &passes::ALL, Budget::of_process(), &optimised)?;
    let made = finished(rewriter, |r| r.is_worth_it())?;
    if let Some(made) = &made {
        made.attachment(|| Optimised(OnceLock::from(None)));
    }
    let kept = kept.0.get_or_init(|| made);
    Ok(kept.as_ref().unwrap_or(graph).clone())
}

/// The graph after one pass, run over it and over the graphs in it.
///
/// # Errors
/// `NotFound` where there is no such pass; else as [`optimised`].
pub fn run_pass(graph: &Arc<Graph>, name: &str) -> Result<Arc<Graph>> {
    let found = passes::ALL.iter().position(|pass| pass.name == name);
    let i = found.ok_or_else(|| err!(NotFound, "there is no pass {name:?}"))?;
    let only = std::slice::from_ref(&passes::ALL[i]);
    let inner = |region: &Arc<Graph>| run_pass(region, name);
    let rewriter = run(graph, only, Budget::of_process(), &inner)?;
    let made = finished(rewriter, |r| r.is_changed())?;
    Ok(made.unwrap_or_else(|| graph.clone()))
}

/// What these passes make of a graph, with `inner` applied to the graphs in it.
fn run<'g>(
    graph: &'g Graph,
    passes: &[Named],
    budget: &Budget,
    inner: &dyn Fn(&Arc<Graph>) -> Result<Arc<Graph>>,
) -> Result<Rewriter<'g>> {
    let mut rewriter = Rewriter::new(graph);
    enter_regions(&mut rewriter, inner)?;
    for pass in passes {
        let n_gone = rewriter.n_gone();
        let rewrites = walk(&mut rewriter, &mut *(pass.make)(), budget);
        if rewrites > 0 {
            pass.count(rewrites, rewriter.n_gone() - n_gone);
            verified(&rewriter, pass.name)?;
        }
    }
    Ok(rewriter)
}

/// The changed graph, where it is wanted.
fn finished(
    rewriter: Rewriter<'_>,
    is_wanted: impl FnOnce(&Rewriter<'_>) -> bool,
) -> Result<Option<Arc<Graph>>> {
    match is_wanted(&rewriter) {
        true => rewriter.finish().map(|made| Some(Arc::new(made))),
        false => Ok(None),
    }
}

/// Verifies what a pass made of a graph, where verification is on.
fn verified(rewriter: &Rewriter<'_>, pass: &str) -> Result<()> {
    if !verifies() {
        return Ok(());
    }
    let faulty = |e: ferrograph_tensor::Error| err!(Internal, "pass {pass}: {}", e.message());
    let made = rewriter.clone().finish().map_err(faulty)?;
    check(&made).map_err(faulty)
}

/// One pass over all nodes in program order; gives the number of rewrites.
fn walk(rewriter: &mut Rewriter<'_>, pass: &mut dyn Pass, budget: &Budget) -> u64 {
    pass.start(rewriter);
    let mut rewrites = 0;
    let mut place = 0;
    while let Some(id) = rewriter.at(place) {
        place += 1;
        if rewriter.is_gone(id) || rewriter.is_input(id) {
            continue;
        }
        rewriter.refresh(id);
        if let Some(rewrite) = pass.visit(rewriter, id)
            && budget.take()
        {
            rewrites += u64::from(rewriter.apply(id, rewrite));
        }
    }
    rewriter.settle();
    rewrites
}

/// Applies `inner` to the graphs that operations hold, whatever the operation.
fn enter_regions(
    rewriter: &mut Rewriter<'_>,
    inner: &dyn Fn(&Arc<Graph>) -> Result<Arc<Graph>>,
) -> Result<()> {
    for id in (0..rewriter.n_ids()).map(NodeId::new) {
        if let Some(rewrite) = regions_rewritten(rewriter.node(id), inner)? {
            rewriter.apply(id, rewrite);
        }
    }
    Ok(())
}

/// The node with `inner` applied to its graphs, where that changes one.
fn regions_rewritten(
    node: &Node,
    inner: &dyn Fn(&Arc<Graph>) -> Result<Arc<Graph>>,
) -> Result<Option<Rewrite>> {
    let regions = node.op.regions();
    if regions.is_empty() || regions.iter().any(|r| r.role == Role::Function) {
        return Ok(None);
    }
    let mut is_changed = false;
    let mut branches: Vec<Branch> = Vec::with_capacity(regions.len());
    for region in &regions {
        let made = inner(region.graph)?;
        is_changed |= !Arc::ptr_eq(&made, region.graph);
        branches.push(region.with(made));
    }
    if !is_changed {
        return Ok(None);
    }
    let operands = node.inputs.iter().map(|v| Operand::Value(*v)).collect();
    let made = node.op.with_regions(branches);
    Ok(made.map(|op| Rewrite::Become(op, operands)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_graph::text::{parse, print};

    const TEXT: &str = r#"graph "f" (%0) {
  %0 = Placeholder "x" {dtype: float32, shape: shape [2]} () : float32 [2]
  %1 = Identity "a" (%0) : float32 [2]
  %2 = Identity "b" (%1) : float32 [2]
  %3 = Neg "c" (%2) : float32 [2]
  return %3
}
"#;

    fn n_nodes_after(n_rewrites: u64) -> usize {
        let graph = parse(TEXT, ferrograph_ops::registry()).unwrap();
        let budget = Budget::new(n_rewrites);
        let keep = |region: &Arc<Graph>| Ok(region.clone());
        let rewriter = run(&graph, &passes::ALL, &budget, &keep).unwrap();
        rewriter.finish().unwrap().nodes.len()
    }

    #[test]
    fn rewriting_stops_after_a_number_of_rewrites() {
        let found: Vec<usize> = (0..4).map(n_nodes_after).collect();
        assert_eq!(found, [4, 3, 2, 2]);
    }

    #[test]
    fn a_graph_in_which_nothing_changes_is_its_own_result() {
        let graph = parse(TEXT, ferrograph_ops::registry()).unwrap();
        let made = optimised(&graph).unwrap();
        assert!(!Arc::ptr_eq(&made, &graph));
        assert!(Arc::ptr_eq(&optimised(&graph).unwrap(), &made));
        assert!(Arc::ptr_eq(&optimised(&made).unwrap(), &made));
        let again = parse(&print(&made), ferrograph_ops::registry()).unwrap();
        assert!(Arc::ptr_eq(&optimised(&again).unwrap(), &again));
    }

    #[test]
    fn what_the_passes_do_is_counted() {
        let before = pass_counts();
        optimised(&parse(TEXT, ferrograph_ops::registry()).unwrap()).unwrap();
        let of = |counts: &[PassCount], name| {
            let found = counts.iter().find(|c| c.name == name).unwrap();
            (found.rewrites, found.removed)
        };
        let (old, new) = (of(&before, "simplify"), of(&pass_counts(), "simplify"));
        assert!(new.0 >= old.0 + 2 && new.1 >= old.1 + 2);
    }
}
