//! What a graph gives where more is known of its inputs than when it was traced.

use crate::{Graph, Inputs, Specs, ValueInfo};
use std::cell::Cell;

/// Nodes that one question looks at, in the graph and in what it calls. Graphs beyond that are taken as they were traced.
const MOST_NODES: usize = 4096;

thread_local! {
    /// Nodes that the question being answered may still look at; `None` between questions.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

impl Graph {
    /// The types of the outputs for these inputs: what inference finds, where it finds more than the trace says. A graph
    /// that was traced for other shapes says what it said: running it is what fails, if anything does.
    pub fn output_specs_for(&self, inputs: &Inputs<'_>) -> Specs {
        let declared = || self.output_specs().cloned().collect();
        let outer = LEFT.get();
        let Some(left) = outer.unwrap_or(MOST_NODES).checked_sub(self.nodes.len()) else {
            return declared();
        };
        if self.output_specs().all(|spec| spec.shape.is_static()) {
            return declared();
        }
        LEFT.set(Some(left));
        let found = self.refined(inputs);
        LEFT.set(outer.and(LEFT.get()));
        found.unwrap_or_else(declared)
    }

    /// The types of the outputs; `None` where no more is known of the inputs, or inference refuses.
    fn refined(&self, inputs: &Inputs<'_>) -> Option<Specs> {
        let mut values = self.values.clone();
        if !self.learn_inputs(&mut values, inputs)? {
            return None;
        }
        for node in self.nodes.iter().filter(|n| !n.inputs.is_empty()) {
            let (specs, known) = {
                let infos = Inputs::new(node.inputs.iter().map(|v| values[v.index()].as_input()));
                (node.op.specs(&infos).ok()?, node.op.known_outputs(&infos))
            };
            for (output, spec) in node.outputs.iter().zip(&specs) {
                let info = &mut values[output.index()];
                info.spec.shape = info.spec.shape.merge(&spec.shape).ok()?;
            }
            for (output, known) in node.outputs.iter().zip(known) {
                let info = &mut values[output.index()];
                info.known = known.map(Box::new).or_else(|| info.known.take());
            }
        }
        let spec = |v: &crate::ValueId| values[v.index()].spec.clone();
        Some(self.outputs.iter().map(spec).collect())
    }

    /// Whether more is known of the inputs than the graph says, which is then in `values`; `None` where they do not fit.
    fn learn_inputs(&self, values: &mut [ValueInfo], inputs: &Inputs<'_>) -> Option<bool> {
        let mut learnt = false;
        for (i, input) in self.inputs.iter().enumerate() {
            let info = &mut values[input.index()];
            let merged = info.spec.shape.merge(inputs.shape(i)).ok()?;
            learnt |= merged != info.spec.shape;
            info.spec.shape = merged;
            info.constant = info
                .constant
                .take()
                .or(inputs.constant(i).cloned().map(Box::new));
            info.known = info.known.take().or(inputs.known(i).map(Box::new));
        }
        Some(learnt)
    }
}
