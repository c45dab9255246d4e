//! Operations that hold graphs: calls, branches and loops. What a region takes from outside is explicit: each region
//! lists which of the operation's inputs feed its own.

use crate::interrupt::Watch;
use crate::recursion::RecursiveHandle;
use crate::tensor_list::TensorList;
use ferrograph_graph::{
    Branch, Carried, Effect, Graph, Inputs, Op, OpRef, Region, Role, Runner, Specs, Tensors,
    declare, declared_by_effect, picked_branch,
};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail, err};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

declare! {
    trait EmitRegions;

    /// What the graph `f` gives for `args`, which are its inputs.
    Call is "StatefulPartitionedCall": call(args: [Tin]) -> (output: [Tout]),
        gradient Regions, effect World, pure "PartitionedCall", batch Regions {
        /// The called graph.
        graph as "f": Arc<Graph>,
        /// The graph that owns what the called one needs, where that is derived from one that calls itself.
        owner: Option<Arc<Graph>>,
    };

    /// What `then_branch` gives where the scalar `cond` holds, else what `else_branch` does.
    If as "cond": cond(cond: bool, input: [Tin]) -> (output: [Tout]),
        gradient Regions, effect World, pure "StatelessIf", batch Regions {
        /// Runs where the condition holds.
        then_branch as ("then_branch", "then_inputs"): Branch,
        /// Runs where it does not.
        else_branch as ("else_branch", "else_inputs"): Branch,
    };

    /// What `body` made of the first of `input`, the loop variables, again and again while `cond` holds; what is invariant
    /// comes behind them.
    While as "while": while_loop(input: [T]) -> (output: [T]),
        gradient Regions, effect World, pure "StatelessWhile", batch Regions {
        /// Gives the scalar bool that says whether to go on.
        cond as ("cond", "cond_inputs"): Branch,
        /// Gives the variables of the next iteration.
        body as ("body", "body_inputs"): Branch,
        /// The types that the variables keep.
        vars as ("T", "output_shapes"): Vec<TensorSpec>,
        /// What the loop records for its gradient: the body returns values of these types behind the next variables. The
        /// loop then also gives the number of iterations and, for each, the list of all its values.
        recorded as ("recorded_types", "recorded_shapes"): Option<Vec<TensorSpec>>,
    };
}

/// What a graph gives for what the operation feeds it.
fn run_branch(branch: &Branch, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
    let fed = branch.inputs.iter().map(|&i| inputs[i as usize].clone());
    runner.run(&branch.graph, fed.collect())
}

/// As many branches as an operation holds.
fn exactly<const N: usize>(branches: Vec<Branch>) -> Option<[Branch; N]> {
    branches.try_into().ok()
}

impl Call {
    /// A call of a graph.
    pub fn of(graph: Arc<Graph>) -> Call {
        Call { graph, owner: None }
    }

    /// A call of a graph that is derived from the one called here.
    #[must_use]
    pub fn of_derived(&self, graph: Arc<Graph>) -> Call {
        let recursive = || RecursiveHandle::of(&self.graph).map(|_| self.graph.clone());
        let owner = self.owner.clone().or_else(recursive);
        Call { graph, owner }
    }
}

impl Op for Call {
    declared_by_effect!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(self.graph.inputs.len())?;
        for (i, spec) in self.graph.input_specs().enumerate() {
            inputs.expect_dtype(i, spec.dtype)?;
        }
        Ok(self.graph.output_specs_for(inputs))
    }
    fn effect(&self) -> Effect {
        self.graph.effect()
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        runner.run(&self.graph, inputs.iter().cloned().collect())
    }
    fn regions(&self) -> SmallVec<[Region<'_>; 2]> {
        smallvec![Region::call(&self.graph)]
    }
    fn with_regions(&self, regions: Vec<Branch>) -> Option<OpRef> {
        let [Branch { graph, .. }] = exactly(regions)?;
        Some(Arc::new(self.of_derived(graph)))
    }
}

