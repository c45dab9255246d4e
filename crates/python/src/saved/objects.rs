//! Objects as Python spells them: tuples that begin with what they are.

use super::structure::{dims_of, function_spec, shape_of, spec_of};
use ferrograph_formats::messages::{
    CapturedTensor, ObjectReference, SavedAsset, SavedBareConcreteFunction, SavedConstant,
    SavedFunction, SavedKind, SavedObject, SavedResource, SavedUserObject, SavedVariable,
    VersionDef,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// What an object is: a tuple that begins with the name of its kind.
fn kind_of(value: &Bound<'_, PyTuple>) -> PyResult<SavedKind> {
    let tag: String = value.get_item(0)?.extract()?;
    let at = |i| value.get_item(i);
    Ok(match &tag[..] {
        "user" => SavedKind::User(SavedUserObject {
            identifier: at(1)?.extract()?,
            metadata: at(2)?.extract()?,
            version: Some(VersionDef {
                producer: 1,
                min_consumer: 1,
            }),
        }),
        "asset" => SavedKind::Asset(SavedAsset {
            asset_file_def_index: at(1)?.extract()?,
        }),
        "function" => SavedKind::Function(SavedFunction {
            concrete_functions: at(1)?.extract()?,
            function_spec: Some(function_spec(&(at(2)?, at(3)?))?),
        }),
        "variable" => SavedKind::Variable(SavedVariable {
            name: at(1)?.extract()?,
            dtype: at(2)?.extract()?,
            shape: Some(shape_of(at(3)?.extract()?)),
            trainable: at(4)?.extract()?,
            synchronization: at(5)?.extract()?,
            aggregation: at(6)?.extract()?,
        }),
        "concrete" => SavedKind::Concrete(SavedBareConcreteFunction {
            concrete_function_name: at(1)?.extract()?,
            argument_keywords: at(2)?.extract()?,
            allowed_positional_arguments: at(3)?.extract()?,
            function_spec: Some(function_spec(&(at(4)?, at(5)?))?),
        }),
        "constant" => SavedKind::Constant(SavedConstant {
            operation: at(1)?.extract()?,
        }),
        "resource" => SavedKind::Resource(SavedResource {
            device: at(1)?.extract()?,
        }),
        "captured" => SavedKind::Captured(CapturedTensor {
            name: at(1)?.extract()?,
            concrete_function: at(2)?.extract()?,
        }),
        _ => return Err(PyTypeError::new_err(format!("no kind of object: {tag}"))),
    })
}

fn kind_spelt<'py>(py: Python<'py>, kind: Option<&SavedKind>) -> PyResult<Bound<'py, PyTuple>> {
    match kind {
        None => ("none",).into_pyobject(py),
        Some(SavedKind::User(x)) => ("user", &x.identifier, &x.metadata).into_pyobject(py),
        Some(SavedKind::Asset(x)) => ("asset", x.asset_file_def_index).into_pyobject(py),
        Some(SavedKind::Function(x)) => {
            let (arguments, signature) = spec_of(py, x.function_spec.as_ref())?;
            ("function", &x.concrete_functions, arguments, signature).into_pyobject(py)
        }
        Some(SavedKind::Variable(x)) => (
            "variable",
            &x.name,
            x.dtype,
            dims_of(x.shape.as_ref()),
            x.trainable,
            x.synchronization,
            x.aggregation,
        )
            .into_pyobject(py),
        Some(SavedKind::Concrete(x)) => {
            let (arguments, signature) = spec_of(py, x.function_spec.as_ref())?;
            (
                "concrete",
                &x.concrete_function_name,
                &x.argument_keywords,
                x.allowed_positional_arguments,
                arguments,
                signature,
            )
                .into_pyobject(py)
        }
        Some(SavedKind::Constant(x)) => ("constant", &x.operation).into_pyobject(py),
        Some(SavedKind::Resource(x)) => ("resource", &x.device).into_pyobject(py),
        Some(SavedKind::Captured(x)) => {
            ("captured", &x.name, &x.concrete_function).into_pyobject(py)
        }
    }
}

fn references(all: Vec<(i32, String)>) -> Vec<ObjectReference> {
    let reference = |(node_id, local_name)| ObjectReference {
        node_id,
        local_name,
    };
    all.into_iter().map(reference).collect()
}

/// The message of an object.
pub(super) fn message_of(
    (kind, children, before, registered_name): Object<'_>,
) -> PyResult<SavedObject> {
    Ok(SavedObject {
        kind: Some(kind_of(&kind)?),
        children: references(children),
        dependencies: references(before),
        registered_name,
    })
}

/// The object of a message.
pub(super) fn object_of<'py>(py: Python<'py>, node: &SavedObject) -> PyResult<Object<'py>> {
    let pairs = |all: &[ObjectReference]| -> Vec<(i32, String)> {
        let pair = |c: &ObjectReference| (c.node_id, c.local_name.clone());
        all.iter().map(pair).collect()
    };
    let kind = kind_spelt(py, node.kind.as_ref())?;
    let (children, before) = (pairs(&node.children), pairs(&node.dependencies));
    Ok((kind, children, before, node.registered_name.clone()))
}

/// An object: what it is, its children by number and name, what must be there before it is, the name of its class.
pub(super) type Object<'py> = (
    Bound<'py, PyTuple>,
    Vec<(i32, String)>,
    Vec<(i32, String)>,
    String,
);

/// What surrounds a function: its name, the objects bound to it, the structures of its arguments and of its result.
pub(super) type Concrete<'py> = (String, Vec<i32>, Bound<'py, PyAny>, Bound<'py, PyAny>);
