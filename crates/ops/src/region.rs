//! Operations that hold graphs: calls, branches and loops. What a region takes from outside is explicit: each region
//! lists which of the operation's inputs feed its own.

use crate::interrupt::Watch;
use crate::tensor_list::TensorList;
use ferrograph_graph::{
    Attr, AttrDecl, AttrKind, AttrReader, Attrs, Branch, Carried, Constructor, Decl,
    Differentiability, Effect, Graph, Inputs, Kind, Op, OpRef, Port, Region, Registry, Role,
    Runner, Specs, Tensors, op_object, picked_branch,
};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail, err};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The declaration of an operation that holds graphs, which has a name for graphs without effects and one for others.
const fn holding(
    (name, node_name): (&'static str, &'static str),
    doc: &'static str,
    (inputs, outputs): (&'static [Port], &'static [Port]),
    attrs: &'static [AttrDecl],
    effect: Effect,
) -> Decl {
    Decl {
        node_name,
        doc,
        attrs,
        effect,
        gradient: Differentiability::Regions,
        ..Decl::new(name, inputs, outputs)
    }
}

/// An attribute that must be given.
const fn given(name: &'static str, kind: AttrKind) -> AttrDecl {
    AttrDecl {
        name,
        kind,
        default: None,
    }
}

/// An attribute that may be left out.
const fn optional(name: &'static str, kind: AttrKind) -> AttrDecl {
    AttrDecl {
        name,
        kind,
        default: Some(|| None),
    }
}

fn mapping(branch: &Branch) -> Attr {
    Attr::Ints(branch.inputs.iter().map(|&i| i64::from(i)).collect())
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

fn strongest(a: Effect, b: Effect) -> Effect {
    let rank = |e| match e {
        Effect::Pure => 0,
        Effect::Reads => 1,
        Effect::Writes => 2,
        Effect::World => 3,
    };
    if rank(a) >= rank(b) { a } else { b }
}

const CALL_PORTS: (&[Port], &[Port]) = (
    &[Port::new("args", Kind::Each("Tin"))],
    &[Port::new("output", Kind::Each("Tout"))],
);
const CALL_ATTRS: &[AttrDecl] = &[given("f", AttrKind::Graph)];
static PURE_CALL: Decl = holding(
    ("PartitionedCall", "PartitionedCall"),
    "What the graph `f` gives for `args`; it has no effects.",
    CALL_PORTS,
    CALL_ATTRS,
    Effect::Pure,
);
static CALL: Decl = holding(
    ("StatefulPartitionedCall", "StatefulPartitionedCall"),
    "What the graph `f` gives for `args`.",
    CALL_PORTS,
    CALL_ATTRS,
    Effect::World,
);

/// A call of a graph: its inputs are the graph's.
#[derive(Debug)]
pub struct Call {
    /// The called graph.
    pub graph: Arc<Graph>,
}

impl Op for Call {
    op_object!();
    fn decl(&self) -> &'static Decl {
        match self.effect() {
            Effect::Pure => &PURE_CALL,
            _ => &CALL,
        }
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("f", Attr::Graph(self.graph.clone()))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(self.graph.inputs.len())?;
        for (i, spec) in self.graph.input_specs().enumerate() {
            inputs.expect_dtype(i, spec.dtype)?;
        }
        Ok(self.graph.output_specs().cloned().collect())
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
        Some(Arc::new(Call { graph }))
    }
}

const IF_PORTS: (&[Port], &[Port]) = (
    &[
        Port::new("cond", Kind::Is(DType::Bool)),
        Port::new("input", Kind::Each("Tin")),
    ],
    &[Port::new("output", Kind::Each("Tout"))],
);
const IF_ATTRS: &[AttrDecl] = &[
    given("then_branch", AttrKind::Graph),
    given("then_inputs", AttrKind::Ints),
    given("else_branch", AttrKind::Graph),
    given("else_inputs", AttrKind::Ints),
];
static PURE_IF: Decl = holding(
    ("StatelessIf", "cond"),
    "What `then_branch` gives where `cond` holds, else what `else_branch` does; they have no effects.",
    IF_PORTS,
    IF_ATTRS,
    Effect::Pure,
);
static IF: Decl = holding(
    ("If", "cond"),
    "What `then_branch` gives where `cond` holds, else what `else_branch` does.",
    IF_PORTS,
    IF_ATTRS,
    Effect::World,
);

/// One of two graphs, chosen by the scalar bool input 0.
#[derive(Debug)]
pub struct If {
    /// Runs where the condition holds.
    pub then_branch: Branch,
    /// Runs where it does not.
    pub else_branch: Branch,
}

