//! The contract of an operation.

use crate::outputs::declared_outputs;
use crate::{
    Attrs, Branch, Decl, EagerVal, Graph, Lowered, Operands, Region, SlotType, Val, Vals, lower,
};
use ferrograph_tensor::{
    DType, Dim, Error, MAX_RANK, Origin, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err,
};
use smallvec::{SmallVec, smallvec};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Specs of inputs or outputs.
pub type Specs = SmallVec<[TensorSpec; 2]>;
/// Tensors given or returned.
pub type Tensors = SmallVec<[Tensor; 2]>;
/// Borrowed tensors.
pub type Slices<'a> = &'a [Tensor];
/// The elements, as far as known, of an integer tensor, row by row: what shape arithmetic propagates.
pub type Known = SmallVec<[Option<i64>; 4]>;
/// What is known of the elements of the first outputs of an operation, as many as there are; of the others nothing is.
pub type KnownOutputs = SmallVec<[Option<Known>; 1]>;
/// Of longer vectors no elements are known.
pub const MOST_KNOWN: usize = 1 << 20;
/// Of matrices and tensors of more axes that are larger no elements are known.
pub const MOST_KNOWN_IN_ROWS: usize = 64;
/// A shared operation.
pub type OpRef = Arc<dyn Op>;
/// An operation bound to concrete dtypes and shapes: computes from slots to slots.
pub type Kernel = Box<dyn Fn(&mut Operands<'_>) -> Result<()> + Send + Sync>;
/// What reads an object beside its operands.
pub type ReadKernel = Box<dyn Fn(&Tensor, &mut Operands<'_>) -> Result<()> + Send + Sync>;
/// What changes an object beside its operands.
pub type ChangeKernel = Box<dyn Fn(&mut Tensor, &mut Operands<'_>) -> Result<()> + Send + Sync>;

/// A kernel over one object, the resource or variant scalar that is input 0; its operands are the inputs behind it and
/// the outputs, all dense.
pub enum ObjectKernel {
    /// Reads the object.
    Reads(ReadKernel),
    /// Makes it another, in place where nothing else shares it. That is output 0, which is no operand.
    Changes(ChangeKernel),
}

/// What running an operation does beyond computing its outputs; later ones are stronger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effect {
    /// Nothing: unused ones are pruned, equal ones may be shared.
    Pure,
    /// Reads the resources among its inputs: pruned when unused, ordered with writes to them.
    Reads,
    /// Changes the resources among its inputs: kept, ordered.
    Writes,
    /// Acts on the world outside (printing, callbacks, random state, asserts): kept, ordered among themselves.
    World,
}

/// Whether gradients flow through an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Differentiability {
    /// `vjp` gives them.
    Vjp,
    /// The gradient of the first output is that of the first input as it is, rows of a larger tensor staying rows.
    Passes,
    /// By decision none flows: inputs of such an operation are unconnected.
    Stops,
    /// They are computed from the operation's regions.
    Regions,
    /// There should be one but there is not: asking for it is an error.
    Missing,
}

/// What type inference knows of an operation's inputs.
pub struct Inputs<'a> {
    specs: SmallVec<[&'a TensorSpec; 4]>,
    constants: SmallVec<[Option<&'a Tensor>; 4]>,
    known: SmallVec<[Option<&'a Known>; 4]>,
}

impl<'a> Inputs<'a> {
    /// Inputs of these specs, of which nothing else is known.
    pub fn of_specs(specs: &'a [TensorSpec]) -> Inputs<'a> {
        Inputs {
            specs: specs.iter().collect(),
            constants: smallvec![None; specs.len()],
            known: smallvec![None; specs.len()],
        }
    }

    /// Inputs of these specs, constants and known elements.
    pub fn new(
        inputs: impl IntoIterator<Item = (&'a TensorSpec, Option<&'a Tensor>, Option<&'a Known>)>,
    ) -> Inputs<'a> {
        let mut all = Inputs {
            specs: SmallVec::new(),
            constants: SmallVec::new(),
            known: SmallVec::new(),
        };
        for (spec, constant, known) in inputs {
            all.specs.push(spec);
            all.constants.push(constant);
            all.known.push(known);
        }
        all
    }

    /// Of these inputs, the ones that feed a region.
    ///
    /// # Errors
    /// `Type` where there are fewer than it names.
    pub fn fed_to(&self, region: &Region<'_>) -> Result<Inputs<'a>> {
        let all = region.inputs.iter().map(|&i| i as usize);
        if let Some(i) = all.clone().find(|&i| i >= self.len()) {
            bail!(Type, "a region takes input {i}, of {} inputs", self.len());
        }
        Ok(Inputs {
            specs: all.clone().map(|i| self.specs[i]).collect(),
            constants: all.clone().map(|i| self.constants[i]).collect(),
            known: all.map(|i| self.known[i]).collect(),
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.specs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.specs.is_empty()
    }

    /// Checks the number of inputs.
    pub fn expect(&self, n: usize) -> Result<()> {
        if self.len() != n {
            bail!(Type, "expected {n} inputs, got {}", self.len());
        }
        Ok(())
    }

    /// Whether all of them are dense.
    pub fn all_dense(&self) -> bool {
        self.specs.iter().all(|spec| spec.dtype.is_dense())
    }

    /// The spec of input `i`.
    pub fn spec(&self, i: usize) -> &'a TensorSpec {
        self.specs[i]
    }

    /// The dtype of input `i`.
    pub fn dtype(&self, i: usize) -> DType {
        self.specs[i].dtype
    }

    /// The partial shape of input `i`.
    pub fn shape(&self, i: usize) -> &'a PartialShape {
        &self.specs[i].shape
    }

    /// The value of input `i` where it is a constant.
    pub fn constant(&self, i: usize) -> Option<&'a Tensor> {
        self.constants[i]
    }

    /// The elements of integer input `i`, a scalar or a vector, as far as known: all of a constant of at most
    /// [`MOST_KNOWN`], or what shape arithmetic propagated.
    pub fn known(&self, i: usize) -> Option<Known> {
        let has_rows = self.specs[i].shape.rank().is_some_and(|rank| rank > 1);
        if has_rows { None } else { self.known_rows(i) }
    }

    /// The same of an input of any rank, row by row; of more axes than one at most [`MOST_KNOWN_IN_ROWS`].
    pub fn known_rows(&self, i: usize) -> Option<Known> {
        if let Some(known) = self.known[i] {
            return Some(known.clone());
        }
        let constant = self.constants[i]?;
        let most = if constant.rank() <= 1 {
            MOST_KNOWN
        } else {
            MOST_KNOWN_IN_ROWS
        };
        if constant.n_elements() > most || !constant.dtype().is_integer() {
            return None;
        }
        Some(constant.to_i64s().ok()?.into_iter().map(Some).collect())
    }

    /// The integers of input `i` where all of them are known.
    pub fn ints(&self, i: usize) -> Option<SmallVec<[i64; 4]>> {
        self.known(i)?.into_iter().collect()
    }

    /// The partial shape that integer input `i` spells: unknown elements and -1 are unknown dimensions.
    pub fn shape_value(&self, i: usize) -> PartialShape {
        if let Some(known) = self.known(i) {
            return known
                .iter()
                .map(|d| {
                    d.and_then(|d| usize::try_from(d).ok())
                        .map_or(Dim::UNKNOWN, Dim::new)
                })
                .collect();
        }
        match self.shape(i).dim(0).known() {
            Some(rank) if self.shape(i).rank() == Some(1) => PartialShape::of_rank(rank),
            _ => PartialShape::UNKNOWN,
        }
    }

    /// Checks that input `i` has that dtype.
    pub fn expect_dtype(&self, i: usize, dtype: DType) -> Result<()> {
        if self.dtype(i) != dtype {
            bail!(
                DType,
                "input #{i} was expected to be a {dtype} tensor but is a {} tensor",
                self.dtype(i)
            );
        }
        Ok(())
    }

    /// Checks that inputs `i` and `j` have one dtype and gives it.
    pub fn same_dtype(&self, i: usize, j: usize) -> Result<DType> {
        let (a, b) = (self.dtype(i), self.dtype(j));
        if a != b {
            bail!(
                DType,
                "input #{j}(zero-based) was expected to be a {a} tensor but is a {b} tensor"
            );
        }
        Ok(a)
    }
}

/// Runs graphs for operations that hold regions.
pub trait Runner: Sync {
    /// The outputs of a graph for these inputs, given in the order of its arguments and captures.
    fn run(&self, graph: &Arc<Graph>, inputs: Tensors) -> Result<Tensors>;

    /// As [`Runner::run`], for a caller that runs one graph again and again and keeps a memo for it.
    fn run_again(&self, graph: &Arc<Graph>, inputs: Tensors, _memo: &mut Memo) -> Result<Tensors> {
        self.run(graph, inputs)
    }
}

/// What a runner wants kept between runs of one graph; nothing at first.
pub type Memo = Option<Arc<dyn Any + Send + Sync>>;

/// A gradient: dense, or rows of a larger tensor.
#[derive(Clone)]
pub enum Grad {
    /// As it is.
    Dense(Val),
    /// `values` to be added at rows `indices` of zeros of shape `dense_shape`.
    Slices {
        /// One row an index.
        values: Val,
        /// Rows, possibly repeated.
        indices: Val,
        /// The shape of the whole (an integer vector).
        dense_shape: Val,
    },
}

impl From<Val> for Grad {
    fn from(value: Val) -> Grad {
        Grad::Dense(value)
    }
}

/// Gradients with respect to an operation's inputs; `None` where unconnected.
pub type Grads = SmallVec<[Option<Grad>; 2]>;

/// What a gradient rule works from.
pub struct VjpCall<'a> {
    /// The inputs the operation had.
    pub inputs: &'a [Val],
    /// The outputs it gave.
    pub outputs: &'a [Val],
    /// The gradients of those outputs; `None` where nothing depends on one.
    pub grads: &'a [Option<Val>],
    /// For each input whether its gradient is wanted; a rule may skip the others.
    pub needs: &'a [bool],
}

impl VjpCall<'_> {
    /// The inputs, which are that many.
    ///
    /// # Errors
    /// `Internal` where they are not.
    pub fn all<const N: usize>(&self) -> Result<&[Val; N]> {
        let n = self.inputs.len();
        let all = self.inputs.try_into();
        all.map_err(|_| err!(Internal, "a gradient rule for {N} inputs got {n}"))
    }

    /// The gradient of the first output, for operations that have one.
    pub fn grad(&self) -> Result<&Val> {
        self.grads
            .first()
            .and_then(Option::as_ref)
            .ok_or_else(|| err!(Internal, "a gradient rule ran without a gradient"))
    }
}

/// What gradient rules and composed operations emit operations through.
pub trait Emitter {
    /// Computes now or adds a node, as the context says.
    fn emit(&mut self, op: OpRef, inputs: &[Val]) -> Result<Vals>;

    /// Says of what line of the user's program the operations from now on are. An emitter that finds the line by itself
    /// does not listen.
    fn set_origin(&mut self, _origin: Option<Arc<Origin>>) {}
}

/// An operation: its fields are its attributes.
pub trait Op: Any + fmt::Debug + Send + Sync {
    /// What is declared of it.
    fn decl(&self) -> &'static Decl;

    /// The name in the public GraphDef vocabulary, such as `AddV2`.
    fn name(&self) -> &'static str {
        self.decl().name
    }

    /// The attributes.
    fn attrs(&self) -> Attrs {
        Attrs::new()
    }

    /// The specs of the outputs for inputs that fit the declaration, or why these inputs are refused. Callers ask
    /// [`specs`](trait.Op.html#method.specs), which checks that first. By default they follow from the declaration.
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        declared_outputs(self.as_dyn(), inputs)
    }

    /// The value of the only output, where it is the same on every run.
    fn constant(&self) -> Option<&Tensor> {
        None
    }

    /// What running it does beyond computing.
    fn effect(&self) -> Effect {
        self.decl().effect
    }

    /// Whether runs of it may take place in any order, and at the same time, where they have no resource in common that
    /// they change: what it says, draws or changes does not depend on which was first. By default what its effect says.
    fn commutes(&self) -> bool {
        self.effect() < Effect::Writes
    }

    /// What it does at these types, all of static shape: see [`lower`](crate::lower), by which callers ask. By default
    /// only evaluation gives it.
    ///
    /// # Errors
    /// Errors that are known before it runs.
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Eval)
    }

    /// The outputs for these inputs. The default infers, and runs the kernel or computes.
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        evaluate(self.as_dyn(), runner, inputs)
    }

    /// The only output for two inputs, where the operation computes it without inference and without owning them;
    /// `None` where [`Op::eval`] is to be asked. By default it is.
    fn eval_pair(&self, _a: &Tensor, _b: &Tensor) -> Option<Result<Tensor>> {
        None
    }

    /// The outputs for inputs that inference has accepted: what evaluation comes to where there is no kernel.
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let specs: Vec<_> = inputs.iter().map(|t| t.spec().to_string()).collect();
        Err(err!(
            Unimplemented,
            "operation {} has no kernel for inputs ({})",
            self.name(),
            specs.join(", ")
        ))
    }

    /// As [`Op::eval`], for inputs that the operation may consume: one that changes a large value does so in place
    /// where nothing else shares it.
    fn eval_owned(&self, runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        self.eval(runner, &inputs)
    }

    /// This operation as a trait object (`self`), which a default method cannot make of an unsized `Self`.
    fn as_dyn(&self) -> &dyn Op;

    /// This operation for downcasting (`self`).
    fn as_any(&self) -> &dyn Any;

    /// Elements of the first output, integers, as far as they follow from those of the inputs; of an output of more than one
    /// axis only where its shape is static.
    fn known(&self, _inputs: &Inputs<'_>) -> Option<Known> {
        None
    }

    /// What [`Op::known`] says of the first output, of each of the first ones.
    fn known_outputs(&self, inputs: &Inputs<'_>) -> KnownOutputs {
        smallvec![self.known(inputs)]
    }

    /// Whether and how gradients flow.
    fn differentiability(&self) -> Differentiability {
        self.decl().gradient
    }

    /// Gradients of the inputs, written with `emit` so that they work eagerly, traced and for higher derivatives.
    fn vjp(&self, _emitter: &mut dyn Emitter, _call: &VjpCall<'_>) -> Result<Grads> {
        Err(err!(
            NotFound,
            "no gradient is defined for operation {}",
            self.name()
        ))
    }

    /// The graphs this operation holds.
    fn regions(&self) -> SmallVec<[Region<'_>; 2]> {
        SmallVec::new()
    }

    /// This operation with other graphs in the places of its own; `None` where it cannot be made of others.
    fn with_regions(&self, _regions: Vec<Branch>) -> Option<OpRef> {
        None
    }

    /// The name its nodes get by default; several operations have one from Python, such as `add` for `AddV2`.
    fn node_name(&self) -> &'static str {
        self.decl().node_name
    }

    /// A rough cost in floating-point operations, for scheduling: by default one per output element.
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        outputs
            .iter()
            .map(|o| o.shape.n_elements().unwrap_or(0) as f64)
            .sum()
    }
}

