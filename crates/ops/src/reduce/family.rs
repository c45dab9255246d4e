//! Reductions over axes given by a tensor.

use super::axes::{Marks, marks, reduced_shape};
use super::gradients::{self, ReduceCall};
use super::kernels::{EuclideanNorm, Loops, Of};
use crate::args::expect_integers;
use crate::elementwise::families::table;
use crate::movement::static_shape;
use ferrograph_graph::{
    AttrDecl, AttrKind, AttrValue, Attrs, Batching, Decl, Differentiability, Emitter, Grads,
    Inputs, Kind, Known, Lowered, Op, Port, ReduceCode, Reduction, Specs, Val, VjpCall, op_object,
    sets,
};
use ferrograph_kernels::reduce as k;
use ferrograph_tensor::{DType, Result, TensorSpec, err, with_element};
use smallvec::smallvec;
use std::fmt;

/// The result for integers that are all known.
type Fold = fn(&[i64]) -> Option<i64>;
type Rule = fn(&mut dyn Emitter, &ReduceCall<'_>) -> Result<Val>;

const INPUTS: &[Port] = &[
    Port::new("input", Kind::Var("T", sets::any)),
    Port::new("reduction_indices", Kind::Var("Tidx", sets::index)),
];
const OUTPUT: &[Port] = &[Port::new("output", Kind::Var("T", sets::any))];
const TRUTHS: &[Port] = &[
    Port::new("input", Kind::Is(DType::Bool)),
    Port::new("reduction_indices", Kind::Var("Tidx", sets::index)),
];
const TRUTH: &[Port] = &[Port::new("output", Kind::Is(DType::Bool))];
const KEEP_DIMS: &[AttrDecl] = &[AttrDecl {
    name: "keep_dims",
    kind: AttrKind::Bool,
    default: Some(|| false.to_attr()),
}];

/// A row of the table: what a reduction is.
pub(crate) struct ReduceDef {
    pub decl: Decl,
    code: ReduceCode,
    loops: fn(DType) -> Option<&'static dyn Loops>,
    vjp: Option<Rule>,
    known: Option<Fold>,
}

impl ReduceDef {
    /// A reduction of that name and code with these loops, through which no gradient flows.
    const fn new(
        name: &'static str,
        code: ReduceCode,
        loops: fn(DType) -> Option<&'static dyn Loops>,
    ) -> ReduceDef {
        ReduceDef {
            decl: Decl {
                attrs: KEEP_DIMS,
                batch: Batching::Axes(1),
                ..Decl::new(name, INPUTS, OUTPUT)
            },
            code,
            loops,
            vjp: None,
            known: None,
        }
    }
    /// It reduces truth values.
    const fn of_truths(mut self) -> ReduceDef {
        self.decl.inputs = TRUTHS;
        self.decl.outputs = TRUTH;
        self
    }
    /// It does what that text says.
    const fn doc(mut self, doc: &'static str) -> ReduceDef {
        self.decl.doc = doc;
        self
    }
    /// Gradients flow by that rule.
    const fn vjp(mut self, rule: Rule) -> ReduceDef {
        self.decl.gradient = Differentiability::Vjp;
        self.vjp = Some(rule);
        self
    }
    /// Shape arithmetic follows it.
    const fn known(self, known: Fold) -> ReduceDef {
        ReduceDef {
            known: Some(known),
            ..self
        }
    }
}

/// A reduction out of the table of this family.
#[derive(Clone)]
pub struct Reduce {
    def: &'static ReduceDef,
    /// Whether reduced axes stay with size 1.
    keep_dims: bool,
}

impl fmt::Debug for Reduce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(keep_dims: {})", self.def.decl.name, self.keep_dims)
    }
}

impl Reduce {
    fn loops(&self, dtype: DType) -> Result<&'static dyn Loops> {
        (self.def.loops)(dtype).ok_or_else(|| {
            err!(
                DType,
                "{} is not defined for {dtype} tensors",
                self.def.decl.name
            )
        })
    }
}

