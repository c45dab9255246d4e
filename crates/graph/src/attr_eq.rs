//! When attributes, and so operations, are the same. Floats compare by their bits, so that a NaN is itself and -0.0 is
//! not 0.0; tensors by dtype, shape and bits; graphs and host objects by identity.

use crate::{Attr, Attrs, Op};
use ferrograph_tensor::{DType, Object, Tensor};
use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

/// Of a tensor at most this many leading bytes go into its hash.
const HASHED_BYTES: usize = 64;

impl PartialEq for Attr {
    fn eq(&self, other: &Attr) -> bool {
        match (self, other) {
            (Attr::Bool(a), Attr::Bool(b)) => a == b,
            (Attr::Int(a), Attr::Int(b)) => a == b,
            (Attr::Float(a), Attr::Float(b)) => a.to_bits() == b.to_bits(),
            (Attr::Str(a), Attr::Str(b)) => a == b,
            (Attr::DType(a), Attr::DType(b)) => a == b,
            (Attr::Shape(a), Attr::Shape(b)) => a == b,
            (Attr::Bools(a), Attr::Bools(b)) => a == b,
            (Attr::Ints(a), Attr::Ints(b)) => a == b,
            (Attr::Floats(a), Attr::Floats(b)) => bits(a).eq(bits(b)),
            (Attr::Strs(a), Attr::Strs(b)) => a == b,
            (Attr::DTypes(a), Attr::DTypes(b)) => a == b,
            (Attr::Shapes(a), Attr::Shapes(b)) => a == b,
            (Attr::Tensor(a), Attr::Tensor(b)) => same_tensor(a, b),
            (Attr::Graph(a), Attr::Graph(b)) => Arc::ptr_eq(a, b),
            (Attr::Object(a), Attr::Object(b)) => address(a) == address(b),
            _ => false,
        }
    }
}

impl Eq for Attr {}

impl Hash for Attr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        discriminant(self).hash(state);
        match self {
            Attr::Bool(x) => x.hash(state),
            Attr::Int(x) => x.hash(state),
            Attr::Float(x) => x.to_bits().hash(state),
            Attr::Str(x) => x.hash(state),
            Attr::DType(x) => x.hash(state),
            Attr::Shape(x) => x.hash(state),
            Attr::Bools(x) => x.hash(state),
            Attr::Ints(x) => x.hash(state),
            Attr::Floats(x) => bits(x).for_each(|b| b.hash(state)),
            Attr::Strs(x) => x.hash(state),
            Attr::DTypes(x) => x.hash(state),
            Attr::Shapes(x) => x.hash(state),
            Attr::Tensor(x) => hash_tensor(x, state),
            Attr::Graph(x) => Arc::as_ptr(x).hash(state),
            Attr::Object(x) => address(x).hash(state),
        }
    }
}

fn bits(floats: &[f64]) -> impl Iterator<Item = u64> {
    floats.iter().map(|x| x.to_bits())
}

fn address(object: &Arc<dyn Object>) -> *const () {
    Arc::as_ptr(object).cast()
}

/// Whether two tensors have one dtype, one shape and the same bits, or are one object.
pub fn same_tensor(a: &Tensor, b: &Tensor) -> bool {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return false;
    }
    match a.dtype() {
        DType::Resource | DType::Variant => {
            matches!((a.as_object(), b.as_object()), (Ok(x), Ok(y)) if address(x) == address(y))
        }
        DType::String => {
            a.shares_storage(b)
                || matches!((a.as_strings(), b.as_strings()), (Ok(x), Ok(y)) if x == y)
        }
        _ => a.shares_storage(b) || a.bytes() == b.bytes(),
    }
}

/// Hashes what [`same_tensor`] compares, as far as it is cheap.
pub fn hash_tensor<H: Hasher>(t: &Tensor, state: &mut H) {
    t.dtype().hash(state);
    t.shape().hash(state);
    match t.dtype() {
        DType::Resource | DType::Variant => t.as_object().ok().map(address).hash(state),
        DType::String => t.as_strings().ok().and_then(|s| s.first()).hash(state),
        _ => {
            let bytes = t.bytes();
            bytes[..bytes.len().min(HASHED_BYTES)].hash(state);
        }
    }
}