/// Implements the two methods of [`Op`] that only the concrete type can give.
#[macro_export]
macro_rules! op_object {
    () => {
        fn as_dyn(&self) -> &dyn $crate::Op {
            self
        }
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    };
}

/// Evaluates an operation by inference and its kernel, its aliased input, or [`Op::compute`]: what [`Op::eval`] does by
/// default.
pub fn evaluate(op: &dyn Op, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
    let specs: SmallVec<[TensorSpec; 4]> = inputs.iter().map(Tensor::spec).collect();
    let known = Inputs::new(specs.iter().zip(inputs).map(|(s, t)| (s, Some(t), None)));
    let outputs = op.specs(&known)?;
    let shape_of = |spec: &TensorSpec| -> Result<Shape> {
        spec.shape.to_static().ok_or_else(|| {
            err!(
                Internal,
                "operation {} left shape {} open",
                op.name(),
                spec.shape
            )
        })
    };
    outputs.iter().try_for_each(TensorSpec::check_fits)?;
    let lowered = lower(op, &known, &outputs)?;
    if let Lowered::Alias(i) = lowered {
        return Ok(smallvec![inputs[i].reshaped(shape_of(&outputs[0])?)?]);
    }
    let Some(kernel) = lowered.into_kernel() else {
        return op.compute(runner, inputs);
    };
    let mut results = Tensors::new();
    for spec in &outputs {
        results.push(Tensor::empty(spec.dtype, shape_of(spec)?)?);
    }
    run_kernel(&kernel, inputs, &mut results)?;
    Ok(results)
}

