//! What a list keeps its elements in: a tree of fixed width whose nodes are shared between lists until one changes.

use ferrograph_tensor::{DType, Result, Shape, Tensor, bail};
use std::sync::Arc;

pub(super) const WIDTH_BITS: u32 = 5;
pub(super) const WIDTH: usize = 1 << WIDTH_BITS;

/// Dense elements up to this many bytes are side by side in their leaf of a list.
pub const PACKED_BYTES: usize = 512;

/// An element to be written.
pub(super) enum Item<'a> {
    /// Nothing: the place becomes empty.
    Nothing,
    Tensor(Tensor),
    /// The bytes of a dense element of that shape, at most [`PACKED_BYTES`].
    Bytes(&'a Shape, &'a [u8]),
}

/// Elements of one shape side by side; those never written are zeros.
#[derive(Debug, Clone)]
pub(super) struct Packed {
    pub shape: Shape,
    /// Bytes of one element.
    size: usize,
    written: u32,
    bytes: Box<[u8]>,
}

impl Packed {
    fn new(shape: &Shape, size: usize) -> Packed {
        Packed {
            shape: shape.clone(),
            size,
            written: 0,
            bytes: vec![0; size * WIDTH].into(),
        }
    }

    fn place(&mut self, k: usize) -> &mut [u8] {
        &mut self.bytes[k * self.size..(k + 1) * self.size]
    }

    fn put(&mut self, k: usize, element: &[u8]) {
        self.place(k).copy_from_slice(element);
        self.written |= 1 << k;
    }

    fn clear(&mut self, k: usize) {
        self.place(k).fill(0);
        self.written &= !(1 << k);
    }

    /// The bytes of element `k`, if it was written.
    pub fn get(&self, k: usize) -> Option<&[u8]> {
        (self.written >> k & 1 == 1).then(|| &self.bytes[k * self.size..(k + 1) * self.size])
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.written == 0
    }

    /// The bytes of the first `n` elements.
    pub fn first(&self, n: usize) -> &[u8] {
        &self.bytes[..n * self.size]
    }

    fn tensor(&self, k: usize, dtype: DType) -> Option<Tensor> {
        let mut tensor = Tensor::empty(dtype, self.shape.clone()).ok()?;
        tensor.bytes_mut()?.copy_from_slice(self.get(k)?);
        Some(tensor)
    }
}

#[derive(Debug, Clone)]
pub(super) enum Leaf {
    Packed(Packed),
    Tensors(Box<[Option<Tensor>; WIDTH]>),
}

impl Leaf {
    fn get(&self, k: usize, dtype: DType) -> Option<Tensor> {
        match self {
            Leaf::Packed(packed) => packed.tensor(k, dtype),
            Leaf::Tensors(items) => items[k].clone(),
        }
    }

    fn set(&mut self, k: usize, item: Item<'_>, dtype: DType) -> Result<()> {
        let (shape, bytes) = match &item {
            Item::Bytes(shape, bytes) => (*shape, *bytes),
            Item::Tensor(t) if dtype.is_dense() && t.bytes().len() <= PACKED_BYTES => {
                (t.shape(), t.bytes())
            }
            _ => return self.set_tensor(k, item, dtype),
        };
        if let Leaf::Packed(packed) = self {
            let same = packed.shape == *shape && packed.size == bytes.len();
            if !same && packed.is_empty() {
                *packed = Packed::new(shape, bytes.len());
            }
            if same || packed.is_empty() {
                packed.put(k, bytes);
                return Ok(());
            }
        }
        self.set_tensor(k, item, dtype)
    }

    fn set_tensor(&mut self, k: usize, item: Item<'_>, dtype: DType) -> Result<()> {
        let item = match item {
            Item::Nothing => None,
            Item::Tensor(t) => Some(t),
            Item::Bytes(shape, bytes) => {
                let mut t = Tensor::empty(dtype, shape.clone())?;
                match t.bytes_mut() {
                    Some(place) if place.len() == bytes.len() => place.copy_from_slice(bytes),
                    _ => bail!(
                        Internal,
                        "{} bytes are no {dtype} of shape {shape}",
                        bytes.len()
                    ),
                }
                Some(t)
            }
        };
        match self {
            Leaf::Packed(packed) if item.is_none() => packed.clear(k),
            Leaf::Packed(packed) => {
                let mut items = std::array::from_fn(|i| packed.tensor(i, dtype));
                items[k] = item;
                *self = Leaf::Tensors(Box::new(items));
            }
            Leaf::Tensors(items) => items[k] = item,
        }
        Ok(())
    }
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    Leaf(Leaf),
    Branch([Option<Arc<Node>>; WIDTH]),
}

