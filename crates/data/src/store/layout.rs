//! How the components of elements are laid out in records: which tensors make up what one record holds.
//!
//! A layout is written as a text: `t` for a tensor, `r2` for a ragged tensor with two partitioned axes, `s` for a sparse
//! tensor, `o(...)` for an optional of such.

use super::composite;
use super::file::{Reader, within};
use crate::optional::OptionalValue;
use ferrograph_formats::messages::{StoredTensor, put_tensor, put_variants, variant_message};
use ferrograph_graph::Tensors;
use ferrograph_tensor::{DType, Error, ErrorKind, Result, Tensor, TensorSpec, bail, err};

/// What one record holds.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Tensor,
    /// A ragged tensor of so many partitioned axes: its values, and the splits of each axis from the first one on.
    Ragged(usize),
    /// A sparse tensor: its indices, values and dense shape.
    Sparse,
    /// An optional of components.
    Optional(Vec<Kind>),
}

/// What the records of an element hold, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Layout(Vec<Kind>);

/// How many optionals may be within one another.
const MAX_DEPTH: usize = 32;
/// What optionals are called.
const OPTIONAL: &str = "tensorflow::data::Optional";

impl Kind {
    /// How many tensors of an element it covers.
    fn n_tensors(&self) -> usize {
        match self {
            Kind::Tensor | Kind::Optional(_) => 1,
            Kind::Ragged(rank) => rank + 1,
            Kind::Sparse => 3,
        }
    }
}

impl Layout {
    /// The layout of that text; without one each of so many tensors is a component.
    ///
    /// # Errors
    /// `InvalidArgument` for a text that is none, or covers another number of tensors.
    pub(super) fn of(text: &str, n_tensors: usize) -> Result<Layout> {
        if text.is_empty() {
            return Ok(Layout(vec![Kind::Tensor; n_tensors]));
        }
        let mut rest = text;
        let kinds = kinds(&mut rest, 0).filter(|_| rest.is_empty());
        let kinds = kinds.ok_or_else(|| err!(InvalidArgument, "{text:?} is no layout"))?;
        if n_tensors_of(&kinds) != Some(n_tensors) {
            bail!(
                InvalidArgument,
                "the layout {text:?} is not that of {n_tensors} tensors"
            );
        }
        Ok(Layout(kinds))
    }

    /// The numbers of the dtypes of the records of elements of these types.
    pub(super) fn dtypes(&self, specs: &[TensorSpec]) -> Vec<i32> {
        let (mut rest, mut codes) = (specs, Vec::new());
        for kind in &self.0 {
            let Some((own, others)) = rest.split_at_checked(kind.n_tensors()) else {
                break;
            };
            let dtype = match kind {
                Kind::Tensor => own[0].dtype,
                _ => DType::Variant,
            };
            codes.push(dtype.graphdef_code());
            rest = others;
        }
        codes
    }

    /// Gives the records of an element, each written into `record`.
    pub(super) fn write(
        &self,
        element: &[Tensor],
        record: &mut Vec<u8>,
        mut put: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut rest = element;
        for (i, kind) in self.0.iter().enumerate() {
            let own = taken(&mut rest, kind.n_tensors())?;
            record.clear();
            write_kind(kind, own, record).map_err(|e| of_component(i, &e))?;
            put(record)?;
        }
        if self.0.is_empty() {
            // An element without components has a record all the same, so that it can be counted.
            put(&[])?;
        }
        Ok(())
    }

