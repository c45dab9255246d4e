//! From names to operations.

use crate::{Attr, AttrReader, Decl, Declared, OpRef};
use ferrograph_tensor::{Result, err};
use hashbrown::HashMap;
use std::sync::Arc;

/// Makes an operation from its attributes.
pub type Constructor = fn(&AttrReader<'_>) -> Result<OpRef>;

/// The operations by their public names.
#[derive(Default)]
pub struct Registry {
    rows: HashMap<&'static str, (&'static Decl, Constructor)>,
}

impl Registry {
    /// A registry without operations.
    pub fn new() -> Registry {
        Registry::default()
    }

    /// Adds an operation by its declaration, under both names where it has two.
    ///
    /// # Panics
    /// Where the name is taken.
    pub fn declare<T: Declared>(&mut self) {
        for decl in [Some(T::DECL), T::PURE].into_iter().flatten() {
            self.row(decl, |attrs| Ok(Arc::new(T::from_attrs(attrs)?)));
        }
    }

    /// Adds an operation of this declaration, made by that constructor.
    ///
    /// # Panics
    /// Where the name is taken.
    pub fn row(&mut self, decl: &'static Decl, constructor: Constructor) {
        let old = self.rows.insert(decl.name, (decl, constructor));
        assert!(old.is_none(), "operation {} is registered twice", decl.name);
    }

    /// What is declared of the operation of that name.
    pub fn decl(&self, name: &str) -> Option<&'static Decl> {
        self.rows.get(name).map(|(decl, _)| *decl)
    }

    /// The operation of that name with these attributes.
    ///
    /// # Errors
    /// `NotFound` for another name; where the attributes are not those that are declared.
    pub fn make(&self, name: &str, attrs: &[(String, Attr)]) -> Result<OpRef> {
        let (decl, constructor) = self
            .rows
            .get(name)
            .ok_or_else(|| err!(NotFound, "there is no operation {name}"))?;
        decl.check_attrs(attrs)?;
        constructor(&AttrReader::new(name, attrs))
    }

    /// The names of all operations, sorted.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.rows.keys().copied().collect();
        names.sort_unstable();
        names
    }
}
