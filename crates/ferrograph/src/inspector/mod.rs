//! The inspector: one HTML page that shows what a traced function did, with no request to anywhere.
//!
//! [`page`] makes the page of a document, which is JSON in this form (`null` where something is not known):
//!
//! ```text
//! Document = {"schema": "ferrograph-inspector/1", "title": text, "sources": [Source], "traces": [Trace],
//!             "retraces": [Retrace], "profile": Profile | null}
//! Source   = {"file": text, "first": number of the first line, "lines": [text]}
//! Line     = [file, line, function]
//! Trace    = {"name": text, "signature": text, "graphs": [Graph], "plan": Plan | null, "without_plan": text}
//! Graph    = {"name": text, "nodes": [Node], "inputs": [Value], "outputs": [Value]}
//! Value    = [number of the node, number of its output]
//! Node     = {"name": text, "op": text, "inputs": [Value], "after": [number of a node], "types": [text],
//!             "attrs": {name: text}, "line": Line | null, "regions": [{"role": text, "graph": number}],
//!             "flops": number | null, "bytes": number | null}
//! Plan     = {"slab": bytes, "flops": number, "slots": [Slot], "steps": [Step], "outputs": [number of a slot]}
//! Slot     = {"type": text, "bytes": number | null, "offset": number | null,
//!             "place": "input" | "constant" | "slab" | "tensor" | "unused"}
//! Step     = {"operation": text, "node": text | null, "line": Line | null, "kind": text, "depth": number of blocks around
//!             it, "role": text, "reads": [number of a slot], "writes": [number of a slot], "fused": Fused | null}
//! Fused    = {"members": [[operation, node | null, Line | null]], "rows": number, "tile": number, "read": bytes,
//!             "written": bytes}
//! Retrace  = {"function": text, "definition": text, "call_site": text, "kind": text, "index": number,
//!             "nearest": number | null, "causes": [{"text": text, "fix": text}], "action": text, "seconds": number}
//! Profile  = {"steps": [{"operation": text, "node": text | null, "kind": text, "line": Line | null, "count": number,
//!             "total": seconds, "own": seconds, "bytes": number}] | null, "events": [event of a Chrome trace]}
//! ```
//!
//! The first graph of a trace is that of the function, the others are the regions of its nodes. The steps in the blocks of
//! a branch or loop follow it, one deeper, with the role of their block. Of a profile without
//! `steps` the page sums up the events: complete ones (`"ph": "X"`), whose `args` may have `node`, `line` as
//! `file:line in function`, and `bytes`, and names of threads.

mod chrome;
mod graphs;
mod models;
mod plans;

pub use plans::trace;

use crate::error::Result;
use ferrograph_files::base64;
use ferrograph_tensor::err;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;

pub(crate) const SCHEMA: &str = "ferrograph-inspector/1";

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: [&str; 7] = [
    include_str!("base.js"),
    include_str!("layout.js"),
    include_str!("graph.js"),
    include_str!("side.js"),
    include_str!("plan.js"),
    include_str!("time.js"),
    include_str!("page.js"),
];

/// The page that shows a document, which is JSON in the form above.
///
/// # Errors
/// `InvalidArgument` where it is no JSON, or no document.
///
/// ```
/// use ferrograph::inspector::page;
///
/// # fn main() -> ferrograph::Result<()> {
/// let page = page(r#"{"schema": "ferrograph-inspector/1", "title": "</script>", "sources": [], "traces": [],
///                     "retraces": [], "profile": null}"#)?;
/// assert!(page.starts_with("<!doctype html>") && page.contains(r#""\u003c/script>""#));
/// # Ok(())
/// # }
/// ```
pub fn page(data: &str) -> Result<String> {
    let document = parsed(data)?;
    if document["schema"] != SCHEMA {
        return Err(err!(
            InvalidArgument,
            "the inspector shows documents of the schema {SCHEMA:?}, got {}",
            document["schema"]
        )
        .into());
    }
    Ok(filled(data))
}

