//! The text form of graphs: what [`print`] writes and [`parse`] reads back, exact to the bit.
//!
//! ```text
//! graph    = "graph" string "(" [values] [";" values] ")" "{" node* "return" [values] "}"
//! node     = [values "="] name string [ "{" attrs "}" ] "(" [values] ")" [ "after" "(" nodes ")" ] [ ":" info ("," info)* ]
//! values   = "%" number ("," "%" number)*          nodes = "n" number ("," "n" number)*
//! info     = dtype shape [ "is" ("const" | tensor | "object" string) ] [ "known" "[" known,* "]" ]
//! shape    = "[" dims "]" | "<unknown>"            dims  = (number | "?"),*
//! attrs    = name ":" attr ("," name ":" attr)*
//! attr     = "true" | "false" | integer | float | string | dtype | "shape" shape | "tensor" tensor | graph
//!          | "bools" "[" bools "]" | "ints" "[" integers "]" | "floats" "[" floats "]" | "strings" "[" strings "]"
//!          | "dtypes" "[" dtypes "]" | "shapes" "[" shapes "]" | "object" string
//! tensor   = dtype "[" dims "]" "{" element,* "}"
//! element  = "true" | "false" | integer | float | "(" float "," float ")" | string
//! float    = the shortest decimal that reads back | "inf" | "-inf" | "nan" bits in hexadecimal
//! ```
//!
//! The header lists the values of arguments and, behind a semicolon, of captures. Nodes stand in program order: the
//! first is `n0`. After the colon stand the types of a node's outputs, with the value where it is a constant (`const`
//! where it is the node's own attribute `value`) and the elements that shape arithmetic knows. Strings are escaped as
//! in Rust's byte strings. A comment reaches from `//` to the end of its line. Host objects print as `object` with a
//! description and cannot be read back; where the known value of an output is one, reading leaves it unknown. Lines of
//! the user's program are not part of the form.

mod lex;
mod parse;
mod print;
mod tensor;

pub use parse::parse;
pub use print::{print, print_tensor};

#[cfg(test)]
mod tests;
