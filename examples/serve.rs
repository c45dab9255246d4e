//! Answers from a saved model without Python: reads pictures, one a line, from standard input, and writes what the model
//! says of each.
//!
//! ```text
//! cargo run --release -p ferrograph --example serve -- FOLDER < pictures.txt
//! ```
//!
//! A line holds the numbers of one picture with spaces between them. An answer is the most likely class and the bits of
//! the scores of all classes, so that they can be held against those of another program.

use ferrograph::{Error, Model, Signature};
use ndarray::Array2;
use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: serve FOLDER < pictures.txt");
        return ExitCode::from(2);
    };
    match Model::load(folder)
        .map_err(Said::from)
        .and_then(|model| serve(&model))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(Said(text)) => {
            eprintln!("serve: {text}");
            ExitCode::FAILURE
        }
    }
}

/// What went wrong, for people.
struct Said(String);

impl From<Error> for Said {
    fn from(e: Error) -> Said {
        Said(e.to_string())
    }
}

impl From<std::io::Error> for Said {
    fn from(e: std::io::Error) -> Said {
        Said(e.to_string())
    }
}

fn serve(model: &Model) -> Result<(), Said> {
    let signature = model.signature("serving_default")?;
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let answer = answer(&signature, &line?)?;
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

/// The most likely class of a picture, and the bits of the scores.
fn answer(signature: &Signature<'_>, line: &str) -> Result<String, Said> {
    let numbers = line.split_whitespace().map(str::parse);
    let numbers: Vec<f32> = numbers
        .collect::<Result<_, _>>()
        .map_err(|e| Said(format!("a picture is no line of numbers: {e}")))?;
    let picture = Array2::from_shape_vec((1, numbers.len()), numbers);
    let picture = picture.map_err(|e| Said(e.to_string()))?;
    let found = signature.run([("images", picture)])?;
    let scores = found.get("scores")?.array::<f32>()?;
    let best = scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    let best = best.map_or(0, |(class, _)| class);
    let bits: Vec<String> = scores
        .iter()
        .map(|s| format!("{:08x}", s.to_bits()))
        .collect();
    Ok(format!("{best} {}", bits.join(" ")))
}
