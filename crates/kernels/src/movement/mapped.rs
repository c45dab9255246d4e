//! Copies along whose axes stretches of the source follow one another: rolls and mirrors.

use smallvec::SmallVec;

use super::{Strided, View};

/// Elements of an axis one after another: `n` from `begin`, backwards or forwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The first.
    pub begin: usize,
    /// How many.
    pub n: usize,
    /// Whether they fall from the first.
    pub backwards: bool,
}

/// What an axis of the result shows, in order.
pub type Stretches = SmallVec<[Stretch; 3]>;

/// What a mirroring pad shows beyond the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PadMode {
    /// The mirror stands on the edge element.
    Reflect,
    /// The mirror stands beyond the edge element.
    Symmetric,
}

/// An axis of `n` elements rotated by `shift`, which is less than `n`.
pub fn rolled(n: usize, shift: usize) -> Stretches {
    let end = Stretch {
        begin: n - shift,
        n: shift,
        backwards: false,
    };
    let beginning = Stretch {
        begin: 0,
        n: n - shift,
        backwards: false,
    };
    some(&[end, beginning])
}

/// An axis of `n` elements continued at both ends by its mirror image.
pub fn mirrored(n: usize, (before, after): (usize, usize), mode: PadMode) -> Stretches {
    let edge = usize::from(mode == PadMode::Reflect);
    assert!(
        before.max(after) + edge <= n.max(edge),
        "a mirror shows each element once"
    );
    let mirror = |begin: usize, n: usize| Stretch {
        begin,
        n,
        backwards: true,
    };
    some(&[
        mirror((before + edge).saturating_sub(1), before),
        Stretch {
            begin: 0,
            n,
            backwards: false,
        },
        mirror(n.saturating_sub(1 + edge), after),
    ])
}

fn some(stretches: &[Stretch]) -> Stretches {
    stretches.iter().copied().filter(|s| s.n > 0).collect()
}

/// The boxes of a result that each show one box of the source, in order: where it is there and in the result.
fn boxes(shape: &[usize], axes: &[Stretches]) -> Vec<(View, View)> {
    assert_eq!(shape.len(), axes.len(), "stretches for each axis");
    let length = |s: &Stretches| s.iter().map(|s| s.n).sum();
    let result: SmallVec<[usize; 6]> = axes.iter().map(length).collect();
    let mut all = vec![(View::of(shape), View::of(&result))];
    for (axis, stretches) in axes.iter().enumerate() {
        let mut next = Vec::with_capacity(all.len() * stretches.len());
        for (from, to) in all {
            let mut at = 0;
            for s in stretches {
                let step = if s.backwards { -1 } else { 1 };
                let part = from.clone().slice(axis, s.begin, step, s.n);
                next.push((part, to.clone().slice(axis, at, 1, s.n)));
                at += s.n;
            }
        }
        all = next;
    }
    all
}

/// Copies that make up a result of such stretches.
pub fn mapped(shape: &[usize], axes: &[Stretches]) -> Vec<Strided> {
    let bound = |(from, to): (View, View)| Strided::between(&from, &to);
    boxes(shape, axes).into_iter().map(bound).collect()
}

/// Copies that lead from a result of such stretches back to what they show; where it is shown more than once, in the
/// order of the result.
pub fn unmapped(shape: &[usize], axes: &[Stretches]) -> Vec<Strided> {
    let bound = |(from, to): (View, View)| Strided::between(&to, &from);
    boxes(shape, axes).into_iter().map(bound).collect()
}
