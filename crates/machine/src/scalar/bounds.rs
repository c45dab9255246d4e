//! Values within bounds, and shifts, whose count is within some.

use super::{Scalars, integer, machine_type};
use crate::Op;
use cranelift_codegen::ir::{InstBuilder, Value};

impl Scalars<'_, '_> {
    /// The number moved to the nearest bound where it is outside, the lower one first.
    pub(super) fn clipped(&mut self, x: Value, low: Value, high: Value) -> Value {
        let (below, above) = (self.less(x, low), self.greater(x, high));
        let y = self.choose(above, high, x);
        self.choose(below, low, y)
    }

    /// An integer's bits moved: not by less than none, and by all but one at most.
    pub(super) fn shifted(&mut self, op: Op, x: Value, by: Value) -> Value {
        let t = machine_type(self.on);
        let [none, most] = [0, i64::from(t.bits()) - 1].map(|c| integer(self.b, t, c));
        let by = self.clipped(by, none, most);
        match (op, self.on.is_signed()) {
            (Op::ShiftLeft, _) => self.b.ins().ishl(x, by),
            (_, true) => self.b.ins().sshr(x, by),
            (_, false) => self.b.ins().ushr(x, by),
        }
    }
}
