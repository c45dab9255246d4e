//! The outputs of operations whose declarations say all of them.

use crate::{Attr, Attrs, Inputs, Kind, Op, Port, Specs};
use ferrograph_tensor::{DType, Error, PartialShape, Result, TensorSpec, err};

/// The specs of the outputs as the declaration gives them: each of a fixed dtype or of a type attribute's, of a fixed
/// rank or shaped like an input; lists of the types that attributes tell.
///
/// # Errors
/// `DType` where an input has not the dtype that an attribute says; `Shape` where one that an output is like has not its
/// declared rank.
pub(crate) fn declared_outputs(op: &dyn Op, inputs: &Inputs<'_>) -> Result<Specs> {
    let (decl, attrs) = (op.decl(), op.attrs());
    for i in 0..inputs.len() {
        if let Kind::Var(name, _) = decl.input(i, inputs.len()).kind
            && let Some(dtype) = dtype_in(&attrs, name)
        {
            inputs.expect_dtype(i, dtype)?;
        }
    }
    let mut specs = Specs::new();
    for port in decl.outputs {
        match port.kind {
            Kind::Each(name) => specs.extend(listed(op, &attrs, name)?),
            _ => specs.push(one(port, op, &attrs, inputs)?),
        }
    }
    Ok(specs)
}

/// The types that two attributes tell, dtypes and behind them shapes.
fn listed(op: &dyn Op, attrs: &Attrs, name: &str) -> Result<Vec<TensorSpec>> {
    let mut declared = op.decl().attrs.iter().skip_while(|attr| attr.name != name);
    let shapes = declared.nth(1).and_then(|attr| attrs.get(attr.name));
    let (Some(Attr::DTypes(dtypes)), Some(Attr::Shapes(shapes))) = (attrs.get(name), shapes) else {
        return Err(left_open(op, name));
    };
    let pairs = dtypes.iter().zip(shapes);
    Ok(pairs
        .map(|(&dtype, shape)| TensorSpec::new(dtype, shape.clone()))
        .collect())
}

fn one(port: &Port, op: &dyn Op, attrs: &Attrs, inputs: &Inputs<'_>) -> Result<TensorSpec> {
    match (dtype(port, op, attrs, inputs), shape(port, op, inputs)?) {
        (Some(dtype), Some(shape)) => Ok(TensorSpec::new(dtype, shape)),
        _ => Err(left_open(op, port.name)),
    }
}

fn left_open(op: &dyn Op, what: &str) -> Error {
    err!(Internal, "operation {} leaves {what} open", op.name())
}

fn dtype_in(attrs: &Attrs, name: &str) -> Option<DType> {
    match attrs.get(name) {
        Some(Attr::DType(dtype)) => Some(*dtype),
        _ => None,
    }
}

fn dtype(port: &Port, op: &dyn Op, attrs: &Attrs, inputs: &Inputs<'_>) -> Option<DType> {
    let name = match port.kind {
        Kind::Is(dtype) => return Some(dtype),
        Kind::Var(name, _) => name,
        _ => return None,
    };
    let same =
        |i: &usize| matches!(op.decl().input(*i, inputs.len()).kind, Kind::Var(n, _) if n == name);
    let of_input = (0..inputs.len()).find(same).map(|i| inputs.dtype(i));
    of_input.or_else(|| dtype_in(attrs, name))
}

/// The shape of an output; handles are scalars.
fn shape(port: &Port, op: &dyn Op, inputs: &Inputs<'_>) -> Result<Option<PartialShape>> {
    if let Some(name) = port.like {
        let at = op.decl().inputs.iter().position(|input| input.name == name);
        return at
            .map(|i| of_input(&op.decl().inputs[i], inputs.shape(i)))
            .transpose();
    }
    let is_handle = matches!(port.kind, Kind::Is(DType::Variant | DType::Resource));
    Ok(port
        .rank
        .or(is_handle.then_some(0))
        .map(PartialShape::of_rank))
}

