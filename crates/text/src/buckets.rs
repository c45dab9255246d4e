//! Strings hashed into buckets.

use crate::farmhash::fingerprint;
use crate::hash::{murmur, sip};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::collected;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_ops::text::like_input;
use ferrograph_tensor::{DType, Result, Tensor, bail};
use smallvec::smallvec;

declare! {
    trait EmitBuckets;

    /// A hash of each string modulo `num_buckets`, by MurmurHash.
    StringToHashBucket: string_to_hash_bucket(string_tensor: string) -> (output: int64), gradient Stops, batch Broadcasts {
        /// How many buckets there are.
        num_buckets: i64,
    };

    /// A hash of each string modulo `num_buckets`, by FarmHash's fingerprint: the same on every machine.
    StringToHashBucketFast: string_to_hash_bucket_fast(input: string) -> (output: int64), gradient Stops, batch Broadcasts {
        /// How many buckets there are.
        num_buckets: i64,
    };

    /// A hash of each string modulo `num_buckets`, by SipHash under a key, so that others cannot choose strings that
    /// collide.
    StringToHashBucketStrong: string_to_hash_bucket_strong(input: string) -> (output: int64), gradient Stops, batch Broadcasts {
        /// How many buckets there are.
        num_buckets: i64,
        /// Two numbers.
        key: Vec<i64>,
    };
}

fn checked_buckets(n: i64) -> Result<u64> {
    match u64::try_from(n) {
        Ok(n) if n > 0 => Ok(n),
        _ => bail!(InvalidArgument, "num_buckets must be at least 1, got {n}"),
    }
}

fn hashed(inputs: &[Tensor], n: i64, hash: impl Fn(&[u8]) -> u64) -> Result<Tensors> {
    let n = checked_buckets(n)?;
    let bucket = |s: &ferrograph_tensor::Bytes| {
        poll_cancellation();
        (hash(s) % n).cast_signed()
    };
    let buckets = collected(inputs[0].as_strings()?.iter().map(bucket));
    Ok(smallvec![Tensor::from_slice(
        inputs[0].shape().clone(),
        &buckets
    )?])
}

impl StringToHashBucketStrong {
    fn key(&self) -> Result<[u64; 2]> {
        match self.key[..] {
            [a, b] => Ok([a.cast_unsigned(), b.cast_unsigned()]),
            _ => bail!(
                InvalidArgument,
                "key must have 2 elements, got {}",
                self.key.len()
            ),
        }
    }
}

impl Op for StringToHashBucket {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        checked_buckets(self.num_buckets)?;
        like_input(inputs, DType::Int64)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        hashed(inputs, self.num_buckets, murmur)
    }
}

impl Op for StringToHashBucketFast {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        checked_buckets(self.num_buckets)?;
        like_input(inputs, DType::Int64)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        hashed(inputs, self.num_buckets, fingerprint)
    }
}

impl Op for StringToHashBucketStrong {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        checked_buckets(self.num_buckets)?;
        self.key()?;
        like_input(inputs, DType::Int64)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let key = self.key()?;
        hashed(inputs, self.num_buckets, |s| sip(s, key))
    }
}
