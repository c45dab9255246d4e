//! Variables: named cells that hold a tensor from call to call.

use crate::interrupt::while_waiting;
use ferrograph_tensor::{Error, Object, PartialShape, Result, Tensor, TensorSpec, bail, err};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard, RwLock};
use std::any::Any;
use std::time::Duration;

mod access;
mod borrowed;
mod count;

pub use access::{AssignKind, AssignVariable, EmitAssign, EmitRead, ReadVariableOp, combining};
pub use borrowed::{BorrowedValues, Held};
pub use count::EmitCounting;

pub(crate) fn register(registry: &mut ferrograph_graph::Registry) {
    access::register(registry);
    count::register(registry);
}

/// Values of more bytes are copied while others may write.
const LONG_COPY: usize = 64 << 10;

/// How long a thread waits for another one's update at a time.
const PATIENCE: Duration = Duration::from_millis(1);

/// The state behind a variable.
#[derive(Debug)]
pub struct VariableCell {
    /// The variable's name.
    pub name: String,
    /// Dtype and declared shape: what may be assigned.
    pub spec: TensorSpec,
    /// Whether tapes watch reads of it by themselves.
    pub trainable: bool,
    /// Held for moments only: who waits for it may hold the host's lock.
    value: RwLock<Value>,
    /// Held while a function of the value is computed, which the host may interrupt to run code of its own.
    updating: ReentrantMutex<()>,
}

/// What a variable holds.
#[derive(Debug)]
enum Value {
    /// Nothing yet.
    None,
    /// That.
    Held(Tensor),
    /// A value that somebody updates in place, and gives back.
    Borrowed,
}

impl Object for VariableCell {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl VariableCell {
    /// A variable without a value yet.
    pub fn new(name: String, spec: TensorSpec, trainable: bool) -> VariableCell {
        VariableCell {
            name,
            spec,
            trainable,
            value: RwLock::new(Value::None),
            updating: ReentrantMutex::new(()),
        }
    }

    /// The value now.
    pub fn read(&self) -> Result<Tensor> {
        self.with_value(|value| Ok(value.clone()))
    }

    /// What a short function gives for the value.
    fn with_value<R>(&self, mut f: impl FnMut(&Tensor) -> Result<R>) -> Result<R> {
        loop {
            match &*self.value.read() {
                Value::Held(value) => return f(value),
                Value::None => return Err(self.uninitialised()),
                Value::Borrowed => {}
            }
            self.wait();
        }
    }

    /// Copies the bytes of the value, which is dense and of static shape.
    fn copy_to(&self, out: &mut [u8]) -> Result<()> {
        let is_long = out.len() > LONG_COPY;
        let mut copied = |value: &Tensor| {
            if value.bytes().len() != out.len() {
                bail!(Internal, "variable {} holds a {value:?}", self.name);
            }
            out.copy_from_slice(value.bytes());
            Ok(())
        };
        if is_long {
            return copied(&self.read()?);
        }
        self.with_value(copied)
    }

    fn uninitialised(&self) -> Error {
        err!(
            FailedPrecondition,
            "variable {} is not initialised",
            self.name
        )
    }

    /// Whether there is a value.
    pub fn is_initialised(&self) -> bool {
        !matches!(*self.value.read(), Value::None)
    }

    /// Replaces the value.
    pub fn write(&self, value: Tensor) -> Result<()> {
        self.check(&value)?;
        loop {
            let mut held = self.value.write();
            if !matches!(*held, Value::Borrowed) {
                *held = Value::Held(value);
                return Ok(());
            }
            drop(held);
            self.wait();
        }
    }

    /// Replaces the value by a function of it, with no other write in between: after one, the function is computed
    /// again.
    pub fn update(&self, f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<()> {
        let _turn = self.turn_to_update();
        loop {
            let old = self.read()?;
            let new = f(&old)?;
            self.check(&new)?;
            let mut held = self.value.write();
            if matches!(&*held, Value::Held(now) if now.shares_storage(&old)) {
                *held = Value::Held(new);
                return Ok(());
            }
        }
    }

    fn turn_to_update(&self) -> ReentrantMutexGuard<'_, ()> {
        loop {
            if let Some(turn) = self.updating.try_lock() {
                return turn;
            }
            while_waiting(&mut || drop(self.updating.try_lock_for(PATIENCE)));
        }
    }

    fn check(&self, value: &Tensor) -> Result<()> {
        if value.dtype() != self.spec.dtype {
            bail!(
                DType,
                "variable {} is {}, cannot hold a {} tensor",
                self.name,
                self.spec.dtype,
                value.dtype()
            );
        }
        if !PartialShape::from(value.shape()).is_subtype_of(&self.spec.shape) {
            bail!(
                Shape,
                "variable {} has shape {}, cannot hold shape {}",
                self.name,
                self.spec.shape,
                value.shape()
            );
        }
        Ok(())
    }

    /// The cell that a resource tensor refers to.
    pub fn of(handle: &Tensor) -> Result<&VariableCell> {
        let object = handle.as_object()?;
        object
            .as_any()
            .downcast_ref()
            .ok_or_else(|| err!(InvalidArgument, "the resource is no variable: {object:?}"))
    }
}
