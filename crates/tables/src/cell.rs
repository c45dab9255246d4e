//! A table as programs hold it.

use crate::column::Column;
use crate::lock::{read, write};
use crate::rows::{Elements, Rows, Target};
use crate::store::{Again, Store};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{DType, Object, Result, Shape, Tensor, bail, err};
use parking_lot::RwLock;
use std::any::Any;
use std::sync::Arc;

/// Lookups of more keys share what the table holds now, so that they neither keep writers waiting nor see half of what
/// they write.
const MANY: usize = 1 << 16;

/// The dtype and shape of a key or value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// The dtype.
    pub dtype: DType,
    /// The shape: of most keys and values that of a scalar.
    pub shape: Shape,
}

/// What may be done with a table.
#[derive(Debug)]
pub(crate) enum Kind {
    /// It is filled once, with keys that have one value each.
    Filled,
    /// Keys come and go.
    Mutable,
    /// Keys come and go, but for these two, which none may be.
    Reserved([Tensor; 2]),
}

/// A hash table. Threads look up side by side; who changes it waits until it is alone for the moment.
#[derive(Debug)]
pub struct TableCell {
    key: Item,
    value: Item,
    kind: Kind,
    /// Held for moments only, without a look for interrupts. Nothing in a table that was not filled yet.
    store: RwLock<Option<Arc<Store>>>,
}

impl Object for TableCell {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What is done with the keys that are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// They come, or get other values.
    Insert,
    /// They are all that is in the table from now on.
    Import,
}

impl TableCell {
    /// A table of such keys and values.
    ///
    /// # Errors
    /// `InvalidArgument` for keys of a dtype that cannot be hashed, or values that are objects.
    pub(crate) fn new(key: Item, value: Item, kind: Kind) -> Result<TableCell> {
        if !key.dtype.is_integer() && key.dtype != DType::String {
            bail!(
                InvalidArgument,
                "keys of a table are integers or strings, not {}",
                key.dtype
            );
        }
        if !value.dtype.is_dense() && value.dtype != DType::String {
            bail!(InvalidArgument, "a table holds no {}", value.dtype);
        }
        let cell = TableCell {
            key,
            value,
            kind,
            store: RwLock::new(None),
        };
        if !matches!(cell.kind, Kind::Filled) {
            *cell.store.write() = Some(Arc::new(cell.empty()));
        }
        Ok(cell)
    }

    /// The table that a resource tensor refers to.
    ///
    /// # Errors
    /// `InvalidArgument` for another resource.
    pub fn of(handle: &Tensor) -> Result<&TableCell> {
        let object = handle.as_object()?;
        object
            .as_any()
            .downcast_ref()
            .ok_or_else(|| err!(InvalidArgument, "the resource is no table: {object:?}"))
    }

    /// The table as a resource tensor.
    pub fn into_tensor(self) -> Tensor {
        Tensor::from_object(DType::Resource, Arc::new(self))
    }

    /// The dtype and shape of a key.
    pub fn key(&self) -> &Item {
        &self.key
    }

    /// The dtype and shape of a value.
    pub fn value(&self) -> &Item {
        &self.value
    }

    pub(crate) fn empty(&self) -> Store {
        let column = |item: &Item| Column::new(item.dtype, item.shape.clone());
        Store::new(column(&self.key), column(&self.value))
    }

    fn missing(&self) -> ferrograph_tensor::Error {
        err!(FailedPrecondition, "the table is not initialized")
    }

    /// What the table holds at one moment.
    fn snapshot(&self) -> Result<Arc<Store>> {
        let held = read(&self.store);
        held.as_ref().cloned().ok_or_else(|| self.missing())
    }

    /// How many keys there are.
    ///
    /// # Errors
    /// `FailedPrecondition` where the table was not filled yet.
    pub fn size(&self) -> Result<usize> {
        Ok(self.snapshot()?.len())
    }

    /// All keys, and their values.
    ///
    /// # Errors
    /// As [`TableCell::size`]; where memory does not suffice.
    pub fn export(&self) -> Result<[Tensor; 2]> {
        let [keys, values] = self.snapshot()?.to_tensors()?;
        if !matches!(self.kind, Kind::Reserved(_)) {
            return Ok([keys, values]);
        }
        // Of a table with reserved keys, keys and values are matrices.
        let matrix = |t: &Tensor, item: &Item| {
            let n = item.shape.n_elements();
            t.reshaped(Shape::new(&[t.shape()[0], n]))
        };
        Ok([matrix(&keys, &self.key)?, matrix(&values, &self.value)?])
    }

