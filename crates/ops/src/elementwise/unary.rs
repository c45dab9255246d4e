//! Operations on one tensor, element by element.

use ferrograph_graph::{
    AlgebraicIdentity, Batching, Decl, Differentiability, Emitter, Grads, Inputs, Kernel, Kind,
    Lowered, Map, Op, Port, Runner, ScalarCode, Specs, Tensors, Val, VjpCall, evaluate, op_object,
    sets,
};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::pool;
use ferrograph_tensor::{DType, Element, Result, Tensor, TensorSpec, err};
use smallvec::smallvec;
use std::fmt;

/// The gradient of the operand.
pub(crate) type UnaryRule = fn(&mut dyn Emitter, &UnaryCall<'_>) -> Result<Val>;

/// What the rule of a unary operation works from.
pub(crate) struct UnaryCall<'a> {
    pub x: &'a Val,
    /// The result.
    pub y: &'a Val,
    /// Its gradient.
    pub g: &'a Val,
}

const X: &[Port] = &[Port::new("x", Kind::Var("T", sets::any))];
const Y: &[Port] = &[Port::new("y", Kind::Var("T", sets::any))];

/// A row of the table: what a unary operation is.
pub(crate) struct UnaryDef {
    pub decl: Decl,
    code: ScalarCode,
    loops: fn(DType) -> Option<&'static dyn Loops>,
    vjp: Option<UnaryRule>,
    known: Option<fn(i64) -> Option<i64>>,
}

impl UnaryDef {
    /// An operation of that name with these loops, through which no gradient flows.
    pub const fn new(
        name: &'static str,
        loops: fn(DType) -> Option<&'static dyn Loops>,
    ) -> UnaryDef {
        UnaryDef {
            decl: Decl {
                batch: Batching::Broadcasts,
                ..Decl::new(name, X, Y)
            },
            code: ScalarCode::Opaque,
            loops,
            vjp: None,
            known: None,
        }
    }
    /// Executors know the function by that code.
    pub const fn code(self, code: ScalarCode) -> UnaryDef {
        UnaryDef { code, ..self }
    }
    /// It has that algebraic identity.
    pub const fn identity(mut self, identity: AlgebraicIdentity) -> UnaryDef {
        self.decl.identity = identity;
        self
    }
    /// It does what that text says.
    pub const fn doc(mut self, doc: &'static str) -> UnaryDef {
        self.decl.doc = doc;
        self
    }
    /// Gradients flow by that rule.
    pub const fn vjp(mut self, rule: UnaryRule) -> UnaryDef {
        self.decl.gradient = Differentiability::Vjp;
        self.vjp = Some(rule);
        self
    }
    /// Shape arithmetic follows it.
    pub const fn known(self, known: fn(i64) -> Option<i64>) -> UnaryDef {
        UnaryDef {
            known: Some(known),
            ..self
        }
    }
}

/// A unary operation out of the tables of this family.
#[derive(Clone, Copy)]
pub struct Unary {
    pub(super) def: &'static UnaryDef,
}

impl fmt::Debug for Unary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.def.decl.name)
    }
}

impl Unary {
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

impl Op for Unary {
    op_object!();
    fn decl(&self) -> &'static Decl {
        &self.def.decl
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let out = self.loops(inputs.dtype(0))?.out();
        Ok(smallvec![TensorSpec::new(out, inputs.shape(0).clone())])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let n = outputs[0].shape.n_elements().unwrap_or(usize::MAX);
        let (code, kernel) = (self.def.code, self.loops(inputs.dtype(0))?.bind(n));
        Ok(Lowered::Map(Map { code, kernel }))
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [x] = inputs else {
            return evaluate(self, runner, inputs);
        };
        Ok(smallvec![self.loops(x.dtype())?.apply(x)?])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<ferrograph_graph::Known> {
        let known = self.def.known?;
        let small = inputs.dtype(0) == DType::Int32;
        let one = |x: i64| known(x).filter(|&y| !small || i32::try_from(y).is_ok());
        Some(inputs.known(0)?.iter().map(|x| x.and_then(one)).collect())
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some(rule) = self.def.vjp else {
            return Ok(smallvec![None]);
        };
        let grad = rule(
            e,
            &UnaryCall {
                x: &call.inputs[0],
                y: &call.outputs[0],
                g: call.grad()?,
            },
        )?;
        Ok(smallvec![Some(grad.into())])
    }
}

/// The loop of a unary kernel, whatever its element types.
pub(crate) trait Loops: Sync {
    /// The dtype of the result.
    fn out(&self) -> DType;
    /// The result for a tensor of the loop's element type.
    fn apply(&self, x: &Tensor) -> Result<Tensor>;
    /// A kernel for that many elements.
    fn bind(&self, n: usize) -> Kernel;
}

impl<T: Element, U: Element> Loops for k::Unary<T, U> {
    fn out(&self) -> DType {
        U::DTYPE
    }
    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        let mut out = Tensor::empty(U::DTYPE, x.shape().clone())?;
        self.run(x.as_slice()?, out.as_mut_slice()?);
        Ok(out)
    }
    fn bind(&self, n: usize) -> Kernel {
        let loops = *self;
        #[allow(clippy::cast_precision_loss)]
        if pool::worth_it(n as f64 * loops.cost_ns) {
            return Box::new(move |o| {
                loops.run(o.input(0), o.output(0));
                Ok(())
            });
        }
        Box::new(move |o| {
            (loops.slice)(o.input(0), o.output(0));
            Ok(())
        })
    }
}
