//! Text to graphs.

use super::lex::{Token, at_line, tokens};
use super::tensor::{Exact, Word};
use crate::{Attr, Graph, Known, Node, NodeId, Registry, ValueId, ValueInfo};
use ferrograph_tensor::{
    Bytes, DType, Dim, Element, Error, PartialShape, Result, Shape, Tensor, TensorSpec,
    with_element,
};
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
    fn peek(&self) -> &Token<'a> {
        &self.tokens[self.at.min(self.tokens.len() - 1)].0
    }

    fn line(&self) -> usize {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Error {
        at_line(
            self.line(),
            &format!("expected {expected}, got {}", self.peek()),
        )
    }

    #[cold]
    fn wrong(&self, text: &str) -> Error {
        at_line(self.line(), text)
    }

    fn accept(&mut self, mark: char) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        self.at += usize::from(found);
        found
    }

    fn mark(&mut self, mark: char) -> Result<()> {
        if self.accept(mark) {
            return Ok(());
        }
        Err(self.unexpected(&format!("{mark:?}")))
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = *self.peek() == Token::Name(word);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if self.accept_word(word) {
            return Ok(());
        }
        Err(self.unexpected(&format!("{word:?}")))
    }

    fn name(&mut self) -> Result<&'a str> {
        match *self.peek() {
            Token::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn bytes(&mut self) -> Result<Vec<u8>> {
        match self.peek() {
            Token::Str(_) => match self.next() {
                Token::Str(bytes) => Ok(bytes),
                _ => Ok(Vec::new()),
            },
            _ => Err(self.unexpected("a string")),
        }
    }

    fn string(&mut self) -> Result<Arc<str>> {
        let bytes = self.bytes()?;
        let text = String::from_utf8(bytes).map_err(|_| self.wrong("a name is not UTF-8"))?;
        Ok(text.into())
    }

    /// Items up to a closing mark, which is taken.
    fn until<T>(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.accept(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.accept(close) {
                return Ok(items);
            }
            self.mark(',')?;
        }
    }

    /// Items in brackets.
    fn listed<T>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.mark('[')?;
        self.until(']', item)
    }

    fn value(&mut self) -> Result<usize> {
        match *self.peek() {
            Token::Value(id) => {
                self.at += 1;
                Ok(id)
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Values separated by commas; none where the next token is no value.
    fn values(&mut self) -> Result<Vec<usize>> {
        let mut values = Vec::new();
        if !matches!(self.peek(), Token::Value(_)) {
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            if !self.accept(',') {
                return Ok(values);
            }
        }
    }

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

    fn integer(&mut self) -> Result<i64> {
        if let Token::Number(text) = *self.peek()
            && let Ok(x) = text.parse()
        {
            self.at += 1;
            return Ok(x);
        }
        Err(self.unexpected("an integer"))
    }

    fn dtype(&mut self) -> Result<DType> {
        if let Token::Name(name) = *self.peek()
            && let Some(dtype) = DType::from_name(name)
        {
            self.at += 1;
            return Ok(dtype);
        }
        Err(self.unexpected("a dtype"))
    }

    fn shape(&mut self) -> Result<PartialShape> {
        if self.accept('<') {
            self.word("unknown")?;
            self.mark('>')?;
            return Ok(PartialShape::UNKNOWN);
        }
        self.mark('[')?;
        let dims = self.until(']', |p| {
            if p.accept('?') {
                return Ok(Dim::UNKNOWN);
            }
            match usize::try_from(p.integer()?) {
                Ok(n) => Ok(Dim::new(n)),
                Err(_) => Err(p.wrong("a size must not be negative")),
            }
        })?;
        Ok(dims.into_iter().collect())
    }

    fn named_attr(&mut self) -> Result<(String, Attr)> {
        let name = self.name()?.to_owned();
        self.mark(':')?;
        Ok((name, self.attr()?))
    }

    fn attr(&mut self) -> Result<Attr> {
        match *self.peek() {
            Token::Str(_) => Ok(Attr::Str(self.bytes()?.into())),
            Token::Number(text) => self.number(text),
            Token::Name("nan" | "inf") => Ok(Attr::Float(self.element()?)),
            Token::Name(name) => {
                if let Some(dtype) = DType::from_name(name) {
                    self.at += 1;
                    return Ok(Attr::DType(dtype));
                }
                self.at += 1;
                self.keyword(name)
            }
            _ => Err(self.unexpected("the value of an attribute")),
        }
    }

    fn number(&mut self, text: &str) -> Result<Attr> {
        if let Ok(x) = text.parse() {
            self.at += 1;
            return Ok(Attr::Int(x));
        }
        self.element().map(Attr::Float)
    }

    fn keyword(&mut self, name: &str) -> Result<Attr> {
        Ok(match name {
            "true" => Attr::Bool(true),
            "false" => Attr::Bool(false),
            "shape" => Attr::Shape(self.shape()?),
            "bools" => Attr::Bools(self.listed(Self::element)?),
            "ints" => Attr::Ints(self.listed(Self::integer)?),
            "floats" => Attr::Floats(self.listed(Self::element)?),
            "strings" => Attr::Strs(self.listed(|p| p.bytes().map(Arc::from))?),
            "dtypes" => Attr::DTypes(self.listed(Self::dtype)?),
            "shapes" => Attr::Shapes(self.listed(Self::shape)?),
            "tensor" => Attr::Tensor(self.tensor()?),
            "graph" => Attr::Graph(self.graph()?),
            "object" => return Err(self.object()),
            _ => {
                self.at -= 1;
                return Err(self.unexpected("the value of an attribute"));
            }
        })
    }

    #[cold]
    fn object(&self) -> Error {
        self.wrong("an object of the host language cannot be read from text")
    }

    fn tensor(&mut self) -> Result<Tensor> {
        if self.accept_word("object") {
            return Err(self.object());
        }
        let dtype = self.dtype()?;
        let shape = self.shape()?.to_static();
        let shape = shape.ok_or_else(|| self.wrong("the shape of a tensor must be known"))?;
        self.mark('{')?;
        let line = self.line();
        let tensor = if dtype == DType::String {
            let words = self.until('}', |p| p.bytes().map(Bytes::from))?;
            Tensor::from_strings(shape, words)
        } else {
            with_element!(dtype, dense, T => self.elements::<T>(shape),
                else => return Err(self.wrong(&format!("there is no text of a {dtype}"))))
        };
        tensor.map_err(|e| {
            if e.message().starts_with("line ") {
                e
            } else {
                at_line(line, e.message())
            }
        })
    }

    fn elements<T: Element + Exact>(&mut self, shape: Shape) -> Result<Tensor> {
        let elements = self.until('}', Self::element::<T>)?;
        Tensor::from_slice(shape, &elements)
    }

    fn element<T: Exact>(&mut self) -> Result<T> {
        let line = self.line();
        let mut words = SmallVec::<[Word<'a>; 2]>::new();
        if T::WORDS == 2 {
            self.mark('(')?;
            words.push(self.element_word()?);
            self.mark(',')?;
            words.push(self.element_word()?);
            self.mark(')')?;
        } else {
            words.push(self.element_word()?);
        }
        T::parse(&words).ok_or_else(|| {
            let bad = words.first().map_or("", |w| match w {
                Word::Text(x) | Word::Nan(x) => x,
            });
            at_line(
                line,
                &format!("{bad:?} is no {}", std::any::type_name::<T>()),
            )
        })
    }

    fn element_word(&mut self) -> Result<Word<'a>> {
        match *self.peek() {
            Token::Name("nan") => {
                self.at += 1;
                match *self.peek() {
                    Token::Number(bits) => {
                        self.at += 1;
                        Ok(Word::Nan(bits))
                    }
                    _ => Err(self.unexpected("the bits of a nan")),
                }
            }
            Token::Name(x) | Token::Number(x) => {
                self.at += 1;
                Ok(Word::Text(x))
            }
            _ => Err(self.unexpected("an element")),
        }
    }
}