impl Op for Reduce {
    op_object!();
    fn decl(&self) -> &'static Decl {
        &self.def.decl
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with_value("keep_dims", &self.keep_dims)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        self.loops(inputs.dtype(0))?;
        expect_integers(inputs, 1, "axis")?;
        let axes = inputs.ints(1);
        let shape = reduced_shape(inputs.shape(0), axes.as_deref(), self.keep_dims)?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let Some(axes) = inputs.ints(1) else {
            return Ok(Lowered::Eval);
        };
        let shape = static_shape(inputs.spec(0))?;
        let axes = marks(&axes, shape.rank())?;
        Ok(Lowered::Reduce(Reduction {
            code: self.def.code,
            kernel: self.loops(inputs.dtype(0))?.bind(shape, axes.clone()),
            axes,
        }))
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let fold = self.def.known?;
        let axes = inputs.ints(1)?;
        if !matches!(inputs.dtype(0), DType::Int32 | DType::Int64) || axes.len() != 1 {
            return None;
        }
        let all = fold(&inputs.ints(0)?)?;
        let fits = inputs.dtype(0) == DType::Int64 || i32::try_from(all).is_ok();
        (inputs.shape(0).rank() == Some(1) && fits).then(|| smallvec![Some(all)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some(rule) = self.def.vjp else {
            return Ok(smallvec![None, None]);
        };
        let call = ReduceCall {
            x: &call.inputs[0],
            axes: &call.inputs[1],
            y: &call.outputs[0],
            g: call.grad()?,
            keep_dims: self.keep_dims,
        };
        Ok(smallvec![Some(rule(e, &call)?.into()), None])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        inputs.shape(0).n_elements().map_or(0.0, |n| n as f64)
    }
}

macro_rules! loops {
    ($op:ty, $set:ident) => {
        |dtype| {
            with_element!(dtype, $set, T => Some(const { &Of::<T, $op>::LOOPS }), else => None)
        }
    };
    ($op:ty) => {
        |dtype| match dtype {
            DType::Bool => Some(const { &Of::<bool, $op>::LOOPS }),
            _ => None,
        }
    };
}

table! {
    trait EmitReductions; Reduce(input, reduction_indices) { keep_dims: bool = false }: ReduceDef;
    /// The sum of `input` over the axes `reduction_indices`.
    SUM: sum = ReduceDef::new("Sum", ReduceCode::Sum, loops!(k::Sum, numeric)).vjp(gradients::sum).known(sum);
    /// The mean of `input` over the axes `reduction_indices`.
    MEAN: mean = ReduceDef::new("Mean", ReduceCode::Mean, loops!(k::Mean, numeric)).vjp(gradients::mean);
    /// The product of `input` over the axes `reduction_indices`.
    PROD: prod = ReduceDef::new("Prod", ReduceCode::Prod, loops!(k::Prod, numeric)).vjp(gradients::prod).known(prod);
    /// The greatest of `input` over the axes `reduction_indices`.
    MAX: max = ReduceDef::new("Max", ReduceCode::Max, loops!(k::Max, real)).vjp(gradients::extreme).known(|x| x.iter().copied().max());
    /// The least of `input` over the axes `reduction_indices`.
    MIN: min = ReduceDef::new("Min", ReduceCode::Min, loops!(k::Min, real)).vjp(gradients::extreme).known(|x| x.iter().copied().min());
    /// The root of the sum of the squares of `input` over the axes `reduction_indices`.
    EUCLIDEAN_NORM: euclidean_norm = ReduceDef::new("EuclideanNorm", ReduceCode::EuclideanNorm, loops!(EuclideanNorm, numeric)).vjp(gradients::norm);
    /// Whether all of `input` hold over the axes `reduction_indices`.
    ALL: all = ReduceDef::new("All", ReduceCode::All, loops!(k::All)).of_truths();
    /// Whether any of `input` holds over the axes `reduction_indices`.
    ANY: any = ReduceDef::new("Any", ReduceCode::Any, loops!(k::Any)).of_truths();
}

/// The sum over the marked axes, lowered.
pub(crate) fn lower_sum(spec: &TensorSpec, axes: Marks) -> Result<Lowered> {
    let shape = static_shape(spec)?;
    let Some(loops) = (SUM.loops)(spec.dtype) else {
        return Ok(Lowered::Eval);
    };
    Ok(Lowered::Reduce(Reduction {
        code: ReduceCode::Sum,
        kernel: loops.bind(shape, axes.clone()),
        axes,
    }))
}

fn sum(x: &[i64]) -> Option<i64> {
    x.iter().try_fold(0i64, |a, &b| a.checked_add(b))
}

fn prod(x: &[i64]) -> Option<i64> {
    x.iter().try_fold(1i64, |a, &b| a.checked_mul(b))
}
