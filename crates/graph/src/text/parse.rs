//! Text to graphs.

mod attributes;
mod cursor;

use super::lex::{Token, at_line, tokens};
use crate::{Attr, Graph, Known, Node, NodeId, Registry, ValueId, ValueInfo};
use ferrograph_tensor::{Result, TensorSpec};
use smallvec::SmallVec;
use std::sync::Arc;

/// Regions nested deeper than this are refused.
const MAX_DEPTH: usize = 64;

/// The graph of that text, with operations made by the registry. The grammar is the module's.
///
/// # Errors
/// `InvalidArgument` with the line where the text is not well formed, or what a constructor refuses.
pub fn parse(text: &str, registry: &Registry) -> Result<Arc<Graph>> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        registry,
        depth: 0,
    };
    parser.word("graph")?;
    let graph = parser.graph()?;
    match parser.peek() {
        Token::End => Ok(graph),
        _ => Err(parser.unexpected("the end")),
    }
}

struct Parser<'a> {
    tokens: Vec<(Token<'a>, usize)>,
    at: usize,
    registry: &'a Registry,
    depth: usize,
}

/// The parts of a graph as they are read.
#[derive(Default)]
struct Parts {
    nodes: Vec<Node>,
    values: Vec<Option<ValueInfo>>,
}

impl Parts {
    fn is_made(&self, value: usize) -> bool {
        self.values.get(value).is_some_and(Option::is_some)
    }
}

impl<'a> Parser<'a> {
    fn graph(&mut self) -> Result<Arc<Graph>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong("regions are nested too deeply"));
        }
        let name = self.string()?;
        self.mark('(')?;
        let mut inputs = self.values()?;
        let n_args = inputs.len();
        if self.accept(';') {
            inputs.extend(self.values()?);
        }
        self.mark(')')?;
        self.mark('{')?;
        let mut parts = Parts::default();
        while !self.accept_word("return") {
            self.node(&mut parts)?;
        }
        let outputs = self.values()?;
        self.mark('}')?;
        self.depth -= 1;
        let inputs = self.made(&parts, &inputs)?;
        let outputs = self.made(&parts, &outputs)?;
        let missing = |i| self.wrong(&format!("no node of graph {name:?} makes %{i}"));
        let mut values = Vec::with_capacity(parts.values.len());
        for (i, info) in parts.values.into_iter().enumerate() {
            values.push(info.ok_or_else(|| missing(i))?);
        }
        Ok(Arc::new(Graph::new(
            name,
            parts.nodes,
            values,
            inputs,
            n_args,
            outputs,
        )))
    }

    fn made(&self, parts: &Parts, values: &[usize]) -> Result<Vec<ValueId>> {
        let id = |&v: &usize| {
            if parts.is_made(v) {
                Ok(ValueId::new(v))
            } else {
                Err(self.wrong(&format!("no node above makes %{v}")))
            }
        };
        values.iter().map(id).collect()
    }

    fn node(&mut self, parts: &mut Parts) -> Result<()> {
        let outputs = self.values()?;
        if !outputs.is_empty() {
            self.mark('=')?;
        }
        let line = self.line();
        let op_name = self.name()?;
        let name = self.string()?;
        let attrs = if self.accept('{') {
            self.until('}', Self::named_attr)?
        } else {
            Vec::new()
        };
        let op = self
            .registry
            .make(op_name, &attrs)
            .map_err(|e| at_line(line, &format!("{op_name}: {}", e.message())))?;
        self.mark('(')?;
        let inputs = self.until(')', Self::value)?;
        let inputs = self.made(parts, &inputs)?;
        let control = self.control(parts.nodes.len())?;
        let node = NodeId::new(parts.nodes.len());
        if !outputs.is_empty() {
            self.mark(':')?;
        }
        for (index, &v) in outputs.iter().enumerate() {
            if index > 0 {
                self.mark(',')?;
            }
            let info = self.info(node, index, &attrs)?;
            self.define(parts, v, info)?;
        }
        parts.nodes.push(Node {
            op,
            inputs: inputs.into(),
            outputs: outputs.into_iter().map(ValueId::new).collect(),
            control,
            name,
            origin: None,
        });
        Ok(())
    }

    fn define(&self, parts: &mut Parts, value: usize, info: ValueInfo) -> Result<()> {
        // A text of n tokens makes fewer than n values.
        if value >= self.tokens.len() {
            return Err(self.wrong(&format!(
                "values are numbered from %0 on, %{value} is too large"
            )));
        }
        if parts.is_made(value) {
            return Err(self.wrong(&format!("%{value} is made twice")));
        }
        if parts.values.len() <= value {
            parts.values.resize(value + 1, None);
        }
        parts.values[value] = Some(info);
        Ok(())
    }

    fn control(&mut self, n_nodes: usize) -> Result<SmallVec<[NodeId; 0]>> {
        if !self.accept_word("after") {
            return Ok(SmallVec::new());
        }
        self.mark('(')?;
        let nodes = self.until(')', |p| {
            let name = p.name()?;
            let id = name.strip_prefix('n').and_then(|d| d.parse::<usize>().ok());
            match id {
                Some(id) if id < n_nodes => Ok(NodeId::new(id)),
                _ => Err(p.wrong(&format!("{name} is no earlier node"))),
            }
        })?;
        Ok(nodes.into())
    }

    fn info(&mut self, node: NodeId, index: usize, attrs: &[(String, Attr)]) -> Result<ValueInfo> {
        let spec = TensorSpec::new(self.dtype()?, self.shape()?);
        let constant = if !self.accept_word("is") {
            None
        } else if self.accept_word("const") {
            match attrs.iter().find(|(name, _)| name == "value") {
                Some((_, Attr::Tensor(t))) => Some(t.clone()),
                _ => return Err(self.wrong("the node has no tensor attribute \"value\"")),
            }
        } else if self.accept_word("object") {
            self.bytes()?;
            None
        } else {
            Some(self.tensor()?)
        };
        let known = if self.accept_word("known") {
            self.mark('[')?;
            let known: Known = self
                .until(']', |p| {
                    if p.accept('?') {
                        return Ok(None);
                    }
                    p.integer().map(Some)
                })?
                .into();
            Some(known)
        } else {
            None
        };
        Ok(ValueInfo {
            node,
            index: u32::try_from(index).map_err(|_| self.wrong("too many outputs"))?,
            spec,
            constant: constant.map(Box::new),
            known: known.map(Box::new),
        })
    }
}
