//! What is declared of how operations run for many rows at once.
//!
//! A function of one row is run for many by giving what depends on the row a further first axis. The facts here say how an
//! operation takes that; `transform` makes graphs over rows from them.

/// How an operation runs where some of its inputs have a further first axis, one item a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Batching {
    /// Row by row, in a loop.
    Loop,
    /// As it is: inputs broadcast, each output element coming from its place in them, or from a matrix there.
    Broadcasts,
    /// As it is: leading axes of the first inputs, so many, are the same, of any number, and are those of the outputs.
    /// The other inputs are settings.
    Leads(usize),
    /// With other axes: that input names axes of input 0. Those behind it are settings.
    Axes(usize),
    /// With rows in the first axis: that of the first inputs, so many, and of the outputs counts items that know nothing
    /// of each other. The other inputs are settings.
    Folds(usize),
    /// By a rule of its own.
    Rule,
    /// By running the graphs it holds for many rows.
    Regions,
}

impl Batching {
    /// The fact by name.
    pub fn kind(self) -> &'static str {
        match self {
            Batching::Loop => "loop",
            Batching::Broadcasts => "broadcasts",
            Batching::Leads(_) => "leads",
            Batching::Axes(_) => "axes",
            Batching::Folds(_) => "folds",
            Batching::Rule => "rule",
            Batching::Regions => "regions",
        }
    }
}
