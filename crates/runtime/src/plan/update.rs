//! Fused steps that update variables in place.

use super::PlanRunner;
use super::tiled::Tiled;
use ferrograph_graph::{OpRef, Operands, Runner};
use ferrograph_kernels::stop::undisturbed;
use ferrograph_ops::{BorrowedValues, Held, VariableCell};
use ferrograph_tensor::{DType, Origin, Result, Shape, Tensor, bail, err};
use std::sync::Arc;

/// Computes on operands and on the variables that these tensors refer to.
pub(crate) type UpdateKernel =
    Box<dyn Fn(&[&Tensor], &mut Operands<'_>) -> Result<()> + Send + Sync>;

/// What one of the fused operations takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// That input of the step.
    Input(usize),
    /// The handle of that variable.
    Variable(usize),
    /// What that operation made.
    Made(usize),
}

/// One of the fused operations.
pub(crate) struct Single {
    pub op: OpRef,
    /// The shape that the input is given, which is all there is to do.
    pub alias: Option<Shape>,
    pub ins: Box<[Source]>,
    pub origin: Option<Arc<Origin>>,
}

/// Fused steps that read and change variables, in program order for each element. Variables of which two are one are
/// as good as others, for what they hold is in one place.
pub(crate) struct Update {
    pub tiled: Tiled,
    pub held: Vec<Held>,
    /// The operations, for variables that do not hold what they must.
    pub singles: Vec<Single>,
    /// The types of the inputs, and which operations make the outputs.
    pub inputs: Vec<(DType, Shape)>,
    pub outputs: Vec<usize>,
}

impl Update {
    /// The kernel of the fused step.
    pub fn into_kernel(self) -> UpdateKernel {
        Box::new(move |handles, o| self.run(handles, o))
    }

    fn run(&self, handles: &[&Tensor], o: &mut Operands<'_>) -> Result<()> {
        let cells = handles.iter().map(|handle| VariableCell::of(handle));
        let cells = cells.collect::<Result<Vec<_>>>()?;
        let variables: Vec<_> = cells.into_iter().zip(&self.held).collect();
        let Some(mut borrowed) = BorrowedValues::of(&variables)? else {
            return self.one_by_one(handles, o);
        };
        let places = borrowed.places(&variables);
        undisturbed(|| self.tiled.run(o, &places))
    }

    /// Runs each operation on whole tensors, as far as the first that fails.
    fn one_by_one(&self, handles: &[&Tensor], o: &mut Operands<'_>) -> Result<()> {
        let inputs = self.inputs.iter().enumerate();
        let inputs = inputs.map(|(i, (dtype, shape))| copied(*dtype, shape, o.input_bytes(i)));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        let mut made: Vec<Option<Tensor>> = Vec::with_capacity(self.singles.len());
        for single in &self.singles {
            let source = |source: &Source| match *source {
                Source::Input(i) => Ok(inputs[i].clone()),
                Source::Variable(i) => Ok(handles[i].clone()),
                Source::Made(i) => made[i].clone().ok_or_else(nothing),
            };
            let taken = single.ins.iter().map(source).collect::<Result<Vec<_>>>()?;
            made.push(single.run(&taken)?);
        }
        for (i, &single) in self.outputs.iter().enumerate() {
            let value = made[single].as_ref().ok_or_else(nothing)?;
            let out = o.output_bytes(i);
            if value.bytes().len() != out.len() {
                bail!(
                    InvalidArgument,
                    "a result of shape {} is not what the program asserted",
                    value.shape()
                );
            }
            out.copy_from_slice(value.bytes());
        }
        Ok(())
    }
}

impl Single {
    fn run(&self, taken: &[Tensor]) -> Result<Option<Tensor>> {
        if let (Some(shape), [value]) = (&self.alias, taken) {
            return value.reshaped(shape.clone()).map(Some);
        }
        let results = self.op.eval(&PlanRunner as &dyn Runner, taken);
        let results = results.map_err(|e| e.in_op(self.op.name()).at(self.origin.as_ref()))?;
        Ok(results.into_iter().next())
    }
}

fn nothing() -> ferrograph_tensor::Error {
    err!(Internal, "a fused operation makes nothing")
}

fn copied(dtype: DType, shape: &Shape, bytes: &[u8]) -> Result<Tensor> {
    let mut tensor = Tensor::empty(dtype, shape.clone())?;
    let fresh = tensor.bytes_mut();
    let fresh = fresh.ok_or_else(|| err!(Internal, "a fresh tensor is shared"))?;
    fresh.copy_from_slice(bytes);
    Ok(tensor)
}
