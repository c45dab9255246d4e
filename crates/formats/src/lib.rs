//! Layouts of files: bytes in, values out, and back.
//!
//! What is read is hostile until it is proven sound: sizes are held against the bytes that there are before memory is
//! taken, checksums are verified, and what does not fit is a `DataLoss` that names the place. Nothing here opens a file
//! by name or knows an operation; the caller brings readers and writers.

mod block;
pub mod bundle;
mod checksum;
pub mod compression;
#[cfg(test)]
mod damage;
pub mod example;
pub mod files;
mod gzip;
pub mod messages;
pub mod npy;
pub mod npz;
pub mod packing;
pub mod record;
mod snappy;
pub mod snapshot;
pub mod wire;

pub use checksum::{appended, mask, masked, verify};
