//! What operations that make datasets have in common.

use crate::dataset::DatasetRef;
use ferrograph_graph::{Declared, Graph};
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail, err};
use smallvec::SmallVec;
use std::sync::Arc;

/// The part of a dataset operation that is its own beside its declaration.
pub(crate) trait Maker: Declared {
    /// The dataset of these inputs.
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef>;

    /// The functions it applies.
    fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        SmallVec::new()
    }

    /// Checks its attributes.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// Declares operations that make datasets, which have a variant for output and the types of the components of elements
/// for last attributes; what each makes is its [`Maker`].
macro_rules! datasets {
    (
        trait $emits:ident;
        $(
            $(#[doc = $doc:literal])*
            $op:ident: $method:ident $inputs:tt { $($attrs:tt)* };
        )*
    ) => {
        ::ferrograph_graph::declare! {
            trait $emits;
            $(
                $(#[doc = $doc])*
                $op: $method $inputs -> (handle: variant), gradient Stops {
                    $($attrs)*
                    /// The types of the components of an element.
                    element as ("output_types", "output_shapes"): Vec<::ferrograph_tensor::TensorSpec>,
                };
            )*
        }

        $(
            impl ::ferrograph_graph::Op for $op {
                ::ferrograph_graph::declared!();
                fn infer(
                    &self,
                    _inputs: &::ferrograph_graph::Inputs<'_>,
                ) -> ::ferrograph_tensor::Result<::ferrograph_graph::Specs> {
                    $crate::op::Maker::check(self)?;
                    let handle =
                        ::ferrograph_tensor::TensorSpec::scalar(::ferrograph_tensor::DType::Variant);
                    Ok(::smallvec::smallvec![handle])
                }
                fn eval(
                    &self,
                    _runner: &dyn ::ferrograph_graph::Runner,
                    inputs: &[::ferrograph_tensor::Tensor],
                ) -> ::ferrograph_tensor::Result<::ferrograph_graph::Tensors> {
                    let dataset = $crate::op::Maker::make(self, inputs)?;
                    let specs = self.element.clone().into();
                    let handle = $crate::dataset::DatasetHandle::over(dataset, specs, inputs)?;
                    Ok(::smallvec::smallvec![handle.into_tensor()])
                }
                fn regions(&self) -> ::smallvec::SmallVec<[::ferrograph_graph::Region<'_>; 2]> {
                    let functions = $crate::op::Maker::functions(self).into_iter();
                    functions.map(::ferrograph_graph::Region::function).collect()
                }
            }
        )*
    };
}
pub(crate) use datasets;

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
        if spec.dtype != t.dtype() || !spec.shape.accepts(t.shape()) {
            bail!(
                InvalidArgument,
                "component {i} of an element is {}, expected {spec}",
                t.spec()
            );
        }
    }
    Ok(())
}