    /// Reads the next element, of these types; nothing at the end of the file, or where `ends` says so of the record that
    /// comes next.
    ///
    /// # Errors
    /// `DataLoss` for records that are malformed, or too few; `InvalidArgument` for those of another type;
    /// `Unimplemented` for those that there is nothing for here.
    pub(super) fn read(
        &self,
        reader: &mut Reader,
        specs: &[TensorSpec],
        mut ends: impl FnMut(&[u8]) -> bool,
    ) -> Result<Option<Tensors>> {
        let (mut rest, mut element) = (specs, Tensors::new());
        for i in 0..self.0.len().max(1) {
            let Some(record) = reader.next()? else {
                return match i {
                    0 => Ok(None),
                    _ => Err(within(
                        reader.path(),
                        &err!(DataLoss, "the last element has {i} components"),
                    )),
                };
            };
            if i == 0 && ends(record) {
                return Ok(None);
            }
            let read = match self.0.get(i) {
                Some(kind) => taken(&mut rest, kind.n_tensors())
                    .and_then(|own| read_kind(kind, own, record, &mut element)),
                None if record.is_empty() => Ok(()),
                None => Err(err!(InvalidArgument, "the elements have components")),
            };
            read.map_err(|e| within(reader.path(), &of_component(i, &e)))?;
        }
        Ok(Some(element))
    }
}

/// How many tensors kinds cover.
fn n_tensors_of(kinds: &[Kind]) -> Option<usize> {
    let sum = |n: usize, kind: &Kind| n.checked_add(kind.n_tensors());
    kinds.iter().try_fold(0, sum)
}

/// Takes the kinds off the front of a text, up to its end or a closing parenthesis.
fn kinds(text: &mut &str, depth: usize) -> Option<Vec<Kind>> {
    let mut all = Vec::new();
    while let Some(kind) = text.chars().next() {
        let rest = &text[kind.len_utf8()..];
        match kind {
            't' => {
                all.push(Kind::Tensor);
                *text = rest;
            }
            's' => {
                all.push(Kind::Sparse);
                *text = rest;
            }
            'r' => {
                let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let (rank, rest) = rest.split_at(n_digits);
                all.push(Kind::Ragged(rank.parse::<u8>().ok()?.into()));
                *text = rest;
            }
            'o' if depth < MAX_DEPTH => {
                *text = rest.strip_prefix('(')?;
                all.push(Kind::Optional(kinds(text, depth + 1)?));
                *text = text.strip_prefix(')')?;
            }
            ')' => break,
            _ => return None,
        }
    }
    Some(all)
}

/// Takes the next `n` off the front.
fn taken<'a, T>(rest: &mut &'a [T], n: usize) -> Result<&'a [T]> {
    let (taken, behind) = rest
        .split_at_checked(n)
        .ok_or_else(|| err!(Internal, "an element has fewer tensors than its layout"))?;
    *rest = behind;
    Ok(taken)
}

/// An error in a component of an element.
fn of_component(i: usize, e: &Error) -> Error {
    Error::new(
        e.kind(),
        format!("component {i} of an element {}", e.message()),
    )
}

fn write_kind(kind: &Kind, tensors: &[Tensor], to: &mut Vec<u8>) -> Result<()> {
    match kind {
        Kind::Tensor => {
            let dtype = tensors[0].dtype();
            if dtype != DType::String && !dtype.is_dense() {
                bail!(
                    Unimplemented,
                    "is a {dtype}, which cannot be kept in a file: keep the tensors that it is made of"
                );
            }
            put_tensor(&tensors[0], to)?;
        }
        Kind::Ragged(_) => composite::write_ragged(tensors, to)?,
        Kind::Sparse => composite::write_sparse(tensors, to)?,
        Kind::Optional(kinds) => {
            let one = match &OptionalValue::of(&tensors[0])?.value {
                Some(value) => variant_message(OPTIONAL, &[1], &messages(kinds, value)?),
                None => variant_message(OPTIONAL, &[0], &[]),
            };
            put_variants(&[], &[one], to);
        }
    }
    Ok(())
}

/// The message of each component of the value of an optional.
fn messages(kinds: &[Kind], value: &[Tensor]) -> Result<Vec<Vec<u8>>> {
    let mut rest = value;
    let message = |kind: &Kind| {
        let mut to = Vec::new();
        write_kind(kind, taken(&mut rest, kind.n_tensors())?, &mut to)?;
        Ok(to)
    };
    kinds.iter().map(message).collect()
}

