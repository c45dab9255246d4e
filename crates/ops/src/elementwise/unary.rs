//! Operations on one tensor, element by element.

use ferrograph_graph::{
    Differentiability, Emitter, Grads, Inputs, Kernel, Op, Runner, Specs, Tensors, Val, VjpCall,
    evaluate, op_object,
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

/// A row of the table: what a unary operation is.
pub(crate) struct UnaryDef {
    pub name: &'static str,
    node_name: &'static str,
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
            name,
            node_name: name,
            loops,
            vjp: None,
            known: None,
        }
    }
    /// Gradients flow by that rule.
    pub const fn vjp(self, rule: UnaryRule) -> UnaryDef {
        UnaryDef {
            vjp: Some(rule),
            ..self
        }
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
        f.write_str(self.def.name)
    }
}

impl Unary {
    fn loops(&self, dtype: DType) -> Result<&'static dyn Loops> {
        (self.def.loops)(dtype).ok_or_else(|| {
            err!(
                DType,
                "{} is not defined for {dtype} tensors",
                self.def.name
            )
        })
    }
}

impl Op for Unary {
    op_object!();
    fn name(&self) -> &'static str {
        self.def.name
    }
    fn node_name(&self) -> &'static str {
        self.def.node_name
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let out = self.loops(inputs.dtype(0))?.out();
        Ok(smallvec![TensorSpec::new(out, inputs.shape(0).clone())])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let n = outputs[0].shape.n_elements().unwrap_or(usize::MAX);
        Ok(Some(self.loops(inputs.dtype(0))?.bind(n)))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [x] = inputs else {
            return evaluate(self, inputs);
        };
        Ok(smallvec![self.loops(x.dtype())?.apply(x)?])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<ferrograph_graph::Known> {
        let known = self.def.known?;
        let small = inputs.dtype(0) == DType::Int32;
        let one = |x: i64| known(x).filter(|&y| !small || i32::try_from(y).is_ok());
        Some(inputs.known(0)?.iter().map(|x| x.and_then(one)).collect())
    }
    fn differentiability(&self) -> Differentiability {
        if self.def.vjp.is_some() {
            Differentiability::Vjp
        } else {
            Differentiability::Stops
        }
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
