//! Functions that are polynomials and more, spelled out as the kernels compute them: the same operations in the same
//! order, so that the bits are the same. A step that only chooses between numbers may be one instruction here.

mod double;
mod single;

use super::Float;
use super::lower::{Arg, Lowering, code, relation};
use crate::memory::Refused;

/// Functions of one number.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    Exp,
    /// `e^x - 1`
    Expm1,
    Log,
    /// `log(1 + x)`
    Log1p,
    Tanh,
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// `log(1 + e^x)`
    Softplus,
    Erf,
    /// `1 - erf(x)`
    Erfc,
    /// The power of three.
    Cube,
    /// The power of one half.
    Root,
}

impl Function {
    /// All of them.
    pub const ALL: [Function; 11] = [
        Function::Exp,
        Function::Expm1,
        Function::Log,
        Function::Log1p,
        Function::Tanh,
        Function::Sigmoid,
        Function::Softplus,
        Function::Erf,
        Function::Erfc,
        Function::Cube,
        Function::Root,
    ];

    /// Whether it is vector code for numbers of that type.
    pub fn is_known(self, float: Float) -> bool {
        let is_single = matches!(
            self,
            Function::Expm1 | Function::Softplus | Function::Erf | Function::Erfc
        );
        float == Float::F32 || !is_single
    }

    pub(super) fn spelled(self, to: &mut Lowering, x: Arg) -> Result<Arg, Refused> {
        if !self.is_known(to.float) {
            return Err(Refused(format!("{self:?} of these is no vector code")));
        }
        Ok(match (self, to.float) {
            (Function::Root, _) => root(to, x),
            (Function::Exp, Float::F32) => single::exp(to, x),
            (Function::Expm1, _) => single::expm1(to, x),
            (Function::Log, Float::F32) => single::log(to, x),
            (Function::Log1p, Float::F32) => single::log1p(to, x),
            (Function::Tanh, Float::F32) => single::tanh(to, x),
            (Function::Sigmoid, Float::F32) => single::sigmoid(to, x),
            (Function::Softplus, _) => single::softplus(to, x),
            (Function::Erf, _) => single::erf(to, x),
            (Function::Erfc, _) => single::erfc(to, x),
            (Function::Cube, Float::F32) => single::cube(to, x),
            (Function::Exp, Float::F64) => double::exp(to, x),
            (Function::Log, Float::F64) => double::log(to, x),
            (Function::Log1p, Float::F64) => double::log1p(to, x),
            (Function::Tanh, Float::F64) => double::tanh(to, x),
            (Function::Sigmoid, Float::F64) => double::sigmoid(to, x),
            (Function::Cube, Float::F64) => {
                let square = to.mul(x, x);
                to.mul(square, x)
            }
        })
    }
}

/// The square root as a power: that of minus infinity is infinite, and no zero is negative.
fn root(to: &mut Lowering, x: Arg) -> Arg {
    let zero = to.number(0.0);
    let sum = to.add(x, zero);
    let root = to.sqrt(sum);
    let infinite = to.number(f64::INFINITY);
    let lowest = to.number(f64::NEG_INFINITY);
    to.where_equal(x, lowest, infinite, root)
}

/// What functions are made of.
impl Lowering {
    fn add(&mut self, a: Arg, b: Arg) -> Arg {
        self.two(code::ADD, a, b)
    }

    fn sub(&mut self, a: Arg, b: Arg) -> Arg {
        self.two(code::SUB, a, b)
    }

    fn mul(&mut self, a: Arg, b: Arg) -> Arg {
        self.two(code::MUL, a, b)
    }

    fn div(&mut self, a: Arg, b: Arg) -> Arg {
        self.two(code::DIV, a, b)
    }

    fn and(&mut self, a: Arg, b: Arg) -> Arg {
        self.two(code::AND, a, b)
    }

    /// At most that number; NaN stays.
    fn at_most(&mut self, x: Arg, most: f64) -> Arg {
        let most = self.number(most);
        self.two(code::MIN, most, x)
    }

    /// At least that number; NaN stays.
    fn at_least(&mut self, x: Arg, least: f64) -> Arg {
        let least = self.number(least);
        self.two(code::MAX, least, x)
    }

    /// The first where two numbers are equal, else the second.
    fn where_equal(&mut self, a: Arg, b: Arg, yes: Arg, no: Arg) -> Arg {
        let mask = self.compare(relation::EQUAL, a, b);
        self.blend(mask, yes, no)
    }

    /// Horner's scheme, the highest coefficient first.
    fn polynomial<C: Into<f64> + Copy>(&mut self, x: Arg, coefficients: &[C]) -> Arg {
        let numbers = coefficients.iter().map(|&c| c.into());
        let mut numbers = numbers.collect::<Vec<f64>>().into_iter();
        let mut y = self.number(numbers.next().unwrap_or(0.0));
        for c in numbers {
            let c = self.number(c);
            y = self.mul_add(y, x, c);
        }
        y
    }

    fn magnitude(&mut self, x: Arg) -> Arg {
        let sign = self.sign();
        self.two(code::AND_NOT, sign, x)
    }

    fn negated(&mut self, x: Arg) -> Arg {
        let sign = self.sign();
        self.two(code::XOR, x, sign)
    }

    /// `-|x|`
    fn below_zero(&mut self, x: Arg) -> Arg {
        let sign = self.sign();
        self.two(code::OR, x, sign)
    }

    /// What has no sign with the one of `x`; of NaN either.
    fn with_sign_of(&mut self, y: Arg, x: Arg) -> Arg {
        let sign = self.sign();
        let of_x = self.two(code::AND, sign, x);
        self.two(code::OR, y, of_x)
    }

    /// `log(1 + x)` of what is one plus a number, and the logarithm of that.
    fn log_of_sum(&mut self, x: Arg, log: fn(&mut Lowering, Arg) -> Arg) -> Arg {
        let one = self.number(1.0);
        let sum = self.add(x, one);
        let added = self.sub(sum, one);
        let lost = self.sub(x, added);
        let whole = log(self, sum);
        let rest = self.div(lost, sum);
        let y = self.add(whole, rest);
        let y = self.where_equal(sum, one, x, y);
        let minus_one = self.number(-1.0);
        let lowest = self.number(f64::NEG_INFINITY);
        let y = self.where_equal(x, minus_one, lowest, y);
        let infinite = self.number(f64::INFINITY);
        self.where_equal(x, infinite, x, y)
    }

    /// A logarithm of what is positive or zero; infinite at both ends, else NaN.
    fn logarithm_at_ends(&mut self, x: Arg, y: Arg) -> Arg {
        let infinite = self.number(f64::INFINITY);
        let y = self.where_equal(x, infinite, x, y);
        let zero = self.number(0.0);
        let lowest = self.number(f64::NEG_INFINITY);
        let y = self.where_equal(x, zero, lowest, y);
        let is_positive = self.compare(relation::GREATER_EQUAL, x, zero);
        let nan = self.number(f64::NAN);
        self.blend(is_positive, y, nan)
    }
}
