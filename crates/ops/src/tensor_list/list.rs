//! The list itself: a tree of fixed width whose nodes are shared between lists.

use ferrograph_graph::Runner;
use ferrograph_tensor::{DType, Object, PartialShape, Result, Tensor, bail, err};
use std::any::Any;
use std::sync::Arc;

const WIDTH_BITS: u32 = 4;
const WIDTH: usize = 1 << WIDTH_BITS;
/// Lists longer than this are refused.
const MAX_LEN: usize = 1 << 40;

#[derive(Debug, Clone)]
enum Node {
    Leaf([Option<Tensor>; WIDTH]),
    Branch([Option<Arc<Node>>; WIDTH]),
}

/// Which child of a node at that height (0 for leaves) element `i` lies in.
fn slot(i: usize, height: u32) -> usize {
    i >> (WIDTH_BITS * height) & (WIDTH - 1)
}

impl Node {
    fn empty(height: u32) -> Node {
        if height == 0 {
            Node::Leaf([const { None }; WIDTH])
        } else {
            Node::Branch([const { None }; WIDTH])
        }
    }

    fn get(&self, i: usize, height: u32) -> Option<&Tensor> {
        match self {
            Node::Leaf(items) => items[slot(i, 0)].as_ref(),
            Node::Branch(nodes) => nodes[slot(i, height)].as_ref()?.get(i, height - 1),
        }
    }

    /// Changes one element; nodes that other lists share are copied first.
    fn set(&mut self, i: usize, height: u32, item: Option<Tensor>) {
        match self {
            Node::Leaf(items) => items[slot(i, 0)] = item,
            Node::Branch(nodes) => {
                let child = &mut nodes[slot(i, height)];
                let child = child.get_or_insert_with(|| Arc::new(Node::empty(height - 1)));
                Arc::make_mut(child).set(i, height - 1, item);
            }
        }
    }

    /// Combines two trees of one height where both have an element, and takes it from either elsewhere.
    fn merge(a: &Arc<Node>, b: &Arc<Node>, f: &Merge<'_>) -> Result<Arc<Node>> {
        let mut node = (**a).clone();
        match (&mut node, &**b) {
            (Node::Leaf(items), Node::Leaf(others)) => {
                for (item, other) in items.iter_mut().zip(others) {
                    *item = match (item.take(), other) {
                        (Some(a), Some(b)) => Some(f(&a, b)?),
                        (a, b) => a.or_else(|| b.clone()),
                    };
                }
            }
            (Node::Branch(nodes), Node::Branch(others)) => {
                for (node, other) in nodes.iter_mut().zip(others) {
                    *node = match (node.take(), other) {
                        (Some(a), Some(b)) => Some(Node::merge(&a, b, f)?),
                        (a, b) => a.or_else(|| b.clone()),
                    };
                }
            }
            _ => bail!(Internal, "lists of different height were merged"),
        }
        Ok(Arc::new(node))
    }
}

type Merge<'a> = dyn Fn(&Tensor, &Tensor) -> Result<Tensor> + 'a;

/// A list of tensors of one dtype; places never written hold nothing.
#[derive(Debug, Clone)]
pub struct TensorList {
    /// The dtype of all elements.
    pub dtype: DType,
    /// What the shapes of all elements fit.
    pub element_shape: PartialShape,
    len: usize,
    height: u32,
    root: Option<Arc<Node>>,
}

impl Object for TensorList {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl TensorList {
    /// A list of `len` places with nothing in them.
    pub fn new(dtype: DType, element_shape: PartialShape, len: usize) -> Result<TensorList> {
        let mut list = TensorList {
            dtype,
            element_shape,
            len: 0,
            height: 0,
            root: None,
        };
        list.grow(len)?;
        Ok(list)
    }

