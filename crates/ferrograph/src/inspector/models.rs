//! Saved models as documents of the inspector.

use super::SCHEMA;
use super::plans::described;
use crate::error::{Result, guarded};
use crate::model::Model;
use crate::trace::{TensorInfo, Trace};
use serde_json::{Value, json};
use std::path::Path;

/// The document of the model in a folder: its signatures, then the traces of its functions.
pub(super) fn document(folder: &Path) -> Result<String> {
    let model = Model::load(folder)?;
    let mut traces = Vec::new();
    guarded(|| {
        for signature in model.signatures() {
            traces.push(one(signature.name(), signature.trace()));
        }
        for function in model.functions() {
            traces.extend(function.traces().map(|trace| one(function.name(), trace)));
        }
        Ok(())
    })?;
    let title = folder.file_name().unwrap_or(folder.as_os_str());
    let document = json!({
        "schema": SCHEMA,
        "title": title.to_string_lossy(),
        "sources": [],
        "traces": traces,
        "retraces": [],
        "profile": null,
    });
    Ok(document.to_string())
}

fn one(name: &str, trace: &Trace) -> Value {
    let inputs: Vec<String> = trace.inputs().iter().map(TensorInfo::to_string).collect();
    described(name, &inputs.join(", "), trace.concrete())
}
