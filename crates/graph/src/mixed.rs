//! What is said of inputs that should have one dtype and do not: what each is, where it was made, and the cast to write.

use crate::{Decl, Kind, Sym, Val};
use ferrograph_tensor::{DType, Tensor, printed_name, with_element};

/// Two inputs that a declaration wants of one dtype.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mixed {
    /// The first input of that type attribute, which says the dtype.
    pub first: usize,
    /// The first one of another dtype.
    pub other: usize,
}

impl Decl {
    /// The first inputs that share a type attribute and not the dtype.
    pub(crate) fn mixed(&self, dtypes: &[DType]) -> Option<Mixed> {
        (0..dtypes.len()).find_map(|other| {
            let first = self.first_of_type(other, dtypes.len())?;
            (dtypes[first] != dtypes[other]).then_some(Mixed { first, other })
        })
    }

    /// The first input that names the type attribute of input `i` of `n`; `None` where it is that one, or names none.
    pub(crate) fn first_of_type(&self, i: usize, n: usize) -> Option<usize> {
        let name = type_attribute(&self.input(i, n).kind)?;
        (0..i).find(|&j| type_attribute(&self.input(j, n).kind) == Some(name))
    }

    /// What input `i` of `n` is called: `x`, or `values[1]` for one of a list.
    fn called(&self, i: usize, n: usize) -> String {
        let port = self.input(i, n);
        if !port.kind.is_list() {
            return port.name.to_owned();
        }
        let before = self.inputs.iter().take_while(|p| !p.kind.is_list()).count();
        format!("{}[{}]", port.name, i - before)
    }
}

fn type_attribute(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Var(name, _) | Kind::List(name, ..) => Some(name),
        _ => None,
    }
}

/// The lines behind the error of an operation that was given inputs of several dtypes where it takes one: both inputs,
/// and the cast to write. `None` where that is not what is wrong with them.
pub fn explain_mixed(decl: &Decl, inputs: &[Val]) -> Option<String> {
    let n = inputs.len();
    if decl.check_arity(n).is_err() {
        return None;
    }
    let dtypes: Vec<DType> = inputs.iter().map(Val::dtype).collect();
    let Mixed { first, other } = decl.mixed(&dtypes)?;
    let named = |i: usize| (decl.called(i, n), &inputs[i]);
    Some(explain_pair(named(first), named(other)))
}

/// Two values that should have one dtype, by what they are called, and the cast to write.
pub fn explain_pair(first: (String, &Val), other: (String, &Val)) -> String {
    let lines = [&first, &other].map(|(name, val)| format!("{name}: {}\n", what_is(val)));
    let ((name, val), to) = match holds(other.1.dtype(), first.1.dtype()) {
        true => (first, other.1.dtype()),
        false => (other, first.1.dtype()),
    };
    format!("{}{}", lines.concat(), cast_to_write(&name, val, to))
}

/// A value that should have that dtype, by what it is called, and the cast to write.
pub fn explain_other(name: &str, val: &Val, wanted: DType) -> String {
    format!(
        "{name}: {}\n{}",
        what_is(val),
        cast_to_write(name, val, wanted)
    )
}

fn cast_to_write(name: &str, val: &Val, to: DType) -> String {
    let name = argument(val).unwrap_or_else(|| name.to_owned());
    let fg = printed_name();
    match (val.dtype(), to) {
        (_, DType::String) => format!("write {fg}.strings.as_string({name}) to make it text"),
        (DType::String, _) => {
            format!("write {fg}.strings.to_number({name}, {fg}.{to}) to read numbers from it")
        }
        _ => format!("write {fg}.cast({name}, {fg}.{to})"),
    }
}

/// Whether a dtype is of a richer kind than another: numbers than bools, floats than integers, complex numbers than
/// floats.
fn holds(dtype: DType, other: DType) -> bool {
    let kind = |d: DType| match d {
        DType::Bool => 1,
        _ if d.is_integer() => 2,
        _ if d.is_floating() => 3,
        _ if d.is_complex() => 4,
        _ => 0,
    };
    kind(other) > 0 && kind(dtype) > kind(other)
}

/// An input in words: dtype, shape, and how it was made.
fn what_is(val: &Val) -> String {
    let spec = val.spec();
    let made = match val {
        Val::Eager(e) => eager(&e.tensor),
        Val::Sym(sym) => symbolic(sym),
    };
    format!("{} of shape {}, {made}", spec.dtype, spec.shape)
}

fn eager(tensor: &Tensor) -> String {
    match tensor.rank() {
        0 if tensor.dtype().is_dense() => format!("the value {}", scalar(tensor)),
        _ => "a tensor that is computed already".to_owned(),
    }
}

fn scalar(tensor: &Tensor) -> String {
    let Ok(tensor) = tensor.widened() else {
        return "?".to_owned();
    };
    with_element!(tensor.dtype(), dense, T => {
        tensor.item::<T>().map_or_else(|_| "?".to_owned(), |v| format!("{v:?}"))
    }, else => tensor.dtype().to_string())
}

fn symbolic(sym: &Sym) -> String {
    let made = sym.trace.made(sym.value);
    let at = made
        .origin
        .map_or_else(String::new, |origin| format!(" at {origin}"));
    if made.is_argument {
        return format!("the argument `{}` of {}", made.name, sym.trace.name());
    }
    format!("made by {} `{}`{at}", made.op, made.name)
}

/// The name of an argument, as the program spells it.
fn argument(val: &Val) -> Option<String> {
    let Val::Sym(sym) = val else { return None };
    let made = sym.trace.made(sym.value);
    made.is_argument.then(|| made.name.to_string())
}