impl Hash for Attrs {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for (name, attr) in self.iter() {
            name.hash(state);
            attr.hash(state);
        }
    }
}

/// Operations are equal that have one name and equal attributes: on the same inputs they do the same.
impl PartialEq for dyn Op {
    fn eq(&self, other: &dyn Op) -> bool {
        std::ptr::addr_eq(self, other)
            || (self.name() == other.name() && self.attrs() == other.attrs())
    }
}

impl Eq for dyn Op {}

impl Hash for dyn Op {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
        self.attrs().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;
    use ferrograph_tensor::{DType, PartialShape, Result};
    use foldhash::fast::FixedState;
    use std::hash::BuildHasher;

    #[derive(Debug)]
    struct Host;

    impl Object for Host {
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }

    fn hash(attr: &Attr) -> u64 {
        FixedState::default().hash_one(attr)
    }

    fn tensor(t: Result<Tensor>) -> Attr {
        Attr::Tensor(t.unwrap())
    }

    /// Makes, whenever it is called, attributes of which no two are the same.
    fn different() -> Vec<Attr> {
        vec![
            Attr::Bool(false),
            Attr::Int(0),
            Attr::Int(1),
            Attr::Float(0.0),
            Attr::Float(-0.0),
            Attr::Float(f64::NAN),
            Attr::Float(f64::from_bits(0x7ff8_0000_0000_0123)),
            Attr::str(""),
            Attr::DType(DType::Float32),
            Attr::Shape(PartialShape::UNKNOWN),
            Attr::Shape(PartialShape::scalar()),
            Attr::Bools(vec![]),
            Attr::Bools(vec![false]),
            Attr::Ints(vec![]),
            Attr::Ints(vec![0, 1]),
            Attr::Floats(vec![0.0]),
            Attr::Floats(vec![-0.0, f64::NAN]),
            Attr::Strs(vec![b"a".as_slice().into()]),
            Attr::DTypes(vec![DType::Float32]),
            Attr::Shapes(vec![PartialShape::UNKNOWN]),
            Attr::Shapes(vec![PartialShape::scalar()]),
            tensor(Tensor::scalar(0.0f32)),
            tensor(Tensor::scalar(-0.0f32)),
            tensor(Tensor::scalar(0i32)),
            tensor(Tensor::vector(&[0.0f32])),
            tensor(Tensor::vector(&[f32::NAN; 100])),
            tensor(Tensor::from_strings(
                [1].into(),
                vec![b"a".as_slice().into()],
            )),
        ]
    }

    #[test]
    fn attributes_equal_what_is_the_same_and_nothing_else() {
        let (all, again) = (different(), different());
        for (i, a) in all.iter().enumerate() {
            for (j, b) in again.iter().enumerate() {
                assert_eq!(a == b, i == j, "{a:?} and {b:?}");
            }
            assert_eq!(hash(a), hash(&again[i]), "{a:?}");
        }
    }

    #[test]
    fn tensors_that_differ_behind_the_hashed_bytes_are_told_apart() {
        let mut elements = [1.0f32; 100];
        let a = tensor(Tensor::vector(&elements));
        elements[99] = 2.0;
        let b = tensor(Tensor::vector(&elements));
        assert_eq!(hash(&a), hash(&b));
        assert!(a != b);
    }

    #[test]
    fn graphs_and_objects_are_the_same_only_as_themselves() {
        let graph = || Arc::new(Graph::new("f".into(), vec![], vec![], vec![], 0, vec![]));
        let object = || Arc::new(Host) as Arc<dyn Object>;
        let (g, o) = (graph(), object());
        assert!(Attr::Graph(g.clone()) == Attr::Graph(g.clone()));
        assert!(Attr::Graph(g) != Attr::Graph(graph()));
        assert!(Attr::Object(o.clone()) == Attr::Object(o.clone()));
        let held = |o: &Arc<dyn Object>| Tensor::from_object(DType::Variant, o.clone());
        assert!(Attr::Tensor(held(&o)) == Attr::Tensor(held(&o)));
        assert!(Attr::Tensor(held(&o)) != Attr::Tensor(held(&object())));
        // Objects without fields may share an address only while one of them is gone.
        let other = object();
        assert_eq!(
            Attr::Object(o.clone()) == Attr::Object(other.clone()),
            address(&o) == address(&other)
        );
    }
}
