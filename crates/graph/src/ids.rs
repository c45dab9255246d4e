//! Typed ids of the arenas in a graph. Their `Display` is their name in the text form.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// The id of the element at that index of its arena.
            pub fn new(index: usize) -> $name {
                $name(u32::try_from(index).expect("a graph has fewer than 2^32 elements"))
            }

            /// The index in its arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

id!(
    /// A node of a graph.
    NodeId,
    "n"
);
id!(
    /// A value of a graph: one output of one node.
    ValueId,
    "%"
);