/// Runs a kernel on tensors; `outputs` are fresh.
///
/// # Errors
/// Those of the kernel.
pub fn run_kernel(kernel: &Kernel, inputs: &[Tensor], outputs: &mut [Tensor]) -> Result<()> {
    let mut pointers: SmallVec<[*mut u8; 6]> = SmallVec::new();
    let mut types: SmallVec<[SlotType; 6]> = SmallVec::new();
    for t in inputs {
        pointers.push(t.bytes().as_ptr().cast_mut());
        types.push(SlotType {
            dtype: t.dtype(),
            len: t.n_elements(),
        });
    }
    for t in outputs.iter_mut() {
        let len = t.n_elements();
        types.push(SlotType {
            dtype: t.dtype(),
            len,
        });
        pointers.push(
            t.bytes_mut()
                .ok_or_else(|| err!(Internal, "a fresh output is shared"))?
                .as_mut_ptr(),
        );
    }
    let n = u32::try_from(inputs.len())
        .map_err(|_| Error::new(ferrograph_tensor::ErrorKind::Internal, "too many inputs"))?;
    let ins: SmallVec<[u32; 6]> = (0..n).collect();
    let outs: SmallVec<[u32; 2]> = (n..).take(outputs.len()).collect();
    // SAFETY: input slots point at live tensors, output slots at fresh unshared ones; dtypes and lengths are theirs.
    kernel(&mut unsafe { Operands::new(&pointers, &types, &ins, &outs) })
}

impl dyn Op {
    /// The specs of the outputs: the inputs are held against the declaration, then inferred from. None of them has more
    /// than [`MAX_RANK`] dimensions.
    ///
    /// # Errors
    /// Why these inputs are refused.
    pub fn specs(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        self.decl().check(inputs)?;
        let outputs = self.infer(inputs)?;
        let ranks = outputs.iter().filter_map(|spec| spec.shape.rank());
        match ranks.max() {
            Some(rank) if rank > MAX_RANK => Err(err!(
                Shape,
                "a tensor has at most {MAX_RANK} dimensions, this one would have more"
            )),
            _ => Ok(outputs),
        }
    }

    /// This operation as the concrete type `T`, if it is one.
    pub fn downcast<T: Op>(&self) -> Option<&T> {
        self.as_any().downcast_ref::<T>()
    }
}

impl EagerVal {
    /// The spec of the tensor.
    pub fn spec(&self) -> TensorSpec {
        self.tensor.spec()
    }
}
