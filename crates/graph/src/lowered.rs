//! What an operation lowers to: the kinds of work that executors distinguish.
//!
//! [`lower`] asks an operation once its inputs' and outputs' shapes are static. Every kind that computes carries a bound
//! kernel, so that an executor reads what it understands (to fuse, to work in place, to run elsewhere) and runs the
//! kernel for the rest.

use crate::{Inputs, Kernel, ObjectKernel, Op};
use ferrograph_tensor::{Result, TensorSpec};
use smallvec::SmallVec;

/// What an operation does at given types, as executors see it.
pub enum Lowered {
    /// The only output shares the elements of that input under another shape.
    Alias(usize),
    /// Each element of the outputs from those at its place in the inputs, which broadcast.
    Map(Map),
    /// One value out of all along some axes of input 0.
    Reduce(Reduction),
    /// Elements of the inputs at other places.
    Move(Movement),
    /// Products of matrices, one or a batch of them.
    MatMul(MatMul),
    /// Each row along the last axis of the only output, from the same row of the inputs, which have its shape.
    Rows(Kernel),
    /// Any other work on dense operands.
    Kernel(Kernel),
    /// Work on the object that input 0 is, beside dense operands.
    Object(ObjectKernel),
    /// The operation runs the graphs that it holds.
    Region,
    /// Only [`Op::compute`](crate::Op::compute) can do it: the size of an output depends on data, or values are not
    /// dense.
    Eval,
}

/// The functions of scalars that executors know by themselves.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScalarCode {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    FloorMod,
    TruncateDiv,
    TruncateMod,
    Maximum,
    Minimum,
    SquaredDifference,
    Pow,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
    BitAnd,
    BitOr,
    BitXor,
    Invert,
    ShiftLeft,
    ShiftRight,
    Neg,
    Abs,
    Sign,
    Square,
    Sqrt,
    Rsqrt,
    Reciprocal,
    Exp,
    Expm1,
    Log,
    Log1p,
    Sin,
    Cos,
    Tan,
    Tanh,
    Sigmoid,
    Softplus,
    Erf,
    Erfc,
    Relu,
    Relu6,
    Floor,
    Ceil,
    Round,
    ReluGrad,
    TanhGrad,
    SigmoidGrad,
    /// Of three: the first, moved to the nearest of the others where it is outside, to the second one first.
    Clip,
    /// Of three: the second where the first holds, else the third.
    Select,
    /// Of any number: their sum, from the first two on.
    AddN,
    /// To the dtype of the output.
    Cast,
    /// What only the kernel knows.
    Opaque,
}

/// An elementwise function and its loops.
pub struct Map {
    /// What it computes for each element.
    pub code: ScalarCode,
    /// Computes all of them.
    pub kernel: Kernel,
}

/// How a reduction combines elements.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReduceCode {
    Sum,
    Mean,
    Prod,
    Max,
    Min,
    All,
    Any,
    EuclideanNorm,
}

/// A reduction of input 0.
pub struct Reduction {
    /// How elements combine.
    pub code: ReduceCode,
    /// Of each axis of input 0, whether it is reduced.
    pub axes: SmallVec<[bool; 6]>,
    /// Computes it.
    pub kernel: Kernel,
}

/// An entry of an index input that names a place along an axis. Outside of the axis it is an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexTerm {
    /// Which entry.
    pub entry: usize,
    /// How long the axis is.
    pub len: usize,
    /// The elements from place to place.
    pub stride: isize,
    /// Whether negative entries count from the end.
    pub wraps: bool,
}

/// Where a movement takes its elements from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Places {
    /// The elements of the output, in order, are those that a walk over input `input` meets.
    Strided {
        /// The input that is read.
        input: usize,
        /// The first element.
        start: usize,
        /// How many steps along each axis of the walk: those of the output, but for axes of one.
        dims: SmallVec<[usize; 6]>,
        /// The elements from step to step along each axis; 0 repeats, negative ones walk backwards.
        strides: SmallVec<[isize; 6]>,
    },
    /// As [`Places::Strided`] of input 0, but the walk begins where entries of an index input say.
    Indexed {
        /// The index input.
        index: usize,
        /// What its entries add to the first place.
        terms: SmallVec<[IndexTerm; 2]>,
        /// The first element where all entries are 0.
        start: usize,
        /// How many steps along each axis.
        dims: SmallVec<[usize; 6]>,
        /// The elements from step to step along each axis.
        strides: SmallVec<[isize; 6]>,
    },
    /// Whole rows of input 0, named by an index input.
    Rows,
    /// The first inputs one after another along that axis of the output, one each where they lack it.
    Join(usize),
    /// The outputs are parts of that input, one after another along that axis of it.
    Split {
        /// The input that is split.
        input: usize,
        /// The axis.
        axis: usize,
    },
    /// One value everywhere.
    Fill,
    /// What only the kernel knows.
    Opaque,
}