impl Op for If {
    op_object!();
    fn decl(&self) -> &'static Decl {
        match self.effect() {
            Effect::Pure => &PURE_IF,
            _ => &IF,
        }
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("then_branch", Attr::Graph(self.then_branch.graph.clone()))
            .with("then_inputs", mapping(&self.then_branch))
            .with("else_branch", Attr::Graph(self.else_branch.graph.clone()))
            .with("else_inputs", mapping(&self.else_branch))
    }
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
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
        a.output_specs().zip(b.output_specs()).map(merge).collect()
    }
    fn effect(&self) -> Effect {
        strongest(
            self.then_branch.graph.effect(),
            self.else_branch.graph.effect(),
        )
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

const WHILE_PORTS: (&[Port], &[Port]) = (
    &[Port::new("input", Kind::Each("T"))],
    &[Port::new("output", Kind::Each("T"))],
);
const WHILE_ATTRS: &[AttrDecl] = &[
    given("cond", AttrKind::Graph),
    given("cond_inputs", AttrKind::Ints),
    given("body", AttrKind::Graph),
    given("body_inputs", AttrKind::Ints),
    given("T", AttrKind::DTypes),
    given("output_shapes", AttrKind::Shapes),
    optional("recorded_types", AttrKind::DTypes),
    optional("recorded_shapes", AttrKind::Shapes),
];
static PURE_WHILE: Decl = holding(
    ("StatelessWhile", "while"),
    "What `body` made of the first of `input`, again and again while `cond` holds; they have no effects.",
    WHILE_PORTS,
    WHILE_ATTRS,
    Effect::Pure,
);
static WHILE: Decl = holding(
    ("While", "while"),
    "What `body` made of the first of `input`, again and again while `cond` holds.",
    WHILE_PORTS,
    WHILE_ATTRS,
    Effect::World,
);

/// A loop: inputs are the loop variables, then what is invariant; outputs are the variables after the last iteration.
#[derive(Debug)]
pub struct While {
    /// Gives the scalar bool that says whether to go on.
    pub cond: Branch,
    /// Gives the variables of the next iteration.
    pub body: Branch,
    /// The types that the variables keep.
    pub vars: Vec<TensorSpec>,
    /// What the loop records for its gradient: the body returns values of these types behind the next variables. The
    /// loop then also gives the number of iterations and, for each, the list of all its values.
    pub recorded: Option<Vec<TensorSpec>>,
}

impl Op for While {
    op_object!();
    fn decl(&self) -> &'static Decl {
        match self.effect() {
            Effect::Pure => &PURE_WHILE,
            _ => &WHILE,
        }
    }
    fn attrs(&self) -> Attrs {
        let dtypes = |specs: &[TensorSpec]| Attr::DTypes(specs.iter().map(|s| s.dtype).collect());
        let attrs = Attrs::new()
            .with("cond", Attr::Graph(self.cond.graph.clone()))
            .with("cond_inputs", mapping(&self.cond))
            .with("body", Attr::Graph(self.body.graph.clone()))
            .with("body_inputs", mapping(&self.body))
            .with("T", dtypes(&self.vars))
            .with("output_shapes", shapes(&self.vars));
        match &self.recorded {
            Some(specs) => attrs
                .with("recorded_types", dtypes(specs))
                .with("recorded_shapes", shapes(specs)),
            None => attrs,
        }
    }
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
        strongest(self.cond.graph.effect(), self.body.graph.effect())
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

fn shapes(specs: &[TensorSpec]) -> Attr {
    Attr::Shapes(specs.iter().map(|s| s.shape.clone()).collect())
}

fn branch(a: &AttrReader<'_>, graph: &str, inputs: &str) -> Result<Branch> {
    let graph = a.graph(graph)?;
    let index = |i| u32::try_from(i).map_err(|_| err!(Value, "{inputs} holds {i}, no input"));
    let inputs: Vec<u32> = a
        .ints(inputs)?
        .into_iter()
        .map(index)
        .collect::<Result<_>>()?;
    if inputs.len() != graph.inputs.len() {
        bail!(
            Value,
            "graph {} takes {} inputs, {} are given",
            graph.name,
            graph.inputs.len(),
            inputs.len()
        );
    }
    Ok(Branch { graph, inputs })
}

fn make_call(a: &AttrReader<'_>) -> Result<OpRef> {
    Ok(Arc::new(Call {
        graph: a.graph("f")?,
    }))
}

fn make_if(a: &AttrReader<'_>) -> Result<OpRef> {
    Ok(Arc::new(If {
        then_branch: branch(a, "then_branch", "then_inputs")?,
        else_branch: branch(a, "else_branch", "else_inputs")?,
    }))
}

fn make_while(a: &AttrReader<'_>) -> Result<OpRef> {
    let recorded = a
        .find("recorded_types")
        .map(|_| read_specs(a, "recorded_types", "recorded_shapes"));
    Ok(Arc::new(While {
        cond: branch(a, "cond", "cond_inputs")?,
        body: branch(a, "body", "body_inputs")?,
        vars: read_specs(a, "T", "output_shapes")?,
        recorded: recorded.transpose()?,
    }))
}

/// These attributes with `output_types` and `output_shapes`, which tell the types of values.
pub fn specs_attrs(attrs: Attrs, specs: &[TensorSpec]) -> Attrs {
    attrs
        .with(
            "output_types",
            Attr::DTypes(specs.iter().map(|s| s.dtype).collect()),
        )
        .with("output_shapes", shapes(specs))
}

/// The types that two attributes tell: a list of dtypes, and one of shapes.
///
/// # Errors
/// `Type` where one is missing, `Value` where they do not fit.
pub fn read_specs(a: &AttrReader<'_>, types: &str, shapes: &str) -> Result<Vec<TensorSpec>> {
    let (dtypes, shapes) = (a.dtypes(types)?, a.shapes(shapes)?);
    if dtypes.len() != shapes.len() {
        bail!(
            Value,
            "{} dtypes and {} shapes in {types}",
            dtypes.len(),
            shapes.len()
        );
    }
    Ok(dtypes
        .into_iter()
        .zip(shapes)
        .map(|(d, s)| TensorSpec::new(d, s))
        .collect())
}

pub(crate) fn register(r: &mut Registry) {
    for (decl, make) in [
        (&PURE_CALL, make_call as Constructor),
        (&CALL, make_call),
        (&PURE_IF, make_if),
        (&IF, make_if),
        (&PURE_WHILE, make_while),
        (&WHILE, make_while),
    ] {
        r.row(decl, make);
    }
}
