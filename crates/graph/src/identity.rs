//! Algebraic identities of operations, by which passes replace them by less.

/// When an operation gives what is there already, or what less work gives, with the same bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AlgebraicIdentity {
    /// No identity is known.
    None,
    /// It is the identity function: the outputs are the first inputs.
    Forwards,
    /// Of one input alone it is that input.
    OnlyTerm,
    /// Of one part alone, followed by the axis, it is that part.
    OnlyPart,
    /// The other of two inputs, where one is all of the number.
    Neutral(f64),
    /// Input 0 of two, where input 1 is all of the number.
    NeutralRight(f64),
    /// Input 0 where the integers in input 1 are all that number: then that operand makes it a no-op.
    NoOpOperand(i64),
    /// Twice it is its own inverse.
    Involution,
    /// Input 0 where it has the shape of the output.
    KeepsShape,
    /// As `KeepsShape`, and of two in a row the last alone counts.
    Reshapes,
    /// Input 0 where the axes in input 1 are in their order; two in a row are one.
    Permutes,
    /// Input 0 where it has the dtype of the output; back from one that holds all its values, too.
    Casts,
    /// The same for all values of input 0: its dtype and shape decide.
    OfShape,
    /// Input 1 or 2, where input 0 chooses the same for all elements.
    Selects,
}

impl AlgebraicIdentity {
    /// Tiles: once along each axis.
    pub const TILES: AlgebraicIdentity = AlgebraicIdentity::NoOpOperand(1);
    /// Pads: nothing on either side.
    pub const PADS: AlgebraicIdentity = AlgebraicIdentity::NoOpOperand(0);
}
