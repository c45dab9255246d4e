//! Loops that count their iterations, as TensorFlow's gradients of loops expect it: the first variable is the number of
//! the iteration, the second the greatest number of them, where -1 is none.

use super::{Library, arg_def};
use crate::attributes::{dtype_value, value};
use crate::names::Names;
use crate::vocabulary::COUNTED;
use ferrograph_formats::messages::{AttrContent, FunctionDef, NodeDef, TensorProto};
use ferrograph_ops::While;
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec};

/// How many variables such a loop has before its own.
pub(super) const N_COUNTERS: u32 = 2;

impl Library {
    /// A loop that counts.
    pub(super) fn counted(
        &mut self,
        op: &While,
        inputs: &[TensorSpec],
        made: &mut NodeDef,
        names: &mut Names,
    ) -> Result<()> {
        let body = self.while_of(op, inputs, N_COUNTERS, made)?;
        let mut defs = self.functions.iter_mut();
        let is_body =
            |def: &&mut FunctionDef| def.signature.as_ref().is_some_and(|s| s.name == body);
        if let Some(def) = defs.find(is_body) {
            count(def)?;
        }
        for (i, (name, start)) in [("loop_counter", 0), ("maximum_iterations", -1)]
            .iter()
            .enumerate()
        {
            let source = names.further(&format!("{}/{name}", made.name));
            let source = number(source, *start)?;
            made.input.insert(i, source.name.clone() + ":output:0");
            self.sources.push(source);
        }
        made.attr
            .insert(COUNTED.into(), value(AttrContent::B(true)));
        Ok(())
    }
}

/// Makes a body count, of which the first arguments are the counters.
fn count(def: &mut FunctionDef) -> Result<()> {
    let Some(signature) = &mut def.signature else {
        return Ok(());
    };
    if signature.output_arg.len() == signature.input_arg.len() {
        return Ok(());
    }
    let names = def.node_def.iter().map(|n| &n.name);
    let args = signature.input_arg.iter().map(|a| &a.name);
    let results = signature.output_arg.iter().map(|a| &a.name);
    let taken: Vec<String> = names.chain(args).chain(results).cloned().collect();
    let free = |hint: &str| {
        let mut name = hint.to_owned();
        while taken.contains(&name) {
            name.push('_');
        }
        name
    };
    let one = number(free("loop_step"), 1)?;
    let next = NodeDef {
        name: free("loop_next"),
        op: "AddV2".into(),
        input: vec![
            signature.input_arg[0].name.clone(),
            format!("{}:output:0", one.name),
        ],
        attr: [("T".to_owned(), dtype_value(DType::Int32))].into(),
        ..NodeDef::default()
    };
    let (counter, limit) = (free("loop_counter_out"), free("maximum_iterations_out"));
    def.ret
        .insert(counter.clone(), format!("{}:z:0", next.name));
    def.ret
        .insert(limit.clone(), signature.input_arg[1].name.clone());
    signature
        .output_arg
        .insert(0, arg_def(&counter, DType::Int32));
    signature
        .output_arg
        .insert(1, arg_def(&limit, DType::Int32));
    def.node_def.extend([one, next]);
    Ok(())
}

/// A node that gives a number.
fn number(name: String, number: i32) -> Result<NodeDef> {
    let message = TensorProto::of(&Tensor::scalar(number)?)?;
    let content = AttrContent::Tensor(Box::new(message));
    Ok(NodeDef {
        name,
        op: "Const".into(),
        attr: [
            ("dtype".to_owned(), dtype_value(DType::Int32)),
            ("value".to_owned(), value(content)),
        ]
        .into(),
        ..NodeDef::default()
    })
}