/// The document of what is at that path: a saved model, a Chrome trace, or a document.
///
/// # Errors
/// Those of [`Model::load`](crate::Model::load) for a folder; `InvalidArgument` for a file that holds neither a trace nor a
/// document.
pub fn document(path: &Path) -> Result<String> {
    if path.is_dir() || !path.exists() {
        return models::document(path);
    }
    let data = std::fs::read_to_string(path).map_err(|e| {
        err!(
            InvalidArgument,
            "{} can't be read as text: {e}",
            path.display()
        )
    })?;
    let value = parsed(&data).map_err(|e| err!(InvalidArgument, "{}: {e}", path.display()))?;
    if value["schema"] == SCHEMA {
        return Ok(data);
    }
    let name = path.file_name().unwrap_or(path.as_os_str());
    match chrome::document(&name.to_string_lossy(), &value) {
        Some(document) => Ok(document.to_string()),
        None => Err(err!(
            InvalidArgument,
            "{} holds neither a Chrome trace (traceEvents) nor what an inspector has saved",
            path.display()
        )
        .into()),
    }
}

fn parsed(data: &str) -> Result<Value> {
    let parsed = serde_json::from_str(data);
    Ok(parsed.map_err(|e| err!(InvalidArgument, "the inspector needs JSON: {e}"))?)
}

/// The page with its style, its script and this JSON, in which no text ends the script or is a line end to it.
fn filled(data: &str) -> String {
    let script = SCRIPT.concat();
    let safe = data
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    let parts: [(&str, &str); 5] = [
        ("{script-hash}", &source_hash(&script)),
        ("{style-hash}", &source_hash(STYLE)),
        ("{style}", STYLE),
        ("{data}", &safe),
        ("{script}", &script),
    ];
    // From part to part, so that what is put in is not searched.
    let mut page = String::with_capacity(PAGE.len() + STYLE.len() + script.len() + safe.len());
    let mut rest = PAGE;
    for (name, content) in parts {
        let (before, behind) = rest.split_once(name).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(content);
        rest = behind;
    }
    page.push_str(rest);
    page
}

/// A script or style as a content security policy names it.
fn source_hash(text: &str) -> String {
    format!("sha256-{}", base64::encode(&Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = r#"{"schema": "ferrograph-inspector/1", "title": "</script><!-- {script} \u2028", "sources": [],
        "traces": [], "retraces": [], "profile": null}"#;

    #[test]
    fn no_text_of_the_data_leaves_it() {
        let made = page(&EMPTY.replace("\\u2028", "\u{2028}")).unwrap();
        assert_eq!(made.matches("</script>").count(), 2);
        assert_eq!(made.matches("<script").count(), 2);
        assert!(!made.contains("<!--") && !made.contains('\u{2028}'));
        assert!(made.contains("{script}") && !made.contains("{style}"));
    }

    #[test]
    fn a_saved_model_has_its_traces() {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/saved/recorded/model"
        );
        let text = document(Path::new(folder)).unwrap();
        assert!(page(&text).unwrap().contains("recurrent"));
        let found = parsed(&text).unwrap();
        assert_eq!(found["title"], "model");
        let traces = found["traces"].as_array().unwrap();
        let dense = traces.iter().find(|t| t["name"] == "dense").unwrap();
        assert_eq!(dense["signature"], "x: float32[?,2]");
        assert!(
            dense["without_plan"]
                .as_str()
                .unwrap()
                .contains("shapes of a call")
        );
        // The signature calls the function.
        assert_eq!(dense["graphs"][0]["nodes"][3]["regions"][0]["role"], "call");
        let nodes = dense["graphs"][1]["nodes"].as_array().unwrap();
        assert!(nodes.iter().any(|node| node["op"] == "MatMul"));
    }

    #[test]
    fn other_data_is_refused() {
        for (data, said) in [
            ("{", "needs JSON"),
            ("[1]", "of the schema"),
            (r#"{"schema": "other/1"}"#, r#"got "other/1""#),
        ] {
            let found = page(data).unwrap_err().to_string();
            assert!(found.contains(said), "{data}: {found}");
        }
    }
}
