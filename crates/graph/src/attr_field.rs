//! Fields of operations: what one attribute tells, or two that belong together.

use crate::{Attr, AttrKind, AttrReader, AttrValue, Attrs, Branch};
use ferrograph_tensor::{Result, TensorSpec, bail, err};

/// A type that a field of an operation may have. Declarations name the attributes that tell it: one for a type of
/// [`AttrValue`], two for a pair.
pub trait AttrField: Sized {
    /// What kinds of attributes tell it, in the order of their names.
    const KINDS: &'static [AttrKind];

    /// These attributes with those that tell it, unless it is left out.
    fn write(&self, attrs: Attrs, names: &[&'static str]) -> Attrs;

    /// The value that the attributes of these names tell, else the default, else what the type says for missing ones.
    ///
    /// # Errors
    /// `Type` where one is of another kind, or missing without a default; `Value` where two do not fit.
    fn read_field(
        reader: &AttrReader<'_>,
        names: &[&'static str],
        default: Option<Self>,
    ) -> Result<Self>;
}

impl<T: AttrValue> AttrField for T {
    const KINDS: &'static [AttrKind] = &[T::KIND];

    fn write(&self, attrs: Attrs, names: &[&'static str]) -> Attrs {
        attrs.with_value(names[0], self)
    }

    fn read_field(
        reader: &AttrReader<'_>,
        names: &[&'static str],
        default: Option<T>,
    ) -> Result<T> {
        reader.get(names[0], default)
    }
}

/// A graph, and the operation's inputs that feed it.
impl AttrField for Branch {
    const KINDS: &'static [AttrKind] = &[AttrKind::Graph, AttrKind::Ints];

    fn write(&self, attrs: Attrs, names: &[&'static str]) -> Attrs {
        let inputs = self.inputs.iter().map(|&i| i64::from(i)).collect();
        attrs
            .with(names[0], Attr::Graph(self.graph.clone()))
            .with(names[1], Attr::Ints(inputs))
    }

    fn read_field(
        reader: &AttrReader<'_>,
        names: &[&'static str],
        _default: Option<Branch>,
    ) -> Result<Branch> {
        let (graph, inputs) = (reader.graph(names[0])?, reader.ints(names[1])?);
        if inputs.len() != graph.inputs.len() {
            bail!(
                Value,
                "graph {} takes {} inputs, {} holds {}",
                graph.name,
                graph.inputs.len(),
                names[1],
                inputs.len()
            );
        }
        let index =
            |i| u32::try_from(i).map_err(|_| err!(Value, "{} holds {i}, no input", names[1]));
        let inputs = inputs.into_iter().map(index).collect::<Result<_>>()?;
        Ok(Branch { graph, inputs })
    }
}

/// The types of values: their dtypes, and their shapes.
impl AttrField for Vec<TensorSpec> {
    const KINDS: &'static [AttrKind] = &[AttrKind::DTypes, AttrKind::Shapes];

    fn write(&self, attrs: Attrs, names: &[&'static str]) -> Attrs {
        let dtypes = self.iter().map(|spec| spec.dtype).collect();
        let shapes = self.iter().map(|spec| spec.shape.clone()).collect();
        attrs
            .with(names[0], Attr::DTypes(dtypes))
            .with(names[1], Attr::Shapes(shapes))
    }

    fn read_field(
        reader: &AttrReader<'_>,
        names: &[&'static str],
        _default: Option<Vec<TensorSpec>>,
    ) -> Result<Vec<TensorSpec>> {
        let (dtypes, shapes) = (reader.dtypes(names[0])?, reader.shapes(names[1])?);
        if dtypes.len() != shapes.len() {
            bail!(
                Value,
                "{} holds {} dtypes, {} holds {} shapes",
                names[0],
                dtypes.len(),
                names[1],
                shapes.len()
            );
        }
        let pairs = dtypes.into_iter().zip(shapes);
        Ok(pairs.map(|(d, s)| TensorSpec::new(d, s)).collect())
    }
}

/// Types of values that may be left out.
impl AttrField for Option<Vec<TensorSpec>> {
    const KINDS: &'static [AttrKind] = <Vec<TensorSpec> as AttrField>::KINDS;

    fn write(&self, attrs: Attrs, names: &[&'static str]) -> Attrs {
        match self {
            Some(specs) => specs.write(attrs, names),
            None => attrs,
        }
    }

    fn read_field(
        reader: &AttrReader<'_>,
        names: &[&'static str],
        _default: Option<Option<Vec<TensorSpec>>>,
    ) -> Result<Option<Vec<TensorSpec>>> {
        let given = reader.find(names[0]);
        let read = given.map(|_| AttrField::read_field(reader, names, None));
        read.transpose()
    }
}