/// Which child of a node at that height (0 for leaves) element `i` is in.
fn slot(i: usize, height: u32) -> usize {
    i >> (WIDTH_BITS * height) & (WIDTH - 1)
}

/// Combines two elements.
pub(super) type Merge<'a> = dyn Fn(&Tensor, &Tensor) -> Result<Tensor> + 'a;

impl Node {
    pub fn empty(height: u32) -> Node {
        if height == 0 {
            Node::Leaf(Leaf::Packed(Packed::new(&Shape::scalar(), 0)))
        } else {
            Node::Branch([const { None }; WIDTH])
        }
    }

    /// Whether more than one of its branches is in no other tree; the change of an element leaves one to the old tree.
    pub fn is_alone(&self) -> bool {
        let Node::Branch(nodes) = self else {
            return false;
        };
        let is_own = |node: &&Arc<Node>| Arc::strong_count(node) == 1;
        nodes.iter().flatten().filter(is_own).nth(1).is_some()
    }

    /// The leaf of element `i`.
    pub fn leaf(&self, i: usize, height: u32) -> Option<&Leaf> {
        match self {
            Node::Leaf(leaf) => Some(leaf),
            Node::Branch(nodes) => nodes[slot(i, height)].as_ref()?.leaf(i, height - 1),
        }
    }

    pub fn get(&self, i: usize, height: u32, dtype: DType) -> Option<Tensor> {
        self.leaf(i, height)?.get(slot(i, 0), dtype)
    }

    /// The bytes of element `i` where its leaf is packed, with its shape.
    pub fn get_bytes(&self, i: usize, height: u32) -> Option<(&Shape, &[u8])> {
        match self.leaf(i, height)? {
            Leaf::Packed(packed) => Some((&packed.shape, packed.get(slot(i, 0))?)),
            Leaf::Tensors(items) => {
                let item = items[slot(i, 0)].as_ref()?;
                Some((item.shape(), item.bytes()))
            }
        }
    }

    /// The first element that was written.
    pub fn first(&self, dtype: DType) -> Option<Tensor> {
        match self {
            Node::Leaf(leaf) => (0..WIDTH).find_map(|k| leaf.get(k, dtype)),
            Node::Branch(nodes) => nodes.iter().flatten().find_map(|node| node.first(dtype)),
        }
    }

    /// Empties all places behind the first `len`.
    pub fn truncate(&mut self, len: usize, height: u32, dtype: DType) -> Result<()> {
        match self {
            Node::Leaf(leaf) => {
                for k in len..WIDTH {
                    leaf.set_tensor(k, Item::Nothing, dtype)?;
                }
            }
            Node::Branch(nodes) => {
                let (last, rest) = (
                    len >> (WIDTH_BITS * height),
                    len % (1 << (WIDTH_BITS * height)),
                );
                if let Some(Some(node)) = nodes.get_mut(last) {
                    Arc::make_mut(node).truncate(rest, height - 1, dtype)?;
                }
                nodes
                    .iter_mut()
                    .skip(last + 1)
                    .for_each(|node| *node = None);
            }
        }
        Ok(())
    }

    /// Changes one element; nodes that other lists share are copied first.
    pub fn set(&mut self, i: usize, height: u32, item: Item<'_>, dtype: DType) -> Result<()> {
        match self {
            Node::Leaf(leaf) => leaf.set(slot(i, 0), item, dtype),
            Node::Branch(nodes) => {
                let child = &mut nodes[slot(i, height)];
                let child = child.get_or_insert_with(|| Arc::new(Node::empty(height - 1)));
                Arc::make_mut(child).set(i, height - 1, item, dtype)
            }
        }
    }

    /// Combines two trees of one height where both have an element, and takes it from either elsewhere.
    pub fn merge(a: &Arc<Node>, b: &Arc<Node>, dtype: DType, f: &Merge<'_>) -> Result<Arc<Node>> {
        let mut node = (**a).clone();
        match (&mut node, &**b) {
            (Node::Leaf(leaf), Node::Leaf(other)) => {
                for k in 0..WIDTH {
                    let item = match (leaf.get(k, dtype), other.get(k, dtype)) {
                        (Some(a), Some(b)) => f(&a, &b)?,
                        (None, Some(b)) => b,
                        _ => continue,
                    };
                    leaf.set(k, Item::Tensor(item), dtype)?;
                }
            }
            (Node::Branch(nodes), Node::Branch(others)) => {
                for (node, other) in nodes.iter_mut().zip(others) {
                    *node = match (node.take(), other) {
                        (Some(a), Some(b)) => Some(Node::merge(&a, b, dtype, f)?),
                        (a, b) => a.or_else(|| b.clone()),
                    };
                }
            }
            _ => bail!(Internal, "lists of different height were merged"),
        }
        Ok(Arc::new(node))
    }
}
