//! Results of functions, in their structure.

use crate::error::Result;
use crate::value::Value;
use ferrograph_saved::Structure;
use ferrograph_tensor::err;

/// What a function gave.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Output {
    /// A tensor.
    Tensor(Value),
    /// The tensors of a ragged or sparse tensor, by their names.
    Parts(Vec<(String, Value)>),
    /// `None`.
    None,
    /// A list or tuple.
    List(Vec<Output>),
    /// A dictionary or a tuple with names.
    Dict(Vec<(String, Output)>),
}

impl Output {
    /// A result in its structure, whose tensors are those next.
    pub(crate) fn of(
        structure: &Structure,
        next: &mut impl Iterator<Item = Value>,
    ) -> ferrograph_tensor::Result<Output> {
        let mut tensor = || {
            let found = next.next();
            found.ok_or_else(|| err!(Internal, "a function gave too few tensors"))
        };
        Ok(match structure {
            Structure::Tensor(..) => Output::Tensor(tensor()?),
            Structure::Composite(c) => {
                let parts = c
                    .parts
                    .iter()
                    .map(|(name, _)| Ok((name.clone(), tensor()?)));
                Output::Parts(parts.collect::<ferrograph_tensor::Result<_>>()?)
            }
            Structure::None => Output::None,
            Structure::List(all) | Structure::Tuple(all) => {
                let all = all.iter().map(|part| Output::of(part, next));
                Output::List(all.collect::<ferrograph_tensor::Result<_>>()?)
            }
            Structure::Dict(all) | Structure::Named(_, all) => {
                let all = all
                    .iter()
                    .map(|(key, part)| Ok((key.clone(), Output::of(part, next)?)));
                Output::Dict(all.collect::<ferrograph_tensor::Result<_>>()?)
            }
            other => {
                return Err(err!(
                    Value,
                    "the result of a saved function holds {other}, which is no tensor"
                ));
            }
        })
    }

    /// The tensor that it is.
    ///
    /// # Errors
    /// `InvalidArgument` where it is something else.
    pub fn tensor(&self) -> Result<&Value> {
        match self {
            Output::Tensor(value) => Ok(value),
            _ => Err(err!(InvalidArgument, "the result is no single tensor: {self:?}").into()),
        }
    }

    /// The part at that place of a list or tuple.
    ///
    /// # Errors
    /// `InvalidArgument` where it is something else, or shorter.
    pub fn at(&self, place: usize) -> Result<&Output> {
        let found = match self {
            Output::List(all) => all.get(place),
            _ => None,
        };
        let missing = || err!(InvalidArgument, "the result has no part {place}: {self:?}");
        Ok(found.ok_or_else(missing)?)
    }

    /// The part under that key of a dictionary or a tuple with names.
    ///
    /// # Errors
    /// `InvalidArgument` where it is something else, or has no such key.
    pub fn get(&self, key: &str) -> Result<&Output> {
        let found = match self {
            Output::Dict(all) => all.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        };
        let missing = || err!(InvalidArgument, "the result has no part {key:?}: {self:?}");
        Ok(found.ok_or_else(missing)?)
    }

    /// The part of that name of a ragged or sparse tensor.
    ///
    /// # Errors
    /// `InvalidArgument` where it is something else, or has no such part.
    pub fn part(&self, name: &str) -> Result<&Value> {
        let found = match self {
            Output::Parts(all) => all.iter().find(|(k, _)| k == name).map(|(_, v)| v),
            _ => None,
        };
        let missing = || err!(InvalidArgument, "the result has no part {name:?}: {self:?}");
        Ok(found.ok_or_else(missing)?)
    }
}
