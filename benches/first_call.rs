//! How long a saved model takes from its files to its first answer, in a process of its own.
//!
//! ```text
//! cargo run --release -p ferrograph --example first_call -- FOLDER
//! ```
//!
//! The inputs of its first signature are zeros, with 1 for each size that is open. It says, in milliseconds, how long the
//! model took to load, and how long the first call and the fastest of 100 further ones took.

use ferrograph::{Model, Result, Value};
use ndarray::ArrayD;
use std::time::{Duration, Instant};

fn main() -> Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: first_call FOLDER");
        std::process::exit(2);
    };
    let start = Instant::now();
    let model = Model::load(folder)?;
    let load = start.elapsed();
    let signatures = model.signatures();
    let signature = signatures.first().expect("a signature is needed");
    let zeros = |dims: Vec<Option<usize>>| {
        let dims: Vec<usize> = dims.iter().map(|d| d.unwrap_or(1)).collect();
        Value::of(ArrayD::<f32>::zeros(dims))
    };
    let mut inputs = Vec::new();
    for input in signature.inputs() {
        let value = zeros(input.shape().unwrap_or_default())?;
        inputs.push((input.name().to_owned(), value));
    }
    let call = || -> Result<Duration> {
        let given = inputs.iter().map(|(name, value)| (name.as_str(), value));
        let start = Instant::now();
        std::hint::black_box(signature.run(given)?);
        Ok(start.elapsed())
    };
    let first = call()?;
    let mut least = Duration::MAX;
    for _ in 0..100 {
        least = least.min(call()?);
    }
    let [load, first, least] = [load, first, least].map(|d| d.as_secs_f64() * 1e3);
    println!("load {load:.2} ms, first call {first:.2} ms, further calls {least:.3} ms");
    Ok(())
}