    /// Keys by row, and the shape that they have together.
    fn keys_in<'a>(&self, keys: Elements<'a>) -> Result<(Rows<'a>, Shape)> {
        if keys.dtype != self.key.dtype {
            bail!(
                InvalidArgument,
                "the keys of the table are {}, got {}",
                self.key.dtype,
                keys.dtype
            );
        }
        let Some(outer) = keys.shape.strip_suffix(&self.key.shape[..]) else {
            bail!(
                InvalidArgument,
                "expected keys of shape {}, got shape {}",
                self.key.shape,
                keys.shape
            );
        };
        let rows = keys.rows(self.key.shape.n_elements());
        let outer = Shape::new(outer);
        self.refuse_reserved(rows, outer.n_elements())?;
        Ok((rows, outer))
    }

    fn refuse_reserved(&self, keys: Rows<'_>, n: usize) -> Result<()> {
        let Kind::Reserved(reserved) = &self.kind else {
            return Ok(());
        };
        for (name, key) in ["empty_key", "deleted_key"].into_iter().zip(reserved) {
            let key = Elements::of(key)?.rows(self.key.shape.n_elements()).row(0);
            if (0..n).any(|i| keys.row(i) == key) {
                bail!(
                    InvalidArgument,
                    "Using the {name} as a table key is not allowed"
                );
            }
        }
        Ok(())
    }

    /// Makes the rows of two matrices, as tables with reserved keys are exported, all that is in the table. Rows of
    /// reserved keys mark places without contents.
    fn import_places(
        &self,
        keys: Elements<'_>,
        values: Elements<'_>,
        reserved: &[Tensor; 2],
    ) -> Result<()> {
        let (width, n) = (self.key.shape.n_elements(), keys.shape[0]);
        let expected = [[n, width], [n, self.value.shape.n_elements()]];
        if keys.dtype != self.key.dtype || values.dtype != self.value.dtype {
            bail!(
                InvalidArgument,
                "the table has {} by {}, got {} by {}",
                self.value.dtype,
                self.key.dtype,
                values.dtype,
                keys.dtype
            );
        }
        if keys.shape[..] != expected[0] || values.shape[..] != expected[1] {
            bail!(
                InvalidArgument,
                "expected keys and values of shapes {:?} and {:?}, got {:?} and {:?}",
                expected[0],
                expected[1],
                keys.shape,
                values.shape
            );
        }
        let (keys, values) = (keys.rows(width), values.rows(expected[1][1]));
        let [empty, deleted] = reserved;
        let empty = Elements::of(empty)?.rows(width).row(0);
        let deleted = Elements::of(deleted)?.rows(width).row(0);
        let mut store = self.empty();
        for i in 0..n {
            poll_cancellation();
            let key = keys.row(i);
            if key != empty && key != deleted {
                store.insert(key, values.row(i), self.again())?;
            }
        }
        self.fill(store)
    }

    /// The values of one for each key.
    fn values_in<'a>(&self, values: Elements<'a>, outer: &Shape) -> Result<Rows<'a>> {
        let expected: Shape = outer
            .iter()
            .chain(self.value.shape.iter())
            .copied()
            .collect();
        if values.dtype != self.value.dtype {
            bail!(
                InvalidArgument,
                "the values of the table are {}, got {}",
                self.value.dtype,
                values.dtype
            );
        }
        if *values.shape != expected {
            bail!(
                InvalidArgument,
                "expected values of shape {expected}, got {}",
                values.shape
            );
        }
        Ok(values.rows(self.value.shape.n_elements()))
    }

    /// The shape of what is found for keys of that shape.
    ///
    /// # Errors
    /// `InvalidArgument` where keys have another shape.
    pub(crate) fn found_shape(&self, keys: Elements<'_>) -> Result<Shape> {
        let (_, outer) = self.keys_in(keys)?;
        Ok(outer
            .iter()
            .chain(self.value.shape.iter())
            .copied()
            .collect())
    }

    /// Writes the value of each key, in order, and that of `default` for one that is not there: one value for all, or
    /// one for each.
    ///
    /// # Errors
    /// `InvalidArgument` where dtypes or shapes do not fit; as [`TableCell::size`].
    pub(crate) fn find(
        &self,
        keys: Elements<'_>,
        default: Elements<'_>,
        out: &mut Target<'_>,
    ) -> Result<()> {
        let (keys, outer) = self.keys_in(keys)?;
        let is_one = *default.shape == self.value.shape;
        let defaults = match is_one {
            true => self.values_in(default, &Shape::scalar())?,
            false => self.values_in(default, &outer)?,
        };
        let missing = |i: usize| defaults.row(if is_one { 0 } else { i });
        let n = outer.n_elements();
        if n <= MANY {
            let held = read(&self.store);
            let store = held.as_ref().ok_or_else(|| self.missing())?;
            store.find(keys, 0..n, missing, out);
            return Ok(());
        }
        let store = self.snapshot()?;
        for start in (0..n).step_by(MANY) {
            poll_cancellation();
            store.find(keys, start..n.min(start + MANY), missing, out);
        }
        Ok(())
    }

    /// Adds keys with their values, or puts them in the place of all there is. Nothing changes where that fails.
    ///
    /// # Errors
    /// `InvalidArgument` where dtypes or shapes do not fit; `FailedPrecondition` where a table that is filled once has
    /// other contents, or a key of it two values.
    pub(crate) fn change(
        &self,
        keys: Elements<'_>,
        values: Elements<'_>,
        change: Change,
    ) -> Result<()> {
        if change == Change::Import
            && let Kind::Reserved(reserved) = &self.kind
            && keys.shape.len() == 2
        {
            return self.import_places(keys, values, reserved);
        }
        let (keys, outer) = self.keys_in(keys)?;
        let values = self.values_in(values, &outer)?;
        let n = outer.n_elements();
        if change == Change::Insert {
            return self.insert(keys, values, n);
        }
        let again = self.again();
        let mut store = self.empty();
        store.reserve(n);
        for i in 0..n {
            poll_cancellation();
            store.insert(keys.row(i), values.row(i), again)?;
        }
        self.fill(store)
    }

    pub(crate) fn again(&self) -> Again {
        match self.kind {
            Kind::Filled => Again::Agrees,
            Kind::Mutable | Kind::Reserved(_) => Again::Replaces,
        }
    }

    /// Makes that the contents.
    ///
    /// # Errors
    /// `FailedPrecondition` where the table is filled once and has others.
    pub(crate) fn fill(&self, store: Store) -> Result<()> {
        let mut held = write(&self.store);
        let before = match (&self.kind, &*held) {
            (Kind::Filled, Some(before)) => before.clone(),
            _ => {
                *held = Some(Arc::new(store));
                return Ok(());
            }
        };
        drop(held);
        if !before.agrees(&store) {
            bail!(
                FailedPrecondition,
                "Table was already initialized with different data."
            );
        }
        Ok(())
    }

    fn refuse_filled(&self) -> Result<()> {
        if matches!(self.kind, Kind::Filled) {
            bail!(
                Unimplemented,
                "a table that is filled once takes no further keys and loses none"
            );
        }
        Ok(())
    }

    fn insert(&self, keys: Rows<'_>, values: Rows<'_>, n: usize) -> Result<()> {
        self.refuse_filled()?;
        self.alone(|store| {
            store.reserve(n);
            (0..n).try_for_each(|i| store.insert(keys.row(i), values.row(i), Again::Replaces))
        })
    }

    /// Takes keys out; those that are not there are no error.
    ///
    /// # Errors
    /// `InvalidArgument` where keys do not fit, `Unimplemented` for a table that is filled once.
    pub(crate) fn remove(&self, keys: Elements<'_>) -> Result<()> {
        self.refuse_filled()?;
        let (keys, outer) = self.keys_in(keys)?;
        let remove = |store: &mut Store| {
            (0..outer.n_elements()).for_each(|i| store.remove(keys.row(i)));
            Ok(())
        };
        self.alone(remove)
    }

    /// Does work on what the table holds, on a copy of it where readers share it.
    fn alone(&self, work: impl FnOnce(&mut Store) -> Result<()>) -> Result<()> {
        let mut held = write(&self.store);
        let store = held.as_mut().ok_or_else(|| self.missing())?;
        if Arc::get_mut(store).is_none() {
            *store = Arc::new(store.copied());
        }
        match Arc::get_mut(store) {
            Some(store) => work(store),
            None => Err(err!(Internal, "a copy of a table is shared")),
        }
    }
}
