//! The parameters of a saved function.

use crate::structure::Structure;
use ferrograph_formats::messages::FunctionSpec;
use ferrograph_tensor::Result;

/// A parameter that has a name of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// What it is where a call leaves it out.
    pub default: Option<Structure>,
    /// Whether it is given by name alone.
    pub is_keyword: bool,
}

/// The parameters of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// Those with names of their own, in their order.
    pub named: Vec<Param>,
    /// What further arguments by position are called, where it takes any.
    pub rest: Option<String>,
    /// What further arguments by name are called, where it takes any.
    pub extra: Option<String>,
}

impl Params {
    /// The parameters that a message describes; any arguments where it does not. The instance of a method is left out.
    ///
    /// # Errors
    /// As [`Structure::of`].
    pub fn of(message: Option<&FunctionSpec>) -> Result<Params> {
        let Some(described) = message.and_then(|m| m.fullargspec.as_ref()) else {
            return Ok(Params {
                named: Vec::new(),
                rest: Some("args".into()),
                extra: Some("kwargs".into()),
            });
        };
        let spec = Structure::of(Some(described))?;
        let list = |key: &str| spec.get(key).map_or(&[][..], Structure::items);
        let text = |key: &str| match spec.get(key) {
            Some(Structure::Text(name)) => Some(name.clone()),
            _ => None,
        };
        let (names, defaults) = (list("args"), list("defaults"));
        let first = names.len().saturating_sub(defaults.len());
        let mut named = Vec::new();
        for (i, name) in names.iter().enumerate() {
            if let Structure::Text(name) = name
                && (i > 0 || name != "self")
            {
                let default = i.checked_sub(first).and_then(|i| defaults.get(i));
                named.push(Param {
                    name: name.clone(),
                    default: default.cloned(),
                    is_keyword: false,
                });
            }
        }
        for name in list("kwonlyargs") {
            if let Structure::Text(name) = name {
                let default = spec.get("kwonlydefaults").and_then(|d| d.get(name));
                named.push(Param {
                    name: name.clone(),
                    default: default.cloned(),
                    is_keyword: true,
                });
            }
        }
        Ok(Params {
            named,
            rest: text("varargs"),
            extra: text("varkw"),
        })
    }
}
