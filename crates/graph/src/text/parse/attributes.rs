//! Attributes: types, constants and lists of them.

use super::super::lex::{Token, at_line};
use super::super::tensor::{Exact, Word};
use super::Parser;
use crate::Attr;
use ferrograph_tensor::{
    Bytes, DType, Dim, Element, Error, PartialShape, Result, Shape, Tensor, with_element,
};
use smallvec::SmallVec;
use std::sync::Arc;

impl<'a> Parser<'a> {
    pub(super) fn integer(&mut self) -> Result<i64> {
        if let Token::Number(text) = *self.peek()
            && let Ok(x) = text.parse()
        {
            self.at += 1;
            return Ok(x);
        }
        Err(self.unexpected("an integer"))
    }

    pub(super) fn dtype(&mut self) -> Result<DType> {
        if let Token::Name(name) = *self.peek()
            && let Some(dtype) = DType::from_name(name)
        {
            self.at += 1;
            return Ok(dtype);
        }
        Err(self.unexpected("a dtype"))
    }

    pub(super) fn shape(&mut self) -> Result<PartialShape> {
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

    pub(super) fn named_attr(&mut self) -> Result<(String, Attr)> {
        let name = self.name()?.to_owned();
        self.mark(':')?;
        Ok((name, self.attr()?))
    }

    pub(super) fn attr(&mut self) -> Result<Attr> {
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

    pub(super) fn number(&mut self, text: &str) -> Result<Attr> {
        if let Ok(x) = text.parse() {
            self.at += 1;
            return Ok(Attr::Int(x));
        }
        self.element().map(Attr::Float)
    }

    pub(super) fn keyword(&mut self, name: &str) -> Result<Attr> {
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
    pub(super) fn object(&self) -> Error {
        self.wrong("an object of the host language cannot be read from text")
    }

    pub(super) fn tensor(&mut self) -> Result<Tensor> {
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
        } else if dtype.float8().is_some() {
            self.bytes_of(dtype, shape)
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

    /// Floats of one byte, which are written as their bits.
    fn bytes_of(&mut self, dtype: DType, shape: Shape) -> Result<Tensor> {
        let bytes = self.until('}', |p| {
            let word = p.element_word()?;
            let bits = match word {
                Word::Text(x) => x.strip_prefix("0x"),
                Word::Nan(_) => None,
            };
            let byte = bits.and_then(|x| u8::from_str_radix(x, 16).ok());
            byte.ok_or_else(|| p.wrong(&format!("{word:?} is no {dtype}")))
        })?;
        let mut made = Tensor::empty(dtype, shape)?;
        let room = made.bytes_mut().unwrap_or_default();
        if room.len() != bytes.len() {
            return Err(self.wrong(&format!("{} elements do not fill the shape", bytes.len())));
        }
        room.copy_from_slice(&bytes);
        Ok(made)
    }

    pub(super) fn elements<T: Element + Exact>(&mut self, shape: Shape) -> Result<Tensor> {
        let elements = self.until('}', Self::element::<T>)?;
        Tensor::from_slice(shape, &elements)
    }

    pub(super) fn element<T: Exact>(&mut self) -> Result<T> {
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

    pub(super) fn element_word(&mut self) -> Result<Word<'a>> {
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