fn read_kind(kind: &Kind, specs: &[TensorSpec], record: &[u8], to: &mut Tensors) -> Result<()> {
    let message = StoredTensor::read(record).map_err(|e| malformed(&e))?;
    let is_variant = message.dtype() == DType::Variant.graphdef_code();
    if *kind == Kind::Tensor {
        if is_variant {
            return Err(other_kind(&message, specs.first()));
        }
        to.push(message.tensor().map_err(|e| malformed(&e))?);
        return Ok(());
    }
    if !is_variant {
        bail!(
            InvalidArgument,
            "is a tensor of {}, expected a value kept as a variant",
            dtype_name(message.dtype())
        );
    }
    match kind {
        Kind::Tensor => {}
        Kind::Ragged(rank) => composite::read_ragged(&message, *rank, specs, to)?,
        Kind::Sparse => composite::read_sparse(&message, specs, to)?,
        Kind::Optional(kinds) => to.push(read_optional(kinds, &message)?),
    }
    Ok(())
}

/// What a dtype of that public number is called.
fn dtype_name(code: i32) -> String {
    DType::from_graphdef_code(code)
        .map_or_else(|| format!("dtype number {code}"), |dtype| dtype.to_string())
}

fn read_optional(kinds: &[Kind], message: &StoredTensor<'_>) -> Result<Tensor> {
    let [one] = &composite::variants_of(message, OPTIONAL)?[..] else {
        bail!(
            Unimplemented,
            "is a stack of optionals, which are not read here: save one an element"
        );
    };
    let value = match one.metadata {
        [0] if one.tensors.is_empty() => None,
        [1] if one.tensors.len() == kinds.len() => {
            let mut value = Tensors::new();
            for (kind, record) in kinds.iter().zip(&one.tensors) {
                read_kind(kind, &[], record, &mut value)?;
            }
            Some(value)
        }
        _ => bail!(DataLoss, "is malformed: an optional is not whole"),
    };
    Ok(OptionalValue::new(value)?.into_tensor())
}

/// That a variant stands where a tensor was expected, or one that nothing here reads.
fn other_kind(message: &StoredTensor<'_>, expected: Option<&TensorSpec>) -> Error {
    let name = match message.variants() {
        Ok(all) => all
            .first()
            .map(|one| String::from_utf8_lossy(one.kind).into_owned()),
        Err(e) => return malformed(&e),
    };
    let name = name.unwrap_or_else(|| "variant".to_owned());
    match expected {
        Some(spec) if spec.dtype != DType::Variant => {
            err!(InvalidArgument, "is a {name}, expected {spec}")
        }
        _ => err!(
            Unimplemented,
            "is a {name}, which is not read here: save the tensors that it is made of in its place"
        ),
    }
}

/// That a record is damaged, unless the error is of something that is not supported.
pub(super) fn malformed(e: &Error) -> Error {
    match e.kind() {
        ErrorKind::Unimplemented => err!(Unimplemented, "can't be read: {}", e.message()),
        _ => err!(DataLoss, "is malformed: {}", e.message()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_layouts() {
        assert_eq!(Layout::of("", 2).unwrap(), Layout(vec![Kind::Tensor; 2]));
        let expected = vec![
            Kind::Ragged(12),
            Kind::Tensor,
            Kind::Sparse,
            Kind::Optional(vec![Kind::Ragged(0), Kind::Optional(vec![])]),
        ];
        assert_eq!(Layout::of("r12tso(r0o())", 18).unwrap(), Layout(expected));
        for text in ["r", "r999", "x", "o", "o(", "o(t", "t)", ")", "é", "tt"] {
            assert!(Layout::of(text, 1).is_err(), "{text}");
        }
        let deep = format!("{}{}", "o(".repeat(1 << 16), ")".repeat(1 << 16));
        assert!(Layout::of(&deep, 1).is_err());
    }
}
