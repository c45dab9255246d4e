//! The list itself.

use super::tree::{Item, Leaf, Merge, Node, WIDTH, WIDTH_BITS};
use ferrograph_graph::Runner;
use ferrograph_tensor::{
    DType, Object, PartialShape, Result, Shape, Tensor, bail, depth_over, err, vec_for,
};
use std::any::Any;
use std::sync::Arc;

/// Lists longer than this are refused.
const MAX_LEN: usize = 1 << 40;

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
    depth: usize,
}

impl Object for TensorList {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn is_value(&self) -> bool {
        true
    }
    fn depth(&self) -> usize {
        self.depth
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
            depth: 1,
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
            list.put(i, Item::Tensor(item))?;
        }
        Ok(list)
    }

    /// The list that a variant tensor holds.
    pub fn of(t: &Tensor) -> Result<&TensorList> {
        TensorList::find(t)
            .ok_or_else(|| err!(InvalidArgument, "expected a tensor list, got {t:?}"))
    }

    /// That list, where it is one.
    pub fn find(t: &Tensor) -> Option<&TensorList> {
        t.as_object().ok()?.as_any().downcast_ref()
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

    /// Whether it shares little with other lists: to drop it takes as long as it has elements.
    pub fn is_alone(&self) -> bool {
        let root = self.root.as_ref();
        root.is_some_and(|root| Arc::strong_count(root) == 1 && root.is_alone())
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
    pub fn get(&self, i: usize) -> Option<Tensor> {
        self.root.as_ref()?.get(i, self.height, self.dtype)
    }

    fn put(&mut self, i: usize, item: Item<'_>) -> Result<()> {
        if let Item::Tensor(item) = &item {
            self.depth = self.depth.max(depth_over(std::slice::from_ref(item))?);
        }
        let (height, dtype) = (self.height, self.dtype);
        let root = self
            .root
            .get_or_insert_with(|| Arc::new(Node::empty(height)));
        Arc::make_mut(root).set(i, height, item, dtype)
    }

    fn expect_place(&self, i: usize, verb: &str) -> Result<()> {
        if i >= self.len {
            bail!(
                OutOfRange,
                "cannot {verb} element {i} of a list of {} elements",
                self.len
            );
        }
        Ok(())
    }

    fn expect_dtype(&self, dtype: DType) -> Result<()> {
        if dtype != self.dtype {
            bail!(
                DType,
                "a list of {} cannot hold a {dtype} tensor",
                self.dtype
            );
        }
        Ok(())
    }

    fn expect_shape(&self, shape: &Shape) -> Result<()> {
        if !self.element_shape.accepts(shape) {
            bail!(
                Shape,
                "a list of elements of shape {} cannot hold one of shape {shape}",
                self.element_shape
            );
        }
        Ok(())
    }

    /// Writes an element of at most [`crate::PACKED_BYTES`] bytes.
    ///
    /// # Errors
    /// As [`TensorList::set`].
    pub fn set_bytes(&mut self, i: usize, dtype: DType, shape: &Shape, bytes: &[u8]) -> Result<()> {
        self.expect_place(i, "write")?;
        self.expect_dtype(dtype)?;
        self.expect_shape(shape)?;
        self.put(i, Item::Bytes(shape, bytes))
    }

    /// Adds such an element behind the end.
    ///
    /// # Errors
    /// As [`TensorList::set`].
    pub fn push_bytes(&mut self, dtype: DType, shape: &Shape, bytes: &[u8]) -> Result<()> {
        self.grow(self.len + 1)?;
        self.set_bytes(self.len - 1, dtype, shape, bytes)
    }

    /// Copies element `i`, which has that shape, to `out`; zeros where none was written.
    ///
    /// # Errors
    /// `OutOfRange` behind the end, `DType` and `Shape` where the element is of another type.
    pub fn read(&self, i: usize, dtype: DType, shape: &Shape, out: &mut [u8]) -> Result<()> {
        self.expect_place(i, "read")?;
        if dtype != self.dtype {
            bail!(DType, "a list of {} was read as {dtype}", self.dtype);
        }
        let found = self.root.as_ref();
        match found.and_then(|root| root.get_bytes(i, self.height)) {
            Some((found, bytes)) if found == shape => out.copy_from_slice(bytes),
            Some((found, _)) => {
                bail!(Shape, "element {i} has shape {found}, expected {shape}")
            }
            None => out.fill(0),
        }
        Ok(())
    }

    /// Writes an element.
    ///
    /// # Errors
    /// `OutOfRange` behind the end; where the element does not fit.
    pub fn set(&mut self, i: usize, item: Tensor) -> Result<()> {
        self.expect_place(i, "write")?;
        self.check(&item)?;
        self.put(i, Item::Tensor(item))
    }

    /// Checks that an element has the dtype and a shape that fits.
    pub fn check(&self, item: &Tensor) -> Result<()> {
        self.expect_dtype(item.dtype())?;
        self.expect_shape(item.shape())
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

    /// Drops what is behind the first `len` places, or adds empty places behind the end.
    ///
    /// # Errors
    /// `ResourceExhausted` for a length beyond all bounds.
    pub fn resize(&mut self, len: usize) -> Result<()> {
        if len >= self.len {
            return self.grow(len);
        }
        if len == 0 {
            self.root = None;
        } else if let Some(root) = &mut self.root {
            Arc::make_mut(root).truncate(len, self.height, self.dtype)?;
        }
        self.len = len;
        Ok(())
    }

    /// What is known of the shape of the elements: what was declared, and the shape of an element.
    pub fn shape(&self, declared: &PartialShape) -> Result<PartialShape> {
        let mut shape = self.element_shape.merge(declared)?;
        if !shape.is_static()
            && let Some(item) = self.root.as_ref().and_then(|root| root.first(self.dtype))
        {
            shape = shape.merge(&item.shape().into())?;
        }
        Ok(shape)
    }

    /// The element at place `i`, zeros where none was written.
    pub fn item(&self, i: usize, declared: &PartialShape) -> Result<Tensor> {
        self.expect_place(i, "read")?;
        if let Some(item) = self.get(i) {
            if !declared.accepts(item.shape()) {
                bail!(
                    Shape,
                    "element {i} has shape {}, expected {declared}",
                    item.shape()
                );
            }
            return Ok(item);
        }
        match self.shape(declared)?.to_static() {
            Some(shape) => Tensor::zeros(self.dtype, shape),
            None => Err(err!(
                InvalidArgument,
                "element {i} was never written, and the shape of the elements is not known"
            )),
        }
    }

    /// All elements of that shape in one tensor, where they are side by side.
    ///
    /// # Errors
    /// Where memory does not suffice.
    pub fn packed(&self, shape: &Shape) -> Result<Option<Tensor>> {
        let size = shape.checked_bytes(self.dtype)?;
        if !self.dtype.is_dense() || size == 0 || self.is_empty() {
            return Ok(None);
        }
        let dims: Shape = std::iter::once(self.len)
            .chain(shape.iter().copied())
            .collect();
        let mut all = Tensor::zeros(self.dtype, dims)?;
        let Some(bytes) = all.bytes_mut() else {
            return Ok(None);
        };
        for (k, part) in bytes.chunks_mut(WIDTH * size).enumerate() {
            let root = self.root.as_ref();
            match root.and_then(|root| root.leaf(k * WIDTH, self.height)) {
                Some(Leaf::Packed(packed)) if packed.is_empty() => {}
                Some(Leaf::Packed(packed)) if packed.shape == *shape => {
                    part.copy_from_slice(packed.first(part.len() / size));
                }
                Some(_) => return Ok(None),
                None => {}
            }
        }
        Ok(Some(all))
    }

    /// All elements, zeros where none was written.
    ///
    /// # Errors
    /// Where memory does not suffice; as [`TensorList::item`].
    pub fn items(&self, declared: &PartialShape) -> Result<Vec<Tensor>> {
        let shape = self.shape(declared)?;
        let mut items = vec_for(self.len)?;
        for i in 0..self.len {
            items.push(self.item(i, &shape)?);
        }
        Ok(items)
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
            (Some(x), Some(y)) => Some(Node::merge(&x, &y, self.dtype, f)?),
            (x, y) => x.or(y),
        };
        a.depth = self.depth.max(other.depth);
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
    let plus = |a: &Tensor, b: &Tensor| crate::elementwise::add_now(runner, a, b);
    let Some((first, rest)) = lists.split_first() else {
        bail!(Value, "there are no lists to add");
    };
    let mut sum = TensorList::of(first)?.clone();
    for list in rest {
        sum = sum.merged(TensorList::of(list)?, &plus)?;
    }
    Ok(sum.into_tensor())
}