impl Op for If {
    declared_by_effect!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (a, b) = (&self.then_branch.graph, &self.else_branch.graph);
        if a.outputs.len() != b.outputs.len() {
            bail!(
                Type,
                "the branches return {} and {} values",
                a.outputs.len(),
                b.outputs.len()
            );
        }
        let merge = |(x, y): (&TensorSpec, &TensorSpec)| {
            if x.dtype != y.dtype {
                bail!(Type, "the branches return {x} and {y} for the same value");
            }
            Ok(TensorSpec::new(x.dtype, x.shape.generalise(&y.shape)))
        };
        let specs_of = |branch: &Branch| {
            let fed = inputs.fed_to(&Region::of(branch, Role::Branch))?;
            Ok(branch.graph.output_specs_for(&fed))
        };
        let (then, other) = (specs_of(&self.then_branch)?, specs_of(&self.else_branch)?);
        then.iter().zip(&other).map(merge).collect()
    }
    fn effect(&self) -> Effect {
        let (then, other) = (&self.then_branch.graph, &self.else_branch.graph);
        then.effect().max(other.effect())
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let branches = [&self.then_branch, &self.else_branch];
        let branch = branches[picked_branch(&inputs[0])?];
        run_branch(branch, runner, inputs)
    }
    fn regions(&self) -> SmallVec<[Region<'_>; 2]> {
        let branches = [&self.then_branch, &self.else_branch];
        branches.map(|b| Region::of(b, Role::Branch)).into()
    }
    fn with_regions(&self, regions: Vec<Branch>) -> Option<OpRef> {
        let [then_branch, else_branch] = exactly(regions)?;
        Some(Arc::new(If {
            then_branch,
            else_branch,
        }))
    }
}

/// What a loop counts as: worth running without locks, however little its body does.
const UNBOUNDED_FLOPS: f64 = 1e9;

impl Op for While {
    declared_by_effect!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n_recorded = self.recorded.as_ref().map_or(0, Vec::len);
        let n_returned = self.body.graph.outputs.len();
        if n_returned != self.vars.len() + n_recorded {
            bail!(
                Type,
                "the loop body returns {n_returned} values for {} variables",
                self.vars.len()
            );
        }
        for (i, (var, next)) in self
            .vars
            .iter()
            .zip(self.body.graph.output_specs())
            .enumerate()
        {
            inputs.expect_dtype(i, var.dtype)?;
            if next.dtype != var.dtype {
                bail!(
                    Type,
                    "loop variable {i} enters an iteration as {var} and leaves it as {next}"
                );
            }
        }
        let mut specs: Specs = self.vars.iter().cloned().collect();
        if self.recorded.is_some() {
            specs.push(TensorSpec::scalar(DType::Int32));
            specs.extend((0..n_recorded).map(|_| TensorSpec::scalar(DType::Variant)));
        }
        Ok(specs)
    }
    fn effect(&self) -> Effect {
        self.cond.graph.effect().max(self.body.graph.effect())
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let n = self.vars.len();
        let mut state: Tensors = inputs.iter().cloned().collect();
        let mut records = empty_records(self.recorded.as_deref().unwrap_or_default())?;
        let mut n_iterations = 0i32;
        let mut watch = Watch::start();
        loop {
            let go_on = run_branch(&self.cond, runner, &state)?;
            let go_on = go_on
                .first()
                .ok_or_else(|| err!(Internal, "a loop condition returned nothing"))?;
            if picked_branch(go_on)? != 0 {
                break;
            }
            for (slot, next) in run_branch(&self.body, runner, &state)?
                .into_iter()
                .enumerate()
            {
                match slot.checked_sub(n) {
                    None => state[slot] = next,
                    Some(record) => records[record].push(next)?,
                }
            }
            n_iterations = n_iterations.saturating_add(1);
            watch.tick()?;
        }
        state.truncate(n);
        if self.recorded.is_some() {
            state.extend(recorded_values(n_iterations, records)?);
        }
        Ok(state)
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        UNBOUNDED_FLOPS
    }
    fn regions(&self) -> SmallVec<[Region<'_>; 2]> {
        let carried = Carried {
            vars: &self.vars,
            recorded: self.recorded.as_deref(),
        };
        smallvec![
            Region::of(&self.cond, Role::Condition),
            Region::of(&self.body, Role::Body(carried)),
        ]
    }
    fn with_regions(&self, regions: Vec<Branch>) -> Option<OpRef> {
        let [cond, body] = exactly(regions)?;
        Some(Arc::new(While {
            cond,
            body,
            vars: self.vars.clone(),
            recorded: self.recorded.clone(),
        }))
    }
}

/// A list for each value that a loop records.
///
/// # Errors
/// Never for such short lists.
pub fn empty_records(specs: &[TensorSpec]) -> Result<Vec<TensorList>> {
    let list = |spec: &TensorSpec| TensorList::new(spec.dtype, spec.shape.clone(), 0);
    specs.iter().map(list).collect()
}

/// What a recording loop gives behind its variables: the number of iterations, then the lists of what it recorded.
///
/// # Errors
/// Where memory does not suffice.
pub fn recorded_values(n_iterations: i32, records: Vec<TensorList>) -> Result<Tensors> {
    let mut values: Tensors = smallvec![Tensor::scalar(n_iterations)?];
    values.extend(records.into_iter().map(TensorList::into_tensor));
    Ok(values)
}