fn of_input(port: &Port, shape: &PartialShape) -> Result<PartialShape> {
    match port.rank {
        Some(rank) => shape.merge(&PartialShape::of_rank(rank)),
        None => Ok(shape.clone()),
    }
}

#[cfg(test)]
#[allow(
    dead_code,
    reason = "declarations make emission and registration as well"
)]
mod tests {
    use super::*;
    use crate::{declare, declared};

    declare! {
        trait EmitTests;

        /// How long each of `text` is, and all of it.
        Lengths: lengths(text: string) -> (each: int32 like text, all: out rank 0), gradient Stops {
            /// The dtype of the sum.
            out: DType = DType::Int64,
        };

        /// `row` and `item`, and a list of them.
        Listed: listed(row: T in index rank 1, item: of) -> (first: T like row, list: variant), gradient Stops {
            /// The dtype of the item.
            of: DType,
        };

        /// What stands behind a handle.
        Held: held(handle: resource) -> (parts: [output_types]), gradient Stops {
            /// The types of the parts.
            parts as ("output_types", "output_shapes"): Vec<TensorSpec>,
        };

        /// A result of which the declaration does not say all.
        Open: open(x: T) -> (y: T), gradient Stops;
    }

    impl Op for Lengths {
        declared!();
    }
    impl Op for Listed {
        declared!();
    }
    impl Op for Held {
        declared!();
    }
    impl Op for Open {
        declared!();
    }

    fn spec(dtype: DType, shape: PartialShape) -> TensorSpec {
        TensorSpec::new(dtype, shape)
    }

    fn outputs(op: &dyn Op, inputs: &[TensorSpec]) -> Result<Specs> {
        op.specs(&Inputs::of_specs(inputs))
    }

    const LISTED: Listed = Listed { of: DType::Bool };

    #[test]
    fn dtypes_and_shapes_come_from_inputs_and_attributes() {
        let shape = PartialShape::from(&[2, 3][..]);
        let op = Lengths { out: DType::Int64 };
        let found = outputs(&op, &[spec(DType::String, shape.clone())]).unwrap();
        let expected = [spec(DType::Int32, shape), TensorSpec::scalar(DType::Int64)];
        assert_eq!(found[..], expected);
    }

    #[test]
    fn an_output_like_an_input_has_its_declared_rank() {
        let inputs = [DType::Int32, DType::Bool].map(|dtype| spec(dtype, PartialShape::UNKNOWN));
        let found = outputs(&LISTED, &inputs).unwrap();
        assert_eq!(found[0], spec(DType::Int32, PartialShape::of_rank(1)));
        assert_eq!(found[1], TensorSpec::scalar(DType::Variant));
    }

    #[test]
    fn an_input_has_the_dtype_that_an_attribute_says() {
        let inputs = [DType::Int32, DType::Int8].map(|dtype| spec(dtype, PartialShape::UNKNOWN));
        let refused = outputs(&LISTED, &inputs).unwrap_err().to_string();
        assert!(
            refused.contains("input #1 was expected to be a bool tensor"),
            "{refused}"
        );
    }

    #[test]
    fn lists_are_of_the_types_that_attributes_tell() {
        let parts = vec![
            TensorSpec::scalar(DType::Int8),
            spec(DType::Bool, PartialShape::of_rank(2)),
        ];
        let op = Held {
            parts: parts.clone(),
        };
        let found = outputs(&op, &[TensorSpec::scalar(DType::Resource)]).unwrap();
        assert_eq!(found[..], parts[..]);
    }

    #[test]
    fn what_a_declaration_leaves_open_is_said() {
        let refused = outputs(&Open, &[TensorSpec::scalar(DType::Int32)]).unwrap_err();
        assert!(
            refused.to_string().contains("operation Open leaves y open"),
            "{refused}"
        );
    }
}