    /// A list of these elements.
    pub fn from_items(
        dtype: DType,
        element_shape: PartialShape,
        items: Vec<Tensor>,
    ) -> Result<TensorList> {
        let mut list = TensorList::new(dtype, element_shape, items.len())?;
        for (i, item) in items.into_iter().enumerate() {
            list.check(&item)?;
            list.put(i, Some(item));
        }
        Ok(list)
    }

    /// The list that a variant tensor holds.
    pub fn of(t: &Tensor) -> Result<&TensorList> {
        let object = t.as_object()?;
        object
            .as_any()
            .downcast_ref()
            .ok_or_else(|| err!(InvalidArgument, "expected a tensor list, got {object:?}"))
    }

    /// The list that a variant tensor holds, to be changed: itself where nothing else shares it, else a copy.
    ///
    /// # Errors
    /// As [`TensorList::of`].
    pub fn change<T>(t: &mut Tensor, f: impl FnOnce(&mut TensorList) -> Result<T>) -> Result<T> {
        if let Some(list) = t.object_mut::<TensorList>() {
            return f(list);
        }
        let mut list = TensorList::of(t)?.clone();
        let result = f(&mut list)?;
        *t = list.into_tensor();
        Ok(result)
    }

    /// The list as a variant tensor.
    pub fn into_tensor(self) -> Tensor {
        Tensor::from_object(DType::Variant, Arc::new(self))
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn grow(&mut self, len: usize) -> Result<()> {
        if len > MAX_LEN {
            bail!(
                ResourceExhausted,
                "a tensor list of {len} elements is too long"
            );
        }
        while len > 1 << (WIDTH_BITS * (self.height + 1)) {
            self.height += 1;
            if let Some(old) = self.root.take() {
                let mut top = [const { None }; WIDTH];
                top[0] = Some(old);
                self.root = Some(Arc::new(Node::Branch(top)));
            }
        }
        self.len = len;
        Ok(())
    }

    /// The element at place `i`, if one was written.
    pub fn get(&self, i: usize) -> Option<&Tensor> {
        self.root.as_ref()?.get(i, self.height)
    }

    fn put(&mut self, i: usize, item: Option<Tensor>) {
        let height = self.height;
        let root = self
            .root
            .get_or_insert_with(|| Arc::new(Node::empty(height)));
        Arc::make_mut(root).set(i, height, item);
    }

    /// Writes an element.
    ///
    /// # Errors
    /// `OutOfRange` behind the end; where the element does not fit.
    pub fn set(&mut self, i: usize, item: Tensor) -> Result<()> {
        if i >= self.len {
            bail!(
                OutOfRange,
                "cannot write element {i} of a list of {} elements",
                self.len
            );
        }
        self.check(&item)?;
        self.put(i, Some(item));
        Ok(())
    }

    /// Checks that an element has the dtype and a shape that fits.
    pub fn check(&self, item: &Tensor) -> Result<()> {
        if item.dtype() != self.dtype {
            bail!(
                DType,
                "a list of {} cannot hold a {} tensor",
                self.dtype,
                item.dtype()
            );
        }
        if !self.element_shape.accepts(item.shape()) {
            bail!(
                Shape,
                "a list of elements of shape {} cannot hold one of shape {}",
                self.element_shape,
                item.shape()
            );
        }
        Ok(())
    }

    /// Adds an element behind the end.
    ///
    /// # Errors
    /// Where the element does not fit.
    pub fn push(&mut self, item: Tensor) -> Result<()> {
        self.check(&item)?;
        self.grow(self.len + 1)?;
        self.set(self.len - 1, item)
    }

    /// Drops what lies behind the first `len` places, or adds empty places behind the end.
    ///
    /// # Errors
    /// `ResourceExhausted` for a length beyond all bounds.
    pub fn resize(&mut self, len: usize) -> Result<()> {
        if len >= self.len {
            return self.grow(len);
        }
        if self.len - len > WIDTH {
            let mut short = TensorList::new(self.dtype, self.element_shape.clone(), len)?;
            for i in 0..len {
                if let Some(item) = self.get(i) {
                    short.put(i, Some(item.clone()));
                }
            }
            *self = short;
            return Ok(());
        }
        for i in len..self.len {
            if self.get(i).is_some() {
                self.put(i, None);
            }
        }
        self.len = len;
        Ok(())
    }

    /// What is known of the shape of the elements: what was declared, and the shape of an element.
    pub fn shape(&self, declared: &PartialShape) -> Result<PartialShape> {
        let mut shape = self.element_shape.merge(declared)?;
        if !shape.is_static()
            && let Some(item) = (0..self.len).find_map(|i| self.get(i))
        {
            shape = shape.merge(&item.shape().into())?;
        }
        Ok(shape)
    }

    /// The element at place `i`, zeros where none was written.
    pub fn item(&self, i: usize, declared: &PartialShape) -> Result<Tensor> {
        if i >= self.len {
            bail!(
                OutOfRange,
                "cannot read element {i} of a list of {} elements",
                self.len
            );
        }
        if let Some(item) = self.get(i) {
            if !declared.accepts(item.shape()) {
                bail!(
                    Shape,
                    "element {i} has shape {}, expected {declared}",
                    item.shape()
                );
            }
            return Ok(item.clone());
        }
        match self.shape(declared)?.to_static() {
            Some(shape) => Tensor::zeros(self.dtype, shape),
            None => Err(err!(
                InvalidArgument,
                "element {i} was never written, and the shape of the elements is not known"
            )),
        }
    }

    /// All elements, zeros where none was written.
    pub fn items(&self, declared: &PartialShape) -> Result<Vec<Tensor>> {
        let shape = self.shape(declared)?;
        (0..self.len).map(|i| self.item(i, &shape)).collect()
    }

    fn merged(&self, other: &TensorList, f: &Merge<'_>) -> Result<TensorList> {
        if self.dtype != other.dtype || self.len != other.len {
            bail!(
                InvalidArgument,
                "lists of {} {} and {} {} elements cannot be added",
                self.len,
                self.dtype,
                other.len,
                other.dtype
            );
        }
        let (mut a, mut b) = (self.clone(), other.clone());
        let capacity = |list: &TensorList| 1usize << (WIDTH_BITS * (list.height + 1));
        let n = capacity(&a).max(capacity(&b));
        a.grow(n)?;
        b.grow(n)?;
        a.len = self.len;
        a.root = match (a.root, b.root) {
            (Some(x), Some(y)) => Some(Node::merge(&x, &y, f)?),
            (x, y) => x.or(y),
        };
        a.element_shape = self.element_shape.generalise(&other.element_shape);
        Ok(a)
    }
}

/// A list as long as that in `t`, with nothing in it: the zero of gradients.
pub(crate) fn zeros_like_list(t: &Tensor) -> Result<Tensor> {
    let list = TensorList::of(t)?;
    let zeros = TensorList::new(list.dtype, list.element_shape.clone(), list.len)?;
    Ok(zeros.into_tensor())
}

/// Lists added element by element, where nothing counts as zero.
pub(crate) fn sum_of_lists(runner: &dyn Runner, lists: &[Tensor]) -> Result<Tensor> {
    let add = crate::registry().make("AddV2", &[])?;
    let plus = |a: &Tensor, b: &Tensor| {
        let sum = add.eval(runner, &[a.clone(), b.clone()])?;
        let sum = sum.into_iter().next();
        sum.ok_or_else(|| err!(Internal, "AddV2 gave nothing"))
    };
    let Some((first, rest)) = lists.split_first() else {
        bail!(Value, "there are no lists to add");
    };
    let mut sum = TensorList::of(first)?.clone();
    for list in rest {
        sum = sum.merged(TensorList::of(list)?, &plus)?;
    }
    Ok(sum.into_tensor())
}
