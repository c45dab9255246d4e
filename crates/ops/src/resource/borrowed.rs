//! Borrowed buffers: values of variables that are updated in place.

use super::{PATIENCE, Value, VariableCell};
use crate::interrupt::while_waiting;
use ferrograph_tensor::{DType, Result, Shape, Tensor};
use std::thread;

/// What a variable must hold to be updated in place.
#[derive(Clone, Debug)]
pub struct Held {
    /// The element type.
    pub dtype: DType,
    /// The shape.
    pub shape: Shape,
    /// Whether the elements are needed; else all of them are written.
    pub is_read: bool,
}

/// Values taken out of their variables, each held by nobody else. Who reads or writes the variables meanwhile waits, so
/// that no code of the host may run before the values are given back, which dropping this does.
#[derive(Default)]
pub struct BorrowedValues<'a>(Vec<(&'a VariableCell, Tensor)>);

impl<'a> BorrowedValues<'a> {
    /// The values of these variables, of which several may be one. None where one does not hold what it must.
    ///
    /// # Errors
    /// `ResourceExhausted` where there is no memory for a copy of what others hold too.
    pub fn of(variables: &[(&'a VariableCell, &Held)]) -> Result<Option<BorrowedValues<'a>>> {
        let mut borrowed = BorrowedValues::default();
        while let Err(busy) = borrowed.take(variables) {
            drop(borrowed); // so that whoever waits for one of these goes on
            busy.wait();
            borrowed = BorrowedValues::default();
        }
        for (variable, held) in variables {
            let Some(value) = borrowed.value(variable) else {
                return Ok(None);
            };
            if value.dtype() != held.dtype || *value.shape() != held.shape {
                return Ok(None);
            }
        }
        for (variable, value) in &mut borrowed.0 {
            let mut same = variables
                .iter()
                .filter(|(v, _)| std::ptr::eq(*v, *variable));
            own(value, same.any(|(_, held)| held.is_read))?;
        }
        Ok(Some(borrowed))
    }

    /// Takes the values that are there; the variable whose value somebody else has borrowed, if there is one.
    fn take(&mut self, variables: &[(&'a VariableCell, &Held)]) -> Result<(), &'a VariableCell> {
        for &(variable, _) in variables {
            if self.value(variable).is_none() {
                match variable.borrow() {
                    Value::Held(value) => self.0.push((variable, value)),
                    Value::Borrowed => return Err(variable),
                    Value::None => {}
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, variable: &VariableCell) -> Option<&mut Tensor> {
        let found = self.0.iter_mut().find(|(v, _)| std::ptr::eq(*v, variable));
        found.map(|(_, value)| value)
    }

    /// The bytes of a variable's value.
    pub fn bytes(&mut self, variable: &VariableCell) -> Option<&mut [u8]> {
        self.value(variable)?.bytes_mut()
    }

    /// Where the values of these variables begin in memory, for writing while they are borrowed.
    pub fn places(&mut self, variables: &[(&'a VariableCell, &Held)]) -> Vec<*mut u8> {
        let begin = |(_, value): &mut (_, Tensor)| {
            value
                .bytes_mut()
                .map_or(std::ptr::null_mut(), <[u8]>::as_mut_ptr)
        };
        let begins: Vec<*mut u8> = self.0.iter_mut().map(begin).collect();
        let place = |(variable, _): &(&VariableCell, &Held)| {
            let at = self.0.iter().position(|(v, _)| std::ptr::eq(*v, *variable));
            at.map_or(std::ptr::null_mut(), |at| begins[at])
        };
        variables.iter().map(place).collect()
    }
}

impl Drop for BorrowedValues<'_> {
    fn drop(&mut self) {
        for (variable, value) in self.0.drain(..) {
            variable.take_back(value);
        }
    }
}

/// Sees to it that nobody else holds a value, whose elements stay if they are needed.
fn own(value: &mut Tensor, is_read: bool) -> Result<()> {
    if value.bytes_mut().is_some() {
        return Ok(());
    }
    let mut copy = Tensor::empty(value.dtype(), value.shape().clone())?;
    if let (true, Some(bytes)) = (is_read, copy.bytes_mut()) {
        bytes.copy_from_slice(value.bytes());
    }
    *value = copy;
    Ok(())
}

impl VariableCell {
    fn borrow(&self) -> Value {
        let mut value = self.value.write();
        match &*value {
            Value::Held(_) => std::mem::replace(&mut *value, Value::Borrowed),
            Value::Borrowed => Value::Borrowed,
            Value::None => Value::None,
        }
    }

    fn take_back(&self, value: Tensor) {
        *self.value.write() = Value::Held(value);
    }

    /// Waits a moment for a value that is borrowed.
    pub(super) fn wait(&self) {
        let is_borrowed = || matches!(*self.value.read(), Value::Borrowed);
        while_waiting(&mut || {
            for _ in 0..SPINS {
                if !is_borrowed() {
                    return;
                }
                thread::sleep(PATIENCE / SPINS);
            }
        });
    }
}

/// Looks at a borrowed value in the time that a thread waits.
const SPINS: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_tensor::{PartialShape, TensorSpec};

    fn variable(x: &[f32]) -> VariableCell {
        let spec = TensorSpec::new(DType::Float32, PartialShape::UNKNOWN);
        let cell = VariableCell::new("v".to_owned(), spec, true);
        cell.write(Tensor::vector(x).unwrap()).unwrap();
        cell
    }

    fn held(n: usize) -> Held {
        Held {
            dtype: DType::Float32,
            shape: [n].into_iter().collect(),
            is_read: true,
        }
    }

    #[test]
    fn values_that_others_hold_are_copied_before_they_change() {
        let (a, wanted) = (variable(&[1.0, 2.0]), held(2));
        let before = a.read().unwrap();
        let mut borrowed = BorrowedValues::of(&[(&a, &wanted), (&a, &wanted)])
            .unwrap()
            .unwrap();
        borrowed.bytes(&a).unwrap().fill(0);
        drop(borrowed);
        assert_eq!(before.as_slice::<f32>().unwrap(), [1.0, 2.0]);
        assert_eq!(a.read().unwrap().as_slice::<f32>().unwrap(), [0.0, 0.0]);
    }

    #[test]
    fn a_value_that_nobody_else_holds_stays_where_it_is() {
        let (a, wanted) = (variable(&[1.0]), held(1));
        let at = a.read().unwrap().bytes().as_ptr();
        let mut borrowed = BorrowedValues::of(&[(&a, &wanted)]).unwrap().unwrap();
        assert_eq!(borrowed.bytes(&a).unwrap().as_ptr(), at);
    }

    #[test]
    fn what_does_not_fit_is_left_alone() {
        let (a, b, wanted) = (variable(&[1.0]), variable(&[1.0, 2.0]), held(1));
        assert!(
            BorrowedValues::of(&[(&a, &wanted), (&b, &wanted)])
                .unwrap()
                .is_none()
        );
        assert!(a.is_initialised() && a.read().is_ok() && b.read().is_ok());
    }

    #[test]
    fn readers_and_writers_wait_for_what_is_lent() {
        let (a, b, wanted) = (variable(&[1.0]), variable(&[5.0]), held(1));
        let seen = thread::scope(|scope| {
            let mut borrowed = BorrowedValues::of(&[(&a, &wanted), (&b, &wanted)])
                .unwrap()
                .unwrap();
            let reader = scope.spawn(|| a.read().unwrap().item::<f32>().unwrap());
            let writer = scope.spawn(|| b.write(Tensor::vector(&[9.0f32]).unwrap()));
            let other = scope.spawn(|| {
                BorrowedValues::of(&[(&b, &wanted), (&a, &wanted)])
                    .unwrap()
                    .is_some()
            });
            thread::sleep(PATIENCE * 3);
            borrowed
                .bytes(&a)
                .unwrap()
                .copy_from_slice(&7f32.to_ne_bytes());
            drop(borrowed);
            assert!(other.join().unwrap() && writer.join().unwrap().is_ok());
            reader.join().unwrap()
        });
        assert_eq!(seen, 7.0);
        assert_eq!(b.read().unwrap().item::<f32>().unwrap(), 9.0);
    }
}
