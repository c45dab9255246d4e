//! Operations on two tensors of one dtype, with broadcasting.

use super::strings;
use crate::emit::*;
use ferrograph_graph::{
    AlgebraicIdentity, Batching, Decl, Differentiability, Emitter, Grad, Grads, Inputs, Kernel,
    Kind, Known, Lowered, Map, Op, Operands, Port, Runner, ScalarCode, Specs, Tensors, Val,
    VjpCall, evaluate, op_object, sets,
};
use ferrograph_kernels::elementwise::{self as k, Broadcast, contains_negative, contains_zero};
use ferrograph_kernels::pool;
use ferrograph_tensor::{
    DType, Element, Result, Shape, Tensor, TensorSpec, bail, broadcast_shapes, err, with_element,
};
use smallvec::smallvec;
use std::fmt;

/// What integers the second operand may not hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Any will do.
    None,
    /// It divides.
    Divisor,
    /// It is an exponent.
    Exponent,
}

/// Gradients of both operands in the shape of the result; the family sums them down.
pub(crate) type BinaryRule = fn(&mut dyn Emitter, &BinaryCall<'_>) -> Result<[Option<Val>; 2]>;

/// What the rule of a binary operation works from.
pub(crate) struct BinaryCall<'a> {
    pub a: &'a Val,
    pub b: &'a Val,
    /// The result.
    pub y: &'a Val,
    /// Its gradient.
    pub g: &'a Val,
    /// Which of the operands' gradients are wanted.
    pub needs: [bool; 2],
}

impl BinaryCall<'_> {
    /// Gradients made where they are wanted.
    pub fn grads(
        &self,
        e: &mut dyn Emitter,
        a: impl FnOnce(&mut dyn Emitter) -> Result<Val>,
        b: impl FnOnce(&mut dyn Emitter) -> Result<Val>,
    ) -> Result<[Option<Val>; 2]> {
        let a = self.needs[0].then(|| a(e)).transpose()?;
        let b = self.needs[1].then(|| b(e)).transpose()?;
        Ok([a, b])
    }
}

const XY: &[Port] = &[
    Port::new("x", Kind::Var("T", sets::any)),
    Port::new("y", Kind::Var("T", sets::any)),
];
const Z: &[Port] = &[Port::new("z", Kind::Var("T", sets::any))];

/// A row of the table: what a binary operation is.
pub(crate) struct BinaryDef {
    pub decl: Decl,
    code: ScalarCode,
    loops: fn(DType) -> Option<&'static dyn Loops>,
    guard: Guard,
    known: Option<fn(i64, i64) -> Option<i64>>,
    vjp: Option<BinaryRule>,
    joins_strings: bool,
    alike: bool,
}

impl BinaryDef {
    /// An operation of that name with these loops, through which no gradient flows.
    pub const fn new(
        name: &'static str,
        loops: fn(DType) -> Option<&'static dyn Loops>,
    ) -> BinaryDef {
        BinaryDef {
            decl: Decl {
                batch: Batching::Broadcasts,
                ..Decl::new(name, XY, Z)
            },
            code: ScalarCode::Opaque,
            loops,
            guard: Guard::None,
            known: None,
            vjp: None,
            joins_strings: false,
            alike: false,
        }
    }
    /// Its nodes get that name.
    pub const fn node(mut self, node_name: &'static str) -> BinaryDef {
        self.decl.node_name = node_name;
        self
    }
    /// Executors know the function by that code.
    pub const fn code(self, code: ScalarCode) -> BinaryDef {
        BinaryDef { code, ..self }
    }
    /// It has that algebraic identity.
    pub const fn identity(mut self, identity: AlgebraicIdentity) -> BinaryDef {
        self.decl.identity = identity;
        self
    }
    /// It does what that text says.
    pub const fn doc(mut self, doc: &'static str) -> BinaryDef {
        self.decl.doc = doc;
        self
    }
    /// Integers for the second operand are refused as the guard says.
    pub const fn guard(self, guard: Guard) -> BinaryDef {
        BinaryDef { guard, ..self }
    }
    /// Shape arithmetic follows it.
    pub const fn known(self, known: fn(i64, i64) -> Option<i64>) -> BinaryDef {
        BinaryDef {
            known: Some(known),
            ..self
        }
    }
    /// Gradients flow by that rule.
    pub const fn vjp(mut self, rule: BinaryRule) -> BinaryDef {
        self.decl.gradient = Differentiability::Vjp;
        self.vjp = Some(rule);
        self
    }
    /// The operands have one shape.
    pub const fn alike(mut self) -> BinaryDef {
        self.decl.batch = Batching::Leads(2);
        BinaryDef {
            alike: true,
            ..self
        }
    }
    /// Strings are joined.
    pub const fn joining_strings(self) -> BinaryDef {
        BinaryDef {
            joins_strings: true,
            ..self
        }
    }
}

