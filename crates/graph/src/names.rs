//! Names of nodes, unique in a graph.

use hashbrown::{HashMap, TryReserveError};
use std::fmt::Write;
use std::sync::Arc;

/// The names in use. A name is a hint that was free, or a hint, an underscore and a number from 1 on; of the latter only
/// the greatest number is kept.
#[derive(Default)]
pub(crate) struct Names {
    /// Hints and the last number given to each.
    hints: HashMap<Arc<str>, u32>,
    /// Whether a hint itself ends in an underscore and a number.
    has_numbered: bool,
    /// What names are written into.
    scratch: String,
}

impl Names {
    /// The names of a graph.
    pub fn of<'a>(names: impl Iterator<Item = &'a Arc<str>>) -> Names {
        Names {
            hints: names.map(|name| (name.clone(), 0)).collect(),
            has_numbered: true,
            scratch: String::new(),
        }
    }

    /// Takes memory for one more name.
    ///
    /// # Errors
    /// Where there is none.
    pub fn try_reserve(&mut self) -> Result<(), TryReserveError> {
        self.hints.try_reserve(1)
    }

    /// A name not used yet: the prefix and the hint, or these with the next free number.
    pub fn unique(&mut self, prefix: &str, hint: &str) -> Arc<str> {
        self.scratch.clear();
        self.scratch.push_str(prefix);
        self.scratch.push_str(hint);
        if let Some(last) = self.hints.get_mut(&*self.scratch) {
            let (mut number, base) = (*last, self.scratch.len());
            loop {
                number += 1;
                self.scratch.truncate(base);
                write_numbered(&mut self.scratch, number);
                if !(self.has_numbered && self.hints.contains_key(&*self.scratch)) {
                    break;
                }
            }
            let name: Arc<str> = (&*self.scratch).into();
            self.scratch.truncate(base);
            if let Some(last) = self.hints.get_mut(&*self.scratch) {
                *last = number;
            }
            return name;
        }
        let is_numbered = numbered(&self.scratch);
        let name: Arc<str> = (&*self.scratch).into();
        self.has_numbered |= is_numbered.is_some();
        self.hints.insert(name.clone(), 0);
        match is_numbered {
            Some((base, number)) if self.hints.get(base).is_some_and(|last| number <= *last) => {
                self.unique("", &name)
            }
            _ => name,
        }
    }
}

fn write_numbered(name: &mut String, number: u32) {
    name.push('_');
    // Writing to a string does not fail.
    let _ = write!(name, "{number}");
}

/// The hint and the number that a name may be made of.
fn numbered(name: &str) -> Option<(&str, u32)> {
    let (base, number) = name.rsplit_once('_')?;
    let is_plain = !number.starts_with(['0', '+']);
    is_plain
        .then(|| number.parse().ok().map(|number| (base, number)))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::Names;
    use std::sync::Arc;

    fn given(hints: &[&str]) -> Vec<String> {
        let mut names = Names::default();
        let given = hints.iter().map(|hint| names.unique("", hint).to_string());
        given.collect()
    }

    #[test]
    fn a_hint_is_numbered_from_its_second_use() {
        assert_eq!(
            given(&["add", "add", "mul", "add"]),
            ["add", "add_1", "mul", "add_2"]
        );
    }

    #[test]
    fn numbers_that_the_program_gave_are_left_out() {
        assert_eq!(
            given(&["add", "add_1", "add", "add"]),
            ["add", "add_1", "add_2", "add_3"]
        );
        assert_eq!(
            given(&["add", "add", "add_1", "add_1"]),
            ["add", "add_1", "add_1_1", "add_1_2"]
        );
        assert_eq!(given(&["add_01", "add", "add"]), ["add_01", "add", "add_1"]);
    }

    #[test]
    fn names_of_a_graph_are_taken() {
        let taken: [Arc<str>; 2] = ["x".into(), "x_1".into()];
        let mut names = Names::of(taken.iter());
        assert_eq!(&*names.unique("", "x"), "x_2");
        assert_eq!(&*names.unique("s/", "x"), "s/x");
        assert_eq!(&*names.unique("s/", "x"), "s/x_1");
    }
}
