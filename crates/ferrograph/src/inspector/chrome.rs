//! Chrome traces as documents of the inspector.

use super::SCHEMA;
use serde_json::{Value, json};

/// The document of a trace: an object with `traceEvents`, or a list of events. None for other JSON.
pub(super) fn document(title: &str, trace: &Value) -> Option<Value> {
    let events = match trace {
        Value::Array(_) => trace,
        other => other
            .get("traceEvents")
            .filter(|events| events.is_array())?,
    };
    Some(json!({
        "schema": SCHEMA,
        "title": title,
        "sources": [],
        "traces": [],
        "retraces": [],
        "profile": {"steps": null, "events": events},
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_events_is_a_trace_too() {
        let events = json!([{"ph": "X", "name": "MatMul", "ts": 0, "dur": 1}]);
        for trace in [events.clone(), json!({"traceEvents": events})] {
            let found = document("t", &trace).unwrap();
            assert_eq!(found["profile"]["events"], events);
        }
        for other in [json!({}), json!(1), json!({"traceEvents": 1})] {
            assert!(document("t", &other).is_none());
        }
    }
}