/// A binary operation out of the tables of this family.
#[derive(Clone, Copy)]
pub struct Binary {
    pub(super) def: &'static BinaryDef,
}

impl fmt::Debug for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.def.decl.name)
    }
}

impl Binary {
    fn loops(&self, dtype: DType) -> Result<&'static dyn Loops> {
        (self.def.loops)(dtype).ok_or_else(|| {
            err!(
                DType,
                "{} is not defined for {dtype} tensors",
                self.def.decl.name
            )
        })
    }

    /// The kernel behind a check of the integers in the second operand, unless they are known to be fine.
    fn guarded(&self, inputs: &Inputs<'_>, kernel: Kernel) -> Kernel {
        let (dtype, guard) = (inputs.dtype(0), self.def.guard);
        if guard == Guard::None || !dtype.is_integer() {
            return kernel;
        }
        with_element!(dtype, integer, T => {
            let fine = |b: &Tensor| b.as_slice::<T>().is_ok_and(|b| refuse(guard, b).is_ok());
            if inputs.constant(1).is_some_and(fine) {
                return kernel;
            }
            Box::new(move |o: &mut Operands<'_>| {
                if !o.input::<T>(0).is_empty() {
                    refuse(guard, o.input::<T>(1))?;
                }
                kernel(o)
            })
        }, else => kernel)
    }

    /// The result for tensors of one dtype.
    fn of(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        if a.dtype() == DType::String && self.def.joins_strings {
            return strings::join(a, b);
        }
        let loops = self.loops(a.dtype())?;
        self.check(a, b)?;
        loops.apply(a, b)
    }

    /// The error of operands whose shapes may not differ, or of integers that the operation refuses, if the second one
    /// holds any.
    fn check(&self, a: &Tensor, b: &Tensor) -> Result<()> {
        if self.def.alike && a.shape() != b.shape() {
            bail!(
                Shape,
                "shapes {} and {} are not compatible",
                a.shape(),
                b.shape()
            );
        }
        if self.def.guard == Guard::None || !b.dtype().is_integer() || a.n_elements() == 0 {
            return Ok(());
        }
        with_element!(b.dtype(), integer, T => refuse(self.def.guard, b.as_slice::<T>()?), else => Ok(()))
    }
}

