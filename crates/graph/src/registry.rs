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
    constructors: HashMap<&'static str, Constructor>,
    decls: HashMap<&'static str, &'static Decl>,
}

impl Registry {
    /// A registry without operations.
    pub fn new() -> Registry {
        Registry::default()
    }

    /// Adds an operation.
    ///
    /// # Panics
    /// Where the name is taken.
    pub fn add(&mut self, name: &'static str, constructor: Constructor) {
        let old = self.constructors.insert(name, constructor);
        assert!(old.is_none(), "operation {name} is registered twice");
    }

    /// Adds an operation by its declaration.
    ///
    /// # Panics
    /// Where the name is taken.
    pub fn declare<T: Declared>(&mut self) {
        self.row(T::DECL, |attrs| Ok(Arc::new(T::from_attrs(attrs)?)));
    }

    /// Adds an operation of this declaration, made by that constructor.
    ///
    /// # Panics
    /// Where the name is taken.
    pub fn row(&mut self, decl: &'static Decl, constructor: Constructor) {
        self.add(decl.name, constructor);
        self.decls.insert(decl.name, decl);
    }

    /// What is declared of the operation of that name.
    pub fn decl(&self, name: &str) -> Option<&'static Decl> {
        self.decls.get(name).copied()
    }

    /// The operation of that name with these attributes.
    pub fn make(&self, name: &str, attrs: &[(String, Attr)]) -> Result<OpRef> {
        let constructor = self
            .constructors
            .get(name)
            .ok_or_else(|| err!(NotFound, "there is no operation {name}"))?;
        if let Some(decl) = self.decl(name) {
            decl.check_attrs(attrs)?;
        }
        constructor(&AttrReader::new(name, attrs))
    }

    /// The names of all operations, sorted.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.constructors.keys().copied().collect();
        names.sort_unstable();
        names
    }
}