/// A movement of elements.
pub struct Movement {
    /// Where elements come from.
    pub places: Places,
    /// Moves them.
    pub kernel: Kernel,
}

/// A product of matrices: the last two axes of inputs 0 and 1, over the axes in front of them.
pub struct MatMul {
    /// Whether the matrices of input 0 are transposed.
    pub transpose_a: bool,
    /// Whether those of input 1 are.
    pub transpose_b: bool,
    /// Computes it.
    pub kernel: Kernel,
}

impl Lowered {
    /// The bound kernel over dense operands, where there is one.
    pub fn into_kernel(self) -> Option<Kernel> {
        match self {
            Lowered::Map(Map { kernel, .. })
            | Lowered::Reduce(Reduction { kernel, .. })
            | Lowered::Move(Movement { kernel, .. })
            | Lowered::MatMul(MatMul { kernel, .. })
            | Lowered::Rows(kernel)
            | Lowered::Kernel(kernel) => Some(kernel),
            Lowered::Alias(_) | Lowered::Object(_) | Lowered::Region | Lowered::Eval => None,
        }
    }

    /// What is computed for each element, where executors know that.
    pub fn code(&self) -> Option<ScalarCode> {
        match self {
            Lowered::Map(Map { code, .. }) => Some(*code),
            _ => None,
        }
    }

    /// Where the elements of a movement come from.
    pub fn places(&self) -> Option<&Places> {
        match self {
            Lowered::Move(Movement { places, .. }) => Some(places),
            _ => None,
        }
    }

    /// A kernel, or evaluation where there is none.
    pub fn kernel_or_eval(kernel: Option<Kernel>) -> Lowered {
        kernel.map_or(Lowered::Eval, Lowered::Kernel)
    }

    /// The kind by name.
    pub fn kind(&self) -> &'static str {
        match self {
            Lowered::Alias(_) => "alias",
            Lowered::Map(_) => "map",
            Lowered::Reduce(_) => "reduce",
            Lowered::Move(_) => "move",
            Lowered::MatMul(_) => "matmul",
            Lowered::Rows(_) => "rows",
            Lowered::Kernel(_) => "kernel",
            Lowered::Object(_) => "object",
            Lowered::Region => "region",
            Lowered::Eval => "eval",
        }
    }
}

/// What an operation lowers to for inputs and outputs of these types: evaluation where a shape is open, where one needs
/// more memory than there is (evaluation says so, if it comes to that), or where an output of a kernel is not dense. A kernel may have inputs that are not dense, which it does not read.
///
/// # Errors
/// What binding refuses.
pub fn lower(op: &dyn Op, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
    if !op.regions().is_empty() {
        return Ok(Lowered::Region);
    }
    let dense = |spec: &TensorSpec| spec.dtype.is_dense();
    let is_object = !inputs.is_empty() && !dense(inputs.spec(0));
    let is_static = |spec: &TensorSpec| spec.shape.is_static();
    let changes = usize::from(
        outputs
            .first()
            .is_some_and(|spec| is_object && !dense(spec)),
    );
    let behind = || {
        let inputs = (usize::from(is_object)..inputs.len()).map(|i| inputs.spec(i));
        inputs.chain(&outputs[changes..])
    };
    let runs = |spec: &TensorSpec| is_static(spec) && spec.check_fits().is_ok();
    if !behind().all(runs) || outputs.is_empty() && !is_object {
        return Ok(Lowered::Eval);
    }
    let lowered = op.lower(inputs, outputs)?;
    let fits = match &lowered {
        Lowered::Alias(_) => !is_object || is_static(inputs.spec(0)) && is_static(&outputs[0]),
        Lowered::Object(ObjectKernel::Reads(_)) if changes > 0 => false,
        Lowered::Object(_) => is_object && behind().all(dense),
        _ => outputs.iter().all(dense),
    };
    Ok(if fits { lowered } else { Lowered::Eval })
}