impl Op for Binary {
    op_object!();
    fn decl(&self) -> &'static Decl {
        &self.def.decl
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = inputs.dtype(0);
        let out = match dtype {
            DType::String if self.def.joins_strings => dtype,
            _ => self.loops(dtype)?.out(),
        };
        let (a, b) = (inputs.shape(0), inputs.shape(1));
        let shape = if self.def.alike {
            a.merge(b)?
        } else {
            a.broadcast(b)?
        };
        Ok(smallvec![TensorSpec::new(out, shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let dtype = inputs.dtype(0);
        if dtype == DType::String {
            return Ok(Lowered::Eval);
        }
        let kernel = self.guarded(inputs, bind(self.loops(dtype)?, inputs, outputs)?);
        Ok(Lowered::Map(Map {
            code: self.def.code,
            kernel,
        }))
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match inputs {
            [a, b] if a.dtype() == b.dtype() => Ok(smallvec![self.of(a, b)?]),
            _ => evaluate(self, runner, inputs),
        }
    }
    fn eval_pair(&self, a: &Tensor, b: &Tensor) -> Option<Result<Tensor>> {
        (a.dtype() == b.dtype()).then(|| self.of(a, b))
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let known = self.def.known?;
        if !matches!(inputs.dtype(0), DType::Int32 | DType::Int64) {
            return None;
        }
        let (a, b) = (inputs.known(0)?, inputs.known(1)?);
        let small = inputs.dtype(0) == DType::Int32;
        let both = |a: Option<i64>, b: Option<i64>| {
            known(a?, b?).filter(|&y| !small || i32::try_from(y).is_ok())
        };
        let at = |v: &Known, i: usize| {
            if v.len() == 1 {
                v[0]
            } else {
                v.get(i).copied().flatten()
            }
        };
        let n = if a.len() == 1 { b.len() } else { a.len() };
        Some((0..n).map(|i| both(at(&a, i), at(&b, i))).collect())
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some(rule) = self.def.vjp else {
            return Ok(smallvec![None, None]);
        };
        let (a, b) = (&call.inputs[0], &call.inputs[1]);
        let wanted = |i: usize| call.needs.get(i).copied().unwrap_or(true);
        let needs = [wanted(0), wanted(1)];
        let [da, db] = rule(
            e,
            &BinaryCall {
                a,
                b,
                y: &call.outputs[0],
                g: call.grad()?,
                needs,
            },
        )?;
        Ok(smallvec![
            summed(e, da.filter(|_| needs[0]), a, b)?,
            summed(e, db.filter(|_| needs[1]), b, a)?
        ])
    }
}

fn summed(e: &mut dyn Emitter, grad: Option<Val>, like: &Val, other: &Val) -> Result<Option<Grad>> {
    grad.map(|g| Ok(Grad::Dense(e.unbroadcast(&g, like, other)?)))
        .transpose()
}

fn refuse<T: num_traits::Zero + PartialOrd>(guard: Guard, b: &[T]) -> Result<()> {
    match guard {
        Guard::Divisor if contains_zero(b) => {
            bail!(InvalidArgument, "Integer division by zero")
        }
        Guard::Exponent if contains_negative(b) => bail!(
            InvalidArgument,
            "Integers to negative integer powers are not allowed"
        ),
        _ => Ok(()),
    }
}

/// A kernel for the shapes of these operands.
pub(super) fn bind(
    loops: &'static dyn Loops,
    inputs: &Inputs<'_>,
    outputs: &[TensorSpec],
) -> Result<Kernel> {
    let fixed = |spec: &TensorSpec| {
        spec.shape.to_static().ok_or_else(|| {
            err!(
                Internal,
                "a kernel was bound to the open shape {}",
                spec.shape
            )
        })
    };
    let (a, b) = (fixed(inputs.spec(0))?, fixed(inputs.spec(1))?);
    Ok(loops.bind(&a, &b, &fixed(&outputs[0])?))
}

/// The loops of a binary kernel, whatever its element types.
pub(crate) trait Loops: Sync {
    /// The dtype of the result.
    fn out(&self) -> DType;
    /// The result for tensors of the loops' element type.
    fn apply(&self, a: &Tensor, b: &Tensor) -> Result<Tensor>;
    /// A kernel for operands of these shapes.
    fn bind(&self, a: &Shape, b: &Shape, out: &Shape) -> Kernel;
}

impl<T: Element, U: Element> Loops for k::Binary<T, U> {
    fn out(&self) -> DType {
        U::DTYPE
    }

    fn apply(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        let shape = if a.shape() == b.shape() || b.rank() == 0 {
            a.shape().clone()
        } else if a.rank() == 0 {
            b.shape().clone()
        } else {
            broadcast_shapes(a.shape(), b.shape())?
        };
        let mut out = Tensor::empty(U::DTYPE, shape)?;
        let (x, y, n) = (a.as_slice::<T>()?, b.as_slice::<T>()?, out.n_elements());
        if x.len() == n && y.len() == n {
            self.run(x, y, out.as_mut_slice()?);
        } else {
            let plan = Broadcast::new([a.shape(), b.shape()], out.shape());
            plan.binary(self, x, y, out.as_mut_slice()?);
        }
        Ok(out)
    }

    fn bind(&self, a: &Shape, b: &Shape, out: &Shape) -> Kernel {
        let loops = *self;
        let (na, nb, n) = (a.n_elements(), b.n_elements(), out.n_elements());
        #[allow(clippy::cast_precision_loss)]
        let small = !pool::worth_it(n as f64 * loops.cost_ns);
        match (na == n, nb == n) {
            (true, true) if small => on_slices(loops.vec_vec),
            (true, true) => Box::new(move |o| {
                loops.run(o.input(0), o.input(1), o.output(0));
                Ok(())
            }),
            (true, _) if small && nb == 1 => Box::new(move |o| {
                (loops.vec_scalar)(o.input(0), o.input::<T>(1)[0], o.output(0));
                Ok(())
            }),
            (_, true) if small && na == 1 => Box::new(move |o| {
                (loops.scalar_vec)(o.input::<T>(0)[0], o.input(1), o.output(0));
                Ok(())
            }),
            _ => {
                let plan = Broadcast::new([a, b], out);
                Box::new(move |o| {
                    plan.binary(&loops, o.input(0), o.input(1), o.output(0));
                    Ok(())
                })
            }
        }
    }
}

fn on_slices<T: Element, U: Element>(vec_vec: fn(&[T], &[T], &mut [U])) -> Kernel {
    Box::new(move |o| {
        vec_vec(o.input(0), o.input(1), o.output(0));
        Ok(())
    })
}
