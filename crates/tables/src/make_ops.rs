//! Operations that make tables.

use crate::cell::{Item, Kind, TableCell};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{DType, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err};
use smallvec::smallvec;

declare! {
    trait EmitTableMakers;

    /// A fresh table that is filled once.
    HashTableV2 as "hash_table": hash_table() -> (table_handle: resource), gradient Stops, effect World {
        /// The dtype of the keys.
        key_dtype: DType,
        /// The dtype of the values.
        value_dtype: DType,
    };

    /// A fresh table of scalars to which keys are added and from which they are removed.
    MutableHashTableV2 as "MutableHashTable": mutable_hash_table()
        -> (table_handle: resource), gradient Stops, effect World {
        /// The dtype of the keys.
        key_dtype: DType,
        /// The dtype of the values.
        value_dtype: DType,
    };

    /// As `MutableHashTableV2`, of vectors.
    MutableHashTableOfTensorsV2 as "MutableHashTable": mutable_hash_table_of_tensors()
        -> (table_handle: resource), gradient Stops, effect World {
        /// The dtype of the keys.
        key_dtype: DType,
        /// The dtype of the values.
        value_dtype: DType,
        /// The shape of a value, a vector's.
        value_shape: PartialShape = PartialShape::scalar(),
    };

    /// As `MutableHashTableOfTensorsV2`, with two keys that none may be; keys may be vectors, too.
    MutableDenseHashTableV2 as "MutableDenseHashTable": mutable_dense_hash_table(
        empty_key: key_dtype, deleted_key: key_dtype,
    ) -> (table_handle: resource), gradient Stops, effect World {
        /// The dtype of the values.
        value_dtype: DType,
        /// The shape of a value.
        value_shape: PartialShape = PartialShape::scalar(),
        /// For how many keys there is to be room at first: a power of two.
        initial_num_buckets: i64 = 1 << 17,
        /// How full the table may be before it grows.
        max_load_factor: f64 = 0.8,
    };
}

fn scalars(dtype: DType) -> Item {
    let shape = Shape::scalar();
    Item { dtype, shape }
}

/// The values of that dtype and shape.
fn values(dtype: DType, shape: &PartialShape) -> Result<Item> {
    let shape = shape.to_static();
    let shape = shape.ok_or_else(|| err!(InvalidArgument, "the shape of values must be known"))?;
    Ok(Item { dtype, shape })
}

/// The shape of values of a table of vectors.
///
/// # Errors
/// `InvalidArgument` where it is that of no vector.
fn expect_vector(shape: &PartialShape) -> Result<()> {
    if shape.rank() != Some(1) {
        bail!(
            InvalidArgument,
            "Default value must be a vector, got shape {shape}"
        );
    }
    Ok(())
}

fn made(key: Item, value: Item, kind: Kind) -> Result<Tensors> {
    Ok(smallvec![TableCell::new(key, value, kind)?.into_tensor()])
}

impl Op for HashTableV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        let (key, value) = (scalars(self.key_dtype), scalars(self.value_dtype));
        made(key, value, Kind::Filled)
    }
}

impl Op for MutableHashTableV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        let (key, value) = (scalars(self.key_dtype), scalars(self.value_dtype));
        made(key, value, Kind::Mutable)
    }
}

impl Op for MutableHashTableOfTensorsV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        expect_vector(&self.value_shape)?;
        let value = values(self.value_dtype, &self.value_shape)?;
        made(scalars(self.key_dtype), value, Kind::Mutable)
    }
}

impl MutableDenseHashTableV2 {
    /// Checks attributes, and that keys have one shape.
    fn check(&self, empty: &TensorSpec, deleted: &TensorSpec) -> Result<()> {
        let buckets = self.initial_num_buckets;
        if buckets < 4 || !buckets.cast_unsigned().is_power_of_two() {
            bail!(
                InvalidArgument,
                "Number of buckets must be at least 4 and a power of 2, got: {buckets}"
            );
        }
        if !(self.max_load_factor > 0.0 && self.max_load_factor < 1.0) {
            bail!(
                InvalidArgument,
                "max_load_factor must be between 0 and 1, got: {}",
                self.max_load_factor
            );
        }
        if !empty.shape.is_compatible(&deleted.shape) {
            bail!(
                InvalidArgument,
                "Empty and deleted keys must have same shape, got shapes: {} and {}",
                empty.shape,
                deleted.shape
            );
        }
        if empty.shape.rank().is_some_and(|rank| rank > 1) {
            bail!(
                InvalidArgument,
                "Empty key must be a scalar or a vector, got shape {}",
                empty.shape
            );
        }
        Ok(())
    }
}

impl Op for MutableDenseHashTableV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        self.check(inputs.spec(0), inputs.spec(1))?;
        Ok(smallvec![TensorSpec::scalar(DType::Resource)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [empty, deleted] = inputs else {
            bail!(Internal, "a table with {} reserved keys", inputs.len());
        };
        if crate::rows::equal(empty, deleted)? {
            bail!(InvalidArgument, "Empty and deleted keys cannot be equal");
        }
        let key = Item {
            dtype: empty.dtype(),
            shape: empty.shape().clone(),
        };
        let value = values(self.value_dtype, &self.value_shape)?;
        made(key, value, Kind::Reserved([empty.clone(), deleted.clone()]))
    }
}
