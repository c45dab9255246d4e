//! Traces with their plans as JSON.

use super::graphs::{graphs, line};
use ferrograph_runtime::{
    ConcreteFunction, FusedOutline, NodeOutline, Plan, StepOutline, plan_for,
};
use ferrograph_tensor::{Tensor, TensorSpec};
use serde_json::{Value, json};
use std::sync::Arc;

/// Arguments up to this size are made up to compile a plan that no call has asked for.
const MOST_BYTES: usize = 1 << 28;

/// A trace as a document of the inspector has it, as JSON: its graphs, and the plan of its last call, or the one for the
/// shapes of its arguments where these are known.
pub fn trace(name: &str, signature: &str, function: &ConcreteFunction) -> String {
    described(name, signature, function).to_string()
}

pub(super) fn described(name: &str, signature: &str, function: &ConcreteFunction) -> Value {
    let (plan, without_plan) = match chosen_plan(function) {
        Ok(plan) => (outlined(&plan), String::new()),
        Err(why) => (Value::Null, why),
    };
    json!({
        "name": name,
        "signature": signature,
        "graphs": graphs(&function.graph),
        "plan": plan,
        "without_plan": without_plan,
    })
}

fn chosen_plan(function: &ConcreteFunction) -> Result<Arc<Plan>, String> {
    if let Some(plan) = function.plan_of_last_call() {
        return Ok(plan);
    }
    let specs: Vec<&TensorSpec> = function.graph.input_specs().collect();
    let n_args = specs.len() - function.captures.len();
    let made = specs[..n_args].iter().map(|spec| example(spec));
    let captured = function
        .captures
        .iter()
        .map(|val| val.expect_tensor().ok().cloned());
    let inputs: Option<Vec<Tensor>> = made.chain(captured).collect();
    let Some(inputs) = inputs else {
        return Err("There is no plan yet: plans are made for the shapes of a call.".into());
    };
    plan_for(&function.graph, inputs.iter()).map_err(|e| format!("There is no plan: {e}"))
}

/// A tensor of that type, where its shape is known.
fn example(spec: &TensorSpec) -> Option<Tensor> {
    let shape = spec.shape.to_static().filter(|_| spec.dtype.is_dense())?;
    let bytes = shape.checked_count().ok()?.checked_mul(spec.dtype.size())?;
    (bytes <= MOST_BYTES)
        .then(|| Tensor::zeros(spec.dtype, shape).ok())
        .flatten()
}

fn outlined(plan: &Plan) -> Value {
    let outline = plan.outline();
    let slots: Vec<Value> = (outline.slots.iter())
        .map(|slot| {
            json!({
                "type": slot.dtype.to_string(),
                "bytes": slot.bytes,
                "place": slot.place,
                "offset": slot.offset,
            })
        })
        .collect();
    let mut all = Vec::new();
    steps(&outline.steps, 0, "", &mut all);
    json!({
        "slab": outline.slab_bytes,
        "flops": outline.flops,
        "slots": slots,
        "steps": all,
        "outputs": outline.outputs,
    })
}

/// The steps with those in their blocks, in the order in which they run.
fn steps(all: &[StepOutline], depth: usize, role: &str, into: &mut Vec<Value>) {
    for step in all {
        into.push(json!({
            "operation": step.node.operation,
            "node": step.node.name,
            "line": origin(&step.node),
            "kind": step.kind,
            "depth": depth,
            "role": role,
            "reads": step.reads,
            "writes": step.writes,
            "fused": step.fused.as_ref().map(fused),
        }));
        for (role, inner) in &step.blocks {
            steps(inner, depth + 1, role, into);
        }
    }
}

fn fused(fused: &FusedOutline) -> Value {
    let members: Vec<Value> = (fused.members.iter())
        .map(|m| json!([m.operation, m.name, origin(m)]))
        .collect();
    json!({
        "members": members,
        "rows": fused.rows,
        "tile": fused.tile,
        "read": fused.bytes_read,
        "written": fused.bytes_written,
    })
}

fn origin(node: &NodeOutline) -> Option<Value> {
    node.origin.as_deref().map(line)
}
