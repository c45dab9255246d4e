//! What operations that make datasets have in common.

use crate::dataset::{DatasetHandle, DatasetRef};
use ferrograph_graph::{
    AttrReader, Attrs, Differentiability, Graph, Inputs, Op, OpRef, Region, Registry, Runner,
    Specs, Tensors, op_object,
};
use ferrograph_ops::{read_specs, specs_attrs};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail, err};
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::sync::Arc;

/// The part of a dataset operation that is its own: its fields are its attributes.
pub(crate) trait Maker: fmt::Debug + Send + Sync + Sized + 'static {
    /// The name in the public GraphDef vocabulary.
    const NAME: &'static str;
    /// The kinds of the leading inputs. What follows is `rest`.
    const INPUTS: &'static [Kind];
    /// Whether further inputs may follow: components, states, or what a function captured.
    const REST: bool = false;

    /// Reads its attributes.
    fn read(a: &AttrReader<'_>) -> Result<Self>;

    /// Its attributes.
    fn attrs(&self) -> Attrs {
        Attrs::new()
    }

    /// The dataset of these inputs.
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef>;

    /// The functions it applies.
    fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        SmallVec::new()
    }
}

/// What an input has to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A dataset.
    Dataset,
    /// A scalar int64.
    Int,
    /// A scalar bool.
    Bool,
}

impl Kind {
    fn dtype(self) -> DType {
        match self {
            Kind::Dataset => DType::Variant,
            Kind::Int => DType::Int64,
            Kind::Bool => DType::Bool,
        }
    }
}

/// An operation that makes a dataset.
#[derive(Debug)]
pub(crate) struct DatasetOp<M> {
    maker: M,
    specs: Arc<[TensorSpec]>,
}

impl<M: Maker> Op for DatasetOp<M> {
    op_object!();
    fn name(&self) -> &'static str {
        M::NAME
    }
    fn attrs(&self) -> Attrs {
        specs_attrs(self.maker.attrs(), &self.specs)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n = M::INPUTS.len();
        if inputs.len() < n || (!M::REST && inputs.len() > n) {
            bail!(Type, "expected {n} inputs, got {}", inputs.len());
        }
        for (i, kind) in M::INPUTS.iter().enumerate() {
            inputs.expect_dtype(i, kind.dtype())?;
        }
        Ok(smallvec![TensorSpec::scalar(DType::Variant)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let handle = DatasetHandle {
            dataset: self.maker.make(inputs)?,
            specs: self.specs.clone(),
        };
        Ok(smallvec![handle.into_tensor()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
    fn regions(&self) -> SmallVec<[Region<'_>; 2]> {
        (self.maker.functions().into_iter())
            .map(Region::function)
            .collect()
    }
}

fn construct<M: Maker>(a: &AttrReader<'_>) -> Result<OpRef> {
    Ok(Arc::new(DatasetOp {
        maker: M::read(a)?,
        specs: element_specs(a)?.into(),
    }))
}

/// Adds the operation of a maker.
pub(crate) fn add<M: Maker>(r: &mut Registry) {
    r.add(M::NAME, construct::<M>);
}

/// The types of the components that an operation's attributes tell.
pub(crate) fn element_specs(a: &AttrReader<'_>) -> Result<Vec<TensorSpec>> {
    read_specs(a, "output_types", "output_shapes")
}

/// A dataset operation of that maker, for bindings whose attributes are host objects.
pub(crate) fn dataset_op<M: Maker>(maker: M, specs: Vec<TensorSpec>) -> OpRef {
    Arc::new(DatasetOp {
        maker,
        specs: specs.into(),
    })
}

/// The scalar int64 in a tensor.
pub(crate) fn int(t: &Tensor) -> Result<i64> {
    t.item::<i64>()
}

/// A scalar int64 that has to be positive.
pub(crate) fn positive(t: &Tensor, what: &str) -> Result<usize> {
    let n = int(t)?;
    match usize::try_from(n) {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(err!(InvalidArgument, "{what} must be positive, got {n}")),
    }
}

/// A scalar int64 as a count, `None` where it is negative.
pub(crate) fn count(t: &Tensor) -> Result<Option<u64>> {
    Ok(u64::try_from(int(t)?).ok())
}

/// Whether the tensors have these dtypes and shapes that fit.
pub(crate) fn check_element(specs: &[TensorSpec], element: &[Tensor]) -> Result<()> {
    if specs.len() != element.len() {
        bail!(
            InvalidArgument,
            "an element has {} components, expected {}",
            element.len(),
            specs.len()
        );
    }
    for (i, (spec, t)) in specs.iter().zip(element).enumerate() {
        let fits = spec.dtype == t.dtype()
            && match spec.shape.dims() {
                None => true,
                Some(dims) => {
                    dims.len() == t.rank()
                        && dims
                            .iter()
                            .zip(t.shape().iter())
                            .all(|(d, n)| d.known().is_none_or(|d| d == *n))
                }
            };
        if !fits {
            bail!(
                InvalidArgument,
                "component {i} of an element is {}, expected {spec}",
                t.spec()
            );
        }
    }
    Ok(())
}
